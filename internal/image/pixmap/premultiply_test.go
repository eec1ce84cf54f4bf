package pixmap

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPremultiply(t *testing.T) {
	for _, tc := range []struct {
		c    Color
		want []byte
	}{
		{Linear, []byte{100, 50, 0, 128, 0, 0, 0, 0, 1, 2, 3, 255}},
		{SRGB, []byte{147, 72, 0, 128, 0, 0, 0, 0, 1, 2, 3, 255}}, // half the light
	} {
		m := of(3, 1, 200, 100, 0, 128, 9, 8, 7, 0, 1, 2, 3, 255)
		if err := Premultiply(t.Context(), m, tc.c); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(tc.want, m.Pix8); d != "" {
			t.Errorf("color %d: %s", tc.c, d)
		}
	}
	m := &Map{W: 1, H: 1, PixF: []float32{8, 4, 2, 0.5}}
	if err := Premultiply(t.Context(), m, SRGB); err != nil || !cmp.Equal(m.PixF, []float32{4, 2, 1, 0.5}) {
		t.Errorf("floats become %v, error %v", m.PixF, err)
	}
}

// Colors stay where alpha is 0, and never become infinite.
func TestStraighten(t *testing.T) {
	pix := []float32{1, 2, 3, 0, 1, 2, 3, 0.5, 1, 2, 3, 1, 1, 1, 1, 2, 1e30, 0, 0, 0x1p-140}
	want := []float32{1, 2, 3, 0, 2, 4, 6, 0.5, 1, 2, 3, 1, 1, 1, 1, 1, math.MaxFloat32, 0, 0, 0x1p-140}
	if Straighten(pix); !cmp.Equal(pix, want) {
		t.Error(cmp.Diff(want, pix))
	}
}
