package etc2

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/assetcook/assetcook/internal/image/blockfit"
	"github.com/assetcook/assetcook/internal/image/blocktest"
	"github.com/assetcook/assetcook/internal/image/byalpha"
)

// side is the width and height of a sample.
const side = blocktest.Side

var qualities = []struct {
	name string
	q    blockfit.Quality
}{{"fast", blockfit.Fast}, {"normal", blockfit.Normal}, {"best", blockfit.Best}}

// encoded returns the blocks of an image, encoded with or without alpha.
func encoded(t testing.TB, pix []byte, w, h int, alpha bool, o blockfit.Options) []byte {
	t.Helper()
	size, encode := 8, EncodeRGB
	if alpha {
		size, encode = 16, EncodeRGBA
	}
	dst := make([]byte, size*blockfit.Grid{W: w, H: h, Side: 4}.Blocks())
	if err := encode(t.Context(), dst, pix, w, h, o); err != nil {
		t.Fatal(err)
	}
	return dst
}

// with returns the encoder with the given options, for images with or without alpha.
func with(alpha bool, o blockfit.Options) blocktest.Encoder {
	size, encode := 8, EncodeRGB
	if alpha {
		size, encode = 16, EncodeRGBA
	}
	return blocktest.Encoder{
		Block: 4,
		Encode: func(ctx context.Context, pix []byte, w, h, quality int) ([]byte, error) {
			o.Quality = blockfit.Quality(quality)
			dst := make([]byte, size*blockfit.Grid{W: w, H: h, Side: 4}.Blocks())
			return dst, encode(ctx, dst, pix, w, h, o)
		},
		Decode: func(blocks []byte, w, h int) []byte { return decoded(blocks, w, h, alpha) },
	}
}

// decoded returns the image that the blocks encode, with or without alpha.
func decoded(blocks []byte, w, h int, alpha bool) []byte {
	if alpha {
		return blocktest.AssembleBlocks(blocks, w, h, 4, 4, 16, func(pixels, block []byte) {
			DecodeRGBA((*[64]byte)(pixels), (*[16]byte)(block))
		})
	}
	return blocktest.AssembleBlocks(blocks, w, h, 4, 4, 8, func(pixels, block []byte) {
		DecodeRGB((*[64]byte)(pixels), (*[8]byte)(block))
	})
}

func TestEncoderLaw(t *testing.T) {
	with(true, blockfit.Options{}).Law(t)
	with(false, blockfit.Options{}).Law(t)
}

// TestEncodeSamples checks that the encoder writes the same bytes on every machine. Each minimum
// PSNR is 0.3 dB below the measured value.
func TestEncodeSamples(t *testing.T) {
	with(true, blockfit.Options{}).Judge(t, [3]string{"03f2cf839a533df7", "3ab5980d4188ccc3", "5517b779d2ba7313"}, map[string][3]float64{
		"fog":        {37.5, 42.7, 44.4},
		"glass":      {50.8, 52.1, 52.1},
		"glow":       {57.2, 57.4, 57.7},
		"gradient":   {49.6, 50.9, 50.9},
		"gray":       {46.4, 46.9, 47.1},
		"icon":       {32.6, 33.1, 34.2},
		"leaves":     {21.2, 21.2, 21.6},
		"letters":    {16.5, 16.5, 16.6},
		"noise":      {15.3, 15.3, 15.8},
		"normal map": {21.6, 21.6, 21.9},
		"smoke":      {42.7, 43.9, 44.1},
		"stone":      {33.6, 34.8, 35.0},
		"tile":       {52.3, 54.1, 54.1},
	})
	eac := sha256.New()
	for _, q := range qualities {
		eac.Write(encodedEAC(t, blocktest.Samples()["stone"], blockfit.Options{Quality: q.q}))
	}
	got := [3]string{with(false, blockfit.Options{}).Sum(t, 1), with(true, blockfit.Options{WeighAlpha: true}).Sum(t, 1), hex.EncodeToString(eac.Sum(nil)[:8])}
	if want := [3]string{"8a16e845f0f78e39", "b5334da8c65d6511", "a5b8aa81f16b09cc"}; got != want {
		t.Errorf("without alpha, weighed, EAC: %q, want %q", got, want)
	}
}

// wide makes an image of two 16-bit channels from red and green of a sample.
func wide(pix []byte) (v []uint16) {
	for i := 0; i < len(pix); i += 4 {
		v = append(v, uint16(pix[i])*257, uint16(pix[i+1])*200+uint16(pix[i]))
	}
	return v
}

func encodedEAC(t testing.TB, pix []byte, o blockfit.Options) []byte {
	t.Helper()
	dst := make([]byte, 16*blockfit.Grid{W: side, H: side, Side: 4}.Blocks())
	if err := EncodeEAC(t.Context(), dst, wide(pix), side, side, 2, o); err != nil {
		t.Fatal(err)
	}
	return dst
}

// TestErrorIsTrue compares the error that the encoder reports with the error of the decoded block.
func TestErrorIsTrue(t *testing.T) {
	for _, q := range qualities {
		e := newEncoder(q.q)
		rapid.Check(t, func(t *rapid.T) {
			pixels := [64]byte(blocktest.Pixels(t, 16))
			errorIsTrue(t, e, &pixels)
		})
	}
}

func errorIsTrue(t interface{ Fatalf(string, ...any) }, e *encoder, pixels *[64]byte) {
	block := e.encode(pixels)
	var got [64]byte
	paintBlock(&got, block)
	if sse := blocktest.SquaredError(pixels[:], got[:], 3); sse != int64(e.sse) {
		t.Fatalf("%+v: error %d, thought to be %d", e.best, sse, e.sse)
	}
}

// TestGuessBoundsError checks that the estimated error of a half block is at least the real error,
// and equal to it if no color is clamped.
func TestGuessBoundsError(t *testing.T) {
	e := newEncoder(blockfit.Normal)
	rapid.Check(t, func(t *rapid.T) {
		pixels := [64]byte(blocktest.Pixels(t, 16))
		e.px.loadColumns(&pixels)
		e.px.sumHalves()
		for flip := range 2 {
			c, cost := e.quick(flip)
			sse := e.chooseSplitIndices(&c)
			inside := true
			for half := range 2 {
				for _, base := range c.widenBase(half) {
					m := modifiers[c.table[half]][1]
					inside = inside && base >= m && base+m <= 255
				}
			}
			if 3*sse > cost || inside && 3*sse != cost {
				t.Fatalf("%+v: error %d, guessed to be a third of %d", c, sse, cost)
			}
		}
	})
}

// TestSolid checks that gray blocks of one color are exact, and that other colors are off by less
// than half a stored step. Alpha is exact.
func TestSolid(t *testing.T) {
	for v := range 256 {
		pix := bytes.Repeat([]byte{byte(v), byte(255 - v), byte(v * 7), byte(v * 3)}, 16)
		for _, q := range qualities {
			got := decoded(encoded(t, pix, 4, 4, true, blockfit.Options{Quality: q.q}), 4, 4, true)
			if sse := blocktest.SquaredError(pix, got, 3); sse > 128 {
				t.Fatalf("%s: %v became %v", q.name, pix[:4], got[:4])
			}
			if got[3] != pix[3] {
				t.Fatalf("%s: alpha %d became %d", q.name, pix[3], got[3])
			}
		}
		gray := bytes.Repeat([]byte{byte(v), byte(v), byte(v), 255}, 16)
		got := decoded(encoded(t, gray, 4, 4, false, blockfit.Options{}), 4, 4, false)
		if sse := blocktest.SquaredError(gray, got, 3); sse > 0 {
			t.Errorf("gray %d became %v", v, got[:3])
		}
	}
}

func TestSolidEAC(t *testing.T) {
	for v := range int32(2048) {
		pix := slices.Repeat([]uint16{from11(v)}, 16)
		var block [8]byte
		if err := EncodeEAC(t.Context(), block[:], pix, 4, 4, 1, blockfit.Options{}); err != nil {
			t.Fatal(err)
		}
		if got := DecodeEAC(&block); !slices.Equal(got[:], pix) {
			t.Fatalf("%d became %d", pix[0], got[0])
		}
	}
}

// TestCutOutIsExact checks that blocks with only the smallest and largest values, as in masks and
// cut-out alpha, are exact.
func TestCutOutIsExact(t *testing.T) {
	for _, q := range qualities {
		e := newEncoder(q.q)
		rapid.Check(t, func(t *rapid.T) {
			var pixels [64]byte
			var v, got [16]int32
			for i := range v {
				v[i] = 255 * rapid.Int32Range(0, 1).Draw(t, "opaque")
				pixels[4*inColumns[i]+3] = byte(v[i])
			}
			decodeScalar(&got, e.encodeAlpha(&pixels), &kindAlpha)
			if got != v {
				t.Fatalf("%v became %v", v, got)
			}
		})
	}
}

// TestFastAlphaError checks that alphaError, which the quality Fast uses, equals scalarError.
func TestFastAlphaError(t *testing.T) {
	tables := &sharedTables().alpha
	rapid.Check(t, func(t *rapid.T) {
		var v [16]int32
		for i := range v {
			v[i] = rapid.Int32Range(0, 255).Draw(t, "v")
		}
		c := scalarCode{rapid.Int32Range(0, 255).Draw(t, "base"), rapid.Int32Range(1, 15).Draw(t, "multiplier"), rapid.Uint8Range(0, 15).Draw(t, "table")}
		want := kindAlpha.scalarError(&v, c, 1<<30)
		if got := tables.alphaError(&v, c, 1<<30); got != want {
			t.Fatalf("%+v of %v: error %d, want %d", c, v, got, want)
		}
	})
}

// TestSketch checks that the sums of the quality Fast equal sums computed pixel by pixel. It also
// checks that the estimate for the modes of ETC1 is close to the error where no color is clamped.
func TestSketch(t *testing.T) {
	e := newEncoder(blockfit.Fast)
	rapid.Check(t, func(t *rapid.T) {
		pixels := [64]byte(blocktest.Pixels(t, 16))
		s := &e.sketch
		differ := s.measure(&pixels)
		if e.px.loadColumns(&pixels) != differ {
			t.Fatalf("pixels differ: %v", differ)
		}
		e.px.sumHalves()
		lumas := int32(0)
		for i, p := range e.px.pix {
			sum := p[0] + p[1] + p[2]
			if s.columns[i] != sum || s.rows[inColumns[i]] != sum {
				t.Fatalf("pixel %d: sums %d and %d, want %d", i, s.columns[i], s.rows[inColumns[i]], sum)
			}
			lumas += sum * sum
		}
		if s.squares != e.px.squares || s.lumas != lumas || s.all.channels() != e.px.all {
			t.Fatalf("%d, %d, %v; want %d, %d, %v", s.squares, s.lumas, s.all.channels(), e.px.squares, lumas, e.px.all)
		}
		for i, h := range e.px.halves {
			got := s.across[i&1*2].add(s.across[i&1*2+1])
			if i > 1 {
				got = s.down[i&1*2].add(s.down[i&1*2+1])
			}
			if got.channels() != h.sum {
				t.Fatalf("half %d: %v, want %v", i, got.channels(), h.sum)
			}
		}
		c, cost := s.fastSplit()
		sse, chroma, ok := s.indexFast(&c)
		if !ok {
			return
		}
		// Rounding raises the estimate by at most 4 per pixel.
		if sum := 3 * sse; chroma > sum || cost+s.rest > sum+4*16+3 {
			t.Fatalf("%+v: error %d, chroma %d, estimate %d", c, sum, chroma, cost+s.rest)
		}
	})
}

// TestQualityLadder checks that a higher quality has no larger error for any sample.
func TestQualityLadder(t *testing.T) {
	for name, pix := range blocktest.Samples() {
		last := int64(0)
		for i := len(qualities) - 1; i >= 0; i-- {
			got := decoded(encoded(t, pix, side, side, true, blockfit.Options{Quality: qualities[i].q}), side, side, true)
			sse := blocktest.SquaredError(pix, got, 4)
			if sse < last {
				t.Errorf("%s, %s: error %d, less than %d of the next quality", name, qualities[i].name, sse, last)
			}
			last = sse
		}
	}
}

// TestScalarErrorBounds checks that scalarError is never below the error of the decoded block.
func TestScalarErrorBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.SampledFrom([]*scalarKind{&kindAlpha, &kind11}).Draw(t, "kind")
		var v, got [16]int32
		for i := range v {
			v[i] = rapid.Int32Range(0, k.top).Draw(t, "v")
		}
		c := scalarCode{rapid.Int32Range(0, 255).Draw(t, "base"), rapid.Int32Range(k.least, 15).Draw(t, "multiplier"), rapid.Uint8Range(0, 15).Draw(t, "table")}
		decodeScalar(&got, k.packScalar(&v, c), k)
		var sse int32
		cut := false
		for i := range v {
			sse += (v[i] - got[i]) * (v[i] - got[i])
		}
		reach := 15 * k.modifierStep(c.multiplier)
		cut = k.base(c.base)-reach < 0 || k.base(c.base)+reach > k.top
		if guess := k.scalarError(&v, c, 1<<30); guess < sse || !cut && guess != sse {
			t.Fatalf("%+v of %v: error %d, thought to be %d", c, v, sse, guess)
		}
	})
}

func TestEAC(t *testing.T) {
	for _, q := range qualities {
		pix := wide(blocktest.Samples()["stone"])
		blocks := encodedEAC(t, blocktest.Samples()["stone"], blockfit.Options{Quality: q.q})
		worst := 0
		for at := range side * side / 16 {
			for c := range 2 {
				got := DecodeEAC((*[8]byte)(blocks[16*at+8*c:]))
				for i, v := range got {
					x, y := at%(side/4)*4+i%4, at/(side/4)*4+i/4
					d := int(v) - int(pix[2*(y*side+x)+c])
					worst = max(worst, d, -d)
				}
			}
		}
		if worst > 4096 {
			t.Errorf("%s: a value is off by %d", q.name, worst)
		}
	}
}

// TestWeighAlpha checks that WeighAlpha reduces the error of colors weighted by alpha by at least
// 10 %.
func TestWeighAlpha(t *testing.T) {
	pix := blocktest.Samples()["leaves"]
	for _, q := range qualities {
		var sse [2]int64
		for i, weigh := range []bool{false, true} {
			got := decoded(encoded(t, pix, side, side, true, blockfit.Options{Quality: q.q, WeighAlpha: weigh}), side, side, true)
			sse[i] = byalpha.Error(pix, got)
		}
		if sse[1] > sse[0]*9/10 {
			t.Errorf("%s: weighed error %d, without weights %d", q.name, sse[1], sse[0])
		}
	}
}

func TestModesInUse(t *testing.T) {
	for _, q := range qualities {
		seen := map[mode]int{}
		for _, pix := range blocktest.Samples() {
			blocks := encoded(t, pix, side, side, false, blockfit.Options{Quality: q.q})
			for ; len(blocks) > 0; blocks = blocks[8:] {
				seen[unpack(binary.BigEndian.Uint64(blocks)).mode]++
			}
		}
		for m := individual; m <= planar; m++ {
			if seen[m] == 0 {
				t.Errorf("%s: no block in mode %d: %v", q.name, m, seen)
			}
		}
	}
}

func TestEncodeRefuses(t *testing.T) {
	for _, c := range []struct {
		dst, pix, w, h int
		o              blockfit.Options
		want           string
	}{
		{16, 64, 0, 4, blockfit.Options{}, "0 by 4"},
		{16, 64, 4, -1, blockfit.Options{}, "4 by -1"},
		{16, 64, 1 << 21, 4, blockfit.Options{}, "by 4"},
		{16, 63, 4, 4, blockfit.Options{}, "63 numbers are too few"},
		{7, 64, 4, 4, blockfit.Options{}, "7 bytes are too few"},
		{16, 64, 4, 4, blockfit.Options{Quality: 3}, "unknown quality"},
	} {
		err := EncodeRGB(t.Context(), make([]byte, c.dst), make([]byte, c.pix), c.w, c.h, c.o)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c, err, c.want)
		}
	}
	if err := EncodeEAC(t.Context(), nil, nil, 4, 4, 3, blockfit.Options{}); err == nil || !strings.Contains(err.Error(), "3 channels") {
		t.Errorf("3 channels: %v", err)
	}
}

func TestBlocksAllocateNothing(t *testing.T) {
	pix := blocktest.Samples()["leaves"]
	for _, q := range qualities {
		e := newEncoder(q.q)
		var pixels [64]byte
		n := testing.AllocsPerRun(10, func() {
			for x := 0; x < side; x += 4 {
				blockfit.Gather(blockfit.Grid{W: side, H: side, Side: 4}, pixels[:], pix, 4, (2*side+x)/4)
				e.encodeWeighed(&pixels)
				e.encodeAlpha(&pixels)
			}
		})
		if n != 0 {
			t.Errorf("%s: %v allocations", q.name, n)
		}
	}
}

func ExampleEncodeRGB() {
	const w, h = 8, 4
	pix := make([]byte, 4*w*h)
	for i := range w * h {
		copy(pix[4*i:], []byte{byte(30 * (i % w)), 100, 200, 255})
	}
	blocks := make([]byte, 8*blockfit.Grid{W: w, H: h, Side: 4}.Blocks())
	if err := EncodeRGB(context.Background(), blocks, pix, w, h, blockfit.Options{Quality: blockfit.Best}); err != nil {
		fmt.Println(err)
		return
	}
	var first [64]byte
	DecodeRGB(&first, (*[8]byte)(blocks))
	fmt.Println(len(blocks), first[:8])
	// Output: 16 [0 100 199 255 30 100 199 255]
}
