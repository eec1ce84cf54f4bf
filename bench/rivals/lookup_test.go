package rivals

import (
	"testing"

	"github.com/cockroachdb/swiss"
	dolthub "github.com/dolthub/swiss"
	"github.com/puzpuzpuz/xsync/v4"

	"github.com/assetcook/assetcook/bench"
)

func sharedMap(names []string) *xsync.Map[string, uint32] {
	m := xsync.NewMap[string, uint32](xsync.WithPresize(len(names)))
	for i, s := range names {
		m.Store(s, uint32(i+1))
	}
	return m
}

func cockroachMap(names []string) *swiss.Map[string, uint32] {
	m := swiss.New[string, uint32](len(names))
	for i, s := range names {
		m.Put(s, uint32(i+1))
	}
	return m
}

func doltMap(names []string) *dolthub.Map[string, uint32] {
	m := dolthub.NewMap[string, uint32](uint32(len(names)))
	for i, s := range names {
		m.Put(s, uint32(i+1))
	}
	return m
}

// BenchmarkIntern adds three contenders to the contests of package bench: xsync, which is safe for
// concurrent use, and two maps that are safe only without concurrent writes.
func BenchmarkIntern(b *testing.B) {
	for _, n := range bench.InternSizes() {
		hit, miss, names := bench.Interning(b, n)
		shared, cockroach, dolt := sharedMap(names), cockroachMap(names), doltMap(names)
		for _, c := range []bench.Contest[string]{hit, miss} {
			want := c.Contenders[0].Want
			c.Contenders = append(c.Contenders,
				bench.Contender[string]{Impl: "xsync", Want: want, Find: func(names []string) (sum uint64) {
					for _, s := range names {
						v, _ := shared.Load(s)
						sum += uint64(v)
					}
					return sum
				}},
				bench.Contender[string]{Impl: "cockroach-swiss", Want: want, Find: func(names []string) (sum uint64) {
					for _, s := range names {
						v, _ := cockroach.Get(s)
						sum += uint64(v)
					}
					return sum
				}},
				bench.Contender[string]{Impl: "dolthub-swiss", Want: want, Find: func(names []string) (sum uint64) {
					for _, s := range names {
						v, _ := dolt.Get(s)
						sum += uint64(v)
					}
					return sum
				}})
			c.Run(b)
		}
	}
}

func BenchmarkInternMemory(b *testing.B) {
	bench.InternMemory(b, map[string]func([]string) any{
		"xsync":           func(names []string) any { return sharedMap(names) },
		"cockroach-swiss": func(names []string) any { return cockroachMap(names) },
		"dolthub-swiss":   func(names []string) any { return doltMap(names) },
	})
}

// BenchmarkPointer adds two other maps to the contests of package bench.
func BenchmarkPointer(b *testing.B) {
	for _, n := range []int{1 << 10, 64 << 10, 1 << 20} {
		hit, miss, keys := bench.Pointers(b, n)
		cockroach := swiss.New[uintptr, bench.Record](n)
		dolt := dolthub.NewMap[uintptr, bench.Record](uint32(n))
		for i, key := range keys {
			v := bench.Record{Size: uint64(i + 1)}
			cockroach.Put(key, v)
			dolt.Put(key, v)
		}
		for _, c := range []bench.Contest[uintptr]{hit, miss} {
			want := c.Contenders[0].Want
			c.Contenders = append(c.Contenders,
				bench.Contender[uintptr]{Impl: "cockroach-swiss", Want: want, Find: func(keys []uintptr) (sum uint64) {
					for _, key := range keys {
						v, _ := cockroach.Get(key)
						sum += v.Size
					}
					return sum
				}},
				bench.Contender[uintptr]{Impl: "dolthub-swiss", Want: want, Find: func(keys []uintptr) (sum uint64) {
					for _, key := range keys {
						v, _ := dolt.Get(key)
						sum += v.Size
					}
					return sum
				}})
			c.Run(b)
		}
	}
}
