//go:build amd64 || arm64

package sandbox

import (
	"bytes"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The answers that a server gives itself: what a file of a traced folder looks like is the same
// on all machines, and stays so when only its mode or its times change.

// sized is how large folders are said to be, and a block.
const sized = 4096

// looksLike makes the last fstat what programs see of a file of the folder.
func (s *server) looksLike(name []byte) {
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

// isProgram reports whether a file of the folder is said to be executable.
func (s *server) isProgram(name []byte) bool {
	return slices.ContainsFunc(s.programs, func(program string) bool { return program == string(name) })
}

// giveStat answers a call for what a file looks like, whose fstat is known.
func (s *server) giveStat(c call, name []byte) {
	s.looksLike(name)
	to := s.n.args[c.value]
	if c.gives == givesStat {
		s.answer(to, unsafe.Slice((*byte)(unsafe.Pointer(&s.st)), unsafe.Sizeof(s.st)), 0)
		return
	}
	st := &s.st
	date := unix.StatxTimestamp{Sec: SourceDate}
	s.statx = unix.Statx_t{
		Mask: unix.STATX_BASIC_STATS, Blksize: uint32(st.Blksize), Nlink: uint32(st.Nlink), Uid: st.Uid, Gid: st.Gid, Mode: uint16(st.Mode),
		Ino: st.Ino, Size: uint64(st.Size), Blocks: uint64(st.Blocks), Atime: date, Ctime: date, Mtime: date,
		Dev_major: unix.Major(uint64(st.Dev)), Dev_minor: unix.Minor(uint64(st.Dev)),
	}
	s.answer(to, unsafe.Slice((*byte)(unsafe.Pointer(&s.statx)), unsafe.Sizeof(s.statx)), 0)
}

// giveAccess answers whether a file of the folder may be used in a way: nobody writes there.
func (s *server) giveAccess(c call, name []byte) {
	wants := s.n.args[c.value]
	switch {
	case wants&^(unix.R_OK|unix.W_OK|unix.X_OK) != 0:
		s.refuse(unix.EINVAL)
	case wants&unix.W_OK != 0, wants&unix.X_OK != 0 && s.st.Mode&unix.S_IFMT == unix.S_IFREG && !s.isProgram(name):
		s.refuse(unix.EACCES)
	default:
		s.a.flags = 0
	}
}

// answer writes what a call asks for to the memory of the caller, and has it return a value.
func (s *server) answer(to uint64, data []byte, value int64) {
	// The one who asked may be gone, and somebody else have his number.
	if s.ioctl(ioctlValid, unsafe.Pointer(&s.n.id)) != 0 {
		return
	}
	s.calls++
	s.local[0] = unix.Iovec{Base: unsafe.SliceData(data), Len: uint64(len(data))}
	s.remote[0] = unix.RemoteIovec{Base: uintptr(to), Len: len(data)}
	if n, err := unix.ProcessVMWritev(int(s.n.pid), s.local[:], s.remote[:], 0); err != nil || n != len(data) {
		s.refuse(unix.EFAULT)
		return
	}
	s.a.flags, s.a.value = 0, value
}

// lookAtOpen answers a call for what an open file looks like, if that is one of the folder. It
// has a name in /proc.
func (s *server) lookAtOpen(c call, file []byte) {
	if c.gives != givesStat && c.gives != givesStatx || s.trace.Plain ||
		c.path != none && s.n.args[c.flags]&unix.AT_EMPTY_PATH == 0 {
		return
	}
	name, ok := s.readlink(file, s.real[:])
	if !ok || !s.traces(bytes.TrimSuffix(name, []byte(" (deleted)"))) {
		return
	}
	fd, errno := s.openat2(unix.AT_FDCWD, file, unix.O_PATH, 0)
	if errno != 0 {
		s.wonder(errno)
		return
	}
	defer s.close(fd)
	if s.fstat(fd) {
		s.giveStat(c, name)
	}
}

// giveText answers a call for the text of a link, whose name has no links but that.
func (s *server) giveText(c call, link []byte) {
	text, isLink, errno := s.textOf(string(link))
	switch size := s.n.args[c.value+1]; {
	case errno != 0:
		s.refuse(errno)
	case !isLink, size == 0 || size > 1<<31-1:
		s.refuse(unix.EINVAL)
	default:
		text = text[:min(uint64(len(text)), size)]
		s.answer(s.n.args[c.value], []byte(text), int64(len(text)))
	}
}

// concealText keeps the text of a link from a program to which nothing there is given.
func (s *server) concealText(c call) {
	if c.gives != givesText {
		return
	}
	folder, path, errno := s.where(c)
	if errno != 0 {
		return
	}
	name, ok := s.absolute(folder, path)
	if !ok {
		return
	}
	real, errno := s.realNameOf(string(name), true)
	if errno != 0 || s.mayRead(real) {
		return
	}
	if _, isLink, _ := s.textOf(real); isLink {
		s.refuse(unix.EACCES)
	}
}

// mayRead reports whether a path lies in what the policy or the system gives to programs, or
// leads there.
func (s *server) mayRead(name string) bool {
	if below("/dev", name) || OfSystem(name) {
		return true
	}
	return slices.ContainsFunc(s.readable, func(path string) bool { return below(path, name) || below(name, path) })
}
