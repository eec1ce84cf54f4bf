// Package faultfs makes system calls of a real program fail, one at a time, to show how the program
// reacts.
//
// [Run] starts a program under a seccomp filter that passes each system call on a file to this
// process before it happens (seccomp_unotify(2)). Calls on files below given directories are
// numbered from 1, over all threads and child processes. A function decides about each: let it
// happen, let it fail with an error, do only half of it, or kill the process first. A sweep over
// all numbers covers every point at which a disk can be full, descriptors can run out, a signal can
// arrive, or the power can fail.
//
// The filter must be installed in the process that becomes the program. So the executable that
// calls Run starts itself again, and must call [Init] first in main or in TestMain. Nothing else is
// needed, and no privileges, but the kernel must be 5.19 or later.
//
// It works on Linux, for amd64 and arm64. Elsewhere Init does nothing.
package faultfs
