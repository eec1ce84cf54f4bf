//go:build !unix

package main

import "os/exec"

// as makes a command run as somebody else, where there is such a thing.
func as(user uint32, cmd *exec.Cmd) {}
