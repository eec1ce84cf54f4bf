package guard

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"unsafe"
)

func TestSlices(t *testing.T) {
	page := os.Getpagesize()
	for _, tt := range []struct{ size, want int }{
		{0, page}, {1, page}, {page, page}, {page + 1, 2 * page},
	} {
		b := New(t, tt.size)
		if b.Len() != tt.want {
			t.Errorf("New(%d) has %d bytes, want %d", tt.size, b.Len(), tt.want)
		}
		for _, n := range []int{0, 1, 63, page - 1, page, b.Len()} {
			start, end := b.Start(n), b.End(n)
			if len(start) != n || cap(start) != n || len(end) != n || cap(end) != n {
				t.Errorf("Start(%d) has %d of %d bytes, End(%d) %d of %d, want %d",
					n, len(start), cap(start), n, len(end), cap(end), n)
			}
			for i := range start {
				start[i] = 1
			}
			for i := range end {
				end[i] = 2
			}
		}
		if first, last := b.Start(1)[0], b.End(1)[0]; first != 2 || last != 2 {
			t.Errorf("the whole was written last as 2, its ends hold %d and %d", first, last)
		}
	}
}

func TestLengthsOutsideTheBufferPanic(t *testing.T) {
	b := New(t, 1)
	for _, n := range []int{-1, b.Len() + 1} {
		for name, slice := range map[string]func(int) []byte{"Start": b.Start, "End": b.End} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%s(%d) of %d bytes did not panic", name, n, b.Len())
					}
				}()
				slice(n)
			}()
		}
	}
}

func TestSlidingDoesNotAllocate(t *testing.T) {
	b := New(t, 4096)
	if n := testing.AllocsPerRun(100, func() { b.Start(7)[0]++; b.End(9)[0]++ }); n != 0 {
		t.Errorf("%v allocations per pair of slices, want 0", n)
	}
}

func TestCatchPassesOtherPanics(t *testing.T) {
	if err := Catch(func() {}); err != nil {
		t.Errorf("a function without fault: %v", err)
	}
	var missing *int
	for name, f := range map[string]func(){
		"own":   func() { panic("own") },
		"index": func() { _ = make([]int, 1)[len(os.Args)+1] },
		"nil":   func() { *missing = 1 },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: the panic did not pass through", name)
				}
			}()
			err := Catch(f)
			t.Errorf("%s: Catch returned %v", name, err)
		}()
	}
}

func TestFaultIsAnError(t *testing.T) {
	err := fmt.Errorf("kernel: %w", &Fault{Addr: 0xbeef})
	var fault *Fault
	if !errors.As(err, &fault) || fault.Addr != 0xbeef || !strings.Contains(err.Error(), "0xbeef") {
		t.Errorf("got %v, want a Fault that names 0xbeef", err)
	}
}

//go:noinline
func peek(p unsafe.Pointer, offset int) byte { return *(*byte)(unsafe.Add(p, offset)) }

//go:noinline
func poke(p unsafe.Pointer, offset int) { *(*byte)(unsafe.Add(p, offset)) = 1 }
