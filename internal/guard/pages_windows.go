package guard

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

const paged = true

// reserve maps size writable bytes between two pages that are reserved but not committed, so that
// access faults. page is the page size in bytes.
func reserve(size, page int) (mem []byte, unmap func() error, err error) {
	base, err := windows.VirtualAlloc(0, uintptr(page+size+page), windows.MEM_RESERVE, windows.PAGE_NOACCESS)
	if err != nil {
		return nil, nil, err
	}
	unmap = func() error { return windows.VirtualFree(base, 0, windows.MEM_RELEASE) }
	start, err := windows.VirtualAlloc(base+uintptr(page), uintptr(size), windows.MEM_COMMIT, windows.PAGE_READWRITE)
	if err != nil {
		unmap()
		return nil, nil, err
	}
	// The memory does not belong to the Go runtime, so a conversion from integer to pointer is
	// safe. The indirection tells vet that it is intended.
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&start)), size), unmap, nil
}

func protect(mem []byte, readOnly bool) error {
	access := uint32(windows.PAGE_READWRITE)
	if readOnly {
		access = windows.PAGE_READONLY
	}
	var before uint32
	return windows.VirtualProtect(uintptr(unsafe.Pointer(unsafe.SliceData(mem))), uintptr(len(mem)), access, &before)
}

// hide makes mem unreadable, like the pages around it.
func hide(mem []byte) error {
	return windows.VirtualFree(uintptr(unsafe.Pointer(unsafe.SliceData(mem))), uintptr(len(mem)), windows.MEM_DECOMMIT)
}
