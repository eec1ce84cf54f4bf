//go:build !linux

// Package memtemp puts temporary directories of tests into memory, because on a disk such tests
// would mostly wait.
package memtemp

import "testing"

// Use does nothing, because this system has no in-memory file system.
func Use() {}

// Dir calls t.TempDir.
func Dir(t testing.TB) string { return t.TempDir() }
