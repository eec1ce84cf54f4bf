// Package atlas is the recipe that packs many images, called sprites, into few textures. It
// describes their places in JSON that PixiJS, Phaser and Godot read.
//
// The steps, in this order:
//
//	list.go     find the images that match the patterns in the source
//	sprite.go   read the images, cut off empty edges, and merge equal sprites
//	layout.go   place the sprites (see package rectpack), paint pages, and make textures of
//	            them with recipe image
//	data.go     write the JSON
//
// # Units
//
// A page with n smaller mipmap levels is laid out in units of 2^n pixels. The position of each
// sprite is a multiple of the unit. The options border, extrude and padding count units. So no
// texel of any level mixes two sprites. On the smallest level, the distance between sprites is the
// option's number of texels. On each larger level it is twice as many.
//
// # Stable places
//
// Like every cooked file, a layout depends only on the sources and the options. So a new sprite
// moves most of the other sprites. That matters, for example, if players download only the
// differences. Option keep names the JSON of an earlier atlas, and its places are kept.
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

// atlasOptions are the options of the recipe.
type atlasOptions struct {
	Artifacts bool `toml:"artifacts" doc:"patterns also match the artifacts of other assets by their output paths"`

	Trim      bool `toml:"trim" doc:"cut off the edges of sprites whose alpha is at most trim_alpha"`
	TrimAlpha int  `toml:"trim_alpha" min:"0" max:"254" doc:"largest alpha of a pixel that counts as empty, 0 to 254"`
	Rotate    bool `toml:"rotate" doc:"sprites may be rotated clockwise by 90 degrees to save space; PixiJS rotates them back, Phaser and Godot do not"`
	Padding   int  `toml:"padding" min:"0" max:"256" doc:"number of pixels between sprites"`
	Extrude   int  `toml:"extrude" min:"0" max:"256" doc:"number of pixels by which the edges of sprites are repeated, for tiles that touch"`
	Border    int  `toml:"border" min:"0" max:"256" doc:"number of empty pixels along the edges of a page"`
	MaxSize   int  `toml:"max_size" min:"1" max:"16384" doc:"longest allowed side of a page, in pixels"`
	POT       bool `toml:"pot" doc:"make width and height of pages powers of two"`
	Square    bool `toml:"square" doc:"make pages square"`
	Pages     int  `toml:"pages" min:"1" max:"64" doc:"number of pages; unneeded pages have one pixel"`

	Keep []string `toml:"keep" doc:"JSON files of an earlier atlas, one per output: sprites with unchanged sizes keep their places"`
	Data string   `toml:"data" enum:"hash,multiatlas,tpsheet" doc:"layout of the JSON: hash for PixiJS and Phaser, multiatlas for Phaser with pages, tpsheet for Godot's importer of TexturePacker files"`
	Name string   `toml:"name" enum:"path,stem,base" doc:"names of the sprites: their path from the source's directory, the path without extension, or only its last part"`

	Scales []float64 `toml:"scales" min:"0.01" max:"16" doc:"scales of pages and JSON, such as [1, 0.5] for name.png and name@0.5x.png; sprites are drawn at the largest scale"`

	Container   string  `toml:"container" enum:"png,webp,ktx2,dds" doc:"the file type of pages; webp is lossless"`
	Mips        int     `toml:"mips" min:"0" max:"10" doc:"number of mipmaps in ktx2 and dds files"`
	Format      string  `toml:"format" enum:"auto,bc1,bc1a,bc3,bc7,rgba8" doc:"pixel format of ktx2 and dds files; auto chooses by the page"`
	Quality     string  `toml:"quality" enum:"fast,normal,best" doc:"encoding effort for bc1 to bc7, png and webp"`
	SRGB        bool    `toml:"srgb" doc:"true: colors are sRGB; false: colors are linear light"`
	Premultiply bool    `toml:"premultiply" doc:"multiply colors by alpha, in linear light"`
	RDO         float64 `toml:"rdo" min:"0" max:"10" doc:"PSNR in dB that bc7 may lose for a smaller file after Zstandard; 0 loses nothing"`
	Zstd        int     `toml:"zstd" min:"0" max:"19" doc:"compression level of Zstandard for ktx2 files; 0 does not compress"`
}

// Recipe returns the recipe "atlas".
func Recipe() recipe.Recipe {
	return recipe.Recipe{
		Name: "atlas", Version: 8, UsesPath: true, NamesOutputs: true, Bundles: true, Extensions: []string{".sprites"}, Recognizes: isList,
		New: func() recipe.Cooker {
			return &atlasOptions{
				Trim: true, Padding: 2, MaxSize: 2048, Pages: 1, Data: "hash", Name: "path",
				Container: "png", Format: "auto", Quality: "normal", SRGB: true, Zstd: 3,
			}
		},
		Traits: func(c recipe.Cooker) recipe.Traits {
			o := c.(*atlasOptions)
			return recipe.Traits{IgnoresArtifacts: !o.Artifacts, Check: o.checkOptions, Estimate: o.estimateMemory}
		},
	}
}

// Outputs implements recipe.Cooker. For each scale it lists the JSON files and then the pages.
// There is one JSON file per page, or one for all pages. Programs load the JSON, which names its
// pages.
func (o *atlasOptions) Outputs() []string {
	var list []string
	for _, scale := range o.scales() {
		stem := "{dir}/{stem}"
		if scale != 1 {
			stem += "@" + formatScale(scale) + "x"
		}
		for i := range o.jsonFiles() {
			list = append(list, stem+suffix(i)+"."+o.dataExt())
		}
		for i := range o.Pages {
			list = append(list, stem+suffix(i)+"."+o.Container)
		}
	}
	return list
}

// scales returns the scales of the outputs.
func (o *atlasOptions) scales() []float64 {
	if len(o.Scales) == 0 {
		return []float64{1}
	}
	return o.Scales
}

func formatScale(scale float64) string { return strconv.FormatFloat(scale, 'f', -1, 64) }

// jsonFiles returns the number of JSON files of a scale.
func (o *atlasOptions) jsonFiles() int {
	if o.Data == "hash" {
		return o.Pages
	}
	return 1
}

// isImageContainer reports whether pages are ordinary images, rather than GPU textures.
func (o *atlasOptions) isImageContainer() bool { return o.Container == "png" || o.Container == "webp" }

// suffix returns the suffix of a page's name.
func suffix(page int) string {
	if page == 0 {
		return ""
	}
	return "-" + strconv.Itoa(page)
}

func (o *atlasOptions) dataExt() string {
	if o.Data == "tpsheet" {
		return "tpsheet"
	}
	return "json"
}

// checkOptions implements Traits.Check.
func (o *atlasOptions) checkOptions() error {
	switch {
	case o.Data != "hash" && o.Rotate:
		return &recipe.OptionError{Key: "rotate", Got: "true", Want: fmt.Sprintf("false with data = %q, because neither Phaser nor Godot rotates sprites back", o.Data)}
	case o.isImageContainer() && o.Mips > 0:
		return &recipe.OptionError{Key: "mips", Got: strconv.Itoa(o.Mips), Want: fmt.Sprintf(`0 with container = %q, which has no smaller levels`, o.Container)}
	case o.isImageContainer() && o.Premultiply:
		return &recipe.OptionError{Key: "premultiply", Got: "true", Want: fmt.Sprintf(`false with container = %q, which is not premultiplied`, o.Container)}
	case len(o.Scales) > 0 && len(o.Keep) > 0:
		return &recipe.OptionError{Key: "keep", Got: fmt.Sprintf("%q", o.Keep), Want: "no file together with scales, because each scale has its own layout"}
	case len(o.pageSides()) == 0:
		return &recipe.OptionError{Key: "max_size", Got: strconv.Itoa(o.MaxSize), Want: fmt.Sprintf("more than %d, to leave room for border and mips", 2*o.Border*o.unitPixels())}
	}
	for i, scale := range o.Scales {
		if slices.Contains(o.Scales[:i], scale) {
			return &recipe.OptionError{Key: "scales", Got: fmt.Sprint(o.Scales), Want: "each scale only once"}
		}
	}
	if o.isImageContainer() {
		return nil
	}
	return image.Recipe().Traits(o.textureOptions()).Check()
}

// textureOptions returns the options for making textures of pages.
func (o *atlasOptions) textureOptions() *image.Image {
	t := image.Recipe().New().(*image.Image)
	t.Container, t.Format, t.Quality, t.Kind, t.SRGB = o.Container, o.Format, o.Quality, "color", o.SRGB
	t.Premultiply, t.RDO, t.Zstd, t.Mips = o.Premultiply, o.RDO, o.Zstd, strconv.FormatBool(o.Mips > 0)
	return t
}

// maxList is the size limit of a source, in bytes.
const maxList = 1 << 20

// estimateMemory implements Traits.Estimate. It sees the source but not the sprites. So it assumes
// that the sprites fill the pages and that one batch is read at a time.
func (o *atlasOptions) estimateMemory(_ []byte, size int64) (int64, error) {
	if size > maxList {
		return 0, fmt.Errorf("the file has %d bytes of patterns; the limit is %d; use fewer, more general patterns", size, maxList)
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
func (o *atlasOptions) Cook(ctx context.Context, job *recipe.Job) error {
	if err := o.checkOptions(); err != nil {
		return err
	}
	files, err := o.listedImages(job)
	if err != nil {
		return err
	}
	for i, scale := range o.scales() {
		first := i * (o.jsonFiles() + o.Pages)
		a := &atlas{scale: scale, data: first, pages: first + o.jsonFiles()}
		if err := o.cookScale(ctx, job, files, a); err != nil {
			return err
		}
	}
	return nil
}

func (o *atlasOptions) cookScale(ctx context.Context, job *recipe.Job, files []file, a *atlas) error {
	if err := o.assembleAtlas(ctx, job, files, a); err != nil {
		return err
	}
	if used := len(a.layout.Pages); used < o.Pages {
		job.Warn("only %d of %d pages are needed; the other pages have one pixel each", max(used, 1), o.Pages)
	}
	for i := range o.Pages {
		if err := o.writeAtlasPage(ctx, job, i, a); err != nil {
			return err
		}
	}
	return o.writeAtlasData(job, a)
}

// An atlas is the layout for one scale before painting.
type atlas struct {
	scale   float64
	data    int           // index of its first JSON file among the outputs
	pages   int           // index of its first page among the outputs
	names   []namedSprite // names of all sprites, sorted
	sprites []sprite      // distinct sprites
	layout  rectpack.Layout
}

// assembleAtlas reads the sprites and places them on pages.
func (o *atlasOptions) assembleAtlas(ctx context.Context, job *recipe.Job, files []file, a *atlas) error {
	if err := o.readImages(ctx, job, files, a); err != nil {
		return err
	}
	defer job.Step("pack")()
	return o.placeSprites(ctx, job, a)
}

// ofPage returns the sprites of a page, with their names.
func (a *atlas) ofPage(page int) []namedSprite {
	return slices.DeleteFunc(slices.Clone(a.names), func(n namedSprite) bool { return a.layout.Places[n.sprite].Page != page })
}
