package astc

// encodeWeighed returns the best block found where a pixel's color counts as much as
// its alpha: the error is the sum of a*(dr^2+dg^2+db^2) + 255*da^2. It asks for other
// colors until the block is no better for them, as package bc7 does, which says why this
// leads to a lesser error.
func (e *encoder) encodeWeighed(pixels *[256]byte) [16]byte {
	block := e.encode(pixels)
	if e.opaque {
		return block
	}
	n := 4 * e.format.pixels
	var decoded, wanted [256]byte
	DecodeBlock(&decoded, &block, e.side, true)
	least := weighedError(pixels[:n], decoded[:n])
	meanColor(decoded[:n], pixels[:n])
	for range e.effort.weighings {
		weigh(wanted[:n], pixels[:n], decoded[:n])
		other := e.encode(&wanted)
		DecodeBlock(&decoded, &other, e.side, true)
		sse := weighedError(pixels[:n], decoded[:n])
		if sse >= least {
			break
		}
		block, least = other, sse
	}
	e.sse = least / 255
	return block
}

// weigh sets what is asked for in place of pixels that are now something else.
func weigh(wanted, pixels, now []byte) {
	for i := 0; i < len(pixels); i += 4 {
		a := int(pixels[i+3])
		for c := i; c < i+3; c++ {
			q := int(now[c])
			wanted[c] = uint8((255*q + a*(int(pixels[c])-q) + 127) / 255)
		}
		wanted[i+3] = pixels[i+3]
	}
}

// meanColor sets every pixel to the mean of the colors, weighed by alpha.
func meanColor(dst, pixels []byte) {
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

// weighedError is 255 times the squared error, where color counts by alpha.
func weighedError(pixels, decoded []byte) (sse int64) {
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
