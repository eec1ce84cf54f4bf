//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows

package guard

import (
	"errors"
	"os"
	"runtime/debug"
	"strings"
	"testing"
	"unsafe"
)

func TestEveryEdgeFaults(t *testing.T) {
	if !Real() {
		t.Fatal("this system has guard pages, but Real is false")
	}
	page := os.Getpagesize()
	b := New(t, 3*page)
	first := unsafe.Pointer(unsafe.SliceData(b.mem))
	for _, n := range []int{0, 1, 15, 64, page, b.Len()} {
		start, end := unsafe.Pointer(unsafe.SliceData(b.Start(n))), unsafe.Pointer(unsafe.SliceData(b.End(n)))
		for _, tt := range []struct {
			name   string
			base   unsafe.Pointer
			offset int
			where  string // expected description of the fault; "" if the access is allowed
		}{
			{"first of Start", start, 0, ""},
			{"before Start", start, -1, "byte 1 before the start"},
			{"far before Start", start, -page, "before the start"},
			{"last of End", end, n - 1, ""},
			{"after End", end, n, "byte 1 after the end"},
			{"far after End", end, n + page - 1, "after the end"},
		} {
			for how, access := range map[string]func(){
				"read":  func() { peek(tt.base, tt.offset) },
				"write": func() { poke(tt.base, tt.offset) },
			} {
				err := b.Catch(access)
				if tt.where == "" {
					if err != nil {
						t.Errorf("%s, n %d, %s: %v", tt.name, n, how, err)
					}
					continue
				}
				var fault *Fault
				if !errors.As(err, &fault) || !strings.Contains(err.Error(), tt.where) {
					t.Errorf("%s, n %d, %s: got %v, want a fault at %q", tt.name, n, how, err, tt.where)
					continue
				}
				if want := uintptr(tt.base) + uintptr(tt.offset); fault.Addr != want {
					t.Errorf("%s, n %d, %s: address %#x, want %#x (buffer at %p)", tt.name, n, how, fault.Addr, want, first)
				}
			}
		}
	}
}

func TestReadOnlyFaultsOnWrites(t *testing.T) {
	b := New(t, 100)
	b.Start(1)[0] = 42
	for _, offset := range []int{0, 1, b.Len() / 2, b.Len() - 1} {
		p := unsafe.Pointer(unsafe.SliceData(b.mem))
		b.ReadOnly(func() {
			if err := b.Catch(func() { peek(p, offset) }); err != nil {
				t.Errorf("reading byte %d while read-only: %v", offset, err)
			}
			err := b.Catch(func() { poke(p, offset) })
			if err == nil || !strings.Contains(err.Error(), "which is read-only") {
				t.Errorf("writing byte %d while read-only: got %v, want a fault inside the buffer", offset, err)
			}
		})
		if err := Catch(func() { b.ReadOnly(func() { poke(p, offset) }) }); err == nil {
			t.Errorf("writing byte %d from inside ReadOnly did not fault", offset)
		}
	}
	if got := b.Start(1)[0]; got != 42 {
		t.Errorf("a write that faulted changed the byte to %d", got)
	}
	b.Start(1)[0] = 43 // the slice must be writable again after the fault
}

func TestCatchRestoresTheSetting(t *testing.T) {
	b := New(t, 1)
	for _, before := range []bool{false, true} {
		old := debug.SetPanicOnFault(before)
		if err := Catch(func() { peek(unsafe.Pointer(unsafe.SliceData(b.mem)), -1) }); err == nil {
			t.Error("a read before the buffer did not fault")
		}
		if after := debug.SetPanicOnFault(old); after != before {
			t.Errorf("panic on fault was %v before Catch and is %v after", before, after)
		}
	}
}

func TestAllocatedEdgesFault(t *testing.T) {
	page := os.Getpagesize()
	for _, edge := range []Edge{AtEnd, AtStart} {
		a := newAllocator(t, int64(4*page), edge)
		for _, n := range []int{1, 100, page, 2*page + 1, 3 * page} {
			b := alloc(t, a, n)
			start := unsafe.Pointer(unsafe.SliceData(b))
			rest := -n & (page - 1)
			before, after := -1, n+rest // nearest faulting offsets before and after the slice
			if edge == AtEnd {
				before, after = -rest-1, n
			}
			for _, tt := range []struct {
				name   string
				offset int
				faults bool
			}{
				{"first", 0, false},
				{"last", n - 1, false},
				{"after the end", after, true},
				{"far after the end", after + page - 1, true},
				{"before the start", before, true},
				{"far before the start", before - page + 1, true},
			} {
				for how, access := range map[string]func(){
					"read":  func() { peek(start, tt.offset) },
					"write": func() { poke(start, tt.offset) },
				} {
					if err := Catch(access); (err != nil) != tt.faults {
						t.Errorf("%d bytes, %s %s: %v, want a fault: %t", n, how, tt.name, err, tt.faults)
					}
				}
			}
			if err := a.Free(b); err != nil {
				t.Error(err)
			}
			for _, offset := range []int{before + 1, 0, n - 1, after - 1} {
				if Catch(func() { peek(start, offset) }) == nil || Catch(func() { poke(start, offset) }) == nil {
					t.Errorf("%d bytes, byte %d: no fault after Free", n, offset)
				}
			}
		}
	}
}
