//go:build !linux

// Package memtemp is for tests that would otherwise wait for the disk most of the time.
package memtemp

// Use changes nothing here: there is no tmpfs.
func Use() {}
