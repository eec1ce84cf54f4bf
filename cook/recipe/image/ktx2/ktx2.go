// Package ktx2 writes and reads KTX 2.0 files that hold one two-dimensional
// texture: no array layers, no cube faces, one or more mip levels, optionally
// packed with Zstandard.
//
// The layout follows the "KTX File Format Specification", version 2.0 revision
// 4, and the "Khronos Data Format Specification", version 1.4. A file is
//
//	identifier, header, index          80 bytes
//	level index                        24 bytes a level, largest level first
//	data format descriptor             what a texel is made of
//	key/value data                     orientation and writer
//	levels                             smallest first
//
// All numbers are little endian. Every byte is decided by the texture, the
// supercompression and the version of this package.
package ktx2

import (
	"fmt"
	"math"
	"math/bits"
)

// A Texture is a picture and its smaller copies.
type Texture struct {
	Format Format
	// Width and Height are the size of level 0 in pixels.
	Width, Height int
	// Levels are the texel blocks of each level in rows from the top, level 0
	// first. Level i is max(1, Width>>i) by max(1, Height>>i) pixels.
	Levels [][]byte
}

// A Scheme says how level data is packed, by the numbers of KTX.
type Scheme uint32

// The schemes that this package knows.
const (
	None Scheme = 0
	Zstd Scheme = 2
)

// Supercompression is how Write packs level data. The zero value packs nothing.
type Supercompression struct {
	Scheme Scheme
	// Level is Zstandard's effort from 1 to 22. The encoder knows four grades:
	// 1-2, 3-5, 6-9 and 10-22.
	Level int
}

// LevelSize returns the size of a level in pixels.
func LevelSize(width, height, level int) (w, h int) {
	return max(1, width>>level), max(1, height>>level)
}

// MaxLevels returns how many levels a full chain down to 1x1 has.
func MaxLevels(width, height int) int { return bits.Len(uint(max(width, height))) }

const (
	headerSize     = 80
	levelIndexSize = 24
)

// identifier is the first twelve bytes of every file. They hold a byte with
// the high bit set and both kinds of line end, so that a transfer which
// damages such bytes is noticed at once.
const identifier = "\xabKTX 20\xbb\r\n\x1a\n"

// check says whether t is a texture that a file can hold.
func (t *Texture) check() error {
	layout, ok := t.Format.layout()
	if !ok {
		return fmt.Errorf("format %d is not supported", uint32(t.Format))
	}
	if t.Width < 1 || t.Height < 1 || t.Width > math.MaxInt32 || t.Height > math.MaxInt32 {
		return fmt.Errorf("size %d x %d is out of range", t.Width, t.Height)
	}
	if n := len(t.Levels); n < 1 || n > MaxLevels(t.Width, t.Height) {
		return fmt.Errorf("%d levels for %d x %d pixels", n, t.Width, t.Height)
	}
	for i, data := range t.Levels {
		w, h := LevelSize(t.Width, t.Height, i)
		if want, ok := layout.bytes(w, h); !ok || int64(len(data)) != want {
			return fmt.Errorf("level %d holds %d bytes, %d x %d pixels need %d", i, len(data), w, h, want)
		}
	}
	return nil
}

func align(n, to int64) int64 { return (n + to - 1) / to * to }
