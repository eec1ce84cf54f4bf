package texenc

import (
	"context"
	"encoding/binary"
	"math"
	"sort"
	"sync"

	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/texture"
)

// texelsBetweenLooks is the number of texels written between two checks of the context. They take
// less than a millisecond.
const texelsBetweenLooks = 1 << 14

// appendTexels appends texels in the uncompressed formats to out.
func appendTexels(ctx context.Context, out []byte, f texture.Format, m *pixmap.Map, o Options) ([]byte, error) {
	if f == texture.RGBA8 && m.Pix8 != nil {
		return append(out, m.Pix8...), nil
	}
	r := newTexelReader(m, o.SRGB && f.HasSRGB())
	linear := newLinearReader(m, o.SRGB)
	for i := 0; i < 4*m.W*m.H; i += 4 {
		if i/4%texelsBetweenLooks == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
		switch f {
		case texture.R8:
			out = append(out, r.roundedByte(i))
		case texture.RG8:
			out = append(out, r.roundedByte(i), r.roundedByte(i+1))
		case texture.RGBA8:
			out = append(out, r.roundedByte(i), r.roundedByte(i+1), r.roundedByte(i+2), r.roundedByte(i+3))
		case texture.RGB10A2:
			word := r.stepAt(i, 1023) | r.stepAt(i+1, 1023)<<10 | r.stepAt(i+2, 1023)<<20 | r.stepAt(i+3, 3)<<30
			out = binary.LittleEndian.AppendUint32(out, word)
		case texture.R16, texture.RG16, texture.RGBA16:
			for k := range len(f.Channels()) {
				out = binary.LittleEndian.AppendUint16(out, uint16(r.stepAt(i+k, 65535)))
			}
		case texture.R16F:
			out = binary.LittleEndian.AppendUint16(out, halfFloat(linear.numberAt(i), true))
		case texture.R32F:
			out = binary.LittleEndian.AppendUint32(out, math.Float32bits(linear.numberAt(i)))
		case texture.RGBA16F:
			for k := range 4 {
				out = binary.LittleEndian.AppendUint16(out, halfFloat(linear.numberAt(i+k), true))
			}
		}
	}
	return out, nil
}

// A linearReader reads the values of a map as linear light, where 1 is white.
type linearReader struct {
	m     *pixmap.Map
	light *curve // transfer function of bytes if they are sRGB
	wide  *[1 << 16]float32
}

func newLinearReader(m *pixmap.Map, srgb bool) *linearReader {
	r := &linearReader{m: m}
	switch {
	case !srgb:
	case m.Pix8 != nil:
		r.light = srgbCurve()
	case m.Pix16 != nil:
		r.wide = wideLight()
	}
	return r
}

// numberAt returns value i of the map. Every fourth value is alpha, which is always linear.
func (r *linearReader) numberAt(i int) float32 {
	switch {
	case r.m.PixF != nil:
		return r.m.PixF[i]
	case r.m.Pix16 != nil && r.wide != nil && i%4 < 3:
		return r.wide[r.m.Pix16[i]]
	case r.m.Pix16 != nil:
		return float32(r.m.Pix16[i]) / 65535
	case r.light != nil && i%4 < 3:
		return r.light.light[r.m.Pix8[i]]
	}
	return float32(r.m.Pix8[i]) / 255
}

// A curve holds tables for the transfer function of sRGB (IEC 61966-2-1).
type curve struct {
	light [256]float32 // linear light of each byte
	from  [256]float32 // smallest light that is rounded to each byte
}

// srgbCurve has the same values on every processor; see pixmap.ToLinear.
var srgbCurve = sync.OnceValue(func() *curve {
	c := new(curve)
	for i := range c.light {
		c.light[i] = float32(pixmap.ToLinear(float64(i) / 255))
		if i > 0 {
			c.from[i] = float32(pixmap.ToLinear((float64(i) - 0.5) / 255))
		}
	}
	return c
})

// wideLight holds the linear light of each 16-bit sRGB value.
var wideLight = sync.OnceValue(func() *[1 << 16]float32 {
	t := new([1 << 16]float32)
	for i := range t {
		t[i] = float32(pixmap.ToLinear(float64(i) / 65535))
	}
	return t
})

// byteOfLight returns the sRGB byte nearest to linear light.
func (c *curve) byteOfLight(light float32) byte {
	if !(light > 0) { // the condition is also true for NaN
		return 0
	}
	return byte(sort.Search(255, func(i int) bool { return light < c.from[i+1] }))
}

// halfFloat returns v as a half-precision float, rounded to nearest, ties to even. It limits v to
// the largest finite value and, unless signed is set, to values of at least 0. NaN becomes 0.
func halfFloat(v float32, signed bool) uint16 {
	const largest = 65504
	sign := uint16(0)
	if v < 0 && signed {
		sign, v = 0x8000, -v
	}
	if !(v > 0) {
		return 0
	}
	bits := math.Float32bits(min(v, largest))
	exponent, fraction := int(bits>>23)-127, uint64(bits&(1<<23-1)|1<<23)
	shift := 13
	if exponent < -14 { // v is subnormal or too small
		shift += -14 - exponent
		exponent = -15
	}
	if shift > 24 { // v is below half of the smallest subnormal value
		return sign
	}
	rounded := fraction >> shift
	rest := fraction & (1<<shift - 1)
	if middle := uint64(1) << (shift - 1); rest > middle || rest == middle && rounded&1 == 1 {
		rounded++
	}
	if exponent == -15 {
		return sign | uint16(rounded) // a carry to 1<<10 gives the smallest normal value
	}
	// The leading bit increments the exponent. A carry from rounding increments it once more.
	return sign | uint16(uint64(exponent+14)<<10+rounded)
}

// A reader reads the pixels of a map of any depth as values from 0 to 255.
type reader struct {
	m     *pixmap.Map
	curve *curve // sRGB curve to apply to floats
}

func newTexelReader(m *pixmap.Map, srgb bool) *reader {
	r := &reader{m: m}
	if srgb && m.PixF != nil {
		r.curve = srgbCurve()
	}
	return r
}

// readTexels reads the pixels of the block whose upper left pixel is at x, y.
func (r *reader) readTexels(b *block, x, y int) {
	for j := range 4 {
		row := r.m.W * min(y+j, r.m.H-1)
		for i := range 4 {
			at, to := 4*(row+min(x+i, r.m.W-1)), 4*j+i
			switch {
			case r.m.Pix8 != nil:
				p := r.m.Pix8[at : at+4 : at+4]
				b[0][to], b[1][to], b[2][to], b[3][to] = float32(p[0]), float32(p[1]), float32(p[2]), float32(p[3])
			case r.m.Pix16 != nil:
				for k, v := range r.m.Pix16[at : at+4] {
					b[k][to] = float32(v) / 257
				}
			default:
				for k, v := range r.m.PixF[at : at+4] {
					b[k][to] = r.ofFloat(v, k)
				}
			}
		}
	}
}

// ofFloat converts value v of channel k of a float map to a value from 0 to 255.
func (r *reader) ofFloat(v float32, k int) float32 {
	if r.curve != nil && k < 3 {
		return float32(r.curve.byteOfLight(v))
	}
	return float32(clampUnit(v) * 255)
}

// clampUnit clamps v to 0 and 1. NaN becomes 0.
func clampUnit(v float32) float32 {
	if !(v > 0) {
		return 0
	}
	return min(v, 1)
}

// roundedByte returns value i of the map, rounded to eight bits.
func (r *reader) roundedByte(i int) byte {
	switch {
	case r.m.Pix8 != nil:
		return r.m.Pix8[i]
	case r.m.Pix16 != nil:
		return byte((uint32(r.m.Pix16[i]) + 128) / 257)
	}
	return byte(r.ofFloat(r.m.PixF[i], i%4) + 0.5)
}

// stepAt returns value i of the map, quantized to an integer from 0 to top, which is at most 65535.
// Floats stay linear.
func (r *reader) stepAt(i int, top uint32) uint32 {
	switch {
	case r.m.Pix8 != nil:
		return (uint32(r.m.Pix8[i])*top*2 + 255) / 510
	case r.m.Pix16 != nil:
		return uint32((uint64(r.m.Pix16[i])*uint64(top)*2 + 65535) / 131070)
	}
	return uint32(float64(float64(clampUnit(r.m.PixF[i]))*float64(top)) + 0.5)
}
