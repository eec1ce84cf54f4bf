package webp

import "math"

// These are limits of the format and of the search.
const (
	longestCopy    = 4096
	farthestCopy   = 1<<20 - nearCodes
	goodLength     = 128 // a copy of this length is good enough to end the search
	mostCacheBits  = 10
	hashBits       = 16
	exactLengths   = 24 // all copies up to this length are tried; of longer copies, only the longest of each length symbol
	learningRounds = 3
)

// A match is the longest copy found for a position.
type match struct {
	length   uint16
	distance uint32
}

// hashOf hashes two successive colors.
func hashOf(a, b uint32) uint32 { return (a*0x9e3779b1 + b*0x85ebca6b) >> (32 - hashBits) }

// findMatches returns the longest earlier copy for each position. It compares at most the given
// number of earlier positions. Of copies with equal length, it prefers near ones, which have short
// codes.
func findMatches(pix []uint32, width, probes int) []match {
	matches := make([]match, len(pix))
	last := make([]int32, 1<<hashBits)
	for i := range last {
		last[i] = -1
	}
	before := make([]int32, len(pix))
	nearest := [...]int{1, width, width - 1, width + 1, 2, 2 * width}
	for i := 0; i+1 < len(pix); i++ {
		var best match
		try := func(from int) {
			if from < 0 || from >= i || best.length > 0 && (i+int(best.length) >= len(pix) || pix[from+int(best.length)] != pix[i+int(best.length)]) {
				return
			}
			if n := commonLength(pix, from, i); n > int(best.length) {
				best = match{uint16(n), uint32(i - from)}
			}
		}
		if i > 0 && matches[i-1].length > 2 {
			best = match{matches[i-1].length - 1, matches[i-1].distance}
			if end := i + int(best.length); best.length+1 == longestCopy && end < len(pix) && pix[end] == pix[end-int(best.distance)] {
				best.length++
			}
		}
		h := hashOf(pix[i], pix[i+1])
		if best.length < goodLength {
			for _, d := range nearest {
				try(i - d)
			}
			at := last[h]
			for n := 0; n < probes && at >= 0 && i-int(at) <= farthestCopy && best.length < goodLength; n++ {
				try(int(at))
				at = before[at]
			}
		}
		if best.length > 1 {
			matches[i] = best
		}
		before[i], last[h] = last[h], int32(i)
	}
	return matches
}

// commonLength compares the pixels at index from with those at index to. It returns the number of
// equal pixels, up to the maximum length of a copy.
func commonLength(pix []uint32, from, to int) int {
	n := min(len(pix)-to, longestCopy)
	a, b := pix[from:from+n], pix[to:to+n]
	for i, v := range b {
		if a[i] != v {
			return i
		}
	}
	return n
}

// A parser chooses tokens for pixels.
type parser struct {
	pix       []uint32
	width     int
	matches   []match
	cacheBits uint
}

// newParser returns a parser that uses no color cache.
func newParser(pix []uint32, width, probes int) *parser {
	return &parser{pix: pix, width: width, matches: findMatches(pix, width, probes)}
}

// greedy uses the longest copy at each position, unless the next position has a longer copy.
func (p *parser) greedy() (tokens []token) {
	for i := 0; i < len(p.pix); {
		m := p.matches[i]
		if m.length >= 3 && (i+1 == len(p.pix) || p.matches[i+1].length <= m.length) {
			tokens = append(tokens, token{m.length, distanceCode(p.width, int(m.distance))})
			i += int(m.length)
			continue
		}
		tokens = append(tokens, token{1, p.pix[i]})
		i++
	}
	return tokens
}

// cached replaces pixels that are in a color cache by their cache positions, in place.
func (p *parser) cached(tokens []token, bits uint) []token {
	p.eachCached(tokens, bits, func(k int, t token) { tokens[k] = t })
	return tokens
}

// eachCached calls f for each token. Pixels in the color cache are replaced by their cache
// positions.
func (p *parser) eachCached(tokens []token, bits uint, f func(k int, t token)) {
	colors := newCache(bits)
	i := 0
	for k, t := range tokens {
		if t.isCopy() {
			for range t.length {
				colors.put(p.pix[i])
				i++
			}
		} else {
			t = token{1, p.pix[i]}
			if position, there := colors.put(p.pix[i]); there {
				t = token{0, position}
			}
			i++
		}
		f(k, t)
	}
}

// chooseCache chooses the size of the color cache that minimizes the cost of the tokens. It
// returns the tokens for that size.
func (p *parser) chooseCache(tokens []token) []token {
	least := int64(math.MaxInt64)
	for bits := range uint(mostCacheBits + 1) {
		h := newHistogram(bits)
		p.eachCached(tokens, bits, func(_ int, t token) { h.addToken(t) })
		if cost := h.cost(); cost < least {
			least, p.cacheBits = cost, bits
		}
	}
	return p.cached(tokens, p.cacheBits)
}

// histogramOf counts the symbols of tokens.
func histogramOf(tokens []token, cacheBits uint) histogram {
	h := newHistogram(cacheBits)
	for _, t := range tokens {
		h.addToken(t)
	}
	return h
}

// prices holds the costs of all symbols.
type prices struct {
	green, red, blue, alpha, distance []uint32
	length                            [longestCopy + 1]uint32
}

func pricesOf(h *histogram) *prices {
	p := &prices{symbolCosts(h.code(0)), symbolCosts(h.code(1)), symbolCosts(h.code(2)), symbolCosts(h.code(3)), symbolCosts(h.code(4)), [longestCopy + 1]uint32{}}
	for n := 1; n <= longestCopy; n++ {
		symbol, extra, _ := prefixOf(uint32(n))
		p.length[n] = p.green[firstLength+symbol] + uint32(extra)*oneBit
	}
	return p
}

// ofPixel returns the cost of a pixel.
func (p *prices) ofPixel(v uint32) uint32 {
	return p.green[v>>8&0xff] + p.red[v>>16&0xff] + p.blue[v&0xff] + p.alpha[v>>24]
}

// ofDistance returns the cost of a distance code.
func (p *prices) ofDistance(code uint32) uint32 {
	symbol, extra, _ := prefixOf(code)
	return p.distance[symbol] + uint32(extra)*oneBit
}

// cheapest returns the tokens that minimize the total cost at these prices. It finds the
// cheapest path to each position by dynamic programming.
func (p *parser) cheapest(price *prices) []token {
	n := len(p.pix)
	cost := make([]int64, n+1)
	step := make([]uint16, n+1) // number of pixels of the token that ends at each position
	for i := 1; i <= n; i++ {
		cost[i] = math.MaxInt64
	}
	colors := newCache(p.cacheBits)
	for i, v := range p.pix {
		pixel := price.ofPixel(v)
		if position, there := colors.put(v); there {
			pixel = min(pixel, price.green[firstCached+position])
		}
		if c := cost[i] + int64(pixel); c < cost[i+1] {
			cost[i+1], step[i+1] = c, 1
		}
		m := p.matches[i]
		if m.length < 2 {
			continue
		}
		start := cost[i] + int64(price.ofDistance(distanceCode(p.width, int(m.distance))))
		for l := 2; l <= int(m.length); l++ {
			if c := start + int64(price.length[l]); c < cost[i+l] {
				cost[i+l], step[i+l] = c, uint16(l)
			}
			if l >= exactLengths && l < int(m.length) {
				l = min(lastOfSymbol(l+1), int(m.length)) - 1
			}
		}
	}
	return p.path(step)
}

// lastOfSymbol returns the greatest length that has the same symbol as the given length, which
// must be above 4.
func lastOfSymbol(length int) int {
	_, n, extra := prefixOf(uint32(length))
	return length - int(extra) + 1<<n - 1
}

// path returns the tokens of the cheapest path, in order.
func (p *parser) path(step []uint16) []token {
	var lengths []uint16
	for i := len(p.pix); i > 0; i -= int(step[i]) {
		lengths = append(lengths, step[i])
	}
	tokens := make([]token, 0, len(lengths))
	i := 0
	for k := len(lengths) - 1; k >= 0; k-- {
		t := token{1, p.pix[i]}
		if lengths[k] > 1 {
			t = token{lengths[k], distanceCode(p.width, int(p.matches[i].distance))}
		}
		tokens = append(tokens, t)
		i += int(lengths[k])
	}
	return p.cached(tokens, p.cacheBits)
}
