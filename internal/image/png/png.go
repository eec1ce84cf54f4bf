// Package png writes images as PNG files, in the smallest form that preserves every pixel.
//
// The forms are palettes and grayscale of 1 to 8 bits, and grayscale, grayscale with alpha, RGB and
// RGBA of 8 or 16 bits. All pixel values are preserved, even the colors of transparent pixels.
// Compression uses the zlib package of the standard library.
//
// Source: W3C, "Portable Network Graphics (PNG) Specification (Third Edition)".
package png

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"

	"github.com/assetcook/assetcook/internal/image/pixmap"
)

// Effort is the amount of work for making a file small.
type Effort int

const (
	Fast   Effort = iota // tries one form and one row filter
	Normal               // tries a second row filter, and a second form besides a palette
	Best                 // tries all forms and row filters
)

// EffortOf returns the effort for the recipe option quality: "fast", "normal" or "best".
func EffortOf(quality string) Effort {
	switch quality {
	case "fast":
		return Fast
	case "best":
		return Best
	}
	return Normal
}

// ErrFloat is the error for images of floats, whose light can exceed white. PNG cannot store such
// light.
var ErrFloat = errors.New("a PNG image cannot hold light brighter than white")

// Encode writes m, which must have 8 or 16 bits per channel, with straight alpha. It returns a
// description of the form, such as "palette of 12 colors, 4 bits".
func Encode(ctx context.Context, w io.Writer, m *pixmap.Map, e Effort) (form string, err error) {
	if m.PixF != nil {
		return "", ErrFloat
	}
	forms, err := formsOf(ctx, m)
	if err != nil {
		return "", err
	}
	if e == Fast {
		forms = forms[:1]
	}
	return writeSmallest(ctx, w, forms, e)
}

// Memory returns an upper bound on the bytes that Encode holds at once for an image of w by h
// pixels, excluding the image.
func Memory(w, h int, d pixmap.Depth) int64 {
	const fixed = 2 << 20 // two compressors, the palette, and two rows
	raw := (1 + 4*int64(w)) * int64(h)
	if d != pixmap.Bits8 {
		raw *= 2
	}
	// Most of the memory holds the smallest file so far, and the file that is being compressed. A
	// growing buffer briefly takes twice its size.
	return fixed + 3*(raw+raw/1024)
}

// writeSmallest compresses every form with every filter and writes the smallest file.
func writeSmallest(ctx context.Context, w io.Writer, forms []form, e Effort) (string, error) {
	var least []byte
	var chosen *form
	for i := range forms {
		f := &forms[i]
		for _, way := range f.ways(e) {
			data, err := f.packForm(ctx, way, e)
			if err != nil {
				return "", err
			}
			if chosen == nil || len(data)+f.extra() < len(least)+chosen.extra() {
				least, chosen = data, f
			}
		}
	}
	var file bytes.Buffer
	file.WriteString("\x89PNG\r\n\x1a\n")
	head := binary.BigEndian.AppendUint32(nil, uint32(chosen.w))
	head = binary.BigEndian.AppendUint32(head, uint32(chosen.h))
	writeChunk(&file, "IHDR", append(head, chosen.depth, chosen.color, 0, 0, 0))
	if len(chosen.palette) > 0 {
		colors, alphas := chosen.chunks()
		writeChunk(&file, "PLTE", colors)
		if len(alphas) > 0 {
			writeChunk(&file, "tRNS", alphas)
		}
	}
	if _, err := w.Write(file.Bytes()); err != nil {
		return "", err
	}
	for rest := least; len(rest) > 0; {
		part := rest[:min(len(rest), 1<<30)]
		rest = rest[len(part):]
		if err := writeChunk(w, "IDAT", part); err != nil {
			return "", err
		}
	}
	return chosen.String(), writeChunk(w, "IEND", nil)
}

func writeChunk(w io.Writer, kind string, data []byte) error {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	b = append(b, kind...)
	sum := crc32.Update(crc32.ChecksumIEEE(b[4:]), crc32.IEEETable, data)
	_, err := w.Write(b)
	if err == nil {
		_, err = w.Write(data)
	}
	if err == nil {
		_, err = w.Write(binary.BigEndian.AppendUint32(nil, sum))
	}
	return err
}

// A way selects the filter of each row: one of the five filters for all rows, or for each row the
// filter with the smallest rowWeight.
type way byte

const (
	none way = iota
	sub
	up
	average
	paeth
	adaptive
)

// ways returns the ways worth trying at the given effort.
func (f *form) ways(e Effort) []way {
	// Filters rarely help palette indices, and bytes that pack several pixels.
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

// packForm filters and compresses all rows.
func (f *form) packForm(ctx context.Context, use way, e Effort) ([]byte, error) {
	level := zlib.BestCompression
	if e == Fast {
		level = zlib.DefaultCompression
	}
	var out bytes.Buffer
	z, err := zlib.NewWriterLevel(&out, level)
	if err != nil {
		return nil, err
	}
	n, pixel := f.packedRowBytes(), max(1, f.samples*int(f.depth)/8)
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
				filterRow(tries[i][1:], line, above, pixel, way(i))
				if sum := rowWeight(tries[i][1:]); least < 0 || sum < least {
					least, chosen = sum, way(i)
				}
			}
		} else {
			filterRow(tries[use][1:], line, above, pixel, use)
		}
		if _, err := z.Write(tries[chosen]); err != nil {
			return nil, err
		}
		above, line = line, above
	}
	err = errors.Join(z.Close(), ctx.Err())
	return out.Bytes(), err
}

// rowWeight returns the sum of the absolute values of signed bytes. It roughly predicts the
// compressed size.
func rowWeight(row []byte) int {
	sum := 0
	for _, v := range row {
		d := int(int8(v))
		sum += max(d, -d)
	}
	return sum
}

// filterRow writes each byte of line minus its prediction. The prediction is computed from the
// bytes to the left, above, and above left.
func filterRow(dst, line, above []byte, pixel int, f way) {
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
			dst[i] = line[i] - paethPrediction(left, int(above[i]), corner)
		}
	}
}

// paethPrediction is the Paeth predictor of filter type 4.
func paethPrediction(left, above, corner int) byte {
	p := left + above - corner
	dl, da, dc := distanceFromZero(p, left), distanceFromZero(p, above), distanceFromZero(p, corner)
	switch {
	case dl <= da && dl <= dc:
		return byte(left)
	case da <= dc:
		return byte(above)
	}
	return byte(corner)
}

func distanceFromZero(a, b int) int { return max(a-b, b-a) }
