//go:build !unix

package confine

const dontWait = 0
