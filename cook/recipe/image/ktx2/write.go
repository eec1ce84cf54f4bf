package ktx2

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/assetcook/assetcook/cook/recipe/image/texture"
	"github.com/klauspost/compress/zstd"
)

// chunk is how much level data is packed or written between two looks at the
// context: a few milliseconds' worth at the slowest grade.
const chunk = 128 << 10

// Write writes t to w. It holds the packed levels in memory, because their
// sizes stand before them in the file.
func Write(ctx context.Context, w io.Writer, t *texture.Texture, s Supercompression) error {
	if err := t.Check(); err != nil {
		return fmt.Errorf("write ktx2: %w", err)
	}
	packed, alignment := t.Levels, alignment(t.Format)
	switch s.Scheme {
	case None:
	case Zstd:
		var err error
		if packed, err = packZstd(ctx, t.Levels, s.Level); err != nil {
			return fmt.Errorf("write ktx2: %w", err)
		}
		alignment = 1
	default:
		return fmt.Errorf("write ktx2: supercompression scheme %d is not supported", uint32(s.Scheme))
	}

	head := header(t, s.Scheme)
	offset := int64(len(head))
	index := head[headerSize:]
	var pads [][]byte
	for i := len(packed) - 1; i >= 0; i-- {
		start := align(offset, alignment)
		pads = append(pads, make([]byte, start-offset))
		entry := index[levelIndexSize*i:]
		binary.LittleEndian.PutUint64(entry, uint64(start))
		binary.LittleEndian.PutUint64(entry[8:], uint64(len(packed[i])))
		binary.LittleEndian.PutUint64(entry[16:], uint64(len(t.Levels[i])))
		offset = start + int64(len(packed[i]))
	}

	if err := writeAll(ctx, w, head); err != nil {
		return err
	}
	for i := len(packed) - 1; i >= 0; i-- {
		if err := writeAll(ctx, w, pads[len(packed)-1-i]); err != nil {
			return err
		}
		if err := writeAll(ctx, w, packed[i]); err != nil {
			return err
		}
	}
	return nil
}

// header returns everything before the levels, with an empty level index.
func header(t *texture.Texture, s Scheme) []byte {
	descriptor, keyValues := descriptor(t), keyValueData(t.Swizzle)
	descriptorAt := headerSize + levelIndexSize*len(t.Levels)
	keyValuesAt := descriptorAt + len(descriptor) // both are multiples of 4

	h := append(make([]byte, 0, keyValuesAt+len(keyValues)), identifier...)
	for _, v := range []int{
		int(numberOf(t)),
		typeSize(t.Format),
		t.W, t.H,
		0, // depth: not a volume
		t.Layers,
		t.Faces(),
		len(t.Levels),
		int(s),
		descriptorAt, len(descriptor),
		keyValuesAt, len(keyValues),
	} {
		h = binary.LittleEndian.AppendUint32(h, uint32(v))
	}
	h = append(h, make([]byte, 16)...) // no supercompression global data
	h = append(h, make([]byte, levelIndexSize*len(t.Levels))...)
	h = append(h, descriptor...)
	return append(h, keyValues...)
}

const (
	orientationKey = "KTXorientation"
	orientation    = "rd\x00" // x runs right, y runs down
	swizzleKey     = "KTXswizzle"
	writerKey      = "KTXwriter"
)

// keyValueData returns what is said in words, sorted by key: the first row is
// the top one, where a shader finds its channels, and who wrote the file. The
// writer has no version, so that a new release alone changes no byte.
func keyValueData(swizzle string) []byte {
	pairs := [][2]string{{orientationKey, orientation}}
	if swizzle != "" {
		pairs = append(pairs, [2]string{swizzleKey, swizzle + "\x00"})
	}
	pairs = append(pairs, [2]string{writerKey, "assetcook\x00"})

	var kv []byte
	for _, pair := range pairs {
		kv = binary.LittleEndian.AppendUint32(kv, uint32(len(pair[0])+1+len(pair[1])))
		kv = append(kv, pair[0]...)
		kv = append(kv, 0)
		kv = append(kv, pair[1]...)
		kv = append(kv, make([]byte, align(int64(len(kv)), 4)-int64(len(kv)))...)
	}
	return kv
}

// packZstd packs every level by itself, as the scheme wants it.
func packZstd(ctx context.Context, levels [][]byte, level int) ([][]byte, error) {
	if level < 1 || level > 22 {
		return nil, fmt.Errorf("zstd level %d is not within 1 to 22", level)
	}
	// One goroutine and no checksum: the same bytes on any machine, and the
	// store checks whole files anyway.
	enc, err := zstd.NewWriter(nil,
		zstd.WithEncoderLevel(zstd.EncoderLevelFromZstd(level)),
		zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false))
	if err != nil {
		return nil, err
	}
	defer enc.Close()
	packed := make([][]byte, len(levels))
	for i := len(levels) - 1; i >= 0; i-- {
		// Room for data that does not shrink: a buffer that grows by doubling
		// would hold up to three times the level while it is copied.
		var out bytes.Buffer
		out.Grow(enc.MaxEncodedSize(len(levels[i])))
		enc.ResetContentSize(&out, int64(len(levels[i])))
		if err := writeAll(ctx, enc, levels[i]); err != nil {
			return nil, err
		}
		if err := enc.Close(); err != nil {
			return nil, err
		}
		packed[i] = out.Bytes()
	}
	return packed, nil
}

func writeAll(ctx context.Context, w io.Writer, data []byte) error {
	for len(data) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := min(chunk, len(data))
		if _, err := w.Write(data[:n]); err != nil {
			return err
		}
		data = data[n:]
	}
	return nil
}
