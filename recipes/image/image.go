// Package image is the recipe that turns images into textures: KTX2 or DDS files of texels that a
// GPU reads directly, with mipmaps.
//
// The steps, in this order, and their packages:
//
//	source   read an image of any supported format
//	pixmap   swizzle channels or pack them from other images, cut faces from a cross or a
//	         sphere, flip and resize images, and make smaller levels
//	texture  choose the format, if the options leave it open
//	texenc   convert pixels to texels of that format
//	ktx2 dds write the file
//
// Formats png and webp make images of several sizes instead (web.go), and gpu = "none" keeps the
// source (plain.go). Frames = "sheet" puts all frames of an animation on one image (sheet.go).
//
// # Memory
//
// The recipe holds the pixels of the first level and the texture. It makes rows of smaller levels,
// converts them to texels and frees them. Estimate returns the sum.
//
// # Cores
//
// Blocks are encoded in pieces, on all cores that no other asset needs (Job.Each). The pieces do
// not depend on the number of cores, so neither do the bytes. Decoding, making levels and
// compressing with Zstandard run in one goroutine. So does rate-distortion optimization (RDO),
// whose blocks depend on earlier blocks.
//
// # Roles of images
//
// An image has a role (package role), which determines how its values are averaged and stored.
// Option kind sets the role. Otherwise the role follows from the materials that use the image, then
// from its name, then from its pixels. The pixels also show whether the name is right: see role.go.
// The recipe gets the name's role in option named, through its hints, so that a renamed image need
// not be cooked again. If the name is ambiguous, the names of neighboring files resolve it: see
// neighbors.go. Explain reports the decision.
//
// # Same bytes everywhere
//
// All arithmetic uses integers, or floats in operations that every processor rounds equally. Any
// change of the output raises the recipe's version.
//
// # Hostile files
//
// The header is checked before anything is decoded: first by Estimate, which sees the head of the
// file, then by Cook, which sees the whole file. An image is refused if a side is longer than
// max_size. It is also refused if the file is too short for its claimed pixels, even with the best
// compression of its format. Other images that an option names must have the size of the source,
// which keeps them within the estimate.
package image

import (
	"context"
	"errors"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/image/cooked"
	"github.com/assetcook/assetcook/internal/image/dds"
	"github.com/assetcook/assetcook/internal/image/ktx2"
	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/role"
	"github.com/assetcook/assetcook/internal/image/source"
	"github.com/assetcook/assetcook/internal/image/texture"
	"github.com/assetcook/assetcook/internal/jobs"
)

// Image holds the options of the recipe.
type Image struct {
	Format      string `toml:"format" enum:"auto,bc1,bc1a,bc3,bc4,bc5,bc6h,bc7,astc4x4,astc5x4,astc5x5,astc6x5,astc6x6,astc8x5,astc8x6,astc8x8,astc10x5,astc10x6,astc10x8,astc10x10,astc12x10,astc12x12,astc4x4-hdr,astc5x4-hdr,astc5x5-hdr,astc6x5-hdr,astc6x6-hdr,astc8x5-hdr,astc8x6-hdr,astc8x8-hdr,astc10x5-hdr,astc10x6-hdr,astc10x8-hdr,astc10x10-hdr,astc12x10-hdr,astc12x12-hdr,etc2rgb,etc2rgba,eacr11,eacrg11,uastc,uastc-hdr,r8,rg8,rgba8,rgb10a2,r16,rg16,rgba16,r16f,r32f,rgba16f,png,webp" doc:"pixel format of the texture; auto chooses by the image; png and webp write images instead of textures, lossless unless webp_quality is set"`
	GPU         string `toml:"gpu" enum:"desktop,mobile,web,none" doc:"the formats that format = auto chooses from: desktop bc4 to bc7, mobile astc and eac, web uastc and uastc-hdr, which loaders transcode; none makes an image for programs that load no textures: the source itself if it is PNG, JPEG, HDR or EXR and no option changes its pixels, otherwise PNG; options that only textures have make a desktop texture"`
	Quality     string `toml:"quality" enum:"fast,normal,best" doc:"encoding effort for bc1 to bc7, astc, etc2, eac, uastc, uastc-hdr, png and webp: fast for every edit, best for releases"`
	WebPQuality int    `toml:"webp_quality" min:"0" max:"100" doc:"quality of colors in webp, from 1 to 100 as in cwebp; 0 is lossless; data, normal maps, heights, masks and tables, images of at most 64 colors, and alpha always stay lossless"`
	Container   string `toml:"container" enum:"ktx2,dds" doc:"the file type of textures"`
	DDSHeader   string `toml:"dds_header" enum:"auto,legacy,dx10" doc:"the header of bc1 to bc5: older engines and ImageMagick read only legacy; auto writes legacy unless that would lose that colors are sRGB or premultiplied"`
	Preset      string `toml:"preset" enum:"auto,2d,3d,pixel" doc:"defaults for other options: 2d makes no mips and stores small images without loss; pixel does so for all images; 3d treats sprites as textures of a scene; auto decides by each image's role"`
	Kind        string `toml:"kind" enum:"auto,color,normal,mask,data,height,lightmap,environment,lut,ui,sprite,font,material" doc:"the role of the image: colors, unit vectors, one channel, four channels of any data ...; auto decides by the materials of glTF and OBJ models in the same directory and its parent, then by name and pixels; material does so even with presets for 2D games"`
	Named       string `toml:"named" enum:"none,color,data,occlusion,mask,normal,normal-opengl,normal-directx,height,lightmap,environment,lut,ui,sprite,font,numbered,perhaps-normal,perhaps-data,letter,perhaps-numbered,perhaps-map,animation,codes" doc:"the role that the path suggests; cook sets this option; none ignores the path"`
	Alpha       string `toml:"alpha" enum:"auto,transparency,data" doc:"meaning of the fourth channel of colors: transparency, which weights the colors of mipmaps and smaller sizes, or data, which does not; auto means data if models name the image, unless it is the base color of a material that is not opaque"`
	Normals     string `toml:"normals" enum:"keep,opengl,directx" doc:"the direction of green in normal maps: up (opengl) or down (directx); inverts green of normal maps whose names suggest the other direction"`
	NormalZ     bool   `toml:"normal_z" doc:"true: astc normal maps have x, y and z in red, green and blue; false: x in red, green and blue, y in alpha, which is more exact"`
	SRGB        bool   `toml:"srgb" doc:"true: colors are sRGB; false: colors are linear light"`

	Mips       string  `toml:"mips" enum:"auto,true,false" doc:"make mipmaps down to 1x1 pixel; auto depends on the preset and the role"`
	Filter     string  `toml:"filter" enum:"box,kaiser,mitchell" doc:"filter for mipmaps and smaller sizes: box is fast, kaiser is the sharpest, mitchell is between"`
	Wrap       string  `toml:"wrap" enum:"clamp,repeat,repeat-x,repeat-y" doc:"how filters continue the image beyond its edges: repeat the edge pixels, or repeat the image horizontally, vertically, or both"`
	Coverage   float64 `toml:"coverage" min:"0" max:"1" doc:"alpha threshold, 0 to 1, of the game's alpha test: every level keeps the share of drawn pixels; 0 for no alpha test"`
	WeighAlpha bool    `toml:"weigh_alpha" doc:"let bc7, astc, etc2rgba and uastc lose more color in transparent pixels; alpha must be transparency"`

	Frames    string `toml:"frames" enum:"first,sheet" doc:"frames of an animated GIF, PNG or WebP: only the first frame, or a sprite sheet with all frames, with JSON for PixiJS and Phaser"`
	SheetSize int    `toml:"sheet_size" min:"1" max:"16384" doc:"longest allowed side of a sheet, in pixels; all browsers support textures of 4096"`

	MaxSize int       `toml:"max_size" min:"1" max:"65535" doc:"longest allowed side of a source, in pixels"`
	Fit     int       `toml:"fit" min:"0" max:"65535" doc:"longest side of the texture, in pixels; larger images are scaled down; 0 keeps the size"`
	POT     string    `toml:"pot" enum:"keep,up,down,nearest,require,4" doc:"powers of two: keep the sides, scale them, or require them; 4 scales them up to multiples of 4, which Direct3D and WebGL require for bc1 to bc7"`
	Scales  []float64 `toml:"scales" min:"0.01" max:"16" doc:"scales of the images that png and webp write, such as [1, 2, 0.5] for name.png, name@2x.png and name@0.5x.png; the source has the scale in its name, or else the largest"`

	R           string   `toml:"r" doc:"source of red: r, g, b, a, 1-r (inverted) ..., 0, 1, or such a channel of another image: rough.png:r"`
	G           string   `toml:"g" doc:"source of green, with the same values as r; 1-g converts a normal map of Direct3D to OpenGL"`
	B           string   `toml:"b" doc:"source of blue, with the same values as r"`
	A           string   `toml:"a" doc:"source of alpha, with the same values as r"`
	Flip        string   `toml:"flip" enum:"none,x,y,xy" doc:"mirror left to right (x), upside down (y), or both"`
	Premultiply bool     `toml:"premultiply" doc:"multiply colors by alpha, in linear light"`
	Cube        string   `toml:"cube" enum:"none,cross,equirect,faces" doc:"make a cube from a cross (4:3, 3:4) or strip (6:1, 1:6), from an equirectangular image (2:1) with +Z in the middle, or from one image per face"`
	Faces       []string `toml:"faces" doc:"files of the faces -X +Y -Y +Z -Z if the source is +X, or of all six faces; paths are relative to the source"`
	Prefilter   string   `toml:"prefilter" enum:"none,ggx,filament" doc:"levels of a cube for image-based lighting: ggx blurs each level by its roughness, in equal steps from 0 in the first level to 1 in the last, which has 16 to 31 pixels; filament uses the steps of Filament and Ogre-Next"`
	Irradiance  string   `toml:"irradiance" enum:"none,sh" doc:"diffuse light of a cube: sh writes nine spherical harmonics beside the texture, as JSON"`
	Layers      []string `toml:"layers" doc:"files of the other layers of a texture array; paths are relative to the source"`

	RDO  float64 `toml:"rdo" min:"0" max:"10" doc:"PSNR in dB that bc7, astc and uastc may lose for a smaller file after Zstandard; 0 loses nothing"`
	Zstd int     `toml:"zstd" min:"0" max:"19" doc:"compression level of Zstandard for ktx2 files; 0 does not compress"`
}

// Recipe returns the recipe "image".
func Recipe() recipe.Recipe {
	return recipe.Recipe{
		Name: "image", Version: 16, UsesPath: true, NamesOutputs: true, Extensions: source.TextureExtensions(), Formats: source.Formats(),
		Extracts: []recipe.Extract{materials, neighbors},
		Hints:    hints(), Hinted: func(path string) int { return int(role.OfPath(path)) - 1 },
		New: func() recipe.Cooker {
			return &Image{
				Format: "auto", GPU: "desktop", Quality: "normal", Container: "ktx2", DDSHeader: "auto", SRGB: true,
				Preset: "auto", Kind: "auto", Named: "none", Alpha: "auto", Normals: "keep",
				Mips: "auto", Filter: "box", Wrap: "clamp",
				Frames: "first", SheetSize: 4096,
				MaxSize: 16384, POT: "keep", Flip: "none", Cube: "none", Prefilter: "none", Irradiance: "none", Zstd: 3,
			}
		},
		Traits: func(c recipe.Cooker) recipe.Traits {
			o := c.(*Image)
			return recipe.Traits{
				IgnoresPath: !o.usesPath(), IgnoresNames: !o.makesSheet(), Check: o.checkOptions, Estimate: o.estimateMemory,
				Lint: o.lintPicture, Explain: o.explainResult, Asks: o.askFiles,
			}
		},
	}
}

// hints are the possible path hints, in the order of package role. The last name, codes, is only
// derived from neighboring files.
func hints() []recipe.Hint {
	var all []recipe.Hint
	for _, n := range role.Names()[:role.Codes-1] {
		all = append(all, recipe.Hint{Key: "named", Value: n.String()})
	}
	return all
}

// IsUASTC reports whether all images become UASTC, which loaders transcode.
func (o *Image) IsUASTC() bool { return o.Format == "uastc" || o.Format == "auto" && o.GPU == "web" }

// Outputs implements recipe.Cooker.
func (o *Image) Outputs() []string {
	if o.writesPictures() {
		return o.pictureOutputs()
	}
	outputs := []string{"{path}." + o.Container}
	if o.makesSheet() {
		outputs = append(outputs, "{path}.json")
	}
	if o.hasIrradiance() {
		outputs = append(outputs, "{path}.sh.json")
	}
	return outputs
}

// Cook implements recipe.Cooker.
func (o *Image) Cook(ctx context.Context, job *recipe.Job) error {
	s, err := o.prepareSubject(ctx, job)
	if err != nil {
		return err
	}
	jobs.Tell(job, s.facts(job.Ext()))
	for i := range max(1, len(s.variants)) {
		jobs.SetRole(job, i, s.role.String())
	}
	if o.writesPictures() {
		if err := s.writePictures(ctx, job); err != nil {
			return err
		}
		return s.writeSheetData(job)
	}
	if o.hasIrradiance() { // computing irradiance needs the pixels, which makeTexture frees
		if err := s.writeIrradiance(ctx, job, 1); err != nil {
			return err
		}
	}
	t, err := s.makeTexture(ctx, job)
	if err != nil {
		return err
	}
	size, err := o.writeTexture(ctx, job, 0, t)
	if err != nil {
		return err
	}
	if o.IsUASTC() { // pages download these textures
		s.reportGrowth(job, "textures", size)
	}
	return s.writeSheetData(job)
}

// Write makes a texture of an image that another recipe has assembled, and writes it as the job's
// i-th output. It follows the options, and makes the given number of smaller levels. The caller
// must not use the image afterwards.
func (o *Image) Write(ctx context.Context, job *recipe.Job, i int, m *pixmap.Map, smaller int) error {
	if err := o.checkOptions(); err != nil {
		return err
	}
	if o.Kind == "material" { // no material names an image that another recipe made
		auto := *o
		auto.Kind = "auto"
		o = &auto
	}
	s := &subject{o: o, pictures: []*pixmap.Map{m}, levels: 1 + smaller}
	if err := errors.Join(s.decideRole(ctx, job), s.chooseStorage(ctx, job)); err != nil {
		return err
	}
	t, err := s.makeTexture(ctx, job)
	if err != nil {
		return err
	}
	_, err = o.writeTexture(ctx, job, i, t)
	return err
}

// Memory returns the maximum number of bytes that Write holds for an image of w by h pixels with
// 8 bits per channel, including the image.
func (o *Image) Memory(w, h int) int64 {
	l := layout{w: w, h: h, tw: w, th: h, pictures: 1}
	return bytesOf(w, h, pixmap.Bits8) + max(o.makingMemory(pixmap.Bits8, l), o.packingMemory(pixmap.Bits8, l))
}

// explainResult implements Traits.Explain.
func (o *Image) explainResult(ctx context.Context, job *recipe.Job) ([]string, error) {
	s, err := o.prepareSubject(ctx, job)
	if err != nil {
		return nil, err
	}
	return s.reasons, nil
}

// Prepared returns the pixels that Cook would encode, for comparisons with the decoded texture.
func (o *Image) Prepared(ctx context.Context, job *recipe.Job) (*cooked.Prepared, error) {
	s, err := o.prepareSubject(ctx, job)
	if err != nil {
		return nil, err
	}
	if s.premultiplies() {
		for _, m := range s.pictures {
			if err := pixmap.Premultiply(ctx, m, s.colorMeaning()); err != nil {
				return nil, err
			}
		}
	}
	p := &cooked.Prepared{Role: s.role, Why: s.told, Images: s.pictures}
	if s.kind == "color" {
		p.Test = s.o.Coverage
	}
	return p, nil
}

// prepareSubject reads the source and the additional images, and chooses their role and format.
func (o *Image) prepareSubject(ctx context.Context, job *recipe.Job) (*subject, error) {
	if err := o.checkOptions(); err != nil {
		return nil, err
	}
	o, beside, err := o.settleName(job)
	if err != nil {
		return nil, err
	}
	s := &subject{o: o, beside: beside}
	type step struct {
		name string
		do   func(context.Context, *recipe.Job) error
	}
	steps := []step{{"ask materials", s.askMaterials}, {"decode", s.loadSubject}, {"cut", s.cutAndFlip}, {"classify", s.decideRole}}
	switch {
	case o.keepsPixels():
		steps = []step{{"ask materials", s.askMaterials}, {"decode", s.loadPlain}, {"classify", s.judgeRole}}
	case o.writesPictures():
		steps = append(steps, step{"plan sizes", s.planSizes})
	default:
		steps = append(steps, step{"resize", s.resizeToOptions}, step{"choose format", s.chooseStorage}, step{"align", s.alignToBlocks})
	}
	for _, step := range steps {
		scope := job.Step(step.name)
		err := step.do(ctx, job)
		scope()
		if err != nil {
			return nil, err
		}
	}
	return s, nil
}

// writeTexture writes the job's i-th output, and returns its size.
func (o *Image) writeTexture(ctx context.Context, job *recipe.Job, i int, t *texture.Texture) (int64, error) {
	defer job.Step("pack")()
	out, err := job.Create(i)
	if err != nil {
		return 0, err
	}
	if o.Container == "dds" {
		err = dds.Write(ctx, out, t, o.ddsHeader())
	} else {
		err = ktx2.Write(ctx, out, t, o.packs())
	}
	size := int64(0)
	if info, failed := out.Stat(); failed == nil {
		size = info.Size()
	}
	return size, errors.Join(err, out.Close())
}

// packs returns the supercompression of levels in KTX2 files.
func (o *Image) packs() ktx2.Supercompression {
	if o.Zstd > 0 {
		return ktx2.Supercompression{Scheme: ktx2.Zstd, Level: o.Zstd}
	}
	return ktx2.Supercompression{}
}
