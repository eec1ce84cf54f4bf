package rdo

import (
	"bytes"
	"math"
	"testing"

	"github.com/assetcook/assetcook/internal/image/blockfit"
	"github.com/assetcook/assetcook/internal/image/blocktest"
)

// A toy is a simple format. Its blocks hold two RGBA endpoints, and then an index of four bits for
// each pixel.
type toy struct{ pixels [64]byte }

// toyIndex returns the index of pixel i.
func toyIndex(block *[16]byte, i int) byte { return block[8+i/2] >> (4 * (i % 2)) & 15 }

func (f *toy) Decode(pixels []byte, block *[16]byte) [16]byte {
	for i := range 16 {
		w := int(toyIndex(block, i))
		for c := range 4 {
			pixels[4*i+c] = byte((int(block[c])*(15-w) + int(block[4+c])*w + 7) / 15)
		}
	}
	return *block
}

func (f *toy) Load(pixels []byte, _ *[16]byte) { copy(f.pixels[:], pixels) }

// KeepEnds gives each pixel the index that suits its green.
func (f *toy) KeepEnds(of *[16]byte, most float64) (block [16]byte, sse int64, ok bool) {
	copy(block[:8], of[:8])
	low, high := int(of[1]), int(of[5])
	for i := range 16 {
		w := 0
		if high > low {
			w = max(0, min((int(f.pixels[4*i+1])-low)*15/(high-low), 15))
		}
		block[8+i/2] |= byte(w) << (4 * (i % 2))
	}
	return block, -1, true
}

// KeepIndices takes the endpoints from the darkest and the brightest pixel.
func (f *toy) KeepIndices(of *[16]byte, most float64) (block [16]byte, ok bool) {
	low, high := 0, 0
	for i := 0; i < 64; i += 4 {
		if f.pixels[i+1] < f.pixels[low+1] {
			low = i
		}
		if f.pixels[i+1] > f.pixels[high+1] {
			high = i
		}
	}
	copy(block[:4], f.pixels[low:])
	copy(block[4:8], f.pixels[high:])
	copy(block[8:], of[8:])
	return block, true
}

// toyImage returns an image and its blocks.
func toyImage(pix []byte, loss float64) (i Image[[16]byte], blocks []byte) {
	i = Image[[16]byte]{Grid: blockfit.Grid{W: blocktest.Side, H: blocktest.Side, Side: 4}, Pix: pix, Format: &toy{}, Loss: loss, Asked: 12}
	f := &toy{}
	for at := range i.Grid.Blocks() {
		blockfit.Gather(i.Grid, f.pixels[:], pix, 4, at)
		block, _ := f.KeepIndices(&[16]byte{}, 0)
		block, _, _ = f.KeepEnds(&block, 0)
		blocks = append(blocks, block[:]...)
	}
	return i, blocks
}

func toyError(pix, blocks []byte) int64 {
	const side = blocktest.Side
	got := blocktest.AssembleBlocks(blocks, side, side, 4, 4, 16, func(pixels, block []byte) {
		(&toy{}).Decode(pixels, (*[16]byte)(block))
	})
	return blocktest.SquaredError(pix, got, 4)
}

// repeats returns the number of blocks whose first or second half repeats a half of an earlier block.
func repeats(blocks []byte) (n int) {
	for at := 16; at < len(blocks); at += 16 {
		for before := 0; before < at; before += 16 {
			if bytes.Equal(blocks[at:at+8], blocks[before:before+8]) || bytes.Equal(blocks[at+8:at+16], blocks[before+8:before+16]) {
				n++
				break
			}
		}
	}
	return n
}

// TestShrinkKeepsLoss checks that the loss does not exceed the allowed loss, and that blocks repeat
// more bytes.
func TestShrinkKeepsLoss(t *testing.T) {
	for name, pix := range blocktest.Samples() {
		for _, loss := range []float64{0.01, 0.5, 3} {
			i, blocks := toyImage(pix, loss)
			sse, repeated := toyError(pix, blocks), repeats(blocks)
			if err := i.Shrink(t.Context(), blocks); err != nil {
				t.Fatal(err)
			}
			if after := toyError(pix, blocks); float64(after) > float64(sse)*math.Pow(10, loss/10)+1 {
				t.Errorf("%s, %v dB: error %d, before %d", name, loss, after, sse)
			}
			if after := repeats(blocks); after < repeated || loss == 3 && sse > 0 && after == repeated && after < len(blocks)/16-1 {
				t.Errorf("%s, %v dB: %d blocks repeat bytes, before %d", name, loss, after, repeated)
			}
		}
	}
}

// TestPassKeepsLimit checks that, even at a very high price of a bit, the error does not exceed the
// limit and equals the error that writeRun reports.
func TestPassKeepsLimit(t *testing.T) {
	pix := blocktest.Bricks()
	i, blocks := toyImage(pix, 1)
	b := newBudget(t.Context(), i, blocks)
	if err := b.measureBlocks(); err != nil {
		t.Fatal(err)
	}
	sum := sumOf(b.sse)
	if want := toyError(pix, blocks); sum != want {
		t.Fatalf("error %d, want %d", sum, want)
	}
	for _, most := range []int64{sum, sum + 1, sum * 11 / 10, 3 * sum} {
		dst := make([]byte, len(blocks))
		total, err := b.writeRun(dst, 1e6, 0, b.Grid.Blocks(), most, false)
		if err != nil {
			t.Fatal(err)
		}
		if got := toyError(pix, dst); got != total || got > most {
			t.Errorf("error %d, told %d, allowed %d", got, total, most)
		}
	}
}

func TestShrinkRefusesLoss(t *testing.T) {
	for _, loss := range []float64{0, -1, 10.1, math.NaN()} {
		i, blocks := toyImage(blocktest.Bricks(), loss)
		if err := i.Shrink(t.Context(), blocks); err == nil {
			t.Errorf("a loss of %v dB is accepted", loss)
		}
	}
}

func TestGrowth(t *testing.T) {
	for _, c := range []struct{ loss, want float64 }{{10, 10}, {5, 3.1622776601683795}, {0.5, 1.1220184543019633}, {0.001, 1.0002302850208247}} {
		if got := errorGrowth(c.loss); got < c.want*(1-1e-9) || got > c.want*(1+1e-9) {
			t.Errorf("%g dB: %v, want %v", c.loss, got, c.want)
		}
	}
}

// TestLeastApartIsBound checks that the distance of two sketches is at most the squared error of
// their pixels.
func TestLeastApartIsBound(t *testing.T) {
	noise := blocktest.Samples()["noise"]
	for _, n := range []int{64, 4 * 144} {
		for at := n; at+n <= len(noise); at += n {
			a, b := noise[at-n:at], noise[at:at+n]
			x, y := sketchOf(a), sketchOf(b)
			if far, sse := x.leastApart(&y), blocktest.SquaredError(a, b, 3); far > sse {
				t.Errorf("distance %d, error %d", far, sse)
			}
		}
	}
}
