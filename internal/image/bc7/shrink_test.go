package bc7

import (
	"testing"

	"github.com/assetcook/assetcook/internal/image/blockfit"
	"github.com/assetcook/assetcook/internal/image/blocktest"
	"github.com/assetcook/assetcook/internal/image/byalpha"
	"pgregory.net/rapid"
)

func TestRDOShrinks(t *testing.T) {
	pix := blocktest.Bricks()
	plain := encoded(t, pix, side, side, Options{Quality: blockfit.Normal})
	best, size := blocktest.PSNR(pix, read(t, plain, side, side), 4), blocktest.PackedSize(t, plain)
	for _, loss := range []float64{0.5, 2} {
		blocks := encoded(t, pix, side, side, Options{Quality: blockfit.Normal, RDO: loss})
		got := blocktest.PSNR(pix, read(t, blocks, side, side), 4)
		if got < best-loss-1e-6 {
			t.Errorf("%.3f dB of %.3f, a loss of more than %g", got, best, loss)
		}
		if smaller := blocktest.PackedSize(t, blocks); smaller > size*85/100 {
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
	size := blocktest.PackedSize(t, encoded(t, pix, side, side, o))
	o.RDO = 0.5
	if smaller := blocktest.PackedSize(t, encoded(t, pix, side, side, o)); smaller > size*88/100 {
		t.Errorf("%d bytes of %d", smaller, size)
	}
}

// TestRDOStaysOpaque checks that no opaque block is replaced by a cheaper block that is almost
// opaque.
func TestRDOStaysOpaque(t *testing.T) {
	pix := blocktest.Bricks()
	opaque := func(at int) bool { return (at%side/4+at/side/4)%2 == 0 }
	for at := range side * side {
		if !opaque(at) {
			pix[4*at+3] = 254
		}
	}
	got := read(t, encoded(t, pix, side, side, Options{RDO: 10}), side, side)
	for at := range side * side {
		if opaque(at) && got[4*at+3] != 255 {
			t.Fatalf("pixel %d: alpha %d", at, got[4*at+3])
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
