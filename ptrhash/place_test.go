package ptrhash

import (
	"math/bits"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// clashing returns n keys of bucket 3 in a table with minSlots slots. If oneHome is set, all keys
// have the same home slot. Otherwise their home slots differ.
func clashing(n int, oneHome bool) []uintptr {
	table := NewTable[int](0)
	var keys []uintptr
	var homes []uint64
	for key := uintptr(1); len(keys) < n; key++ {
		h := mix(key)
		if h>>table.shift != 3 || slices.Contains(homes, h&table.mask) != oneHome && len(keys) > 0 {
			continue
		}
		keys, homes = append(keys, key), append(homes, h&table.mask)
	}
	return keys
}

// TestClashingKeysAreListed checks that the keys of TestTableAgreesWithMap reach the rare cases.
func TestClashingKeysAreListed(t *testing.T) {
	for _, tt := range []struct {
		name   string
		keys   []uintptr
		listed bool
	}{
		{"different homes", clashing(maxMoved/2, false), false},
		{"one home", clashing(2, true), true},
		{"too many to move", append(clashing(maxMoved+1, false), clashing(2, true)[1]), true},
	} {
		table := NewTable[int](minSlots / slotsPerEntry)
		for i, key := range tt.keys {
			if err := table.Insert(key, i+1); err != nil {
				t.Fatal(err)
			}
		}
		check(t, table)
		if got := slices.Contains(table.disp, listed); got != tt.listed {
			t.Errorf("%s: a bucket is listed: %v, want %v", tt.name, got, tt.listed)
		}
		for i, key := range tt.keys {
			if v, ok := table.Lookup(key); !ok || v != i+1 {
				t.Errorf("%s: Lookup(%#x) = %d, %v, want %d", tt.name, key, v, ok, i+1)
			}
		}
	}
}

// TestListedBucketRecovers expects a bucket with a list to get a displacement again when one
// exists.
func TestListedBucketRecovers(t *testing.T) {
	keys := append(clashing(2, true), clashing(4, false)[2:]...)
	table := NewTable[int](4)
	for _, key := range keys[:2] {
		if err := table.Insert(key, 1); err != nil {
			t.Fatal(err)
		}
	}
	if table.disp[3] != listed {
		t.Fatalf("two keys of one home have displacement %d", table.disp[3])
	}
	table.Delete(keys[0])
	if err := table.Insert(keys[2], 1); err != nil {
		t.Fatal(err)
	}
	check(t, table)
	if table.disp[3] == listed {
		t.Error("the bucket is still listed after one of the two keys left and another came")
	}
}

// TestChurnDoesNotWearOut makes many insertions and removals in a full table, and expects few
// entries in lists.
func TestChurnDoesNotWearOut(t *testing.T) {
	const n = 1 << 12
	in, out := addresses(n)
	table := NewTable[int](n)
	for _, key := range in {
		if err := table.Insert(key, 1); err != nil {
			t.Fatal(err)
		}
	}
	for range 10 {
		for i := range in {
			if _, ok := table.Delete(in[i]); !ok {
				t.Fatalf("key %#x is lost", in[i])
			}
			if err := table.Insert(out[i], 1); err != nil {
				t.Fatal(err)
			}
		}
		in, out = out, in
	}
	check(t, table)
	found := 0
	for b, head := range table.heads {
		for i := head; i != 0 && table.disp[b] == listed; i = table.next[i-1] {
			found++
		}
	}
	if found > n/100 {
		t.Errorf("%d of %d entries are in lists, want at most 1 in 100", found, n)
	}
}

// TestMixIsABijection inverts mix. If mix were not a bijection, a bucket's list could be long for
// some keys.
func TestMixIsABijection(t *testing.T) {
	if bits.UintSize < 64 {
		return // 64-bit keys include all 32-bit keys
	}
	steps := []struct {
		mul   uint64
		shift uint
	}{{1, 33}, {0xff51afd7ed558ccd, 33}, {0xc4ceb9fe1a85ec53, 0}}
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.Uint64().Draw(t, "key")
		h := mix(uintptr(key))
		for i := len(steps) - 1; i >= 0; i-- {
			if s := steps[i].shift; s != 0 {
				h ^= h >> s // this step is its own inverse, because 2*33 > 64
			}
			// Five steps of Newton's method give the inverse of an odd number modulo 2^64.
			inverse := steps[i].mul
			for range 5 {
				inverse *= 2 - steps[i].mul*inverse
			}
			h *= inverse
		}
		if h != key {
			t.Fatalf("the inverse of mix(%#x) is %#x", key, h)
		}
	})
}
