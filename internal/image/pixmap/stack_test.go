package pixmap

import (
	"slices"
	"testing"
)

func TestStack(t *testing.T) {
	m := New(4, 4, Bits8)
	for i := range 16 {
		m.Pix8[4*i] = byte(i)
	}
	got, err := Stack(t.Context(), m, 2, 2)
	if err != nil || got.W != 2 || got.H != 8 {
		t.Fatal(got, err)
	}
	var reds []byte
	for i := range 16 {
		reds = append(reds, got.Pix8[4*i])
	}
	if want := []byte{0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15}; !slices.Equal(reds, want) {
		t.Errorf("%v, want %v", reds, want)
	}
	for _, side := range []int{0, 3} {
		if _, err := Stack(t.Context(), m, 2, side); err == nil {
			t.Errorf("tiles of 2 x %d: no error", side)
		}
	}
}
