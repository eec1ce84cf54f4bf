package source

import stdimage "image"

// Chroma that is stored at half the resolution is interpolated as the reference
// decoders do it by default, to the bit: libjpeg's "fancy" upsampling for JPEG
// (jdsample.c), the fancy upsampler of libwebp for WebP (dsp/upsampling.c). Both
// weight the nearer sample three to one, in each direction.

// An upsampler fills dst with one row of chroma out of the two stored rows that it
// lies between. Near and far may be the same row; below says that far is the lower
// one. dst has room for as many samples as near stands for, which may be one more
// than the picture is wide.
type upsampler func(dst, near, far []byte, below bool)

// jpegUpsampler returns the upsampler for chroma rows of n samples, each of which
// stands for across by down pixels. libjpeg replicates quarter resolution, and
// rows too short to have an inner sample.
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

// triangleAcross is h2v1_fancy_upsample: 3/4 and 1/4 of two samples, ties rounded
// down on the left and up on the right.
func triangleAcross(dst, near, _ []byte, _ bool) {
	last := len(near) - 1
	dst[0], dst[2*last+1] = near[0], near[last]
	for i := range last {
		a, b := uint32(near[i]), uint32(near[i+1])
		dst[2*i+1] = byte((3*a + b + 2) >> 2)
		dst[2*i+2] = byte((3*b + a + 1) >> 2)
	}
}

// triangleDown is h1v2_fancy_upsample.
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

// triangleBoth is h2v2_fancy_upsample.
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

// webpUpsample is UPSAMPLE_FUNC of libwebp, for one row.
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

// yCbCrRows returns the rows of a picture of luma and chroma whose upper left
// corner is at 0, 0. Each call may use what the last one returned.
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

// subsampling returns how many pixels beside and below each other share a sample
// of chroma.
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
