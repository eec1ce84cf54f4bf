//go:build linux || darwin

package mapped

import (
	"os"

	"golang.org/x/sys/unix"
)

func mapFile(f *os.File, offset int64, size int, writable bool) ([]byte, func([]byte) error, error) {
	access := unix.PROT_READ
	if writable {
		access |= unix.PROT_WRITE
	}
	data, err := unix.Mmap(int(f.Fd()), offset, size, access, unix.MAP_PRIVATE)
	return data, unix.Munmap, err
}

// release frees the pages that are completely within the range.
func release(data []byte, from, to int) {
	page := os.Getpagesize()
	from, to = (from+page-1)/page*page, to/page*page
	if from < to {
		unix.Madvise(data[from:to], unix.MADV_DONTNEED)
	}
}
