//go:build amd64 || arm64

package sandbox

import (
	"bytes"
	"encoding/binary"
	"net/netip"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// reaching lists the calls that connect to servers. They are watched if Policy.Server is set.
var reaching = []uint32{unix.SYS_SOCKET, unix.SYS_CONNECT, unix.SYS_SENDTO}

// reach answers a call that creates or uses a socket. It returns true if the call is already
// answered. Only creating a socket succeeds, so that the next call shows which server the program
// wants.
func (s *server) reach() (answered bool) {
	switch s.n.number {
	case unix.SYS_SOCKET:
		return s.handSocket()
	case unix.SYS_SENDTO:
		if s.n.args[4] == 0 { // sends to the connected server
			s.a.flags = unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE
			return false
		}
		s.tellServer(s.n.args[4], s.n.args[5])
	default:
		s.tellServer(s.n.args[1], s.n.args[2])
	}
	s.refuse(unix.EACCES)
	return false
}

// handSocket gives the caller one half of a socket pair whose other half is closed, so that it
// reaches no server.
func (s *server) handSocket() (answered bool) {
	family, kind := s.n.args[0], s.n.args[1]
	s.refuse(unix.EACCES)
	if family != unix.AF_UNIX && family != unix.AF_INET && family != unix.AF_INET6 {
		return false
	}
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|int(kind&unix.SOCK_NONBLOCK), 0)
	if err != nil {
		return false
	}
	unix.Close(pair[1])
	defer unix.Close(pair[0])
	errno := s.handOver(pair[0], kind&unix.SOCK_CLOEXEC)
	return errno == 0 || errno == unix.ENOENT
}

// tellServer reports the server whose address the caller passes.
func (s *server) tellServer(at, size uint64) {
	const most = 2 + 108 // struct sockaddr_un
	raw := s.path[:min(size, most)]
	if s.read(at, raw) != 0 || len(raw) < 3 {
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
		s.server(addressOf(host[2:6], host))
	case family == unix.AF_INET6 && len(raw) >= unix.SizeofSockaddrInet6-4:
		s.server(addressOf(host[6:22], host))
	}
}

func addressOf(ip, port []byte) string {
	address, _ := netip.AddrFromSlice(ip)
	return netip.AddrPortFrom(address.Unmap(), binary.BigEndian.Uint16(port)).String()
}
