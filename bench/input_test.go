package bench

import (
	"bytes"
	"slices"
	"testing"
)

func TestInputsAreDistinctAndRepeatable(t *testing.T) {
	const n = 20_000
	names := Names(n)
	if !slices.Equal(names, Names(n)) {
		t.Error("two calls of Names differ")
	}
	for i, s := range names {
		if len(s) < 12 || len(s) > 40 {
			t.Errorf("name %d %q has %d bytes", i, s, len(s))
		}
	}
	if d := Draws(names, 100); !slices.Equal(d, Draws(names, 100)) || len(d) != 100 {
		t.Error("two calls of Draws differ")
	} else if !slices.Contains(names, d[99]) {
		t.Errorf("%q was drawn but is not in the list", d[99])
	}
	slices.Sort(names)
	if left := len(slices.Compact(names)); left != n {
		t.Errorf("%d distinct names of %d", left, n)
	}

	in, between := Addresses(n)
	all := slices.Concat(in, between)
	if len(in) != n || len(between) != n {
		t.Errorf("%d and %d addresses, want %d", len(in), len(between), n)
	}
	slices.Sort(all)
	if left := len(slices.Compact(all)); left != 2*n {
		t.Errorf("%d distinct addresses of %d", left, 2*n)
	}
	if !bytes.Equal(Bytes(100), Bytes(200)[:100]) {
		t.Error("Bytes of two lengths begin differently")
	}
}
