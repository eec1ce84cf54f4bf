package ktx2

import (
	"context"
	"io"
	"slices"

	"github.com/assetcook/assetcook/internal/image/texture"
)

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
