//go:build !linux || !(amd64 || arm64)

// Package faultfs does nothing on this system.
package faultfs

// Init does nothing on this system.
func Init() {}
