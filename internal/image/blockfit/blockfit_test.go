package blockfit

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestBitsComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b Bits
		var values []uint64
		var sizes []uint8
		for room := 128; room > 0; {
			n := uint8(rapid.IntRange(0, min(room, 63)).Draw(t, "bits"))
			v := rapid.Uint64Max(1<<n-1).Draw(t, "value")
			b.Put(v, n)
			values, sizes, room = append(values, v), append(sizes, n), room-int(n)
			if n == 0 {
				break
			}
		}
		block := b.Block()
		r := BitsOf(&block)
		for i, want := range values {
			if got := r.Take(sizes[i]); got != want {
				t.Fatalf("%d bits, number %d: %d, want %d", sizes[i], i, got, want)
			}
		}
	})
}

// TestGatherRepeatsEdges checks that the blocks cover the image, and repeat its last column and
// row.
func TestGatherRepeatsEdges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := Grid{rapid.IntRange(1, 20).Draw(t, "w"), rapid.IntRange(1, 20).Draw(t, "h"), rapid.IntRange(1, 12).Draw(t, "side"), rapid.IntRange(0, 12).Draw(t, "rows")}
		rows := g.Rows
		if rows == 0 {
			rows = g.Side
		}
		pix := make([]uint16, 2*g.W*g.H)
		for i := range pix {
			pix[i] = uint16(i)
		}
		across := (g.W + g.Side - 1) / g.Side
		block := make([]uint16, 2*g.Side*rows)
		for at := range g.Blocks() {
			Gather(g, block, pix, 2, at)
			for i, got := range block {
				x, y := min(at%across*g.Side+i/2%g.Side, g.W-1), min(at/across*rows+i/2/g.Side, g.H-1)
				if want := uint16(2*(y*g.W+x) + i%2); got != want {
					t.Fatalf("%+v block %d number %d: %d, want %d", g, at, i, got, want)
				}
			}
		}
	})
}

func TestEachEndsWithContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	last := 0
	err := Grid{W: 400, H: 400, Side: 4}.Each(ctx, func(at int) {
		if last = at; at == 100 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || last != 2*blocksBetweenLooks-1 {
		t.Errorf("%v after block %d", err, last)
	}
}

func TestGuessesKeepTheBest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var g Guesses
		keep := rapid.IntRange(1, maxGuesses).Draw(t, "keep")
		g.Reset(keep)
		all := rapid.SliceOf(rapid.Float64Range(0, 9)).Draw(t, "errors")
		for i, sse := range all {
			g.Add(uint8(i), 0, sse)
		}
		slices.Sort(all)
		for i, got := range g.Best() {
			want := math.MaxFloat64
			if i < len(all) {
				want = all[i]
			}
			if got.SSE != want {
				t.Fatalf("guess %d of %v has %v", i, all, got.SSE)
			}
		}
	})
}
