package ptrhash

import (
	"errors"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// check fails the test unless the parts of the table are consistent.
func check(t interface{ Fatalf(string, ...any) }, table *Table[int]) {
	slots, entries, used := uint64(len(table.keys)), 0, 0
	if slots&(slots-1) != 0 || table.mask != slots-1 || slots < uint64(2*table.cap) {
		t.Fatalf("%d slots, mask %#x, for %d entries", slots, table.mask, table.cap)
	}
	for b, head := range table.heads {
		d := table.disp[b]
		if head == 0 && d != 0 {
			t.Fatalf("bucket %d is empty and has displacement %d", b, d)
		}
		for i := head; i != 0; i = table.next[i-1] {
			slot, key := uint64(i-1), table.keys[i-1]
			h := mix(key)
			switch {
			case key == 0:
				t.Fatalf("bucket %d lists slot %d, which is free", b, slot)
			case h>>table.shift != uint64(b):
				t.Fatalf("bucket %d lists key %#x of bucket %d", b, key, h>>table.shift)
			case d != listed && table.slot(h, d) != slot:
				t.Fatalf("key %#x is in slot %d, its bucket's displacement says %d", key, slot, table.slot(h, d))
			}
			if entries++; entries > table.len {
				t.Fatalf("the lists have more than %d entries", table.len)
			}
		}
	}
	for slot, key := range table.keys {
		if bit := table.used[slot/64]>>(slot%64)&1 == 1; bit != (key != 0) {
			t.Fatalf("slot %d has key %#x and is marked used: %v", slot, key, bit)
		}
		if key == 0 && table.vals[slot] != 0 {
			t.Fatalf("free slot %d keeps value %d alive", slot, table.vals[slot])
		}
		if key != 0 {
			used++
		}
	}
	if entries != table.len || used != table.len {
		t.Fatalf("%d entries in lists, %d in slots, Len is %d", entries, used, table.len)
	}
}

func TestTableAgreesWithMap(t *testing.T) {
	pools := map[string]func(n int) []uintptr{
		"addresses":       func(n int) []uintptr { in, _ := addresses(n); return in },
		"one bucket":      func(n int) []uintptr { return clashing(n, false) },
		"one slot":        func(n int) []uintptr { return clashing(n, true) },
		"both":            func(n int) []uintptr { return append(clashing(n/2, false), clashing(n/2, true)[1:]...) },
		"small and large": func(n int) []uintptr { return smallAndLarge(n) },
	}
	for _, name := range slices.Sorted(maps.Keys(pools)) {
		pool := pools[name](60)
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { model(t, pool) })
		})
	}
}

func smallAndLarge(n int) []uintptr {
	var keys []uintptr
	for i := range uintptr(n / 2) {
		keys = append(keys, i+1, ^i)
	}
	return keys
}

func model(t *rapid.T, pool []uintptr) {
	capacity := rapid.IntRange(0, 50).Draw(t, "capacity")
	table, want := NewTable[int](capacity), map[uintptr]int{}
	key := rapid.Custom(func(t *rapid.T) uintptr { return rapid.SampledFrom(append(pool, 0)).Draw(t, "key") })
	t.Repeat(map[string]func(*rapid.T){
		"insert": func(t *rapid.T) {
			k, v := key.Draw(t, "key"), rapid.IntRange(1, 1000).Draw(t, "value")
			_, exists := want[k]
			var wantErr error
			switch {
			case k == 0:
				wantErr = errZeroKey
			case exists:
				wantErr = errExists
			case len(want) == capacity:
				wantErr = ErrFull
			default:
				want[k] = v
			}
			if err := table.Insert(k, v); !errors.Is(err, wantErr) {
				t.Fatalf("Insert(%#x): %v, want %v", k, err, wantErr)
			}
		},
		"delete": func(t *rapid.T) {
			k := key.Draw(t, "key")
			wantV, wantOK := want[k]
			places := map[uintptr]*int{}
			for k, v := range table.All() {
				places[k] = v
			}
			if v, ok := table.Delete(k); v != wantV || ok != wantOK {
				t.Fatalf("Delete(%#x) = %d, %v, want %d, %v", k, v, ok, wantV, wantOK)
			}
			delete(want, k)
			for other, place := range places {
				if other != k && table.At(other) != place {
					t.Fatalf("Delete(%#x) moved the value of %#x", k, other)
				}
			}
		},
		"update": func(t *rapid.T) {
			k := key.Draw(t, "key")
			if p := table.At(k); p != nil {
				*p++
				want[k]++
			}
		},
		"": func(t *rapid.T) {
			check(t, table)
			if table.Len() != len(want) || table.cap != capacity {
				t.Fatalf("Len %d, Cap %d, want %d, %d", table.Len(), table.cap, len(want), capacity)
			}
			for _, k := range append(pool, 0, ^uintptr(0)) {
				wantV, wantOK := want[k]
				if v, ok := table.Lookup(k); v != wantV || ok != wantOK {
					t.Fatalf("Lookup(%#x) = %d, %v, want %d, %v", k, v, ok, wantV, wantOK)
				}
			}
			got := map[uintptr]int{}
			for k, v := range table.All() {
				if _, twice := got[k]; twice {
					t.Fatalf("All yields %#x twice", k)
				}
				got[k] = *v
			}
			if !maps.Equal(got, want) {
				t.Fatalf("All yields %v, want %v", got, want)
			}
		},
	})
}

func TestDeleteWhileIterating(t *testing.T) {
	in, _ := addresses(1000)
	table := NewTable[int](len(in))
	for i, key := range in {
		if err := table.Insert(key, i+1); err != nil {
			t.Fatal(err)
		}
	}
	yielded := 0
	for key := range table.All() {
		yielded++
		table.Delete(key)
	}
	if yielded != len(in) || table.Len() != 0 {
		t.Errorf("%d of %d entries yielded, %d left", yielded, len(in), table.Len())
	}
	check(t, table)
	for range table.All() {
		t.Error("an empty table yields an entry")
	}
}

func TestAllStops(t *testing.T) {
	table := NewTable[int](2)
	for key := range uintptr(2) {
		if err := table.Insert(key+1, 1); err != nil {
			t.Fatal(err)
		}
	}
	yielded := 0
	for range table.All() {
		yielded++
		break
	}
	if yielded != 1 {
		t.Errorf("%d entries yielded, want 1", yielded)
	}
}

func TestCapacityOutOfRangePanics(t *testing.T) {
	for _, capacity := range []int{-1, maxCapacity + 1} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("NewTable(%d) did not panic", capacity)
				}
			}()
			NewTable[int](capacity)
		}()
	}
}

func TestKey(t *testing.T) {
	pair := new([2]int32)
	if a, b := Key(&pair[0]), Key(&pair[1]); a == 0 || b != a+4 {
		t.Errorf("keys %#x and %#x of two neighboring int32", a, b)
	}
	if Key[int](nil) != 0 {
		t.Error("the key of nil is not 0")
	}
}

func TestValueOfNoSize(t *testing.T) {
	table := NewTable[struct{}](1)
	if err := table.Insert(8, struct{}{}); err != nil {
		t.Fatal(err)
	}
	if _, ok := table.Lookup(8); !ok {
		t.Error("the inserted key is missing")
	}
	if _, ok := table.Lookup(16); ok {
		t.Error("a key that was not inserted was found")
	}
}

func TestTableDoesNotAllocate(t *testing.T) {
	const n = 1000
	in, out := addresses(n)
	table := NewTable[record](n)
	for _, key := range in {
		if err := table.Insert(key, record{}); err != nil {
			t.Fatal(err)
		}
	}
	i := 0
	if allocs := testing.AllocsPerRun(3*n, func() {
		k := i % n
		if k == 0 && i > 0 {
			in, out = out, in
		}
		i++
		_, deleted := table.Delete(in[k])
		if err := table.Insert(out[k], record{size: 1}); err != nil || !deleted {
			t.Fatal(err, deleted)
		}
		if v, ok := table.Lookup(out[k]); !ok || v.size != 1 {
			t.Fatal(v, ok)
		}
		table.At(in[k])
	}); allocs != 0 {
		t.Errorf("%v allocations for a Delete, an Insert and two lookups, want 0", allocs)
	}
}

func TestZeroTableHasNoRoom(t *testing.T) {
	var table Table[int]
	if _, ok := table.Lookup(^uintptr(0)); ok || table.At(8) != nil {
		t.Error("the zero Table has an entry")
	}
	if err := table.Insert(8, 1); err != ErrFull {
		t.Errorf("Insert: %v, want %v", err, ErrFull)
	}
	if _, ok := table.Delete(8); ok || table.Len() != 0 || table.cap != 0 {
		t.Errorf("Delete: %t, Len %d, Cap %d", ok, table.Len(), table.cap)
	}
	for range table.All() {
		t.Error("All yields something")
	}
}
