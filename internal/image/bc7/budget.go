package bc7

import (
	"context"
	"errors"
	"math"
)

// A budget finds out at which price the blocks of a picture lose what they may.
type budget struct {
	picture
	*encoder
	ctx     context.Context
	weighed bool
	given   []byte  // the best blocks
	sse     []int64 // their errors
	growth  float64 // what the errors may grow to, as a multiple
	work    *shrinker
}

// mostLoss is the greatest loss of PSNR in dB that may be asked for.
const mostLoss = 10

// shrink makes the blocks of a picture smaller once they are compressed.
func (b *budget) shrink(dst []byte) error {
	price, err := b.price(dst)
	if err != nil {
		return err
	}
	var sum int64
	for _, e := range b.sse {
		sum += e
	}
	_, err = b.pass(dst, price, 0, b.blocks(), int64(float64(sum)*b.growth))
	return err
}

// The price is looked for on some runs of blocks that are spread over the picture.
const (
	sampleRuns = 4
	sampleSize = 512
	steps      = 8
)

// price returns the greatest price of a bit found at which the sampled blocks lose no
// more than they may. dst is written to.
func (b *budget) price(dst []byte) (float64, error) {
	var sum int64
	for _, e := range b.sse {
		sum += e
	}
	// From a guess by the mean error of a block, go up or down until the loss is passed;
	// from there on the steps become smaller.
	price := float64(float64(sum)/float64(len(b.sse))) / 64
	factor, found := 4.0, 0.0
	passed, was := false, false
	for step := range steps {
		over, err := b.tooMuch(dst, price)
		if err != nil {
			return 0, err
		}
		if passed = passed || step > 0 && over != was; passed {
			factor = math.Sqrt(factor)
		}
		was = over
		if over {
			price /= factor
		} else {
			found = max(found, price)
			price *= factor
		}
	}
	return found, nil
}

// tooMuch reports whether the samples lose more than they may at a price.
func (b *budget) tooMuch(dst []byte, price float64) (bool, error) {
	var before, after float64
	n := b.blocks()
	runs, size := sampleRuns, sampleSize
	if n <= sampleRuns*sampleSize {
		runs, size = 1, n
	}
	for i := range runs {
		from := (n - size) / max(runs-1, 1) * i
		grown, err := b.pass(dst, price, from, from+size, math.MaxInt64)
		if err != nil {
			return false, err
		}
		after += float64(grown)
		for _, e := range b.sse[from : from+size] {
			before += float64(e)
		}
	}
	return after > float64(before*b.growth), nil
}

// pass writes blocks from one number up to another, and returns their error, which is
// at most what is said: where nothing is left to lose, blocks stay as they were given.
func (b *budget) pass(dst []byte, price float64, from, to int, most int64) (total int64, err error) {
	if b.work == nil {
		b.work = &shrinker{encoder: b.encoder, weighed: b.weighed}
	}
	s := b.work
	s.price, s.count = price, 0
	var rest int64
	for _, e := range b.sse[from:to] {
		rest += e
	}
	var pixels [64]byte
	for at := from; at < to; at++ {
		if at%blocksBetweenSlowLooks == 0 {
			if err := b.ctx.Err(); err != nil {
				return 0, err
			}
		}
		rest -= b.sse[at]
		b.gather(&pixels, at)
		block, sse := s.next(&pixels, [16]byte(b.given[16*at:]), b.sse[at], most-total-rest)
		copy(dst[16*at:], block[:])
		total += sse
	}
	return total, nil
}

// blocksBetweenSlowLooks is after how many blocks the context is asked.
const blocksBetweenSlowLooks = 32

// growth returns 10^(loss/10), what the squared error becomes by a loss of PSNR in dB.
// It is worked out by products and sums alone, which are the same on every machine.
func growth(loss float64) (float64, error) {
	if !(loss > 0 && loss <= mostLoss) {
		return 0, errors.New("bc7: the loss of rate-distortion optimization must be more than 0 and at most 10 dB")
	}
	const ln10 = 2.302585092994045684
	x := float64(loss * (ln10 / 10 / 1024))
	e := 1 + x + float64(x*x/2) + float64(x*x*x)/6 + float64(x*x*x*x)/24
	for range 10 {
		e = float64(e * e)
	}
	return e, nil
}
