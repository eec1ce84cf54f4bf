// Package ktx2 writes and reads KTX 2.0 files: two-dimensional textures, cubes
// and arrays of both, with one or more mip levels, and volumes, optionally packed
// with Zstandard.
//
// The layout follows the "KTX File Format Specification", version 2.0 revision
// 4, and the "Khronos Data Format Specification", version 1.4. A file is
//
//	identifier, header, index          80 bytes
//	level index                        24 bytes a level, largest level first
//	data format descriptor             what a texel is made of
//	key/value data                     orientation, swizzle and writer
//	levels                             smallest first
//
// All numbers are little endian. Every byte is decided by the texture, the
// supercompression and the version of this package.
package ktx2

import (
	"context"
	"io"
	"slices"

	"github.com/assetcook/assetcook/internal/image/texture"
)

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

const (
	headerSize     = 80
	levelIndexSize = 24
)

// identifier is the first twelve bytes of every file. They hold a byte with
// the high bit set and both kinds of line end, so that a transfer which
// damages such bytes is noticed at once.
const identifier = "\xabKTX 20\xbb\r\n\x1a\n"

func align(n, to int64) int64 { return (n + to - 1) / to * to }

// Encode returns the file that Write writes.
func Encode(ctx context.Context, t *texture.Texture, s Supercompression) ([]byte, error) {
	var m memory
	err := Write(ctx, &m, t, s)
	return m.data, err
}

// A memory is a file in memory.
type memory struct {
	data []byte
	at   int64
}

func (m *memory) Write(p []byte) (int, error) {
	end := int(m.at) + len(p)
	if grow := end - len(m.data); grow > 0 {
		m.data = slices.Grow(m.data, grow)[:end]
	}
	n := copy(m.data[m.at:], p)
	m.at += int64(n)
	return n, nil
}

func (m *memory) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += m.at
	case io.SeekEnd:
		offset += int64(len(m.data))
	}
	m.at = offset
	return offset, nil
}
