package run

import (
	"math"
	"runtime"
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

// TestCollectorOfLargeTrees expects more frequent collections while the index of a large tree is
// written. Before that, they are expected only with a large heap.
func TestCollectorOfLargeTrees(t *testing.T) {
	t.Setenv("GOGC", "")
	const usual = 77
	defer debug.SetGCPercent(debug.SetGCPercent(usual))
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1))
	percent := func() int {
		now := debug.SetGCPercent(usual)
		debug.SetGCPercent(now)
		return now
	}
	runtime.GC()
	m := &memoryLimit{memory: 1 << 30}
	for _, step := range []struct {
		assets int
		stage  string
		want   int
	}{
		{0, "save", usual}, {largeTree - 1, "save", usual}, {largeTree, "cook", usual},
		{largeTree, "save", percentSaving}, {largeTree, "save", percentSaving}, {largeTree, "scan", usual}, {1, "save", usual},
	} {
		m.Planned(step.assets, 0)
		m.Stage(step.stage)
		if got := percent(); got != step.want {
			t.Errorf("%+v: %d %%", step, got)
		}
	}
	kept := make([]byte, 2*largeHeap)
	runtime.GC()
	m.Planned(largeTree, 0)
	for _, stage := range []string{"cook", "save", "scan"} {
		m.Stage(stage)
		want := map[string]int{"cook": percentCooking, "save": percentSaving, "scan": usual}[stage]
		if got := percent(); got != want {
			t.Errorf("much is held, %s: %d %%, want %d", stage, got, want)
		}
	}
	runtime.KeepAlive(kept)
	t.Setenv("GOGC", "200")
	m.Planned(largeTree, 0)
	if m.Stage("save"); percent() != usual {
		t.Error("GOGC was overruled")
	}
}

// TestLiveHeap expects the live heap to grow with live objects but not with garbage.
func TestLiveHeap(t *testing.T) {
	runtime.GC()
	before := liveHeap()
	kept := make([]byte, 64<<20)
	runtime.GC()
	with := liveHeap()
	runtime.KeepAlive(kept)
	if grown := with - before; grown < 60<<20 || grown > 68<<20 {
		t.Errorf("64 MiB more are %d MiB", grown>>20)
	}
	kept = nil
	runtime.GC()
	if grown := liveHeap() - before; grown > 4<<20 {
		t.Errorf("nothing more is %d MiB", grown>>20)
	}
}

func TestListensBeforeWork(t *testing.T) {
	calls := 0
	w := workWatch{listen: func() { calls++ }}
	w.Planned(0, 0)
	if calls != 0 {
		t.Error("listens without work")
	}
	w.Planned(1, 0)
	if calls != 1 {
		t.Error("does not listen before work")
	}
}
