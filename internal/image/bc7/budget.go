package bc7

import (
	"context"
	"errors"
	"math"
)

// A budget finds the price at which the blocks of a picture lose exactly the allowed error.
type budget struct {
	picture
	*encoder
	ctx     context.Context
	weighed bool
	given   []byte  // the best blocks
	sse     []int64 // their errors
	growth  float64 // factor by which errors may grow
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
	_, err = b.pass(dst, price, 0, b.Blocks(), int64(float64(sum)*b.growth), true)
	return err
}

// The price is looked for on some runs of blocks that are spread over the picture.
const (
	sampleRuns = 4
	sampleSize = 96
	steps      = 4
)

// price returns a price of a bit at which the sampled blocks lose about the allowed error.
// It overwrites dst.
func (b *budget) price(dst []byte) (float64, error) {
	var sum int64
	for _, e := range b.sse {
		sum += e
	}
	// Starting from a guess by the mean error of a block, the price goes up or down with
	// the loss, which grows about as the price does. Once the allowed loss is passed, the
	// search closes in on it.
	price := float64(float64(sum)/float64(len(b.sse))) / 32
	var below, above, lostBelow, lostAbove, may float64
	for range steps {
		lost, allowed, err := b.sample(dst, price)
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

// sample returns the loss of the samples at a price, and their allowed loss.
func (b *budget) sample(dst []byte, price float64) (lost, allowed float64, err error) {
	n := b.Blocks()
	runs, size := sampleRuns, sampleSize
	if n <= sampleRuns*sampleSize {
		runs, size = 1, n
	}
	var before, after int64
	for i := range runs {
		from := (n - size) / max(runs-1, 1) * i
		grown, err := b.pass(dst, price, from, from+size, math.MaxInt64, false)
		if err != nil {
			return 0, 0, err
		}
		after += grown
		for _, e := range b.sse[from : from+size] {
			before += e
		}
	}
	return float64(after - before), float64(float64(before) * (b.growth - 1)), nil
}

// pass writes blocks from one number up to another, and returns their error, at most most:
// if no loss is left, blocks stay as given. If steered, the price follows the loss, so that
// it reaches the allowed loss evenly over the picture.
func (b *budget) pass(dst []byte, price float64, from, to int, most int64, steered bool) (total int64, err error) {
	if b.work == nil {
		b.work = &shrinker{encoder: b.encoder, weighed: b.weighed}
	}
	s := b.work
	s.price, s.count = price, 0
	var rest, before int64
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
		if steered && at%steerEvery == steerEvery-1 {
			allowed := float64(float64(before) * (b.growth - 1))
			s.price = float64(s.price * max(slowest, min(allowed/max(float64(total-before), 1), fastest)))
		}
		rest -= b.sse[at]
		before += b.sse[at]
		b.gather(&pixels, at)
		block, sse := s.next(&pixels, [16]byte(b.given[16*at:]), b.sse[at], most-total-rest)
		copy(dst[16*at:], block[:])
		total += sse
	}
	return total, nil
}

// After each period of blocks the price changes by a factor between these.
const (
	steerEvery = 128
	slowest    = 0.9
	fastest    = 1.1
)

// blocksBetweenSlowLooks is after how many blocks the context is asked.
const blocksBetweenSlowLooks = 32

// growth returns 10^(loss/10), the growth of the squared error for a loss of PSNR in dB. It
// uses products and sums alone, which are the same on every machine.
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
