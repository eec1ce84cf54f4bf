// Package byalpha lets encoders of texel blocks weight the error of a color by its alpha, so that
// invisible colors may change. The error of pixels is the sum of a*(dr^2+dg^2+db^2) + 255*da^2,
// with a from 0 to 255.
//
// An encoder that does not support weights approximates modified colors instead. Let p be the
// original color of a pixel, and q its currently decoded color. The modified color is q +
// a/255*(p-q). If the unweighted error for the modified color decreases, the weighted error for p
// decreases at least as much. This is because a/255 is at most 1 and the two errors have the same
// value and slope at q.
//
// So a block is encoded, decoded and encoded again, each time for new modified colors. The first q
// is the mean color. The unmodified pixels are tried, too.
//
// Pixels are RGBA of eight bits; the slices of a call must have equal lengths.
package byalpha

// Ask computes the modified colors to encode next and stores them in wanted. The parameters pixels
// and now are the original colors and the currently decoded colors.
func Ask(wanted, pixels, now []byte) {
	for i := 0; i < len(pixels); i += 4 {
		a := int(pixels[i+3])
		for c := i; c < i+3; c++ {
			q := int(now[c])
			wanted[c] = uint8((255*q + a*(int(pixels[c])-q) + 127) / 255)
		}
		wanted[i+3] = pixels[i+3]
	}
}

// Mean sets every color of dst to the mean color of pixels, weighted by alpha. It leaves alpha
// unchanged.
func Mean(dst, pixels []byte) {
	var sum [3]int
	weight := 0
	for i := 0; i < len(pixels); i += 4 {
		a := int(pixels[i+3])
		weight += a
		for c := range sum {
			sum[c] += a * int(pixels[i+c])
		}
	}
	for i := 0; i < len(pixels); i += 4 {
		for c := range sum {
			dst[i+c] = uint8((sum[c] + weight/2) / max(weight, 1))
		}
	}
}

// Error returns 255 times the weighted squared error of decoded pixels.
func Error(pixels, decoded []byte) (sse int64) {
	for i := 0; i < len(pixels); i += 4 {
		var color int64
		for c := i; c < i+3; c++ {
			d := int64(pixels[c]) - int64(decoded[c])
			color += d * d
		}
		d := int64(pixels[i+3]) - int64(decoded[i+3])
		sse += int64(pixels[i+3])*color + 255*d*d
	}
	return sse
}

// Search encodes a block again for the colors that Ask computes, as long as the error decreases,
// and at most the given number of times. block is the encoding of the unmodified pixels. The
// function encode must encode the pixels in the slice wanted. The function decode must store the
// pixels of an encoding in the slice decoded. Search returns the best encoding and its Error.
func Search[B any](pixels, decoded, wanted []byte, rounds int, block B, encode func() B, decode func(B)) (best B, least int64) {
	best = block
	decode(block)
	least = Error(pixels, decoded)
	Mean(decoded, pixels)
	for range rounds {
		Ask(wanted, pixels, decoded)
		other := encode()
		decode(other)
		sse := Error(pixels, decoded)
		if sse >= least {
			break
		}
		best, least = other, sse
	}
	return best, least
}
