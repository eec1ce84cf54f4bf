//go:build guard

package memory

import (
	"testing"
	"unsafe"

	"github.com/assetcook/assetcook/internal/guard"
)

// at reads or writes the byte at an offset from the start of a slice, also where
// Go would not let it.
//
//go:noinline
func at(b []byte, offset int, write bool) {
	p := (*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), offset))
	if write {
		*p = 1
	} else {
		sink = *p
	}
}

var sink byte

func TestAccessOutsideFaults(t *testing.T) {
	if !guard.Real() {
		t.Fatal("built with the tag guard where no page can be protected")
	}
	f := newFixture(Options{})
	for _, n := range []int{1, 100, 4096, 1 << 20} {
		b := f.images.Bytes(f.w, n)
		if cap(b) != n {
			t.Errorf("%d bytes have a capacity of %d, which would let an overrun pass", n, cap(b))
		}
		for _, write := range []bool{false, true} {
			access := func(offset int) error { return guard.Catch(func() { at(b, offset, write) }) }
			for _, offset := range []int{0, n - 1} {
				if err := access(offset); err != nil {
					t.Errorf("byte %d of %d, write %t: %v", offset, n, write, err)
				}
			}
			if access(n) == nil {
				t.Errorf("%d bytes: overrun, write %t, did not fault", n, write)
			}
			if n%4096 == 0 && access(-1) == nil {
				t.Errorf("%d bytes: underrun, write %t, did not fault", n, write)
			}
		}
		f.images.Free(b)
		for _, write := range []bool{false, true} {
			if guard.Catch(func() { at(b, n/2, write) }) == nil {
				t.Errorf("%d bytes: use after free, write %t, did not fault", n, write)
			}
		}
	}
}

func TestUnderrunNamesTheScope(t *testing.T) {
	f := newFixture(Options{})
	b := f.images.Bytes(f.w, 100)
	at(b, -3, true)
	wantPanic(t, "byte 3 before;100 bytes;"+culprit, func() { f.images.Free(b) })
}

func TestContentIsRubbish(t *testing.T) {
	f := newFixture(Options{})
	for i, c := range f.images.Bytes(f.w, 5000) {
		if c == 0 {
			t.Fatalf("byte %d is 0, which hides who counts on that", i)
		}
	}
}
