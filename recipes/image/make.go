package image

import (
	"context"
	"strings"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/image/dds"
	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/texenc"
	"github.com/assetcook/assetcook/internal/image/texture"
)

// texture makes the texture of the pictures, and drops each as soon as it can. Only the first
// level is ever in memory as pixels: see pixmap.MipBands.
func (s *subject) texture(ctx context.Context, job *recipe.Job) (*texture.Texture, error) {
	t, f := s.description(), s.choice.Format
	n, isTexels := texture.MaxLevels(t.W, t.H), s.isTexels()
	switch {
	case s.o.prefilters():
		n = pixmap.PrefilterLevels(t.W)
	case s.levels > 0:
		n = min(n, s.levels)
	case !s.o.smallerLevels(s.role):
		n = 1
	}
	t.Levels = make([][]byte, n)
	for i := range t.Levels {
		w, h := texture.LevelSize(t.W, t.H, i)
		if i == 0 && isTexels {
			continue // its pixels will be the level
		}
		t.Levels[i] = make([]byte, 0, int64(t.Images())*f.Bytes(w, h))
		job.Hold("texels", cap(t.Levels[i]))
	}
	encoder := texenc.Encoder{Format: f, Options: s.encoding(), Each: job.Each}
	for i, m := range s.pictures {
		encode := func(level int, band *pixmap.Map) (err error) {
			defer job.Step("encode")()
			t.Levels[level], err = encoder.Append(ctx, t.Levels[level], band)
			return err
		}
		var cover *pixmap.Coverage
		if n > 1 && s.coversAlpha() {
			var err error
			if cover, err = pixmap.NewCoverage(ctx, m, s.o.Coverage); err != nil {
				return nil, err
			}
		}
		mips := job.Step("mipmaps")
		err := s.smaller(ctx, job, i, n, func(level int, band *pixmap.Map) (err error) {
			if cover != nil && band.W*band.H <= coveringPixels {
				defer job.Step("encode")()
				t.Levels[level], err = s.encodeCovering(ctx, &encoder, t.Levels[level], band, cover)
				return err
			}
			if err := s.prepareTexels(ctx, band); err != nil {
				return err
			}
			return encode(level, band)
		})
		s.pictures[i] = nil
		mips()
		if err == nil {
			err = s.prepareTexels(ctx, m)
		}
		if err != nil {
			return nil, err
		}
		if isTexels {
			t.Levels[0] = m.Pix8
			continue
		}
		rows := s.o.rowsAtOnce(f, m.W, m.H, m.Depth())
		for y := 0; y < m.H; y += rows {
			if err := encode(0, m.Band(y, rows)); err != nil {
				return nil, err
			}
		}
	}
	return t, nil
}

// isTexels reports whether the pixels of a picture are the texels of its first level.
func (s *subject) isTexels() bool {
	return len(s.pictures) == 1 && s.choice.Format == texture.RGBA8 && s.pictures[0].Pix8 != nil
}

// mipOptions returns the options for n levels.
func (s *subject) mipOptions(n int) pixmap.MipOptions {
	o := pixmap.MipOptions{Sampling: s.sampling(), Levels: n, Whole: s.o.wholeLevels(), Block: blockRows(s.choice.Format)}
	if s.kind == "color" {
		o.Coverage = s.o.Coverage
	}
	return o
}

// prepareTexels converts pixels to the stored numbers, in place.
func (s *subject) prepareTexels(ctx context.Context, m *pixmap.Map) error {
	if s.premultiplies() {
		if err := pixmap.Premultiply(ctx, m, s.color()); err != nil {
			return err
		}
	}
	if s.choice.XXXY {
		return pixmap.SpreadXY(ctx, m)
	}
	if from := s.choice.From; from != 0 && from != 'r' {
		return pixmap.Isolate(ctx, m, from)
	}
	return nil
}

// description returns the texture of the pictures without its levels.
func (s *subject) description() *texture.Texture {
	first, f := s.pictures[0], s.choice.Format
	t := &texture.Texture{
		Format: f, SRGB: s.srgb && f.HasSRGB(), Swizzle: s.choice.Swizzle,
		Premultiplied: s.premultiplies(), Opaque: s.opaque, W: first.W, H: first.H, Cube: s.o.Cube != "none",
	}
	if n := len(s.o.Layers); n > 0 {
		t.Layers = n + 1
	}
	return t
}

// premultiplies reports whether colors are multiplied by alpha.
func (s *subject) premultiplies() bool {
	return s.o.Premultiply && s.kind == "color" && strings.Contains(s.choice.Format.Channels(), "a")
}

// sampling returns how pictures are resampled.
func (s *subject) sampling() pixmap.Sampling {
	p := pixmap.Sampling{Filter: s.o.filter(), Color: s.color(), Normal: s.kind == "normal", Premultiplied: s.alphaIsNumber()}
	if s.o.Wrap == "repeat" || s.o.Wrap == "repeat-x" {
		p.WrapX = pixmap.Repeat
	}
	if s.o.Wrap == "repeat" || s.o.Wrap == "repeat-y" {
		p.WrapY = pixmap.Repeat
	}
	return p
}

// alphaIsNumber reports whether alpha is not transparency.
func (s *subject) alphaIsNumber() bool {
	return s.o.Alpha == "data" || s.o.Alpha == "auto" && s.used.number && !s.o.transparent()
}

// color returns the meaning of the numbers, once the kind is known.
func (s *subject) color() pixmap.Color {
	switch {
	case s.kind != "color":
		return pixmap.Data
	case s.srgb:
		return pixmap.SRGB
	}
	return pixmap.Linear
}

func (o *Image) ddsHeader() dds.Header {
	switch o.DDSHeader {
	case "legacy":
		return dds.Legacy
	case "dx10":
		return dds.DX10
	}
	return dds.Auto
}

// filter returns the filter of the options, which have been checked.
func (o *Image) filter() pixmap.Filter {
	f, _ := pixmap.ParseFilter(o.Filter)
	return f
}
