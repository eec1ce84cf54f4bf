package webp

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"io"

	"github.com/assetcook/assetcook/internal/image/blockfit"
	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/vp8"
	"golang.org/x/image/webp"
)

// EncodeLossy writes m, which has 8 bits per channel and straight alpha, as lossy WebP. Alpha is
// stored exactly.
func EncodeLossy(ctx context.Context, w io.Writer, m *pixmap.Map, o vp8.Options) error {
	if err := checkImage(m); err != nil {
		return err
	}
	frame, err := vp8.Encode(ctx, m.Pix8, m.W, m.H, o)
	if err != nil {
		return err
	}
	alpha, err := encodeAlpha(ctx, m, o.Effort == blockfit.Best)
	if err != nil {
		return err
	}
	file := lossyFile(m, frame, alpha)
	if alpha != nil {
		if err := verifyAlpha(file, m); err != nil {
			return err
		}
	}
	_, err = w.Write(file)
	return err
}

// LossyMemory returns the peak memory, in bytes, that EncodeLossy needs for an image of w by h pixels.
// Alpha needs as much as a lossless image.
func LossyMemory(w, h int) int64 { return Memory(w, h) + vp8.Memory(w, h) }

// encodeAlpha returns the body of the chunk ALPH, or nil if all pixels are opaque.
func encodeAlpha(ctx context.Context, m *pixmap.Map, best bool) ([]byte, error) {
	solid := true
	pix := make([]uint32, m.W*m.H)
	for i := range pix {
		a := m.Pix8[4*i+3]
		solid = solid && a == 255
		pix[i] = 0xff<<24 | uint32(a)<<8
	}
	if solid {
		return nil, nil
	}
	const lossless = 1 // the alpha stream has alpha in its green channel, and no header
	body := []byte{lossless}
	stream, err := smallestAlpha(ctx, pix, m.W, effortOf(best))
	return append(body, stream...), err
}

// lossyFile returns a WebP file with a frame and, unless alpha is nil, an alpha chunk.
func lossyFile(m *pixmap.Map, frame, alpha []byte) []byte {
	file := append([]byte(nil), "RIFF\x00\x00\x00\x00WEBP"...)
	if alpha != nil {
		const hasAlpha = 1 << 4
		size := uint64(m.W-1) | uint64(m.H-1)<<24
		file = appendChunk(file, "VP8X", append([]byte{hasAlpha, 0, 0, 0}, binary.LittleEndian.AppendUint64(nil, size)[:6]...))
		file = appendChunk(file, "ALPH", alpha)
	}
	file = appendChunk(file, "VP8 ", frame)
	binary.LittleEndian.PutUint32(file[4:], uint32(len(file)-8))
	return file
}

// appendChunk appends a RIFF chunk, padded to an even length.
func appendChunk(file []byte, name string, body []byte) []byte {
	file = append(file, name...)
	file = binary.LittleEndian.AppendUint32(file, uint32(len(body)))
	file = append(file, body...)
	return append(file, make([]byte, len(body)%2)...)
}

// verifyAlpha decodes the file and compares its alpha with the alpha of m.
func verifyAlpha(file []byte, m *pixmap.Map) error {
	back, err := webp.Decode(bytes.NewReader(file))
	if err != nil {
		return fmt.Errorf("the WebP encoder made an unreadable file: %w", err)
	}
	got, ok := back.(*image.NYCbCrA)
	if !ok || got.Rect != image.Rect(0, 0, m.W, m.H) {
		return errors.New("the WebP encoder changed the size or dropped alpha")
	}
	for y := range m.H {
		row := got.A[y*got.AStride:][:m.W]
		for x, a := range row {
			if a != m.Pix8[4*(y*m.W+x)+3] {
				return errors.New("the WebP encoder changed alpha")
			}
		}
	}
	return nil
}
