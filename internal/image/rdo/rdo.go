// Package rdo replaces blocks of texels by similar blocks that a compressor such as zstd makes
// smaller. This is rate-distortion optimization (RDO): the error of an image may grow by a given
// factor, and the package spends this error where it saves most bytes. It serves every format whose
// blocks have 16 bytes, endpoints at the start and indices at the end. The same pixels give the
// same bytes on every machine, because all decisions use integers, or floats that are rounded
// equally everywhere.
package rdo

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/assetcook/assetcook/internal/image/blockfit"
)

// A Format is the encoder of a format. F holds the unpacked fields of a block.
type Format[F any] interface {
	// Decode stores the RGBA pixels of a block in pixels, and returns its fields.
	Decode(pixels []byte, block *[16]byte) F
	// Load sets the RGBA pixels that the methods below approximate. block is the encoding of these
	// pixels without RDO.
	Load(pixels []byte, block *[16]byte)
	// KeepEnds returns a block with the endpoints of another block and the best indices for them.
	// sse is the error of the block, or -1 if the caller must measure it. ok is false if there is
	// no such block, or if its error would exceed the parameter most.
	KeepEnds(of *F, most float64) (block [16]byte, sse int64, ok bool)
	// KeepIndices returns a block with the indices of another block and the best endpoints for
	// them. ok is false if there is no such block, or if its error would exceed the parameter most.
	KeepIndices(of *F, most float64) (block [16]byte, ok bool)
}

// An Image is an encoded image.
type Image[F any] struct {
	Grid        blockfit.Grid
	Pix         []byte // RGBA, four bytes per pixel
	Format      Format[F]
	WeighAlpha  bool // true if color errors are weighted by alpha
	AlphaWeight int  // factor for the squared error of alpha; 0 means 1

	// Loss is the allowed loss of PSNR in dB, up to MostLoss.
	Loss float64
	// Asked is the number of earlier blocks with similar colors whose endpoints are tried, at most
	// 64. The indices of Asked/3 blocks whose patterns of bright pixels are similar are also tried.
	Asked int
}

// MostLoss is the largest loss of PSNR in dB that callers may request.
const MostLoss = 10

// BytesPerBlock is the memory in bytes that Shrink takes for each block of an image. Memory is the
// additional memory for blocks of the given number of pixels.
const BytesPerBlock = 24

// Memory returns the memory that Shrink takes in addition to BytesPerBlock.
func Memory(pixels int) int64 { return window*int64(4*pixels+256) + 32<<10 }

// Check returns an error if callers may not request this loss.
func Check(loss float64) error {
	if !(loss > 0 && loss <= MostLoss) {
		return errors.New("the loss of rate-distortion optimization must be more than 0 and at most 10 dB")
	}
	return nil
}

// Shrink replaces the image's blocks by similar blocks that the compressor makes smaller. The loss
// of PSNR never exceeds i.Loss.
func (i Image[F]) Shrink(ctx context.Context, blocks []byte) error {
	if err := Check(i.Loss); err != nil {
		return err
	}
	b := newBudget(ctx, i, blocks)
	if err := b.measureBlocks(); err != nil {
		return err
	}
	price, err := b.price(blocks)
	if err != nil {
		return err
	}
	_, err = b.writeRun(blocks, price, 0, b.Grid.Blocks(), int64(float64(sumOf(b.sse))*b.growth), true)
	return err
}

// A budget distributes the allowed error over the blocks of an image.
type budget[F any] struct {
	Image[F]
	ctx    context.Context
	given  []byte  // best blocks found without RDO
	sse    []int64 // squared errors of the given blocks
	growth float64 // limit of the new error, as a multiple of the old error
	work   shrinker[F]
}

func newBudget[F any](ctx context.Context, i Image[F], blocks []byte) *budget[F] {
	b := &budget[F]{Image: i, ctx: ctx, given: slices.Clone(blocks[:16*i.Grid.Blocks()]), growth: errorGrowth(i.Loss)}
	b.work = newShrinker(&b.Image)
	return b
}

// measureBlocks sets the errors of the given blocks.
func (b *budget[F]) measureBlocks() error {
	b.sse = make([]int64, b.Grid.Blocks())
	s := &b.work
	return b.Grid.Each(b.ctx, func(at int) {
		blockfit.Gather(b.Grid, s.truth, b.Pix, 4, at)
		s.isOpaque()
		s.format.Decode(s.decoded, (*[16]byte)(b.given[16*at:]))
		b.sse[at] = s.errorWithin(s.decoded, math.MaxInt64-1)
	})
}

func sumOf(errors []int64) (sum int64) {
	for _, e := range errors {
		sum += e
	}
	return sum
}

// The search for the price uses samples: runs of blocks spread over the image.
const (
	sampleRuns = 4
	sampleSize = 96
	steps      = 4
)

// price returns the squared error to accept for each saved bit. At this price, the error of the
// sampled blocks grows by about the allowed amount. price overwrites dst.
func (b *budget[F]) price(dst []byte) (float64, error) {
	// The first price is a 32nd of the mean error of a block. The search changes the price in
	// proportion to the loss. After the loss has exceeded the allowed loss, the search narrows down
	// the price.
	price := float64(float64(sumOf(b.sse))/float64(len(b.sse))) / 32
	var below, above, lostBelow, lostAbove, may float64
	for range steps {
		lost, allowed, err := b.sampleLoss(dst, price)
		may = allowed
		if err != nil {
			return 0, err
		}
		if lost <= allowed {
			below, lostBelow = price, lost
		} else {
			above, lostAbove = price, lost
		}
		if below > 0 && above > 0 {
			price = math.Sqrt(below * above)
		} else {
			price = float64(price * max(1.0/8, min(allowed/max(lost, 1), 8)))
		}
	}
	if below > 0 && above > 0 {
		part := (may - lostBelow) / (lostAbove - lostBelow)
		price = below + float64(part*(above-below))
	}
	return price, nil
}

// sampleLoss returns the loss of the samples at a price, and the allowed loss.
func (b *budget[F]) sampleLoss(dst []byte, price float64) (lost, allowed float64, err error) {
	n := b.Grid.Blocks()
	runs, size := sampleRuns, sampleSize
	if n <= sampleRuns*sampleSize {
		runs, size = 1, n
	}
	var before, after int64
	for i := range runs {
		from := (n - size) / max(runs-1, 1) * i
		grown, err := b.writeRun(dst, price, from, from+size, math.MaxInt64, false)
		if err != nil {
			return 0, 0, err
		}
		after += grown
		before += sumOf(b.sse[from : from+size])
	}
	return float64(after - before), float64(float64(before) * (b.growth - 1)), nil
}

// writeRun writes a range of blocks and returns their error. It keeps the remaining blocks
// unchanged once the error reaches the parameter most, and never exceeds this limit. If steered is
// set, the price is adjusted to spread the loss evenly over the image.
func (b *budget[F]) writeRun(dst []byte, price float64, from, to int, most int64, steered bool) (total int64, err error) {
	s := &b.work
	s.price, s.count = price, 0
	rest, before := sumOf(b.sse[from:to]), int64(0)
	for at := from; at < to; at++ {
		if at%blocksBetweenSlowLooks == 0 {
			if err := b.ctx.Err(); err != nil {
				return 0, err
			}
		}
		if steered && at%steerEvery == steerEvery-1 {
			allowed := float64(float64(before) * (b.growth - 1))
			s.price = float64(s.price * max(slowest, min(allowed/max(float64(total-before), 1), fastest)))
		}
		rest -= b.sse[at]
		before += b.sse[at]
		blockfit.Gather(b.Grid, s.truth, b.Pix, 4, at)
		block, sse := s.nextBlock([16]byte(b.given[16*at:]), b.sse[at], most-total-rest)
		copy(dst[16*at:], block[:])
		total += sse
	}
	return total, nil
}

// After each period of blocks, the price changes by a factor between these limits.
const (
	steerEvery = 128
	slowest    = 0.9
	fastest    = 1.1
)

// blocksBetweenSlowLooks is the number of blocks between two checks of the context.
const blocksBetweenSlowLooks = 32

// errorGrowth returns 10^(loss/10), the factor of the squared error for a loss of PSNR in dB. It
// uses only products and sums, whose results are equal on every machine.
func errorGrowth(loss float64) float64 {
	const ln10 = 2.302585092994045684
	x := float64(loss * (ln10 / 10 / 1024))
	e := 1 + x + float64(x*x/2) + float64(x*x*x)/6 + float64(x*x*x*x)/24
	for range 10 {
		e = float64(e * e)
	}
	return e
}
