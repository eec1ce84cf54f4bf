//go:build amd64 || arm64

package sandbox

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	ioctlFlags = 0x40082104 // SECCOMP_IOCTL_NOTIF_SET_FLAGS
	ioctlAddFD = 0x40182103 // SECCOMP_IOCTL_NOTIF_ADDFD
)

// wakeAtOnce makes the system run the server on the caller's processor. That is ten times faster
// (since Linux 6.6).
func wakeAtOnce(listener int) {
	unix.Syscall(unix.SYS_IOCTL, uintptr(listener), ioctlFlags, unix.SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP)
}

// answerNamingCall answers a call that takes a path. It returns true if it has already completed
// the call. Calls that do not concern the trace are executed normally.
func (s *server) answerNamingCall(c call) (answered bool) {
	s.a.flags = unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE
	s.reportWatchedPath(c)
	if s.trace == nil {
		s.concealText(c)
		return false
	}
	if second, ok := namingTwo()[uint32(s.n.number)]; ok {
		s.recordExistence(second)
	}
	flags, resolve, errno := s.openFlagsOf(c)
	if errno != 0 {
		s.noteUnreadableCaller(errno)
		return false
	}
	folder, path, errno := s.pathArguments(c)
	if errno != 0 {
		s.noteUnreadableCaller(errno)
		return false
	}
	s.noteProgram()
	if len(path) == 0 {
		s.concealText(c)
		s.answerOpenFileStat(c, folder) // the access was recorded when the file was opened
		return false
	}
	name, ok := s.makeAbsolute(folder, path)
	if !ok {
		return false
	}
	w := s.resolvePath(name, flags&unix.O_NOFOLLOW != 0)
	if w.file >= 0 {
		defer s.closeCounted(w.file)
	}
	if resolve != 0 && w.errno == 0 { // the program's flags restrict which paths may be resolved
		fd, errno := s.openToIdentify(folder, path, flags&unix.O_NOFOLLOW, resolve)
		if errno != 0 {
			s.refuseCall(errno)
			return false
		}
		s.closeCounted(fd)
	}
	traced := s.isTraced(w.name)
	switch {
	case !s.isTraced(w.real), w.errno == unix.ELOOP:
		s.concealText(c) // a loop, or a link to the outside, which Landlock checks; the link targets are recorded
		return false
	case w.errno == unix.ENOENT || w.errno == unix.ENOTDIR:
		s.answerMissingFile(w.name, flags, w.errno)
		return false
	case w.errno != 0:
		s.noteUnreadableCaller(w.errno)
		if traced {
			s.found = accessedFile{name: w.name, how: Read} // this process may not read the directory
		}
		return false
	case !s.fstat(w.file):
		return false
	}
	return s.answerTracedFile(c, w, flags)
}

// answerTracedFile answers a call that names a traced file. s.st must hold the file's attributes.
func (s *server) answerTracedFile(c call, w resolvedPath, flags uint64) (answered bool) {
	kind := s.st.Mode & unix.S_IFMT
	if flags&unix.O_NOFOLLOW != 0 && kind != unix.S_IFLNK {
		s.noteLink(w.name, nil)
	}
	if kind == unix.S_IFDIR && (c.gives == givesPlace || c.opens != looks) {
		s.notePlace(w.real)
	}
	switch {
	case c.opens != looks && flags&unix.O_PATH == 0:
		return s.handFile(w.file, w.name, kind, flags)
	case c.gives == givesPlace:
		s.noteStraight(w.real)
	}
	s.setAccess(w.name, kind, Exists)
	if s.trace.Plain {
		return false
	}
	switch c.gives {
	case givesText:
		s.giveText(c, w.real)
	case givesStat, givesStatx:
		s.giveStat(c, w.real)
	case givesAccess:
		s.giveAccess(c, w.real)
	}
	return false
}

// recordExistence records that a call reveals whether a file exists. Even a call that may not
// change the file reveals this.
func (s *server) recordExistence(c call) {
	if s.trace == nil {
		return
	}
	folder, path, errno := s.pathArguments(c)
	if errno != 0 || len(path) == 0 {
		return
	}
	name, ok := s.makeAbsolute(folder, path)
	if !ok {
		return
	}
	w := s.resolvePath(name, c.nofollow)
	if w.file >= 0 {
		defer s.closeCounted(w.file)
	}
	if c.nofollow && (w.file < 0 || s.fstat(w.file) && s.st.Mode&unix.S_IFMT != unix.S_IFLNK) {
		s.noteLink(w.name, nil)
	}
	switch {
	case (w.errno == unix.ENOENT || w.errno == unix.ENOTDIR) && s.isTraced(w.real):
		s.recordAccess(accessedFile{name: w.name, how: Missing})
	case w.file >= 0 && s.fstat(w.file):
		s.setAccess(w.name, s.st.Mode&unix.S_IFMT, Exists)
		s.recordAccess(s.found)
	}
	s.found = accessedFile{}
}

// reportWatchedPath passes a call's path to Policy.Watch.
func (s *server) reportWatchedPath(c call) {
	if s.watch == nil {
		return
	}
	if path, err := s.namedPath(c); err == nil {
		s.watch(path)
	}
}

// An accessedFile describes the access that a call is about to make. Its name is empty if the call
// accesses no file.
type accessedFile struct {
	name  []byte // name of the file, valid until the next call
	how   Access
	stamp stamp // zero if the stamp is not known
}

// noteProgram records the program that makes a call, if the program is in the traced directory. The
// filter did not report the call that executed it.
func (s *server) noteProgram() {
	if !s.runs {
		return
	}
	name := append(append(strconv.AppendUint(append(s.own[:0], "/proc/"...), uint64(s.n.pid), 10), "/exe"...), 0)
	if file, ok := s.readlink(name[:len(name)-1], s.real[:]); ok && s.isTraced(file) {
		s.recordAccess(accessedFile{name: file, how: Read})
	}
}

// noteUnreadableCaller records an error that the program did not cause. The system denied access to
// the program's memory, or the server lacked descriptors or memory. Landlock refuses the access
// that the server could not see.
func (s *server) noteUnreadableCaller(errno unix.Errno) {
	switch {
	case s.blind != nil:
	case errno == unix.EPERM:
		s.blind = fmt.Errorf("%w: the system denies cook access to the memory of process %d (a program that may be executed but not read, or kernel.yama.ptrace_scope)", ErrTrace, s.n.pid)
	case errno == unix.EMFILE:
		s.blind = fmt.Errorf("%w: %w; raise the limit of open files with ulimit", ErrTrace, errno)
	case isShortage(errno):
		s.noteServerFailure(errno)
	}
}

// noteServerFailure records an error of the server that made it miss an access.
func (s *server) noteServerFailure(err error) {
	if s.blind == nil {
		s.blind = fmt.Errorf("%w: %w", ErrTrace, err)
	}
}

// isTraced reports whether a path is in the traced directory and not in a writable directory.
func (s *server) isTraced(name []byte) bool {
	return isOrBelow(s.root, name) && !slices.ContainsFunc(s.writes, func(dir string) bool { return isOrBelow(dir, name) })
}

// answerMissingFile answers a call whose file does not exist.
func (s *server) answerMissingFile(name []byte, flags uint64, errno unix.Errno) {
	if !s.isTraced(name) {
		return
	}
	if flags&unix.O_NOFOLLOW != 0 {
		s.noteLink(name, nil) // the path is not a symbolic link, not even a dangling one
	}
	if flags&unix.O_CREAT != 0 {
		errno = unix.EACCES // programs may not create files there
	} else {
		s.found = accessedFile{name: name, how: Missing}
	}
	s.refuseCall(errno)
}

func (s *server) refuseCall(errno unix.Errno) { s.a.flags, s.a.errno = 0, -int32(errno) }

// setAccess sets s.found to the access of a call to a file or directory. s.st must hold its
// attributes. Other types of files have no content, and noteLink records the targets of symbolic
// links.
func (s *server) setAccess(name []byte, kind uint32, folder Access) {
	switch kind {
	case unix.S_IFREG:
		s.found = accessedFile{name, Read, stampOf(&s.st)}
	case unix.S_IFDIR:
		s.found = accessedFile{name, folder, stampOf(&s.st)}
	}
}

// An addFD is struct seccomp_notif_addfd.
type addFD struct {
	id                         uint64
	flags, from, to, closeExec uint32
}

// handFile opens a file of the traced directory and passes it to the caller. It reports whether it
// has completed the call.
func (s *server) handFile(file int, name []byte, kind uint32, flags uint64) (answered bool) {
	switch {
	case flags&unix.O_CREAT != 0 && flags&unix.O_EXCL != 0:
		s.setAccess(name, kind, Exists)
		s.refuseCall(unix.EEXIST)
		return false
	case flags&unix.O_ACCMODE != unix.O_RDONLY || flags&unix.O_TRUNC != 0:
		s.refuseCall(unix.EACCES)
		return false
	case kind == unix.S_IFLNK:
		s.refuseCall(unix.ELOOP)
		return false
	case kind != unix.S_IFREG && kind != unix.S_IFDIR:
		s.refuseCall(unix.EACCES) // opening a pipe would block the server
		return false
	case kind == unix.S_IFREG && flags&unix.O_DIRECTORY != 0:
		s.refuseCall(unix.ENOTDIR)
		return false
	}
	if kind == unix.S_IFDIR {
		s.letSettle(file)
	}
	fd, errno := s.openAgain(file)
	if errno != 0 {
		s.noteUnreadableCaller(errno)
		s.refuseCall(errno)
		return false
	}
	defer s.closeCounted(fd)
	s.setAccess(name, kind, List)
	if errno := s.handDescriptor(fd, flags&unix.O_CLOEXEC); errno == unix.ENOENT {
		s.found = accessedFile{} // the caller was killed
	} else if errno != 0 {
		s.refuseCall(errno)
		s.found = accessedFile{}
		return false
	}
	s.recordAccess(s.found)
	return true
}

// handDescriptor answers a call with a duplicate of a descriptor. The error is ENOENT if the caller
// no longer waits. Any other error is the caller's own, for example if it has too many open files.
func (s *server) handDescriptor(fd int, closeExec uint64) unix.Errno {
	s.over = addFD{id: s.n.id, flags: unix.SECCOMP_ADDFD_FLAG_SEND, from: uint32(fd), closeExec: uint32(closeExec)}
	errno := s.listenerIoctl(ioctlAddFD, unsafe.Pointer(&s.over))
	if errno != unix.ENOENT && errno != unix.EINPROGRESS {
		return errno
	}
	if s.blind == nil && !endsSoon(s.n.pid) {
		s.blind = fmt.Errorf("%w: cook was stopped while it opened a file for process %d", ErrTrace, s.n.pid)
	}
	return unix.ENOENT
}

// endsSoon reports whether a thread is being killed or has exited. A thread that no longer waits
// for its call was killed, or continued without the file. The latter happens if this process was
// stopped while passing the file.
func endsSoon(thread uint32) bool {
	const exiting = 4 // flag PF_EXITING of the kernel's sched.h
	for range 100 {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", thread))
		if err != nil {
			var errno unix.Errno
			return !errors.As(err, &errno) || !isShortage(errno)
		}
		// In this file the second field, the name, is in parentheses and may contain any
		// characters.
		fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
		if len(fields) < 7 {
			return true
		}
		if flags, err := strconv.ParseUint(string(fields[6]), 10, 32); err != nil || flags&exiting != 0 {
			return true
		}
		time.Sleep(time.Millisecond)
	}
	return false
}

// openFlagsOf returns the open flags of a call, and its openat2 resolve flags.
func (s *server) openFlagsOf(c call) (open, resolve uint64, errno unix.Errno) {
	switch c.opens {
	case creates:
		return unix.O_CREAT | unix.O_WRONLY | unix.O_TRUNC, 0, 0
	case byFlags:
		return s.n.args[c.flags] & 0xffffffff, 0, 0
	case byHow:
		raw := s.real[:unix.SizeofOpenHow]
		if errno := s.readFromCaller(s.n.args[c.flags], raw); errno != 0 {
			return 0, 0, errno
		}
		return binary.NativeEndian.Uint64(raw), binary.NativeEndian.Uint64(raw[16:]), 0
	}
	if c.flags != none && s.n.args[c.flags]&unix.AT_SYMLINK_NOFOLLOW != 0 || c.nofollow {
		return unix.O_NOFOLLOW, 0, 0
	}
	return 0, 0, 0
}
