package bc7

import "math"

// A shrinker makes blocks that a general compressor finds more alike. Such a one,
// zstd above all, saves what stood before: so for each block the blocks before it are
// asked for one that would do as a whole, for one whose ends would do with other
// indices, and for one whose indices would do with other ends. What is taken is what
// makes least of squared error and bits together; price says how much error a bit is
// worth.
type shrinker struct {
	*encoder
	weighed bool // color counts by alpha
	price   float64
	limit   int64        // of the error of a block
	past    [window]past // a ring of blocks that differ
	count   int
	truth   block // what errors are measured by; the encoder's px is what is searched for
}

const (
	window = 384 // blocks that are asked as a whole
	recent = 96  // the last of them, asked for halves
)

// A past is a block that was written.
type past struct {
	bytes [16]byte
	code  code
	px    block
	sum   uint64 // of the colors, in lanes
}

// What a part of a block costs a compressor, in bits: to write a byte, and to say that
// and from where bytes are repeated.
const (
	bitsOfByte   = 7.5
	bitsOfRepeat = 24
	leastRepeat  = 6 // bytes that are worth it
)

// A choice is what a block may become.
type choice struct {
	bytes   [16]byte
	sse     int64
	cost    float64
	repeats bool // a block as a whole
}

// next returns the block for pixels and its error, which is at most limit. given is the
// best block found for them, and sse its error.
func (s *shrinker) next(pixels *[64]byte, given [16]byte, sse, limit int64) ([16]byte, int64) {
	s.limit = limit
	s.take(pixels, &given)
	best := choice{given, sse, float64(sse) + float64(s.price*16*bitsOfByte), false}
	sum := s.truth.sum()
	for i := 1; i <= min(s.count, window); i++ {
		p := &s.past[(s.count-i)%window]
		if !s.weighed && float64(apartAtLeast(sum, p.sum)) >= best.cost-float64(s.price*bitsOfRepeat) {
			continue
		}
		s.offer(&best, p.bytes, &p.px, bitsOfRepeat, true)
	}
	for i := 1; i <= min(s.count, recent); i++ {
		p := &s.past[(s.count-i)%window]
		most := best.cost - float64(s.price*(bitsOfRepeat+2*bitsOfByte))
		if c, ok := s.withEnds(&p.code, most); ok {
			s.offerHalf(&best, &c, p)
		}
		if c, ok := s.withIndices(&p.code, most); ok {
			s.offerHalf(&best, &c, p)
		}
	}
	if best.repeats {
		return best.bytes, best.sse
	}
	p := &s.past[s.count%window]
	s.count++
	*p = past{bytes: best.bytes}
	p.code, _ = unpack(&p.bytes)
	p.px.decode(&p.code)
	p.sum = p.px.sum()
	return best.bytes, best.sse
}

// take sets what is to be matched. Where colors are weighed by alpha, the search is
// for colors that need not be matched where they do not count: those of the best.
func (s *shrinker) take(pixels *[64]byte, best *[16]byte) {
	s.truth.load(pixels)
	s.px = s.truth
	opaque := uint64(255)
	for _, a := range &s.px.a {
		opaque &= a
	}
	s.alpha = opaque != 255
	if s.weighed && s.alpha {
		var decoded, wanted [64]byte
		DecodeBlock(&decoded, best)
		weigh(&wanted, pixels, &decoded)
		s.px.load(&wanted)
	}
	s.rows.fill(&s.px, s.alpha)
	s.all = s.rows.of(0xffff, s.alpha)
}

// offer makes bytes, which decode to px, the choice if they are better.
func (s *shrinker) offer(best *choice, bytes [16]byte, px *block, bits float64, repeats bool) {
	most := best.cost - float64(s.price*bits)
	if most <= 0 {
		return
	}
	if sse := s.errorWithin(px, int64(most)); float64(sse) < most && sse <= s.limit {
		*best = choice{bytes, sse, float64(sse) + float64(s.price*bits), repeats}
	}
}

// offerHalf offers a code that has a part of its block from another.
func (s *shrinker) offerHalf(best *choice, c *code, from *past) {
	bytes := c.pack()
	same := alike(&bytes, &from.bytes)
	if same < leastRepeat {
		return
	}
	var px block
	px.decode(c)
	s.offer(best, bytes, &px, bitsOfRepeat+float64(bitsOfByte*float64(16-same)), false)
}

// alike returns the length of the longer of the common head and the common tail.
func alike(a, b *[16]byte) int {
	head, tail := 0, 0
	for head < 16 && a[head] == b[head] {
		head++
	}
	for tail < 16 && a[15-tail] == b[15-tail] {
		tail++
	}
	return max(head, tail)
}

// errorWithin returns the squared error of other pixels, or what it is so far where
// that is beyond most. An opaque block that would be so no more is beyond all.
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

// decode sets the pixels to what a code says.
func (b *block) decode(c *code) {
	var pixels [64]byte
	c.pixels(&pixels)
	b.load(&pixels)
}

// sum is the sum of the colors, in lanes.
func (b *block) sum() (sum uint64) {
	for _, v := range &b.rgb {
		sum += v
	}
	return sum
}

// apartAtLeast is the least squared error of two blocks whose colors have these sums.
func apartAtLeast(a, b uint64) int64 {
	dr, dg, db := red(a)-red(b), green(a)-green(b), blue(a)-blue(b)
	return (dr*dr + dg*dg + db*db) / 16
}
