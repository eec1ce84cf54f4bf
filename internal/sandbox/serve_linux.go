//go:build amd64 || arm64

package sandbox

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A notice is struct seccomp_notif, and an answer is struct seccomp_notif_resp.
type (
	notice struct {
		id     uint64
		pid    uint32
		flags  uint32
		number int32
		arch   uint32
		ip     uint64
		args   [6]uint64
	}
	answer struct {
		id    uint64
		value int64
		errno int32
		flags uint32
	}
)

// A server handles the intercepted system calls of sandboxed programs. It reuses its buffers, so
// that a call allocates no memory.
type server struct {
	*Box
	listener int
	tree     int // descriptor of the trace's directory; -1 without a trace
	n        notice
	a        answer
	over     addFD
	how      unix.OpenHow
	st       unix.Stat_t
	local    [1]unix.Iovec
	remote   [1]unix.RemoteIovec
	polled   [1]unix.PollFd
	found    accessedFile
	statx    unix.Statx_t
	// Buffers for names, each followed by a NUL. real holds the resolved path of an open file.
	path, real [unix.PathMax + 1]byte
	name       [2*unix.PathMax + 2]byte
	folder     [64]byte
	own        [32]byte
}

const ioctlValid = 0x40082102 // SECCOMP_IOCTL_NOTIF_ID_VALID

// serveCalls answers system calls of programs in the box until no program is left.
func (b *Box) serveCalls(listener, tree int) {
	defer close(b.gone)
	defer unix.Close(listener)
	if tree >= 0 {
		defer unix.Close(tree)
	}
	blockSignals()
	wakeAtOnce(listener)
	s := &server{Box: b, listener: listener, tree: tree}
	polls := !endsByItself()
	for {
		if polls {
			if s.hungUp() {
				return
			}
		}
		s.n, s.a, s.found = notice{}, answer{}, accessedFile{}
		if errno := s.listenerIoctl(unix.SECCOMP_IOCTL_NOTIF_RECV, unsafe.Pointer(&s.n)); errno != 0 {
			if s.hungUp() { // a killed caller makes only this request fail
				return
			}
			continue
		}
		s.a.id = s.n.id
		if c, ok := changing()[uint32(s.n.number)]; ok {
			s.recordExistence(c)
			s.a.errno = -int32(s.applyChange(c))
		} else if slices.Contains(reaching, uint32(s.n.number)) {
			if s.answerSocketCall() {
				continue
			}
		} else if c, ok := naming()[uint32(s.n.number)]; ok && s.answerNamingCall(c) {
			continue // the call has already been answered
		}
		if s.listenerIoctl(unix.SECCOMP_IOCTL_NOTIF_SEND, unsafe.Pointer(&s.a)) == 0 {
			s.recordAccess(s.found)
		}
	}
}

// blockSignals locks the goroutine to its thread and blocks all signals there. The thread ends with
// the goroutine. A signal that arrives while the server passes a descriptor would revoke the
// descriptor. The traced call would then return 0, which is the descriptor of another file.
func blockSignals() {
	runtime.LockOSThread()
	var all unix.Sigset_t
	for i := range all.Val {
		all.Val[i] = ^uint64(0)
	}
	unix.PthreadSigmask(unix.SIG_SETMASK, &all, nil) // cannot fail; if it did, handFile would notice
}

// hungUp waits for a call or for the end of the box. It reports whether the box has ended.
func (s *server) hungUp() bool {
	for {
		s.polled[0] = unix.PollFd{Fd: int32(s.listener), Events: unix.POLLIN}
		s.calls++
		_, err := unix.Poll(s.polled[:], -1)
		if revents := s.polled[0].Revents; err == nil && revents&unix.POLLIN != 0 {
			return false
		} else if err == nil && haveHungUp(revents) {
			return true
		}
	}
}

// endsByItself reports whether the system makes receiving a call fail when no program is left in
// the box. Linux does so since 6.11, so that the server need not call poll first.
func endsByItself() bool {
	var name unix.Utsname
	if unix.Uname(&name) != nil {
		return false
	}
	return isSince(unix.ByteSliceToString(name.Release[:]), 6, 11)
}

// isSince reports whether a Linux release is at least the wanted version.
func isSince(release string, wantMajor, wantMinor int) bool {
	var major, minor int
	fmt.Sscanf(release, "%d.%d", &major, &minor)
	return major > wantMajor || major == wantMajor && minor >= wantMinor
}

// haveHungUp reports whether the result of poll means that no program is left. POLLERR alone does
// not mean that, because the system also sets it when a signal interrupts poll. If the server
// stopped then, the next call in the box would fail.
func haveHungUp(revents int16) bool { return revents&unix.POLLHUP != 0 }

// applyChange executes an attribute change if the file is in a writable directory of the box.
func (s *server) applyChange(c call) unix.Errno {
	value, errno := s.newAttributes(c)
	if errno != 0 {
		return errno
	}
	fd, errno := s.openNamedFile(c)
	if errno != 0 {
		return errno
	}
	defer unix.Close(fd)
	// If the caller has exited, another process may have its PID, and the data may be from that
	// process.
	if s.listenerIoctl(ioctlValid, unsafe.Pointer(&s.n.id)) != 0 {
		return unix.ENOENT
	}
	name, err := descriptorPath(fd)
	if err != nil || !slices.ContainsFunc(s.writes, func(dir string) bool { return isBelowFolder(dir, name) }) {
		return unix.EPERM
	}
	if c.change == mode {
		err = unix.Fchmodat(unix.AT_FDCWD, ownName(fd), value.mode, 0)
	} else {
		err = unix.UtimesNanoAt(fd, "", value.times, unix.AT_EMPTY_PATH)
	}
	if err != nil && !errors.As(err, &errno) {
		errno = unix.EPERM
	}
	return errno
}

func ownName(fd int) string { return fmt.Sprintf("/proc/self/fd/%d", fd) }

// descriptorPath returns the path of an open file.
func descriptorPath(fd int) (string, error) { return os.Readlink(ownName(fd)) }

// An attributes holds the new mode or times of a file.
type attributes struct {
	mode  uint32
	times []unix.Timespec
}

func (s *server) newAttributes(c call) (attributes, unix.Errno) {
	arg := s.n.args[c.value]
	if c.change == mode {
		return attributes{mode: uint32(arg) & 0o1777}, 0
	}
	now := unix.Timespec{Nsec: unix.UTIME_NOW}
	if arg == 0 {
		return attributes{times: []unix.Timespec{now, now}}, 0
	}
	raw := s.real[:32]
	if c.change == seconds {
		raw = raw[:16]
	}
	if errno := s.readFromCaller(arg, raw); errno != 0 {
		return attributes{}, errno
	}
	at := func(i int) int64 { return int64(binary.NativeEndian.Uint64(raw[8*i:])) }
	if c.change == seconds {
		return attributes{times: []unix.Timespec{{Sec: at(0)}, {Sec: at(1)}}}, 0
	}
	unit := int64(1)
	if c.change == microseconds {
		unit = 1000
	}
	return attributes{times: []unix.Timespec{{Sec: at(0), Nsec: at(1) * unit}, {Sec: at(2), Nsec: at(3) * unit}}}, 0
}

// answerSocketCall answers a call that creates or uses a socket. It returns true if it has already
// completed the call. Only creating a socket succeeds, so that the next call reveals the server
// that the program wants to reach.
func (s *server) answerSocketCall() (answered bool) {
	switch s.n.number {
	case unix.SYS_SOCKET:
		return s.handSocket()
	case unix.SYS_SENDTO:
		if s.n.args[4] == 0 { // the call sends to a server that is already connected
			s.a.flags = unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE
			return false
		}
		s.tellServer(s.n.args[4], s.n.args[5])
	default:
		s.tellServer(s.n.args[1], s.n.args[2])
	}
	s.refuseCall(unix.EACCES)
	return false
}

// handSocket gives the caller one half of a socket pair whose other half is closed, so that it
// cannot reach any server.
func (s *server) handSocket() (answered bool) {
	family, kind := s.n.args[0], s.n.args[1]
	s.refuseCall(unix.EACCES)
	if family != unix.AF_UNIX && family != unix.AF_INET && family != unix.AF_INET6 {
		return false
	}
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|int(kind&unix.SOCK_NONBLOCK), 0)
	if err != nil {
		return false
	}
	unix.Close(pair[1])
	defer unix.Close(pair[0])
	errno := s.handDescriptor(pair[0], kind&unix.SOCK_CLOEXEC)
	return errno == 0 || errno == unix.ENOENT
}

// tellServer reports the server at the address that the caller passes.
func (s *server) tellServer(at, size uint64) {
	const most = 2 + 108 // struct sockaddr_un
	raw := s.path[:min(size, most)]
	if s.readFromCaller(at, raw) != 0 || len(raw) < 3 {
		return
	}
	host := raw[2:]
	switch family := binary.NativeEndian.Uint16(raw); {
	case family == unix.AF_UNIX && host[0] == 0:
		s.server("@" + string(host[1:]))
	case family == unix.AF_UNIX:
		name, _, _ := bytes.Cut(host, []byte{0})
		if cwd := s.ownFolder(); name[0] == '/' {
			s.server(filepath.Clean(string(name)))
		} else if base, ok := s.readlink(cwd, s.real[:]); ok {
			s.server(filepath.Join(string(base), string(name)))
		}
	case family == unix.AF_INET && len(raw) >= unix.SizeofSockaddrInet4:
		s.server(addressAndPort(host[2:6], host))
	case family == unix.AF_INET6 && len(raw) >= unix.SizeofSockaddrInet6-4:
		s.server(addressAndPort(host[6:22], host))
	}
}

func addressAndPort(ip, port []byte) string {
	address, _ := netip.AddrFromSlice(ip)
	return netip.AddrPortFrom(address.Unmap(), binary.BigEndian.Uint16(port)).String()
}
