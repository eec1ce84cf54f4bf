package guard

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"
	"unsafe"
)

func newAllocator(t *testing.T, keep int64) *Allocator {
	a := NewAllocator(keep)
	t.Cleanup(func() {
		if _, err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	return a
}

func alloc(t *testing.T, a *Allocator, n int) []byte {
	t.Helper()
	b, err := a.Alloc(n)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestAllocatedSlices(t *testing.T) {
	a := newAllocator(t, 1<<20)
	page := os.Getpagesize()
	for _, n := range []int{1, 63, page - 1, page, page + 1, 10 * page} {
		b := alloc(t, a, n)
		if len(b) != n || cap(b) != n || !bytes.Equal(b, bytes.Repeat([]byte{sliceFill}, n)) {
			t.Errorf("Alloc(%d) has %d of %d bytes, the first %#x; want all %#x", n, len(b), cap(b), b[0], sliceFill)
		}
		clear(b)
		if err := a.Free(b[:n/2]); err != nil {
			t.Errorf("Free of %d bytes: %v", n, err)
		}
		if err := a.Free(b); !errors.Is(err, ErrUnknown) {
			t.Errorf("Free of %d bytes again: %v, want %v", n, err, ErrUnknown)
		}
	}
	for _, n := range []int{-1, 0, maxSize + 1} {
		if _, err := a.Alloc(n); err == nil {
			t.Errorf("Alloc(%d) has no error", n)
		}
	}
	if err := a.Check(make([]byte, 10)); !errors.Is(err, ErrUnknown) {
		t.Errorf("Check of what was made: %v, want %v", err, ErrUnknown)
	}
}

func TestUnderrunIsFound(t *testing.T) {
	a := newAllocator(t, 1<<20)
	page := os.Getpagesize()
	for _, offset := range []int{-1, -2, 100 - page} {
		b := alloc(t, a, 100)
		if err := a.Check(b); err != nil {
			t.Errorf("Check before anybody wrote: %v", err)
		}
		poke(unsafe.Pointer(unsafe.SliceData(b)), offset)
		for _, tt := range []struct {
			name string
			f    func([]byte) error
		}{{"Check", a.Check}, {"Free", a.Free}} {
			if err := tt.f(b); !errors.Is(err, ErrUnderrun) {
				t.Errorf("%s after a write at %d: %v, want %v", tt.name, offset, err, ErrUnderrun)
			}
		}
	}
}

func TestFreedIsKeptUpToABound(t *testing.T) {
	page := int64(os.Getpagesize())
	a := newAllocator(t, 3*page)
	for i := range int64(10) {
		if err := a.Free(alloc(t, a, 1)); err != nil {
			t.Fatal(err)
		}
		if want := min(i+1, 3); a.hidden != want*page || int64(len(a.freed)) != want {
			t.Errorf("after %d were freed %d are kept with %d bytes, want %d", i+1, len(a.freed), a.hidden, want)
		}
	}
	if err := a.Free(alloc(t, a, int(4*page))); err != nil || len(a.freed) != 0 {
		t.Errorf("%d are kept after one that is larger than the bound; %v", len(a.freed), err)
	}
}

func TestCloseSaysWhatLeaked(t *testing.T) {
	a := newAllocator(t, 1<<20)
	alloc(t, a, 10)
	if err := a.Free(alloc(t, a, 100)); err != nil {
		t.Fatal(err)
	}
	alloc(t, a, 7)
	for _, want := range []int64{17, 0} {
		if leaked, err := a.Close(); leaked != want || err != nil {
			t.Errorf("Close says %d bytes and %v, want %d", leaked, err, want)
		}
	}
	if err := a.Free(alloc(t, a, 1)); err != nil {
		t.Errorf("after Close: %v", err)
	}
}

func TestAllocatorOfManyGoroutines(t *testing.T) {
	a := newAllocator(t, 1<<20)
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			for n := range 100 {
				b, err := a.Alloc(1 + n)
				if err != nil {
					t.Error(err)
					return
				}
				for j := range b {
					b[j] = byte(i)
				}
				if strings.Trim(string(b), string(rune(i))) != "" {
					t.Errorf("slice %d was overwritten by another goroutine", n)
				}
				if err := a.Free(b); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if leaked, _ := a.Close(); leaked != 0 {
		t.Errorf("%d bytes were not freed", leaked)
	}
}
