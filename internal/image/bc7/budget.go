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
	_, err = b.pass(dst, price, 0, b.Blocks(), int64(float64(sum)*b.growth), true)
	return err
}

// The price is looked for on some runs of blocks that are spread over the picture.
const (
	sampleRuns = 4
	sampleSize = 96
	steps      = 4
)

// price returns a price of a bit at which the sampled blocks lose about what they may.
// dst is written to.
func (b *budget) price(dst []byte) (float64, error) {
	var sum int64
	for _, e := range b.sse {
		sum += e
	}
	// From a guess by the mean error of a block go up or down by what is lost, which grows
	// about as the price does; once it was passed, close in on it.
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

// sample returns what the samples lose at a price, and what they may lose.
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

// pass writes blocks from one number up to another, and returns their error, which is
// at most what is said: where nothing is left to lose, blocks stay as they were given. If
// steered, the price follows what was lost, so that it is what may be and is so everywhere.
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

// Every so many blocks the price changes by a factor between these.
const (
	steerEvery = 128
	slowest    = 0.9
	fastest    = 1.1
)

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
