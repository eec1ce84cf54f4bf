//go:build amd64 || arm64

package sandbox

import (
	"bytes"
	"path"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// A resolvedPath is the result of resolving a path that a program uses.
type resolvedPath struct {
	// name is the program's path if it is in the traced directory and has no "..". Otherwise it
	// equals real. Both are absolute and clean, and valid until the next call.
	name []byte
	real []byte // the path without symbolic links; the file may be missing
	file int    // O_PATH descriptor if the file is traced, otherwise -1
	// errno is the reason why the file does not exist, or why the path could not be resolved.
	errno unix.Errno
}

// mostLinks is the maximum number of symbolic links that Linux follows in one path.
const mostLinks = 40

// here is the path ".", followed by a NUL.
var here = []byte(".\x00")[:1]

// resolvePath resolves an absolute path. It follows a symbolic link at the end unless nofollow is
// set. It records the target of each link that it finds in the traced directory.
//
// Most paths have no symbolic links and take one system call. Other paths are resolved name by
// name.
func (s *server) resolvePath(name []byte, nofollow bool) resolvedPath {
	if isPlain(name) {
		flags := uint64(unix.O_PATH)
		if nofollow {
			flags |= unix.O_NOFOLLOW
		}
		traced := s.isTraced(name)
		base, rest := unix.AT_FDCWD, name
		if isOrBelow(s.root, name) {
			base, rest = s.tree, bytes.TrimPrefix(name[len(s.root):], []byte("/"))
		}
		if len(rest) == 0 {
			rest = here
		}
		file, errno := s.openat2(base, rest, flags, unix.RESOLVE_NO_SYMLINKS)
		switch {
		case errno == unix.ELOOP:
			return s.resolveByNames(name, nofollow)
		case errno != 0:
			return resolvedPath{name: name, real: name, file: -1, errno: errno}
		case !traced:
			s.closeCounted(file)
			return resolvedPath{name: name, real: name, file: -1}
		case nofollow && s.fstat(file) && s.st.Mode&unix.S_IFMT == unix.S_IFLNK:
			s.closeCounted(file)
			return s.resolveByNames(name, nofollow)
		}
		return resolvedPath{name: name, real: name, file: file}
	}
	return s.resolveByNames(name, nofollow)
}

// resolveByNames implements resolvePath for paths with symbolic links. It resolves them name by
// name.
func (s *server) resolveByNames(name []byte, nofollow bool) resolvedPath {
	written := path.Clean(string(name))
	keeps := s.isTraced([]byte(written)) && !bytes.Contains(name, []byte("/.."))
	for range 10 { // retry, because a link may have changed meanwhile
		real, errno := s.realNameOf(string(name), nofollow)
		w := resolvedPath{real: []byte(real), file: -1, errno: errno}
		if w.name = w.real; keeps {
			w.name = []byte(written)
		}
		if w.errno != 0 || !s.isTraced(w.real) {
			return w
		}
		w.file, w.errno = s.openat2(unix.AT_FDCWD, append([]byte(real), 0), unix.O_PATH|unix.O_NOFOLLOW, unix.RESOLVE_NO_SYMLINKS)
		if w.errno == 0 && !nofollow && s.fstat(w.file) && s.st.Mode&unix.S_IFMT == unix.S_IFLNK {
			s.closeCounted(w.file)
			continue
		}
		if w.errno != unix.ELOOP {
			return w
		}
	}
	return resolvedPath{name: []byte(written), real: []byte(written), file: -1, errno: unix.ELOOP}
}

// realNameOf resolves all symbolic links in an absolute path. If the path does not exist, real is
// the missing path, or "" if the path uses a file as a directory.
func (s *server) realNameOf(name string, nofollow bool) (real string, errno unix.Errno) {
	at, rest, links := "", strings.TrimLeft(name, "/"), 0
	for rest != "" {
		part, behind, more := strings.Cut(rest, "/")
		rest = strings.TrimLeft(behind, "/")
		if part == "." || part == ".." {
			if _, _, errno := s.textOf(at + "/."); errno != 0 {
				s.recordPassage([]byte(at), Read) // here the path uses a file as a directory
				return "", errno
			}
			if part == ".." {
				s.recordPassage([]byte(at), Exists)
				at = strings.TrimSuffix(path.Dir("/"+at), "/")
			}
			continue
		}
		next := at + "/" + part
		text, isLink, errno := s.textOf(next)
		if errno != 0 {
			if !strings.Contains(rest, "..") {
				next = path.Join(next, rest)
			}
			return next, errno
		}
		if isLink {
			s.noteLink([]byte(next), []byte(text))
		}
		if !isLink || !more && nofollow {
			if at = next; more && rest == "" {
				rest = "." // a path with a final slash must name a directory
			}
			continue
		}
		if strings.HasPrefix(next, "/proc/") && !strings.HasPrefix(text, "/") {
			return next, 0 // an open file without a path, such as a pipe
		}
		if links++; links > mostLinks {
			return next, unix.ELOOP
		}
		if strings.HasPrefix(text, "/") {
			at = ""
		}
		if more {
			text += "/" + rest
		}
		rest = strings.TrimLeft(text, "/")
	}
	if at == "" {
		at = "/"
	}
	return at, 0
}

// recordPassage records a file or directory that is followed by "." or ".." in a path.
func (s *server) recordPassage(name []byte, how Access) {
	if s.trace != nil && s.isTraced(name) {
		s.recordAccess(accessedFile{name: name, how: how})
		s.noteStraight(name)
	}
}

// textOf returns the target of a symbolic link that a program in the box would read.
func (s *server) textOf(name string) (text string, isLink bool, errno unix.Errno) {
	self := "/proc/" + strconv.Itoa(int(s.n.pid))
	switch name {
	case "/proc/self", "/proc/thread-self":
		return self, true, 0
	}
	n, errno := s.readlinkat(append([]byte(name), 0), s.real[:len(s.real)-1])
	switch {
	case errno == unix.EINVAL:
		return "", false, 0
	case errno != 0:
		return "", false, errno
	}
	return string(s.real[:n]), true, 0
}
