package uastc

// encodeWeighed returns the best block found where a pixel's color counts as much as
// its alpha: the error is the sum of a*(dr^2+dg^2+db^2) + 255*da^2.
//
// The search for lines knows no weights. But let q be the color that a pixel has
// now, and ask for q + a/255*(p-q) in place of p: wherever the unweighed error of that
// falls, the weighed error of p falls at least as much, since a/255 is at most 1 and
// the two agree in value and slope at q. So a block is coded, decoded and coded again,
// each time for such colors. It begins with the mean color as q; the pixels as they
// are compete too.
func (e *encoder) encodeWeighed(pixels *[64]byte) [16]byte {
	block := e.encode(pixels)
	if !e.alpha {
		return block
	}
	var decoded, wanted [64]byte
	DecodeBlock(&decoded, &block)
	least := weighedError(pixels, &decoded)
	meanColor(&decoded, pixels)
	for range e.effort.rounds {
		weigh(&wanted, pixels, &decoded)
		other := e.encode(&wanted)
		DecodeBlock(&decoded, &other)
		sse := weighedError(pixels, &decoded)
		if sse >= least {
			break
		}
		block, least = other, sse
	}
	e.sse = least / 255
	return block
}

// weigh sets what is asked for in place of pixels that are now something else.
func weigh(wanted, pixels, now *[64]byte) {
	for i := 0; i < 64; i += 4 {
		a := int(pixels[i+3])
		for c := i; c < i+3; c++ {
			q := int(now[c])
			wanted[c] = uint8((255*q + a*(int(pixels[c])-q) + 127) / 255)
		}
		wanted[i+3] = pixels[i+3]
	}
}

// meanColor sets every pixel to the mean of the colors, weighed by alpha.
func meanColor(dst, pixels *[64]byte) {
	var sum [3]int
	weight := 0
	for i := 0; i < 64; i += 4 {
		a := int(pixels[i+3])
		weight += a
		for c := range sum {
			sum[c] += a * int(pixels[i+c])
		}
	}
	for i := 0; i < 64; i += 4 {
		for c := range sum {
			dst[i+c] = uint8((sum[c] + weight/2) / max(weight, 1))
		}
	}
}

// weighedError is 255 times the squared error, where color counts by alpha.
func weighedError(pixels, decoded *[64]byte) (sse int64) {
	for i := 0; i < 64; i += 4 {
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
