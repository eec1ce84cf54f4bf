package source

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	stdimage "image"
	"io"
	"strings"

	"github.com/assetcook/assetcook/internal/image/pixmap"
)

// pixels decodes a whole file whose header is h, upright.
func (f format) pixels(ctx context.Context, data []byte, h *header) (m *pixmap.Map, err error) {
	// Decoders of foreign formats have panicked on hostile input before.
	defer func() {
		if r := recover(); r != nil {
			m, err = nil, fmt.Errorf("decode %s: the file confuses the decoder: %v", f.name, r)
		}
	}()
	if n := h.mapBytes() + h.decoder; n != int64(int(n)) {
		return nil, fmt.Errorf("decode %s: %d x %d pixels are too many for this machine", f.name, h.w, h.h)
	}
	m, err = f.decode(ctx, data, h)
	if err != nil {
		return nil, explain(ctx, f.name, err)
	}
	if m.W != h.w || m.H != h.h || m.Depth() != h.depth {
		return nil, fmt.Errorf("decode %s: picture is %d x %d pixels of depth %d, its header says %d x %d of %d",
			f.name, m.W, m.H, m.Depth(), h.w, h.h, h.depth)
	}
	return upright(ctx, m, h.orientation)
}

// A library is a decoder in the form that package image gives them.
type library struct {
	config func(io.Reader) (stdimage.Config, error)
	decode func(io.Reader) (stdimage.Image, error)
}

// image decodes data, whose header is h.
func (l library) image(ctx context.Context, data []byte, h *header) (stdimage.Image, error) {
	// What the decoder will allocate is what it reads from the header, which
	// must then be what was checked.
	config, err := l.config(&reader{ctx, bytes.NewReader(data)})
	if err != nil {
		return nil, err
	}
	if config.Width != h.w || config.Height != h.h {
		return nil, fmt.Errorf("header is contradictory: %d x %d or %d x %d pixels", h.w, h.h, config.Width, config.Height)
	}
	img, err := l.decode(&reader{ctx, bytes.NewReader(data)})
	if err != nil {
		return nil, err
	}
	if b := img.Bounds(); b.Dx() != h.w || b.Dy() != h.h {
		return nil, fmt.Errorf("picture is %v, its header says %d x %d", b, h.w, h.h)
	}
	return img, nil
}

// pixels decodes data, whose header is h, into a map.
func (l library) pixels(ctx context.Context, data []byte, h *header) (*pixmap.Map, error) {
	img, err := l.image(ctx, data, h)
	if err != nil {
		return nil, err
	}
	return straight(ctx, img)
}

// explain puts a decoder's error into words for people.
func explain(ctx context.Context, name string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	// Some decoders keep only the text of what they met.
	if errors.Is(err, io.ErrUnexpectedEOF) || strings.HasSuffix(err.Error(), "unexpected EOF") ||
		strings.HasSuffix(err.Error(), "not enough image data") {
		return truncated(name, err)
	}
	if errors.Is(err, io.EOF) {
		return truncated(name, io.ErrUnexpectedEOF)
	}
	return fmt.Errorf("decode %s: %w", name, err)
}

// A reader is a file in memory that stops being readable when the context is
// cancelled, so that decoders stop too.
type reader struct {
	ctx context.Context
	r   *bytes.Reader
}

func (s *reader) Read(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.r.Read(p)
}
