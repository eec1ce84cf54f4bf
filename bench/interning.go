package bench

import (
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"unique"

	"github.com/assetcook/assetcook/intern"
	"github.com/assetcook/assetcook/ptrhash"
)

// InternSizes lists the numbers of names in the measured tables.
func InternSizes() []int {
	if os.Getenv("BENCH_LARGE") == "1" {
		return []int{100, 10_000, 200_000, 2_000_000}
	}
	return []int{100, 10_000, 200_000}
}

// Interning returns two contests that compare package intern with the standard library, on 1 and on
// 2 goroutines. The first looks up names that are present (hit), the second names that are absent
// (miss). An absent name differs from a present one in its last byte. Interning also returns the n
// names; all contenders map names[i] to i+1.
//
// A map without a lock is safe only without concurrent writes. unique.Make returns a handle instead
// of a number, and it adds absent names.
func Interning(tb testing.TB, n int) (hit, miss Contest[string], names []string) {
	names = Names(n)
	table := internTable(tb, names)
	plain := make(map[string]uint32, n)
	var mu sync.RWMutex
	var synced sync.Map
	handles := make([]unique.Handle[string], n)
	for i, s := range names {
		v := uint32(i + 1)
		plain[s] = v
		synced.Store(s, v)
		handles[i] = unique.Make(s)
	}

	drawn := Draws(names, Stream)
	absent := make([]string, len(names))
	for i, s := range names {
		absent[i] = s[:len(s)-1] + "~"
	}
	want, first := uint64(0), uint64(0)
	for _, s := range drawn {
		want += uint64(plain[s])
		if s == names[0] {
			first++
		}
	}
	contenders := []Contender[string]{
		{Impl: "intern", Find: func(names []string) (sum uint64) {
			for _, s := range names {
				sym, _ := table.Lookup(s)
				sum += uint64(sym)
			}
			return sum
		}},
		{Impl: "intern-batch", Find: func(names []string) (sum uint64) {
			var out [Chunk]intern.Symbol
			if table.LookupAll(names, out[:]) == 0 {
				return 0
			}
			for _, sym := range out {
				sum += uint64(sym)
			}
			return sum
		}},
		{Impl: "map", Find: func(names []string) (sum uint64) {
			for _, s := range names {
				sum += uint64(plain[s])
			}
			return sum
		}},
		{Impl: "map-rwmutex", Find: func(names []string) (sum uint64) {
			for _, s := range names {
				mu.RLock()
				sum += uint64(plain[s])
				mu.RUnlock()
			}
			return sum
		}},
		{Impl: "sync-map", Find: func(names []string) (sum uint64) {
			for _, s := range names {
				if v, ok := synced.Load(s); ok {
					sum += uint64(v.(uint32))
				}
			}
			return sum
		}},
	}
	hit = Contest[string]{fmt.Sprintf("names=%d/keys=hit", n), drawn, []int{1, 2}, nil}
	miss = Contest[string]{fmt.Sprintf("names=%d/keys=miss", n), Draws(absent, Stream), []int{1, 2}, contenders}
	for _, c := range contenders {
		c.Want = want
		hit.Contenders = append(hit.Contenders, c)
	}
	hit.Contenders = append(hit.Contenders, Contender[string]{"unique", func(names []string) (equal uint64) {
		for _, s := range names {
			if unique.Make(s) == handles[0] {
				equal++
			}
		}
		runtime.KeepAlive(handles) // Without a reference to the handles, package unique would forget the names.
		return equal
	}, first})
	return hit, miss, names
}

// internTable returns a table in which names[i] has the symbol i+1.
func internTable(tb testing.TB, names []string) *intern.Table {
	length := 0
	for _, s := range names {
		length += len(s)
	}
	table, err := intern.New(intern.Config{Entries: len(names), Bytes: length})
	if err != nil {
		tb.Fatal(err)
	}
	for i, s := range names {
		if sym, err := table.Intern(s); err != nil || int(sym) != i+1 {
			tb.Fatalf("symbol %d for %q, want %d: %v", sym, s, i+1, err)
		}
	}
	return table
}

// InternMemory reports how much memory each table built by the given functions uses for the names,
// including the bytes of the names. Each function gets its own copies of the names.
func InternMemory(b *testing.B, builds map[string]func(names []string) any) {
	for _, n := range InternSizes() {
		names := Names(n)
		for _, impl := range slices.Sorted(maps.Keys(builds)) {
			b.Run(fmt.Sprintf("names=%d/impl=%s", n, impl), func(b *testing.B) {
				held := uint64(0)
				for b.Loop() {
					before := heap()
					copies := make([]string, n)
					for i, s := range names {
						copies[i] = strings.Clone(s)
					}
					built := builds[impl](copies)
					clear(copies)
					held = heap() - before
					runtime.KeepAlive(copies)
					runtime.KeepAlive(built)
				}
				b.ReportMetric(float64(held)/float64(n)-16, "B/name") // The slice of copies, 16 bytes per name, is not counted.
			})
		}
	}
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// Record has the size of a typical record in an allocation tracker.
type Record struct {
	Size  uint64
	Site  uint32
	Group uint32
}

// Pointers returns two contests that compare a full ptrhash.Table with a map and a sync.Map on one
// goroutine. The first looks up addresses that are present (hit), the second addresses that are
// absent (miss). Pointers also returns the n addresses; every table maps keys[i] to a Record of
// size i+1.
func Pointers(tb testing.TB, n int) (hit, miss Contest[uintptr], keys []uintptr) {
	keys, between := Addresses(n)
	table, plain := ptrhash.NewTable[Record](n), make(map[uintptr]Record, n)
	var synced sync.Map
	for i, key := range keys {
		v := Record{Size: uint64(i + 1)}
		plain[key] = v
		synced.Store(key, v)
		if err := table.Insert(key, v); err != nil {
			tb.Fatal(err)
		}
	}
	contenders := []Contender[uintptr]{
		{Impl: "ptrhash", Find: func(keys []uintptr) (sum uint64) {
			for _, key := range keys {
				v, _ := table.Lookup(key)
				sum += v.Size
			}
			return sum
		}},
		{Impl: "map", Find: func(keys []uintptr) (sum uint64) {
			for _, key := range keys {
				sum += plain[key].Size
			}
			return sum
		}},
		{Impl: "sync-map", Find: func(keys []uintptr) (sum uint64) {
			for _, key := range keys {
				if v, ok := synced.Load(key); ok {
					sum += v.(Record).Size
				}
			}
			return sum
		}},
	}
	hit = Contest[uintptr]{fmt.Sprintf("entries=%d/keys=hit", n), repeated(keys), []int{1}, nil}
	miss = Contest[uintptr]{fmt.Sprintf("entries=%d/keys=miss", n), repeated(between), []int{1}, contenders}
	want := uint64(0)
	for _, key := range hit.Keys {
		want += plain[key].Size
	}
	for _, c := range contenders {
		c.Want = want
		hit.Contenders = append(hit.Contenders, c)
	}
	return hit, miss, keys
}
