// Package blocktest tests the encoders of texel blocks. It provides small sample images generated
// from integers, measures the similarity of images, and tests the guarantees of all encoders.
package blocktest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/assetcook/assetcook/internal/countdown"
)

// An Encoder is an encoder under test. Images are RGBA.
type Encoder struct {
	// Block is the width of a block in pixels. Rows is its height; 0 means Block.
	Block, Rows int
	// Encode returns the blocks of an image of w by h pixels, row by row. quality is 0 to 2; higher
	// means more work.
	Encode func(ctx context.Context, pix []byte, w, h, quality int) ([]byte, error)
	// Decode returns the image that the blocks encode.
	Decode func(blocks []byte, w, h int) []byte
}

// Names are the names of the qualities, from 0.
var Names = [3]string{"fast", "normal", "best"}

// AssembleBlocks returns the image of w by h pixels that the blocks encode. decode receives a block
// of size bytes and sets its pixels, row by row. A block is side pixels wide and has the given
// number of rows.
func AssembleBlocks(blocks []byte, w, h, side, rows, size int, decode func(pixels, block []byte)) []byte {
	pix := make([]byte, 4*w*h)
	pixels := make([]byte, 4*side*rows)
	across := (w + side - 1) / side
	for at := range len(blocks) / size {
		decode(pixels, blocks[size*at:][:size])
		x, y := at%across*side, at/across*rows
		for row := range min(rows, h-y) {
			copy(pix[4*((y+row)*w+x):][:4*min(side, w-x)], pixels[4*side*row:])
		}
	}
	return pix
}

// Law tests the guarantees of every encoder: edges are repeated, rows of blocks do not depend on
// each other, and a canceled context stops the encoder.
func (e Encoder) Law(t *testing.T) {
	t.Helper()
	e.edges(t)
	e.Cancels(t)
}

// Judge tests the blocks of all samples. The blocks of each quality must have the given checksum,
// which is the same on every machine. Each sample must have at least the given PSNR in dB. Higher
// quality must have smaller errors.
func (e Encoder) Judge(t *testing.T, sums [3]string, least map[string][3]float64) {
	t.Helper()
	var got [3]string
	var errs [3]int64
	for quality := range got {
		got[quality] = e.sum(t, quality, func(name string, pix, blocks []byte) {
			is := e.Decode(blocks, Side, Side)
			errs[quality] += SquaredError(pix, is, 4)
			if is, want := PSNR(pix, is, 4), least[name][quality]; want == 0 || is < want {
				t.Errorf("%q, %s: %.1f dB, want %.1f", name, Names[quality], is, want)
			}
		})
	}
	if got != sums {
		t.Errorf("the sums of %v are %q, want %q", Names, got, sums)
	}
	if !(errs[0] > errs[1] && errs[1] > errs[2]) {
		t.Errorf("%v has %d wrong blocks", Names, errs)
	}
}

// Sum returns a checksum of the blocks of all samples in hexadecimal.
func (e Encoder) Sum(t *testing.T, quality int) string {
	t.Helper()
	return e.sum(t, quality, func(string, []byte, []byte) {})
}

func (e Encoder) sum(t *testing.T, quality int, see func(name string, pix, blocks []byte)) string {
	t.Helper()
	sum := sha256.New()
	samples := Samples()
	for _, name := range slices.Sorted(maps.Keys(samples)) {
		blocks := e.must(t, samples[name], Side, Side, quality)
		sum.Write(blocks)
		see(name, samples[name], blocks)
	}
	return hex.EncodeToString(sum.Sum(nil)[:8])
}

// must encodes an image and returns its blocks. It fails the test if encoding fails.
func (e Encoder) must(t *testing.T, pix []byte, w, h, quality int) []byte {
	t.Helper()
	blocks, err := e.Encode(t.Context(), pix, w, h, quality)
	if err != nil {
		t.Fatal(err)
	}
	return blocks
}

// edges tests that blocks at the edges repeat the last column and row of the image, and that rows
// of blocks can be encoded separately.
func (e Encoder) edges(t *testing.T) {
	stone := Samples()["stone"]
	for _, size := range [][2]int{{1, 1}, {3, 5}, {4, 4}, {5, 4}, {19, 17}} {
		w, h := size[0], size[1]
		rows := e.Rows
		if rows == 0 {
			rows = e.Block
		}
		wide, high := roundUp(w, e.Block), roundUp(h, rows)
		var pix, padded []byte
		for y := range high {
			for x := range wide {
				from := stone[4*(min(y, h-1)*Side+min(x, w-1)):][:4]
				padded = append(padded, from...)
				if x < w && y < h {
					pix = append(pix, from...)
				}
			}
		}
		got, want := e.must(t, pix, w, h, 0), e.must(t, padded, wide, high, 0)
		if !bytes.Equal(got, want) {
			t.Errorf("%d by %d: %x, want %x", w, h, got, want)
		}
		var banded []byte
		for y := 0; y < h; y += rows {
			n := min(rows, h-y)
			banded = append(banded, e.must(t, pix[4*w*y:4*w*(y+n)], w, n, 0)...)
		}
		if !bytes.Equal(banded, want) {
			t.Errorf("%d by %d in rows: %x, want %x", w, h, banded, want)
		}
	}
}

func roundUp(v, to int) int { return (v + to - 1) / to * to }

// Cancels tests that the encoder stops at any of its checks of the context.
func (e Encoder) Cancels(t *testing.T) {
	t.Helper()
	pix := Samples()["stone"]
	for quality := range Names {
		all := countdown.New(t.Context(), 1<<30)
		if _, err := e.Encode(all, pix, Side, Side, quality); err != nil {
			t.Fatal(err)
		}
		looks := 1<<30 - all.Left
		if looks == 0 {
			t.Fatalf("%s: the encoder never checks its context", Names[quality])
		}
		for _, left := range []int{0, looks / 3, looks / 2, looks - 1} {
			if _, err := e.Encode(countdown.New(t.Context(), left), pix, Side, Side, quality); !errors.Is(err, context.Canceled) {
				t.Errorf("%s, canceled after %d of %d checks of the context: %v", Names[quality], left, looks, err)
			}
		}
	}
}

// Shrinks tests rate-distortion optimization. The function with returns the encoder for an allowed
// loss of PSNR in dB. The loss must not be exceeded, opaque images must stay opaque, and a loss of 1
// dB must reduce the compressed size of bricks by at least a tenth.
func Shrinks(t *testing.T, with func(rdo float64) Encoder) {
	t.Helper()
	e := with(0)
	samples := Samples()
	samples["bricks"] = Bricks()
	for _, name := range slices.Sorted(maps.Keys(samples)) {
		pix := samples[name]
		plain := e.must(t, pix, Side, Side, 1)
		for _, rdo := range []float64{0.1, 1} {
			shrunk := with(rdo)
			blocks := shrunk.must(t, pix, Side, Side, 1)
			got := shrunk.Decode(blocks, Side, Side)
			if is, least := PSNR(pix, got, 4), PSNR(pix, e.Decode(plain, Side, Side), 4)-rdo; is < least-1e-6 {
				t.Errorf("%q, %v dB: %.3f dB, want %.3f", name, rdo, is, least)
			}
			if opaque(pix) && !opaque(got) {
				t.Errorf("%q, %v dB: an opaque image becomes translucent", name, rdo)
			}
			if before, after := PackedSize(t, plain), PackedSize(t, blocks); name == "bricks" && rdo == 1 && after > before*9/10 {
				t.Errorf("%q, %v dB: %d bytes of %d", name, rdo, after, before)
			}
		}
	}
}

// opaque reports whether all pixels have an alpha of 255.
func opaque(pix []byte) bool {
	for i := 3; i < len(pix); i += 4 {
		if pix[i] != 255 {
			return false
		}
	}
	return true
}

// PackedSize returns the size of blocks after compression by zstd.
func PackedSize(t *testing.T, blocks []byte) int {
	t.Helper()
	w, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	return len(w.EncodeAll(blocks, nil))
}

// SquaredError returns the sum of the squared differences of RGBA pixels. It compares the given
// number of channels, starting with red.
func SquaredError(a, b []byte, channels int) (sse int64) {
	for i := range a {
		if i%4 < channels {
			d := int64(a[i]) - int64(b[i])
			sse += d * d
		}
	}
	return sse
}

// PSNR returns the similarity of RGBA pixels in dB. It compares the given number of channels,
// starting with red.
func PSNR(a, b []byte, channels int) float64 {
	return 10 * math.Log10(255*255*float64(len(a)*channels/4)/max(float64(SquaredError(a, b, channels)), 0.001))
}
