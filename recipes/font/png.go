package font

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
)

// writePNG writes a picture of 8 bits, gray or of 3 or 4 channels. It looks at the context in every row, which
// image/png leaves no way to.
//
// Source: W3C, "Portable Network Graphics (PNG) Specification (Third Edition)".
func writePNG(ctx context.Context, w io.Writer, size extent, channels int, pixels []byte) error {
	head := binary.BigEndian.AppendUint32(nil, uint32(size.w))
	head = binary.BigEndian.AppendUint32(head, uint32(size.h))
	const depth = 8
	colorType := [5]byte{1: 0, 3: 2, 4: 6}[channels]
	head = append(head, depth, colorType, 0, 0, 0)
	if _, err := w.Write([]byte("\x89PNG\r\n\x1a\n")); err != nil {
		return err
	}
	if err := writeChunk(w, "IHDR", head); err != nil {
		return err
	}
	data := &chunks{w: w}
	z := zlib.NewWriter(data)
	width := channels * size.w
	row, above := make([]byte, 1+width), make([]byte, width)
	for y := range size.h {
		if err := ctx.Err(); err != nil {
			return err
		}
		// Filter 2, less the row above, suits what changes slowly.
		row[0] = 2
		line := pixels[y*width:][:width]
		for x, v := range line {
			row[1+x] = v - above[x]
		}
		above = line
		if _, err := z.Write(row); err != nil {
			return err
		}
	}
	if err := errors.Join(z.Close(), data.flush()); err != nil {
		return err
	}
	return writeChunk(w, "IEND", nil)
}

// chunks writes data as chunks "IDAT" of some size.
type chunks struct {
	w       io.Writer
	waiting bytes.Buffer
}

func (c *chunks) Write(p []byte) (int, error) {
	c.waiting.Write(p)
	if c.waiting.Len() < 64<<10 {
		return len(p), nil
	}
	return len(p), c.flush()
}

func (c *chunks) flush() error {
	if c.waiting.Len() == 0 {
		return nil
	}
	err := writeChunk(c.w, "IDAT", c.waiting.Bytes())
	c.waiting.Reset()
	return err
}

func writeChunk(w io.Writer, kind string, data []byte) error {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	b = append(append(b, kind...), data...)
	_, err := w.Write(binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:])))
	return err
}
