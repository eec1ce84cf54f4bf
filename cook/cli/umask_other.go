//go:build !unix

package cli

// otherUmask does nothing where there is no umask.
func otherUmask() (undo func()) { return func() {} }
