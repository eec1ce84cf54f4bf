// Package png writes pictures as PNG files, in the smallest form that keeps every pixel.
//
// Forms are palettes and gray of 1 to 8 bits, gray, gray with alpha, colors, and colors with alpha,
// of 8 or 16 bits. All pixels keep their numbers, even the colors of transparent ones. Compression
// is by the zlib of the standard library.
//
// Source: W3C, "Portable Network Graphics (PNG) Specification (Third Edition)".
package png

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"

	"github.com/assetcook/assetcook/internal/image/pixmap"
)

// Effort says how much work to spend on a small file.
type Effort int

const (
	Fast   Effort = iota // one form, one way to filter rows
	Normal               // a second way, and a second form besides a palette
	Best                 // all ways
)

// EffortOf returns the effort of the recipes' option quality: "fast", "normal" or "best".
func EffortOf(quality string) Effort {
	switch quality {
	case "fast":
		return Fast
	case "best":
		return Best
	}
	return Normal
}

// ErrFloat says that PNG cannot store light beyond white.
var ErrFloat = errors.New("a PNG picture has no light beyond white")

// Encode writes m, of 8 or 16 bits a channel, with straight alpha. It returns a description of the
// form, such as "palette of 12 colors, 4 bits".
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
	return encode(ctx, w, forms, e)
}

// Memory returns the most bytes that Encode holds, without the picture of w by h pixels.
func Memory(w, h int, d pixmap.Depth) int64 {
	const fixed = 2 << 20 // two deflaters, colors and rows
	raw := (1 + 4*int64(w)) * int64(h)
	if d != pixmap.Bits8 {
		raw *= 2
	}
	// The smallest file so far, and the one being packed. A growing buffer has twice its size while
	// it is copied.
	return fixed + 3*(raw+raw/1024)
}

// encode writes the smallest file of all forms and ways.
func encode(ctx context.Context, w io.Writer, forms []form, e Effort) (string, error) {
	var least []byte
	var chosen *form
	for i := range forms {
		f := &forms[i]
		for _, way := range f.ways(e) {
			data, err := f.pack(ctx, way, e)
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
