//go:build !race

// This test is excluded with the race detector, because sync.Pool then drops items at random.

package hashing

import (
	"bytes"
	"testing"
)

func TestSumAllocatesNothing(t *testing.T) {
	b := someBytes(100_000)
	for _, f := range registry {
		if n := testing.AllocsPerRun(100, func() { f.Sum(b) }); n != 0 {
			t.Errorf("%s one shot: %v allocations", f.Name, n)
		}
		if n := testing.AllocsPerRun(100, func() { f.Sum64(b) }); n != 0 {
			t.Errorf("%s as a word: %v allocations", f.Name, n)
		}
		h := f.New()
		out := make([]byte, 0, maxSize)
		if n := testing.AllocsPerRun(100, func() { h.Reset(); h.Write(b); h.Sum(out) }); n != 0 {
			t.Errorf("%s streaming: %v allocations", f.Name, n)
		}
		if f.Size > 16 {
			continue
		}
		if n := testing.AllocsPerRun(100, func() { f.Sum128(b) }); n != 0 {
			t.Errorf("%s as a number: %v allocations", f.Name, n)
		}
		s, r := NewSummer(f), bytes.NewReader(b)
		for _, want := range []Want{WantSum, WantDigest, WantSum | WantDigest} {
			n := testing.AllocsPerRun(100, func() {
				r.Reset(b)
				if _, err := s.Sum(t.Context(), r, want); err != nil {
					t.Fatal(err)
				}
			})
			if n != 0 {
				t.Errorf("%s Summer, want %b: %v allocations", f.Name, want, n)
			}
		}
	}
}

func TestKeyAllocatesNothing(t *testing.T) {
	k := NewKey("domain")
	fill := func() {
		k.Reset("domain")
		k.String("tag", "value")
		k.Uint64("n", 7)
		k.Strings("list", []string{"a", "b"})
		k.Digest("content", Digest{1})
		k.Sum()
	}
	if n := testing.AllocsPerRun(100, fill); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
