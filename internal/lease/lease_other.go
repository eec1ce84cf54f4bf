//go:build !linux

package lease

// Ask asks about an open file by its descriptor. Here nobody can tell.
func Ask(int) Answer { return Unknown }
