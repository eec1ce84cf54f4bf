package pixmap

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFlip(t *testing.T) {
	for _, tc := range []struct {
		x, y bool
		want []byte // one byte for each pixel
	}{
		{false, false, []byte{1, 2, 3, 4, 5, 6, 7, 8, 9}},
		{true, false, []byte{3, 2, 1, 6, 5, 4, 9, 8, 7}},
		{false, true, []byte{7, 8, 9, 4, 5, 6, 1, 2, 3}},
		{true, true, []byte{9, 8, 7, 6, 5, 4, 3, 2, 1}},
	} {
		for _, d := range []Depth{Bits8, Bits16, Float} {
			fill := func(pix []byte) *Map {
				m := New(3, 3, Bits8)
				for i, v := range pix {
					copy(m.Pix8[4*i:], []byte{v, v + 20, v + 40, v + 60})
				}
				return deep(m, d)
			}
			m := fill([]byte{1, 2, 3, 4, 5, 6, 7, 8, 9})
			if err := Flip(t.Context(), m, tc.x, tc.y); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(fill(tc.want), m); d != "" {
				t.Errorf("x %v, y %v: %s", tc.x, tc.y, d)
			}
		}
	}
}

func TestFlipOfTwoRows(t *testing.T) {
	m := of(1, 2, 1, 2, 3, 4, 5, 6, 7, 8)
	if err := Flip(t.Context(), m, false, true); err != nil || !cmp.Equal(m.Pix8, []byte{5, 6, 7, 8, 1, 2, 3, 4}) {
		t.Errorf("pixels %v, error %v", m.Pix8, err)
	}
}
