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

// pixels decodes a whole file and turns the picture upright. h is the file's header.
func (f format) pixels(ctx context.Context, data []byte, h *header) (m *pixmap.Map, err error) {
	// Decoders of other modules have panicked on hostile input before.
	defer func() {
		if r := recover(); r != nil {
			m, err = nil, fmt.Errorf("decode %s: the decoder panicked: %v", f.name, r)
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

// A library is a decoder with the functions of a package of image.
type library struct {
	config func(io.Reader) (stdimage.Config, error)
	decode func(io.Reader) (stdimage.Image, error)
}

// image decodes data with the header h.
func (l library) image(ctx context.Context, data []byte, h *header) (stdimage.Image, error) {
	// The decoder allocates what it reads from the header, so its reading must agree with the
	// checked one.
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

// pixels decodes data with the header h into a map.
func (l library) pixels(ctx context.Context, data []byte, h *header) (*pixmap.Map, error) {
	img, err := l.image(ctx, data, h)
	if err != nil {
		return nil, err
	}
	return straight(ctx, img)
}

// explain turns a decoder's error into a clear message.
func explain(ctx context.Context, name string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	// Some decoders keep only the text of the underlying error.
	if errors.Is(err, io.ErrUnexpectedEOF) || strings.HasSuffix(err.Error(), "unexpected EOF") ||
		strings.HasSuffix(err.Error(), "not enough image data") {
		return truncated(name, err)
	}
	if errors.Is(err, io.EOF) {
		return truncated(name, io.ErrUnexpectedEOF)
	}
	return fmt.Errorf("decode %s: %w", name, err)
}

// A reader reads a file in memory. It fails once the context is cancelled, so that decoders stop.
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
