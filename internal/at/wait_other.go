//go:build !unix

package at

const dontWait = 0
