//go:build !linux

// Package memtemp speeds up tests that would mostly wait for the disk.
package memtemp

import "testing"

// Use changes nothing: this system has no tmpfs.
func Use() {}

// Dir is t.TempDir.
func Dir(t testing.TB) string { return t.TempDir() }
