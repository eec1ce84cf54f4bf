//go:build !unix

package main

import "time"

func systemCampaigns() []campaign { return nil }

// cpuTime returns the elapsed time.
func cpuTime() time.Duration { return time.Since(mediaEpoch) }

var mediaEpoch = time.Now()
