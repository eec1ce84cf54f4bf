// Package faultfs breaks system calls of a real program, one at a time, to show
// what the program does then.
//
// [Run] starts a program under a seccomp filter that hands each system call on a
// file to this process before it happens (seccomp_unotify(2)). Calls on files
// below given folders are numbered from 1, over all threads and child processes,
// and a function decides about each: let it happen, let it fail with an error,
// let it do half of what was asked, or kill the process first. So a sweep over
// all numbers meets every point at which a disk can be full, a descriptor can be
// had no more, a signal can come, or the power can go.
//
// The filter has to be installed in the process that becomes the program. So the
// executable that calls Run starts itself once more, and must call [Init] before
// anything else: in main, or in TestMain. Nothing else needs to be prepared; no
// privileges are needed either, but for a kernel of 5.19 or later.
//
// It exists on Linux, for amd64 and arm64. Elsewhere Init does nothing.
package faultfs
