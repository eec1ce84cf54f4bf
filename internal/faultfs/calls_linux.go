//go:build amd64 || arm64

package faultfs

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// A spec states which arguments of a system call refer to files, and what the call does.
type spec struct {
	name  string
	paths []place  // paths among the arguments; the path of a created file is the last one
	fd    descr    // position of the argument that is an open file descriptor
	only  []uint32 // report only calls whose second argument has one of these values; nil means all calls
	grows bool     // set if the call allocates disk space; see also openFlags
	data  transfer // whether the call reads or writes file data
}

// A place is a pair of argument positions: one for the directory's descriptor and one for the path.
type place struct{ dir, path int8 }

// cwd is the value of place.dir for a call without a directory descriptor.
const cwd = -1

// descr is the position of the argument with an open file descriptor, plus one.
type descr int8

const (
	noFile descr = 0
	first  descr = 1
	mapped descr = 5 // position of the descriptor among the arguments of mmap
)

// A transfer is the direction of a call's data. It determines how to simulate short reads and
// writes.
type transfer int8

const (
	none   transfer = iota
	reads           // fills args[1] with at most args[2] bytes
	writes          // writes args[2] bytes from args[1]
	copies          // copies to the file args[2]
)

// fileCalls returns the system calls that concern files, by number.
func fileCalls() map[int]spec {
	one := []place{{0, 1}}
	two := []place{{0, 1}, {2, 3}}
	t := map[int]spec{
		unix.SYS_OPENAT:          {name: "openat", paths: one},
		unix.SYS_OPENAT2:         {name: "openat2", paths: one},
		unix.SYS_READ:            {name: "read", fd: first, data: reads},
		unix.SYS_PREAD64:         {name: "pread64", fd: first, data: reads},
		unix.SYS_READV:           {name: "readv", fd: first},
		unix.SYS_PREADV:          {name: "preadv", fd: first},
		unix.SYS_WRITE:           {name: "write", fd: first, data: writes, grows: true},
		unix.SYS_PWRITE64:        {name: "pwrite64", fd: first, data: writes, grows: true},
		unix.SYS_WRITEV:          {name: "writev", fd: first, grows: true},
		unix.SYS_PWRITEV:         {name: "pwritev", fd: first, grows: true},
		unix.SYS_FSTAT:           {name: "fstat", fd: first},
		sysNewfstatat:            {name: "newfstatat", paths: one},
		unix.SYS_STATX:           {name: "statx", paths: one},
		unix.SYS_FSTATFS:         {name: "fstatfs", fd: first},
		unix.SYS_STATFS:          {name: "statfs", paths: []place{{cwd, 0}}},
		unix.SYS_GETDENTS64:      {name: "getdents64", fd: first},
		unix.SYS_RENAMEAT:        {name: "renameat", paths: two},
		unix.SYS_RENAMEAT2:       {name: "renameat2", paths: two},
		unix.SYS_UNLINKAT:        {name: "unlinkat", paths: one},
		unix.SYS_MKDIRAT:         {name: "mkdirat", paths: one, grows: true},
		unix.SYS_LINKAT:          {name: "linkat", paths: two, grows: true},
		unix.SYS_SYMLINKAT:       {name: "symlinkat", paths: []place{{1, 2}}, grows: true},
		unix.SYS_READLINKAT:      {name: "readlinkat", paths: one},
		unix.SYS_FSYNC:           {name: "fsync", fd: first},
		unix.SYS_FDATASYNC:       {name: "fdatasync", fd: first},
		unix.SYS_SYNCFS:          {name: "syncfs", fd: first},
		unix.SYS_FTRUNCATE:       {name: "ftruncate", fd: first},
		unix.SYS_TRUNCATE:        {name: "truncate", paths: []place{{cwd, 0}}},
		unix.SYS_FALLOCATE:       {name: "fallocate", fd: first, grows: true},
		unix.SYS_FCHMOD:          {name: "fchmod", fd: first},
		unix.SYS_FCHMODAT:        {name: "fchmodat", paths: one},
		unix.SYS_FCHOWN:          {name: "fchown", fd: first},
		unix.SYS_FCHOWNAT:        {name: "fchownat", paths: one},
		unix.SYS_UTIMENSAT:       {name: "utimensat", paths: one},
		unix.SYS_FLOCK:           {name: "flock", fd: first},
		unix.SYS_IOCTL:           {name: "ioctl", fd: first, only: []uint32{unix.FICLONE}, grows: true},
		unix.SYS_COPY_FILE_RANGE: {name: "copy_file_range", fd: first + 2, data: copies, grows: true},
		unix.SYS_SENDFILE:        {name: "sendfile", fd: first},
		unix.SYS_MMAP:            {name: "mmap", fd: mapped},
		unix.SYS_FCNTL:           {name: "fcntl", fd: first, only: []uint32{unix.F_SETLEASE, unix.F_DUPFD_CLOEXEC}},
		unix.SYS_FACCESSAT:       {name: "faccessat", paths: one},
		unix.SYS_FACCESSAT2:      {name: "faccessat2", paths: one},
	}
	for number, s := range pathOnlyCalls() {
		t[number] = s
	}
	return t
}

// These are offsets in struct seccomp_data. A filter reads 32 bits at a time.
const (
	offNumber = 0
	offArch   = 4
	offArgs   = 16 // offset of the arguments: 8 bytes each, low half first on both architectures
)

// reportingFilter returns the kernel's filter program. It reports the calls in the table to Run and
// allows all others, including calls of another architecture.
func reportingFilter() []unix.SockFilter {
	stmt := func(code uint16, k uint32) unix.SockFilter { return unix.SockFilter{Code: code, K: k} }
	equal := func(k uint32, yes, no uint8) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: k, Jt: yes, Jf: no}
	}
	load := func(at uint32) unix.SockFilter { return stmt(unix.BPF_LD|unix.BPF_W|unix.BPF_ABS, at) }
	pass := stmt(unix.BPF_RET|unix.BPF_K, unix.SECCOMP_RET_ALLOW)
	tell := stmt(unix.BPF_RET|unix.BPF_K, unix.SECCOMP_RET_USER_NOTIF)

	f := []unix.SockFilter{load(offArch), equal(auditArch, 1, 0), pass, load(offNumber)}
	for number, s := range fileCalls() {
		var body []unix.SockFilter
		switch {
		case len(s.only) > 0: // only some values of the second argument are reported
			body = append(body, load(offArgs+8))
			for _, what := range s.only {
				body = append(body, equal(what, 0, 1), tell)
			}
			body = append(body, pass)
		case s.fd == mapped: // mmap usually maps memory without a file, so calls without a descriptor are allowed
			body = append(body, load(offArgs+8*4), equal(math.MaxUint32, 0, 1), pass, tell)
		default:
			body = append(body, tell)
		}
		f = append(f, equal(uint32(number), 0, uint8(len(body))))
		f = append(f, body...)
	}
	return append(f, pass)
}

// describeCall describes a call with the watched file that it concerns. If it concerns no watched
// file, Path is "".
func (w *watcher) describeCall(n *notice, s *spec) Call {
	c := Call{Name: s.name, Grows: s.grows || n.creates(), Moves: s.data != none}
	if s.fd != noFile {
		if path := n.descriptorName(int32(n.args[s.fd-1])); w.covers(path) {
			c.Path = path
		}
		return c
	}
	names := make([]string, len(s.paths))
	any := false
	for i, p := range s.paths {
		names[i] = n.absolutePathOf(p)
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

// absolutePathOf returns the absolute path that a pair of arguments refers to, or "" if it cannot
// be determined.
func (n *notice) absolutePathOf(p place) string {
	path := n.readCallerString(n.args[p.path])
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	dir := int32(unix.AT_FDCWD)
	if p.dir != cwd {
		dir = int32(n.args[p.dir])
	}
	if base := n.descriptorName(dir); base != "" {
		return filepath.Join(base, path)
	}
	return ""
}

// descriptorName returns the path of an open descriptor.
func (n *notice) descriptorName(fd int32) string {
	link := "/proc/" + strconv.Itoa(int(n.pid)) + "/cwd"
	if fd != unix.AT_FDCWD {
		link = "/proc/" + strconv.Itoa(int(n.pid)) + "/fd/" + strconv.Itoa(int(fd))
	}
	name, err := os.Readlink(link)
	if err != nil || !filepath.IsAbs(name) {
		return "" // the descriptor is not open, or is not a file
	}
	return strings.TrimSuffix(name, " (deleted)")
}

// creates reports whether a call opens a file and may create it.
func (n *notice) creates() bool {
	var flags uint64
	switch n.number {
	case unix.SYS_OPENAT:
		flags = n.args[2]
	case unix.SYS_OPENAT2:
		var how [8]byte
		if n.readCallerMemory(how[:], n.args[2]) != nil {
			return false
		}
		flags = binary.NativeEndian.Uint64(how[:])
	}
	return flags&unix.O_CREAT != 0
}

// readCallerString reads a string that ends in NUL. It reads page by page, because the page after
// the string may not be mapped.
func (n *notice) readCallerString(at uint64) string {
	const page = 4096
	var all []byte
	for at != 0 && len(all) < 2*unix.PathMax {
		part := make([]byte, page-at%page)
		if n.readCallerMemory(part, at) != nil {
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

// readCallerMemory fills b from the caller's memory.
func (n *notice) readCallerMemory(b []byte, at uint64) error {
	return n.copyCallerMemory(unix.ProcessVMReadv, b, at)
}

// writeCallerMemory writes b to the caller's memory.
func (n *notice) writeCallerMemory(b []byte, at uint64) error {
	return n.copyCallerMemory(unix.ProcessVMWritev, b, at)
}

type copier func(pid int, local []unix.Iovec, remote []unix.RemoteIovec, flags uint) (int, error)

func (n *notice) copyCallerMemory(with copier, b []byte, at uint64) error {
	local := []unix.Iovec{{Base: &b[0]}}
	local[0].SetLen(len(b))
	moved, err := with(int(n.pid), local, []unix.RemoteIovec{{Base: uintptr(at), Len: len(b)}}, 0)
	if err == nil && moved != len(b) {
		err = unix.EFAULT
	}
	return err
}
