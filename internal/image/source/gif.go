package source

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	stdimage "image"
	"image/gif"
	"io"

	"github.com/assetcook/assetcook/internal/fileformat"
	"github.com/assetcook/assetcook/internal/image/pixmap"
)

// gifRatio bounds how far GIF's LZW data can expand: a code of w bits, at most 12, encodes fewer
// than 2^w bytes.
const gifRatio = 4096 * 8 / 12

// probeGIF reads the screen's size and, if data reaches that far, the first frame's. The image is
// the screen with that frame drawn on it.
func probeGIF(data []byte, _ int64) (header, error) {
	if len(data) < 13 {
		return header{}, fileformat.ErrShortHead
	}
	p := header{w: int(binary.LittleEndian.Uint16(data[6:])), h: int(binary.LittleEndian.Uint16(data[8:])), bits: 8}
	frame := p.pixelCountOf()
	if walk := walkGIF(data); walk.found {
		frame = walk.w * walk.h
		p.least = frame / (gifRatio + 1)
	}
	p.decoder = 2 * frame // a second one to undo interlacing
	return p, nil
}

func decodeGIF(ctx context.Context, data []byte, h *header) (*pixmap.Map, error) {
	img, err := gif.Decode(&reader{ctx, bytes.NewReader(data)})
	if err != nil {
		return nil, err
	}
	m, ok := img.(*stdimage.Paletted)
	if !ok || !m.Rect.In(stdimage.Rect(0, 0, h.w, h.h)) {
		return nil, fmt.Errorf("first frame is %v on a screen of %d x %d", img.Bounds(), h.w, h.h)
	}
	walk := walkGIF(data)
	if walk.short {
		return nil, io.ErrUnexpectedEOF
	}
	h.frames = walk.frames
	table := walk.frameColors()
	return fillMap(ctx, pixmap.New(h.w, h.h, pixmap.Bits8), func(dst []uint8, y int) {
		if y < m.Rect.Min.Y || y >= m.Rect.Max.Y {
			return // the screen stays transparent
		}
		dst = dst[4*m.Rect.Min.X : 4*m.Rect.Max.X]
		for i, v := range m.Pix[(y-m.Rect.Min.Y)*m.Stride:][:m.Rect.Dx()] {
			copy(dst[4*i:], table[v][:])
		}
	})
}

// gifWalk holds the content of a GIF's blocks, except the pixels.
type gifWalk struct {
	w, h        int64  // size of the first frame
	colors      []byte // its color table, three bytes each
	transparent int    // the undrawn index in colors, or -1
	found       bool   // there is a first frame
	frames      int
	short       bool // data ends before the trailer does
}

// frameColors returns the colors of the first frame. The decoder makes the transparent color black;
// table keeps its color, with an alpha of 0.
func (g *gifWalk) frameColors() (table [256][4]byte) {
	for i := range len(g.colors) / 3 {
		setOpaque(table[i][:], g.colors[3*i], g.colors[3*i+1], g.colors[3*i+2])
	}
	if g.transparent >= 0 {
		table[g.transparent][3] = 0
	}
	return table
}

// walkGIF goes through the blocks of a GIF without decompressing anything. It stops at the first
// byte that starts no block.
func walkGIF(data []byte) gifWalk {
	walk := gifWalk{transparent: -1}
	r := gifReader{data: data, at: 10}
	flags := r.nextByte()
	r.nextBytes(2) // background, aspect ratio
	walk.colors = r.takeColorTable(flags)
	for !r.short {
		switch r.nextByte() {
		case 0x21: // extension: label, sub-blocks
			label := r.nextByte()
			first := r.readSubBlocks()
			// Graphic control: flags, delay, transparent color.
			if label == 0xf9 && !walk.found && len(first) == 4 && first[0]&1 != 0 {
				walk.transparent = int(first[3])
			}
		case 0x2c: // frame: place, size, flags, colors, code size, sub-blocks
			r.nextBytes(4)
			w, h := r.nextWord(), r.nextWord()
			flags := r.nextByte()
			colors := r.takeColorTable(flags)
			if !r.short {
				walk.frames++
			}
			if !r.short && !walk.found {
				walk.w, walk.h, walk.found = w, h, true
				if colors != nil {
					walk.colors = colors
				}
			}
			r.nextBytes(1)
			r.readSubBlocks()
		default: // trailer, or no block at all
			walk.short = r.short
			return walk
		}
	}
	walk.short = true
	return walk
}

// A gifReader returns zeros after the end of its data.
type gifReader struct {
	data  []byte
	at    int
	short bool
}

// nextBytes returns the next n bytes, or nil if data ends before.
func (r *gifReader) nextBytes(n int) []byte {
	if r.short = r.short || n > len(r.data)-r.at; r.short {
		return nil
	}
	r.at += n
	return r.data[r.at-n : r.at]
}

func (r *gifReader) nextByte() byte {
	if b := r.nextBytes(1); b != nil {
		return b[0]
	}
	return 0
}

func (r *gifReader) nextWord() int64 {
	low, high := r.nextByte(), r.nextByte()
	return int64(low) | int64(high)<<8
}

// takeColorTable reads a color table, if flags announce one.
func (r *gifReader) takeColorTable(flags byte) []byte {
	if flags&0x80 == 0 {
		return nil
	}
	return r.nextBytes(3 << (flags&7 + 1))
}

// readSubBlocks reads sub-blocks up to the empty one and returns the first.
func (r *gifReader) readSubBlocks() (first []byte) {
	for n := r.nextByte(); n != 0; n = r.nextByte() {
		b := r.nextBytes(int(n))
		if first == nil {
			first = b
		}
	}
	return first
}
