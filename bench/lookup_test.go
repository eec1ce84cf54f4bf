package bench

import (
	"slices"
	"sync/atomic"
	"testing"
)

func BenchmarkIntern(b *testing.B) {
	for _, n := range []int{10_000, 200_000} {
		c, _ := Interning(b, n)
		c.Run(b)
	}
}

func BenchmarkPointer(b *testing.B) {
	for _, n := range []int{1 << 10, 64 << 10, 1 << 20} {
		hit, miss, _ := Pointers(b, n)
		hit.Run(b)
		miss.Run(b)
	}
}

// All contenders find the expected values.
func TestContenders(t *testing.T) {
	names, _ := Interning(t, 1000)
	hit, miss, _ := Pointers(t, Chunk)
	for _, c := range names.Contenders {
		if got := names.pass(1, c); got != c.Want || got == 0 {
			t.Errorf("%s found %d, want %d", c.Impl, got, c.Want)
		}
	}
	for _, contest := range []Contest[uintptr]{hit, miss} {
		for _, c := range contest.Contenders {
			if got := contest.pass(1, c); got != c.Want || (got == 0) != (contest.Name == miss.Name) {
				t.Errorf("%s, %s found %d, want %d", contest.Name, c.Impl, got, c.Want)
			}
		}
	}
}

// A pass looks up each key once, with any number of goroutines.
func TestPass(t *testing.T) {
	keys := make([]int, 10*Chunk)
	for i := range keys {
		keys[i] = i
	}
	for _, goroutines := range []int{1, 2, 20} {
		seen := make([]atomic.Int64, len(keys))
		c := Contest[int]{Keys: keys}
		found := c.pass(goroutines, Contender[int]{Find: func(keys []int) uint64 {
			for _, key := range keys {
				seen[key].Add(1)
			}
			return uint64(len(keys))
		}})
		if found != uint64(len(keys)) {
			t.Errorf("%d goroutines: %d keys, want %d", goroutines, found, len(keys))
		}
		for i := range seen {
			if n := seen[i].Load(); n != 1 {
				t.Fatalf("%d goroutines: key %d was looked up %d times", goroutines, i, n)
			}
		}
	}
}

func TestRepeated(t *testing.T) {
	in, _ := Addresses(Chunk)
	stream := repeated(in)
	if len(stream) != Stream || slices.Equal(stream[:Chunk], in) {
		t.Errorf("%d keys, the first %x", len(stream), stream[0])
	}
	slices.Sort(stream)
	slices.Sort(in)
	if !slices.Equal(slices.Compact(stream), in) {
		t.Error("not the same keys")
	}
}
