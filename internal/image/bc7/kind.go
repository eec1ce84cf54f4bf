package bc7

// A kind is a storage format for a line: its endpoints and its indices.
type kind struct {
	p      pbits
	width  uint8   // bits per index
	levels int64   // number of distinct indices
	along  float64 // fraction of the scatter along the line that quantized indices preserve
	most   int64   // largest integer that can be stored
	scale  int64   // factor from 256ths of a value to stored steps, times 2^24
	shift  uint8   // 1 if the stored value is followed by a p-bit

	values [512]uint8 // decoded values, indexed by twice the stored value plus the p-bit
}

// pbits says whether the endpoints of a kind have p-bits (lowest bits), and whether they share one.
type pbits uint8

const (
	noP     pbits = iota
	sharedP       // one p-bit for both endpoints
	ownP          // one p-bit for each endpoint
	setP          // one p-bit for each endpoint; both are 1, so that alpha can be 255
)

// pbitChoices returns the possible p-bits of two endpoints. Missing p-bits are 0.
func (p pbits) pbitChoices() [][2]uint8 {
	switch p {
	case sharedP:
		return pChoices[:2]
	case ownP:
		return pChoices[:]
	case setP:
		return pChoices[1:2]
	}
	return pChoices[:1]
}

var pChoices = [4][2]uint8{{0, 0}, {1, 1}, {0, 1}, {1, 0}}

// newKind returns the kind with the given number of bits per channel, including a p-bit, and the
// given number of bits per index.
func newKind(bits uint8, p pbits, width uint8) *kind {
	k := &kind{p: p, width: width, levels: 1 << width}
	if p != noP {
		k.shift = 1
	}
	k.along = 1 - 1/float64((k.levels-1)*(k.levels-1))
	k.most = 1<<(bits-k.shift) - 1
	for stored := range 1 << (bits - k.shift) {
		for p := range 2 {
			k.values[2*stored+p] = expandBits(uint8(stored<<k.shift|p&int(k.shift)), bits)
		}
	}
	k.scale = (1<<bits - 1) << (24 - k.shift) / (255 << 8)
	return k
}

// decodedValue returns the decoded value of a stored endpoint.
func (k *kind) decodedValue(stored, p int64) int64 {
	return int64(k.values[(2*stored+p)&511])
}

// nearestStored returns the stored integer for a value that is given in 256ths.
func (k *kind) nearestStored(v, p int64) int64 {
	return max(0, min((v*k.scale+(1-p)<<23)>>24, k.most))
}

// storedAround returns the stored integers for the two values nearest to v.
func (k *kind) storedAround(v, p int64) (a, b int64) {
	x := v*k.scale + (1-p)<<23
	a = x >> 24
	b = a - 1 + x>>23&1<<1
	return max(0, min(a, k.most)), max(0, min(b, k.most))
}

var (
	kind1        = newKind(7, sharedP, 3)
	kind3        = newKind(8, ownP, 2)
	color4       = newKind(5, noP, 2)
	scalar4      = newKind(6, noP, 3)
	color4long   = newKind(5, noP, 3)
	scalar4short = newKind(6, noP, 2)
	color5       = newKind(7, noP, 2)
	scalar5      = newKind(8, noP, 2)
	kind6        = newKind(8, ownP, 4)
	kind6opaque  = newKind(8, setP, 4)
	kind7        = newKind(6, ownP, 2)
)

// widenEnds tries mode 6 with endpoints just beyond the outermost values of each channel. Two
// endpoints with the same p-bit differ by an even number, so least-squares endpoints may be off by
// one. If the endpoints are so close that each value between them has an index, all these values
// are exact.
func (e *encoder) widenEnds() {
	k := kind6opaque
	if e.alpha {
		k = kind6
	}
	low, high := e.px.extents()
	channels := e.codedChannels()
	for c := range channels {
		if high[c]-low[c] > reach {
			return
		}
	}
	stored := e.best.ends[0]
	for _, both := range k.p.pbitChoices() {
		if both[0] != both[1] {
			continue
		}
		l := line{p: both}
		p := int64(both[0])
		for c := range channels {
			from, to := &l.stored[0][c], &l.stored[1][c]
			if stored[0][c] > stored[1][c] {
				from, to = to, from
			}
			*from, *to = uint8(max(0, (low[c]-p)>>1)), uint8(min((high[c]-p+1)>>1, k.most))
		}
		l.decodeEnds(k)
		var index [16]uint8
		var ls leastSquares
		sse := e.all.sumOfSquares(e.alpha) + e.px.chooseIndices(whole[:], &l, k, e.alpha, &index, &ls)
		if sse >= e.sse {
			continue
		}
		if !e.alpha {
			l.stored[0][3], l.stored[1][3] = 127, 127
		}
		e.best.ends[0], e.best.p[0], e.best.index = l.stored, l.p, index
		e.sse = sse
	}
}

// reach is the largest range of channel values that gives every value an index in mode 6.
const reach = 16

// narrowerThan reports whether the variance of every channel is so small that all values are within
// a range of the given size.
func (s *scatter) narrowerThan(far float64) bool {
	return max(s.rr, s.gg, s.bb, s.aa) <= 16*16*float64(far/2)*float64(far/2)
}

// extents returns the smallest and the largest value of each channel.
func (b *block) extents() (low, high [4]int64) {
	low = [4]int64{255, 255, 255, 255}
	for i, v := range &b.rgb {
		r, g, b, a := red(v), green(v), blue(v), int64(b.a[i])
		low[0], high[0] = min(low[0], r), max(high[0], r)
		low[1], high[1] = min(low[1], g), max(high[1], g)
		low[2], high[2] = min(low[2], b), max(high[2], b)
		low[3], high[3] = min(low[3], a), max(high[3], a)
	}
	return low, high
}
