//go:build !unix

package run

// otherUmask does nothing where there is no umask.
func otherUmask() (undo func()) { return func() {} }
