//go:build !linux || !(amd64 || arm64)

// Package faultfs makes system calls of a program fail. It works only on Linux, for amd64
// and arm64.
package faultfs

// Init does nothing on this system.
func Init() {}
