// Package guard returns byte slices next to memory that cannot be read, so that a
// kernel that reads or writes beyond its slice faults instead of passing by luck. It
// is the stomp allocator of game engines.
//
// A [Buffer] is one mapping of readable pages between two unreadable ones:
//
//	| unreadable | Start(n) ->        ...        <- End(n) | unreadable |
//
// Making a Buffer costs system calls (about 10 µs), taking a slice of it costs
// nothing: make one Buffer per test and let the slices slide in it.
//
//	buf := guard.New(t, 4096)
//	for n := range buf.Len() + 1 {
//		if err := buf.Catch(func() { kernel(buf.End(n)) }); err != nil {
//			t.Errorf("length %d: %v", n, err)
//		}
//	}
//
// An [Allocator] needs no test: each slice has pages of its own, and those of a freed
// one can no longer be read. With Options.Stomp the pools of profile/memory allocate
// from one.
//
// Where the operating system is not known to this package the memory is
// ordinary, nothing faults, and [Real] says so.
package guard

import (
	"fmt"
	"os"
	"unsafe"
)

// TB is what a Buffer needs of a testing.TB, which is one.
type TB interface {
	Helper()
	Cleanup(func())
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// Buffer is a run of readable and writable bytes between two unreadable pages.
// Its slices all share that memory and live until the test ends. Slices may be
// used concurrently; [Buffer.ReadOnly] concerns all of them.
type Buffer struct {
	t   TB
	mem []byte // whole pages where Real
}

// New maps a Buffer of at least size bytes, rounded up to whole pages, all
// zero, and unmaps it when the test has ended. Failing to do so ends the test.
func New(t TB, size int) *Buffer {
	t.Helper()
	if size < 0 || size > maxSize {
		t.Fatalf("guard: a buffer of %d bytes was asked for; it can have 0 to %d", size, maxSize)
	}
	page := os.Getpagesize()
	pages := max(1, (size+page-1)/page)
	mem, unmap, err := reserve(pages*page, page)
	if err != nil {
		t.Fatalf("guard: map %d bytes: %v", pages*page, err)
	}
	t.Cleanup(func() {
		if err := unmap(); err != nil {
			t.Errorf("guard: unmap %d bytes: %v", len(mem), err)
		}
	})
	return &Buffer{t: t, mem: mem}
}

// maxSize keeps the sums of New inside an int of 32 bits.
const maxSize = 1 << 30

// Real reports whether the pages around a Buffer really cannot be read and
// whether ReadOnly really protects.
func Real() bool { return paged }

// Len returns the number of bytes of the buffer.
func (b *Buffer) Len() int { return len(b.mem) }

// Start returns the first n bytes: the byte before them is unreadable. The
// capacity is n. It panics if n is not in 0..Len.
func (b *Buffer) Start(n int) []byte { return b.mem[:n:n] }

// End returns the last n bytes: the byte after them is unreadable. It panics if
// n is not in 0..Len. The slice of no bytes points to the unreadable page.
func (b *Buffer) End(n int) []byte {
	if n == 0 && paged {
		// Slicing would leave the pointer at the start of mem, where a read
		// passes.
		return unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b.mem)), len(b.mem))), 0)
	}
	return b.mem[len(b.mem)-n:]
}

// ReadOnly calls f while the contents of the buffer cannot be written, so that
// a kernel which writes inside its input faults as well. The contents are
// writable again when ReadOnly returns, also by way of a panic. Failing to
// protect them fails the test. Two system calls; not for use by several
// goroutines at once.
func (b *Buffer) ReadOnly(f func()) {
	b.t.Helper()
	if err := protect(b.mem, true); err != nil {
		b.t.Errorf("guard: write-protect %d bytes: %v", len(b.mem), err)
		return
	}
	defer func() {
		if err := protect(b.mem, false); err != nil {
			b.t.Errorf("guard: make %d bytes writable: %v", len(b.mem), err)
		}
	}()
	f()
}

// Catch is the function [Catch], whose error also says where the address lies
// as seen from the buffer.
func (b *Buffer) Catch(f func()) error {
	err := Catch(f)
	fault, ok := err.(*Fault)
	if !ok {
		return err
	}
	return fmt.Errorf("%w, %s", fault, b.where(fault.Addr))
}

func (b *Buffer) where(addr uintptr) string {
	start := uintptr(unsafe.Pointer(unsafe.SliceData(b.mem)))
	end := start + uintptr(len(b.mem))
	page := uintptr(os.Getpagesize())
	switch {
	case addr >= end && addr-end < page:
		return fmt.Sprintf("byte %d after the end of the buffer", addr-end+1)
	case addr < start && start-addr <= page:
		return fmt.Sprintf("byte %d before the start of the buffer", start-addr)
	case addr >= start && addr < end:
		return fmt.Sprintf("byte %d of %d of the buffer, which is read-only", addr-start, len(b.mem))
	}
	return "nowhere near the buffer"
}
