//go:build !unix

package main

import "os"

// dieOf does nothing: there is no way to die of an interrupt here.
func dieOf(os.Signal) {}
