package vp8

// A tile holds the pixels of a block of 4 by 4 pixels, row by row.
type tile [16]uint8

// A spectrum holds the coefficients of a block, row by row.
type spectrum [16]int32

// forwardDCT transforms the difference of source and prediction. It is the inverse of addResidual,
// apart from rounding.
func forwardDCT(src, pred *tile, out *spectrum) {
	var rows spectrum
	for i := 0; i < 16; i += 4 {
		d0, d1 := int32(src[i])-int32(pred[i]), int32(src[i+1])-int32(pred[i+1])
		d2, d3 := int32(src[i+2])-int32(pred[i+2]), int32(src[i+3])-int32(pred[i+3])
		a0, a1, a2, a3 := d0+d3, d1+d2, d1-d2, d0-d3
		rows[i] = (a0 + a1) * 8
		rows[i+1] = (a2*2217 + a3*5352 + 1812) >> 9
		rows[i+2] = (a0 - a1) * 8
		rows[i+3] = (a3*2217 - a2*5352 + 937) >> 9
	}
	for i := range 4 {
		a0, a1, a2, a3 := rows[i]+rows[12+i], rows[4+i]+rows[8+i], rows[4+i]-rows[8+i], rows[i]-rows[12+i]
		out[i] = (a0 + a1 + 7) >> 4
		out[4+i] = (a2*2217 + a3*5352 + 12000) >> 16
		if a3 != 0 {
			out[4+i]++
		}
		out[8+i] = (a0 - a1 + 7) >> 4
		out[12+i] = (a3*2217 - a2*5352 + 51000) >> 16
	}
}

// addResidual adds the inverse transform of the coefficients to a prediction (14.3).
func addResidual(in *spectrum, pred, out *tile) {
	const cosine, sine = 85627, 35468 // sqrt(2) times cosine and sine of pi/8, in 1/65536
	var columns spectrum
	for i := range 4 {
		a, b := in[i]+in[8+i], in[i]-in[8+i]
		c := (in[4+i]*sine)>>16 - (in[12+i]*cosine)>>16
		d := (in[4+i]*cosine)>>16 + (in[12+i]*sine)>>16
		columns[i], columns[4+i], columns[8+i], columns[12+i] = a+d, b+c, b-c, a-d
	}
	for i := 0; i < 16; i += 4 {
		dc := columns[i] + 4
		a, b := dc+columns[i+2], dc-columns[i+2]
		c := (columns[i+1]*sine)>>16 - (columns[i+3]*cosine)>>16
		d := (columns[i+1]*cosine)>>16 + (columns[i+3]*sine)>>16
		out[i] = clampPixel(int32(pred[i]) + (a+d)>>3)
		out[i+1] = clampPixel(int32(pred[i+1]) + (b+c)>>3)
		out[i+2] = clampPixel(int32(pred[i+2]) + (b-c)>>3)
		out[i+3] = clampPixel(int32(pred[i+3]) + (a-d)>>3)
	}
}

func clampPixel(v int32) uint8 {
	if uint32(v) > 255 {
		if v < 0 {
			return 0
		}
		return 255
	}
	return uint8(v)
}

// forwardWHT transforms the first coefficients of the 16 blocks of a macroblock.
func forwardWHT(in, out *spectrum) {
	var rows spectrum
	for i := 0; i < 16; i += 4 {
		a0, a1, a2, a3 := in[i]+in[i+2], in[i+1]+in[i+3], in[i+1]-in[i+3], in[i]-in[i+2]
		rows[i], rows[i+1], rows[i+2], rows[i+3] = a0+a1, a3+a2, a3-a2, a0-a1
	}
	for i := range 4 {
		a0, a1, a2, a3 := rows[i]+rows[8+i], rows[4+i]+rows[12+i], rows[4+i]-rows[12+i], rows[i]-rows[8+i]
		out[i], out[4+i], out[8+i], out[12+i] = (a0+a1)>>1, (a3+a2)>>1, (a3-a2)>>1, (a0-a1)>>1
	}
}

// inverseWHT restores the first coefficients of the blocks (14.3).
func inverseWHT(in, out *spectrum) {
	var columns spectrum
	for i := range 4 {
		a0, a1, a2, a3 := in[i]+in[12+i], in[4+i]+in[8+i], in[4+i]-in[8+i], in[i]-in[12+i]
		columns[i], columns[4+i], columns[8+i], columns[12+i] = a0+a1, a3+a2, a0-a1, a3-a2
	}
	for i := 0; i < 16; i += 4 {
		dc := columns[i] + 3
		a0, a1, a2, a3 := dc+columns[i+3], columns[i+1]+columns[i+2], columns[i+1]-columns[i+2], dc-columns[i+3]
		out[i], out[i+1], out[i+2], out[i+3] = (a0+a1)>>3, (a3+a2)>>3, (a0-a1)>>3, (a3-a2)>>3
	}
}

// tileError returns the sum of squared differences of two tiles.
func tileError(a, b *tile) (sum int64) {
	var s int32
	for i := range a {
		d := int32(a[i]) - int32(b[i])
		s += d * d
	}
	return int64(s)
}

// roughSize returns the sum of the absolute Hadamard coefficients of a difference, a fast estimate
// of its encoded size.
func roughSize(src, pred *tile) int64 {
	var rows spectrum
	for i := 0; i < 16; i += 4 {
		d0, d1 := int32(src[i])-int32(pred[i]), int32(src[i+1])-int32(pred[i+1])
		d2, d3 := int32(src[i+2])-int32(pred[i+2]), int32(src[i+3])-int32(pred[i+3])
		a0, a1, a2, a3 := d0+d2, d1+d3, d1-d3, d0-d2
		rows[i], rows[i+1], rows[i+2], rows[i+3] = a0+a1, a3+a2, a3-a2, a0-a1
	}
	var sum int32
	for i := range 4 {
		a0, a1, a2, a3 := rows[i]+rows[8+i], rows[4+i]+rows[12+i], rows[4+i]-rows[12+i], rows[i]-rows[8+i]
		sum += magnitude(a0+a1) + magnitude(a3+a2) + magnitude(a3-a2) + magnitude(a0-a1)
	}
	return int64(sum)
}

func magnitude(v int32) int32 {
	if v < 0 {
		return -v
	}
	return v
}
