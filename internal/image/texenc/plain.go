package texenc

import (
	"context"
	"encoding/binary"

	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/texture"
)

// texelsBetweenLooks is how many texels are written between two looks at the
// context: less than a millisecond's worth.
const texelsBetweenLooks = 1 << 14

// appendTexels writes the formats that pack no blocks.
func appendTexels(ctx context.Context, out []byte, f texture.Format, m *pixmap.Map, o Options) ([]byte, error) {
	if f == texture.RGBA8 && m.Pix8 != nil {
		return append(out, m.Pix8...), nil
	}
	r := newReader(m, o.SRGB && f.HasSRGB())
	linear := newLinearReader(m, o.SRGB)
	for i := 0; i < 4*m.W*m.H; i += 4 {
		if i/4%texelsBetweenLooks == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
		switch f {
		case texture.R8:
			out = append(out, r.byteAt(i))
		case texture.RG8:
			out = append(out, r.byteAt(i), r.byteAt(i+1))
		case texture.RGBA8:
			out = append(out, r.byteAt(i), r.byteAt(i+1), r.byteAt(i+2), r.byteAt(i+3))
		case texture.RGB10A2:
			word := r.stepAt(i, 1023) | r.stepAt(i+1, 1023)<<10 | r.stepAt(i+2, 1023)<<20 | r.stepAt(i+3, 3)<<30
			out = binary.LittleEndian.AppendUint32(out, word)
		case texture.RGBA16F:
			for k := range 4 {
				out = binary.LittleEndian.AppendUint16(out, half(linear.at(i+k), true))
			}
		}
	}
	return out, nil
}

// A linearReader reads the numbers of a map as linear light, 1 being white.
type linearReader struct {
	m     *pixmap.Map
	light *curve // of bytes, if they are sRGB
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

// at returns the i-th number; every fourth is alpha, which has no curve.
func (r *linearReader) at(i int) float32 {
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
