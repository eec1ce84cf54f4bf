//go:build amd64 || arm64

// Package bcn, which decodes the blocks in this file, does not build on 32-bit machines.

package texenc

import (
	"math"
	"testing"

	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/texture"
	"github.com/woozymasta/bcn"
)

// TestLightPairPays encodes colors on two lines, so that every quality uses two regions. With one
// line, the error would be 2.3.
func TestLightPairPays(t *testing.T) {
	m := pixmap.New(4, 4, pixmap.Float)
	for i := range 16 {
		light := [3]float32{float32(20 + i), 1, 0.5}
		if i%4 >= 2 {
			light = [3]float32{0.2, 0.3, float32(1 + i)}
		}
		copy(m.PixF[4*i:], light[:])
	}
	for q := Fast; q <= Best; q++ {
		got, err := bcn.DecodeBC6HFloat32(encode(t, texture.BC6H, m, Options{Quality: q}), 4, 4, false)
		if err != nil {
			t.Fatal(err)
		}
		var off float64
		for i, v := range got {
			d := math.Log2(1+float64(v)) - math.Log2(1+float64(m.PixF[i/3*4+i%3]))
			off += d * d
		}
		if off > 0.1 {
			t.Errorf("quality %d: error %v", q, off)
		}
	}
}

// TestLightBesideBlack encodes a gradient from bright to black. The bright part must keep its
// steps, because the line is not extended to black.
func TestLightBesideBlack(t *testing.T) {
	m := pixmap.New(4, 4, pixmap.Float)
	for i := range m.PixF {
		m.PixF[i] = float32(i/4) / 16
	}
	for q := Fast; q <= Best; q++ {
		got, err := bcn.DecodeBC6HFloat32(encode(t, texture.BC6H, m, Options{Quality: q}), 4, 4, false)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range got {
			if want := m.PixF[i/3*4]; math.Abs(float64(v-want)) > 0.02+0.18*float64(want) {
				t.Errorf("quality %d: number %d is %v, want %v", q, i, v, want)
			}
		}
	}
}

// TestLightExtremes checks that too large and too small values are limited, and that NaN becomes
// black.
func TestLightExtremes(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, tc := range []struct{ v, want float32 }{
		{0, 0}, {-3, 0}, {nan, 0}, {65504, 65504}, {1e9, 65504}, {inf, 65504}, {-inf, 0}, {1, 1},
	} {
		m := pixmap.New(4, 4, pixmap.Float)
		for i := range m.PixF {
			m.PixF[i] = tc.v
		}
		for q := Fast; q <= Best; q++ {
			got, err := bcn.DecodeBC6HFloat32(encode(t, texture.BC6H, m, Options{Quality: q}), 4, 4, false)
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range got {
				if math.Abs(float64(v-tc.want)) > float64(tc.want)/1000 {
					t.Fatalf("%v, quality %d: decoded as %v, want %v", tc.v, q, v, tc.want)
				}
			}
		}
	}
}
