//go:build !unix

package main

import "time"

// cpuTime returns 0: the processor time is unknown here.
func cpuTime() time.Duration { return 0 }
