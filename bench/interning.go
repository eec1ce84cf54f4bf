package bench

import (
	"fmt"
	"runtime"
	"sync"
	"testing"
	"unique"

	"github.com/assetcook/assetcook/intern"
)

// Interning returns a contest in finding existing names: package intern against the
// standard library, on 1 and on 2 goroutines. It also returns the n names; names[i] has
// the value i+1 everywhere.
//
// A map without a lock can only compete if there are no writes. unique.Make returns a
// handle, not a number.
func Interning(tb testing.TB, n int) (c Contest[string], names []string) {
	names = Names(n)
	length := 0
	for _, s := range names {
		length += len(s)
	}
	table, err := intern.New(intern.Config{Entries: n, Bytes: length})
	if err != nil {
		tb.Fatal(err)
	}
	plain := make(map[string]uint32, n)
	var mu sync.RWMutex
	var synced sync.Map
	handles := make([]unique.Handle[string], n)
	for i, s := range names {
		v := uint32(i + 1)
		if sym, err := table.Intern(s); err != nil || uint32(sym) != v {
			tb.Fatalf("symbol %d for %q, want %d: %v", sym, s, v, err)
		}
		plain[s] = v
		synced.Store(s, v)
		handles[i] = unique.Make(s)
	}
	frozen := table.Freeze()

	drawn := Draws(names, Stream)
	want, first := uint64(0), uint64(0)
	for _, s := range drawn {
		want += uint64(plain[s])
		if s == names[0] {
			first++
		}
	}
	return Contest[string]{fmt.Sprintf("names=%d", n), drawn, []int{1, 2}, []Contender[string]{
		{"intern", func(names []string) (sum uint64) {
			for _, s := range names {
				sym, _ := table.Intern(s)
				sum += uint64(sym)
			}
			return sum
		}, want},
		{"intern-batch", func(names []string) (sum uint64) {
			var out [Chunk]intern.Symbol
			table.LookupAll(names, out[:])
			for _, sym := range out {
				sum += uint64(sym)
			}
			return sum
		}, want},
		{"intern-frozen", func(names []string) (sum uint64) {
			for _, s := range names {
				sym, _ := frozen.Lookup(s)
				sum += uint64(sym)
			}
			return sum
		}, want},
		{"map", func(names []string) (sum uint64) {
			for _, s := range names {
				sum += uint64(plain[s])
			}
			return sum
		}, want},
		{"map-rwmutex", func(names []string) (sum uint64) {
			for _, s := range names {
				mu.RLock()
				sum += uint64(plain[s])
				mu.RUnlock()
			}
			return sum
		}, want},
		{"sync-map", func(names []string) (sum uint64) {
			for _, s := range names {
				v, _ := synced.Load(s)
				sum += uint64(v.(uint32))
			}
			return sum
		}, want},
		{"unique", func(names []string) (equal uint64) {
			for _, s := range names {
				if unique.Make(s) == handles[0] {
					equal++
				}
			}
			runtime.KeepAlive(handles) // otherwise unique drops the names
			return equal
		}, first},
	}}, names
}
