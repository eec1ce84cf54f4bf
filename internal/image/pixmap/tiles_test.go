package pixmap

import (
	"slices"
	"strings"
	"testing"
)

// TestFacesComeOutUpright draws each face into the layout with its number and its corners, and
// expects Faces to return it upright.
func TestFacesComeOutUpright(t *testing.T) {
	const side = 3
	for _, tc := range []struct {
		name   string
		layout string // numbers of the faces, one character per cell
	}{
		{"lying cross", ".2..\n1405\n.3.."},
		{"upright cross", ".2.\n140\n.3.\n.5."},
		{"row", "012345"},
		{"column", "0\n1\n2\n3\n4\n5"},
	} {
		for _, d := range []Depth{Bits8, Bits16, Float} {
			rows := strings.Split(tc.layout, "\n")
			m := New(side*len(rows[0]), side*len(rows), Bits8)
			for y := range m.H {
				for x := range m.W {
					cell, fx, fy := rows[y/side][x/side], x%side, y%side
					if cell == '5' && tc.name == "upright cross" {
						fx, fy = side-1-fx, side-1-fy // this layout stores -Z upside down
					}
					copy(m.Pix8[4*(m.W*y+x):], []byte{cell, byte(fx), byte(fy), 255})
				}
			}
			faces, err := Faces(t.Context(), deep(m, d))
			if err != nil || len(faces) != 6 {
				t.Fatalf("%s: %d faces, error %v", tc.name, len(faces), err)
			}
			if got := FaceSide(m.W, m.H); got != side {
				t.Errorf("%s: sides of %d pixels", tc.name, got)
			}
			for i, f := range faces {
				for y := range side {
					for x := range side {
						want := pixelAt(deep(of(1, 1, byte('0'+i), byte(x), byte(y), 255), d), 0)
						if got := pixelAt(f, side*y+x); got != want {
							t.Fatalf("%s: face %d at %d, %d is %v, want %v", tc.name, i, x, y, got, want)
						}
					}
				}
			}
		}
	}
	for _, size := range [][2]int{{1, 1}, {4, 4}, {5, 4}, {12, 3}, {7, 1}, {4, 2}, {5, 3}, {3, 5}} {
		if _, err := Faces(t.Context(), New(size[0], size[1], Bits8)); err == nil || FaceSide(size[0], size[1]) != 0 {
			t.Errorf("%v: no error", size)
		}
	}
}

func TestTilesAreStackedInOrder(t *testing.T) {
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
