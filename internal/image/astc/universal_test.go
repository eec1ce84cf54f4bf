package astc

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/assetcook/assetcook/internal/image/bc6h"
	"github.com/assetcook/assetcook/internal/image/blockfit"
)

// eachUniversal encodes every third block of the samples, and calls the function check for each.
func eachUniversal(q blockfit.Quality, check func(name string, e *encoder, colors *lightColors, block [16]byte)) {
	e := newUniversalEncoder(q)
	g := e.size.in(width, width)
	for name, pix := range lightSamples() {
		for at := 0; at < g.Blocks(); at += 3 {
			var colors lightColors
			blockfit.Gather(g, colors[:], pix, 3, at)
			check(name, e, &colors, e.encodeLight(&colors))
		}
	}
}

// halvesOfBC6H returns the RGB pixels of a block of BC6H.
func halvesOfBC6H(t *testing.T, block [16]byte) (pix [16][3]uint16) {
	b, ok := bc6h.Unpack(&block)
	if !ok {
		t.Fatalf("invalid block %x of BC6H", block)
	}
	return b.Halves()
}

// All blocks must be UASTC HDR, and no value below 1 may become brighter than 4 before or after
// transcoding. The error that the encoder reports must be the mean of both errors.
func TestUniversalBlocksTranscode(t *testing.T) {
	n := map[uint8]int{}
	for q := blockfit.Fast; q <= blockfit.Normal; q++ {
		eachUniversal(q, func(name string, e *encoder, colors *lightColors, block [16]byte) {
			out, ok := TranscodeUniversal(&block)
			if !ok {
				t.Fatalf("%s: block %x is not UASTC HDR", name, block)
			}
			var before Halves
			DecodeHDR(&before, &block, e.size)
			after := halvesOfBC6H(t, out)
			var direct, transcoded float32
			for i := range 48 {
				want, a, b := colors[i], before[i/3*4+i%3], after[i/3][i%3]
				if want < halfOne && max(a, b) > halfFour {
					t.Fatalf("%s, value %d: %#x is decoded as %#x and %#x", name, i, want, a, b)
				}
				x, y := e.light.Level(a)-e.light.want[i], e.light.Level(b)-e.light.want[i]
				direct += float32(x * x)
				transcoded += float32(y * y)
			}
			s := stream{binary.LittleEndian.Uint64(block[:]), binary.LittleEndian.Uint64(block[8:])}
			c, ok := unpack(&s, e.size)
			if !ok {
				return // a single color, whose error is not measured
			}
			n[c.parts<<4|c.kinds[0]]++
			if got := (direct + transcoded) / 2; got != e.light.visible {
				t.Fatalf("%s: error %v, thought to be %v", name, got, e.light.visible)
			}
		})
	}
	for parts := range uint8(2) {
		for _, kind := range [2]uint8{kindLight, kindLightShift} {
			if n[(parts+1)<<4|kind] == 0 && !(parts == 1 && kind == kindLight) {
				t.Errorf("%d parts of endpoint mode %d are never used: %v", parts+1, kind, n)
			}
		}
	}
}

// Bright blocks of random colors must stay finite.
func TestUniversalEndpointsAreFinite(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 12))
	e := newUniversalEncoder(blockfit.Fast)
	for range 300 {
		var colors lightColors
		for i := range colors {
			colors[i] = halfMax - min(uint16(random.ExpFloat64()*200), halfMax)
		}
		block := e.encodeLight(&colors)
		if _, ok := TranscodeUniversal(&block); !ok {
			t.Fatalf("block %x is not UASTC HDR", block)
		}
	}
}

// TranscodeUniversal must refuse blocks that loaders refuse.
func TestTranscodeUniversalRefuses(t *testing.T) {
	solid := solidHalves([3]uint16{1, 2, 3})
	for name, change := range map[string]func(b *[16]byte){
		"a color of low dynamic range": func(b *[16]byte) { b[1] &^= 2 },
		"an infinite color":            func(b *[16]byte) { b[8], b[9] = 0, 0x7c },
		"a block of fewer weights":     func(b *[16]byte) { *b = [16]byte{0x42} },
	} {
		block := solid
		if change(&block); block == solid {
			t.Fatal(name)
		}
		if _, ok := TranscodeUniversal(&block); ok {
			t.Errorf("%s is accepted", name)
		}
	}
	if _, ok := TranscodeUniversal(&solid); !ok {
		t.Error("a single color is refused")
	}
}

// The bytes must be the same on every machine.
func TestUniversalGolden(t *testing.T) {
	var all bytes.Buffer
	pix := lightSamples()["window"]
	for q := blockfit.Fast; q <= blockfit.Best; q++ {
		blocks := make([]byte, 16*Size{4, 4}.in(width, width).Blocks())
		if err := EncodeUniversal(t.Context(), blocks, pix, width, width, q); err != nil {
			t.Fatal(err)
		}
		all.Write(blocks)
	}
	sum := sha256.Sum256(all.Bytes())
	if got, want := hex.EncodeToString(sum[:8]), "abf0774d426f2768"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func FuzzUniversal(f *testing.F) {
	f.Add(make([]byte, 96), make([]byte, 16))
	f.Add(bytes.Repeat([]byte{1, 2, 3, 60, 200, 100, 50, 15}, 12), bytes.Repeat([]byte{0x53}, 16))
	f.Fuzz(func(t *testing.T, data, block []byte) {
		if len(block) >= 16 {
			if out, ok := TranscodeUniversal((*[16]byte)(block)); ok {
				halvesOfBC6H(t, out)
			}
		}
		if len(data) < 96 {
			return
		}
		var colors lightColors
		for i := range 48 {
			colors[i] = min(binary.LittleEndian.Uint16(data[2*i:])&0x7fff, halfMax)
		}
		largest := slices.Max(colors[:])
		b := newUniversalEncoder(blockfit.Fast).encodeLight(&colors)
		out, ok := TranscodeUniversal(&b)
		if !ok {
			t.Fatalf("block %x is not UASTC HDR", b)
		}
		for i, p := range halvesOfBC6H(t, out) {
			for c, got := range p {
				// In a block with a large color, the error of small colors may be large, too.
				if want := colors[3*i+c]; got > halfMax || largest < halfOne && got > halfFour {
					t.Fatalf("%#x is transcoded as %#x; the largest color is %#x", want, got, largest)
				}
			}
		}
	})
}
