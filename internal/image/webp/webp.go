// Package webp writes images as WebP files (RFC 9649): Encode without loss (VP8L), EncodeLossy with a
// loss of colors (VP8).
//
// Each file is decoded again by a library and compared with the image. A difference is an error, so a
// wrong file is never returned. Of lossy files, alpha must be equal and colors must be as near as the
// encoder has counted.
package webp

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"io"

	"github.com/assetcook/assetcook/internal/image/pixmap"
	"golang.org/x/image/webp"
)

// MaxSide is the maximum width and height.
const MaxSide = 16383

// Encode writes m, which has 8 bits per channel and straight alpha. The colors of transparent
// pixels are also kept. If best is set, it tries more transforms and searches longer for
// copies.
func Encode(ctx context.Context, w io.Writer, m *pixmap.Map, best bool) error {
	if err := checkImage(m); err != nil {
		return err
	}
	pix := make([]uint32, m.W*m.H)
	for i := range pix {
		c := m.Pix8[4*i:][:4]
		pix[i] = uint32(c[3])<<24 | uint32(c[0])<<16 | uint32(c[1])<<8 | uint32(c[2])
	}
	stream, err := smallest(ctx, pix, m.W, effortOf(best))
	if err != nil {
		return err
	}
	file := container(stream)
	if err := verify(file, m); err != nil {
		return err
	}
	_, err = w.Write(file)
	return err
}

// checkImage refuses images that WebP cannot store.
func checkImage(m *pixmap.Map) error {
	if m.Pix8 == nil {
		return errors.New("WebP supports only 8 bits per channel")
	}
	if m.W > MaxSide || m.H > MaxSide {
		return fmt.Errorf("the image has %d x %d pixels; WebP has at most %d per side", m.W, m.H, MaxSide)
	}
	return nil
}

// Memory returns the peak memory, in bytes, that Encode needs for an image of w by h pixels.
// The factor is measured.
func Memory(w, h int) int64 { return 8<<20 + 100*int64(w)*int64(h) }

// container returns a file that contains the stream.
func container(stream []byte) []byte {
	size := len(stream) + len(stream)%2
	file := append([]byte(nil), "RIFF"...)
	file = binary.LittleEndian.AppendUint32(file, uint32(12+size))
	file = append(file, "WEBPVP8L"...)
	file = binary.LittleEndian.AppendUint32(file, uint32(len(stream)))
	file = append(file, stream...)
	return append(file, make([]byte, len(stream)%2)...)
}

// verify decodes the file and compares its pixels with those in m.
func verify(file []byte, m *pixmap.Map) error {
	back, err := webp.Decode(bytes.NewReader(file))
	if err != nil {
		return fmt.Errorf("the WebP encoder made an unreadable file; write format = \"png\": %w", err)
	}
	got, ok := back.(*image.NRGBA)
	if !ok || got.Rect != image.Rect(0, 0, m.W, m.H) || !bytes.Equal(got.Pix, m.Pix8) {
		return errors.New("the WebP encoder changed pixels, which is a bug; write format = \"png\"")
	}
	return nil
}
