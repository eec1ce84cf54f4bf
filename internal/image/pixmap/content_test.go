package pixmap

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAnalyse(t *testing.T) {
	for _, tc := range []struct {
		name string
		pix  []byte
		want Content
	}{
		{"colors", []byte{1, 2, 3, 255, 4, 5, 6, 255}, Content{Opaque: true, Colors: 2}},
		{"one color", []byte{1, 2, 3, 255, 1, 2, 3, 255}, Content{Opaque: true, Blue: true, Colors: 1}},
		{"alpha", []byte{1, 2, 3, 254, 1, 2, 4, 254}, Content{Colors: 2}},
		{"alpha changes", []byte{1, 2, 3, 255, 1, 2, 3, 9}, Content{Blue: true, Colors: 2}},
		{"gray", []byte{1, 1, 1, 255, 7, 7, 7, 255}, Content{Opaque: true, One: "rrr1", Colors: 2}},
		{"gray once", []byte{1, 1, 1, 255, 7, 7, 8, 255}, Content{Opaque: true, Colors: 2}},
		{"one gray", []byte{7, 7, 7, 255, 7, 7, 7, 255}, Content{Opaque: true, One: "rrr1", Blue: true, Colors: 1}},
		{"gray that fades", []byte{1, 1, 1, 1, 7, 7, 7, 7}, Content{One: "rrrr", Colors: 2}},
		{"red alone", []byte{1, 0, 0, 255, 7, 0, 0, 255}, Content{Opaque: true, One: "r001", Blue: true, Colors: 2}},
		{"green alone", []byte{255, 1, 0, 255, 255, 0, 0, 255}, Content{Opaque: true, One: "1g01", Blue: true, Colors: 2}},
		{"green and blue", []byte{255, 1, 1, 255, 255, 0, 0, 255}, Content{Opaque: true, One: "1gg1", Colors: 2}},
		{"alpha over white", []byte{255, 255, 255, 255, 255, 255, 255, 5}, Content{One: "111a", Blue: true, Colors: 2}},
		{"nothing", []byte{0, 0, 0, 255, 0, 0, 0, 255}, Content{Opaque: true, One: "0001", Blue: true, Colors: 1}},
		{"red beside a constant", []byte{1, 9, 0, 255, 7, 9, 0, 255}, Content{Opaque: true, Blue: true, Colors: 2}},
		{"normals", []byte{128, 128, 255, 255, 255, 128, 140, 255}, Content{Opaque: true, Colors: 2}},
		{"half normals", []byte{128, 128, 255, 255, 255, 254, 255, 255}, Content{Opaque: true, Blue: true, Colors: 2}},
		{"inwards", []byte{128, 127, 0, 255, 128, 127, 0, 255}, Content{Opaque: true, Blue: true, Colors: 1}},
	} {
		for _, d := range []Depth{Bits8, Bits16, Float} {
			got, err := Analyse(t.Context(), deep(of(2, 1, tc.pix...), d), 8)
			if err != nil {
				t.Fatal(err)
			}
			got.Vectors, got.Gray, got.Red, got.Flat, got.Apart = Vectors{}, 0, 0, 0, false
			got.Fine = got.Fine && d != Float // half-precision floats cannot represent all multiples of 1/255
			if d := cmp.Diff(tc.want, got); d != "" {
				t.Errorf("%s: %s", tc.name, d)
			}
		}
	}
	m := New(16, 16, Bits8)
	for i := range m.Pix8 {
		m.Pix8[i] = byte(i / 4)
	}
	for _, tc := range [][2]int{{0, 1}, {100, 101}, {255, 256}, {256, 256}, {999, 256}} {
		if got, err := Analyse(t.Context(), m, tc[0]); err != nil || got.Colors != tc[1] {
			t.Errorf("counting to %d: %d colors, error %v; want %d", tc[0], got.Colors, err, tc[1])
		}
	}
}

// TestFineNumbersNeedTheirBits checks that a map of 16 bits is fine unless the two bytes of each
// value are equal. A map of floats is fine unless half-precision floats can hold every value.
func TestFineNumbersNeedTheirBits(t *testing.T) {
	for _, tc := range []struct {
		m    *Map
		want bool
	}{
		{&Map{W: 1, H: 1, Pix8: []uint8{1, 2, 3, 4}}, false},
		{&Map{W: 1, H: 1, Pix16: []uint16{0, 257, 0xabab, 65535}}, false},
		{&Map{W: 2, H: 1, Pix16: []uint16{0, 257, 0xabab, 65535, 0, 256, 0, 65535}}, true},
		{&Map{W: 1, H: 1, Pix16: []uint16{1, 0, 0, 65535}}, true},
		{&Map{W: 2, H: 1, PixF: []float32{0, 65504, -2, 1, 0x1p-24, 0x3ffp-24, -0x1p-14, 1}}, false},
		{&Map{W: 1, H: 1, PixF: []float32{65505, 0, 0, 1}}, true},
		{&Map{W: 1, H: 1, PixF: []float32{0, 0x1p-25, 0, 1}}, true},
		{&Map{W: 1, H: 1, PixF: []float32{0, 0, 2049, 1}}, true},
		{&Map{W: 1, H: 1, PixF: []float32{131072, 0, 0, 1}}, true},
	} {
		if got, err := Analyse(t.Context(), tc.m, 8); err != nil || got.Fine != tc.want {
			t.Errorf("%+v: fine %v, %v", tc.m, got.Fine, err)
		}
	}
}

// TestRepeatedPixelsAreFlat checks that Flat counts the pixels that equal the previous pixel. The
// pixel before the first pixel of a row is the last pixel of the row above.
func TestRepeatedPixelsAreFlat(t *testing.T) {
	for _, d := range []Depth{Bits8, Bits16, Float} {
		c, err := Analyse(t.Context(), deep(of(2, 2, 1, 1, 1, 9, 1, 1, 1, 9, 1, 1, 1, 9, 2, 1, 1, 9), d), 8)
		if err != nil || c.Flat != 0.75 {
			t.Errorf("depth %d: %v, error %v; want 0.75", d, c.Flat, err)
		}
	}
}

func TestUncorrelatedChannelsAreApart(t *testing.T) {
	for _, tc := range []struct {
		name string
		pix  []byte
		want bool
	}{
		{"one color", []byte{1, 2, 3, 255, 1, 2, 3, 255, 1, 2, 3, 255, 1, 2, 3, 255}, false},
		{"gray", []byte{1, 1, 1, 255, 9, 9, 9, 255, 60, 60, 60, 255, 7, 7, 7, 255}, false},
		{"shades of brown", []byte{90, 60, 30, 255, 120, 80, 41, 255, 200, 130, 66, 255, 15, 10, 5, 255}, false},
		{"red and green are the same everywhere", []byte{1, 1, 9, 255, 1, 1, 30, 255, 1, 1, 60, 255, 1, 1, 2, 255}, true},
		{"red is the same everywhere", []byte{255, 60, 30, 255, 255, 80, 41, 255, 255, 130, 66, 255, 255, 10, 5, 255}, true},
		{"red is about the same everywhere", []byte{255, 60, 30, 255, 254, 80, 41, 255, 255, 130, 66, 255, 255, 10, 5, 255}, true},
		{"about one color", []byte{9, 2, 3, 255, 9, 3, 3, 255, 9, 2, 3, 255, 9, 2, 3, 255}, false},
		{"blue falls as green rises", []byte{10, 60, 130, 255, 20, 80, 90, 255, 30, 130, 80, 255, 2, 10, 200, 255}, true},
		{"nothing in common", []byte{0, 0, 200, 255, 0, 200, 200, 255, 200, 0, 0, 255, 200, 200, 0, 255}, true},
		{"much in common", []byte{0, 10, 0, 255, 100, 60, 90, 255, 200, 220, 255, 255, 240, 180, 90, 255}, false},
	} {
		for _, d := range []Depth{Bits8, Bits16, Float} {
			got, err := Analyse(t.Context(), deep(of(2, 2, tc.pix...), d), 8)
			if want := tc.want && d != Float; err != nil || got.Apart != want {
				t.Errorf("%s, depth %d: %v, error %v; want %v", tc.name, d, got.Apart, err, want)
			}
		}
	}
}

// TestNearlyGrayAndRedCount checks that gray and red pixels are counted despite the errors of JPEG.
func TestNearlyGrayAndRedCount(t *testing.T) {
	for _, tc := range []struct {
		name      string
		pix       []byte
		gray, red float64
	}{
		{"gray", []byte{9, 9, 9, 255, 200, 200, 200, 1, 9, 9, 9, 9, 60, 60, 60, 9}, 1, 0.5},
		{"noise", []byte{100, 110, 120, 255, 131, 100, 100, 255, 132, 100, 100, 255, 100, 100, 140, 255}, 0.5, 0},
		{"red", []byte{255, 31, 0, 255, 255, 0, 31, 255, 255, 32, 0, 255, 255, 0, 32, 255}, 0, 0.5},
	} {
		for _, d := range []Depth{Bits8, Bits16, Float} {
			got, err := Analyse(t.Context(), deep(of(2, 2, tc.pix...), d), 8)
			if err != nil || got.Gray != tc.gray || got.Red != tc.red {
				t.Errorf("%s, depth %d: %v gray, %v red, error %v; want %v, %v", tc.name, d, got.Gray, got.Red, err, tc.gray, tc.red)
			}
		}
	}
}

// TestGray compares Gray with JPEG's luma. Black and white must be exact.
func TestGray(t *testing.T) {
	for _, d := range []Depth{Bits8, Bits16} {
		m := deep(of(2, 2, 255, 0, 0, 7, 0, 255, 0, 8, 0, 0, 255, 9, 255, 255, 255, 10), d)
		if err := Gray(t.Context(), m); err != nil {
			t.Fatal(err)
		}
		if want := of(2, 2, 76, 76, 76, 7, 150, 150, 150, 8, 29, 29, 29, 9, 255, 255, 255, 10); d == Bits8 {
			if d := cmp.Diff(want, m); d != "" {
				t.Error(d)
			}
		} else if got := m.Pix16; got[0] != 19595 || got[5] != 38469 || got[10] != 7471 || got[12] != 65535 {
			t.Errorf("%v", got)
		}
	}
}

func TestOpaque(t *testing.T) {
	for _, d := range []Depth{Bits8, Bits16, Float} {
		m := of(2, 2, 1, 1, 1, 255, 1, 1, 1, 255, 1, 1, 1, 255, 1, 1, 1, 255)
		if got, err := Opaque(t.Context(), deep(m, d)); !got || err != nil {
			t.Errorf("depth %d: opaque is %v, error %v", d, got, err)
		}
		m.Pix8[7] = 254
		if got, err := Opaque(t.Context(), deep(m, d)); got || err != nil {
			t.Errorf("depth %d: with one hole opaque is %v, error %v", d, got, err)
		}
	}
}

func TestVectors(t *testing.T) {
	for _, tc := range []struct {
		name string
		pix  []byte
		want Vectors
	}{
		{"flat", []byte{128, 128, 255, 128, 128, 255, 128, 128, 255, 128, 128, 255}, Vectors{Unit: 1, Near: 1, Sphere: 1, Tilt: 0.004}},
		{"to all sides", []byte{255, 128, 140, 0, 128, 140, 128, 255, 140, 128, 0, 140}, Vectors{Unit: 1, Near: 1, Sphere: 1, Tilt: 0.002}},
		{"leaning", []byte{255, 128, 140, 255, 128, 140, 128, 128, 255, 128, 128, 255}, Vectors{Unit: 1, Near: 1, Sphere: 1, Tilt: 0.502}},
		{"the other way", []byte{128, 0, 140, 128, 0, 140, 128, 128, 255, 128, 128, 255}, Vectors{Unit: 1, Near: 1, Sphere: 1, Tilt: 0.498}},
		{"short and long", []byte{128, 128, 230, 128, 128, 210, 190, 128, 255, 220, 200, 255}, Vectors{Unit: 0, Near: 0.5, Tilt: 0.306}},
		{"inwards", []byte{128, 128, 0, 128, 128, 0, 128, 128, 0, 128, 128, 255}, Vectors{Unit: 0.25, Near: 0.25, Sphere: 1, Tilt: 0.004}},
		{"black between", []byte{0, 0, 0, 0, 0, 0, 0, 0, 0, 128, 128, 255}, Vectors{Unit: 1, Near: 1, Sphere: 1, Tilt: 0.004}},
		{"all black", make([]byte, 12), Vectors{}},
		{"photo", []byte{255, 255, 255, 200, 10, 60, 90, 90, 80, 30, 200, 140}, Vectors{Unit: 0.25, Near: 0.25, Sphere: 0.25, Tilt: 0.127}},
	} {
		m := New(2, 2, Bits8)
		for i := range 4 {
			copy(m.Pix8[4*i:], append(tc.pix[3*i:3*i+3:3*i+3], 255))
		}
		for _, d := range []Depth{Bits8, Bits16, Float} {
			c, err := Analyse(t.Context(), deep(m, d), 8)
			if err != nil {
				t.Fatal(err)
			}
			got := c.Vectors
			if got.Unit != tc.want.Unit || got.Near != tc.want.Near || got.Sphere != tc.want.Sphere || math.Abs(got.Tilt-tc.want.Tilt) > 0.001 {
				t.Errorf("%s: %+v, want %+v", tc.name, got, tc.want)
			}
		}
	}
}
