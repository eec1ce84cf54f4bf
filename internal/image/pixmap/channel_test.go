package pixmap

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseChannel(t *testing.T) {
	for _, s := range []string{"r", "g", "b", "a", "0", "1", "1-r", "1-a"} {
		if c, err := ParseChannel(s); err != nil || c.String() != s {
			t.Errorf("%q is read as %q, error %v", s, c, err)
		}
	}
	for _, s := range []string{"", "x", "rg", "1-", "1-0", "1-1", "1-1-r", "R", "2"} {
		if c, err := ParseChannel(s); err == nil {
			t.Errorf("%q is read as %q", s, c)
		}
	}
}

func TestSpreadXY(t *testing.T) {
	for _, d := range []Depth{Bits8, Bits16, Float} {
		m := deep(of(2, 1, 10, 20, 30, 255, 50, 60, 70, 255), d)
		if err := SpreadXY(t.Context(), m); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(deep(of(2, 1, 10, 10, 10, 20, 50, 50, 50, 60), d), m); d != "" {
			t.Error(d)
		}
	}
}

func TestAssemble(t *testing.T) {
	a, b := of(2, 1, 10, 20, 30, 40, 50, 60, 70, 80), of(2, 1, 1, 2, 3, 4, 5, 6, 7, 8)
	part := func(m *Map, s string) Part {
		c, err := ParseChannel(s)
		if err != nil {
			t.Fatal(err)
		}
		return Part{m, c}
	}
	for _, tc := range []struct {
		name  string
		parts [4]Part
		want  []byte
	}{
		{"as it is", [4]Part{part(a, "r"), part(a, "g"), part(a, "b"), part(a, "a")}, a.Pix8},
		{"turned round", [4]Part{part(a, "a"), part(a, "b"), part(a, "g"), part(a, "r")}, []byte{40, 30, 20, 10, 80, 70, 60, 50}},
		{"packed", [4]Part{part(a, "r"), part(b, "r"), part(b, "g"), part(nil, "1")}, []byte{10, 1, 2, 255, 50, 5, 6, 255}},
		{"inverted", [4]Part{part(a, "1-r"), part(b, "1-a"), part(nil, "0"), part(a, "g")}, []byte{245, 251, 0, 20, 205, 247, 0, 60}},
	} {
		for _, d := range []Depth{Bits8, Bits16, Float} {
			parts := tc.parts
			for i, p := range parts {
				if p.From != nil {
					parts[i].From = deep(p.From, d)
				}
			}
			got, err := Assemble(t.Context(), 2, 1, d, parts)
			if err != nil {
				t.Fatal(err)
			}
			near := cmp.Comparer(func(a, b float32) bool { return a-b < 1e-6 && b-a < 1e-6 })
			if d := cmp.Diff(deep(of(2, 1, tc.want...), d), got, near); d != "" {
				t.Errorf("%s: %s", tc.name, d)
			}
		}
	}
	for _, tc := range []struct {
		want string
		part Part
	}{
		{"2 x 2 pixels, but the other images have 2 x 1", part(New(2, 2, Bits8), "r")},
		{"another bit depth", part(New(2, 1, Float), "r")},
		{"channel b has no source", part(nil, "r")},
		{"channel b has no source", Part{a, Channel{}}},
	} {
		_, err := Assemble(t.Context(), 2, 1, Bits8, [4]Part{part(a, "r"), part(a, "g"), tc.part, part(a, "a")})
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("error %v, want %q", err, tc.want)
		}
	}
}

func TestInvert(t *testing.T) {
	m := of(2, 1, 1, 2, 3, 4, 250, 251, 252, 253)
	if err := Invert(t.Context(), m, 'g'); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(of(2, 1, 1, 253, 3, 4, 250, 4, 252, 253), m); d != "" {
		t.Error(d)
	}
}

func TestPremultiply(t *testing.T) {
	for _, tc := range []struct {
		c    Color
		want []byte
	}{
		{Linear, []byte{100, 50, 0, 128, 0, 0, 0, 0, 1, 2, 3, 255}},
		{SRGB, []byte{147, 72, 0, 128, 0, 0, 0, 0, 1, 2, 3, 255}}, // colors are halved in linear light
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

// TestStraighten checks that colors are unchanged where alpha is 0, and that no color becomes
// infinite.
func TestStraighten(t *testing.T) {
	pix := []float32{1, 2, 3, 0, 1, 2, 3, 0.5, 1, 2, 3, 1, 1, 1, 1, 2, 1e30, 0, 0, 0x1p-140}
	want := []float32{1, 2, 3, 0, 2, 4, 6, 0.5, 1, 2, 3, 1, 1, 1, 1, 1, math.MaxFloat32, 0, 0, 0x1p-140}
	if Straighten(pix); !cmp.Equal(pix, want) {
		t.Error(cmp.Diff(want, pix))
	}
}
