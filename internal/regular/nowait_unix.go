//go:build unix

package regular

import "syscall"

// NoWait is a flag of os.OpenFile that makes opening a pipe return at once: for reading with the
// pipe, for writing with an error. It has no effect on regular files.
const NoWait = syscall.O_NONBLOCK
