//go:build amd64 || arm64

package faultfs

import (
	"math"

	"golang.org/x/sys/unix"
)

// Offsets in struct seccomp_data; a filter reads 32 bits at a time.
const (
	offNumber = 0
	offArch   = 4
	offArgs   = 16 // 8 bytes each, the low half first on both processors
)

// filter returns the kernel's filter program: it reports the calls in the table to Run and allows
// the others, also calls of another architecture.
func filter() []unix.SockFilter {
	stmt := func(code uint16, k uint32) unix.SockFilter { return unix.SockFilter{Code: code, K: k} }
	equal := func(k uint32, yes, no uint8) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: k, Jt: yes, Jf: no}
	}
	load := func(at uint32) unix.SockFilter { return stmt(unix.BPF_LD|unix.BPF_W|unix.BPF_ABS, at) }
	pass := stmt(unix.BPF_RET|unix.BPF_K, unix.SECCOMP_RET_ALLOW)
	tell := stmt(unix.BPF_RET|unix.BPF_K, unix.SECCOMP_RET_USER_NOTIF)

	f := []unix.SockFilter{load(offArch), equal(auditArch, 1, 0), pass, load(offNumber)}
	for number, s := range table() {
		var body []unix.SockFilter
		switch {
		case len(s.only) > 0: // multiplexed calls, by their second argument
			body = append(body, load(offArgs+8))
			for _, what := range s.only {
				body = append(body, equal(what, 0, 1), tell)
			}
			body = append(body, pass)
		case s.fd == mapped: // most calls of mmap map memory without a file
			body = append(body, load(offArgs+8*4), equal(math.MaxUint32, 0, 1), pass, tell)
		default:
			body = append(body, tell)
		}
		f = append(f, equal(uint32(number), 0, uint8(len(body))))
		f = append(f, body...)
	}
	return append(f, pass)
}
