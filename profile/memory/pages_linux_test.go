//go:build !guard

package memory

import (
	"bufio"
	"fmt"
	"os"
	"testing"
	"unsafe"
)

// isMapped asks the kernel whether the process may read at an address.
func isMapped(t *testing.T, address uintptr) bool {
	t.Helper()
	f, err := os.Open("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var start, end uintptr
		if _, err := fmt.Sscanf(lines.Text(), "%x-%x", &start, &end); err != nil {
			t.Fatal(err)
		}
		if address >= start && address < end {
			return true
		}
	}
	return false
}

func TestReleasedMemoryReturnsToTheSystem(t *testing.T) {
	for _, tt := range []struct {
		name    string
		keep    int64
		release func(f fixture)
	}{
		{"not kept", -1, func(fixture) {}},
		{"trimmed", 1 << 30, func(f fixture) { f.Trim() }},
	} {
		f := newFixture(Options{Keep: tt.keep})
		b := f.images.Bytes(f.w, mapFrom)
		address := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
		if !isMapped(t, address) {
			t.Fatalf("%s: the memory is not mapped while it is used", tt.name)
		}
		f.images.Free(nil, b)
		tt.release(f)
		if isMapped(t, address) {
			t.Errorf("%s: the memory is still mapped", tt.name)
		}
	}
}

// Slices larger than any size class must have an exact capacity, and must not be kept.
func TestLargerThanAnyClass(t *testing.T) {
	f := newFixture(Options{Keep: 1 << 40})
	b := f.images.Bytes(f.w, largest+1) // The system provides this memory only when it is touched.
	if s := f.Snapshot(); len(b) != largest+1 || cap(b) != len(b) || s.Held != largest+1 {
		t.Errorf("%d bytes of %d, and %d are held", len(b), cap(b), s.Held)
	}
	f.images.Free(nil, b)
	if s := f.Snapshot(); s.Held != 0 || s.Warm != 0 {
		t.Errorf("%d bytes are held after Free, %d kept", s.Held, s.Warm)
	}
}
