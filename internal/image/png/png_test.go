package png

import (
	"bytes"
	"context"
	"errors"
	"image/color"
	stdpng "image/png"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/assetcook/assetcook/internal/countdown"
	"github.com/assetcook/assetcook/internal/image/pixmap"
)

// painted returns an image of 16 bits. For 8 bits, it keeps the upper 8 bits of each value.
func painted(w, h int, d pixmap.Depth, at func(x, y int) [4]uint16) *pixmap.Map {
	m := pixmap.New(w, h, d)
	for i := range w * h {
		for c, v := range at(i%w, i/w) {
			if d == pixmap.Bits16 {
				m.Pix16[4*i+c] = v
			} else {
				m.Pix8[4*i+c] = uint8(v >> 8)
			}
		}
	}
	return m
}

// bytewise returns a pixel of 16 bits per channel that is widened from 8 bits.
func bytewise(r, g, b, a int) [4]uint16 {
	return [4]uint16{uint16(r&255) * 257, uint16(g&255) * 257, uint16(b&255) * 257, uint16(a&255) * 257}
}

// TestPixelsSurviveInTheBestForm checks that an image keeps its pixels at every effort, and gets
// the expected form.
func TestPixelsSurviveInTheBestForm(t *testing.T) {
	noise := rand.New(rand.NewPCG(1, 2))
	for _, tc := range []struct {
		name  string
		depth pixmap.Depth
		at    func(x, y int) [4]uint16
		form  string
	}{
		{"two grays", 0, func(x, y int) [4]uint16 { v := x * y % 2 * 255; return bytewise(v, v, v, 255) }, "gray, 1 bits"},
		{"four grays", 0, func(x, y int) [4]uint16 { v := (x + y) % 4 * 85; return bytewise(v, v, v, 255) }, "gray, 2 bits"},
		{"16 grays", 0, func(x, y int) [4]uint16 { v := (x + y) % 16 * 17; return bytewise(v, v, v, 255) }, "gray, 4 bits"},
		{"three odd grays", 0, func(x, y int) [4]uint16 { v := x % 3 * 7; return bytewise(v, v, v, 255) }, "palette of 3 colors, 2 bits"},
		{"grays", 0, func(x, y int) [4]uint16 { return bytewise(x*5+y, x*5+y, x*5+y, 255) }, "gray, 8 bits"},
		{"deep grays", pixmap.Bits16, func(x, y int) [4]uint16 { v := uint16(x*991 + y); return [4]uint16{v, v, v, 0xffff} }, "gray, 16 bits"},
		{"glass", 0, func(x, y int) [4]uint16 { return bytewise(x*5, x*5, x*5, y*7) }, "gray and alpha, 8 bits"},
		{"deep glass", pixmap.Bits16, func(x, y int) [4]uint16 { v := uint16(x * 991); return [4]uint16{v, v, v, uint16(y * 37)} }, "gray and alpha, 16 bits"},
		{"one color", 0, func(x, y int) [4]uint16 { return bytewise(9, 8, 7, 255) }, "palette of 1 colors, 1 bits"},
		{"colors", 0, func(x, y int) [4]uint16 { return bytewise(x/8*40, y/8*30, 3, 255) }, "palette of 42 colors, 8 bits"},
		{"glass colors", 0, func(x, y int) [4]uint16 { return bytewise(x/16*40, 9, 3, y/16*60) }, "palette of 12 colors, 4 bits"},
		{"hidden colors", 0, func(x, y int) [4]uint16 { return bytewise(x%3*40, 9, 3, x%2*255) }, "palette of 6 colors, 4 bits"},
		{"noise", 0, func(x, y int) [4]uint16 { return bytewise(noise.Int(), noise.Int(), noise.Int(), 255) }, "RGB, 8 bits"},
		{"noise with alpha", 0, func(x, y int) [4]uint16 { return bytewise(noise.Int(), noise.Int(), noise.Int(), noise.Int()) }, "RGBA, 8 bits"},
		{"deep colors", pixmap.Bits16, func(x, y int) [4]uint16 { return [4]uint16{uint16(x), uint16(y * 900), 3, 0xffff} }, "RGB, 16 bits"},
		{"deep noise", pixmap.Bits16, func(x, y int) [4]uint16 { return [4]uint16{uint16(x), uint16(noise.Int()), 3, uint16(y)} }, "RGBA, 16 bits"},
		{"deep in name only", pixmap.Bits16, func(x, y int) [4]uint16 { return bytewise(x, y*3, noise.Int(), 255) }, "RGB, 8 bits"},
	} {
		m := painted(53, 47, tc.depth, tc.at)
		sizes := map[Effort]int{}
		for _, effort := range []Effort{Fast, Normal, Best} {
			var file bytes.Buffer
			form, err := Encode(t.Context(), &file, m, effort)
			if err != nil {
				t.Fatal(err)
			}
			if effort == Fast && form != tc.form {
				t.Errorf("%s: %q, want %q", tc.name, form, tc.form)
			}
			sizes[effort] = file.Len()
			mustBe(t, tc.name, file.Bytes(), m)
		}
		if sizes[Best] > sizes[Normal] || sizes[Normal] > sizes[Fast]+4 {
			t.Errorf("%s: sizes %v", tc.name, sizes)
		}
	}
}

// mustBe decodes a file with package image/png and compares each value with the source.
func mustBe(t *testing.T, name string, file []byte, m *pixmap.Map) {
	t.Helper()
	got, err := stdpng.Decode(bytes.NewReader(file))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if got.Bounds().Dx() != m.W || got.Bounds().Dy() != m.H {
		t.Fatalf("%s: size %v", name, got.Bounds())
	}
	for i := range m.W * m.H {
		var have [4]uint32
		switch c := got.At(i%m.W, i/m.W).(type) {
		case color.NRGBA:
			have = [4]uint32{257 * uint32(c.R), 257 * uint32(c.G), 257 * uint32(c.B), 257 * uint32(c.A)}
		case color.NRGBA64:
			have = [4]uint32{uint32(c.R), uint32(c.G), uint32(c.B), uint32(c.A)}
		default:
			have[0], have[1], have[2], have[3] = c.RGBA()
		}
		for c, v := range have {
			if want := sampleAt(m, 4*i+c); v != want {
				t.Fatalf("%s: pixel %d, %d: %d, want %v", name, i%m.W, i/m.W, have, want)
			}
		}
	}
}

// TestSmoothPicturesAreSmall checks that files of smooth images are no larger than the files of
// package image/png.
func TestSmoothPicturesAreSmall(t *testing.T) {
	m := painted(256, 256, 0, func(x, y int) [4]uint16 {
		return bytewise(x*y/300, (x+y)/2, 255-(x*x+y*y)/600, 255-y/2)
	})
	var ours bytes.Buffer
	if _, err := Encode(t.Context(), &ours, m, Normal); err != nil {
		t.Fatal(err)
	}
	img, err := stdpng.Decode(bytes.NewReader(ours.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	var theirs bytes.Buffer
	if err := (&stdpng.Encoder{CompressionLevel: stdpng.BestCompression}).Encode(&theirs, img); err != nil {
		t.Fatal(err)
	}
	if ours.Len() > theirs.Len() {
		t.Errorf("%d bytes, image/png takes %d", ours.Len(), theirs.Len())
	}
}

func TestFloatsAndFullDisksAreErrors(t *testing.T) {
	if _, err := Encode(t.Context(), io.Discard, pixmap.New(1, 1, pixmap.Float), Fast); !errors.Is(err, ErrFloat) {
		t.Errorf("floats: %v", err)
	}
	m := painted(8, 8, 0, func(x, y int) [4]uint16 { return bytewise(x, y, 0, 255) })
	for i := range 4 {
		if _, err := Encode(t.Context(), &full{left: 8 * i}, m, Fast); !errors.Is(err, io.ErrShortWrite) {
			t.Errorf("a disk with room for %d bytes: %v", 8*i, err)
		}
	}
}

// full is a writer that fails after a given number of bytes, like a full disk.
type full struct{ left int }

func (f *full) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, io.ErrShortWrite
	}
	return len(p), nil
}

func TestPNGEncodingStopsWithContext(t *testing.T) {
	m := painted(8, 9, 0, func(x, y int) [4]uint16 { return bytewise(x*31, y*29, x*y, 255) })
	for left := range 18 {
		if _, err := Encode(countdown.New(t.Context(), left), io.Discard, m, Fast); !errors.Is(err, context.Canceled) {
			t.Errorf("after %d checks: %v", left, err)
		}
	}
}

// TestFiltersAreInvertible checks that a reader can invert every filter, even in rows of one pixel.
func TestFiltersAreInvertible(t *testing.T) {
	add := func(line, above []byte, pixel int, f way) {
		for i := range line {
			left, corner := 0, 0
			if i >= pixel {
				left, corner = int(line[i-pixel]), int(above[i-pixel])
			}
			line[i] += []byte{0, byte(left), above[i], byte((left + int(above[i])) / 2), paethPrediction(left, int(above[i]), corner)}[f]
		}
	}
	for _, n := range []int{4, 8, 124} {
		line, above, got := make([]byte, n), make([]byte, n), make([]byte, n)
		for i := range line {
			line[i], above[i] = byte(i*57), byte(i*i*31)
		}
		for f := none; f < adaptive; f++ {
			filterRow(got, line, above, 4, f)
			if add(got, above, 4, f); !bytes.Equal(got, line) {
				t.Errorf("filter %d, %d bytes: %v, want %v", f, n, got, line)
			}
		}
	}
}
