package main

import (
	"bytes"
	"image"
	"image/color"
	"testing"

	"github.com/assetcook/assetcook/cook/recipe/image/qoi"
	"pgregory.net/rapid"
)

// someSteps draws a picture whose neighbours differ by little, by more, in alpha or
// not at all, so that each operation of QOI has its turn, up to its
// bounds and beyond.
func someSteps(t *rapid.T) *image.NRGBA {
	w, h := rapid.IntRange(1, 90).Draw(t, "w"), rapid.IntRange(1, 6).Draw(t, "h")
	seed := rapid.Uint32().Draw(t, "seed")
	c := color.NRGBA{A: 255}
	return paint(w, h, func(x, y int) color.NRGBA {
		by := func(channel int, half int) uint8 { return uint8(pick(x*8+channel, y, seed, 2*half) - half) }
		switch pick(x/70, y, seed, 6) {
		case 0: // stays
		case 1:
			c.R, c.G, c.B = c.R+by(0, 3), c.G+by(1, 3), c.B+by(2, 3)
		case 2:
			green := by(1, 36)
			c.R, c.G, c.B = c.R+green+by(0, 9), c.G+green, c.B+green+by(2, 9)
		case 3:
			c.R, c.G, c.B = by(0, 128), by(1, 128), by(2, 128)
		case 4:
			c.A += by(3, 2)
		case 5:
			c = color.NRGBA{uint8(x % 3), 7, 9, 255} // again and again
		}
		return c
	})
}

func TestQOIRoundTrip(t *testing.T) {
	for _, draw := range []func(*rapid.T) *image.NRGBA{somePicture, someSteps} {
		rapid.Check(t, func(t *rapid.T) {
			want := draw(t)
			data := encodeQOI(want)
			got, err := qoi.Decode(bytes.NewReader(data), int64(len(data)))
			if err != nil {
				t.Fatal(err)
			}
			samePixels(t, got, want)
		})
	}
}

// TestQOIOperations compares with bytes that were worked out from the specification.
func TestQOIOperations(t *testing.T) {
	row := []color.NRGBA{
		{0, 0, 0, 255}, {0, 0, 0, 255}, // as the pixel before the first
		{1, 255, 0, 255},   // +1 -1 0
		{0, 10, 8, 255},    // -1 +11 +8: green 11, the others -12 -3: too far
		{5, 20, 20, 255},   // +5 +10 +12: green 10, the others -5 +2
		{5, 20, 20, 0},     // alpha
		{1, 255, 0, 255},   // seen before: (3+1275+0+2805)%64 = 51
		{200, 255, 0, 255}, // far
	}
	img := paint(len(row), 1, func(x, _ int) color.NRGBA { return row[x] })
	want := append([]byte("qoif\x00\x00\x00\x08\x00\x00\x00\x01\x04\x00"),
		0xc1, 0x40|3<<4|1<<2|2, 0xfe, 0, 10, 8, 0x80|42, 3<<4|10, 0xff, 5, 20, 20, 0, 51, 0xfe, 200, 255, 0,
		0, 0, 0, 0, 0, 0, 0, 1)
	if got := encodeQOI(img); !bytes.Equal(got, want) {
		t.Errorf("got\n%x, want\n%x", got, want)
	}
	// The longest run has 62 pixels.
	flat := paint(63, 1, func(int, int) color.NRGBA { return row[0] })
	if got := encodeQOI(flat)[14:16]; !bytes.Equal(got, []byte{0xfd, 0xc0}) {
		t.Errorf("63 equal pixels are %x, want a run of 62 and one of 1", got)
	}
}
