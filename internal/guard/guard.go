// Package guard returns byte slices next to unreadable memory. Code that reads or writes beyond its
// slice faults instead of succeeding by accident. Game engines call this a stomp allocator.
//
// A [Buffer] is one mapping of readable pages between two unreadable ones:
//
//	| unreadable | Start(n) ->        ...        <- End(n) | unreadable |
//
// Creating a Buffer takes system calls (about 10 µs), but slicing it is free: create one Buffer
// per test and take all slices from it.
//
//	buf := guard.New(t, 4096)
//	for n := range buf.Len() + 1 {
//		if err := buf.Catch(func() { kernel(buf.End(n)) }); err != nil {
//			t.Errorf("length %d: %v", n, err)
//		}
//	}
//
// An [Allocator] works outside of tests, too. Each slice has its own pages, which become unreadable
// when it is freed. The pools of profile/memory use an Allocator if Options.Stomp is set.
//
// On unsupported systems the memory is ordinary, nothing faults, and [Real] returns false.
package guard

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"unsafe"
)

// TB is the part of testing.TB that a Buffer needs.
type TB interface {
	Helper()
	Cleanup(func())
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// Buffer is a block of readable and writable bytes between two unreadable pages. All its slices
// share this memory and are valid until the test ends. Slices may be used concurrently;
// [Buffer.ReadOnly] affects all of them.
type Buffer struct {
	t   TB
	mem []byte // consists of whole pages if Real returns true
}

// New maps a Buffer of at least size bytes, rounded up to whole pages and filled with zeros. When
// the test ends, it unmaps the Buffer. On failure it ends the test.
func New(t TB, size int) *Buffer {
	t.Helper()
	if size < 0 || size > maxSize {
		t.Fatalf("guard: a buffer of %d bytes, want 0 to %d", size, maxSize)
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

// maxSize prevents overflow in New on 32-bit systems.
const maxSize = 1 << 30

// Real reports whether the pages around a Buffer are really unreadable, and whether ReadOnly really
// protects the Buffer.
func Real() bool { return paged }

// Len returns the size of the buffer in bytes.
func (b *Buffer) Len() int { return len(b.mem) }

// Start returns the first n bytes, with capacity n. The byte before them is unreadable. It panics
// if n is not in the range 0 to Len.
func (b *Buffer) Start(n int) []byte { return b.mem[:n:n] }

// End returns the last n bytes. The byte after them is unreadable. It panics if n is not in the
// range 0 to Len. An empty slice points to the unreadable page.
func (b *Buffer) End(n int) []byte {
	if n == 0 && paged {
		// Slicing would leave the pointer at the start of mem, where a read would not fault.
		return unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b.mem)), len(b.mem))), 0)
	}
	return b.mem[len(b.mem)-n:]
}

// ReadOnly calls f while the buffer is write-protected, so that code that writes to its input
// faults as well. The buffer is writable again when ReadOnly returns, even after a panic. If
// protection fails, the test fails. ReadOnly takes two system calls, and must not be called
// concurrently.
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

// Catch is like the function [Catch], but its error also includes the address relative to the
// buffer.
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
	return "not near the buffer"
}

// Fault is the error of a forbidden memory access.
type Fault struct {
	Addr uintptr // address that the processor reports; for wide loads it may be a later byte
}

func (f *Fault) Error() string { return fmt.Sprintf("guard: memory fault at address %#x", f.Addr) }

// Catch calls f and returns the memory fault that ended it as a *[Fault], or nil. Other panics,
// including nil dereferences, are not caught. A fault in a goroutine started by f still ends the
// program.
func Catch(f func()) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		p := recover()
		if addr, ok := FaultAddr(p); ok {
			err = &Fault{Addr: addr}
		} else if p != nil {
			panic(p)
		}
	}()
	f()
	return nil
}

// FaultAddr returns the address of a memory fault, given the recovered value. ok is false for other
// values.
func FaultAddr(recovered any) (addr uintptr, ok bool) {
	fault, ok := recovered.(interface {
		runtime.Error
		Addr() uintptr
	})
	if !ok {
		return 0, false
	}
	return fault.Addr(), true
}
