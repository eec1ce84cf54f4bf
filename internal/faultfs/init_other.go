//go:build !linux || !(amd64 || arm64)

// Package faultfs makes system calls of a program fail. It works only on Linux.
package faultfs

// Init does nothing on this system.
func Init() {}
