package source

import stdimage "image"

// yCbCr holds the factors that turn luma and chroma of ITU-R BT.601 into RGB,
// times 65536.
type yCbCr struct{ luma, bias, redV, greenU, greenV, blueU int32 }

// fullRange is what JPEG stores: 0 to 255 throughout. The numbers are those of
// color.YCbCrToRGB, which rounds by making luma a little larger.
func fullRange() yCbCr { return yCbCr{0x10101, 0, 91881, 22554, 46802, 116130} }

// reducedRange is what WebP stores: luma from 16 to 235 and chroma from 16 to
// 240. Package image takes it for full range, which is too pale.
func reducedRange() yCbCr {
	return yCbCr{76309, 1<<15 - 16*76309, 104597, 25675, 53279, 132201}
}

func (k *yCbCr) rgb(y, cb, cr uint8) (r, g, b uint8) {
	l, u, v := k.luma*int32(y)+k.bias, int32(cb)-128, int32(cr)-128
	return clamp(l + k.redV*v), clamp(l - k.greenU*u - k.greenV*v), clamp(l + k.blueU*u)
}

func clamp(x int32) uint8 { return uint8(max(0, min(255, x>>16))) }

// yCbCrRow returns the rows of a picture of luma and chroma.
func yCbCrRow(m *stdimage.YCbCr, k yCbCr) row[uint8] {
	left := m.Rect.Min.X
	shift := 0 // 1<<shift pixels beside each other share one chroma sample
	switch m.SubsampleRatio {
	case stdimage.YCbCrSubsampleRatio422, stdimage.YCbCrSubsampleRatio420:
		shift = 1
	case stdimage.YCbCrSubsampleRatio411, stdimage.YCbCrSubsampleRatio410:
		shift = 2
	}
	return func(dst []byte, y int) {
		luma := m.Y[m.YOffset(left, m.Rect.Min.Y+y):][:len(dst)/4]
		chroma := m.COffset(left, m.Rect.Min.Y+y)
		blue, red := m.Cb[chroma:], m.Cr[chroma:]
		for x, l := range luma {
			c := (left+x)>>shift - left>>shift
			r, g, b := k.rgb(l, blue[c], red[c])
			setOpaque(dst[4*x:], r, g, b)
		}
	}
}

// yCbCrARow is yCbCrRow for a picture with alpha.
func yCbCrARow(m *stdimage.NYCbCrA, k yCbCr) row[uint8] {
	colors := yCbCrRow(&m.YCbCr, k)
	return func(dst []byte, y int) {
		colors(dst, y)
		for i, a := range m.A[y*m.AStride:][:len(dst)/4] {
			dst[4*i+3] = a
		}
	}
}
