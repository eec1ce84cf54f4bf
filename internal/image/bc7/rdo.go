package bc7

import (
	"context"
	"errors"
	"math"

	"github.com/assetcook/assetcook/internal/image/blockfit"
	"github.com/assetcook/assetcook/internal/image/byalpha"
)

// A budget distributes the allowed error over the blocks of an image.
type budget struct {
	blockfit.Grid
	pix []byte
	*encoder
	ctx     context.Context
	weighed bool
	given   []byte  // best blocks found without RDO
	sse     []int64 // squared errors of the given blocks
	growth  float64 // factor by which errors may grow
	work    *shrinker
}

// mostLoss is the largest loss of PSNR in dB that callers may request.
const mostLoss = 10

// shrinkBlocks replaces blocks by similar blocks that the compressor makes smaller.
func (b *budget) shrinkBlocks(dst []byte) error {
	price, err := b.price(dst)
	if err != nil {
		return err
	}
	var sum int64
	for _, e := range b.sse {
		sum += e
	}
	_, err = b.writeRun(dst, price, 0, b.Blocks(), int64(float64(sum)*b.growth), true)
	return err
}

// The search for the price uses samples: runs of blocks spread over the image.
const (
	sampleRuns = 4
	sampleSize = 96
	steps      = 4
)

// price returns the squared error to accept for each saved bit. At this price, the error of the
// sampled blocks grows by about the allowed amount. price overwrites dst.
func (b *budget) price(dst []byte) (float64, error) {
	var sum int64
	for _, e := range b.sse {
		sum += e
	}
	// The first price is a 32nd of the mean error of a block. The search changes the price in
	// proportion to the loss. After the loss has exceeded the allowed loss, the search narrows down
	// the price.
	price := float64(float64(sum)/float64(len(b.sse))) / 32
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
func (b *budget) sampleLoss(dst []byte, price float64) (lost, allowed float64, err error) {
	n := b.Blocks()
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
		for _, e := range b.sse[from : from+size] {
			before += e
		}
	}
	return float64(after - before), float64(float64(before) * (b.growth - 1)), nil
}

// writeRun writes a range of blocks and returns their error. It keeps the remaining blocks
// unchanged once the error reaches the parameter most, and never exceeds this limit. If steered is
// set, the price is adjusted to spread the loss evenly over the image.
func (b *budget) writeRun(dst []byte, price float64, from, to int, most int64, steered bool) (total int64, err error) {
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
		blockfit.Gather(b.Grid, pixels[:], b.pix, 4, at)
		block, sse := s.nextBlock(&pixels, [16]byte(b.given[16*at:]), b.sse[at], most-total-rest)
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
func errorGrowth(loss float64) (float64, error) {
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

// A shrinker replaces blocks by similar blocks whose bytes repeat earlier bytes, which helps
// compressors such as zstd. For each block it tries earlier blocks as a whole, their endpoints with
// other indices, and their indices with other endpoints. It minimizes the squared error plus price
// times bits. price is the error that is accepted to save one bit.
type shrinker struct {
	*encoder
	weighed bool // true if color errors are weighted by alpha
	price   float64
	limit   int64 // maximum error of a block
	truth   block // pixels for measuring errors; the encoder's px may have modified colors

	// past is a ring of distinct blocks with their sketches.
	past     [window]past
	sketches [window]sketch
	count    int
	apart    [window]int64 // color distances to the blocks in past, by slot; see wholes
}

// window is the number of earlier blocks that are searched.
const window = 256

// A past holds a block that was written earlier.
type past struct {
	bytes [16]byte
	code  code
	px    block
}

// Estimated cost in bits of a literal byte, and of a reference to repeated bytes.
const (
	bitsOfByte   = 8
	bitsOfRepeat = 20
	leastRepeat  = 6 // smallest number of bytes that a compressor replaces by a reference
)

// A choice is a candidate for the next block.
type choice struct {
	bytes   [16]byte
	sse     int64
	cost    float64
	repeats bool // true if bytes repeat an earlier block
}

// nextBlock returns the block for the pixels and its error, which is at most limit. given is the
// best block without RDO, and sse is its error.
func (s *shrinker) nextBlock(pixels *[64]byte, given [16]byte, sse, limit int64) ([16]byte, int64) {
	s.limit = limit
	s.setPixels(pixels, &given)
	best := choice{given, sse, float64(sse) + float64(s.price*16*bitsOfByte), false}
	own := s.truth.sketch()
	apart := s.wholes(&best, &own)
	if best.cost > float64(s.price*(bitsOfRepeat+2*bitsOfByte)) {
		s.offerHalves(&best, &own, apart)
	}
	if !best.repeats {
		s.putIntoRing(&best.bytes)
	}
	return best.bytes, best.sse
}

// wholes offers earlier blocks as candidates. It returns the distances of their mean colors, by
// slot.
func (s *shrinker) wholes(best *choice, own *sketch) *[window]int64 {
	apart := &s.apart
	most := s.payableError(best, bitsOfRepeat)
	for i := range min(s.count, window) {
		at := (s.count - 1 - i) % window
		far := own.leastApart(&s.sketches[at])
		apart[at] = far
		if far <= most || s.weighed {
			p := &s.past[at]
			s.offerBlock(best, p.bytes, &p.px, bitsOfRepeat, true)
			most = s.payableError(best, bitsOfRepeat)
		}
	}
	return apart
}

// offerHalves offers candidates that have the endpoints or the indices of an earlier block.
func (s *shrinker) offerHalves(best *choice, own *sketch, apart *[window]int64) {
	least := float64(s.price * (bitsOfRepeat + 2*bitsOfByte))
	asked, askedIndices := s.effort.asked, s.effort.asked/3
	ends, indices := nearbyOf(asked), nearbyOf(askedIndices)
	for i := range min(s.count, window) {
		at := (s.count - 1 - i) % window
		p := &s.sketches[at]
		ends.keepNearest(apart[at]+own.wider(p), at, asked)
		indices.keepNearest(own.otherwise(p), at, askedIndices)
	}
	n := min(s.count, window)
	for _, key := range ends[:min(n, asked)] {
		p := &s.past[key&(window-1)]
		if c, sse, ok := s.withEnds(&p.code, best.cost-least); ok {
			s.offerHalf(best, &c, p, sse)
		}
	}
	for _, key := range indices[:min(n, askedIndices)] {
		p := &s.past[key&(window-1)]
		if c, ok := s.withIndices(&p.code, best.cost-least); ok {
			s.offerHalf(best, &c, p, -1)
		}
	}
}

func (s *shrinker) putIntoRing(bytes *[16]byte) {
	at := s.count % window
	s.count++
	p := &s.past[at]
	p.bytes = *bytes
	p.code, _ = unpack(bytes)
	p.px.decodeCode(&p.code)
	s.sketches[at] = p.px.sketch()
}

// setPixels sets the pixels to encode. If color errors are weighted by alpha, invisible pixels get
// the colors of the best block.
func (s *shrinker) setPixels(pixels *[64]byte, best *[16]byte) {
	s.truth.loadBlock(pixels)
	s.px = s.truth
	opaque := uint64(255)
	for _, a := range &s.px.a {
		opaque &= a
	}
	s.alpha = opaque != 255
	if s.weighed && s.alpha {
		var decoded, wanted [64]byte
		DecodeBlock(&decoded, best)
		byalpha.Ask(wanted[:], pixels[:], decoded[:])
		s.px.loadBlock(&wanted)
	}
	s.rows.fillMoments(&s.px, s.alpha)
	s.all = s.rows.momentsOfMask(0xffff, s.alpha)
}

// offerBlock makes a block the best choice if it costs less than the current choice. bytes holds
// the block, and px holds its decoded pixels.
func (s *shrinker) offerBlock(best *choice, bytes [16]byte, px *block, bits float64, repeats bool) {
	most := s.payableError(best, bits)
	if most < 0 {
		return
	}
	if sse := s.errorWithin(px, most); sse <= most {
		*best = choice{bytes, sse, float64(sse) + float64(s.price*bits), repeats}
	}
}

// payableError returns the largest acceptable error of a block that costs the given number of bits.
// The result is negative if no error is acceptable.
func (s *shrinker) payableError(best *choice, bits float64) int64 {
	return min(int64(math.Ceil(best.cost-float64(s.price*bits)))-1, s.limit)
}

// offerHalf offers a code that has the endpoints or the indices of another block. If sse is -1, it
// measures the error.
func (s *shrinker) offerHalf(best *choice, c *code, from *past, sse int64) {
	bytes := c.pack()
	same := commonEnds(&bytes, &from.bytes)
	if same < leastRepeat {
		return
	}
	bits := bitsOfRepeat + float64(bitsOfByte*float64(16-same))
	if sse < 0 {
		var px block
		px.decodeCode(c)
		s.offerBlock(best, bytes, &px, bits, false)
	} else if sse <= s.payableError(best, bits) {
		*best = choice{bytes, sse, float64(sse) + float64(s.price*bits), false}
	}
}

// commonEnds returns the length of the common prefix or the common suffix, whichever is longer.
func commonEnds(a, b *[16]byte) int {
	head, tail := 0, 0
	for head < 16 && a[head] == b[head] {
		head++
	}
	for tail < 16 && a[15-tail] == b[15-tail] {
		tail++
	}
	return max(head, tail)
}

// errorWithin returns the squared error relative to another block's pixels. It stops early with a
// partial sum above the parameter most. If an opaque block would become translucent, the result
// exceeds every limit.
func (s *shrinker) errorWithin(o *block, most int64) (sse int64) {
	for i, v := range &s.truth.rgb {
		w, a := o.rgb[i], s.truth.a[i]
		dr, dg, db, da := red(v)-red(w), green(v)-green(w), blue(v)-blue(w), int64(a)-int64(o.a[i])
		color := dr*dr + dg*dg + db*db
		if s.weighed {
			color = (color*int64(a) + 127) / 255
		}
		if !s.alpha && da != 0 {
			return math.MaxInt64
		}
		if sse += color + da*da; sse > most {
			return sse
		}
	}
	return sse
}

// decodeCode sets the pixels to the decoded pixels of a code.
func (b *block) decodeCode(c *code) {
	var pixels [64]byte
	c.paintPixels(&pixels)
	b.loadBlock(&pixels)
}
