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

// gifRatio is the maximum expansion of GIF's LZW data. A code of w bits, at most 12, encodes fewer
// than 2^w bytes.
const gifRatio = 4096 * 8 / 12

// probeGIF reads the size of the screen. It also reads the size of the first frame if data includes
// it. The image is the screen with that frame drawn on it.
func probeGIF(data []byte, _ int64) (header, error) {
	if len(data) < 13 {
		return header{}, fileformat.ErrShortHead
	}
	p := header{w: int(binary.LittleEndian.Uint16(data[6:])), h: int(binary.LittleEndian.Uint16(data[8:])), bits: 8}
	frame := p.pixelCountOf()
	if walk := walkGIF(data, nil); walk.found {
		frame = walk.w * walk.h
		p.least = frame / (gifRatio + 1)
	}
	p.decoder = 2 * frame // memory for a second frame, to undo interlacing
	return p, nil
}

func decodeGIF(ctx context.Context, data []byte, h *header) (*pixmap.Map, error) {
	img, err := gif.Decode(&reader{ctx, bytes.NewReader(data)})
	if err != nil {
		return nil, err
	}
	m, ok := img.(*stdimage.Paletted)
	if !ok || !m.Rect.In(stdimage.Rect(0, 0, h.w, h.h)) {
		return nil, fmt.Errorf("the first frame, %v, does not fit on the screen of %d x %d; export the GIF again", img.Bounds(), h.w, h.h)
	}
	walk := walkGIF(data, nil)
	if walk.short {
		return nil, io.ErrUnexpectedEOF
	}
	h.frames = walk.frames
	table := walk.frameColors()
	return fillMap(ctx, pixmap.New(h.w, h.h, pixmap.Bits8), func(dst []uint8, y int) {
		if y < m.Rect.Min.Y || y >= m.Rect.Max.Y {
			return // outside of the frame, the screen stays transparent
		}
		dst = dst[4*m.Rect.Min.X : 4*m.Rect.Max.X]
		for i, v := range m.Pix[(y-m.Rect.Min.Y)*m.Stride:][:m.Rect.Dx()] {
			copy(dst[4*i:], table[v][:])
		}
	})
}

// gifWalk holds the contents of a GIF's blocks, except the pixels.
type gifWalk struct {
	gifFrame
	found  bool   // true if the file has a frame
	screen []byte // bytes before the first block
	frames int
	loops  int  // number of plays after the first one; -1 if the file has no loop count
	short  bool // true if data is truncated before the trailer
}

// A gifFrame holds the blocks of a frame.
type gifFrame struct {
	x, y, w, h   int64
	colors       []byte // color table, three bytes per color
	transparent  int    // index of the transparent color, or -1
	disposal     byte
	milliseconds int
	image        []byte // the blocks of the image, starting at its size
}

// frameColors returns the colors of a frame. It keeps the color of the transparent index, with an
// alpha of 0. The decoder would make it black.
func (g *gifFrame) frameColors() (table [256][4]byte) {
	for i := range len(g.colors) / 3 {
		setOpaque(table[i][:], g.colors[3*i], g.colors[3*i+1], g.colors[3*i+2])
	}
	if g.transparent >= 0 {
		table[g.transparent][3] = 0
	}
	return table
}

// walkGIF reads the blocks of a GIF without decompressing anything. It stops at the first byte that
// does not start a block. The function each is called with every frame; it may be nil.
func walkGIF(data []byte, each func(gifFrame)) gifWalk {
	walk := gifWalk{loops: -1}
	r := gifReader{data: data, at: 10}
	flags := r.nextByte()
	r.nextBytes(2) // skip the background color and the aspect ratio
	global := r.takeColorTable(flags)
	walk.screen = data[:min(r.at, len(data))]
	next := gifFrame{transparent: -1}
	for !r.short {
		switch r.nextByte() {
		case 0x21: // an extension has a label and sub-blocks
			label := r.nextByte()
			first, second := r.readSubBlocks()
			switch {
			case label == 0xf9 && len(first) == 4:
				next.readControl(first)
			case label == 0xff && (string(first) == "NETSCAPE2.0" || string(first) == "ANIMEXTS1.0") && len(second) == 3 && second[0] == 1:
				walk.loops = int(binary.LittleEndian.Uint16(second[1:]))
			}
		case 0x2c: // a frame has position, size, flags, colors, code size and sub-blocks
			next.x, next.y = r.nextWord(), r.nextWord()
			start := r.at
			next.w, next.h = r.nextWord(), r.nextWord()
			next.colors = r.takeColorTable(r.nextByte())
			if next.colors == nil {
				next.colors = global
			}
			if !r.short {
				walk.frames++
			}
			if !r.short && !walk.found {
				walk.gifFrame, walk.found = next, true
			}
			r.nextBytes(1)
			r.readSubBlocks()
			if !r.short && each != nil {
				next.image = r.data[start:r.at]
				each(next)
			}
			next = gifFrame{transparent: -1}
		default: // the trailer or an invalid block ends the list of blocks
			walk.short = r.short
			return walk
		}
	}
	walk.short = true
	return walk
}

// readControl reads a graphic control extension: flags, a delay and the transparent color.
func (g *gifFrame) readControl(b []byte) {
	g.disposal = b[0] >> 2 & 7
	g.milliseconds = 10 * int(binary.LittleEndian.Uint16(b[1:]))
	if b[0]&1 != 0 {
		g.transparent = int(b[3])
	}
}

// gifFrames returns the frames of a GIF. Each frame is drawn over the previous frames on a
// transparent screen. Like browsers, gifFrames ignores the background color.
func gifFrames(data []byte, h *header) (all storedAnimation, err error) {
	if walkGIF(data, nil).short {
		return all, io.ErrUnexpectedEOF
	}
	var screen []byte
	walk := walkGIF(data, func(g gifFrame) {
		if err != nil {
			return
		}
		f := storedFrame{
			x: int(g.x), y: int(g.y), w: int(g.w), h: int(g.h), over: true, milliseconds: shownMilliseconds(g.milliseconds),
			still: func() []byte { return g.stillGIF(screen) },
		}
		switch g.disposal {
		case 2:
			f.disposal = clearFrame
		case 3:
			f.disposal = restoreFrame
		}
		err = all.addFrame(f, h)
	})
	screen = walk.screen
	all.plays = walk.loops
	if walk.loops != 0 { // browsers play the animation once more than the loop count says
		all.plays++
	}
	if walk.loops < 0 {
		all.plays = 1
	}
	return all, err
}

// stillGIF returns a file that holds only the frame, with a screen of the same size.
func (g *gifFrame) stillGIF(screen []byte) []byte {
	file := bytes.Clone(screen)
	copy(file[6:10], g.image) // the screen gets the size of the frame
	if g.transparent >= 0 {
		file = append(file, 0x21, 0xf9, 4, 1, 0, 0, byte(g.transparent), 0)
	}
	file = append(file, 0x2c, 0, 0, 0, 0)
	return append(append(file, g.image...), ';')
}

// A gifReader returns zeros after the end of its data.
type gifReader struct {
	data  []byte
	at    int
	short bool
}

// nextBytes returns the next n bytes, or nil if fewer are left.
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

// takeColorTable reads a color table if flags announce one.
func (r *gifReader) takeColorTable(flags byte) []byte {
	if flags&0x80 == 0 {
		return nil
	}
	return r.nextBytes(3 << (flags&7 + 1))
}

// readSubBlocks reads sub-blocks up to the empty one at the end, and returns the first two.
func (r *gifReader) readSubBlocks() (first, second []byte) {
	for i, n := 0, r.nextByte(); n != 0; i, n = i+1, r.nextByte() {
		switch b := r.nextBytes(int(n)); i {
		case 0:
			first = b
		case 1:
			second = b
		}
	}
	return first, second
}
