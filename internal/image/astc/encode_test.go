package astc

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/assetcook/assetcook/internal/image/blockfit"
	"github.com/assetcook/assetcook/internal/image/blocktest"
	"github.com/assetcook/assetcook/internal/image/byalpha"
)

// width is the width and height of a sample.
const width = blocktest.Side

var qualities = []struct {
	name string
	q    blockfit.Quality
}{{"fast", blockfit.Fast}, {"normal", blockfit.Normal}, {"best", blockfit.Best}}

func encoded(t testing.TB, pix []byte, w, h int, size Size, o Options) []byte {
	t.Helper()
	blocks := make([]byte, 16*size.in(w, h).Blocks())
	if err := Encode(t.Context(), blocks, pix, w, h, size, o); err != nil {
		t.Fatal(err)
	}
	return blocks
}

// samples has the images of blocktest.Samples.
var samples = sync.OnceValue(blocktest.Samples)

// An encodedSample names the blocks of a sample.
type encodedSample struct {
	name string
	size Size
	o    Options
}

// encodedSamples has the blocks that encode has returned, so that tests share them.
var encodedSamples = map[encodedSample][]byte{}

// encode returns the blocks of the sample, which must not be changed.
func (s encodedSample) encode(t testing.TB) []byte {
	t.Helper()
	if encodedSamples[s] == nil {
		encodedSamples[s] = encoded(t, samples()[s.name], width, width, s.size, s.o)
	}
	return encodedSamples[s]
}

// onSamples returns an encoder for samples, which encodes each only once.
func onSamples(t testing.TB, size Size, o Options) blocktest.Encoder {
	e := with(size, o)
	e.Encode = func(_ context.Context, pix []byte, _, _, quality int) ([]byte, error) {
		for name, sample := range samples() {
			if bytes.Equal(sample, pix) {
				o.Quality = blockfit.Quality(quality)
				return encodedSample{name, size, o}.encode(t), nil
			}
		}
		return nil, errors.New("not a sample")
	}
	return e
}

// in returns the blocks of an image with w by h pixels.
func (s Size) in(w, h int) blockfit.Grid { return blockfit.Grid{W: w, H: h, Side: s.W, Rows: s.H} }

// with returns an encoder for blocks of the given size, with the given options.
func with(size Size, o Options) blocktest.Encoder {
	return blocktest.Encoder{
		Block: size.W, Rows: size.H,
		Encode: func(ctx context.Context, pix []byte, w, h, quality int) ([]byte, error) {
			o.Quality = blockfit.Quality(quality)
			dst := make([]byte, 16*size.in(w, h).Blocks())
			return dst, Encode(ctx, dst, pix, w, h, size, o)
		},
		Decode: func(blocks []byte, w, h int) []byte { return read(blocks, w, h, size, true) },
	}
}

// read decodes the blocks of an image.
func read(blocks []byte, w, h int, size Size, srgb bool) []byte {
	return blocktest.AssembleBlocks(blocks, w, h, size.W, size.H, 16, func(pixels, block []byte) {
		var decoded Pixels
		DecodeBlock(&decoded, (*[16]byte)(block), size, srgb)
		copy(pixels, decoded[:])
	})
}

func TestEncoderLaw(t *testing.T) {
	for _, size := range sizes {
		with(size, Options{}).Law(t)
	}
}

// TestEncodeSamples checks that the encoder writes the same bytes on every machine. Each minimum
// PSNR is 0.3 dB below the measured value.
func TestEncodeSamples(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long, and starts no goroutines")
	}
	if len(judged) != len(sizes) {
		t.Errorf("results for %d of %d sizes", len(judged), len(sizes))
	}
	for size, want := range judged {
		onSamples(t, size, Options{}).Judge(t, want.sums, want.least)
		got := [2]string{onSamples(t, size, Options{WeighAlpha: true}).Sum(t, 1), onSamples(t, size, Options{AlphaWeight: 3}).Sum(t, 0)}
		if got != want.others {
			t.Errorf("%v, weighed and with alpha thrice: %q, want %q", size, got, want.others)
		}
	}
}

// TestErrorIsTrue compares the error that the encoder reports with the error of the decoded block.
func TestErrorIsTrue(t *testing.T) {
	for _, size := range sizes {
		for _, q := range qualities {
			e := newEncoder(q.q, size)
			rapid.Check(t, func(t *rapid.T) {
				pixels := Pixels(blocktest.Pixels(t, maxPixels))
				times := rapid.IntRange(1, 16).Draw(t, "alpha counts")
				e.setAlphaWeight(times)
				block := e.encode(&pixels)
				var decoded Pixels
				DecodeBlock(&decoded, &block, size, true)
				sse := blocktest.SquaredError(pixels[:4*e.pixels], decoded[:4*e.pixels], 4)
				for i := 3; i < 4*e.pixels; i += 4 {
					d := int64(pixels[i]) - int64(decoded[i])
					sse += d * d * int64(times-1)
				}
				if sse != e.sse {
					t.Fatalf("%+v: error %d, thought to be %d", e.best, sse, e.sse)
				}
			})
		}
	}
}

// TestAlphaWeight checks that a weight of 3 for alpha reduces the total error if red, green and
// blue are equal.
func TestAlphaWeight(t *testing.T) {
	stone, pix := blocktest.Samples()["stone"], blocktest.Samples()["normal map"]
	for i := 0; i < len(pix); i += 4 {
		x, y := 64+pix[i]/2, stone[i]
		copy(pix[i:], []byte{x, x, x, y})
	}
	for _, size := range sizes {
		for _, q := range qualities {
			var sse [2]int64
			for k, times := range []int{0, 3} {
				blocks := encoded(t, pix, width, width, size, Options{Quality: q.q, AlphaWeight: times})
				decoded := read(blocks, width, width, size, false)
				for i := 0; i < len(pix); i += 4 {
					dx, dy := int64(pix[i])-int64(decoded[i]), int64(pix[i+3])-int64(decoded[i+3])
					sse[k] += dx*dx + dy*dy
				}
			}
			if sse[1] >= sse[0] {
				t.Errorf("%s, %v: errors of x and y %d, where alpha counts once %d", q.name, size, sse[1], sse[0])
			}
		}
	}
}

func TestOpaqueStaysOpaque(t *testing.T) {
	for _, size := range sizes {
		for _, q := range qualities {
			e := newEncoder(q.q, size)
			rapid.Check(t, func(t *rapid.T) {
				pixels := Pixels(blocktest.Pixels(t, maxPixels))
				for i := 3; i < len(pixels); i += 4 {
					pixels[i] = 255
				}
				block := e.encode(&pixels)
				for _, srgb := range []bool{false, true} {
					var decoded Pixels
					DecodeBlock(&decoded, &block, size, srgb)
					for i := 3; i < 4*e.pixels; i += 4 {
						if decoded[i] != 255 {
							t.Fatalf("%+v: alpha %d", e.best, decoded[i])
						}
					}
				}
			})
		}
	}
}

func TestSolidIsExact(t *testing.T) {
	for v := range 256 {
		pix := bytes.Repeat([]byte{byte(v), byte(255 - v), byte(v * 7), byte(v * 3)}, 64)
		for _, srgb := range []bool{false, true} {
			if got := read(encoded(t, pix, 8, 8, Size{8, 8}, Options{}), 8, 8, Size{8, 8}, srgb); !bytes.Equal(got, pix) {
				t.Fatalf("%v became %v", pix[:4], got[:4])
			}
		}
	}
}

// TestPlainIsNear checks that linear and sRGB decoding, which round differently, never differ by
// more than one.
func TestPlainIsNear(t *testing.T) {
	for name := range samples() {
		blocks := encodedSample{name, Size{6, 6}, Options{}}.encode(t)
		plain, srgb := read(blocks, width, width, Size{6, 6}, false), read(blocks, width, width, Size{6, 6}, true)
		for i := range plain {
			if d := int(plain[i]) - int(srgb[i]); d < -1 || d > 1 {
				t.Fatalf("%s: %d and %d", name, plain[i], srgb[i])
			}
		}
	}
}

// TestKindsInUse checks that the encoder uses each expected endpoint mode, one to three parts, two
// planes, and parts with different modes.
func TestKindsInUse(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long, and starts no goroutines")
	}
	kinds, parts, planes := map[uint8]int{}, map[uint8]int{}, map[bool]int{}
	mixed := 0
	for name := range samples() {
		for _, size := range sizes {
			blocks := encodedSample{name, size, Options{Quality: blockfit.Best}}.encode(t)
			for ; len(blocks) > 0; blocks = blocks[16:] {
				c, ok := unpack(&stream{binary.LittleEndian.Uint64(blocks), binary.LittleEndian.Uint64(blocks[8:])}, size)
				if !ok {
					continue
				}
				parts[c.parts]++
				planes[c.dual]++
				for _, kind := range c.kinds[:c.parts] {
					kinds[kind]++
				}
				if c.kinds[0] != c.kinds[c.parts-1] {
					mixed++
				}
			}
		}
	}
	for _, kind := range []uint8{kindGray, kindGrayAlpha, kindRGBScale, kindRGB, kindRGBOffset, kindRGBScaleAlpha, kindRGBA, kindRGBAOffset} {
		if kinds[kind] == 0 {
			t.Errorf("no ends of kind %d: %v", kind, kinds)
		}
	}
	if parts[1] == 0 || parts[2] == 0 || parts[3] == 0 || planes[true] == 0 || mixed == 0 {
		t.Errorf("parts %v, planes %v, mixed %d", parts, planes, mixed)
	}
}

func TestWeighAlphaPays(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long, and starts no goroutines")
	}
	pix := samples()["leaves"]
	for _, q := range qualities {
		for _, size := range sizes {
			var sse [2]int64
			for i, weigh := range []bool{false, true} {
				blocks := encodedSample{"leaves", size, Options{Quality: q.q, WeighAlpha: weigh}}.encode(t)
				sse[i] = byalpha.Error(pix, read(blocks, width, width, size, true))
			}
			if float64(sse[1]) > 0.95*float64(sse[0]) {
				t.Errorf("%s, %v: %d, without %d", q.name, size, sse[1], sse[0])
			}
		}
	}
}

func TestEncodeRefuses(t *testing.T) {
	for _, c := range []struct {
		dst, pix, w, h int
		size           Size
		o              Options
		want           string
	}{
		{16, 64, 0, 4, Size{4, 4}, Options{}, "0 by 4"},
		{16, 64, 4, -1, Size{4, 4}, Options{}, "4 by -1"},
		{16, 64, 4, 4, Size{7, 7}, Options{}, "7 by 7"},
		{16, 64, 4, 4, Size{5, 6}, Options{}, "5 by 6"},
		{16, 64, 4, 4, Size{}, Options{}, "0 by 0"},
		{16, 64, 1 << 21, 4, Size{4, 4}, Options{}, "by 4"},
		{16, 63, 4, 4, Size{4, 4}, Options{}, "63 bytes are too few"},
		{15, 64, 4, 4, Size{4, 4}, Options{}, "15 bytes are too few"},
		{16, 64, 4, 4, Size{4, 4}, Options{Quality: 3}, "unknown quality"},
		{16, 64, 4, 4, Size{4, 4}, Options{AlphaWeight: 17}, "want 0 to 16"},
		{16, 64, 4, 4, Size{4, 4}, Options{AlphaWeight: -1}, "want 0 to 16"},
	} {
		err := Encode(t.Context(), make([]byte, c.dst), make([]byte, c.pix), c.w, c.h, c.size, c.o)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c, err, c.want)
		}
	}
}

func TestBlocksAllocateNothing(t *testing.T) {
	for name, pix := range blocktest.Samples() {
		for _, size := range sizes {
			e := newEncoder(blockfit.Best, size)
			p := size.in(width, width)
			var pixels Pixels
			n := testing.AllocsPerRun(2, func() {
				for at := range 4 {
					blockfit.Gather(p, pixels[:], pix, 4, at*p.Blocks()/4)
					e.encodeWeighed(&pixels)
				}
			})
			if n != 0 {
				t.Errorf("%s, %v: %v allocations", name, size, n)
			}
		}
	}
}

func FuzzBlock(f *testing.F) {
	f.Add(uint8(0), make([]byte, 4*maxPixels), make([]byte, 16))
	f.Add(uint8(7), bytes.Repeat([]byte{1, 2, 3, 255, 200, 100, 50, 255}, 72), bytes.Repeat([]byte{0x43}, 16))
	f.Add(uint8(13), bytes.Repeat([]byte{1, 2, 3, 0, 200, 100, 50, 255}, 72), bytes.Repeat([]byte{0x84}, 16))
	f.Fuzz(func(t *testing.T, number uint8, pixels, block []byte) {
		size := sizes[int(number)%len(sizes)]
		var decoded Pixels
		if len(block) >= 16 {
			DecodeBlock(&decoded, (*[16]byte)(block), size, true)
		}
		if len(pixels) < 4*maxPixels {
			return
		}
		p := Pixels(pixels)
		for _, q := range qualities {
			e := newEncoder(q.q, size)
			b := e.encode(&p)
			DecodeBlock(&decoded, &b, size, true)
			if sse := blocktest.SquaredError(p[:4*e.pixels], decoded[:4*e.pixels], 4); sse != e.sse {
				t.Fatalf("error %d, thought to be %d", sse, e.sse)
			}
		}
	})
}

func ExampleEncode() {
	const w, h = 12, 6
	pix := make([]byte, 4*w*h)
	for i := range w * h {
		copy(pix[4*i:], []byte{byte(20 * (i % w)), 100, 200, 255})
	}
	blocks := make([]byte, 16*blockfit.Grid{W: w, H: h, Side: 6}.Blocks())
	if err := Encode(context.Background(), blocks, pix, w, h, Size{6, 6}, Options{Quality: blockfit.Best}); err != nil {
		fmt.Println(err)
		return
	}
	var first Pixels
	DecodeBlock(&first, (*[16]byte)(blocks), Size{6, 6}, true)
	fmt.Println(len(blocks), first[:8])
	// Output: 32 [0 100 200 255 19 100 200 255]
}
