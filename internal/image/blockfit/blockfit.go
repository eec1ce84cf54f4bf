// Package blockfit holds the code that block encoders share: quality levels, iteration over the
// blocks of an image, and fitting of color lines.
package blockfit

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
)

// Quality is the amount of work per block. The zero value is Fast.
type Quality uint8

// These are the values of Quality.
const (
	Fast   Quality = iota // quality for cooking after each edit
	Normal                // quality for reviews
	Best                  // quality for releases
)

// Options are the options of all encoders. The zero value is Fast, with equal weights for all
// channels.
type Options struct {
	Quality Quality

	// WeighAlpha is set if alpha is coverage: the error of a color is weighted by its alpha, and
	// fully transparent pixels may have any color. Without WeighAlpha, the colors of all pixels
	// have the same weight. It only matters for formats with colors and alpha.
	WeighAlpha bool
}

// A Grid divides an image of W by H pixels into blocks.
type Grid struct {
	W, H int
	Side int // width of a block in pixels
	Rows int // height of a block in pixels; 0 means Side
}

// rows returns the height of a block.
func (g Grid) rows() int {
	if g.Rows == 0 {
		return g.Side
	}
	return g.Rows
}

// Blocks returns the number of blocks.
func (g Grid) Blocks() int { return (g.W + g.Side - 1) / g.Side * ((g.H + g.rows() - 1) / g.rows()) }

// maxBlock is the size in bytes of the pixels of the largest block, 12 by 12.
const maxBlock = 4 * 12 * 12

// maxSide is the maximum side of an image.
const maxSide = 1 << 20

// Check returns an error if an encoder cannot encode the image. Its parameters are:
//
//	have    number of values in the image
//	want    number of values per pixel
//	unit    name of the values in the error
//	room    size of the output in bytes
//	size    number of bytes per block
func (g Grid) Check(have, want int, unit string, room, size int, q Quality) error {
	switch {
	case g.W <= 0 || g.H <= 0 || g.W > maxSide || g.H > maxSide:
		return fmt.Errorf("the image has %d by %d pixels; want 1 to %d in each direction", g.W, g.H, maxSide)
	case int64(have) < int64(want)*int64(g.W)*int64(g.H):
		return fmt.Errorf("%d %s are too few for %d by %d pixels", have, unit, g.W, g.H)
	case room < size*g.Blocks():
		return fmt.Errorf("%d bytes are too few for the blocks of %d by %d pixels", room, g.W, g.H)
	case q > Best:
		return fmt.Errorf("unknown quality")
	}
	return nil
}

// blocksBetweenLooks is the number of blocks between two checks of the context. The slowest encoder
// takes a few milliseconds for these blocks.
const blocksBetweenLooks = 64

// Each calls the function do for every block, row by row from the top. It stops with ctx's error
// when ctx is done.
func (g Grid) Each(ctx context.Context, do func(at int)) error {
	for at := range g.Blocks() {
		if at%blocksBetweenLooks == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		do(at)
	}
	return nil
}

// EncodeRGBA writes the blocks of an image to dst, row by row; dst must have 16*g.Blocks() bytes.
// pix has four bytes, RGBA, per pixel, row by row. If a side is not a multiple of g.Side, blocks
// repeat the last column or row. The function encode gets a slice that starts with the pixels of a
// block, and returns the encoded block. EncodeRGBA works in the calling goroutine and stops with
// ctx's error when ctx is done. After an error the content of dst is undefined.
func (g Grid) EncodeRGBA(ctx context.Context, dst, pix []byte, q Quality, encode func(pixels []byte) [16]byte) error {
	if err := g.Check(len(pix), 4, "bytes", len(dst), 16, q); err != nil {
		return err
	}
	pixels := make([]byte, maxBlock)
	return g.Each(ctx, func(at int) {
		Gather(g, pixels, pix, 4, at)
		*(*[16]byte)(dst[16*at:]) = encode(pixels)
	})
}

// Gather copies the pixels of the block with index at. width is the number of elements of a pixel.
// Blocks that overlap the right or lower edge repeat the last column or row.
func Gather[T any](g Grid, block, pix []T, width, at int) {
	across, rows := (g.W+g.Side-1)/g.Side, g.rows()
	x, y := at%across*g.Side, at/across*rows
	if x+g.Side <= g.W && y+rows <= g.H {
		for row := range rows {
			copy(block[width*g.Side*row:][:width*g.Side], pix[width*((y+row)*g.W+x):])
		}
		return
	}
	for i := range g.Side * rows {
		from := width * (min(y+i/g.Side, g.H-1)*g.W + min(x+i%g.Side, g.W-1))
		copy(block[width*i:][:width], pix[from:][:width])
	}
}

// Axis returns a vector along which colors scatter most: the first eigenvector of their covariance
// matrix, computed by power iteration.
func Axis(pix [][3]float32) [3]float32 {
	mean := Mean(pix)
	var rr, rg, rb, gg, gb, bb float32
	for i := range pix {
		p := &pix[i]
		r, g, b := p[0]-mean[0], p[1]-mean[1], p[2]-mean[2]
		rr += float32(r * r)
		rg += float32(r * g)
		rb += float32(r * b)
		gg += float32(g * g)
		gb += float32(g * b)
		bb += float32(b * b)
	}
	// The row with the largest variance is a good start, because it is not perpendicular to the
	// result.
	axis := [3]float32{rr, rg, rb}
	if gg > rr && gg >= bb {
		axis = [3]float32{rg, gg, gb}
	} else if bb > rr {
		axis = [3]float32{rb, gb, bb}
	}
	for range 4 {
		x := float32(rr*axis[0]) + float32(rg*axis[1]) + float32(rb*axis[2])
		y := float32(rg*axis[0]) + float32(gg*axis[1]) + float32(gb*axis[2])
		z := float32(rb*axis[0]) + float32(gb*axis[1]) + float32(bb*axis[2])
		top := max(x, -x, y, -y, z, -z)
		if top == 0 {
			break
		}
		axis = [3]float32{x / top, y / top, z / top}
	}
	return axis
}

// Mean returns the mean of colors.
func Mean(pix [][3]float32) (mean [3]float32) {
	for _, p := range pix {
		for k, x := range p {
			mean[k] += x
		}
	}
	for k := range mean {
		mean[k] /= float32(len(pix))
	}
	return mean
}

// Dot returns the dot product of two vectors.
func Dot(a, b [3]float32) float32 {
	return float32(a[0]*b[0]) + float32(a[1]*b[1]) + float32(a[2]*b[2])
}

// Outermost returns the two colors that are farthest apart along the axis of all colors.
func Outermost(pix [][3]float32) (first, last [3]float32) {
	axis := Axis(pix)
	first, last = pix[0], pix[0]
	low, high := Dot(first, axis), Dot(last, axis)
	for _, p := range pix[1:] {
		if d := Dot(p, axis); d < low {
			first, low = p, d
		} else if d > high {
			last, high = p, d
		}
	}
	return first, last
}

// Bits holds the 128 bits of a block, which are written and read starting with the lowest.
type Bits struct {
	Lo, Hi uint64
	at     uint8 // the number of bits that Put has written
}

// BitsOf returns the bits of a block.
func BitsOf(block *[16]byte) Bits {
	return Bits{Lo: binary.LittleEndian.Uint64(block[:8]), Hi: binary.LittleEndian.Uint64(block[8:])}
}

// Block returns the bits as bytes.
func (b *Bits) Block() (block [16]byte) {
	binary.LittleEndian.PutUint64(block[:8], b.Lo)
	binary.LittleEndian.PutUint64(block[8:], b.Hi)
	return block
}

// Put appends v, which must fit in n bits.
func (b *Bits) Put(v uint64, n uint8) {
	if b.at < 64 {
		b.Lo |= v << (b.at & 63)
		b.Hi |= v >> (64 - b.at)
	} else {
		b.Hi |= v << (b.at & 63)
	}
	b.at += n
}

// Take removes and returns the lowest n bits; n must be less than 64.
func (b *Bits) Take(n uint8) uint64 {
	v := b.Lo & (1<<n - 1)
	b.Lo = b.Lo>>n | b.Hi<<(64-n)
	b.Hi >>= n
	return v
}

// A Guess is a way to encode a block, and its estimated error.
type Guess struct {
	Mode uint8
	Sub  uint8 // variant of the mode: a partition, a pattern or a plane
	SSE  float64
}

// Guesses holds the best guesses, best first.
type Guesses struct {
	best [maxGuesses]Guess
	keep int
}

const maxGuesses = 8

// Reset removes all guesses and sets how many of the best guesses to keep, from 1 to 8.
func (g *Guesses) Reset(keep int) {
	g.keep = keep
	for i := range g.best[:keep] {
		g.best[i].SSE = math.MaxFloat64
	}
}

// Add inserts a guess if it is among the best.
func (g *Guesses) Add(mode, sub uint8, sse float64) {
	if sse >= g.best[(g.keep-1)&7].SSE {
		return
	}
	i := g.keep - 1
	for ; i > 0 && sse < g.best[(i-1)&7].SSE; i-- {
		g.best[i&7] = g.best[(i-1)&7]
	}
	g.best[i&7] = Guess{mode, sub, sse}
}

// Best returns the kept guesses. Entries whose SSE is math.MaxFloat64 are unused.
func (g *Guesses) Best() []Guess { return g.best[:g.keep] }
