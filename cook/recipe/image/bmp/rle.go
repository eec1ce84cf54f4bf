package bmp

import (
	"context"
	"fmt"
	"io"
)

// unpack unpacks run-length encoded pixels into a byte each, in the order of the
// file. Every two bytes are a run, its length first, or after a length of 0 an
// order: end of row, end of picture, a step to the right and up, or a count of
// pixels that follow as they are.
func unpack(ctx context.Context, data []byte, h Header) ([]byte, error) {
	const (
		endOfRow     = 0
		endOfPicture = 1
		step         = 2
	)
	pix := make([]byte, h.Width*h.Height)
	x, y := 0, 0
	for orders := 0; y < h.Height; orders++ {
		if orders%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if len(data) < 2 {
			return nil, fmt.Errorf("row %d of %d: %w", y, h.Height, io.ErrUnexpectedEOF)
		}
		count, v := int(data[0]), data[1]
		data = data[2:]
		switch {
		case count == 0 && v == endOfRow:
			x, y = 0, y+1
			continue
		case count == 0 && v == endOfPicture:
			return pix, nil
		case count == 0 && v == step:
			if len(data) < 2 {
				return nil, fmt.Errorf("row %d of %d: %w", y, h.Height, io.ErrUnexpectedEOF)
			}
			x, y = x+int(data[0]), y+int(data[1])
			if data = data[2:]; x > h.Width || y > h.Height {
				return nil, fmt.Errorf("a step leads out of the picture, to column %d of row %d", x, y)
			}
			continue
		}
		// A run, or as many pixels as v says. Encoders round the last one up.
		row := pix[y*h.Width+x : (y+1)*h.Width]
		if count > 0 {
			n := min(count, len(row))
			fillRun(row[:n], v, h.Depth)
			x += n
			continue
		}
		size := (int(v)*h.Depth + 7) / 8
		if len(data) < size {
			return nil, fmt.Errorf("row %d of %d: %w", y, h.Height, io.ErrUnexpectedEOF)
		}
		n := min(int(v), len(row))
		copyPixels(row[:n], data, h.Depth)
		x += n
		data = data[min(size+size%2, len(data)):]
	}
	return pix, nil
}

// fillRun repeats one byte: a pixel, or two that take turns.
func fillRun(row []byte, v byte, depth int) {
	first, second := v, v
	if depth == 4 {
		first, second = v>>4, v&15
	}
	for i := range row {
		if row[i] = first; i%2 == 1 {
			row[i] = second
		}
	}
}

// copyPixels takes pixels as they stand, of 8 or 4 bits.
func copyPixels(row, data []byte, depth int) {
	if depth == 8 {
		copy(row, data)
		return
	}
	for i := range row {
		if row[i] = data[i/2] >> 4; i%2 == 1 {
			row[i] = data[i/2] & 15
		}
	}
}
