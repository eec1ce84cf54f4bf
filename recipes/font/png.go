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

// writePNG writes a gray picture of 8 bits. It looks at the context in every row, which
// image/png leaves no way to.
//
// Source: W3C, "Portable Network Graphics (PNG) Specification (Third Edition)".
func writePNG(ctx context.Context, w io.Writer, size extent, pixels []byte) error {
	head := binary.BigEndian.AppendUint32(nil, uint32(size.w))
	head = binary.BigEndian.AppendUint32(head, uint32(size.h))
	const depth, gray = 8, 0
	head = append(head, depth, gray, 0, 0, 0)
	if _, err := w.Write([]byte("\x89PNG\r\n\x1a\n")); err != nil {
		return err
	}
	if err := writeChunk(w, "IHDR", head); err != nil {
		return err
	}
	data := &chunks{w: w}
	z := zlib.NewWriter(data)
	row, above := make([]byte, 1+size.w), make([]byte, size.w)
	for y := range size.h {
		if err := ctx.Err(); err != nil {
			return err
		}
		// Filter 2, less the row above, suits what changes slowly.
		row[0] = 2
		line := pixels[y*size.w:][:size.w]
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
