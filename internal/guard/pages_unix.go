//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package guard

import "golang.org/x/sys/unix"

const paged = true

// reserve maps size writable bytes between two unreadable pages. page is the page size in bytes.
func reserve(size, page int) (mem []byte, unmap func() error, err error) {
	all, err := unix.Mmap(-1, 0, page+size+page, unix.PROT_NONE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil, nil, err
	}
	unmap = func() error { return unix.Munmap(all) }
	mem = all[page : page+size : page+size]
	if err := protect(mem, false); err != nil {
		unmap()
		return nil, nil, err
	}
	return mem, unmap, nil
}

func protect(mem []byte, readOnly bool) error {
	if readOnly {
		return unix.Mprotect(mem, unix.PROT_READ)
	}
	return unix.Mprotect(mem, unix.PROT_READ|unix.PROT_WRITE)
}

// hide makes mem unreadable, like the pages around it.
func hide(mem []byte) error { return unix.Mprotect(mem, unix.PROT_NONE) }
