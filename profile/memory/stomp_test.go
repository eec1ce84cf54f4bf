package memory

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/assetcook/assetcook/internal/guard"
)

// at reads or writes the byte at an offset from the start of a slice, without bounds checks.
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

// nextLine returns the line after its caller's line, in the form of Fault.Site.
func nextLine() string {
	_, _, line, _ := runtime.Caller(1)
	return fmt.Sprint("memory/stomp_test.go:", line+1)
}

func stomped(t *testing.T, mode Stomp) fixture {
	if !guard.Real() {
		t.Skip("no page can be protected on this system")
	}
	return newFixture(Options{Stomp: mode})
}

// Both modes must fault at their edge of a slice, on reads and on writes. The fault must identify
// the slice.
func TestAccessBeyondTheEdgeFaults(t *testing.T) {
	page := os.Getpagesize()
	for _, mode := range []Stomp{StompOverruns, StompUnderruns} {
		f := stomped(t, mode)
		owner := Key{"w", "images", "pixels", "a.png;decode"}
		for _, n := range []int{1, 100, page, 1 << 20} {
			site := nextLine()
			b := f.images.Bytes(f.w, n)
			if cap(b) != n {
				t.Errorf("%d bytes have a capacity of %d, which would let an overrun pass", n, cap(b))
			}
			start := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
			for _, write := range []bool{false, true} {
				expect := func(offset int, want Fault) {
					t.Helper()
					err := f.Catch(func() { at(b, offset, write) })
					if want.Kind == "" {
						if err != nil {
							t.Errorf("byte %d of %d, write %t: %v", offset, n, write, err)
						}
						return
					}
					want.Address, want.Offset, want.Bytes, want.Owner, want.Site = start+uintptr(offset), int64(offset), int64(n), owner, site
					if got, _ := err.(*Fault); got == nil || *got != want {
						t.Errorf("byte %d of %d, write %t: %+v, want %+v", offset, n, write, err, want)
					}
				}
				expect(0, Fault{})
				expect(n-1, Fault{})
				if mode == StompOverruns || n%page == 0 {
					expect(n, Fault{Kind: overrun})
				}
				if mode == StompUnderruns || n%page == 0 {
					expect(-1, Fault{Kind: underrun})
				}
			}
			saver := f.Worker("saver").Push("a.png").Push("save")
			freed := nextLine()
			f.images.Free(saver, b)
			for _, write := range []bool{false, true} {
				err := f.Catch(func() { at(b, n/2, write) })
				want := Fault{start + uintptr(n/2), useAfterFree, int64(n / 2), int64(n), owner, site, Key{Worker: "saver", Scope: "a.png;save"}, freed}
				if got, _ := err.(*Fault); got == nil || *got != want {
					t.Errorf("%d bytes: use after free, write %t: %+v, want %+v", n, write, err, want)
				}
			}
		}
	}
}

func TestFaultsAsText(t *testing.T) {
	f := stomped(t, StompOverruns)
	b := f.images.Bytes(f.w, 100)
	errorOf := func(offset int) string {
		return strings.Split(fmt.Sprint(f.Catch(func() { at(b, offset, false) })), "0x")[0] + "..." +
			strings.SplitN(fmt.Sprint(f.Catch(func() { at(b, offset, false) })), ": ", 3)[2]
	}
	if got, want := errorOf(102), "memory: overrun at ...byte 3 after the end of 100 bytes that were allocated as "+culprit+" at memory/stomp_test.go:"; !strings.HasPrefix(got, want) {
		t.Errorf("%s, want %s...", got, want)
	}
	f.images.Free(nil, b)
	for _, want := range []string{"memory: use after free at ...byte 7 of 100 bytes that were allocated as " + culprit + " at memory/stomp_test.go:", ", and already freed at memory/stomp_test.go:"} {
		if got := errorOf(7); !strings.Contains(got, want) {
			t.Errorf("%s, want %s", got, want)
		}
	}
	moved, err := f.images.Resize(f.images.Bytes(f.w, 10), 5)
	if err != nil || cap(moved) != 5 {
		t.Errorf("Resize to 5 bytes has a capacity of %d, %v", cap(moved), err)
	}
}

// A fault outside the tracker's slices must be returned, but it has no explanation.
func TestForeignFaultIsNotExplained(t *testing.T) {
	b := stomped(t, StompUnderruns).images.Bytes(nil, 100)
	for name, tracker := range map[string]*Tracker{"nil": nil, "off": New(Options{Stomp: StompOff}), "another": New(Options{Stomp: StompOverruns})} {
		err := tracker.Catch(func() { at(b, -5, false) })
		if _, known := err.(*Fault); err == nil || known {
			t.Errorf("%s tracker: %v, want an unexplained fault", name, err)
		}
	}
}

// Free must detect writes at the edge that does not fault.
func TestStompFindsTheOtherEdge(t *testing.T) {
	for mode, tt := range map[Stomp]struct {
		offset int
		want   string
	}{StompOverruns: {-3, "byte 3 before"}, StompUnderruns: {102, "byte 3 after"}} {
		f := stomped(t, mode)
		b := f.images.Bytes(f.w, 100)
		at(b, tt.offset, true)
		wantPanic(t, tt.want+";100 bytes;"+culprit, func() { f.images.Free(nil, b) })
	}
}

func TestStompFillsWithRubbish(t *testing.T) {
	f := stomped(t, StompOverruns)
	for i, c := range f.images.Bytes(f.w, 5000) {
		if c == 0 {
			t.Fatalf("byte %d is 0, which hides code that relies on that", i)
		}
	}
	for i, c := range f.Group("zeros", GroupOptions{}).Pool("p", PoolOptions{Zeroed: true}).Bytes(f.w, 5000) {
		if c != 0 {
			t.Fatalf("byte %d of a Zeroed pool is %#x", i, c)
		}
	}
}

// The report must mention slices without protected pages.
func TestUnprotectedAreCounted(t *testing.T) {
	f := stomped(t, StompOverruns)
	before := f.Snapshot()
	b := f.images.Bytes(f.w, largest+1) // The size is more than package guard maps.
	if got := f.Snapshot().Sub(before).Unprotected; got != 1 || len(b) != largest+1 {
		t.Errorf("%d slices are unprotected, want 1", got)
	}
	f.images.Free(nil, b)
	var out strings.Builder
	if err := f.WriteReport(&out); err != nil || !strings.Contains(out.String(), "\nunprotected: 1 allocation, ") {
		t.Errorf("report, %v\n%s", err, &out)
	}
	wantPanic(t, "unknown value 9 of Stomp", func() { New(Options{Stomp: 9}) })
}
