package bc7

import (
	"math"
	"testing"

	"github.com/assetcook/assetcook/internal/image/blockfit"
	"github.com/assetcook/assetcook/internal/image/blocktest"
	"github.com/assetcook/assetcook/internal/image/byalpha"
	"github.com/klauspost/compress/zstd"
	"pgregory.net/rapid"
)

// packedSize returns the size of blocks after compression by zstd.
func packedSize(t *testing.T, blocks []byte) int {
	t.Helper()
	w, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	return len(w.EncodeAll(blocks, nil))
}

func TestRDOShrinks(t *testing.T) {
	pix := blocktest.Bricks()
	plain := encoded(t, pix, side, side, Options{Quality: blockfit.Normal})
	best, size := blocktest.PSNR(pix, read(t, plain, side, side), 4), packedSize(t, plain)
	for _, loss := range []float64{0.5, 2} {
		blocks := encoded(t, pix, side, side, Options{Quality: blockfit.Normal, RDO: loss})
		got := blocktest.PSNR(pix, read(t, blocks, side, side), 4)
		if got < best-loss-1e-6 {
			t.Errorf("%.3f dB of %.3f, a loss of more than %g", got, best, loss)
		}
		if smaller := packedSize(t, blocks); smaller > size*85/100 {
			t.Errorf("%g dB: %d bytes of %d", loss, smaller, size)
		}
		for at := 0; at < len(blocks); at += 16 {
			readAlike(t, (*[16]byte)(blocks[at:]))
		}
	}
}

// TestRDOIsEven checks that the loss is spread over the whole image.
func TestRDOIsEven(t *testing.T) {
	pix := blocktest.Bricks()
	half := len(pix) / 2
	plain := read(t, encoded(t, pix, side, side, Options{}), side, side)
	got := read(t, encoded(t, pix, side, side, Options{RDO: 2}), side, side)
	above := float64(blocktest.SquaredError(pix[:half], got[:half], 4)) / float64(blocktest.SquaredError(pix[:half], plain[:half], 4))
	below := float64(blocktest.SquaredError(pix[half:], got[half:], 4)) / float64(blocktest.SquaredError(pix[half:], plain[half:], 4))
	if above > 1.5*below || below > 1.5*above {
		t.Errorf("the error grew %.2f times above and %.2f times below", above, below)
	}
}

// TestPassKeepsLimit checks that, even at a very high price of a bit, the error does not exceed the
// limit and equals the error that writeRun reports.
func TestPassKeepsLimit(t *testing.T) {
	pix := blocktest.Bricks()
	blocks := encoded(t, pix, side, side, Options{})
	b := budget{Grid: blockfit.Grid{W: side, H: side, Side: 4}, pix: pix, encoder: newEncoder(blockfit.Fast), ctx: t.Context(), given: blocks}
	var sum int64
	for at := range b.Blocks() {
		var pixels, decoded [64]byte
		blockfit.Gather(b.Grid, pixels[:], b.pix, 4, at)
		DecodeBlock(&decoded, (*[16]byte)(blocks[16*at:]))
		b.sse = append(b.sse, blocktest.SquaredError(pixels[:], decoded[:], 4))
		sum += b.sse[at]
	}
	for _, most := range []int64{sum, sum + 1, sum * 11 / 10, 3 * sum} {
		dst := make([]byte, len(blocks))
		total, err := b.writeRun(dst, 1e6, 0, b.Blocks(), most, false)
		if err != nil {
			t.Fatal(err)
		}
		if got := blocktest.SquaredError(pix, read(t, dst, side, side), 4); got != total || got > most {
			t.Errorf("error %d, told %d, allowed %d", got, total, most)
		}
	}
}

// TestRDOWeighed checks that WeighAlpha also weights the loss of RDO by alpha.
func TestRDOWeighed(t *testing.T) {
	pix := blocktest.Samples()["leaves"]
	o := Options{WeighAlpha: true}
	off := func(blocks []byte) (sse int64) {
		p := blockfit.Grid{W: side, H: side, Side: 4}
		for at := range p.Blocks() {
			var pixels, decoded [64]byte
			blockfit.Gather(p, pixels[:], pix, 4, at)
			DecodeBlock(&decoded, (*[16]byte)(blocks[16*at:]))
			sse += byalpha.Error(pixels[:], decoded[:])
		}
		return sse
	}
	before := off(encoded(t, pix, side, side, o))
	o.RDO = 1
	after := off(encoded(t, pix, side, side, o))
	if float64(after) > float64(before)*1.2595 { // the factor for 1 dB, plus a margin for rounding
		t.Errorf("error %d, before %d", after, before)
	}
}

// TestRDOShrinksTranslucent checks that RDO saves at least 12 % if pixels are translucent and
// WeighAlpha is set.
func TestRDOShrinksTranslucent(t *testing.T) {
	pix := blocktest.Bricks()
	for i := 3; i < len(pix); i += 4 {
		pix[i] = 32
	}
	o := Options{WeighAlpha: true}
	size := packedSize(t, encoded(t, pix, side, side, o))
	o.RDO = 0.5
	if smaller := packedSize(t, encoded(t, pix, side, side, o)); smaller > size*88/100 {
		t.Errorf("%d bytes of %d", smaller, size)
	}
}

// TestRDOStaysOpaque checks that no opaque block is replaced by a cheaper block that is almost
// opaque.
func TestRDOStaysOpaque(t *testing.T) {
	pix := blocktest.Bricks()
	p := blockfit.Grid{W: side, H: side, Side: 4}
	s := &shrinker{encoder: newEncoder(blockfit.Fast), price: 1e6}
	for at := range p.Blocks() {
		var pixels, decoded [64]byte
		blockfit.Gather(p, pixels[:], pix, 4, at)
		for _, alpha := range []byte{254, 255} {
			for i := 3; i < 64; i += 4 {
				pixels[i] = alpha
			}
			given := s.encode(&pixels)
			block, _ := s.nextBlock(&pixels, given, s.sse, math.MaxInt64)
			DecodeBlock(&decoded, &block)
		}
		for i := 3; i < 64; i += 4 {
			if decoded[i] != 255 {
				t.Fatalf("block %d, pixel %d: alpha %d", at, i/4, decoded[i])
			}
		}
	}
}

func TestWeighAlphaPays(t *testing.T) {
	for _, q := range qualities {
		e := newEncoder(q.q)
		rapid.Check(t, func(t *rapid.T) {
			pixels := [64]byte(blocktest.Pixels(t, 16))
			var decoded [64]byte
			block := e.encode(&pixels)
			DecodeBlock(&decoded, &block)
			before := byalpha.Error(pixels[:], decoded[:])
			block = e.encodeWeighed(&pixels)
			DecodeBlock(&decoded, &block)
			after := byalpha.Error(pixels[:], decoded[:])
			if after > before {
				t.Fatalf("error %d, without weighing %d", after, before)
			}
		})
		var plain, weighed int64
		pix := blocktest.Samples()["leaves"]
		p := blockfit.Grid{W: side, H: side, Side: 4}
		for at := range p.Blocks() {
			var pixels, decoded [64]byte
			blockfit.Gather(p, pixels[:], pix, 4, at)
			block := e.encode(&pixels)
			DecodeBlock(&decoded, &block)
			plain += byalpha.Error(pixels[:], decoded[:])
			block = e.encodeWeighed(&pixels)
			DecodeBlock(&decoded, &block)
			weighed += byalpha.Error(pixels[:], decoded[:])
		}
		if weighed > plain*6/10 {
			t.Errorf("%s: error %d, without weighing %d", q.name, weighed, plain)
		}
	}
}

// TestWeighAlphaHidden checks that the colors of invisible pixels do not increase the errors of
// visible pixels.
func TestWeighAlphaHidden(t *testing.T) {
	pix := blocktest.Samples()["noise"][:64]
	for i := 0; i < 64; i += 4 {
		pix[i+3] = 0
		if i%8 == 0 {
			copy(pix[i:], []byte{90, 160, 40, 255})
		}
	}
	got := read(t, encoded(t, pix, 4, 4, Options{WeighAlpha: true}), 4, 4)
	for i := 0; i < 64; i += 4 {
		if got[i+3] != pix[i+3] {
			t.Errorf("pixel %d: alpha %d, want %d", i/4, got[i+3], pix[i+3])
		}
		if i%8 == 0 && blocktest.SquaredError(got[i:i+4], pix[i:i+4], 4) > 3 {
			t.Errorf("pixel %d: %v, want %v", i/4, got[i:i+4], pix[i:i+4])
		}
	}
}

func TestGrowth(t *testing.T) {
	for _, c := range []struct{ loss, want float64 }{{10, 10}, {5, 3.1622776601683795}, {0.5, 1.1220184543019633}, {0.001, 1.0002302850208247}} {
		got, err := errorGrowth(c.loss)
		if err != nil || got < c.want*(1-1e-9) || got > c.want*(1+1e-9) {
			t.Errorf("%g dB: %v, %v, want %v", c.loss, got, err, c.want)
		}
	}
}
