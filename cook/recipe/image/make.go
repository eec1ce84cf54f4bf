package image

import (
	"context"
	"strings"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/cook/recipe/image/dds"
	"github.com/assetcook/assetcook/cook/recipe/image/pixel"
	"github.com/assetcook/assetcook/cook/recipe/image/texel"
	"github.com/assetcook/assetcook/cook/recipe/image/texture"
)

// texture makes the texture of the pictures, and drops each as soon as it can.
func (s *subject) texture(ctx context.Context, job *recipe.Job) (*texture.Texture, error) {
	t, f := s.description(), s.choice.Format
	n := 1
	if s.o.Mips {
		n = texture.MaxLevels(t.W, t.H)
	}
	t.Levels = make([][]byte, n)
	for i := range t.Levels {
		if w, h := texture.LevelSize(t.W, t.H, i); t.Pictures() > 1 {
			t.Levels[i] = make([]byte, 0, int64(t.Pictures())*f.Bytes(w, h))
		}
	}
	for i := range s.pictures {
		levels, err := s.levels(ctx, i, n)
		if err != nil {
			return nil, err
		}
		for _, m := range levels[1:] {
			job.Hold("pixels", m.Bytes())
		}
		for j := range levels {
			data, err := s.encode(ctx, levels[j])
			if err != nil {
				return nil, err
			}
			levels[j] = nil
			if t.Pictures() == 1 {
				t.Levels[j] = data
				continue
			}
			t.Levels[j] = append(t.Levels[j], data...)
		}
	}
	return t, nil
}

// description returns the texture that the pictures become, without its levels.
func (s *subject) description() *texture.Texture {
	first, f := s.pictures[0], s.choice.Format
	t := &texture.Texture{
		Format: f, SRGB: s.srgb && f.HasSRGB(), Swizzle: s.choice.Swizzle,
		Premultiplied: s.premultiplies(), W: first.W, H: first.H, Cube: s.o.Cube != "none",
	}
	if n := len(s.o.Layers); n > 0 {
		t.Layers = n + 1
	}
	return t
}

// levels returns n levels of the i-th picture, which is needed no longer.
func (s *subject) levels(ctx context.Context, i, n int) ([]*pixel.Map, error) {
	m := s.pictures[i]
	s.pictures[i] = nil
	o := pixel.MipOptions{Sampling: s.sampling(), Levels: n}
	if s.kind == "color" {
		o.Coverage = s.o.Coverage
	}
	return pixel.Mips(ctx, m, o)
}

// encode turns a level into texels.
func (s *subject) encode(ctx context.Context, m *pixel.Map) ([]byte, error) {
	if s.premultiplies() {
		if err := pixel.Premultiply(ctx, m, s.color()); err != nil {
			return nil, err
		}
	}
	if from := s.choice.From; from != 0 && from != 'r' {
		zero := pixel.Part{Channel: pixel.Channel{Of: '0'}}
		var err error
		m, err = pixel.Assemble(ctx, m.W, m.H, m.Depth(), [4]pixel.Part{
			{From: m, Channel: pixel.Channel{Of: from}}, zero, zero, {Channel: pixel.Channel{Of: '1'}},
		})
		if err != nil {
			return nil, err
		}
	}
	o := texel.Options{Quality: s.o.quality(), SRGB: s.srgb}
	if s.choice.Format == texture.BC7 {
		o.WeighAlpha, o.RDO = s.o.WeighAlpha && s.kind == "color", s.o.RDO
	}
	return texel.Encode(ctx, s.choice.Format, m, o)
}

// premultiplies reports whether colours are multiplied by alpha.
func (s *subject) premultiplies() bool {
	return s.o.Premultiply && s.kind == "color" && strings.Contains(s.choice.Format.Channels(), "a")
}

// sampling is how pictures change their size.
func (s *subject) sampling() pixel.Sampling {
	p := pixel.Sampling{Filter: s.o.filter(), Color: s.color(), Normal: s.kind == "normal"}
	if s.o.Wrap == "repeat" || s.o.Wrap == "repeat-x" {
		p.WrapX = pixel.Repeat
	}
	if s.o.Wrap == "repeat" || s.o.Wrap == "repeat-y" {
		p.WrapY = pixel.Repeat
	}
	return p
}

// color is what the numbers are, now that the kind is known.
func (s *subject) color() pixel.Color {
	switch {
	case s.kind != "color":
		return pixel.Data
	case s.srgb:
		return pixel.SRGB
	}
	return pixel.Linear
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

// filter and quality are what the options call so; they may be no other words.
func (o *Image) filter() pixel.Filter {
	f, _ := pixel.ParseFilter(o.Filter)
	return f
}

func (o *Image) quality() texel.Quality {
	switch o.Quality {
	case "fast":
		return texel.Fast
	case "best":
		return texel.Best
	}
	return texel.Normal
}
