//go:build !unix

package main

// otherUmask does nothing where there is no umask.
func otherUmask() (undo func()) { return func() {} }
