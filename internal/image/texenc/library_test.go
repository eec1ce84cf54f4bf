//go:build amd64 || arm64

// Package bcn, which decodes the blocks in this file, does not build on 32-bit machines.

package texenc

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"github.com/assetcook/assetcook/internal/image/texture"
	"github.com/woozymasta/bcn"
	"pgregory.net/rapid"
)

// psnr returns the PSNR of the given channels of two RGBA images, in dB.
func psnr(a, b []byte, channels string) float64 {
	sum, n := 0.0, 0
	for i := range a {
		if strings.IndexByte(channels, "rgba"[i%4]) >= 0 {
			d := float64(a[i]) - float64(b[i])
			sum += d * d
			n++
		}
	}
	return 10 * math.Log10(255*255*float64(n)/max(sum, 1e-9))
}

var libraryFormats = map[texture.Format]bcn.Format{
	texture.BC1: bcn.FormatBC1, texture.BC3: bcn.FormatBC3, texture.BC4: bcn.FormatBC4,
	texture.BC5: bcn.FormatBC5, texture.BC7: bcn.FormatBC7,
}

// TestLikeness checks that another library decodes the blocks to pixels similar to the source, and
// that higher qualities are more similar.
func TestLikeness(t *testing.T) {
	for _, tc := range []struct {
		format texture.Format
		least  [3]float64 // minimum PSNR of each quality, in dB
	}{
		{texture.BC1, [3]float64{35.7, 36.0, 36.2}},
		{texture.BC3, [3]float64{36.6, 36.8, 37.0}},
		{texture.BC4, [3]float64{49.0, 49.2, 49.9}},
		{texture.BC5, [3]float64{45.1, 45.6, 46.1}},
		{texture.BC7, [3]float64{38, 38, 38}},
	} {
		m := scene(61, 51) // the sides are not multiples of four
		last := 0.0
		for q := Fast; q <= Best; q++ {
			blocks := encode(t, tc.format, m, Options{Quality: q})
			got, err := bcn.DecodeImage(blocks, m.W, m.H, libraryFormats[tc.format])
			if err != nil {
				t.Fatal(err)
			}
			like := psnr(m.Pix8, got.Pix, tc.format.Channels())
			t.Logf("%v, quality %d: %.2f dB", tc.format, q, like)
			if like < tc.least[q] || like < last {
				t.Errorf("%v, quality %d: %.2f dB, want %.2f and not less than %.2f", tc.format, q, like, tc.least[q], last)
			}
			last = like
		}
	}
}

// TestLikenessOfLight checks that light above 1 is preserved. It compares images on a logarithmic
// scale, because eyes perceive ratios.
func TestLikenessOfLight(t *testing.T) {
	m := bright(61, 51)
	for q, least := range []float64{23.6, 28.9, 29.4} {
		blocks := encode(t, texture.BC6H, m, Options{Quality: Quality(q)})
		got, err := bcn.DecodeBC6HFloat32(blocks, m.W, m.H, false)
		if err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for i, v := range got {
			d := math.Log2(1+float64(v)) - math.Log2(1+float64(m.PixF[i/3*4+i%3]))
			sum += d * d
		}
		like := -10 * math.Log10(sum/float64(len(got)))
		t.Logf("quality %d: %.2f dB", q, like)
		if like < least {
			t.Errorf("quality %d: %.2f dB, want %.2f", q, like, least)
		}
	}
}

// TestDecodersAgree checks that the library decodes blocks to the colors of the specification,
// except for rounding, which differs between decoders.
func TestDecodersAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := drawBlock(t)
		q := Quality(rapid.IntRange(0, 2).Draw(t, "quality"))
		var bc1, bc4 [8]byte
		c := b.opaqueColors(true)
		encodeBC1(&bc1, &c, false, q)
		encodeBC4(&bc4, &b[3], q)
		colors, values := bc1Colors(bc1[:], false), bc4Values(bc4[:])
		one, err := bcn.DecodeBC1(bc1[:], 4, 4)
		if err != nil {
			t.Fatal(err)
		}
		four, err := bcn.DecodeBC4(bc4[:], 4, 4)
		if err != nil {
			t.Fatal(err)
		}
		var bits [8]byte
		copy(bits[:], bc4[2:])
		for i := range 16 {
			c := colors[binary.LittleEndian.Uint32(bc1[4:])>>(2*i)&3]
			for k := range 4 {
				if math.Abs(c[k]-float64(one[4*i+k])) > 2 {
					t.Fatalf("BC1: it decodes %v, the specification has %v", one[4*i:4*i+4], c)
				}
			}
			v := values[binary.LittleEndian.Uint64(bits[:])>>(3*i)&7]
			if math.Abs(v-float64(four[4*i])) > 2 {
				t.Fatalf("BC4: it decodes %d, the specification has %.2f", four[4*i], v)
			}
		}
	})
}
