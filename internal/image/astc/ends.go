package astc

// The kinds of ends that blocks without high dynamic range have, by the number of the
// color endpoint mode.
const (
	kindGray          = 0
	kindGrayOffset    = 1
	kindGrayAlpha     = 4
	kindRGBScale      = 6
	kindRGB           = 8
	kindRGBOffset     = 9
	kindRGBScaleAlpha = 10
	kindRGBA          = 12
	kindRGBAOffset    = 13
)

// A pair is the two ends of a line of colors, RGBA.
type pair [2][4]int32

// endsOf returns the ends that a kind makes of values from 0 to 255. It returns false for
// kinds of high dynamic range.
// Source: Khronos Data Format Specification 1.4, chapter 23, "LDR Endpoint Decoding".
func endsOf(kind uint8, v *[8]int32) (p pair, ok bool) {
	switch kind {
	case 0:
		p = pair{{v[0], v[0], v[0], 255}, {v[1], v[1], v[1], 255}}
	case 1:
		low := v[0]>>2 | v[1]&0xc0
		high := min(low+v[1]&0x3f, 255)
		p = pair{{low, low, low, 255}, {high, high, high, 255}}
	case 4:
		p = pair{{v[0], v[0], v[0], v[2]}, {v[1], v[1], v[1], v[3]}}
	case 5:
		a, b := transfer(v[1], v[0])
		c, d := transfer(v[3], v[2])
		p = pair{{b, b, b, d}, {a + b, a + b, a + b, c + d}}
		p.clamp()
	case 6, 10:
		p = pair{{v[0] * v[3] >> 8, v[1] * v[3] >> 8, v[2] * v[3] >> 8, 255}, {v[0], v[1], v[2], 255}}
		if kind == 10 {
			p[0][3], p[1][3] = v[4], v[5]
		}
	case 8, 12:
		p = pair{{v[0], v[2], v[4], 255}, {v[1], v[3], v[5], 255}}
		if kind == 12 {
			p[0][3], p[1][3] = v[6], v[7]
		}
		if v[1]+v[3]+v[5] < v[0]+v[2]+v[4] {
			p.contract()
		}
	case 9, 13:
		var offset int32
		for i := range 3 {
			a, b := transfer(v[2*i+1], v[2*i])
			p[0][i], p[1][i] = b, a+b
			offset += a
		}
		p[0][3], p[1][3] = 255, 255
		if kind == 13 {
			a, b := transfer(v[7], v[6])
			p[0][3], p[1][3] = b, a+b
		}
		if offset < 0 {
			p.contract()
		}
		p.clamp()
	default:
		return p, false
	}
	return p, true
}

// transfer is bit_transfer_signed: the top bit of a goes to b, and a becomes an offset of
// -32 to 31.
func transfer(a, b int32) (offset, base int32) {
	return (a>>1&0x3f ^ 0x20) - 0x20, b>>1 | a&0x80
}

// contract swaps the ends, and halves the distance of red and green from blue.
func (p *pair) contract() {
	p[0], p[1] = p[1], p[0]
	for i := range p {
		e := &p[i]
		e[0], e[1] = (e[0]+e[2])>>1, (e[1]+e[2])>>1
	}
}

func (p *pair) clamp() {
	for i := range p {
		for c, v := range p[i] {
			p[i][c] = max(0, min(v, 255))
		}
	}
}
