//go:build !unix

package main

import "time"

// cpuTime is the time that has passed.
func cpuTime() time.Duration { return time.Since(mediaEpoch) }

var mediaEpoch = time.Now()
