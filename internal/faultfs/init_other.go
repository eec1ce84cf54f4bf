//go:build !linux || !(amd64 || arm64)

package faultfs

// Init does nothing here.
func Init() {}
