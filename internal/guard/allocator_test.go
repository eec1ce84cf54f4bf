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

func newAllocator(t *testing.T, keep int64, edge Edge) *Allocator {
	a := NewAllocator(keep, edge)
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

func TestAllocGivesFilledSlices(t *testing.T) {
	page := os.Getpagesize()
	for _, edge := range []Edge{AtEnd, AtStart} {
		a := newAllocator(t, 1<<20, edge)
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
			t.Errorf("Check of a slice from make: %v, want %v", err, ErrUnknown)
		}
	}
}

func TestWritesToTheRestAreFound(t *testing.T) {
	page := os.Getpagesize()
	for _, tt := range []struct {
		edge    Edge
		offsets []int
		want    error
	}{
		{AtEnd, []int{-1, -2, 100 - page}, ErrUnderrun},
		{AtStart, []int{100, 101, page - 1}, ErrOverrun},
	} {
		a := newAllocator(t, 1<<20, tt.edge)
		for _, offset := range tt.offsets {
			b := alloc(t, a, 100)
			if err := a.Check(b); err != nil {
				t.Errorf("Check before any write: %v", err)
			}
			poke(unsafe.Pointer(unsafe.SliceData(b)), offset)
			if err := a.Check(b); !errors.Is(err, tt.want) {
				t.Errorf("Check after a write at %d: %v, want %v", offset, err, tt.want)
			}
			if err := a.Free(b); !errors.Is(err, tt.want) {
				t.Errorf("Free after a write at %d: %v, want %v", offset, err, tt.want)
			}
		}
	}
}

func TestFindKnowsTheSliceOfAnAddress(t *testing.T) {
	page := os.Getpagesize()
	for _, edge := range []Edge{AtEnd, AtStart} {
		a := newAllocator(t, int64(4*page), edge)
		b := alloc(t, a, 100)
		alloc(t, a, 2*page)
		start := address(b)
		base := start &^ uintptr(page-1)
		a.Note(b, "note")
		for _, freed := range []bool{false, true} {
			if freed {
				if err := a.Free(b); err != nil {
					t.Fatal(err)
				}
			}
			for _, addr := range []uintptr{base - uintptr(page), base - 1, base, start, start + 99, base + uintptr(2*page) - 1} {
				if got, ok := a.Find(addr); !ok || got != (Place{start, 100, freed, "note"}) {
					t.Errorf("address %#x of a slice at %#x: %+v, %t", addr, start, got, ok)
				}
			}
			if got, ok := a.Find(1); ok {
				t.Errorf("address 1 belongs to %+v", got)
			}
		}
		if err := a.Free(alloc(t, a, 4*page)); err != nil { // the Allocator no longer keeps the first freed slice
			t.Fatal(err)
		}
		if got, ok := a.Find(start); ok && got.Note != nil {
			t.Errorf("a dropped slice is found as %+v", got)
		}
	}
}

func TestFreedSlicesAreKeptUpToABound(t *testing.T) {
	page := int64(os.Getpagesize())
	a := newAllocator(t, 3*page, AtEnd)
	for i := range int64(10) {
		if err := a.Free(alloc(t, a, 1)); err != nil {
			t.Fatal(err)
		}
		if want := min(i+1, 3); a.hidden != want*page || int64(len(a.freed)) != want {
			t.Errorf("after %d frees, %d slices with %d bytes are kept, want %d", i+1, len(a.freed), a.hidden, want)
		}
	}
	if err := a.Free(alloc(t, a, int(4*page))); err != nil || len(a.freed) != 0 {
		t.Errorf("%d slices are kept after one larger than the bound; %v", len(a.freed), err)
	}
}

// TestMappingsAreBounded checks the limits of live and of freed slices. The limits leave mappings
// for the rest of the process.
func TestMappingsAreBounded(t *testing.T) {
	a := newAllocator(t, 1<<40, AtEnd)
	var all [][]byte
	for range mostLive {
		all = append(all, alloc(t, a, 1))
	}
	if _, err := a.Alloc(1); !errors.Is(err, ErrTooMany) {
		t.Errorf("slice %d: %v, want %v", mostLive+1, err, ErrTooMany)
	}
	for _, b := range all {
		if err := a.Free(b); err != nil {
			t.Fatal(err)
		}
	}
	if len(a.freed) != mostFreed || len(a.live) != 0 {
		t.Errorf("%d freed and %d live slices are kept, want %d and none", len(a.freed), len(a.live), mostFreed)
	}
	if err := a.Free(alloc(t, a, 1)); err != nil {
		t.Error(err)
	}
}

func TestCloseCountsLiveSlices(t *testing.T) {
	a := newAllocator(t, 1<<20, AtEnd)
	alloc(t, a, 10)
	if err := a.Free(alloc(t, a, 100)); err != nil {
		t.Fatal(err)
	}
	alloc(t, a, 7)
	for _, want := range []int64{17, 0} {
		if leaked, err := a.Close(); leaked != want || err != nil {
			t.Errorf("Close returns %d bytes and %v, want %d", leaked, err, want)
		}
	}
	if err := a.Free(alloc(t, a, 1)); err != nil {
		t.Errorf("after Close: %v", err)
	}
}

func TestAllocatorOfManyGoroutines(t *testing.T) {
	a := newAllocator(t, 1<<20, AtEnd)
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
