package source

import stdimage "image"

// Chroma at half resolution is interpolated exactly as the reference decoders do by default. For
// JPEG this is the "fancy" upsampling of libjpeg (jdsample.c), and for WebP the upsampling of
// libwebp (dsp/upsampling.c). In each direction, the nearer sample has three times the weight of the
// farther sample.

// An upsampler fills dst with one row of chroma, interpolated from the two nearest stored rows.
// near and far may be the same row. below is set if far is the lower row. dst must have room for
// all pixels that near covers, which may be one more than the image's width.
type upsampler func(dst, near, far []byte, below bool)

// jpegUpsampler returns the upsampler for rows of n chroma samples. A sample covers a rectangle of
// pixels, across wide and down high. Like libjpeg, the upsampler replicates samples at quarter
// resolution, and in rows that are too short to have an inner sample.
func jpegUpsampler(n, across, down int) upsampler {
	switch {
	case across == 2 && down == 2 && n > 2:
		return triangleBoth
	case across == 2 && down == 1 && n > 2:
		return triangleAcross
	case across == 1 && down == 2:
		return triangleDown
	}
	return func(dst, near, _ []byte, _ bool) {
		for i := range dst {
			dst[i] = near[i/across]
		}
	}
}

// triangleAcross is h2v1_fancy_upsample of libjpeg. It weights two samples by 3/4 and 1/4. Ties are
// rounded down on the left and up on the right.
func triangleAcross(dst, near, _ []byte, _ bool) {
	last := len(near) - 1
	dst[0], dst[2*last+1] = near[0], near[last]
	for i := range last {
		a, b := uint32(near[i]), uint32(near[i+1])
		dst[2*i+1] = byte((3*a + b + 2) >> 2)
		dst[2*i+2] = byte((3*b + a + 1) >> 2)
	}
}

// triangleDown is h1v2_fancy_upsample of libjpeg.
func triangleDown(dst, near, far []byte, below bool) {
	bias := uint32(1)
	if below {
		bias = 2
	}
	far = far[:len(near)]
	for i, v := range near {
		dst[i] = byte((3*uint32(v) + uint32(far[i]) + bias) >> 2)
	}
}

// triangleBoth is h2v2_fancy_upsample of libjpeg.
func triangleBoth(dst, near, far []byte, _ bool) {
	last := len(near) - 1
	far = far[:len(near)]
	a := 3*uint32(near[0]) + uint32(far[0])
	dst[0] = byte((4*a + 8) >> 4)
	for i := range last {
		b := 3*uint32(near[i+1]) + uint32(far[i+1])
		dst[2*i+1] = byte((3*a + b + 7) >> 4)
		dst[2*i+2] = byte((3*b + a + 8) >> 4)
		a = b
	}
	dst[2*last+1] = byte((4*a + 7) >> 4)
}

// webpUpsample is UPSAMPLE_FUNC of libwebp for one row.
func webpUpsample(dst, near, far []byte, _ bool) {
	last := len(near) - 1
	far = far[:len(near)]
	n, f := uint32(near[0]), uint32(far[0])
	dst[0] = byte((3*n + f + 2) >> 2)
	for i := range last {
		n1, f1 := uint32(near[i+1]), uint32(far[i+1])
		sum := n + n1 + f + f1 + 8
		dst[2*i+1] = byte(((sum+2*(n1+f))>>3 + n) >> 1)
		dst[2*i+2] = byte(((sum+2*(n+f1))>>3 + n1) >> 1)
		n, f = n1, f1
	}
	dst[2*last+1] = byte((3*n + f + 2) >> 2)
}

// yCbCrRows returns a function that converts the rows of an image of luma and chroma. The upper
// left corner of the image must be at 0, 0.
func yCbCrRows(m *stdimage.YCbCr, up func(n, across, down int) upsampler, colors func(dst, y, cb, cr []byte)) row[uint8] {
	across, down := subsampling(m.SubsampleRatio)
	w, h := m.Rect.Dx(), m.Rect.Dy()
	n, rows := (w+across-1)/across, (h+down-1)/down
	chroma := func(plane []byte, y int) []byte { return plane[y*m.CStride:][:n] }
	if across == 1 && down == 1 {
		return func(dst []byte, y int) { colors(dst, m.Y[y*m.YStride:][:w], chroma(m.Cb, y), chroma(m.Cr, y)) }
	}
	upsample := up(n, across, down)
	cb, cr := make([]byte, n*across), make([]byte, n*across)
	return func(dst []byte, y int) {
		near, below := y/down, y%down > 0
		far := max(0, near-1)
		if below {
			far = min(rows-1, near+1)
		}
		upsample(cb, chroma(m.Cb, near), chroma(m.Cb, far), below)
		upsample(cr, chroma(m.Cr, near), chroma(m.Cr, far), below)
		colors(dst, m.Y[y*m.YStride:][:w], cb[:w], cr[:w])
	}
}

// subsampling returns the number of pixels that share a chroma sample, horizontally and vertically.
func subsampling(r stdimage.YCbCrSubsampleRatio) (across, down int) {
	switch r {
	case stdimage.YCbCrSubsampleRatio422:
		return 2, 1
	case stdimage.YCbCrSubsampleRatio420:
		return 2, 2
	case stdimage.YCbCrSubsampleRatio440:
		return 1, 2
	case stdimage.YCbCrSubsampleRatio411:
		return 4, 1
	case stdimage.YCbCrSubsampleRatio410:
		return 4, 2
	}
	return 1, 1
}

// jpegColors converts rows of full-range luma and chroma (ITU-R BT.601) to RGB as libjpeg does
// (jdcolor.c). The factors are scaled by 65536 and rounded to nearest.
func jpegColors(dst, luma, blue, red []byte) {
	blue, red = blue[:len(luma)], red[:len(luma)]
	for i, y := range luma {
		l, u, v := int32(y)<<16+1<<15, int32(blue[i])-128, int32(red[i])-128
		setOpaque(dst[4*i:], clampFraction(l+91881*v, 16), clampFraction(l-22554*u-46802*v, 16), clampFraction(l+116130*u, 16))
	}
}

// webpColors converts rows to RGB as libwebp does (dsp/yuv.h). Luma ranges from 16 to 235, and
// chroma from 16 to 240. The low eight bits of each product are dropped, and six fractional bits
// remain.
func webpColors(dst, luma, blue, red []byte) {
	blue, red = blue[:len(luma)], red[:len(luma)]
	for i, y := range luma {
		l, u, v := 19077*int32(y)>>8, int32(blue[i]), int32(red[i])
		setOpaque(dst[4*i:],
			clampFraction(l+26149*v>>8-14234, 6),
			clampFraction(l-6419*u>>8-13320*v>>8+8708, 6),
			clampFraction(l+33050*u>>8-17685, 6))
	}
}

// clampFraction drops the given number of fractional bits and limits the result to 0 to 255.
func clampFraction(x int32, bits int) uint8 { return uint8(max(0, min(255, x>>bits))) }
