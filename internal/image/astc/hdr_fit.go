package astc

import (
	"math"
	"sync"
)

// keptBits is the maximum number of upper bits of a value that quantization must not change.
const keptBits = 4

// keptRanks holds, by quantization range, number of upper bits and value, the rank of the nearest
// quantized value with the same upper bits, or noRank.
var keptRanks = sync.OnceValue(func() *[len(spans)][keptBits + 1][256]uint16 {
	prepare()
	var all [len(spans)][keptBits + 1][256]uint16
	for span := colorSpan; span < len(spans); span++ {
		for kept := range keptBits + 1 {
			for v := range 256 {
				all[span][kept][v] = nearestKept(colors[span].ranked, v, 8-kept)
			}
		}
	}
	return &all
})

const noRank = 0xffff

// nearestKept returns the rank of the nearest value to v that equals v from bit shift upward.
func nearestKept(ranked []uint8, v, shift int) uint16 {
	best, least := uint16(noRank), 256
	for rank, other := range ranked {
		distance := max(int(other)-v, v-int(other))
		if int(other)>>shift == v>>shift && distance < least {
			best, least = uint16(rank), distance
		}
	}
	return best
}

// A lightWriter sets the values of an endpoint mode of high dynamic range, quantized.
type lightWriter struct {
	form  *lightForm
	order *[6]uint8
	span  int
	v     [8]int32
	codes [6]uint8
	ok    bool // false if a value could not be quantized
}

// setNumber sets the bits of a number.
func (w *lightWriter) setNumber(number lightNumber, x int32) {
	f := w.form
	mask := int32(1)<<f.direct[number] - 1
	at := w.order[number]
	w.v[at] = w.v[at]&^mask | x&mask
	for _, b := range f.extra {
		if b.number == number {
			w.v[b.value] = w.v[b.value]&^(1<<b.at) | x>>b.bit&1<<b.at
		}
	}
}

// quantizeNumber quantizes the value that holds the lowest bits of a number, and keeps the bits
// that belong to other numbers.
func (w *lightWriter) quantizeNumber(number lightNumber) {
	w.quantizeValue(w.order[number], 8-w.form.own[number])
}

// quantizeValue quantizes a value and keeps its upper bits.
func (w *lightWriter) quantizeValue(at, kept uint8) {
	rank := keptRanks()[w.span][kept][w.v[at]&255]
	if rank == noRank {
		w.ok = false
		return
	}
	s := &colors[w.span]
	w.v[at], w.codes[at] = int32(s.ranked[rank]), s.sorted[rank]
}

// number returns the stored value of a number.
func (w *lightWriter) number(number lightNumber) int32 {
	n := w.form.readNumbers(&w.v, w.order)
	return n[number]
}

// setDistance sets and quantizes a number that is a distance and cannot be negative. It fails if the
// distance is too large.
func (w *lightWriter) setDistance(number lightNumber, distance int32) {
	f := w.form
	x := max(0, (distance+1<<f.shift>>1)>>f.shift)
	if x >= 1<<f.size[number] {
		w.ok = false
		return
	}
	w.setNumber(number, x)
	w.quantizeNumber(number)
}

// ascending returns a copy of f with the brighter endpoint second, and both endpoints as integers.
func (f *fit) ascending() (g fit, from, to [3]int32) {
	g = *f
	x, y := &g.ends[0], &g.ends[1]
	if y[0]+y[1]+y[2] < x[0]+x[1]+x[2] {
		g.ends[0], g.ends[1] = g.ends[1], g.ends[0]
		g.aa, g.bb = g.bb, g.aa
		g.a, g.b = g.b, g.a
	}
	for c := range 3 {
		from[c] = int32(max(0, min(x[c], float32(f.brightest))) + 0.5)
		to[c] = int32(max(0, min(y[c], float32(f.brightest))) + 0.5)
	}
	return g, from, to
}

// lossOfPair returns the squared error of red, green and blue, up to an additive constant. It is
// impossible if an endpoint is too bright.
func (f *fit) lossOfPair(p *pair) (loss int64) {
	for c := range 3 {
		if max(p[0][c], p[1][c]) > f.brightest {
			return impossible
		}
		loss += f.channelLoss(c, int64(p[0][c]), int64(p[1][c]))
	}
	return loss
}

// largestChannel returns the channel with the largest value.
func largestChannel(v *[3]int32) int {
	largest := 0
	for c, x := range v {
		if x > v[largest] {
			largest = c
		}
	}
	return largest
}

// roundLight is roundByKind for kindLight. It tries all forms.
func (f *fit) roundLight(span int, stored []uint8) (p pair, loss int64) {
	g, from, to := f.ascending()
	loss = impossible
	largest := largestChannel(&to)
	from[0], from[largest] = from[largest], from[0]
	to[0], to[largest] = to[largest], to[0]
	for i := range lightForms() {
		w := lightWriter{form: &lightForms()[i], order: &lightOrder, span: span, ok: true}
		w.v[1], w.v[2], w.v[3] = int32(i&1)<<7, int32(i>>1&1)<<7, int32(i>>2)<<7
		w.v[4], w.v[5] = int32(largest&1)<<7, int32(largest>>1)<<7
		if !w.writeLight(&from, &to) {
			continue
		}
		if q := directLightEnds(&w.v); g.lossOfPair(&q) < loss {
			loss, p = g.lossOfPair(&q), q
			copy(stored, w.codes[:])
		}
	}
	from[0], from[largest] = from[largest], from[0]
	to[0], to[largest] = to[largest], to[0]
	w := lightWriter{span: span, ok: true}
	for c := range 3 {
		shift, top := 4, int32(0)
		if c == 2 {
			shift, top = 5, 128
		}
		for k, v := range [2]int32{from[c], to[c]} {
			w.v[2*c+k] = top | min((v+1<<shift>>1)>>shift, maxLight>>shift)
			w.quantizeValue(uint8(2*c+k), uint8(top>>7))
		}
	}
	if q := directLightEnds(&w.v); w.ok && g.lossOfPair(&q) < loss {
		loss, p = g.lossOfPair(&q), q
		copy(stored, w.codes[:])
	}
	p[0][3], p[1][3] = oneLight, oneLight
	return p, loss
}

// writeLight sets all numbers of kindLight. Red of the second endpoint must be the largest channel.
// Each number compensates the quantization error of earlier numbers.
func (w *lightWriter) writeLight(from, to *[3]int32) bool {
	f := w.form
	w.setNumber(numberA, min((to[0]+1<<f.shift>>1)>>f.shift, 1<<f.size[numberA]-1))
	w.quantizeNumber(numberA)
	a := w.number(numberA) << f.shift
	w.setDistance(numberC, a-from[0])
	w.setDistance(numberB0, a-to[1])
	w.setDistance(numberB1, a-to[2])
	if !w.ok {
		return false
	}
	c := w.number(numberC) << f.shift
	for k, number := range [2]lightNumber{numberD0, numberD1} {
		distance := a - c - w.number(numberB0+lightNumber(k))<<f.shift - from[1+k]
		x := (distance + 1<<f.shift>>1) >> f.shift
		if limit := int32(1) << (f.size[number] - 1); x < -limit || x >= limit {
			return false
		}
		w.setNumber(number, x)
		w.quantizeNumber(number)
	}
	return w.ok
}

// roundLightShift is roundByKind for kindLightShift. It tries all forms.
func (f *fit) roundLightShift(span int, stored []uint8) (p pair, loss int64) {
	to, shift := f.shiftedEnds()
	loss = impossible
	largest := largestChannel(&to)
	to[0], to[largest] = to[largest], to[0]
	for i := range shiftForms() {
		w := lightWriter{form: &shiftForms()[i], order: &shiftOrder, span: span, ok: true}
		form := largest<<2 | i
		switch i {
		case 4:
			form = 12 | largest
		case 5:
			form = 15
		}
		w.v[0], w.v[1], w.v[2] = int32(form&3)<<6, int32(form>>2&1)<<7, int32(form>>3)<<7
		values := to
		if i == 5 { // this mode does not swap red with the largest channel
			values[0], values[largest] = values[largest], values[0]
		}
		if !w.writeShift(&values, shift, i == 5) {
			continue
		}
		if q := shiftEnds(&w.v); f.lossOfPair(&q) < loss {
			loss, p = f.lossOfPair(&q), q
			copy(stored, w.codes[:])
		}
	}
	p[0][3], p[1][3] = oneLight, oneLight
	return p, loss
}

// writeShift sets all numbers of kindLightShift.
func (w *lightWriter) writeShift(to *[3]int32, shift int32, absolute bool) bool {
	f := w.form
	w.setNumber(numberRed, min((to[0]+1<<f.shift>>1)>>f.shift, 1<<f.size[numberRed]-1))
	w.quantizeNumber(numberRed)
	red := w.number(numberRed) << f.shift
	for k, number := range [2]lightNumber{numberGreen, numberBlue} {
		if v := to[1+k]; absolute {
			w.setDistance(number, min(v, maxLight>>f.shift<<f.shift))
		} else {
			w.setDistance(number, red-v)
		}
	}
	w.setDistance(numberShift, shift)
	return w.ok
}

// shiftedEnds returns the second endpoint, and the distance of the first, with the smallest squared
// error if the distance is equal in all channels.
func (f *fit) shiftedEnds() (to [3]int32, shift int32) {
	all := float64(f.aa[0] + 2*f.ab[0] + f.bb[0])
	first := float64(f.aa[0] + f.ab[0])
	share := first / all
	sum := float64(f.a[0]+f.b[0]+f.a[1]+f.b[1]+f.a[2]+f.b[2]) / all
	over := float64(first*sum) - float64(f.a[0]+f.a[1]+f.a[2])
	under := 3 * (float64(f.aa[0]) - float64(first*share))
	distance := 0.0
	if under > 0 {
		distance = max(0, min(over/under, float64(f.brightest)))
	}
	for c := range to {
		v := float64(share*distance) + float64(f.a[c]+f.b[c])/all
		to[c] = int32(math.Floor(max(0, min(v, float64(f.brightest))) + 0.5))
	}
	return to, int32(math.Floor(distance + 0.5))
}

// roundLightRange is roundByKind for kindLightRange.
func (f *fit) roundLightRange(span int, stored []uint8) (p pair, loss int64) {
	g, from, to := f.ascending()
	scale := &colors[span]
	loss = impossible
	low0, high0 := ranksAround(span, float32(from[0])/16)
	low1, high1 := ranksAround(span, float32(to[0])/16)
	for _, x := range [2]uint8{low0, high0} {
		for _, y := range [2]uint8{low1, high1} {
			for range 2 {
				v := [8]int32{int32(scale.ranked[x]), int32(scale.ranked[y])}
				if q := lightEnds(kindLightRange, &v); g.lossOfPair(&q) < loss {
					loss, p = g.lossOfPair(&q), q
					stored[0], stored[1] = scale.sorted[x], scale.sorted[y]
				}
				x, y = y, x
			}
		}
	}
	return p, loss
}

// roundLightDetail is roundByKind for kindLightDetail. The loss is impossible if the endpoints are
// too far apart.
func (f *fit) roundLightDetail(span int, stored []uint8) (p pair, loss int64) {
	g, from, to := f.ascending()
	loss = impossible
	for _, shift := range [2]int32{1, 2} {
		w := lightWriter{span: span, ok: true}
		low := min((from[0]+shift)>>shift, maxLight>>shift)
		w.v[0] = (shift-1)<<7 | low&0x7f
		w.quantizeValue(0, 1)
		low = (low&^0x7f | w.v[0]&0x7f) << shift
		distance := max(0, (to[0]-low+shift)>>shift)
		if distance >= 8<<shift {
			continue
		}
		w.v[1] = low>>8<<4&(0x100-8<<shift) | distance
		if shift == 2 {
			w.v[1] = low>>9<<5 | distance
		}
		w.quantizeValue(1, uint8(5-shift))
		if q := lightEnds(kindLightDetail, &w.v); w.ok && g.lossOfPair(&q) < loss {
			loss, p = g.lossOfPair(&q), q
			stored[0], stored[1] = w.codes[0], w.codes[1]
		}
	}
	p[0][3], p[1][3] = oneLight, oneLight
	return p, loss
}
