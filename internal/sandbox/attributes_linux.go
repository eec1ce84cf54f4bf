//go:build amd64 || arm64

package sandbox

import (
	"bytes"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The server itself answers stat, access and readlink calls for traced files, so that programs see
// the same modes and times on all machines.

// sized is the size that programs see for directories. It is also the block size that they see.
const sized = 4096

// setVisibleAttributes replaces s.st, the result of the last fstat, by the attributes that programs
// see for a traced file.
func (s *server) setVisibleAttributes(name []byte) {
	st := &s.st
	date := unix.Timespec{Sec: SourceDate}
	st.Atim, st.Mtim, st.Ctim, st.Nlink = date, date, date, 1
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFDIR:
		st.Mode, st.Size = unix.S_IFDIR|0o755, sized
	case unix.S_IFLNK:
		st.Mode = unix.S_IFLNK | 0o777
	default:
		st.Mode = st.Mode&unix.S_IFMT | 0o444
		if s.isProgram(name) {
			st.Mode |= 0o111
		}
	}
	st.Blksize, st.Blocks = sized, (st.Size+sized-1)/sized*(sized/512)
}

// isProgram reports whether programs see a traced file as executable.
func (s *server) isProgram(name []byte) bool {
	return slices.ContainsFunc(s.programs, func(program string) bool { return program == string(name) })
}

// giveStat answers a stat or statx call. s.st must hold the file's attributes.
func (s *server) giveStat(c call, name []byte) {
	s.setVisibleAttributes(name)
	to := s.n.args[c.value]
	if c.gives == givesStat {
		s.writeToCaller(to, unsafe.Slice((*byte)(unsafe.Pointer(&s.st)), unsafe.Sizeof(s.st)), 0)
		return
	}
	st := &s.st
	date := unix.StatxTimestamp{Sec: SourceDate}
	s.statx = unix.Statx_t{
		Mask: unix.STATX_BASIC_STATS, Blksize: uint32(st.Blksize), Nlink: uint32(st.Nlink), Uid: st.Uid, Gid: st.Gid, Mode: uint16(st.Mode),
		Ino: st.Ino, Size: uint64(st.Size), Blocks: uint64(st.Blocks), Atime: date, Ctime: date, Mtime: date,
		Dev_major: unix.Major(uint64(st.Dev)), Dev_minor: unix.Minor(uint64(st.Dev)),
	}
	s.writeToCaller(to, unsafe.Slice((*byte)(unsafe.Pointer(&s.statx)), unsafe.Sizeof(s.statx)), 0)
}

// giveAccess answers an access call for a traced file. Writing is never allowed.
func (s *server) giveAccess(c call, name []byte) {
	wants := s.n.args[c.value]
	switch {
	case wants&^(unix.R_OK|unix.W_OK|unix.X_OK) != 0:
		s.refuseCall(unix.EINVAL)
	case wants&unix.W_OK != 0, wants&unix.X_OK != 0 && s.st.Mode&unix.S_IFMT == unix.S_IFREG && !s.isProgram(name):
		s.refuseCall(unix.EACCES)
	default:
		s.a.flags = 0
	}
}

// writeToCaller writes data to the caller's memory at the address in to, and completes the call
// with the given return value.
func (s *server) writeToCaller(to uint64, data []byte, value int64) {
	// The caller may have exited, and its PID may belong to another process.
	if s.listenerIoctl(ioctlValid, unsafe.Pointer(&s.n.id)) != 0 {
		return
	}
	s.calls++
	s.local[0] = unix.Iovec{Base: unsafe.SliceData(data), Len: uint64(len(data))}
	s.remote[0] = unix.RemoteIovec{Base: uintptr(to), Len: len(data)}
	if n, err := unix.ProcessVMWritev(int(s.n.pid), s.local[:], s.remote[:], 0); err != nil || n != len(data) {
		s.refuseCall(unix.EFAULT)
		return
	}
	s.a.flags, s.a.value = 0, value
}

// answerOpenFileStat answers a stat or statx call on an open file, if the file is traced. file is
// its name in /proc.
func (s *server) answerOpenFileStat(c call, file []byte) {
	if c.gives != givesStat && c.gives != givesStatx || s.trace.Plain ||
		c.path != none && s.n.args[c.flags]&unix.AT_EMPTY_PATH == 0 {
		return
	}
	name, ok := s.readlink(file, s.real[:])
	if !ok || !s.isTraced(bytes.TrimSuffix(name, []byte(" (deleted)"))) {
		return
	}
	fd, errno := s.openat2(unix.AT_FDCWD, file, unix.O_PATH, 0)
	if errno != 0 {
		s.noteUnreadableCaller(errno)
		return
	}
	defer s.closeCounted(fd)
	if s.fstat(fd) {
		s.giveStat(c, name)
	}
}

// giveText answers a readlink call. Of the names in its path, only the last may be a symbolic link.
func (s *server) giveText(c call, link []byte) {
	text, isLink, errno := s.textOf(string(link))
	switch size := s.n.args[c.value+1]; {
	case errno != 0:
		s.refuseCall(errno)
	case !isLink, size == 0 || size > 1<<31-1:
		s.refuseCall(unix.EINVAL)
	default:
		text = text[:min(uint64(len(text)), size)]
		s.writeToCaller(s.n.args[c.value], []byte(text), int64(len(text)))
	}
}

// concealText makes a readlink call fail if the program may not read the symbolic link.
func (s *server) concealText(c call) {
	if c.gives != givesText {
		return
	}
	folder, path, errno := s.pathArguments(c)
	if errno != 0 {
		return
	}
	name, ok := s.makeAbsolute(folder, path)
	if !ok {
		return
	}
	real, errno := s.realNameOf(string(name), true)
	if errno != 0 || s.mayReadLink(real) {
		return
	}
	if _, isLink, _ := s.textOf(real); isLink {
		s.refuseCall(unix.EACCES)
	}
}

// mayReadLink reports whether the policy or the system allows programs to read a path, or anything
// below it.
func (s *server) mayReadLink(name string) bool {
	if isBelowFolder("/dev", name) || OfSystem(name) {
		return true
	}
	return slices.ContainsFunc(s.readable, func(path string) bool { return isBelowFolder(path, name) || isBelowFolder(name, path) })
}
