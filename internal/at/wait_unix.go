//go:build unix

package at

import "syscall"

// dontWait makes opening a pipe return at once instead of waiting for somebody
// to write to it. It means nothing to regular files.
const dontWait = syscall.O_NONBLOCK
