// Package image is the recipe that turns pictures into KTX2 textures with
// mipmaps.
//
// It reads PNG, JPEG, GIF (the first frame), BMP, TIFF (the first page), WebP
// and TGA. What a file holds decides, not what it is called; only TGA, which
// has no magic number, needs its extension (.tga, .icb, .vda or .vst).
//
// # Pixels
//
// Level 0 is the picture: eight bits a channel, straight alpha, rows from the
// top. Eight-bit pixels are taken over bit for bit, also the colour under an
// alpha of 0; sixteen-bit ones are rounded. Colour profiles, gamma chunks and
// EXIF orientation are not applied: the stored pixels count.
//
// Smaller levels average the larger one before them with a box filter that is
// exact for odd sizes too; see mips.go. All of it is integer arithmetic, so
// every machine makes the same bytes. The decoders are those of the Go release
// that this program was built with: Recipe's version must rise with a release
// that decodes to other pixels.
//
// # Hostile files
//
// Before anything is decoded the header is read, first by Estimate from the
// head of the file, then by Cook from the whole. A picture is refused if a
// side is longer than max_size, or if the file is too short for the pixels
// that it claims even if it were packed as tightly as its format allows.
package image

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/cook/recipe/image/ktx2"
)

// Image holds the options of the recipe.
type Image struct {
	Format  string `toml:"format" enum:"rgba8" doc:"how texels are stored"`
	SRGB    bool   `toml:"srgb" doc:"colours are sRGB; false for normal maps and other data"`
	Mips    bool   `toml:"mips" doc:"add all smaller levels down to 1x1"`
	Zstd    int    `toml:"zstd" min:"0" max:"19" doc:"effort to pack levels with Zstandard; 0 leaves them as they are"`
	MaxSize int    `toml:"max_size" min:"1" max:"65535" doc:"longest side in pixels that is accepted"`
}

// Recipe returns the recipe "image".
func Recipe() recipe.Recipe {
	return recipe.Recipe{
		Name: "image", Version: 1,
		New: func() recipe.Cooker {
			return &Image{Format: "rgba8", SRGB: true, Mips: true, Zstd: 3, MaxSize: 16384}
		},
	}
}

// Outputs implements recipe.Cooker.
func (o *Image) Outputs() []string { return []string{"{path}.ktx2"} }

// Cook implements recipe.Cooker.
func (o *Image) Cook(ctx context.Context, job *recipe.Job) error {
	enc, ok := encoderFor(o.Format)
	if !ok {
		return fmt.Errorf("format %q is not known", o.Format)
	}
	base, err := o.load(ctx, job)
	if err != nil {
		return err
	}
	levels := []level{base}
	if o.Mips {
		if levels, err = mipChain(ctx, base, o.SRGB); err != nil {
			return err
		}
	}
	smaller := 0
	for _, l := range levels[1:] {
		smaller += len(l.pix)
	}
	job.Hold("pixels", smaller)
	t := ktx2.Texture{Format: enc.linear, Width: base.w, Height: base.h}
	if o.SRGB {
		t.Format = enc.srgb
	}
	for i, l := range levels {
		data, err := enc.encode(ctx, l)
		if err != nil {
			return err
		}
		t.Levels = append(t.Levels, data)
		levels[i] = level{} // the pixels may go now
	}
	return o.write(ctx, job, &t)
}

// load reads and decodes the source.
func (o *Image) load(ctx context.Context, job *recipe.Job) (level, error) {
	head, err := readHead(job)
	if err != nil {
		return level{}, err
	}
	// Look at the head before reading a file that may be huge and no picture.
	f, err := identify(head, job.Ext())
	if err != nil {
		return level{}, err
	}
	if _, err := f.inspect(head, job.Size(), o.MaxSize); err != nil && !errors.Is(err, recipe.ErrShortHead) {
		return level{}, err
	}
	data, err := job.Source()
	if err != nil {
		return level{}, err
	}
	p, err := f.inspect(data, int64(len(data)), o.MaxSize)
	if err != nil {
		return level{}, err
	}
	img, err := decode(ctx, f, data, p)
	if err != nil {
		return level{}, err
	}
	job.Hold("decoded pictures", 4*p.w*p.h)
	pix, err := straight(ctx, img, p.w, p.h, f.videoRange)
	job.Hold("pixels", len(pix))
	return level{w: p.w, h: p.h, pix: pix}, err
}

func readHead(job *recipe.Job) ([]byte, error) {
	f, err := job.Open()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, recipe.HeadSize))
}

func (o *Image) write(ctx context.Context, job *recipe.Job, t *ktx2.Texture) error {
	out, err := job.Create(0)
	if err != nil {
		return err
	}
	return errors.Join(ktx2.Write(ctx, out, t, o.supercompression()), out.Close())
}

func (o *Image) supercompression() ktx2.Supercompression {
	if o.Zstd == 0 {
		return ktx2.Supercompression{}
	}
	return ktx2.Supercompression{Scheme: ktx2.Zstd, Level: o.Zstd}
}
