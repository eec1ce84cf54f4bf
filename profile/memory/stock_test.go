//go:build !guard

package memory

import (
	"testing"
	"unsafe"

	"pgregory.net/rapid"
)

func TestFreedMemoryIsReused(t *testing.T) {
	f := newFixture(Options{})
	for _, n := range []int{1, 100, 4 << 20} {
		_, capacity := classOf(n)
		b := f.images.Bytes(f.w, n)
		if cap(b) != capacity {
			t.Errorf("Bytes(%d) has a capacity of %d, want %d", n, cap(b), capacity)
		}
		f.images.Free(nil, b)
		again := f.files.Bytes(f.w, capacity) // Another pool requests the largest size of the class.
		if unsafe.SliceData(again) != unsafe.SliceData(b) {
			t.Errorf("memory of %d bytes was not used again for %d", n, capacity)
		}
		f.files.Free(nil, again)
		if n := testing.AllocsPerRun(100, func() { f.images.Free(nil, f.images.Bytes(f.w, n)) }); n != 0 {
			t.Errorf("%v allocations for each slice that is used again, want 0", n)
		}
	}
}

func TestEnteringDoesNotAllocate(t *testing.T) {
	f := newFixture(Options{})
	if n := testing.AllocsPerRun(100, func() {
		f.w.Push("stage")
		a := f.images.group.Grow(f.w, 100)
		a.Shrink()
		f.w.Pop()
	}); n != 0 {
		t.Errorf("%v allocations for each scope with an account, want 0", n)
	}
}

func TestKeepBoundsWhatIsKept(t *testing.T) {
	const mib = 1 << 20
	for _, tt := range []struct {
		name             string
		keep             int64
		sizes            []int // sizes of slices that are allocated together, and then freed one after another
		wantWarm, blocks int64
	}{
		{"all", 10 * mib, []int{mib, 2 * mib, 100}, 3*mib + 112, 3},
		{"none", -1, []int{mib, 100}, 0, 0},
		{"one too large", mib, []int{2 * mib, 100}, 112, 1},
		{"one too large evicts no block", mib, []int{100, 2 * mib}, 112, 1},
		{"the last two", 2 * mib, []int{mib, mib, mib}, 2 * mib, 2},
		{"others make room", 2 * mib, []int{mib, mib / 2, mib / 2, 2 * mib}, 2 * mib, 1},
	} {
		f := newFixture(Options{Keep: tt.keep})
		var all [][]byte
		for _, n := range tt.sizes {
			all = append(all, f.images.Bytes(f.w, n))
		}
		if s := f.Snapshot(); s.Warm != 0 {
			t.Errorf("%s: %d bytes are kept before any was given back", tt.name, s.Warm)
		}
		for _, b := range all {
			f.images.Free(nil, b)
		}
		s := f.Snapshot()
		if s.Warm != tt.wantWarm || s.Held != tt.wantWarm {
			t.Errorf("%s: %d bytes are kept, %d held; want %d", tt.name, s.Warm, s.Held, tt.wantWarm)
		}
		if got := f.stock.blocks.Load(); got != tt.blocks {
			t.Errorf("%s: %d blocks are kept, want %d", tt.name, got, tt.blocks)
		}
		f.Trim()
		if s := f.Snapshot(); s.Warm != 0 || s.Held != 0 || f.stock.blocks.Load() != 0 {
			t.Errorf("%s: %d bytes are held after Trim", tt.name, s.Held)
		}
	}
}

// The small blocks are too many for one round over the classes. Several rounds must make room for
// the large block.
func TestManySmallMakeRoomForOneLarge(t *testing.T) {
	f := newFixture(Options{Keep: 1 << 20})
	var all [][]byte
	for range 3 * classes {
		all = append(all, f.images.Bytes(f.w, 64), f.images.Bytes(f.w, 2048))
	}
	large := f.images.Bytes(f.w, 1<<20)
	for _, b := range append(all, large) {
		f.images.Free(nil, b)
	}
	if s := f.Snapshot(); s.Warm > 1<<20 {
		t.Errorf("%d bytes are kept, which is more than %d", s.Warm, 1<<20)
	}
}

func TestClassesAreInOrder(t *testing.T) {
	class, capacity := 0, smallest
	for {
		if c, n := classOf(capacity); c != class || n != capacity {
			t.Fatalf("capacity %d of class %d has class %d and capacity %d", capacity, class, c, n)
		}
		if capacity == largest {
			break
		}
		next, larger := classOf(capacity + 1)
		if next != class+1 || larger <= capacity {
			t.Fatalf("after class %d of %d comes class %d of %d", class, capacity, next, larger)
		}
		class, capacity = next, larger
	}
	if class != classes-1 {
		t.Errorf("the last class is %d, want %d", class, classes-1)
	}
	if c, n := classOf(largest + 1); c != exact || n != largest+1 {
		t.Errorf("a size above the largest has class %d of %d, want none", c, n)
	}
}

func TestClassWastesLessThanAQuarter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(smallest, largest).Draw(t, "n")
		class, capacity := classOf(n)
		if class < 0 || class >= classes || capacity < n || 4*(capacity-n) >= n {
			t.Fatalf("%d bytes have class %d of %d", n, class, capacity)
		}
	})
}
