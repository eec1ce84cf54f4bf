//go:build !linux

// Package memtemp puts temporary directories of tests in memory, because such tests would mostly
// wait for the disk.
package memtemp

import "testing"

// Use does nothing, because this system has no tmpfs.
func Use() {}

// Dir calls t.TempDir.
func Dir(t testing.TB) string { return t.TempDir() }
