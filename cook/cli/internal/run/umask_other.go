//go:build !unix

package run

// otherUmask does nothing on systems without a umask.
func otherUmask() (undo func()) { return func() {} }
