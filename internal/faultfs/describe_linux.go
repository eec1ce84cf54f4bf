//go:build amd64 || arm64

package faultfs

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// describe returns the call with the watched file that it concerns. Path is "" if it concerns none.
func (w *watcher) describe(n *notice, s *spec) Call {
	c := Call{Name: s.name, Grows: s.grows || n.creates(), Moves: s.data != none}
	if s.fd != noFile {
		if path := n.openFile(int32(n.args[s.fd-1])); w.covers(path) {
			c.Path = path
		}
		return c
	}
	names := make([]string, len(s.paths))
	any := false
	for i, p := range s.paths {
		names[i] = n.name(p)
		any = any || w.covers(names[i])
	}
	if !any {
		return c
	}
	c.Path = names[0]
	if len(names) > 1 {
		c.To = names[1]
	}
	return c
}

// name returns the absolute path given by a pair of arguments, or "" if it cannot be determined.
func (n *notice) name(p place) string {
	path := n.text(n.args[p.path])
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	dir := int32(unix.AT_FDCWD)
	if p.dir != cwd {
		dir = int32(n.args[p.dir])
	}
	if base := n.openFile(dir); base != "" {
		return filepath.Join(base, path)
	}
	return ""
}

// openFile returns the path of an open descriptor.
func (n *notice) openFile(fd int32) string {
	link := "/proc/" + strconv.Itoa(int(n.pid)) + "/cwd"
	if fd != unix.AT_FDCWD {
		link = "/proc/" + strconv.Itoa(int(n.pid)) + "/fd/" + strconv.Itoa(int(fd))
	}
	name, err := os.Readlink(link)
	if err != nil || !filepath.IsAbs(name) {
		return "" // not open, or a pipe or similar
	}
	return strings.TrimSuffix(name, " (deleted)")
}

// creates reports whether a call opens a file that it may create.
func (n *notice) creates() bool {
	var flags uint64
	switch n.number {
	case unix.SYS_OPENAT:
		flags = n.args[2]
	case unix.SYS_OPENAT2:
		var how [8]byte
		if n.read(how[:], n.args[2]) != nil {
			return false
		}
		flags = binary.NativeEndian.Uint64(how[:])
	}
	return flags&unix.O_CREAT != 0
}

// text reads a string that ends in NUL. It reads page by page, because the page after the string
// may not be mapped.
func (n *notice) text(at uint64) string {
	const page = 4096
	var all []byte
	for at != 0 && len(all) < 2*unix.PathMax {
		part := make([]byte, page-at%page)
		if n.read(part, at) != nil {
			return ""
		}
		if end := bytes.IndexByte(part, 0); end >= 0 {
			return string(append(all, part[:end]...))
		}
		all = append(all, part...)
		at += uint64(len(part))
	}
	return ""
}

// read fills b from the caller's memory.
func (n *notice) read(b []byte, at uint64) error {
	return n.copy(unix.ProcessVMReadv, b, at)
}

// write puts b into the caller's memory.
func (n *notice) write(b []byte, at uint64) error {
	return n.copy(unix.ProcessVMWritev, b, at)
}

type copier func(pid int, local []unix.Iovec, remote []unix.RemoteIovec, flags uint) (int, error)

func (n *notice) copy(with copier, b []byte, at uint64) error {
	local := []unix.Iovec{{Base: &b[0]}}
	local[0].SetLen(len(b))
	moved, err := with(int(n.pid), local, []unix.RemoteIovec{{Base: uintptr(at), Len: len(b)}}, 0)
	if err == nil && moved != len(b) {
		err = unix.EFAULT
	}
	return err
}
