package png

import (
	"bytes"
	"compress/zlib"
	"context"
	"errors"
)

// A way says how to choose the filter of each row: one of the five, or the one with the smallest
// result.
type way byte

const (
	none way = iota
	sub
	up
	average
	paeth
	adaptive
)

// ways returns the ways worth trying, for the given effort.
func (f *form) ways(e Effort) []way {
	// Neighboring palette indices, and bytes of several pixels, are rarely related.
	numbers := f.color == indexed || f.depth < 8
	switch {
	case e == Best:
		return []way{none, sub, up, average, paeth, adaptive}
	case numbers:
		return []way{none}
	case e == Normal:
		return []way{adaptive, none}
	}
	return []way{adaptive}
}

// pack filters and compresses all rows.
func (f *form) pack(ctx context.Context, use way, e Effort) ([]byte, error) {
	level := zlib.BestCompression
	if e == Fast {
		level = zlib.DefaultCompression
	}
	var out bytes.Buffer
	z, err := zlib.NewWriterLevel(&out, level)
	if err != nil {
		return nil, err
	}
	n, pixel := f.rowBytes(), max(1, f.samples*int(f.depth)/8)
	above, line := make([]byte, n), make([]byte, n)
	var tries [5][]byte
	for i := range tries {
		tries[i] = make([]byte, 1+n)
		tries[i][0] = byte(i)
	}
	for y := range f.h {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		f.row(line, y)
		chosen := use
		if use == adaptive {
			least := -1
			for i := range tries {
				filter(tries[i][1:], line, above, pixel, way(i))
				if sum := weight(tries[i][1:]); least < 0 || sum < least {
					least, chosen = sum, way(i)
				}
			}
		} else {
			filter(tries[use][1:], line, above, pixel, use)
		}
		if _, err := z.Write(tries[chosen]); err != nil {
			return nil, err
		}
		above, line = line, above
	}
	err = errors.Join(z.Close(), ctx.Err())
	return out.Bytes(), err
}

// weight returns the sum of the distances from 0, which roughly predicts the compressed size.
func weight(row []byte) int {
	sum := 0
	for _, v := range row {
		d := int(int8(v))
		sum += max(d, -d)
	}
	return sum
}

// filter writes each byte of line minus its prediction, which it computes from the bytes to the
// left, above, and above to the left.
func filter(dst, line, above []byte, pixel int, f way) {
	switch f {
	case none:
		copy(dst, line)
	case sub:
		copy(dst[:min(pixel, len(dst))], line)
		for i := pixel; i < len(line); i++ {
			dst[i] = line[i] - line[i-pixel]
		}
	case up:
		for i := range line {
			dst[i] = line[i] - above[i]
		}
	case average:
		for i := range line {
			left := 0
			if i >= pixel {
				left = int(line[i-pixel])
			}
			dst[i] = line[i] - byte((left+int(above[i]))/2)
		}
	case paeth:
		for i := range line {
			left, corner := 0, 0
			if i >= pixel {
				left, corner = int(line[i-pixel]), int(above[i-pixel])
			}
			dst[i] = line[i] - predict(left, int(above[i]), corner)
		}
	}
}

// predict is the predictor of filter 4, by Alan Paeth.
func predict(left, above, corner int) byte {
	p := left + above - corner
	dl, da, dc := distance(p, left), distance(p, above), distance(p, corner)
	switch {
	case dl <= da && dl <= dc:
		return byte(left)
	case da <= dc:
		return byte(above)
	}
	return byte(corner)
}

func distance(a, b int) int { return max(a-b, b-a) }
