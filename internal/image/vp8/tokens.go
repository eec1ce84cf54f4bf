package vp8

import (
	"math"
	"sync"

	"github.com/assetcook/assetcook/internal/detmath"
)

// Kinds of blocks, which index the token model (13.3).
const (
	lumaRest   = iota // luma without DC coefficients, which are in the block of kind lumaMeans
	lumaMeans         // DC coefficients of the 16 luma blocks
	chroma            // Cb or Cr
	lumaWhole         // luma with DC coefficients
	blockKinds = 4
)

// A levels holds the quantized coefficients of a block in zigzag order.
type levels [16]int16

// maxLevel is the largest quantized coefficient that tokens can express.
const maxLevel = 2047

// largeLevel is the smallest level of category 6. All greater levels have the same token.
const largeLevel = 67

// first returns the index of the first coefficient in a block of the given kind.
func first(kind int) int {
	if kind == lumaRest {
		return 1
	}
	return 0
}

// length returns the number of coefficients up to the last one that is not 0.
func (l *levels) length() int {
	n := 16
	for n > 0 && l[n-1] == 0 {
		n--
	}
	return n
}

// A tokenSink receives the binary decisions that encode tokens.
type tokenSink interface {
	// decide is called at each node of a tree of the model.
	decide(kind int, band uint8, context, node int, bit bool)
	// extra is called for bits with fixed probabilities: signs, and the lower bits of large levels.
	extra(bit bool, chance uint8)
}

// sendBlock passes the tokens of a block to a sink. It returns 0 if the block has only the token
// for its end, and otherwise 1.
func sendBlock(to tokenSink, kind, context int, l *levels) int {
	n, end := first(kind), l.length()
	if end <= n {
		to.decide(kind, bands[n], context, 0, false)
		return 0
	}
	afterZero := false
	for ; n < end; n++ {
		band := bands[n]
		if !afterZero {
			to.decide(kind, band, context, 0, true)
		}
		v := int(l[n])
		size := max(v, -v)
		to.decide(kind, band, context, 1, size > 0)
		if afterZero = size == 0; afterZero {
			context = 0
			continue
		}
		sendLevel(to, kind, band, context, size)
		to.extra(v < 0, 128)
		context = min(size, 2)
	}
	if n < 16 {
		to.decide(kind, bands[n], context, 0, false)
	}
	return 1
}

// sendLevel passes a level above 0 to a sink (13.2).
func sendLevel(to tokenSink, kind int, band uint8, context, size int) {
	node := func(i int, bit bool) { to.decide(kind, band, context, i, bit) }
	if node(2, size > 1); size == 1 {
		return
	}
	if node(3, size > 4); size <= 4 {
		if node(4, size > 2); size > 2 {
			node(5, size == 4)
		}
		return
	}
	if node(6, size > 10); size <= 10 {
		if node(7, size > 6); size <= 6 {
			to.extra(size == 6, 159)
		} else {
			to.extra((size-7)&2 != 0, 165)
			to.extra((size-7)&1 != 0, 145)
		}
		return
	}
	category := 0
	for category < 3 && size >= 3+16<<category {
		category++
	}
	node(8, category > 1)
	node(9+category/2, category&1 != 0)
	chances := largeExtra[category]
	for i, chance := range chances {
		to.extra((size-3-8<<category)>>(len(chances)-1-i)&1 != 0, chance)
	}
}

// A tokenWriter writes tokens with the probabilities in a model.
type tokenWriter struct {
	*boolWriter
	model *tokenModel
}

func (w tokenWriter) decide(kind int, band uint8, context, node int, bit bool) {
	w.put(bit, w.model[kind][band][context][node])
}

func (w tokenWriter) extra(bit bool, chance uint8) { w.put(bit, chance) }

// A census counts the decisions at each node of a model.
type census [blockKinds][8][3][11][2]uint32

func (c *census) decide(kind int, band uint8, context, node int, bit bool) {
	i := 0
	if bit {
		i = 1
	}
	c[kind][band][context][node][i]++
}

func (c *census) extra(bool, uint8) {}

// fit returns the model that minimizes the length of the counted tokens plus the model itself.
func (c *census) fit() *tokenModel {
	m := defaultModel
	prices := priceOf()
	for kind := range m {
		for band := range m[kind] {
			for context := range m[kind][band] {
				for node := range m[kind][band][context] {
					n := c[kind][band][context][node]
					old := m[kind][band][context][node]
					chance := chanceOf(n[0], n[1])
					update := updateChances[kind][band][context][node]
					bits := func(chance uint8) int64 {
						return int64(n[0])*int64(prices.of(false, chance)) + int64(n[1])*int64(prices.of(true, chance))
					}
					if bits(chance)+8<<8+int64(prices.of(true, update)) < bits(old)+int64(prices.of(false, update)) {
						m[kind][band][context][node] = chance
					}
				}
			}
		}
	}
	return &m
}

// chanceOf returns the probability of 0, in 1/256, from the counts of zeros and ones.
func chanceOf(zeros, ones uint32) uint8 {
	total := uint64(zeros) + uint64(ones)
	if total == 0 {
		return 255
	}
	return uint8(min(255, max(1, (uint64(zeros)*256+total/2)/total)))
}

// A priceList maps the probability of a bit, in 1/256, to its length, in 1/256 bit.
type priceList [257]uint16

// of returns the length of a bit. The parameter chance is the probability of 0, in 1/256.
func (p *priceList) of(bit bool, chance uint8) uint32 {
	if bit {
		return uint32(p[256-int(chance)])
	}
	return uint32(p[chance])
}

// priceOf returns the only priceList. The first call computes it.
var priceOf = sync.OnceValue(func() *priceList {
	p := &priceList{}
	for i := 1; i <= 256; i++ {
		p[i] = uint16(math.Round(float64(-256/math.Ln2) * detmath.Log(float64(i)/256)))
	}
	return p
})

// A tariff holds the lengths of tokens under a model, in 1/256 bit.
type tariff struct {
	// level has the lengths of tokens for levels up to largeLevel. Except in context 0, this
	// includes the flag that the block continues.
	level [blockKinds][8][3][largeLevel + 1]uint16
	// begin has the length of the flag that a block continues, for blocks that start in context 0.
	begin [blockKinds][8]uint16
	end   [blockKinds][8][3]uint16
	// rest has the lengths of signs and extra bits for each level.
	rest [maxLevel + 1]uint16
}

// A meter sums the lengths of decisions.
type meter struct {
	prices *priceList
	model  *tokenModel
	sum    uint32
}

func (m *meter) decide(kind int, band uint8, context, node int, bit bool) {
	m.sum += m.prices.of(bit, m.model[kind][band][context][node])
}

func (m *meter) extra(bit bool, chance uint8) { m.sum += m.prices.of(bit, chance) }

// A restMeter sums only the lengths of bits with fixed probabilities.
type restMeter struct{ meter }

func (m *restMeter) decide(int, uint8, int, int, bool) {}

// newTariff returns a tariff with only the lengths of signs and extra bits; setModel adds the
// tokens.
func newTariff() *tariff {
	t := &tariff{}
	for size := 1; size <= maxLevel; size++ {
		m := restMeter{meter{prices: priceOf()}}
		sendLevel(&m, 0, 0, 0, size)
		t.rest[size] = uint16(m.sum + m.prices.of(false, 128))
	}
	return t
}

// An onlyTree sums only the lengths of decisions in the token tree.
type onlyTree struct{ meter }

func (m *onlyTree) extra(bool, uint8) {}

func (t *tariff) setModel(model *tokenModel) {
	prices := priceOf()
	for kind := range blockKinds {
		for band := range uint8(8) {
			for context := range 3 {
				chances := &model[kind][band][context]
				more := prices.of(true, chances[0])
				t.end[kind][band][context] = uint16(prices.of(false, chances[0]))
				if context == 0 {
					t.begin[kind][band] = uint16(more)
					more = 0 // after a zero, no flag is stored, because the block must continue
				}
				t.level[kind][band][context][0] = uint16(more + prices.of(false, chances[1]))
				for size := 1; size <= largeLevel; size++ {
					m := onlyTree{meter{prices: prices, model: model}}
					sendLevel(&m, kind, band, context, size)
					t.level[kind][band][context][size] = uint16(more + prices.of(true, chances[1]) + m.sum)
				}
			}
		}
	}
}

// block returns the length of a block in 1/256 bit.
func (t *tariff) block(kind, context int, l *levels) int64 {
	n, end := first(kind), l.length()
	if end <= n {
		return int64(t.end[kind][bands[n]][context])
	}
	var sum uint32
	if context == 0 {
		sum = uint32(t.begin[kind][bands[n]])
	}
	for ; n < end; n++ {
		size := int(l[n])
		size = max(size, -size)
		sum += uint32(t.level[kind][bands[n]][context][min(size, largeLevel)]) + uint32(t.rest[size])
		context = min(size, 2)
	}
	if n < 16 {
		sum += uint32(t.end[kind][bands[n]][context])
	}
	return int64(sum)
}
