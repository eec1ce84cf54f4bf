//go:build !linux

// Package memtemp is for tests that would otherwise wait for the disk most of the time.
package memtemp

import "testing"

// Use changes nothing here: there is no tmpfs.
func Use() {}

// Dir is t.TempDir.
func Dir(t testing.TB) string { return t.TempDir() }
