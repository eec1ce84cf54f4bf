package dds

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/assetcook/assetcook/internal/image/texture"
)

// Write writes t to w.
func Write(ctx context.Context, w io.Writer, t *texture.Texture, h Header) error {
	form, err := h.Resolve(t)
	if err = errors.Join(t.Check(), fits(t), err); err != nil {
		return fmt.Errorf("write dds: %w", err)
	}
	if _, err := w.Write(header(t, form)); err != nil {
		return err
	}
	for p := range t.Pictures() {
		for _, level := range t.Levels {
			size := len(level) / t.Pictures()
			if err := writeAll(ctx, w, level[p*size:(p+1)*size]); err != nil {
				return err
			}
		}
	}
	return nil
}

// chunk is how much is written between two looks at the context.
const chunk = 1 << 20

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

func words(b []byte, values ...uint32) []byte {
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return b
}
