// Package font is the recipe that turns a TrueType or OpenType font (.ttf, .otf, .ttc) into an
// atlas of signed distance fields, and metrics for text layout.
//
// The steps, in this order, and their files:
//
//	charset.go   list the runes
//	face.go      open the font, look up glyphs and read their outlines
//	subject.go   place the boxes of the glyphs in the atlas and draw them; package
//	             distancefield computes the distances
//	face.go      look up kerning, which package kerning reads
//	metrics.go   write the metrics, in our layout or another program's
//
// # The atlas
//
// Option field selects the meaning of a texel. With sdf the texture has one channel. The value
// 127.5 is on the outline of a glyph, and larger values are inside. 0 and 255 are at least half of
// option range away from the outline. For a value v from 0 to 1, the distance to the outline is (v
// - 0.5) * range pixels of the atlas. With linear filtering and a threshold of 0.5, glyphs are
// sharp at any size. Only their corners are rounded, within about a pixel of the atlas.
//
// With msdf the distance is the median of red, green and blue, each of which is filtered
// separately: max(min(r, g), min(max(r, g), b)). Corners stay sharp. With mtsdf, alpha also holds
// the distance of sdf, which suits glows and shadows better.
//
// # The metrics
//
// The metrics are one JSON object with data = "assetcook". Lengths are in em unless noted, and y
// grows upward from the base line, except in the atlas, where it grows downward from the top:
//
//	atlas        type: "sdf", "msdf" or "mtsdf"; width, height: pixels; size: pixels per
//	             em; range: pixels
//	metrics      units_per_em of the font; ascender, descender (negative below the
//	             base line), line_gap; a line is ascender - descender + line_gap high
//	glyphs       sorted by rune: rune: its code point; advance; plane: left, bottom,
//	             right, top of the box to draw, in em relative to the pen; atlas: the
//	             same for the box in the atlas, in pixels. A glyph without an outline,
//	             such as a space, has neither plane nor atlas
//	kerning      sorted: [first rune, second rune, how far to move the second to the
//	             right]
//
// The other values of option data select the layouts of other programs: see metrics.go.
//
// # Same bytes everywhere
//
// Package distancefield computes distances with the same rounding on all machines. With zstd = 0
// and container = "ktx2", the bytes do not depend on a compressor either.
//
// # Bitmap fonts
//
// The recipe "bmfont" copies a BMFont, in its text, XML or binary form, and replaces the names of
// its pages with the names of the cooked images (bmfont.go, bmfile.go, bmxml.go).
//
// # Hostile fonts
//
// The library that reads outlines is not hardened against hostile fonts. So it sees only the
// necessary tables of a font, through a meter that limits reads; see meter.go.
package font

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strconv"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/image/ktx2"
	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/png"
	"github.com/assetcook/assetcook/internal/image/role"
	"github.com/assetcook/assetcook/internal/image/texture"
	"github.com/assetcook/assetcook/internal/jobs"
)

// fontOptions are the options of the recipe.
type fontOptions struct {
	Field      string   `toml:"field" enum:"sdf,msdf,mtsdf" doc:"distances in the atlas: sdf has one channel, msdf three whose median keeps corners sharp, mtsdf also the plain distance in alpha"`
	Size       int      `toml:"size" min:"4" max:"1024" doc:"pixels of the atlas per em; 32 to 64 suits most text, fine details need more"`
	Range      int      `toml:"range" min:"2" max:"128" doc:"width in atlas pixels of the distance range, half on each side of an outline; text outlines and glows need more"`
	Charset    []string `toml:"charset" doc:"characters to include: a code point such as \"U+41\", or a range such as \"U+20-7E\""`
	Text       []string `toml:"text" doc:"UTF-8 files whose characters are included: names or patterns such as \"/locale/**/*.json\", relative to the source or, with a leading slash, to the asset directory; .json files add only the strings of their values"`
	Missing    string   `toml:"missing" enum:"error,skip" doc:"what to do with characters that the font does not have"`
	Kerning    bool     `toml:"kerning" doc:"write the kerning of character pairs"`
	Padding    int      `toml:"padding" min:"0" max:"64" doc:"additional empty pixels between glyphs in the atlas"`
	MaxSize    int      `toml:"max_size" min:"16" max:"16384" doc:"longest side of the atlas in pixels"`
	PowerOfTwo bool     `toml:"power_of_two" doc:"make width and height of the atlas powers of two"`
	Face       int      `toml:"face" min:"0" max:"255" doc:"number of the font in a collection (.ttc), counted from 0"`
	Container  string   `toml:"container" enum:"ktx2,png" doc:"the file type of the atlas: ktx2 (r8 or rgba8) or png"`
	Data       string   `toml:"data" enum:"assetcook,msdf-atlas-gen,bmfont,bmfont-json" doc:"layout of the metrics: assetcook's JSON, JSON of msdf-atlas-gen, or AngelCode's BMFont as XML (PixiJS and most engines) or JSON (three-bmfont-text)"`
	Zstd       int      `toml:"zstd" min:"0" max:"19" doc:"compression level of Zstandard for ktx2 files; 0 does not compress"`
}

// Recipe returns the recipe "font".
func Recipe() recipe.Recipe {
	return recipe.Recipe{
		Name: "font", Version: 7, UsesPath: true, NamesOutputs: true, Extracts: []recipe.Extract{runesOfText, runesOfJSON},
		Formats: []recipe.Format{
			{Name: "a TrueType or OpenType font", Extensions: []string{".ttf", ".otf", ".ttc", ".otc"}, Magic: []string{"\x00\x01\x00\x00", "OTTO", "true\x00", "ttcf"}},
		},
		New: func() recipe.Cooker {
			return &fontOptions{
				Field: "sdf", Size: 48, Range: 8, Charset: []string{"U+20-7E"}, Missing: "error", Kerning: true,
				Padding: 1, MaxSize: 2048, PowerOfTwo: true, Container: "ktx2", Data: "assetcook", Zstd: 3,
			}
		},
		Traits: func(c recipe.Cooker) recipe.Traits {
			o := c.(*fontOptions)
			return recipe.Traits{Check: o.checkOptions, Estimate: o.estimateMemory, Explain: o.explainResult}
		},
	}
}

// Indexes of the outputs. Programs load the metrics, which name the atlas.
const (
	metricsOutput = iota
	atlasOutput
)

// Outputs implements recipe.Cooker.
func (o *fontOptions) Outputs() []string {
	ext := ".json"
	if o.Data == "bmfont" {
		ext = ".fnt"
	}
	return []string{"{path}" + ext, "{path}." + o.Container}
}

// Cook implements recipe.Cooker.
func (o *fontOptions) Cook(ctx context.Context, job *recipe.Job) error {
	s, err := o.prepareSubject(ctx, job)
	if err != nil {
		return err
	}
	step := job.Step("kerning")
	pairs, err := s.kerningPairs(ctx)
	step()
	if err != nil {
		return err
	}
	step = job.Step("draw")
	texels, err := s.drawAtlas(ctx)
	step()
	if err != nil {
		return err
	}
	job.Hold("atlas", len(texels))
	defer job.Step("pack")()
	if err := o.writeAtlas(ctx, job, s.atlas, texels); err != nil {
		return err
	}
	out, err := job.Create(metricsOutput)
	if err != nil {
		return err
	}
	return errors.Join(s.writeMetrics(ctx, out, path.Base(job.Path()), job.Link(metricsOutput, atlasOutput), pairs), out.Close())
}

// explainResult implements Traits.Explain.
func (o *fontOptions) explainResult(ctx context.Context, job *recipe.Job) ([]string, error) {
	s, err := o.prepareSubject(ctx, job)
	if err != nil {
		return nil, err
	}
	used := 0
	for _, g := range s.glyphs {
		used += g.box.w * g.box.h
	}
	lines := []string{fmt.Sprintf("%s in %d x %d pixels, %d %% filled", countOf(len(s.glyphs), "glyph"),
		s.atlas.w, s.atlas.h, 100*used/max(1, s.atlas.w*s.atlas.h))}
	if len(s.chars) != len(s.glyphs) {
		lines = append(lines, fmt.Sprintf("%s share them", countOf(len(s.chars), "rune")))
	}
	if len(s.missing) > 0 {
		lines = append(lines, fmt.Sprintf("skipped, because the font has no glyphs: %s", listRunes(s.missing)))
	}
	pairs, err := s.kerningPairs(ctx)
	if err != nil {
		return nil, err
	}
	return append(lines, countOf(len(pairs), "kerning pair")), nil
}

func countOf(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func (o *fontOptions) writeAtlas(ctx context.Context, job *recipe.Job, size extent, texels []byte) error {
	jobs.SetRole(job, atlasOutput, role.Data.String()) // the texels are numbers, not colors
	out, err := job.Create(atlasOutput)
	if err != nil {
		return err
	}
	if o.Container == "png" {
		_, err := png.Encode(ctx, out, o.atlasImage(size, texels), png.Normal)
		return errors.Join(err, out.Close())
	}
	packing := ktx2.Supercompression{}
	if o.Zstd > 0 {
		packing = ktx2.Supercompression{Scheme: ktx2.Zstd, Level: o.Zstd}
	}
	format := texture.R8
	if o.texelChannels() == 4 {
		format = texture.RGBA8
	}
	t := &texture.Texture{Format: format, W: size.w, H: size.h, Levels: [][]byte{texels}}
	return errors.Join(ktx2.Write(ctx, out, t, packing), out.Close())
}

// texelChannels returns the bytes per texel, both while drawing and in KTX2. Three channels become
// four, because some GPUs do not support three.
func (o *fontOptions) texelChannels() int {
	if o.Field == "sdf" {
		return 1
	}
	return 4
}

// atlasImage returns the texels as an image, in gray if they have one channel.
func (o *fontOptions) atlasImage(size extent, texels []byte) *pixmap.Map {
	if o.texelChannels() == 4 {
		return &pixmap.Map{W: size.w, H: size.h, Pix8: texels}
	}
	m := pixmap.New(size.w, size.h, pixmap.Bits8)
	for i, v := range texels {
		copy(m.Pix8[4*i:], []byte{v, v, v, 255})
	}
	return m
}

// checkOptions implements Traits.Check.
func (o *fontOptions) checkOptions() error {
	for _, text := range o.Charset {
		if _, _, err := parseRange(text); err != nil {
			return err
		}
	}
	switch {
	case len(o.Charset)+len(o.Text) == 0:
		return &recipe.OptionError{Key: "charset", Got: "[]", Want: "code points, or a file in the option text"}
	case o.PowerOfTwo && o.MaxSize&(o.MaxSize-1) != 0:
		return &recipe.OptionError{Key: "max_size", Got: strconv.Itoa(o.MaxSize), Want: "a power of two, because of power_of_two = true"}
	}
	return nil
}

// maxSource limits the size of a font, in bytes. The largest collections for Chinese, Japanese and
// Korean have half of this size.
const maxSource = 256 << 20

var errLarge = errors.New("the file is larger than 256 MiB, the limit for a font")

// estimateMemory implements Traits.Estimate. The size of the atlas depends on the glyphs, so the
// estimate assumes the largest size.
func (o *fontOptions) estimateMemory(head []byte, size int64) (int64, error) {
	if size > maxSource {
		return 0, errLarge
	}
	if len(head) < 4 || string(head[:4]) != kindCollection {
		if err := checkSingleFont(head); err != nil {
			return 0, err
		}
	}
	const (
		fixed      = 24 << 20 // memory for one outline and its segments
		perByte    = 5        // bytes per byte of the font, which are allocated when it is opened
		perPair    = 32       // bytes per kerning pair, including the growth of the list
		perRune    = 256
		textMemory = 2 * maxText
		// multiOutline is the memory for the sorted outline with edge colors. multiRow is the
		// memory for rows of distances around the outline.
		multiOutline, multiRow = 16 << 20, 512
	)
	runes, text := int64(0), int64(0)
	for _, list := range o.Charset {
		if first, last, err := parseRange(list); err == nil {
			runes += int64(last-first) + 1
		}
	}
	if runes = min(runes, maxRunes); len(o.Text) > 0 {
		runes, text = maxRunes, textMemory
	}
	pairs := min(runes*runes, maxPairs)
	atlas := int64(o.texelChannels()) * int64(o.MaxSize) * int64(o.MaxSize)
	outline := int64(0)
	if o.texelChannels() > 1 {
		outline = multiOutline + multiRow*int64(o.MaxSize)
	}
	packed := int64(1 << 20)
	switch {
	case o.Container == "png":
		packed = 4*int64(o.MaxSize)*int64(o.MaxSize) + png.Memory(o.MaxSize, o.MaxSize, pixmap.Bits8)
	case o.Zstd > 0:
		packed = atlas + encoderMemoryAt(o.Zstd)
	}
	return fixed + size + perByte*(size+openingReads) + perRune*runes + perPair*pairs + text + outline + atlas + packed, nil
}

// encoderMemoryAt returns the measured memory of the encoder, without its output.
func encoderMemoryAt(level int) int64 {
	switch {
	case level < 3:
		return 10 << 20
	case level < 10:
		return 22 << 20
	}
	return 54 << 20
}
