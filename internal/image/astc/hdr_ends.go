package astc

import (
	"strings"
	"sync"
)

// The color endpoint modes for high dynamic range, by number. The endpoints of all but kindLightRange
// and kindLightDetail have red, green and blue.
const (
	kindLightRange  = 2  // gray with a large range
	kindLightDetail = 3  // gray with a small range
	kindLightShift  = 7  // endpoints that differ by one number in all channels
	kindLight       = 11 // any two endpoints
	kindLightAlpha  = 14 // kindLight, and alpha from 0 to 1
	kindLightLight  = 15 // kindLight, and alpha of high dynamic range
)

// isLight reports whether an endpoint mode has colors of high dynamic range.
func isLight(kind uint8) bool {
	return kind == kindLightRange || kind == kindLightDetail || kind == kindLightShift || kind == kindLight || kind >= kindLightAlpha
}

// oneLight is the endpoint value of 1, and maxLight is the largest endpoint value. Endpoints of high
// dynamic range have 12 bits: five bits of exponent, and seven of a fraction.
const (
	oneLight = 0x780
	maxLight = 0xfff
)

// A lightNumber is one of the numbers that encode the endpoints of kindLight and kindLightShift.
type lightNumber uint8

// The numbers of kindLight: the largest channel of the second endpoint, the distances of its two
// other channels from the largest, the distance of the first endpoint, and its additional distances
// in the two other channels. The numbers of kindLightShift: red, green, blue, and the distance
// between the endpoints.
const (
	numberA  lightNumber = 0
	numberB0 lightNumber = 1
	numberB1 lightNumber = 2
	numberC  lightNumber = 3
	numberD0 lightNumber = 4
	numberD1 lightNumber = 5

	numberRed   lightNumber = 0
	numberGreen lightNumber = 1
	numberBlue  lightNumber = 2
	numberShift lightNumber = 3
)

// A lightForm says how an endpoint mode divides its bits among its numbers.
type lightForm struct {
	shift  uint8
	size   [6]uint8   // bits of each number
	direct [6]uint8   // number of its lowest bits that are stored in its own value
	own    [6]uint8   // number of lowest bits of its own value that belong to the number
	extra  []lightBit // number and bit stored in each remaining bit of the values
}

// A lightBit is a bit of a value that stores a bit of another number.
type lightBit struct {
	value, at uint8 // index of the value, and the bit in it
	number    lightNumber
	bit       uint8
}

// lightForms and shiftForms hold the forms of kindLight and of kindLightShift, by number. Source:
// Khronos Data Format Specification 1.4, chapter 23, "HDR Endpoint Decoding".
var (
	lightForms = sync.OnceValue(func() *[8]lightForm {
		var forms [8]lightForm
		// The bits are in the order v2.6 v3.6 v4.6 v5.6 v4.5 v5.5.
		places := [...][2]uint8{{2, 6}, {3, 6}, {4, 6}, {5, 6}, {4, 5}, {5, 5}}
		for i, bits := range [...]string{
			"1.6 2.6 4.6 5.6 4.5 5.5", "1.6 2.6 1.7 2.7 4.5 5.5", "0.9 3.6 4.6 5.6 4.5 5.5", "1.6 2.6 0.9 3.6 4.5 5.5",
			"1.6 2.6 1.7 2.7 0.9 0.10", "0.9 0.10 3.7 3.6 4.5 5.5", "1.6 2.6 0.11 3.6 0.9 0.10", "0.9 0.10 0.11 3.6 4.5 5.5",
		} {
			forms[i] = newLightForm(uint8(3-i/2), [6]uint8{8, 6, 6, 6, 5, 5}, &lightOrder, places[:], bits)
			forms[i].extra = append(forms[i].extra, lightBit{1, 6, numberA, 8})
			forms[i].size[numberA] = max(forms[i].size[numberA], 9)
		}
		return &forms
	})
	shiftForms = sync.OnceValue(func() *[6]lightForm {
		var forms [6]lightForm
		// The bits are in the order v1.6 v1.5 v2.6 v2.5 v3.7 v3.6 v3.5.
		places := [...][2]uint8{{1, 6}, {1, 5}, {2, 6}, {2, 5}, {3, 7}, {3, 6}, {3, 5}}
		for i, bits := range [...]string{
			"0.9 0.8 0.7 0.10 0.6 3.6 3.5", "0.8 1.5 0.7 2.5 0.6 0.10 0.9", "0.9 0.8 0.7 0.6 3.7 3.6 3.5",
			"0.8 1.5 0.7 2.5 0.6 3.6 3.5", "1.6 1.5 2.6 2.5 0.6 0.7 3.5", "1.6 1.5 2.6 2.5 0.6 3.6 3.5",
		} {
			forms[i] = newLightForm([6]uint8{1, 1, 2, 3, 4, 5}[i], [6]uint8{6, 5, 5, 5}, &shiftOrder, places[:], bits)
		}
		return &forms
	})
)

// newLightForm returns a form. The parameter bits names, for each remaining bit of the values, the
// number and the bit that it stores.
func newLightForm(shift uint8, direct [6]uint8, order *[6]uint8, places [][2]uint8, bits string) lightForm {
	f := lightForm{shift: shift, size: direct, direct: direct, own: direct}
	for i, word := range strings.Fields(bits) {
		number, bit, _ := strings.Cut(word, ".")
		b := lightBit{places[i][0], places[i][1], lightNumber(number[0] - '0'), 0}
		for _, digit := range bit {
			b.bit = 10*b.bit + uint8(digit-'0')
		}
		f.extra = append(f.extra, b)
		f.size[b.number] = max(f.size[b.number], b.bit+1)
	}
	for at := uint8(5); at < 8; at++ {
		for _, b := range f.extra {
			if b.value == order[b.number] && b.at == at && b.bit == at && f.own[b.number] == at {
				f.own[b.number]++
			}
		}
	}
	return f
}

// readNumbers returns the numbers that the values of an endpoint mode store. For each number, order
// has the index of the value with its lowest bits.
func (f *lightForm) readNumbers(v *[8]int32, order *[6]uint8) (n [6]int32) {
	for i, size := range f.direct {
		if size > 0 {
			n[i] = v[order[i]] & (1<<size - 1)
		}
	}
	for _, b := range f.extra {
		n[b.number] |= v[b.value] >> b.at & 1 << b.bit
	}
	return n
}

// For each number of kindLight and of kindLightShift, the index of the value that stores its lowest
// bits.
var (
	lightOrder = [6]uint8{0, 2, 3, 1, 4, 5}
	shiftOrder = [6]uint8{0, 1, 2, 3}
)

// lightEnds decodes the two endpoints of an endpoint mode of high dynamic range, as 12-bit values.
// The alpha of kindLightAlpha is not decoded.
func lightEnds(kind uint8, v *[8]int32) (p pair) {
	switch kind {
	case kindLightRange:
		low, high := v[0]<<4, v[1]<<4
		if v[1] < v[0] {
			low, high = v[1]<<4+8, v[0]<<4-8
		}
		p = pair{{low, low, low}, {high, high, high}}
	case kindLightDetail:
		low, distance := v[1]&0xf0<<4|v[0]&0x7f<<1, v[1]&0xf<<1
		if v[0]&0x80 != 0 {
			low, distance = v[1]&0xe0<<4|v[0]&0x7f<<2, v[1]&0x1f<<2
		}
		high := min(low+distance, maxLight)
		p = pair{{low, low, low}, {high, high, high}}
	case kindLightShift:
		p = shiftEnds(v)
	default:
		p = directLightEnds(v)
	}
	p[0][3], p[1][3] = oneLight, oneLight
	if kind == kindLightLight {
		p[0][3], p[1][3] = lightAlphas(v[6], v[7])
	}
	return p
}

// shiftEnds decodes the endpoints of kindLightShift.
func shiftEnds(v *[8]int32) (p pair) {
	form, largest := v[0]>>6&3|v[1]>>7<<2|v[2]>>7<<3, int32(0)
	switch {
	case form&12 != 12:
		form, largest = form&3, form>>2
	case form != 15:
		form, largest = 4, form&3
	default:
		form = 5
	}
	f := &shiftForms()[form]
	n := f.readNumbers(v, &shiftOrder)
	return f.shiftPair(&n, largest, form == 5)
}

// shiftPair returns the endpoints of kindLightShift for its numbers. Green and blue are distances
// from red unless absolute is set. Finally, red is swapped with the largest channel.
func (f *lightForm) shiftPair(n *[6]int32, largest int32, absolute bool) (p pair) {
	red, green, blue := n[numberRed]<<f.shift, n[numberGreen]<<f.shift, n[numberBlue]<<f.shift
	if !absolute {
		green, blue = red-green, red-blue
	}
	distance := n[numberShift] << f.shift
	p = pair{{red - distance, green - distance, blue - distance}, {red, green, blue}}
	p.swapRed(largest)
	p.clampLight()
	return p
}

// directLightEnds decodes the endpoints of kindLight.
func directLightEnds(v *[8]int32) (p pair) {
	largest := v[4]>>7 | v[5]>>7<<1
	if largest == 3 {
		return pair{{v[0] << 4, v[2] << 4, v[4] & 0x7f << 5}, {v[1] << 4, v[3] << 4, v[5] & 0x7f << 5}}
	}
	f := &lightForms()[v[1]>>7|v[2]>>7<<1|v[3]>>7<<2]
	n := f.readNumbers(v, &lightOrder)
	return f.directPair(&n, largest)
}

// directPair returns the endpoints of kindLight for its numbers.
func (f *lightForm) directPair(n *[6]int32, largest int32) (p pair) {
	a, b0, b1, c := n[numberA]<<f.shift, n[numberB0]<<f.shift, n[numberB1]<<f.shift, n[numberC]<<f.shift
	d0, d1 := f.signedNumber(n, numberD0)<<f.shift, f.signedNumber(n, numberD1)<<f.shift
	p = pair{{a - c, a - b0 - c - d0, a - b1 - c - d1}, {a, a - b0, a - b1}}
	p.swapRed(largest)
	p.clampLight()
	return p
}

// signedNumber returns a number in two's complement.
func (f *lightForm) signedNumber(n *[6]int32, number lightNumber) int32 {
	unused := 32 - f.size[number]
	return n[number] << unused >> unused
}

// swapRed swaps red with another channel, which is given by number.
func (p *pair) swapRed(channel int32) {
	for i := range p {
		p[i][0], p[i][channel] = p[i][channel], p[i][0]
	}
}

func (p *pair) clampLight() {
	for i := range p {
		for c, v := range p[i] {
			p[i][c] = max(0, min(v, maxLight))
		}
	}
}

// lightAlphas decodes the alpha of two endpoints of high dynamic range.
func lightAlphas(a, b int32) (low, high int32) {
	form := a>>7 | b>>7<<1
	a, b = a&0x7f, b&0x7f
	if form == 3 {
		return a << 5, b << 5
	}
	a |= b << (form + 1) & 0x780
	b = (b&(0x3f>>form) ^ 0x20>>form) - 0x20>>form
	low = a << (4 - form)
	return low, max(0, min(low+b<<(4-form), maxLight))
}
