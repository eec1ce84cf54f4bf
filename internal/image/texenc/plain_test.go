package texenc

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/texture"
	"github.com/google/go-cmp/cmp"
)

func TestTexels(t *testing.T) {
	bytes := &pixmap.Map{W: 2, H: 1, Pix8: []uint8{0, 1, 128, 255, 255, 254, 64, 85}}
	words := &pixmap.Map{W: 2, H: 1, Pix16: []uint16{0, 128, 129, 65535, 65535, 32, 33, 32767}}
	light := &pixmap.Map{W: 2, H: 1, PixF: []float32{-1, 0.5, 2, 1, float32(math.NaN()), float32(math.Inf(1)), 1e-8, 0.25}}
	nan := uint16(0)
	halves := func(v ...uint16) (out []byte) {
		for _, x := range v {
			out = binary.LittleEndian.AppendUint16(out, x)
		}
		return out
	}
	tens := func(v ...uint32) (out []byte) {
		for i := 0; i < len(v); i += 4 {
			out = binary.LittleEndian.AppendUint32(out, v[i]|v[i+1]<<10|v[i+2]<<20|v[i+3]<<30)
		}
		return out
	}
	for _, tc := range []struct {
		name   string
		format texture.Format
		m      *pixmap.Map
		srgb   bool
		want   []byte
	}{
		{"8 to r8", texture.R8, bytes, true, []byte{0, 255}},
		{"8 to rg8", texture.RG8, bytes, true, []byte{0, 1, 255, 254}},
		{"8 to rgba8", texture.RGBA8, bytes, true, bytes.Pix8},
		{"8 to rgb10a2", texture.RGB10A2, bytes, true, tens(0, 4, 514, 3, 1023, 1019, 257, 1)},
		{"8 to rgba16f", texture.RGBA16F, bytes, false, halves(0, 0x1c04, 0x3804, 0x3c00, 0x3c00, 0x3bf8, 0x3404, 0x3555)},
		// The sRGB byte 128 is light of 0.2158605, 64 is 0.0512695, and 1 is 0.0003035.
		{"8 to light", texture.RGBA16F, bytes, true, halves(0, 0x0cf9, 0x32e8, 0x3c00, 0x3c00, 0x3bee, 0x2a90, 0x3555)},
		{"16 to r8", texture.R8, words, true, []byte{0, 255}},
		{"16 to rg8", texture.RG8, words, true, []byte{0, 0, 255, 0}},
		{"16 to rgba8", texture.RGBA8, words, true, []byte{0, 0, 1, 255, 255, 0, 0, 127}},
		{"16 to rgb10a2", texture.RGB10A2, words, true, tens(0, 2, 2, 3, 1023, 0, 1, 1)},
		{"float to r8", texture.R8, light, true, []byte{0, 0}},
		{"float to rgba8", texture.RGBA8, light, false, []byte{0, 128, 255, 255, 0, 255, 0, 64}},
		{"float to sRGB", texture.RGBA8, light, true, []byte{0, 188, 255, 255, 0, 255, 0, 64}},
		{"float to rgb10a2", texture.RGB10A2, light, true, tens(0, 512, 1023, 3, 0, 1023, 0, 1)},
		{"float to rgba16f", texture.RGBA16F, light, true, halves(0xbc00, 0x3800, 0x4000, 0x3c00, nan, 0x7bff, 0, 0x3400)},
	} {
		if d := cmp.Diff(tc.want, encode(t, tc.format, tc.m, Options{SRGB: tc.srgb})); d != "" {
			t.Errorf("%s: %s", tc.name, d)
		}
	}
}

// halfValue returns the value of a half-precision float.
func halfValue(h uint16) float64 {
	exponent, fraction := int(h>>10&31), float64(h&1023)
	if exponent == 0 {
		return math.Ldexp(fraction, -24)
	}
	return math.Ldexp(1024+fraction, exponent-25)
}

// TestHalf converts every half-precision float, which must stay the same. A value between two
// half-precision floats must become the nearer one. A value halfway between them must become the
// even one.
func TestHalf(t *testing.T) {
	for h := range uint16(0x7bff) {
		low, high := halfValue(h), halfValue(h+1)
		middle := float32((low + high) / 2)
		even := h + h&1
		for _, tc := range []struct {
			v    float32
			want uint16
		}{
			{float32(low), h}, {middle, even},
			{math.Nextafter32(middle, 0), h}, {math.Nextafter32(middle, 1e6), h + 1},
		} {
			if got := halfFloat(tc.v, false); got != tc.want {
				t.Fatalf("half(%g) = %#04x, want %#04x", tc.v, got, tc.want)
			}
			if got := halfFloat(-tc.v, true); tc.want != 0 && got != tc.want|0x8000 {
				t.Fatalf("half(%g) = %#04x, want %#04x", -tc.v, got, tc.want|0x8000)
			}
		}
	}
	for v, want := range map[float32]uint16{
		-1: 0, 65504: 0x7bff, 65519: 0x7bff, 70000: 0x7bff, float32(math.Inf(1)): 0x7bff,
		float32(math.Inf(-1)): 0, math.SmallestNonzeroFloat32: 0, math.MaxFloat32: 0x7bff,
	} {
		if got := halfFloat(v, false); got != want {
			t.Errorf("half(%g) = %#04x, want %#04x", v, got, want)
		}
	}
	if got := halfFloat(float32(math.NaN()), true); got != 0 {
		t.Errorf("half(NaN) = %#04x", got)
	}
}
