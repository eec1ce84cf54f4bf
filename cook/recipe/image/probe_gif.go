package image

import (
	"encoding/binary"

	"github.com/assetcook/assetcook/cook/recipe"
)

// gifRatio bounds how far the LZW data of GIF can expand: a code of w bits
// stands for fewer than 2^w bytes, and 12 bits are the most.
const gifRatio = 4096 * 8 / 12

// probeGIF reads the screen's size and, if it is within reach, the first
// frame's. The picture is the screen with that frame on it.
func probeGIF(data []byte) (picture, error) {
	if len(data) < 13 {
		return picture{}, recipe.ErrShortHead
	}
	p := picture{w: int(binary.LittleEndian.Uint16(data[6:])), h: int(binary.LittleEndian.Uint16(data[8:]))}
	frame := p.pixels()
	if walk := walkGIF(data); walk.found {
		frame = walk.w * walk.h
		p.least = frame / (gifRatio + 1)
	}
	p.decoder = 2 * frame // a second one to undo interlacing
	return p, nil
}

// gifWalk is what the blocks of a GIF say.
type gifWalk struct {
	w, h  int64 // of the first frame
	found bool  // there is a first frame
	short bool  // data ends before the trailer does
}

// walkGIF goes through the blocks of a GIF without unpacking anything. It
// stops early at what is not a block.
func walkGIF(data []byte) gifWalk {
	walk := gifWalk{}
	r := gifReader{data: data, at: 10}
	flags := r.byte()
	r.skip(2) // background, aspect ratio
	r.colors(flags)
	for !r.short {
		switch r.byte() {
		case 0x21: // extension: label, sub-blocks
			r.skip(1)
			r.blocks()
		case 0x2c: // frame: place, size, flags, colours, code size, sub-blocks
			r.skip(4)
			w, h := r.word(), r.word()
			flags := r.byte()
			if !r.short && !walk.found {
				walk.w, walk.h, walk.found = w, h, true
			}
			r.colors(flags)
			r.skip(1)
			r.blocks()
		default: // trailer, or no block at all
			walk.short = r.short
			return walk
		}
	}
	walk.short = true
	return walk
}

// A gifReader reads zeros once it has run out of data.
type gifReader struct {
	data  []byte
	at    int
	short bool
}

func (r *gifReader) skip(n int) {
	r.at += n
	r.short = r.short || r.at > len(r.data)
}

func (r *gifReader) byte() byte {
	r.skip(1)
	if r.short {
		return 0
	}
	return r.data[r.at-1]
}

func (r *gifReader) word() int64 {
	low, high := r.byte(), r.byte()
	return int64(low) | int64(high)<<8
}

// colors skips a colour table, if flags say that there is one.
func (r *gifReader) colors(flags byte) {
	if flags&0x80 != 0 {
		r.skip(3 << (flags&7 + 1))
	}
}

// blocks skips sub-blocks up to the empty one.
func (r *gifReader) blocks() {
	for n := r.byte(); n != 0; n = r.byte() {
		r.skip(int(n))
	}
}
