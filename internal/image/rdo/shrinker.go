package rdo

import (
	"math"

	"github.com/assetcook/assetcook/internal/image/byalpha"
)

// A shrinker replaces blocks by similar blocks whose bytes repeat earlier bytes, which helps
// compressors such as zstd. For each block it tries earlier blocks as a whole, their endpoints with
// other indices, and their indices with other endpoints. It minimizes the squared error plus price
// times bits. price is the error that is accepted to save one bit.
type shrinker[F any] struct {
	format      Format[F]
	weighed     bool // true if color errors are weighted by alpha
	alphaWeight int64
	asked       int
	price       float64
	limit       int64  // maximum error of a block
	truth       []byte // pixels for measuring errors; the format may approximate modified colors
	opaque      bool   // true if all pixels are opaque

	// past is a ring of distinct blocks with their pixels and sketches.
	past     [window]past[F]
	pixels   []byte
	sketches [window]sketch
	count    int
	apart    [window]int64 // color distances to the blocks in past, by slot; see wholes

	decoded, wanted []byte   // pixels of a block
	block           [16]byte // a block to decode; other variables would escape to the heap
}

func newShrinker[F any](i *Image[F]) shrinker[F] {
	high := i.Grid.Rows
	if high == 0 {
		high = i.Grid.Side
	}
	n := 4 * i.Grid.Side * high
	return shrinker[F]{
		format: i.Format, weighed: i.WeighAlpha, alphaWeight: int64(max(1, i.AlphaWeight)), asked: i.Asked,
		truth: make([]byte, n), pixels: make([]byte, window*n), decoded: make([]byte, n), wanted: make([]byte, n),
	}
}

// window is the number of earlier blocks that are searched.
const window = 256

// A past holds a block that was written earlier.
type past[F any] struct {
	bytes  [16]byte
	fields F
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

// nextBlock returns the block for the pixels in truth and its error, which is at most limit. given is the
// best block without RDO, and sse is its error.
func (s *shrinker[F]) nextBlock(given [16]byte, sse, limit int64) ([16]byte, int64) {
	s.limit = limit
	s.loadTruth(&given)
	best := choice{given, sse, float64(sse) + float64(s.price*16*bitsOfByte), false}
	own := sketchOf(s.truth)
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
func (s *shrinker[F]) wholes(best *choice, own *sketch) *[window]int64 {
	apart := &s.apart
	most := s.payableError(best, bitsOfRepeat)
	for i := range min(s.count, window) {
		at := (s.count - 1 - i) % window
		far := own.leastApart(&s.sketches[at])
		apart[at] = far
		if far <= most || s.weighed {
			s.offerBlock(best, s.past[at].bytes, s.pixelsAt(at), bitsOfRepeat, true)
			most = s.payableError(best, bitsOfRepeat)
		}
	}
	return apart
}

// offerHalves offers candidates that have the endpoints or the indices of an earlier block.
func (s *shrinker[F]) offerHalves(best *choice, own *sketch, apart *[window]int64) {
	least := float64(s.price * (bitsOfRepeat + 2*bitsOfByte))
	asked, askedIndices := s.asked, s.asked/3
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
		if bytes, sse, ok := s.format.KeepEnds(&p.fields, best.cost-least); ok {
			s.offerHalf(best, &bytes, &p.bytes, sse)
		}
	}
	for _, key := range indices[:min(n, askedIndices)] {
		p := &s.past[key&(window-1)]
		if bytes, ok := s.format.KeepIndices(&p.fields, best.cost-least); ok {
			s.offerHalf(best, &bytes, &p.bytes, -1)
		}
	}
}

// putIntoRing adds a block to past.
func (s *shrinker[F]) putIntoRing(bytes *[16]byte) {
	at := s.count % window
	s.count++
	s.block = *bytes
	s.past[at] = past[F]{s.block, s.format.Decode(s.pixelsAt(at), &s.block)}
	s.sketches[at] = sketchOf(s.pixelsAt(at))
}

// pixelsAt returns the pixels of the block in a slot of past.
func (s *shrinker[F]) pixelsAt(slot int) []byte {
	n := len(s.truth)
	return s.pixels[slot*n : (slot+1)*n]
}

// loadTruth gives the format the pixels to approximate. If color errors are weighted by alpha,
// invisible pixels get the colors of the best block.
func (s *shrinker[F]) loadTruth(best *[16]byte) {
	s.isOpaque()
	pixels := s.truth
	s.block = *best
	if s.weighed && !s.opaque {
		s.format.Decode(s.decoded, &s.block)
		byalpha.Ask(s.wanted, s.truth, s.decoded)
		pixels = s.wanted
	}
	s.format.Load(pixels, &s.block)
}

// isOpaque sets the field opaque.
func (s *shrinker[F]) isOpaque() {
	s.opaque = true
	for i := 3; i < len(s.truth); i += 4 {
		s.opaque = s.opaque && s.truth[i] == 255
	}
}

// offerBlock makes a block the best choice if it costs less than the current choice. bytes holds
// the block, and pixels holds its decoded pixels.
func (s *shrinker[F]) offerBlock(best *choice, bytes [16]byte, pixels []byte, bits float64, repeats bool) {
	most := s.payableError(best, bits)
	if most < 0 {
		return
	}
	if sse := s.errorWithin(pixels, most); sse <= most {
		*best = choice{bytes, sse, float64(sse) + float64(s.price*bits), repeats}
	}
}

// payableError returns the largest acceptable error of a block that costs the given number of bits.
// The result is negative if no error is acceptable.
func (s *shrinker[F]) payableError(best *choice, bits float64) int64 {
	return min(int64(math.Ceil(best.cost-float64(s.price*bits)))-1, s.limit)
}

// offerHalf offers a block that has the endpoints or the indices of another block. If sse is -1 or
// errors are weighted, it measures the error.
func (s *shrinker[F]) offerHalf(best *choice, bytes, from *[16]byte, sse int64) {
	same := commonEnds(bytes, from)
	if same < leastRepeat {
		return
	}
	bits := bitsOfRepeat + float64(bitsOfByte*float64(16-same))
	if sse < 0 || s.weighed {
		s.block = *bytes
		s.format.Decode(s.decoded, &s.block)
		s.offerBlock(best, *bytes, s.decoded, bits, false)
	} else if sse <= s.payableError(best, bits) {
		*best = choice{*bytes, sse, float64(sse) + float64(s.price*bits), false}
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

// errorWithin returns the squared error of decoded pixels. It stops early with a partial sum above
// the parameter most. If an opaque block would become translucent, the result exceeds every limit.
func (s *shrinker[F]) errorWithin(pixels []byte, most int64) (sse int64) {
	for i := 0; i < len(s.truth); i += 4 {
		p, q := s.truth[i:i+4:i+4], pixels[i:i+4:i+4]
		dr, dg := int64(p[0])-int64(q[0]), int64(p[1])-int64(q[1])
		db, da := int64(p[2])-int64(q[2]), int64(p[3])-int64(q[3])
		color := dr*dr + dg*dg + db*db
		if s.weighed {
			color = (color*int64(p[3]) + 127) / 255
		}
		if s.opaque && da != 0 {
			return math.MaxInt64
		}
		if sse += color + da*da*s.alphaWeight; sse > most {
			return sse
		}
	}
	return sse
}
