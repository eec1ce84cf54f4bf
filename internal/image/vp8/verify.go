package vp8

import (
	"bytes"
	"errors"
	"fmt"
	"image"

	"golang.org/x/image/vp8"
)

// errOtherImage means that the decoded frame differs too much from the image.
var errOtherImage = errors.New("the VP8 encoder made a frame of another image")

// verify decodes a frame with a library. It returns errOtherImage if the error of the decoded image
// is much larger than the error that the encoder computed. The encoder does not simulate the loop
// filter, so the errors must be equal only without that filter.
func (e *encoder) verify(frame []byte) error {
	d := vp8.NewDecoder()
	d.Init(bytes.NewReader(frame), len(frame))
	if _, err := d.DecodeFrameHeader(); err != nil {
		return fmt.Errorf("the VP8 encoder made an unreadable header: %w", err)
	}
	m, err := d.DecodeFrame()
	if err != nil {
		return fmt.Errorf("the VP8 encoder made an unreadable frame: %w", err)
	}
	lost := e.difference(m)
	if lost > 2*e.lost+4*int64(len(e.luma)) || e.filter == 0 && lost != e.lost {
		return errOtherImage
	}
	return nil
}

// difference returns the sum of squared differences between the image and its decoded frame,
// without hidden macroblocks.
func (e *encoder) difference(m *image.YCbCr) (sum int64) {
	var want sourceTiles
	var got tile
	for i := range e.code {
		if e.hidden[i] {
			continue
		}
		x, y := i%e.w, i/e.w
		e.load(x, y, &want)
		for j := range want.luma {
			copyTile(&got, m.Y, m.YStride, 16*x+j%4*4, 16*y+j/4*4)
			sum += tileError(&want.luma[j], &got)
		}
		for j := range 4 {
			copyTile(&got, m.Cb, m.CStride, 8*x+j%2*4, 8*y+j/2*4)
			sum += tileError(&want.chroma[j], &got)
			copyTile(&got, m.Cr, m.CStride, 8*x+j%2*4, 8*y+j/2*4)
			sum += tileError(&want.chroma[4+j], &got)
		}
	}
	return sum
}
