//go:build !unix

package main

import "os"

// dieOf does nothing: this system has no signal to die of.
func dieOf(os.Signal) {}
