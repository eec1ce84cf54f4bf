package intern

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"unique"
)

// chunk is the names that a benchmark takes from the stream at a time.
const chunk = 1024

// stream is the number of names in the stream that the lookups draw from a
// table's names: more than a branch predictor can learn by heart, which would
// flatter every rival.
const stream = 1 << 19

// lookups runs b.N lookups of the stream's names on as many goroutines as
// there are processors (-cpu 1,2). The time for an operation is wall time over
// all lookups.
func lookups(b *testing.B, names []string, f func(names []string, out []Symbol)) {
	var next, done atomic.Int64
	var wg sync.WaitGroup
	b.ResetTimer()
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			out := make([]Symbol, chunk)
			for {
				n := next.Add(1) - 1
				if n*chunk >= int64(b.N) {
					return
				}
				at := int(n) * chunk % len(names)
				f(names[at:at+chunk], out)
				done.Add(chunk)
			}
		})
	}
	wg.Wait()
	if done.Load() < int64(b.N) {
		b.Fatal("not all names were looked up")
	}
}

func BenchmarkHit(b *testing.B) {
	for _, n := range []int{10_000, 200_000} {
		names, _ := corpus(b, n)
		drawn := draws(names, stream)
		table := tableOf(b, names, XXH3)
		frozen := table.Freeze()
		plain := make(map[string]Symbol, n)
		shared := make(map[string]Symbol, n)
		var concurrent sync.Map
		held := make([]unique.Handle[string], n)
		for i, s := range names {
			plain[s], shared[s] = Symbol(i), Symbol(i)
			concurrent.Store(s, Symbol(i))
			held[i] = unique.Make(s)
		}
		var mu sync.RWMutex
		for _, r := range []struct {
			name string
			f    func(names []string, out []Symbol)
		}{
			{"Table.Lookup", each(table.Lookup)},
			{"Table.Intern", func(names []string, out []Symbol) {
				for i, s := range names {
					out[i], _ = table.Intern(s)
				}
			}},
			{"Table.LookupAll", func(names []string, out []Symbol) { table.LookupAll(names, out) }},
			{"Frozen.Lookup", each(frozen.Lookup)},
			{"Frozen.LookupAll", func(names []string, out []Symbol) { frozen.LookupAll(names, out) }},
			{"map", func(names []string, out []Symbol) { // never written: a table that may grow needs the lock
				for i, s := range names {
					out[i] = plain[s]
				}
			}},
			{"map+RWMutex", func(names []string, out []Symbol) {
				for i, s := range names {
					mu.RLock()
					out[i] = shared[s]
					mu.RUnlock()
				}
			}},
			{"sync.Map", func(names []string, out []Symbol) {
				for i, s := range names {
					v, _ := concurrent.Load(s)
					out[i] = v.(Symbol)
				}
			}},
			{"unique.Make", func(names []string, out []Symbol) {
				for i, s := range names {
					if unique.Make(s) != (unique.Handle[string]{}) {
						out[i] = 1
					}
				}
			}},
		} {
			b.Run(fmt.Sprintf("n=%d/%s", n, r.name), func(b *testing.B) { lookups(b, drawn, r.f) })
		}
		runtime.KeepAlive(held) // or unique would forget them
	}
}

func each(lookup func(string) (Symbol, bool)) func([]string, []Symbol) {
	return func(names []string, out []Symbol) {
		for i, s := range names {
			out[i], _ = lookup(s)
		}
	}
}

// BenchmarkBound takes steps away from Lookup: what remains says what it
// costs. "hash" is XXH3 alone, "hash+slot" loads the first slot too, "record"
// the length in the record to which it leads; neither compares anything.
func BenchmarkBound(b *testing.B) {
	for _, n := range []int{10_000, 200_000} {
		names, _ := corpus(b, n)
		drawn := draws(names, stream)
		t := tableOf(b, names, XXH3)
		mask := uint32(len(t.slots) - 1)
		for _, r := range []struct {
			name string
			f    func(string) (Symbol, bool)
		}{
			{"hash", func(s string) (Symbol, bool) { return Symbol(XXH3.Sum32(s)), true }},
			{"hash+slot", func(s string) (Symbol, bool) { return Symbol(t.slots[XXH3.Sum32(s)&mask].Load()), true }},
			{"hash+slot+record", func(s string) (Symbol, bool) {
				return Symbol(u32(t.arena[uint32(t.slots[XXH3.Sum32(s)&mask].Load()):], 1)), true
			}},
		} {
			b.Run(fmt.Sprintf("n=%d/%s", n, r.name), func(b *testing.B) { lookups(b, drawn, each(r.f)) })
		}
	}
}

func BenchmarkHash(b *testing.B) {
	names, _ := corpus(b, 200_000)
	drawn := draws(names, stream)
	for hash := range hashes {
		b.Run(hash.String(), func(b *testing.B) {
			lookups(b, drawn, each(func(s string) (Symbol, bool) { return Symbol(hash.Sum32(s)), true }))
		})
	}
}

func BenchmarkString(b *testing.B) {
	names, _ := corpus(b, 200_000)
	table := tableOf(b, names, XXH3)
	frozen := table.Freeze()
	for _, r := range []struct {
		name string
		f    func(Symbol) string
	}{{"Table", table.String}, {"Frozen", frozen.String}} {
		b.Run(r.name, func(b *testing.B) {
			length, sym := 0, Symbol(1)
			for b.Loop() {
				length += len(r.f(sym))
				sym = (sym*5 + 1) % 200_000
			}
			if length == 0 {
				b.Fatal("no name")
			}
		})
	}
}

func BenchmarkBuild(b *testing.B) {
	names, _ := corpus(b, 200_000)
	table := tableOf(b, names, XXH3)
	block, _ := table.MarshalBinary()
	perName := func(b *testing.B) {
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(names)), "ns/name")
	}
	b.Run("New+InternAll", func(b *testing.B) {
		for b.Loop() {
			tableOf(b, names, XXH3)
		}
		perName(b)
	})
	b.Run("Freeze", func(b *testing.B) {
		for b.Loop() {
			table.Freeze()
		}
		perName(b)
	})
	b.Run("Open", func(b *testing.B) {
		for b.Loop() {
			if _, err := Open(block); err != nil {
				b.Fatal(err)
			}
		}
		perName(b)
	})
}
