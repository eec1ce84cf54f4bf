package source

// jpegColors turns rows of luma and chroma of ITU-R BT.601 in full range into RGB
// as libjpeg does (jdcolor.c): factors times 65536, rounded to the nearest.
func jpegColors(dst, luma, blue, red []byte) {
	blue, red = blue[:len(luma)], red[:len(luma)]
	for i, y := range luma {
		l, u, v := int32(y)<<16+1<<15, int32(blue[i])-128, int32(red[i])-128
		setOpaque(dst[4*i:], clamp(l+91881*v, 16), clamp(l-22554*u-46802*v, 16), clamp(l+116130*u, 16))
	}
}

// webpColors does so for WebP as libwebp does (dsp/yuv.h): luma is 16 to 235 and
// chroma 16 to 240, in products of which eight bits are dropped, with six left
// behind the point.
func webpColors(dst, luma, blue, red []byte) {
	blue, red = blue[:len(luma)], red[:len(luma)]
	for i, y := range luma {
		l, u, v := 19077*int32(y)>>8, int32(blue[i]), int32(red[i])
		setOpaque(dst[4*i:],
			clamp(l+26149*v>>8-14234, 6),
			clamp(l-6419*u>>8-13320*v>>8+8708, 6),
			clamp(l+33050*u>>8-17685, 6))
	}
}

// clamp drops bits behind the point and cuts the rest off at 0 and 255.
func clamp(x int32, bits int) uint8 { return uint8(max(0, min(255, x>>bits))) }
