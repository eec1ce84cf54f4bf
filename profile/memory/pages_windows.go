package memory

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

// mapPages returns size zero bytes that Go's collector knows nothing of.
func mapPages(size int) ([]byte, error) {
	start, err := windows.VirtualAlloc(0, uintptr(size), windows.MEM_RESERVE|windows.MEM_COMMIT, windows.PAGE_READWRITE)
	if err != nil {
		return nil, err
	}
	// The memory is not Go's, so the number may become a pointer; reading it
	// through its address tells vet that this is meant.
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&start)), size), nil
}

// unmapPages gives them back. It cannot fail for what mapPages has returned.
func unmapPages(mem []byte) {
	windows.VirtualFree(uintptr(unsafe.Pointer(unsafe.SliceData(mem))), 0, windows.MEM_RELEASE)
}
