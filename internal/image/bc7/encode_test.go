package bc7

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
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

// readAlike fails the test if an independent reader and DecodeBlock decode a block to different
// pixels.
func readAlike(t testing.TB, block *[16]byte) {
	t.Helper()
	var got [64]byte
	DecodeBlock(&got, block)
	if want := read(t, block[:], 4, 4); !bytes.Equal(got[:], want) {
		t.Fatalf("block %x\n got %v\nwant %v", *block, got, want)
	}
}

// with returns the encoder with the given options. Its blocks are decoded by an independent reader.
func with(t testing.TB, o Options) blocktest.Encoder {
	return blocktest.Encoder{
		Block: 4,
		Encode: func(ctx context.Context, pix []byte, w, h, quality int) ([]byte, error) {
			o.Quality = blockfit.Quality(quality)
			dst := make([]byte, 16*blockfit.Grid{W: w, H: h, Side: 4}.Blocks())
			return dst, Encode(ctx, dst, pix, w, h, o)
		},
		Decode: func(blocks []byte, w, h int) []byte { return read(t, blocks, w, h) },
	}
}

func TestEncoderLaw(t *testing.T) {
	with(t, Options{}).Law(t)
	with(t, Options{RDO: 0.5}).Cancels(t)
}

// TestEncodeSamples checks that the encoder writes the same bytes on every machine. Each minimum
// PSNR is 0.3 dB below the measured value.
func TestEncodeSamples(t *testing.T) {
	with(t, Options{}).Judge(t, [3]string{"fcabca21f6e39969", "098bbcec5480dcce", "67e7aee40efb5da9"}, map[string][3]float64{
		"fog":        {42.4, 42.6, 42.8},
		"glass":      {51.4, 51.5, 55.1},
		"glow":       {60.8, 62.5, 62.6},
		"gradient":   {47.5, 47.6, 51.7},
		"gray":       {57.7, 60.0, 64.3},
		"icon":       {49.8, 50.2, 51.8},
		"leaves":     {26.1, 26.2, 26.9},
		"letters":    {27.6, 28.1, 29.8},
		"noise":      {18.4, 18.4, 18.5},
		"normal map": {27.7, 27.7, 27.9},
		"smoke":      {45.1, 47.5, 47.6},
		"stone":      {42.6, 42.8, 42.9},
		"tile":       {110.0, 110.0, 110.0},
	})
	if got, want := with(t, Options{WeighAlpha: true}).Sum(t, 1), "a3339c96990bf6d7"; got != want {
		t.Errorf("weighed: %s, want %s", got, want)
	}
	sum := sha256.Sum256(encoded(t, blocktest.Bricks(), side, side, Options{RDO: 0.5}))
	if got, want := hex.EncodeToString(sum[:8]), "ffe501a22c887faf"; got != want {
		t.Errorf("shrunk: %s, want %s", got, want)
	}
}

// TestErrorIsTrue compares the error that the encoder reports with the error of the decoded block.
func TestErrorIsTrue(t *testing.T) {
	for _, q := range qualities[1:] { // the quality fast only estimates errors
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
			if got := read(t, encoded(t, pix, 4, 4, Options{Quality: q.q}), 4, 4); !bytes.Equal(got, pix) {
				t.Fatalf("%v became %v", pix[:4], got[:4])
			}
		}
	}
}

// TestModesInUse checks that the encoder uses all wanted modes, and that an independent reader
// decodes each as this package does.
func TestModesInUse(t *testing.T) {
	seen := map[int]int{}
	for _, pix := range blocktest.Samples() {
		blocks := encoded(t, pix, side, side, Options{Quality: blockfit.Best})
		for ; len(blocks) > 0; blocks = blocks[16:] {
			block := [16]byte(blocks)
			readAlike(t, &block)
			c, _ := unpack(&block)
			seen[int(c.mode)]++
		}
	}
	for _, mode := range []int{1, 3, 4, 5, 6, 7} {
		if seen[mode] == 0 {
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
		{16, 64, 4, 4, Options{RDO: 11}, "at most 10 dB"},
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
	f.Add(bytes.Repeat([]byte{1, 2, 3, 0, 200, 100, 50, 255}, 8), bytes.Repeat([]byte{0x80}, 16))
	f.Fuzz(func(t *testing.T, pixels, block []byte) {
		if len(block) >= 16 {
			b := [16]byte(block)
			readAlike(t, &b)
		}
		if len(pixels) < 64 {
			return
		}
		for _, q := range qualities[1:] { // the quality fast only estimates errors
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
	// Output: 32 [1 101 201 255 30 100 200 255]
}
