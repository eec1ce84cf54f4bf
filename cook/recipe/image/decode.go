package image

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	stdimage "image"
	"image/color"
	"io"
	"strings"
)

// decode decodes a whole file. The picture is of the size that p says.
func decode(ctx context.Context, f fileFormat, data []byte, p picture) (img stdimage.Image, err error) {
	// Decoders of foreign formats have panicked on hostile input before.
	defer func() {
		if r := recover(); r != nil {
			img, err = nil, fmt.Errorf("decode %s: the file confuses the decoder: %v", f.name, r)
		}
	}()
	if 4*p.pixels() != int64(int(4*p.pixels())) {
		return nil, fmt.Errorf("decode %s: %d x %d pixels are too many for this machine", f.name, p.w, p.h)
	}
	// What the decoder will allocate is what it reads from the header, which
	// must then be what was checked.
	config, err := f.config(&source{ctx, bytes.NewReader(data)})
	if err != nil {
		return nil, explain(ctx, f.name, err)
	}
	if config.Width != p.w || config.Height != p.h {
		return nil, fmt.Errorf("decode %s: header is contradictory: %d x %d or %d x %d pixels",
			f.name, p.w, p.h, config.Width, config.Height)
	}
	img, err = f.decode(&source{ctx, bytes.NewReader(data)})
	if err != nil {
		return nil, explain(ctx, f.name, err)
	}
	if frame, ok := img.(*stdimage.Paletted); ok && f.name == "GIF" {
		if walkGIF(data).short {
			return nil, truncated(f.name, io.ErrUnexpectedEOF)
		}
		img = &screen{frame: frame, bounds: stdimage.Rect(0, 0, p.w, p.h)}
	}
	if b := img.Bounds(); b.Dx() != p.w || b.Dy() != p.h {
		return nil, fmt.Errorf("decode %s: picture is %v, its header says %d x %d", f.name, b, p.w, p.h)
	}
	return img, nil
}

// explain puts a decoder's error into words for people.
func explain(ctx context.Context, name string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	// Some decoders keep only the text of what they met.
	for _, text := range []string{"unexpected EOF", "not enough pixel data", "not enough image data"} {
		if strings.HasSuffix(err.Error(), text) {
			return truncated(name, err)
		}
	}
	if errors.Is(err, io.EOF) {
		return truncated(name, io.ErrUnexpectedEOF)
	}
	return fmt.Errorf("decode %s: %w", name, err)
}

// A screen is the first frame of a GIF where it stands on the whole picture.
type screen struct {
	frame  *stdimage.Paletted
	bounds stdimage.Rectangle
}

func (s *screen) ColorModel() color.Model    { return color.NRGBAModel }
func (s *screen) Bounds() stdimage.Rectangle { return s.bounds }

func (s *screen) At(x, y int) color.Color {
	if !(stdimage.Point{X: x, Y: y}).In(s.frame.Rect) {
		return color.NRGBA{}
	}
	return s.frame.At(x, y)
}

// A source is a file in memory that stops being readable when the context is
// cancelled, so that decoders stop too.
type source struct {
	ctx context.Context
	r   *bytes.Reader
}

func (s *source) Read(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.r.Read(p)
}

// ReadAt spares the TIFF decoder from copying the file.
func (s *source) ReadAt(p []byte, off int64) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.r.ReadAt(p, off)
}
