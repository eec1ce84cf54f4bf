package main

import (
	"fmt"
	"math/bits"
)

// encodeHDR returns a Radiance picture of w by h pixels with packed scan lines
// ("Radiance File Formats", section "Picture File Format"); w is 8..32767.
func encodeHDR(w, h int, at func(x, y int) radiance) []byte {
	out := fmt.Appendf(nil, "#?RADIANCE\n# Pebble Grand Prix\nFORMAT=32-bit_rle_rgbe\n\n-Y %d +X %d\n", h, w)
	for y := range h {
		out = append(out, 2, 2, byte(w>>8), byte(w))
		var planes [4][]byte // all reds of the line, all greens, blues, exponents
		for x := range w {
			for i, b := range rgbe(at(x, y)) {
				planes[i] = append(planes[i], b)
			}
		}
		for _, plane := range planes {
			out = append(out, hdrRuns(plane)...)
		}
	}
	return out
}

// rgbe packs light in 256ths: three mantissas, the largest of 128..255, and an
// exponent that they share, so that a mantissa m stands for m * 2^(e-136).
func rgbe(l radiance) [4]byte {
	top := max(l[0], l[1], l[2])
	if top <= 0 {
		return [4]byte{}
	}
	shift := bits.Len64(uint64(top)) - 8
	mantissa := func(v int64) byte {
		if shift < 0 {
			return byte(v << -shift)
		}
		return byte(v >> shift)
	}
	return [4]byte{mantissa(l[0]), mantissa(l[1]), mantissa(l[2]), byte(128 + shift)}
}

// hdrRuns packs a line of bytes: a count above 128 says that the next byte stands
// there count-128 times, any other how many bytes follow as they are. Runs of less
// than three are not worth a count.
func hdrRuns(line []byte) []byte {
	var out, plain []byte
	flush := func() {
		for len(plain) > 0 {
			n := min(len(plain), 128)
			out = append(append(out, byte(n)), plain[:n]...)
			plain = plain[n:]
		}
	}
	for i := 0; i < len(line); {
		n := 1
		for n < 127 && i+n < len(line) && line[i+n] == line[i] {
			n++
		}
		if n < 3 {
			plain = append(plain, line[i:i+n]...)
		} else {
			flush()
			out = append(out, byte(128+n), line[i])
		}
		i += n
	}
	flush()
	return out
}
