//go:build amd64 || arm64

package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The following methods make the system calls of the server, and count them. Names end with a NUL.

func (s *server) listenerIoctl(request uintptr, arg unsafe.Pointer) unix.Errno {
	for {
		s.calls++
		_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(s.listener), request, uintptr(arg))
		if errno != unix.EINTR {
			return errno
		}
	}
}

func firstByte(name []byte) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(name)) }

func (s *server) openat2(base int, name []byte, flags, resolve uint64) (int, unix.Errno) {
	s.calls++
	s.how = unix.OpenHow{Flags: flags | unix.O_CLOEXEC, Resolve: resolve}
	fd, _, errno := unix.Syscall6(unix.SYS_OPENAT2, uintptr(base), uintptr(firstByte(name)), uintptr(unsafe.Pointer(&s.how)), unix.SizeofOpenHow, 0, 0)
	return int(fd), errno
}

func (s *server) openAgain(fd int) (int, unix.Errno) {
	here := unix.AT_FDCWD
	name := s.ownPath(fd)
	s.calls++
	again, _, errno := unix.Syscall6(unix.SYS_OPENAT, uintptr(here), uintptr(firstByte(name)), unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0, 0, 0)
	return int(again), errno
}

func (s *server) closeCounted(fd int) {
	s.calls++
	unix.Close(fd)
}

// fstat stores the attributes of an open file in s.st.
func (s *server) fstat(fd int) bool {
	s.calls++
	err := unix.Fstat(fd, &s.st)
	if err != nil {
		s.noteServerFailure(err)
	}
	return err == nil
}

// readlink reads a link of /proc into the buffer to. It returns false if the link refers to a file
// without a path.
func (s *server) readlink(name []byte, to []byte) (real []byte, ok bool) {
	n, errno := s.readlinkat(name, to[:len(to)-1])
	if errno == unix.ENAMETOOLONG || errno == unix.EACCES || isShortage(errno) {
		s.noteServerFailure(errno)
	}
	if errno != 0 || n >= len(to)-1 || n == 0 || to[0] != '/' {
		return nil, false
	}
	to[n] = 0
	return to[:n], true
}

func (s *server) readlinkat(name []byte, to []byte) (int, unix.Errno) {
	here := unix.AT_FDCWD
	s.calls++
	n, _, errno := unix.Syscall6(unix.SYS_READLINKAT, uintptr(here), uintptr(firstByte(name)), uintptr(firstByte(to)), uintptr(len(to)), 0, 0)
	return int(n), errno
}

// ownPath returns the /proc path of a file that is open in this process.
func (s *server) ownPath(fd int) []byte {
	name := append(strconv.AppendInt(append(s.own[:0], "/proc/self/fd/"...), int64(fd), 10), 0)
	return name[:len(name)-1]
}

// readFromCaller fills data from the caller's memory. If the system denies access, the error is
// EPERM. Otherwise it may be ENOMEM or EFAULT.
func (s *server) readFromCaller(at uint64, data []byte) unix.Errno {
	s.calls++
	s.local[0] = unix.Iovec{Base: unsafe.SliceData(data), Len: uint64(len(data))}
	s.remote[0] = unix.RemoteIovec{Base: uintptr(at), Len: len(data)}
	got, err := unix.ProcessVMReadv(int(s.n.pid), s.local[:], s.remote[:], 0)
	switch {
	case errors.Is(err, unix.EPERM):
		return unix.EPERM
	case errors.Is(err, unix.ENOMEM):
		return unix.ENOMEM
	case err != nil || got != len(data):
		return unix.EFAULT
	}
	return 0
}

// readCallerPath reads a path from the caller's memory. The path is valid until the next call of
// readCallerPath.
func (s *server) readCallerPath(at uint64) ([]byte, unix.Errno) {
	const page, first = 4096, 256
	for n := 0; n < unix.PathMax; {
		from := at + uint64(n)
		size := min(int(page-from%page), unix.PathMax-n) // the next memory page may not be mapped
		if n == 0 {
			size = min(size, first)
		}
		piece := s.path[n : n+size]
		if errno := s.readFromCaller(from, piece); errno != 0 {
			return nil, errno
		}
		if end := bytes.IndexByte(piece, 0); end >= 0 {
			return s.path[:n+end], 0
		}
		n += size
	}
	return nil, unix.ENAMETOOLONG
}

// pathArguments returns the path argument of a call, and the /proc path of the directory that the
// path is relative to. The latter is empty if the path is absolute. Both are valid until the next
// call of pathArguments.
func (s *server) pathArguments(c call) (folder, path []byte, errno unix.Errno) {
	if c.path != none && s.n.args[c.path] != 0 {
		if path, errno = s.readCallerPath(s.n.args[c.path]); errno != 0 {
			return nil, nil, errno
		}
	} else {
		s.path[0] = 0
		path = s.path[:0]
	}
	const proc, ownCwd = "/proc/", "/proc/self/cwd/"
	folder = strconv.AppendUint(append(s.folder[:0], proc...), uint64(s.n.pid), 10)
	cwd := append(append(folder, "/cwd/"...), 0)
	cwd = cwd[:len(cwd)-1]
	switch {
	case bytes.HasPrefix(path, []byte(proc)) && bytes.HasPrefix(path, cwd):
		path = path[len(cwd):]
	case bytes.HasPrefix(path, []byte(ownCwd)):
		path = path[len(ownCwd):]
	case len(path) > 0 && path[0] == '/':
		return nil, path, 0
	case c.folder != none && int32(s.n.args[c.folder]) != unix.AT_FDCWD:
		fd := append(strconv.AppendInt(append(folder, "/fd/"...), int64(int32(s.n.args[c.folder])), 10), 0)
		return fd[:len(fd)-1], path, 0
	}
	cwd[len(cwd)-1] = 0
	return cwd[:len(cwd)-1], path, 0
}

// ownFolder returns the /proc path of the caller's working directory.
func (s *server) ownFolder() []byte {
	name := append(append(strconv.AppendUint(append(s.folder[:0], "/proc/"...), uint64(s.n.pid), 10), "/cwd"...), 0)
	return name[:len(name)-1]
}

// openToIdentify opens a path with O_PATH, to stat and identify the file.
func (s *server) openToIdentify(folder, path []byte, flags, resolve uint64) (fd int, errno unix.Errno) {
	base := unix.AT_FDCWD
	if len(folder) > 0 {
		fd, errno := s.openat2(unix.AT_FDCWD, folder, unix.O_PATH, 0)
		if isShortage(errno) {
			return -1, errno
		} else if errno != 0 {
			return -1, unix.EBADF
		}
		if len(path) == 0 {
			return fd, 0
		}
		defer s.closeCounted(fd)
		base = fd
	}
	return s.openat2(base, path, unix.O_PATH|flags, resolve|unix.RESOLVE_NO_MAGICLINKS) // /proc/self would refer to the server
}

// openNamedFile opens the file that a call's path refers to with O_PATH, to identify it.
func (s *server) openNamedFile(c call) (int, unix.Errno) {
	folder, path, errno := s.pathArguments(c)
	if errno != 0 {
		return -1, errno
	}
	if len(path) == 0 && c.path != none && s.n.args[c.path] != 0 && (c.flags == none || s.n.args[c.flags]&unix.AT_EMPTY_PATH == 0) {
		return -1, unix.ENOENT
	}
	flags := uint64(0)
	if c.flags != none && s.n.args[c.flags]&unix.AT_SYMLINK_NOFOLLOW != 0 {
		flags = unix.O_NOFOLLOW
	}
	return s.openToIdentify(folder, path, flags, 0)
}

// namedPath returns the absolute path that a call refers to.
func (s *server) namedPath(c call) (string, error) {
	folder, path, errno := s.pathArguments(c)
	if errno != 0 {
		return "", errno
	}
	name, ok := s.makeAbsolute(folder, path)
	if !ok {
		return "", fmt.Errorf("cook cannot find the path of %s", folder)
	}
	return filepath.Clean(string(name)), nil
}

// makeAbsolute returns the absolute form of a path that is relative to a directory given by its
// /proc path. It returns false if the directory has no path.
func (s *server) makeAbsolute(folder, path []byte) (name []byte, ok bool) {
	if len(folder) == 0 {
		return path, true
	}
	base, ok := s.readlink(folder, s.name[:])
	if !ok || len(base)+1+len(path) >= len(s.name) {
		return nil, false
	}
	for len(path) > 2 && path[0] == '.' && path[1] == '/' && path[2] != '/' {
		path = path[2:]
	}
	if len(path) == 0 || string(path) == "." {
		return base, true
	}
	if len(base) > 1 {
		base = append(base, '/')
	}
	name = append(append(base, path...), 0)
	return name[:len(name)-1], true
}

// isPlain reports whether an absolute path has no ".", no ".." and no double slashes. It also
// reports false for a path in a removed directory.
func isPlain(name []byte) bool {
	for _, part := range [...]string{"//", "/./", "/../", " (deleted)"} {
		if bytes.Contains(name, []byte(part)) {
			return false
		}
	}
	return !bytes.HasSuffix(name, []byte("/")) && !bytes.HasSuffix(name, []byte("/.")) && !bytes.HasSuffix(name, []byte("/.."))
}

// isOrBelow reports whether a clean absolute path is the given directory or below it.
func isOrBelow(folder string, name []byte) bool {
	rest, ok := bytes.CutPrefix(name, []byte(folder))
	return ok && (len(rest) == 0 || rest[0] == '/' || strings.HasSuffix(folder, "/"))
}
