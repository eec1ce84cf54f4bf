package ptrhash

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// A record is a typical record of an allocation tracker.
type record struct {
	size uint64
	_    uint64 // call site and other data
}

// addresses returns n different addresses as in a heap with size classes, in random order, and n
// other addresses in between.
func addresses(n int) (in, out []uintptr) {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	at := uintptr(0xc0000000)
	for len(in) < n {
		for size := uintptr(16) << r.IntN(5); len(in) < n; {
			in, out = append(in, at), append(out, at+8)
			at += size
			if at&8191 < size {
				break
			}
		}
	}
	for _, keys := range [][]uintptr{in, out} {
		r.Shuffle(n, func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	}
	return in, out
}

var sizes = []int{1000, 1 << 16, 1 << 20}

// BenchmarkLookup compares lookups in a full table with lookups in a map: hits, misses and a random
// mix. Table and map alternate, and the results are medians, so that the ratio is also valid on a
// busy machine.
func BenchmarkLookup(b *testing.B) {
	for _, n := range sizes {
		in, out := addresses(n)
		table, reference := NewTable[record](n), make(map[uintptr]record, n)
		for i, key := range in {
			v := record{size: uint64(i)}
			reference[key] = v
			if err := table.Insert(key, v); err != nil {
				b.Fatal(err)
			}
		}
		inMap := func(keys []uintptr) (sum uint64) {
			for _, key := range keys {
				if v, ok := reference[key]; ok {
					sum += v.size
				}
			}
			return sum
		}
		inTable := func(keys []uintptr) (sum uint64) {
			for _, key := range keys {
				if v, ok := table.Lookup(key); ok {
					sum += v.size
				}
			}
			return sum
		}
		r := rand.New(rand.NewPCG(2, 2))
		r.Shuffle(n, func(i, j int) { in[i], in[j] = in[j], in[i] })
		mixed := slices.Concat(in[:n/2], out[:n/2])
		r.Shuffle(len(mixed), func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
		b.Run(fmt.Sprintf("%d/hit", n), func(b *testing.B) { takeTurns(b, in, inMap, inTable) })
		b.Run(fmt.Sprintf("%d/miss", n), func(b *testing.B) { takeTurns(b, out, inMap, inTable) })
		b.Run(fmt.Sprintf("%d/mixed", n), func(b *testing.B) { takeTurns(b, mixed, inMap, inTable) })
	}
}

// takeTurns runs two functions that add the values of keys, alternately. It reports the nanoseconds
// per key for each function.
func takeTurns(b *testing.B, keys []uintptr, inMap, inTable func([]uintptr) uint64) {
	const least = 1 << 14 // minimum number of keys, to make clock reads negligible
	rounds := max(1, least/len(keys))
	var ofMap, ofTable []float64
	pass := func(sum func([]uintptr) uint64) (total uint64, ns float64) {
		start := time.Now()
		for range rounds {
			total += sum(keys)
		}
		return total, float64(time.Since(start).Nanoseconds()) / float64(rounds*len(keys))
	}
	for done := 0; done < b.N; done += rounds * len(keys) {
		want, ns := pass(inMap)
		ofMap = append(ofMap, ns)
		got, ns := pass(inTable)
		ofTable = append(ofTable, ns)
		if got != want {
			b.Fatalf("the table's values sum to %d, the map's to %d", got, want)
		}
	}
	slices.Sort(ofMap)
	slices.Sort(ofTable)
	m, t := ofMap[len(ofMap)/2], ofTable[len(ofTable)/2]
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(m, "map-ns/key")
	b.ReportMetric(t, "table-ns/key")
	b.ReportMetric(m/t, "map/table")
}

// BenchmarkChurn measures a tracker with a nearly full table, which removes one allocation and
// records another.
func BenchmarkChurn(b *testing.B) {
	for _, n := range sizes {
		in, out := addresses(n)
		b.Run(fmt.Sprintf("%d/map", n), func(b *testing.B) {
			reference := make(map[uintptr]record, n)
			for _, key := range in {
				reference[key] = record{}
			}
			old, fresh := in, out
			b.ResetTimer()
			for i, k := 0, 0; i < b.N; i++ {
				delete(reference, old[k])
				reference[fresh[k]] = record{size: uint64(i)}
				if k++; k == n {
					k, old, fresh = 0, fresh, old
				}
			}
		})
		b.Run(fmt.Sprintf("%d/Table", n), func(b *testing.B) {
			table := NewTable[record](n)
			for _, key := range in {
				if err := table.Insert(key, record{}); err != nil {
					b.Fatal(err)
				}
			}
			old, fresh := in, out
			b.ResetTimer()
			for i, k := 0, 0; i < b.N; i++ {
				if _, ok := table.Delete(old[k]); !ok {
					b.Fatal("an entry is missing")
				}
				if err := table.Insert(fresh[k], record{size: uint64(i)}); err != nil {
					b.Fatal(err)
				}
				if k++; k == n {
					k, old, fresh = 0, fresh, old
				}
			}
		})
	}
}
