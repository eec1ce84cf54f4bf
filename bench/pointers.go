package bench

import (
	"fmt"
	"sync"
	"testing"

	"github.com/assetcook/assetcook/ptrhash"
)

// Record is an allocation tracker's typical record.
type Record struct {
	Size  uint64
	Site  uint32
	Group uint32
}

// Pointers returns two lookup benchmarks for one goroutine: a full ptrhash.Table against a map and
// a sync.Map, with all addresses present (hit) and all absent (miss). It also returns the n
// addresses; every table maps keys[i] to a Record of size i+1.
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
