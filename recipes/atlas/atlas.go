// Package atlas is the recipe that packs many images, sprites, into few textures, and describes
// their places in JSON that PixiJS, Phaser and Godot read.
//
// The steps, in this order:
//
//	list.go     the source names the images, by patterns
//	sprite.go   read them, cut off empty edges, and join equal ones
//	layout.go   find a place for each; see package rectpack
//	page.go     paint pages, and make textures of them with the recipe image
//	data.go     write the JSON
//
// # Units
//
// A page with n smaller levels is laid out in units of 2^n pixels: each sprite begins at a
// multiple of the unit, and options border, extrude and padding count units. So no texel of any
// level mixes two sprites. On the smallest level, the distance between sprites is the option's
// number of texels, and on each larger level twice as many.
//
// # Places that stay
//
// A layout depends only on the sprites and the options, as all cooked files do. So one new sprite
// moves most of the others. If this matters, for example because players download only the
// differences, option keep names the JSON of an earlier atlas, whose places are kept.
package atlas

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/png"
	"github.com/assetcook/assetcook/internal/image/webp"
	"github.com/assetcook/assetcook/internal/rectpack"
	"github.com/assetcook/assetcook/recipes/image"
)

// Atlas holds the options of the recipe.
type Atlas struct {
	Artifacts bool `toml:"artifacts" doc:"patterns also match artifacts of other assets, as if they were in the asset directory"`

	Trim      bool `toml:"trim" doc:"cut off the edges of sprites whose alpha is at most trim_alpha"`
	TrimAlpha int  `toml:"trim_alpha" min:"0" max:"254" doc:"alpha up to which a pixel counts as empty, 0 to 254"`
	Rotate    bool `toml:"rotate" doc:"sprites may be rotated clockwise by 90 degrees to save space; PixiJS rotates them back, Phaser and Godot do not"`
	Padding   int  `toml:"padding" min:"0" max:"256" doc:"pixels between sprites, on the smallest level"`
	Extrude   int  `toml:"extrude" min:"0" max:"256" doc:"pixels by which the edges of sprites are repeated, on the smallest level, for tiles that touch"`
	Border    int  `toml:"border" min:"0" max:"256" doc:"empty pixels along the edges of a page, on the smallest level"`
	MaxSize   int  `toml:"max_size" min:"1" max:"16384" doc:"longest allowed side of a page, in pixels"`
	POT       bool `toml:"pot" doc:"sides of pages are powers of two"`
	Square    bool `toml:"square" doc:"pages are square"`
	Pages     int  `toml:"pages" min:"1" max:"64" doc:"number of pages; unneeded pages have one pixel"`

	Keep []string `toml:"keep" doc:"JSON of an earlier atlas, one file per output: sprites with the same size keep their places"`
	Data string   `toml:"data" enum:"hash,multiatlas,tpsheet" doc:"layout of the JSON: hash for PixiJS and Phaser, multiatlas for Phaser with pages, tpsheet for Godot's importer of TexturePacker files"`
	Name string   `toml:"name" enum:"path,stem,base" doc:"names of the sprites: their path from the source's directory, the path without extension, or only its last part"`

	Scales []float64 `toml:"scales" min:"0.01" max:"16" doc:"scales of pages and JSON, such as [1, 0.5] for name.png and name@0.5x.png; sprites are drawn at the largest scale"`

	Container   string  `toml:"container" enum:"png,webp,ktx2,dds" doc:"the file type of pages; webp is lossless"`
	Mips        int     `toml:"mips" min:"0" max:"10" doc:"number of smaller levels in ktx2 and dds files"`
	Format      string  `toml:"format" enum:"auto,bc1,bc1a,bc3,bc7,rgba8" doc:"how texels of ktx2 and dds files are stored; auto chooses by the page"`
	Quality     string  `toml:"quality" enum:"fast,normal,best" doc:"encoding effort for bc1 to bc7, and png"`
	SRGB        bool    `toml:"srgb" doc:"colors are sRGB, false: linear light"`
	Premultiply bool    `toml:"premultiply" doc:"multiply colors by alpha, in linear light"`
	RDO         float64 `toml:"rdo" min:"0" max:"10" doc:"PSNR in dB that bc7 may lose for blocks that Zstandard packs better; 0 for none"`
	Zstd        int     `toml:"zstd" min:"0" max:"19" doc:"effort to pack levels of ktx2 with Zstandard; 0 does not pack them"`
}

// Recipe returns the recipe "atlas".
func Recipe() recipe.Recipe {
	return recipe.Recipe{
		Name: "atlas", Version: 6, UsesPath: true, NamesOutputs: true, Bundles: true, Extensions: []string{".sprites"}, Recognizes: isList,
		New: func() recipe.Cooker {
			return &Atlas{
				Trim: true, Padding: 2, MaxSize: 2048, Pages: 1, Data: "hash", Name: "path",
				Container: "png", Format: "auto", Quality: "normal", SRGB: true, Zstd: 3,
			}
		},
		Traits: func(c recipe.Cooker) recipe.Traits {
			o := c.(*Atlas)
			return recipe.Traits{IgnoresArtifacts: !o.Artifacts, Check: o.checkOptions, Estimate: o.estimateMemory}
		},
	}
}

// Outputs implements recipe.Cooker. For each scale it lists the pages, then a JSON file for each
// page or one for all.
func (o *Atlas) Outputs() []string {
	var list []string
	for _, scale := range o.scales() {
		stem := "{dir}/{stem}"
		if scale != 1 {
			stem += "@" + formatScale(scale) + "x"
		}
		for i := range o.Pages {
			list = append(list, stem+suffix(i)+"."+o.Container)
		}
		for i := range o.jsonFiles() {
			list = append(list, stem+suffix(i)+"."+o.dataExt())
		}
	}
	return list
}

// scales returns the scales of the outputs.
func (o *Atlas) scales() []float64 {
	if len(o.Scales) == 0 {
		return []float64{1}
	}
	return o.Scales
}

func formatScale(scale float64) string { return strconv.FormatFloat(scale, 'f', -1, 64) }

// jsonFiles returns the number of JSON files of a scale.
func (o *Atlas) jsonFiles() int {
	if o.Data == "hash" {
		return o.Pages
	}
	return 1
}

// isImageContainer reports whether pages are ordinary images, not textures.
func (o *Atlas) isImageContainer() bool { return o.Container == "png" || o.Container == "webp" }

// suffix returns the end of a page's name.
func suffix(page int) string {
	if page == 0 {
		return ""
	}
	return "-" + strconv.Itoa(page)
}

func (o *Atlas) dataExt() string {
	if o.Data == "tpsheet" {
		return "tpsheet"
	}
	return "json"
}

// checkOptions implements Traits.Check.
func (o *Atlas) checkOptions() error {
	switch {
	case o.Data != "hash" && o.Rotate:
		return &recipe.OptionError{Key: "rotate", Got: "true", Want: fmt.Sprintf("false with data = %q: neither Phaser nor Godot turns sprites back", o.Data)}
	case o.isImageContainer() && o.Mips > 0:
		return &recipe.OptionError{Key: "mips", Got: strconv.Itoa(o.Mips), Want: fmt.Sprintf(`0 with container = %q, which has one level`, o.Container)}
	case o.isImageContainer() && o.Premultiply:
		return &recipe.OptionError{Key: "premultiply", Got: "true", Want: fmt.Sprintf(`false with container = %q, which is not premultiplied`, o.Container)}
	case len(o.Scales) > 0 && len(o.Keep) > 0:
		return &recipe.OptionError{Key: "keep", Got: fmt.Sprintf("%q", o.Keep), Want: "none with scales, of which each has places of its own"}
	case len(o.pageSides()) == 0:
		return &recipe.OptionError{Key: "max_size", Got: strconv.Itoa(o.MaxSize), Want: fmt.Sprintf("more than %d, because of border and mips", 2*o.Border*o.unitPixels())}
	}
	for i, scale := range o.Scales {
		if slices.Contains(o.Scales[:i], scale) {
			return &recipe.OptionError{Key: "scales", Got: fmt.Sprint(o.Scales), Want: "each scale once"}
		}
	}
	if o.isImageContainer() {
		return nil
	}
	return image.Recipe().Traits(o.textureOptions()).Check()
}

// textureOptions returns the options for making textures of pages.
func (o *Atlas) textureOptions() *image.Image {
	t := image.Recipe().New().(*image.Image)
	t.Container, t.Format, t.Quality, t.Kind, t.SRGB = o.Container, o.Format, o.Quality, "color", o.SRGB
	t.Premultiply, t.RDO, t.Zstd, t.Mips = o.Premultiply, o.RDO, o.Zstd, strconv.FormatBool(o.Mips > 0)
	return t
}

// maxList is the size limit of a source, in bytes.
const maxList = 1 << 20

// estimateMemory implements Traits.Estimate. It knows only the source, not the sprites: it assumes
// that they fill the pages, and that one batch is read at a time.
func (o *Atlas) estimateMemory(_ []byte, size int64) (int64, error) {
	if size > maxList {
		return 0, fmt.Errorf("%d bytes of patterns: at most %d are taken", size, maxList)
	}
	page := 4 * int64(o.MaxSize) * int64(o.MaxSize)
	painting := png.Memory(o.MaxSize, o.MaxSize, pixmap.Bits8)
	switch {
	case o.Container == "webp":
		painting = webp.Memory(o.MaxSize, o.MaxSize)
	case !o.isImageContainer():
		painting = o.textureOptions().Memory(o.MaxSize, o.MaxSize)
	}
	return 16<<20 + int64(o.Pages)*page + max(page+painting, o.batch()+o.largestImage()), nil
}

// Cook implements recipe.Cooker.
func (o *Atlas) Cook(ctx context.Context, job *recipe.Job) error {
	if err := o.checkOptions(); err != nil {
		return err
	}
	files, err := o.listedImages(job)
	if err != nil {
		return err
	}
	for i, scale := range o.scales() {
		a := &atlas{scale: scale, first: i * (o.Pages + o.jsonFiles())}
		if err := o.cookScale(ctx, job, files, a); err != nil {
			return err
		}
	}
	return nil
}

// cookScale makes the outputs of a scale.
func (o *Atlas) cookScale(ctx context.Context, job *recipe.Job, files []file, a *atlas) error {
	if err := o.assembleAtlas(ctx, job, files, a); err != nil {
		return err
	}
	if used := len(a.layout.Pages); used < o.Pages {
		job.Warn("%d of %d pages would do; the others hold one pixel", max(used, 1), o.Pages)
	}
	for i := range o.Pages {
		if err := o.writeAtlasPage(ctx, job, i, a); err != nil {
			return err
		}
	}
	return o.writeAtlasData(job, a)
}

// An atlas is the layout of one scale before painting.
type atlas struct {
	scale   float64
	first   int           // index of its first output
	names   []namedSprite // names of all sprites, sorted
	sprites []sprite      // sprites without duplicates
	layout  rectpack.Layout
}

// assembleAtlas reads the sprites and finds places for them.
func (o *Atlas) assembleAtlas(ctx context.Context, job *recipe.Job, files []file, a *atlas) error {
	if err := o.readImages(ctx, job, files, a); err != nil {
		return err
	}
	defer job.Step("pack")()
	return o.placeSprites(ctx, job, a)
}

// ofPage returns the names of the sprites of a page.
func (a *atlas) ofPage(page int) []namedSprite {
	return slices.DeleteFunc(slices.Clone(a.names), func(n namedSprite) bool { return a.layout.Places[n.sprite].Page != page })
}
