package image

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/image/cooked"
	"github.com/assetcook/assetcook/internal/image/dds"
	"github.com/assetcook/assetcook/internal/image/ktx2"
	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/role"
	"github.com/assetcook/assetcook/internal/image/texenc"
	"github.com/assetcook/assetcook/internal/image/texture"
	"github.com/assetcook/assetcook/internal/jobs"
)

// makeTexture makes the texture of the images, and frees each image as soon as possible. Only the
// first level is ever in memory as pixels; see pixmap.MipBands.
func (s *subject) makeTexture(ctx context.Context, job *recipe.Job) (*texture.Texture, error) {
	t, f := s.describeTexture(), s.choice.Format
	n, isTexels := s.levelCount(t.W, t.H), s.isTexels()
	t.Levels = make([][]byte, n)
	for i := range t.Levels {
		w, h := texture.LevelSize(t.W, t.H, i)
		if i == 0 && isTexels {
			continue // the pixels already are the texels of this level
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
		err := s.makeSmaller(ctx, job, i, n, func(level int, band *pixmap.Map) (err error) {
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

// levelCount returns the number of levels of a texture of w by h pixels.
func (s *subject) levelCount(w, h int) int {
	n := texture.MaxLevels(w, h)
	switch {
	case s.o.prefilters():
		return pixmap.PrefilterLevels(w)
	case s.levels > 0:
		return min(n, s.levels)
	case !s.o.smallerLevels(s.role):
		return 1
	}
	return n
}

// facts returns the decisions about the subject. ext is the extension of its source.
func (s *subject) facts(ext string) jobs.Facts {
	f := jobs.Facts{Evidence: s.told}
	switch first := s.pictures[0]; {
	case s.kept != nil:
		f.Format = strings.TrimPrefix(ext, ".")
	case s.o.isPlain():
		f.Format = "png"
	case s.o.writesPictures():
		f.Format = s.o.Format
	default:
		f.Format, f.Levels = s.choice.Format.String(), s.levelCount(first.W, first.H)
		if s.describeTexture().SRGB {
			f.Format += " sRGB"
		}
	}
	return f
}

// isTexels reports whether an image's pixels are already the texels of its first level.
func (s *subject) isTexels() bool {
	return len(s.pictures) == 1 && s.choice.Format == texture.RGBA8 && s.pictures[0].Pix8 != nil
}

// mipOptions returns the options for making n levels.
func (s *subject) mipOptions(n int) pixmap.MipOptions {
	o := pixmap.MipOptions{Sampling: s.sampling(), Levels: n, Whole: s.o.wholeLevels(), Block: blockRows(s.choice.Format)}
	if s.kind == "color" {
		o.Coverage = s.o.Coverage
	}
	return o
}

// prepareTexels converts pixels to the stored values, in place.
func (s *subject) prepareTexels(ctx context.Context, m *pixmap.Map) error {
	if s.premultiplies() {
		if err := pixmap.Premultiply(ctx, m, s.colorMeaning()); err != nil {
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

// describeTexture returns the texture of the images without its levels.
func (s *subject) describeTexture() *texture.Texture {
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

// sampling returns how images are resampled.
func (s *subject) sampling() pixmap.Sampling {
	p := pixmap.Sampling{Filter: s.o.mipFilter(), Color: s.colorMeaning(), Normal: s.kind == "normal", Premultiplied: s.alphaIsNumber()}
	if s.o.Wrap == "repeat" || s.o.Wrap == "repeat-x" {
		p.WrapX = pixmap.Repeat
	}
	if s.o.Wrap == "repeat" || s.o.Wrap == "repeat-y" {
		p.WrapY = pixmap.Repeat
	}
	return p
}

// alphaIsNumber reports whether alpha is a value other than transparency.
func (s *subject) alphaIsNumber() bool {
	return s.o.Alpha == "data" || s.o.Alpha == "auto" && s.used.number && !s.o.transparent()
}

// colorMeaning returns how to interpret the values. The kind must be known.
func (s *subject) colorMeaning() pixmap.Color {
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

// mipFilter returns the filter in the options. The options must be valid.
func (o *Image) mipFilter() pixmap.Filter {
	f, _ := pixmap.ParseFilter(o.Filter)
	return f
}

// Encode makes a texture file of an image that is part of another asset, following the options.
// slot says how materials use the image. The caller must not use the image afterwards.
func (o *Image) Encode(ctx context.Context, job *recipe.Job, m *pixmap.Map, slot role.Slot) ([]byte, error) {
	if err := o.checkOptions(); err != nil {
		return nil, err
	}
	s := &subject{o: o, pictures: []*pixmap.Map{m}, used: usage{
		role: slot.Role, by: fmt.Sprintf("materials use it as %v", slot.Role), number: slot.Alpha != role.Opacity,
	}}
	if err := s.decideRole(ctx, job); err != nil {
		return nil, err
	}
	if err := s.chooseStorage(ctx, job); err != nil {
		return nil, err
	}
	if err := s.alignToBlocks(ctx, job); err != nil {
		return nil, err
	}
	t, err := s.makeTexture(ctx, job)
	if err != nil {
		return nil, err
	}
	defer job.Step("pack")()
	if o.Container == "ktx2" {
		return ktx2.Encode(ctx, t, o.packs())
	}
	var out bytes.Buffer
	err = dds.Write(ctx, &out, t, o.ddsHeader())
	return out.Bytes(), err
}

// An alpha test compares alpha after block compression. In large levels, errors above and below the
// threshold cancel out. In small levels with detail in every block, up to 6 % of all pixels were
// wrong. Such levels are encoded again, with alpha raised or lowered to compensate.
const (
	// coveringPixels is the largest level, in pixels, that may be encoded again.
	coveringPixels = coveringSide * coveringSide
	coveringSide   = 256
	coveringTries  = 5
	// coveringOff is the tolerated share of wrong pixels. Half a pixel is always tolerated.
	coveringOff = 0.001
)

// coversAlpha reports whether encoding must preserve the share of pixels that pass the alpha test.
func (s *subject) coversAlpha() bool {
	alpha := "a"
	if s.choice.Swizzle != "" {
		alpha = s.choice.Swizzle[3:]
	}
	wide, _, _ := s.choice.Format.Block()
	return s.kind == "color" && s.o.Coverage > 0 && wide > 1 && strings.Contains(s.choice.Format.Channels(), alpha)
}

// encodeCovering appends the blocks of a level. It encodes the level several times, and keeps the
// blocks whose coverage is nearest to the image's coverage. It does not change the level.
func (s *subject) encodeCovering(ctx context.Context, encoder *texenc.Encoder, dst []byte, level *pixmap.Map, cover *pixmap.Coverage) ([]byte, error) {
	at, least := len(dst), math.Inf(1)
	more, enough, tooFew := 0.0, math.Inf(1), math.Inf(-1) // number of pixels requested beyond the target, and its bounds
	var best []byte
	for range coveringTries {
		m := &pixmap.Map{W: level.W, H: level.H, Pix8: slices.Clone(level.Pix8), Pix16: slices.Clone(level.Pix16), PixF: slices.Clone(level.PixF)}
		if err := cover.Keep(ctx, m, more); err != nil {
			return nil, err
		}
		if err := s.prepareTexels(ctx, m); err != nil {
			return nil, err
		}
		var err error
		if dst, err = encoder.Append(ctx, dst[:at], m); err != nil {
			return nil, err
		}
		decoded, err := cooked.Level(ctx, &texture.Texture{
			Format: encoder.Format, SRGB: s.srgb, Swizzle: s.choice.Swizzle, W: m.W, H: m.H, Levels: [][]byte{dst[at:]},
		}, 0, 0)
		if err != nil {
			return nil, err
		}
		beyond, err := cover.Beyond(ctx, decoded)
		if err != nil {
			return nil, err
		}
		if off := math.Abs(beyond); off < least {
			best, least = append(best[:0], dst[at:]...), off
		}
		if least <= max(0.5, coveringOff*float64(m.W)*float64(m.H)) {
			break
		}
		if beyond > 0 {
			enough = min(enough, more)
		} else {
			tooFew = max(tooFew, more)
		}
		if more -= beyond; more <= tooFew || more >= enough {
			more = (tooFew + enough) / 2
		}
	}
	return append(dst[:at], best...), nil
}
