package cooked

import (
	"bytes"
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/assetcook/assetcook/internal/image/dds"
	"github.com/assetcook/assetcook/internal/image/ktx2"
	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/texenc"
	"github.com/assetcook/assetcook/internal/image/texture"
)

// scene is a smooth image with alpha and with sides that are no multiple of four.
func scene(w, h int, d pixmap.Depth) *pixmap.Map {
	m := pixmap.New(w, h, d)
	for y := range h {
		for x := range w {
			at := 4 * (y*w + x)
			p := [4]float64{float64(x) / float64(w), float64(y) / float64(h), float64(x+y) / float64(w+h), 0.5 + float64(x)/float64(2*w)}
			for k, v := range p {
				switch d {
				case pixmap.Float:
					m.PixF[at+k] = float32(8 * v)
				case pixmap.Bits16:
					m.Pix16[at+k] = uint16(65535 * v)
				default:
					m.Pix8[at+k] = uint8(255 * v)
				}
			}
			if d == pixmap.Float {
				m.PixF[at+3] = 1
			}
		}
	}
	return m
}

func encode(t *testing.T, f texture.Format, m *pixmap.Map) *texture.Texture {
	t.Helper()
	texels, err := texenc.Encode(t.Context(), f, m, texenc.Options{Quality: texenc.Normal})
	if err != nil {
		t.Fatal(err)
	}
	return &texture.Texture{Format: f, W: m.W, H: m.H, Levels: [][]byte{texels}}
}

// TestLevel checks that the PSNR of a smooth image in each format is in the range expected from the
// format's bits.
func TestLevel(t *testing.T) {
	for _, tt := range []struct {
		format      texture.Format
		depth       pixmap.Depth
		least, most float64
	}{
		{texture.BC1, pixmap.Bits8, 36, 60},
		{texture.BC1A, pixmap.Bits8, 10, 60}, // alpha is rounded to 0 or 1
		{texture.BC3, pixmap.Bits8, 38, 60},
		{texture.BC4, pixmap.Bits8, 48, 80},
		{texture.BC5, pixmap.Bits8, 48, 80},
		{texture.BC7, pixmap.Bits8, 42, 80},
		{texture.BC6H, pixmap.Float, 36, 90},
		{texture.ASTC4x4, pixmap.Bits8, 46, 80},
		{texture.ASTC5x5, pixmap.Bits8, 44, 80},
		{texture.ASTC6x6, pixmap.Bits8, 42, 80},
		{texture.ASTC8x8, pixmap.Bits8, 40, 80},
		{texture.ASTC10x6, pixmap.Bits8, 38, 80},
		{texture.ASTC12x12, pixmap.Bits8, 30, 80},
		{texture.ASTC4x4HDR, pixmap.Float, 36, 90},
		{texture.ASTC6x5HDR, pixmap.Float, 34, 90},
		{texture.ASTC12x12HDR, pixmap.Float, 20, 90},
		{texture.ETC2RGB, pixmap.Bits8, 36, 60},
		{texture.ETC2RGBA, pixmap.Bits8, 38, 60},
		{texture.EACR11, pixmap.Bits8, 46, 80},
		{texture.EACRG11, pixmap.Bits16, 46, 80},
		{texture.UASTC, pixmap.Bits8, 42, 80},
		{texture.UASTCHDR, pixmap.Float, 36, 90},
		{texture.R8, pixmap.Bits8, 999, math.Inf(1)},
		{texture.RG8, pixmap.Bits8, 999, math.Inf(1)},
		{texture.RGBA8, pixmap.Bits8, 999, math.Inf(1)},
		{texture.RGB10A2, pixmap.Bits16, 18, 30}, // alpha has two bits
		{texture.RGBA16F, pixmap.Float, 70, 120},
	} {
		source := scene(61, 51, tt.depth)
		tex := encode(t, tt.format, source)
		m, err := Level(t.Context(), tex, 0, 0)
		if err != nil {
			t.Fatalf("%v: %v", tt.format, err)
		}
		db, err := PSNR(t.Context(), tex, m, source)
		if err != nil || db < tt.least || db > tt.most {
			t.Errorf("%v: %.2f dB, %v; want %v to %v", tt.format, db, err, tt.least, tt.most)
		}
		worse := scene(61, 51, tt.depth)
		invert(worse)
		if bad, err := PSNR(t.Context(), tex, m, worse); err != nil || bad > 12 {
			t.Errorf("%v: %.2f dB, %v of another image", tt.format, bad, err)
		}
	}
}

func invert(m *pixmap.Map) {
	slices.Reverse(m.Pix8)
	slices.Reverse(m.Pix16)
	slices.Reverse(m.PixF)
}

// TestHalves checks that infinite and NaN half-precision floats decode to 0.
func TestHalves(t *testing.T) {
	tex := &texture.Texture{Format: texture.RGBA16F, W: 1, H: 1, Levels: [][]byte{{0x00, 0xc0, 0x00, 0x7c, 0x01, 0xfe, 0x01, 0x00}}}
	m, err := Level(t.Context(), tex, 0, 0)
	if want := []float32{-2, 0, 0, 0x1p-24}; err != nil || !slices.Equal(m.PixF, want) {
		t.Errorf("%v, %v, want %v", m, err, want)
	}
}

func TestSwizzle(t *testing.T) {
	tex := encode(t, texture.RGBA8, &pixmap.Map{W: 1, H: 1, Pix8: []byte{10, 20, 30, 40}})
	for s, want := range map[string][]byte{"": {10, 20, 30, 40}, "rrr1": {10, 10, 10, 255}, "0abg": {0, 40, 30, 20}} {
		tex.Swizzle = s
		m, err := Level(t.Context(), tex, 0, 0)
		if err != nil || !bytes.Equal(m.Pix8, want) {
			t.Errorf("%q: %v, %v", s, m, err)
		}
	}
	gray := scene(8, 8, pixmap.Bits8)
	for i := range gray.Pix8 {
		gray.Pix8[i] = byte(i / 4)
		if i%4 == 3 {
			gray.Pix8[i] = 255
		}
	}
	tex = encode(t, texture.R8, gray)
	tex.Swizzle = "rrr1"
	m, err := Level(t.Context(), tex, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	if db, err := PSNR(t.Context(), tex, m, gray); !math.IsInf(db, 1) || err != nil {
		t.Errorf("%v dB, %v of a gray that is stored exactly", db, err)
	}
}

// TestOpen checks that files of both formats can be opened, and that each level and image decodes
// to its own pixels.
func TestOpen(t *testing.T) {
	tex := &texture.Texture{Format: texture.R8, W: 4, H: 4, Cube: true}
	for level := range 3 {
		var data []byte
		for face := range 6 {
			data = append(data, bytes.Repeat([]byte{byte(10*level + face)}, 16>>(2*level))...)
		}
		tex.Levels = append(tex.Levels, data)
	}
	var file memory
	if err := ktx2.Write(t.Context(), &file, tex, ktx2.Supercompression{Scheme: ktx2.Zstd, Level: 3}); err != nil {
		t.Fatal(err)
	}
	var other bytes.Buffer
	if err := dds.Write(t.Context(), &other, tex, dds.DX10); err != nil {
		t.Fatal(err)
	}
	for _, data := range [][]byte{file.data, other.Bytes()} {
		opened, err := Open(data, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		for level := range 3 {
			for face := range 6 {
				m, err := Level(t.Context(), opened, level, face)
				if err != nil || m.W != 4>>level || m.Pix8[0] != byte(10*level+face) {
					t.Errorf("level %d, face %d: %v, %v", level, face, m, err)
				}
			}
		}
		for _, bad := range [][2]int{{-1, 0}, {3, 0}, {0, 6}, {0, -1}} {
			if _, err := Level(t.Context(), opened, bad[0], bad[1]); err == nil {
				t.Errorf("image %d of level %d was there", bad[1], bad[0])
			}
		}
		for n := range len(data) {
			if _, err := Open(data[:n], 1<<20); err == nil {
				t.Fatalf("opened %d of %d bytes", n, len(data))
			}
		}
	}
	if _, err := Open([]byte("GIF89a"), 1<<20); !errors.Is(err, ErrFormat) {
		t.Error(err)
	}
}

type memory struct {
	data []byte
	at   int64
}

func (m *memory) Write(p []byte) (int, error) {
	if need := int(m.at) + len(p); need > len(m.data) {
		m.data = append(m.data, make([]byte, need-len(m.data))...)
	}
	n := copy(m.data[m.at:], p)
	m.at += int64(n)
	return n, nil
}

func (m *memory) Seek(offset int64, whence int) (int64, error) {
	m.at = [...]int64{0, m.at, int64(len(m.data))}[whence] + offset
	return m.at, nil
}

func TestCancel(t *testing.T) {
	source := scene(64, 64, pixmap.Bits8)
	tex := encode(t, texture.BC7, source)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Level(ctx, tex, 0, 0); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := PSNR(ctx, tex, source, source); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := PSNR(t.Context(), tex, source, scene(64, 32, pixmap.Bits8)); !errors.Is(err, ErrSize) {
		t.Error(err)
	}
}
