package crcslice8

import (
	"testing"

	"pgregory.net/rapid"
)

// isMultiple reports whether m has the documented form and is a multiple of poly.
func isMultiple(m *multiple, poly uint32) bool {
	a, c := m.degree-m.near, m.degree-m.far
	if m.near < minTap || m.degree > maxDegree || c-8 < minTerm || c >= a || c == a-8 {
		return false
	}
	x := powersOfX(poly, m.degree)
	return x[m.degree]^x[a]^x[a-8]^x[c]^x[c-8]^1 == 0
}

func TestKnownMultiples(t *testing.T) {
	for _, m := range models32() {
		known := knownMultiple(uint32(m.Poly))
		if known == nil {
			t.Errorf("%s: none is listed", m.Name)
			continue
		}
		if !isMultiple(known, uint32(m.Poly)) {
			t.Errorf("%s: %+v is none", m.Name, *known)
		}
		if found := searchMultiple(uint32(m.Poly)); found == nil || *found != *known {
			t.Errorf("%s: the search finds %+v, the list has %+v", m.Name, found, *known)
		}
	}
}

func TestPolynomialsWithoutMultiple(t *testing.T) {
	for _, poly := range []uint32{0, 2, 0x80000000, 0xfffffffe, 0xe7d148c5} {
		if m := searchMultiple(poly); m != nil {
			t.Errorf("%08x: %+v", poly, *m)
		}
		crc := New(Model{Width: 32, Poly: uint64(poly)})
		if got := crc.multipleFor(1 << 20); got != nil {
			t.Errorf("%08x: folds with %+v", poly, *got)
		}
	}
}

func TestSearchFindsMultiples(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		poly := rapid.Uint32().Draw(t, "poly")
		if m := searchMultiple(poly); m != nil && !isMultiple(m, poly) {
			t.Fatalf("%+v is none", *m)
		}
	})
	// Only one in a few hundred of these polynomials may have no multiple.
	found := 0
	for i := range uint32(20) {
		if searchMultiple(i*0x9e3779b1<<1|1) != nil {
			found++
		}
	}
	if found < 18 {
		t.Errorf("found for %d of 20 polynomials", found)
	}
}
