package webp

import (
	"cmp"
	"math/bits"
	"slices"
	"sync"
)

// The alphabet of green contains values, copy lengths, and positions in the color cache.
const (
	lengthSymbols   = 24
	distanceSymbols = 40
	firstLength     = 256
	firstCached     = firstLength + lengthSymbols
)

// A token is a pixel, a pixel from the color cache, or a copy of earlier pixels.
type token struct {
	length uint16 // number of pixels; 0 for a pixel from the color cache
	value  uint32 // color, position in the cache, or distance code (from 1 on)
}

// isCopy reports whether t copies pixels. A copy has at least 2 pixels.
func (t token) isCopy() bool { return t.length > 1 }

// pixels returns the number of pixels that t represents.
func (t token) pixels() int { return max(1, int(t.length)) }

// prefixOf splits a length or a distance code, both counted from 1, into a symbol and extra
// bits.
func prefixOf(v uint32) (symbol uint32, n uint, extra uint32) {
	v--
	if v < 4 {
		return v, 0, 0
	}
	top := bits.Len32(v) - 1
	n = uint(top - 1)
	return uint32(2*top) + v>>n&1, n, v & (1<<n - 1)
}

// nearCodes is the number of distance codes for pixels in the two-dimensional neighborhood.
const nearCodes = 120

// near holds the distance codes of pixels up to 7 rows above, from 8 columns to the left to 7
// columns to the right. The nearest pixel has code 1. Equal distances are sorted by columns,
// and the left pixel comes first (RFC 9649, section 4.2.2).
var near = sync.OnceValue(func() *[8][16]uint8 {
	type place struct{ x, y int } // numbers of columns to the left and of rows above
	var places []place
	for y := range 8 {
		for x := -7; x <= 8; x++ {
			if y > 0 || x > 0 {
				places = append(places, place{x, y})
			}
		}
	}
	slices.SortFunc(places, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.x*a.x+a.y*a.y, b.x*b.x+b.y*b.y), cmp.Compare(max(a.x, -a.x), max(b.x, -b.x)), cmp.Compare(b.x, a.x))
	})
	var codes [8][16]uint8
	for i, p := range places {
		codes[p.y][p.x+7] = uint8(i + 1)
	}
	return &codes
})

// distanceCode returns the code of a distance in an image of the given width.
func distanceCode(width, distance int) uint32 {
	y, x := distance/width, distance%width
	switch codes := near(); {
	case x <= 8 && y < 8:
		return uint32(codes[y][x+7])
	case x > width-8 && y < 7:
		return uint32(codes[y+1][x-width+7])
	}
	return uint32(distance + nearCodes)
}

// A cache holds recent colors by their hash. Encoder and decoder both add every pixel to their
// cache.
type cache struct {
	colors []uint32
	shift  uint
}

// newCache returns a cache for 1<<bits colors, or nil if bits is 0.
func newCache(bits uint) *cache {
	if bits == 0 {
		return nil
	}
	return &cache{make([]uint32, 1<<bits), 32 - bits}
}

// put adds a color. It returns the color's position, and whether the color was already there.
func (c *cache) put(color uint32) (position uint32, there bool) {
	if c == nil {
		return 0, false
	}
	position = (color * 0x1e35a7bd) >> c.shift
	there = c.colors[position] == color
	c.colors[position] = color
	return position, there
}

// A histogram counts the symbols of tokens in five alphabets, each with its own code: green
// with lengths and cache positions, red, blue, alpha, and distances.
type histogram struct {
	counts []uint32
	green  int // number of symbols in the green alphabet
}

// codes is the number of codes for a histogram.
const codes = 5

func newHistogram(cacheBits uint) histogram {
	green := firstCached
	if cacheBits > 0 {
		green += 1 << cacheBits
	}
	return histogram{make([]uint32, green+3*256+distanceSymbols), green}
}

// code returns the counts for one of the five codes.
func (h *histogram) code(i int) []uint32 {
	if i == 0 {
		return h.counts[:h.green]
	}
	start := h.green + 256*(i-1)
	return h.counts[start:min(start+256, len(h.counts))]
}

// addToken counts the symbols in t.
func (h *histogram) addToken(t token) {
	switch {
	case t.length == 0:
		h.counts[firstCached+t.value]++
	case t.isCopy():
		length, _, _ := prefixOf(uint32(t.length))
		distance, _, _ := prefixOf(t.value)
		h.counts[firstLength+length]++
		h.counts[h.green+3*256+int(distance)]++
	default:
		h.counts[t.value>>8&0xff]++
		h.counts[h.green+int(t.value>>16&0xff)]++
		h.counts[h.green+256+int(t.value&0xff)]++
		h.counts[h.green+512+int(t.value>>24)]++
	}
}

// cost returns the cost of all symbols and of their codes, excluding extra bits.
func (h *histogram) cost() (sum int64) {
	for i := range codes {
		counts := h.code(i)
		sum += entropy(counts) + codeCost(counts)
	}
	return sum
}
