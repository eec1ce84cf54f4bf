//go:build amd64 || arm64

// The independent decoder of this test does not build for 32-bit machines.

package image

import (
	"bytes"
	"math"
	"testing"
	"testing/fstest"

	"github.com/assetcook/assetcook/internal/image/texture"
	"github.com/woozymasta/bcn"
)

// An independent library must read these formats in DDS files, and decode pixels that look like the
// source. KTX2 files must have the same texels.
func TestFormatsAreReadByAnotherLibrary(t *testing.T) {
	const w, h = 61, 42
	m := scene(w, h)
	file := encodePNG(t, m)
	for _, tc := range []struct {
		format string
		bcn    bcn.Format
		srgb   bool
		least  float64 // least PSNR in decibels, over the channels of the format
	}{
		{"bc1", bcn.FormatBC1, true, 34}, {"bc3", bcn.FormatBC3, true, 35}, {"bc4", bcn.FormatBC4, false, 45},
		{"bc5", bcn.FormatBC5, false, 45}, {"bc7", bcn.FormatBC7, true, 38}, {"r8", bcn.FormatR8, false, 99},
		{"rg8", bcn.FormatRG8, false, 99}, {"rgba8", bcn.FormatRGBA8, true, 99}, {"rgb10a2", bcn.FormatRGB10A2, false, 99},
	} {
		t.Run(tc.format, func(t *testing.T) {
			o := options(func(o *Image) { o.Format, o.Kind = tc.format, "color" })
			tex := cook(t, o, "a.png", file)
			o.Container = "dds"
			_, res := cookTree(t, o, fstest.MapFS{"a.png": {Data: file}}, "a.png")
			theirs, err := bcn.ReadDDS(bytes.NewReader(res.Outputs[0]))
			if err != nil {
				t.Fatal(err)
			}
			if tex.Format.String() != tc.format || theirs.Format != tc.bcn || tex.SRGB != tc.srgb || tex.W != w || tex.H != h {
				t.Errorf("%v, sRGB %v, %d x %d; dds %v", tex.Format, tex.SRGB, tex.W, tex.H, theirs.Format)
			}
			if len(tex.Levels) != texture.MaxLevels(w, h) || len(theirs.Faces[0].Mipmaps) != len(tex.Levels) {
				t.Fatalf("%d levels, dds has %d", len(tex.Levels), len(theirs.Faces[0].Mipmaps))
			}
			for i, level := range tex.Levels {
				if !bytes.Equal(level, theirs.Faces[0].Mipmaps[i]) {
					t.Fatalf("level %d differs between ktx2 and dds", i)
				}
			}
			got, err := bcn.DecodeImage(tex.Levels[0], w, h, tc.bcn)
			if err != nil {
				t.Fatal(err)
			}
			channels := tex.Format.Channels()
			if tex.Format == texture.RGB10A2 {
				channels = "rgb" // alpha has two bits, which cannot be compared with eight
			}
			if like := likeness(got.Pix, m.Pix, channels); like < tc.least {
				t.Errorf("%.2f dB, want %.2f", like, tc.least)
			}
			// A small level must have soft colors too, not noise.
			small, err := bcn.DecodeImage(tex.Levels[2], w/4, h/4, tc.bcn)
			if err != nil {
				t.Fatal(err)
			}
			want := nrgba(w/4, h/4)
			for i := range want.Pix {
				x, y := i/4%(w/4), i/4/(w/4)
				want.Pix[i] = m.Pix[4*(w*(4*y+2)+4*x+2)+i%4]
			}
			if like := likeness(small.Pix, want.Pix, channels); like < 26 {
				t.Errorf("level 2: %.2f dB", like)
			}
		})
	}
}

// likeness returns the PSNR of some channels in decibels.
func likeness(got, want []byte, channels string) float64 {
	sum, n := 1e-9, 0
	for i, v := range got {
		if bytes.IndexByte([]byte(channels), "rgba"[i%4]) >= 0 {
			d := float64(v) - float64(want[i])
			sum += d * d
			n++
		}
	}
	return 10 * math.Log10(255*255*float64(n)/sum)
}

// Both floating-point formats must keep light brighter than white. The other formats must clip it.
func TestFloatFormatsKeepLightBeyondWhite(t *testing.T) {
	const w, h = 40, 32
	file := radiance(w, h)
	for _, format := range []string{"auto", "bc6h", "rgba16f", "bc7"} {
		tex := cook(t, options(func(o *Image) { o.Format = format }), "sky.hdr", file)
		at := func(i int) float64 { return math.Ldexp(1, i%w%8-3) } // value of pixel i in the first row
		switch tex.Format {
		case texture.BC6H:
			got, err := bcn.DecodeBC6HFloat32(tex.Levels[0], w, h, false)
			if err != nil {
				t.Fatal(err)
			}
			channels := len(got) / (w * h)
			for i := range w {
				if v := float64(got[channels*i]); math.Abs(v/at(i)-1) > 0.15 {
					t.Errorf("%s: pixel %d is %v, want %v", format, i, v, at(i))
				}
			}
		case texture.RGBA16F:
			for i := range w {
				half := uint16(tex.Levels[0][8*i]) | uint16(tex.Levels[0][8*i+1])<<8
				if want := uint16(15+i%8-3) << 10; half != want {
					t.Errorf("%s: pixel %d is %x, want %x", format, i, half, want)
				}
			}
		case texture.BC7:
			got, err := bcn.DecodeBC7(tex.Levels[0], w, h)
			if err != nil || !tex.SRGB {
				t.Fatalf("error %v, sRGB %v", err, tex.SRGB)
			}
			for i, want := range []byte{99, 137, 188, 255, 255} { // expected sRGB values for light of intensity 1/8, 1/4, 1/2, 1 and 2
				if off := int(got[4*i]) - int(want); off > 8 || off < -8 {
					t.Errorf("%s: pixel %d is %d, want %d", format, i, got[4*i], want)
				}
			}
		}
		if format == "auto" && tex.Format != texture.BC6H {
			t.Errorf("auto chose %v", tex.Format)
		}
	}
}
