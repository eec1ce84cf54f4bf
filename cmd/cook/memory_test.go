package main

import (
	"math"
	"runtime/debug"
	"testing"
)

func TestMemoryLimit(t *testing.T) {
	before := debug.SetMemoryLimit(math.MaxInt64)
	defer debug.SetMemoryLimit(before)
	limit := func() int64 { return debug.SetMemoryLimit(-1) }

	m := &memoryLimit{memory: 1 << 30}
	m.Planned(0, 0)
	if limit() != math.MaxInt64 {
		t.Error("a run without work has a limit")
	}
	m.Planned(1, 0)
	first := limit()
	// What lives on the heap of a test is less than a gigabyte.
	if first < 1<<30+besides || first > 2<<30+besides {
		t.Errorf("limit %d MiB for a budget of 1 GiB", first>>20)
	}
	m.Planned(1, 0)
	if limit() != first {
		t.Errorf("limit %d, then %d", first, limit())
	}
	(&memoryLimit{memory: 8 << 30}).Planned(1, 0)
	if limit() != first {
		t.Errorf("a limit from outside was raised from %d to %d", first, limit())
	}
	debug.SetMemoryLimit(math.MaxInt64)
	(&memoryLimit{}).Planned(1, 0)
	if limit() == math.MaxInt64 {
		t.Error("no limit without -mem")
	}
}
