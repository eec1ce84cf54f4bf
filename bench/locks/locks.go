package main

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// A lockKind is one way to wait for a lock.
type lockKind struct {
	name string
	make func() sync.Locker
}

var kinds = []lockKind{
	{"sync.Mutex", func() sync.Locker { return new(sync.Mutex) }},
	{"spin", func() sync.Locker { return new(spin) }},
	{"spin and yield", func() sync.Locker { return new(yielding) }},
	{"parked", func() sync.Locker { return make(parked, 1) }},
}

// spin waits without giving up its processor, reading until the lock looks free.
type spin struct{ held atomic.Bool }

func (s *spin) Lock() {
	for !s.held.CompareAndSwap(false, true) {
		for s.held.Load() {
		}
	}
}

func (s *spin) Unlock() { s.held.Store(false) }

// yielding lets another goroutine run after each attempt.
type yielding struct{ held atomic.Bool }

func (s *yielding) Lock() {
	for !s.held.CompareAndSwap(false, true) {
		runtime.Gosched()
	}
}

func (s *yielding) Unlock() { s.held.Store(false) }

// parked puts waiters to sleep in a queue, first come, first served.
type parked chan struct{}

func (p parked) Lock()   { p <- struct{}{} }
func (p parked) Unlock() { <-p }
