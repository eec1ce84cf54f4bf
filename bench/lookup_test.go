package bench

import (
	"slices"
	"sync"
	"sync/atomic"
	"testing"
)

func BenchmarkIntern(b *testing.B) {
	for _, n := range InternSizes() {
		hit, miss, _ := Interning(b, n)
		hit.Run(b)
		miss.Run(b)
	}
}

func BenchmarkInternMemory(b *testing.B) {
	InternMemory(b, map[string]func([]string) any{
		"intern": func(names []string) any { return internTable(b, names) },
		"map": func(names []string) any {
			m := make(map[string]uint32, len(names))
			for i, s := range names {
				m[s] = uint32(i + 1)
			}
			return m
		},
		"sync-map": func(names []string) any {
			m := new(sync.Map)
			for i, s := range names {
				m.Store(s, uint32(i+1))
			}
			return m
		},
	})
}

// lookupEntries lists the table sizes that -bench Hash measures.
var lookupEntries = []int{100, 10_000, 200_000}

// BenchmarkHashNames and BenchmarkHashPointers look up present keys on one goroutine. They are the
// part of BenchmarkIntern and BenchmarkPointer that -bench Hash selects.

func BenchmarkHashNames(b *testing.B) {
	for _, n := range lookupEntries {
		hit, _, _ := Interning(b, n)
		hit.Goroutines = []int{1}
		hit.Run(b)
	}
}

func BenchmarkHashPointers(b *testing.B) {
	for _, n := range lookupEntries {
		hit, _, _ := Pointers(b, n)
		hit.Run(b)
	}
}

func BenchmarkPointer(b *testing.B) {
	for _, n := range []int{1 << 10, 64 << 10, 1 << 20} {
		hit, miss, _ := Pointers(b, n)
		hit.Run(b)
		miss.Run(b)
	}
}

func TestContendersFindTheExpectedValues(t *testing.T) {
	names, noNames, _ := Interning(t, 1000)
	checkContest(t, names, true)
	checkContest(t, noNames, false)
	for _, n := range []int{100, Chunk} {
		hit, miss, _ := Pointers(t, n)
		checkContest(t, hit, true)
		checkContest(t, miss, false)
	}
}

func checkContest[K any](t *testing.T, contest Contest[K], hit bool) {
	t.Helper()
	for _, c := range contest.Contenders {
		if got := contest.pass(1, c); got != c.Want || (got > 0) != hit {
			t.Errorf("%s, %s found %d, want %d", contest.Name, c.Impl, got, c.Want)
		}
	}
}

func TestPassLooksUpEachKeyOnce(t *testing.T) {
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
	for _, n := range []int{100, Chunk, 10_000, Stream + 1} {
		in, _ := Addresses(n)
		stream := repeated(in)
		if len(stream) < Stream || len(stream)%Chunk != 0 || slices.Equal(stream[:100], in[:100]) {
			t.Errorf("of %d: %d keys, the first %x", n, len(stream), stream[0])
		}
		slices.Sort(stream)
		slices.Sort(in)
		if distinct := slices.Compact(stream); n < Stream && !slices.Equal(distinct, in) {
			t.Errorf("of %d: %d distinct keys", n, len(distinct))
		}
	}
}
