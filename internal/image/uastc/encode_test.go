package uastc

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/assetcook/assetcook/internal/image/blockfit"
	"github.com/assetcook/assetcook/internal/image/blocktest"
)

// side is the width and height of a sample.
const side = blocktest.Side

var qualities = []struct {
	name string
	q    blockfit.Quality
}{{"fast", blockfit.Fast}, {"normal", blockfit.Normal}, {"best", blockfit.Best}}

// encoded returns the blocks of an image.
func encoded(t testing.TB, pix []byte, w, h int, o Options) []byte {
	t.Helper()
	dst := make([]byte, 16*blockfit.Grid{W: w, H: h, Side: 4}.Blocks())
	if err := Encode(t.Context(), dst, pix, w, h, o); err != nil {
		t.Fatal(err)
	}
	return dst
}

// with returns an encoder with the given options.
func with(o Options) blocktest.Encoder {
	return blocktest.Encoder{
		Block: 4,
		Encode: func(ctx context.Context, pix []byte, w, h, quality int) ([]byte, error) {
			o.Quality = blockfit.Quality(quality)
			dst := make([]byte, 16*blockfit.Grid{W: w, H: h, Side: 4}.Blocks())
			return dst, Encode(ctx, dst, pix, w, h, o)
		},
		Decode: read,
	}
}

// read decodes the blocks of an image.
func read(blocks []byte, w, h int) []byte {
	return blocktest.AssembleBlocks(blocks, w, h, 4, 4, 16, func(pixels, block []byte) {
		DecodeBlock((*[64]byte)(pixels), (*[16]byte)(block))
	})
}

func TestEncoderLaw(t *testing.T) {
	with(Options{}).Law(t)
	with(Options{RDO: 0.5}).Cancels(t)
}

// TestEncodeSamples checks that the bytes are the same on every machine. Each minimum PSNR is 0.3
// dB below the measured value.
func TestEncodeSamples(t *testing.T) {
	with(Options{}).Judge(t, [3]string{"c75b9e58c0d24d65", "1875080211bb9b97", "4b6408620df70f05"}, map[string][3]float64{
		"fog":        {40.4, 43.3, 44.6},
		"glass":      {53.9, 53.9, 53.9},
		"glow":       {61.5, 61.7, 62.1},
		"gradient":   {51.1, 51.1, 51.1},
		"gray":       {54.9, 55.5, 56.3},
		"icon":       {43.2, 45.6, 47.1},
		"leaves":     {23.0, 25.5, 25.8},
		"letters":    {23.4, 24.4, 25.3},
		"noise":      {18.0, 18.2, 18.4},
		"normal map": {26.8, 27.4, 27.8},
		"smoke":      {45.4, 45.5, 45.6},
		"stone":      {42.4, 42.4, 42.6},
		"tile":       {110.0, 110.0, 110.0},
	})
	if got, want := with(Options{WeighAlpha: true}).Sum(t, 1), "b1387aa858781340"; got != want {
		t.Errorf("weighed: %s, want %s", got, want)
	}
	if got, want := with(Options{RDO: 0.5}).Sum(t, 1), "1f6a6cae3da08a39"; got != want {
		t.Errorf("shrunk: %s, want %s", got, want)
	}
}

// TestErrorIsTrue compares the error that the encoder reports with the error of the decoded block.
func TestErrorIsTrue(t *testing.T) {
	for _, q := range qualities {
		e := newEncoder(q.q)
		rapid.Check(t, func(t *rapid.T) {
			pixels := [64]byte(blocktest.Pixels(t, 16))
			block := e.encode(&pixels)
			var decoded [64]byte
			DecodeBlock(&decoded, &block)
			if sse := blocktest.SquaredError(pixels[:], decoded[:], 4); sse != e.sse {
				t.Fatalf("mode %d: error %d, thought to be %d", e.best.mode, sse, e.sse)
			}
		})
	}
}

func TestOpaqueStaysOpaque(t *testing.T) {
	for _, q := range qualities {
		e := newEncoder(q.q)
		rapid.Check(t, func(t *rapid.T) {
			pixels := [64]byte(blocktest.Pixels(t, 16))
			for i := 3; i < 64; i += 4 {
				pixels[i] = 255
			}
			block := e.encode(&pixels)
			var decoded [64]byte
			DecodeBlock(&decoded, &block)
			for i := 3; i < 64; i += 4 {
				if decoded[i] != 255 {
					t.Fatalf("mode %d: alpha %d", e.best.mode, decoded[i])
				}
			}
		})
	}
}

func TestSolidIsExact(t *testing.T) {
	for v := range 256 {
		pix := bytes.Repeat([]byte{byte(v), byte(255 - v), byte(v * 7), byte(v * 3)}, 16)
		for _, q := range qualities {
			if got := read(encoded(t, pix, 4, 4, Options{Quality: q.q}), 4, 4); !bytes.Equal(got, pix) {
				t.Fatalf("%v became %v", pix[:4], got[:4])
			}
		}
	}
}

// TestModesInUse checks that the encoder uses all modes except mode 1. Mode 5 is better, because it
// has the same endpoints and more weights.
func TestModesInUse(t *testing.T) {
	seen := map[int]int{}
	for _, pix := range blocktest.Samples() {
		blocks := encoded(t, pix, side, side, Options{Quality: blockfit.Best})
		for ; len(blocks) > 0; blocks = blocks[16:] {
			seen[int(modeOf[blocks[0]&127])]++
		}
	}
	for mode := range layouts {
		if seen[mode] == 0 && mode != 1 {
			t.Errorf("no block in mode %d: %v", mode, seen)
		}
	}
}

func TestEncodeRefuses(t *testing.T) {
	for _, c := range []struct {
		dst, pix, w, h int
		o              Options
		want           string
	}{
		{16, 64, 0, 4, Options{}, "0 by 4"},
		{16, 64, 4, -1, Options{}, "4 by -1"},
		{16, 64, 1 << 21, 4, Options{}, "by 4"},
		{16, 63, 4, 4, Options{}, "63 bytes are too few"},
		{15, 64, 4, 4, Options{}, "15 bytes are too few"},
		{16, 64, 4, 4, Options{Quality: 3}, "unknown quality"},
		{16, 64, 4, 4, Options{RDO: -1}, "at most 10 dB"},
	} {
		err := Encode(t.Context(), make([]byte, c.dst), make([]byte, c.pix), c.w, c.h, c.o)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c, err, c.want)
		}
	}
}

func TestBlocksAllocateNothing(t *testing.T) {
	for name, pix := range blocktest.Samples() {
		for _, q := range qualities {
			e := newEncoder(q.q)
			p := blockfit.Grid{W: side, H: side, Side: 4}
			var pixels [64]byte
			n := testing.AllocsPerRun(10, func() {
				for at := range 16 {
					blockfit.Gather(p, pixels[:], pix, 4, at*p.Blocks()/16)
					e.encodeWeighed(&pixels)
				}
			})
			if n != 0 {
				t.Errorf("%s, %s: %v allocations", name, q.name, n)
			}
		}
	}
}

func FuzzBlock(f *testing.F) {
	f.Add(make([]byte, 64), make([]byte, 16))
	f.Add(bytes.Repeat([]byte{1, 2, 3, 255, 200, 100, 50, 255}, 8), bytes.Repeat([]byte{0x40}, 16))
	f.Add(bytes.Repeat([]byte{1, 2, 3, 0, 200, 100, 50, 255}, 8), bytes.Repeat([]byte{0xff}, 16))
	f.Fuzz(func(t *testing.T, pixels, block []byte) {
		if len(block) >= 16 {
			// Every block can be decoded. If a block can also be unpacked, packing it again
			// restores all bytes, except for unused bits.
			b := [16]byte(block)
			var first, second [64]byte
			DecodeBlock(&first, &b)
			if c, h, ok := unpack(&b); ok {
				b = c.pack(&h)
				if DecodeBlock(&second, &b); second != first {
					t.Fatalf("%x became %x", block, b)
				}
			}
		}
		if len(pixels) < 64 {
			return
		}
		for _, q := range qualities {
			e := newEncoder(q.q)
			p := [64]byte(pixels)
			b := e.encode(&p)
			var decoded [64]byte
			DecodeBlock(&decoded, &b)
			if sse := blocktest.SquaredError(p[:], decoded[:], 4); sse != e.sse {
				t.Fatalf("error %d, thought to be %d", sse, e.sse)
			}
		}
	})
}

func ExampleEncode() {
	const w, h = 8, 4
	pix := make([]byte, 4*w*h)
	for i := range w * h {
		copy(pix[4*i:], []byte{byte(30 * (i % w)), 100, 200, 255})
	}
	blocks := make([]byte, 16*blockfit.Grid{W: w, H: h, Side: 4}.Blocks())
	if err := Encode(context.Background(), blocks, pix, w, h, Options{Quality: blockfit.Best}); err != nil {
		fmt.Println(err)
		return
	}
	var first [64]byte
	DecodeBlock(&first, (*[16]byte)(blocks))
	fmt.Println(len(blocks), first[:8])
	// Output: 32 [0 100 201 255 29 100 201 255]
}

// TestGrayLineIsExact checks that gray pixels on a line are encoded exactly, in a mode that can be
// transcoded to BC7 without error.
func TestGrayLineIsExact(t *testing.T) {
	for _, q := range qualities {
		var pixels [64]byte
		for i := range 16 {
			v := [4]byte{10, 10 + 21, 10 + 43, 10 + 64}[i*7%4]
			copy(pixels[4*i:], []byte{v, v, v, 255})
		}
		e := newEncoder(q.q)
		block := e.encode(&pixels)
		var decoded [64]byte
		if DecodeBlock(&decoded, &block); decoded != pixels || e.best.mode != 1 {
			t.Errorf("%s: mode %d, %v", q.name, e.best.mode, decoded)
		}
	}
}
