//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package memory

import "golang.org/x/sys/unix"

// mapPages returns zeroed memory of the given size outside Go's heap.
func mapPages(size int) ([]byte, error) {
	return unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
}

// unmapPages unmaps memory from mapPages. It never fails.
func unmapPages(mem []byte) { unix.Munmap(mem) }
