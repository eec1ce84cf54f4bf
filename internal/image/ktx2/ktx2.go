// Package ktx2 writes and reads KTX 2.0 files: two-dimensional textures, cubes and arrays of both,
// with one or more mip levels, and volumes. Levels may be compressed with Zstandard.
//
// The layout follows the "KTX File Format Specification", version 2.0 revision 4, and the "Khronos
// Data Format Specification", version 1.4. A file is
//
//	identifier, header, index          80 bytes
//	level index                        24 bytes per level, largest level first
//	data format descriptor             channels and bits of a texel
//	key/value data                     orientation, swizzle and writer
//	levels                             smallest first
//
// All numbers are little endian. The bytes depend only on the texture, the supercompression and the
// version of this package.
package ktx2

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"slices"

	"github.com/assetcook/assetcook/internal/ctxio"
	"github.com/assetcook/assetcook/internal/image/texture"
	"github.com/klauspost/compress/zstd"
)

// A Scheme is the supercompression scheme of level data, numbered as in KTX.
type Scheme uint32

// These are the supported schemes.
const (
	None Scheme = 0
	Zstd Scheme = 2
)

// Supercompression selects how Write compresses level data. The zero value means no
// supercompression.
type Supercompression struct {
	Scheme Scheme
	// Level is the Zstandard compression level, from 1 to 22. The encoder has four speeds, for
	// levels 1-2, 3-5, 6-9 and 10-22.
	Level int
}

const (
	headerSize     = 80
	levelIndexSize = 24
)

// identifier is the first twelve bytes of every file. They include a byte with the high bit set and
// both kinds of line ending, so that readers detect transfers that change such bytes.
const identifier = "\xabKTX 20\xbb\r\n\x1a\n"

func alignOffset(n, to int64) int64 { return (n + to - 1) / to * to }

// Encode returns the bytes of the file that Write writes.
func Encode(ctx context.Context, t *texture.Texture, s Supercompression) ([]byte, error) {
	var m memory
	err := Write(ctx, &m, t, s)
	return m.data, err
}

// A memory is an io.WriteSeeker that stores a file in memory.
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

// Write writes t to w, starting at w's current offset. It compresses levels directly into the file,
// so that compressed levels are not held in memory. Then it seeks back to write their sizes.
func Write(ctx context.Context, w io.WriteSeeker, t *texture.Texture, s Supercompression) error {
	if err := t.Check(); err != nil {
		return fmt.Errorf("write ktx2: %w", err)
	}
	alignment, put := levelAlignment(t.Format), writeAll
	switch s.Scheme {
	case None:
	case Zstd:
		packer, err := newPacker(s.Level)
		if err != nil {
			return fmt.Errorf("write ktx2: %w", err)
		}
		defer packer.Close()
		alignment, put = 1, packer.writeLevel
	default:
		return fmt.Errorf("write ktx2: supercompression scheme %d is not supported", uint32(s.Scheme))
	}
	begin, err := w.Seek(0, io.SeekCurrent)
	if err != nil {
		return err
	}
	head := header(t, s.Scheme)
	out := &counter{w: bufio.NewWriterSize(w, 128<<10)}
	if err := writeAll(ctx, out, head); err != nil {
		return err
	}
	for i := len(t.Levels) - 1; i >= 0; i-- {
		start := alignOffset(out.n, alignment)
		if err := writeAll(ctx, out, make([]byte, start-out.n)); err != nil {
			return err
		}
		if err := put(ctx, out, t.Levels[i]); err != nil {
			return err
		}
		entry := head[headerSize+levelIndexSize*i:]
		binary.LittleEndian.PutUint64(entry, uint64(start))
		binary.LittleEndian.PutUint64(entry[8:], uint64(out.n-start))
		binary.LittleEndian.PutUint64(entry[16:], uint64(len(t.Levels[i])))
	}
	if err := out.w.Flush(); err != nil {
		return err
	}
	if _, err := w.Seek(begin, io.SeekStart); err != nil {
		return err
	}
	if err := writeAll(ctx, w, head); err != nil {
		return err
	}
	_, err = w.Seek(begin+out.n, io.SeekStart)
	return err
}

// A counter counts the bytes that it writes.
type counter struct {
	w *bufio.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

// header returns all bytes before the levels, with an empty level index.
func header(t *texture.Texture, s Scheme) []byte {
	descriptor, keyValues := descriptor(t), keyValueData(t)
	descriptorAt := headerSize + levelIndexSize*len(t.Levels)
	keyValuesAt := descriptorAt + len(descriptor) // both operands are multiples of 4, so keyValuesAt is aligned

	h := append(make([]byte, 0, keyValuesAt+len(keyValues)), identifier...)
	for _, v := range []int{
		int(vulkanNumber(t)),
		typeSize(t.Format),
		t.W, t.H,
		t.Depth,
		t.Layers,
		t.Faces(),
		len(t.Levels),
		int(s),
		descriptorAt, len(descriptor),
		keyValuesAt, len(keyValues),
	} {
		h = binary.LittleEndian.AppendUint32(h, uint32(v))
	}
	h = append(h, make([]byte, 16)...) // there is no global supercompression data
	h = append(h, make([]byte, levelIndexSize*len(t.Levels))...)
	h = append(h, descriptor...)
	return append(h, keyValues...)
}

const (
	orientationKey = "KTXorientation"
	orientation2D  = "rd\x00"  // value for 2D: x points right, y points down
	orientation3D  = "rdi\x00" // value for 3D: like 2D, and z points into the image
	swizzleKey     = "KTXswizzle"
	writerKey      = "KTXwriter"
)

// keyValueData returns the key/value pairs, sorted by key: orientation (the first row is the top
// row), swizzle, and writer. The writer has no version, so that new releases write the same bytes.
func keyValueData(t *texture.Texture) []byte {
	pairs := [][2]string{{orientationKey, orientation(t)}}
	if t.Swizzle != "" {
		pairs = append(pairs, [2]string{swizzleKey, t.Swizzle + "\x00"})
	}
	pairs = append(pairs, [2]string{writerKey, "assetcook\x00"})

	var kv []byte
	for _, pair := range pairs {
		kv = binary.LittleEndian.AppendUint32(kv, uint32(len(pair[0])+1+len(pair[1])))
		kv = append(kv, pair[0]...)
		kv = append(kv, 0)
		kv = append(kv, pair[1]...)
		kv = append(kv, make([]byte, alignOffset(int64(len(kv)), 4)-int64(len(kv)))...)
	}
	return kv
}

func orientation(t *texture.Texture) string {
	if t.Depth > 0 {
		return orientation3D
	}
	return orientation2D
}

// A packer compresses each level separately, as the scheme requires.
type packer struct{ *zstd.Encoder }

func newPacker(level int) (packer, error) {
	if level < 1 || level > 22 {
		return packer{}, fmt.Errorf("zstd level %d is not within 1 to 22", level)
	}
	// The encoder uses one goroutine, because then the bytes are equal on all machines. A checksum
	// is unnecessary, because the store checks whole files.
	enc, err := zstd.NewWriter(nil,
		zstd.WithEncoderLevel(zstd.EncoderLevelFromZstd(level)),
		zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false))
	return packer{enc}, err
}

func (p packer) writeLevel(ctx context.Context, w io.Writer, level []byte) error {
	p.ResetContentSize(w, int64(len(level)))
	if err := writeAll(ctx, p, level); err != nil {
		return err
	}
	return p.Close()
}

// writeAll writes data. It stops if the context is canceled.
func writeAll(ctx context.Context, w io.Writer, data []byte) error {
	_, err := ctxio.Writer(ctx, w).Write(data)
	return err
}
