// Package font is the recipe that turns a TrueType or OpenType font (.ttf, .otf, .ttc)
// into an atlas of signed distance fields, and metrics to set text with.
//
// What it does, in this order, and the files that do it:
//
//	charset.go   the runes are listed
//	face.go      the font is opened, glyphs are looked up and their outlines read
//	pack.go      boxes of the glyphs are placed in the atlas
//	field        distances are measured (a package)
//	pairs.go     kerning is looked up, which package kerning reads
//	metrics.go   the metrics are written, or by layouts.go, as other programs do
//
// # The atlas
//
// Option field says what a texel holds. With sdf it is a texture of one channel: 127.5 is the
// outline of a glyph, more is inside, 0 and 255 are half of the option range or more away from
// it: at value v, from 0 to 1, the distance to the outline is (v - 0.5) * range pixels of the
// atlas. Filtered linearly and cut at 0.5 it gives sharp glyphs at any size, but for their
// corners, which are round within a pixel of the atlas or so.
//
// With msdf the distance is the median of red, green and blue, each of which is filtered by
// itself: max(min(r, g), min(max(r, g), b)). Corners stay sharp. With mtsdf alpha has the
// distance besides, as sdf has it, which suits glows and shadows better.
//
// # The metrics
//
// One JSON object with data = "assetcook"; lengths are in em unless they say otherwise, y grows
// upward from the base line, except in the atlas, where it grows downward from the top:
//
//	atlas        type: "sdf", "msdf" or "mtsdf"; width, height: pixels; size: pixels per
//	             em; range: pixels
//	metrics      units_per_em of the font; ascender, descender (negative below the
//	             base line), line_gap; a line is ascender - descender + line_gap high
//	glyphs       sorted by rune: rune: its number; advance; plane and atlas: left,
//	             bottom, right, top of the box to draw, from the pen's place in em, and
//	             of where that is in the atlas, in pixels. A glyph that has nothing
//	             to draw, such as a space, has neither
//	kerning      sorted: [first rune, second rune, how far the second is moved to the
//	             right]
//
// The other values of data are the layouts of other programs: see layouts.go.
//
// # Same bytes everywhere
//
// Distances are computed by package field, which rounds alike on all machines. With
// zstd = 0 and container = "ktx2" the bytes do not depend on any compressor either.
//
// # Hostile fonts
//
// The library that reads outlines is not hardened, so it is shown no more of a font
// than it needs, and through a meter that ends what reads too much; see meter.go.
package font

import (
	"context"
	"errors"
	"fmt"
	"path"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/image/ktx2"
	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/png"
	"github.com/assetcook/assetcook/internal/image/texture"
)

// Font holds the options of the recipe.
type Font struct {
	Field      string   `toml:"field" enum:"sdf,msdf,mtsdf" doc:"distances of the atlas: sdf has one channel, msdf three whose median keeps corners sharp, mtsdf those and the plain distance in alpha"`
	Size       int      `toml:"size" min:"4" max:"1024" doc:"pixels of the atlas that 1 em takes; 32 to 64 suits most text, fine details need more"`
	Range      int      `toml:"range" min:"2" max:"128" doc:"pixels of the atlas that distances reach, half of them to each side of an outline; outlines and glows need more"`
	Charset    []string `toml:"charset" doc:"runes to take: \"U+41\", or from one to another: \"U+20-7E\""`
	Text       []string `toml:"text" doc:"files in UTF-8 whose runes are taken as well, by names or patterns such as \"/locale/**/*.json\", relative to the source or, with a slash in front, to the asset folder; of .json files the strings that are values"`
	Missing    string   `toml:"missing" enum:"error,skip" doc:"what to do about runes that the font has no glyph for"`
	Kerning    bool     `toml:"kerning" doc:"write pairs of runes that move together or apart"`
	Padding    int      `toml:"padding" min:"0" max:"64" doc:"pixels left free between glyphs in the atlas, besides the range around them"`
	MaxSize    int      `toml:"max_size" min:"16" max:"16384" doc:"longest side of the atlas in pixels"`
	PowerOfTwo bool     `toml:"power_of_two" doc:"sides of the atlas are powers of two"`
	Face       int      `toml:"face" min:"0" max:"255" doc:"which font of a collection (.ttc), the first is 0"`
	Container  string   `toml:"container" enum:"ktx2,png" doc:"the file that the atlas is put in: ktx2 (r8 or rgba8) or png"`
	Data       string   `toml:"data" enum:"assetcook,msdf-atlas-gen,bmfont,bmfont-json" doc:"layout of the metrics: assetcook's JSON, that of msdf-atlas-gen, or AngelCode's BMFont as XML (PixiJS and most engines) or JSON (three-bmfont-text)"`
	Zstd       int      `toml:"zstd" min:"0" max:"19" doc:"effort to pack ktx2 with Zstandard; 0 leaves it as it is"`
}

// Recipe returns the recipe "font".
func Recipe() recipe.Recipe {
	return recipe.Recipe{
		Name: "font", Version: 5, UsesPath: true, NamesOutputs: true, Extracts: []recipe.Extract{runesOfText, runesOfJSON},
		Formats: []recipe.Format{
			{Name: "a TrueType or OpenType font", Extensions: []string{".ttf", ".otf", ".ttc", ".otc"}, Magic: []string{"\x00\x01\x00\x00", "OTTO", "true\x00", "ttcf"}},
		},
		New: func() recipe.Cooker {
			return &Font{
				Field: "sdf", Size: 48, Range: 8, Charset: []string{"U+20-7E"}, Missing: "error", Kerning: true,
				Padding: 1, MaxSize: 2048, PowerOfTwo: true, Container: "ktx2", Data: "assetcook", Zstd: 3,
			}
		},
	}
}

// Outputs implements recipe.Cooker.
func (o *Font) Outputs() []string {
	ext := ".json"
	if o.Data == "bmfont" {
		ext = ".fnt"
	}
	return []string{"{path}." + o.Container, "{path}" + ext}
}

// Cook implements recipe.Cooker.
func (o *Font) Cook(ctx context.Context, job *recipe.Job) error {
	s, err := o.prepare(ctx, job)
	if err != nil {
		return err
	}
	step := job.Step("kerning")
	pairs, err := s.pairs(ctx)
	step()
	if err != nil {
		return err
	}
	step = job.Step("draw")
	texels, err := s.draw(ctx)
	step()
	if err != nil {
		return err
	}
	job.Hold("atlas", len(texels))
	defer job.Step("pack")()
	if err := o.writeAtlas(ctx, job, s.atlas, texels); err != nil {
		return err
	}
	out, err := job.Create(1)
	if err != nil {
		return err
	}
	return errors.Join(s.writeMetrics(ctx, out, path.Base(job.Path()), job.Link(1, 0), pairs), out.Close())
}

// Explain implements recipe.Explainer.
func (o *Font) Explain(ctx context.Context, job *recipe.Job) ([]string, error) {
	s, err := o.prepare(ctx, job)
	if err != nil {
		return nil, err
	}
	used := 0
	for _, g := range s.glyphs {
		used += g.box.w * g.box.h
	}
	lines := []string{fmt.Sprintf("%s in %d x %d pixels, %d %% filled", count(len(s.glyphs), "glyph"),
		s.atlas.w, s.atlas.h, 100*used/max(1, s.atlas.w*s.atlas.h))}
	if len(s.chars) != len(s.glyphs) {
		lines = append(lines, fmt.Sprintf("%s share them", count(len(s.chars), "rune")))
	}
	if len(s.missing) > 0 {
		lines = append(lines, fmt.Sprintf("skipped, for the font has no glyphs for them: %s", listRunes(s.missing)))
	}
	pairs, err := s.pairs(ctx)
	if err != nil {
		return nil, err
	}
	return append(lines, count(len(pairs), "kerning pair")), nil
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func (o *Font) writeAtlas(ctx context.Context, job *recipe.Job, size extent, texels []byte) error {
	out, err := job.Create(0)
	if err != nil {
		return err
	}
	if o.Container == "png" {
		_, err := png.Encode(ctx, out, o.picture(size, texels), png.Normal)
		return errors.Join(err, out.Close())
	}
	packing := ktx2.Supercompression{}
	if o.Zstd > 0 {
		packing = ktx2.Supercompression{Scheme: ktx2.Zstd, Level: o.Zstd}
	}
	format := texture.R8
	if o.channels() == 4 {
		format = texture.RGBA8
	}
	t := &texture.Texture{Format: format, W: size.w, H: size.h, Levels: [][]byte{texels}}
	return errors.Join(ktx2.Write(ctx, out, t, packing), out.Close())
}

// channels returns how many bytes a texel has while it is drawn, and in ktx2, which has no
// three that all graphics processors take.
func (o *Font) channels() int {
	if o.Field == "sdf" {
		return 1
	}
	return 4
}

// picture returns the texels as a picture, gray if they have one channel.
func (o *Font) picture(size extent, texels []byte) *pixmap.Map {
	if o.channels() == 4 {
		return &pixmap.Map{W: size.w, H: size.h, Pix8: texels}
	}
	m := pixmap.New(size.w, size.h, pixmap.Bits8)
	for i, v := range texels {
		copy(m.Pix8[4*i:], []byte{v, v, v, 255})
	}
	return m
}
