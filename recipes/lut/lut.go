// Package lut is the recipe for color grading tables. It converts .cube files, and images that
// hold the slices of a table, to 3D textures.
package lut

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/image/dds"
	"github.com/assetcook/assetcook/internal/image/ktx2"
	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/role"
	"github.com/assetcook/assetcook/internal/image/source"
	"github.com/assetcook/assetcook/internal/image/texenc"
	"github.com/assetcook/assetcook/internal/image/texture"
	"github.com/assetcook/assetcook/internal/jobs"
)

// lutOptions are the options of the recipe.
type lutOptions struct {
	Format    string `toml:"format" enum:"auto,rgba8,rgba16f" doc:"pixel format; auto is rgba8 for images with 8 bits per channel, otherwise rgba16f"`
	Container string `toml:"container" enum:"ktx2,dds" doc:"the file type of the texture"`
	Picture   string `toml:"picture" enum:"tiles,hald" doc:"layout of a table in an image: tiles has one tile per blue value, in rows from the top left, with red to the right and green down; hald is a HaldCLUT"`
	Zstd      int    `toml:"zstd" min:"0" max:"19" doc:"compression level of Zstandard for ktx2 files; 0 does not compress"`
}

// Recipe returns the recipe "lut".
func Recipe() recipe.Recipe {
	return recipe.Recipe{
		Name: "lut", Version: 2, Extensions: []string{".cube"}, Recognizes: isCube,
		New:    func() recipe.Cooker { return &lutOptions{Format: "auto", Container: "ktx2", Picture: "tiles", Zstd: 3} },
		Traits: func(c recipe.Cooker) recipe.Traits { return recipe.Traits{Estimate: c.(*lutOptions).estimateMemory} },
	}
}

// Outputs implements recipe.Cooker.
func (o *lutOptions) Outputs() []string { return []string{"{path}." + o.Container} }

// maxSide is the maximum side of an image, in pixels. A table of size 256 needs it if all slices
// are in one row.
const maxSide = maxSize * maxSize

// estimateMemory implements Traits.Estimate. It does not know whether the source is text. In text,
// a number takes at least two bytes, and a line of a table at least six.
func (o *lutOptions) estimateMemory(head []byte, size int64) (int64, error) {
	const fixed = 1 << 20
	ofText := 2*size + size/6*(bytesOfFloats+bytesOfTexel)
	info, err := source.Probe(head, "", size, maxSide)
	switch {
	case errors.Is(err, recipe.ErrShortHead):
		return 0, err
	case errors.Is(err, source.ErrFormat):
		info, err = source.Probe(head, ".tga", size, maxSide)
	}
	if err != nil {
		return fixed + ofText, nil // Cook reports the errors of images
	}
	pixels := int64(info.W) * int64(info.H)
	return fixed + max(ofText, size+info.Memory+pixels*(2*bytesOfFloats+bytesOfTexel)), nil
}

const (
	bytesOfFloats = 16 // size of an entry: four float32
	bytesOfTexel  = 8  // size of an rgba16f texel
)

// A table is a color grading table. Red increases within a row, green from row to row, and blue
// from slice to slice. Slices follow one another.
type table struct {
	*pixmap.Map
	size   int  // number of entries per side
	single bool // whether the table is three curves, each with size entries, instead of a cube
}

// Cook implements recipe.Cooker.
func (o *lutOptions) Cook(ctx context.Context, job *recipe.Job) error {
	data, err := job.Source()
	if err != nil {
		return err
	}
	read := job.Step("decode")
	t, err := o.readColorTable(ctx, job, data)
	read()
	if err != nil {
		return err
	}
	job.Hold("table", t.Bytes())
	tex, err := o.makeLUTTexture(ctx, job, t)
	if err != nil {
		return err
	}
	job.Hold("texels", len(tex.Levels[0]))
	jobs.SetRole(job, 0, role.LUT.String())
	out, err := job.Create(0)
	if err != nil {
		return err
	}
	if o.Container == "dds" {
		return errors.Join(dds.Write(ctx, out, tex, dds.DX10), out.Close())
	}
	var packed ktx2.Supercompression
	if o.Zstd > 0 {
		packed = ktx2.Supercompression{Scheme: ktx2.Zstd, Level: o.Zstd}
	}
	return errors.Join(ktx2.Write(ctx, out, tex, packed), out.Close())
}

// readColorTable reads a table from an image, or from text if the source is not an image.
func (o *lutOptions) readColorTable(ctx context.Context, job *recipe.Job, data []byte) (table, error) {
	if job.Ext() == ".cube" {
		t, domain, err := parseCube(ctx, data)
		if err == nil && domain != unit {
			job.Warn("the texture cannot store the domain %v, only 0 to 1; let the shader scale colors from this domain to 0 to 1 before the look-up", domain)
		}
		return t, err
	}
	m, _, err := source.DecodeData(ctx, data, job.Ext(), maxSide)
	if err != nil {
		return table{}, err
	}
	n := int(math.Round(math.Cbrt(float64(m.W) * float64(m.H))))
	switch {
	case n < 2 || n > maxSize || n*n*n != m.W*m.H:
		return table{}, fmt.Errorf("an image of %d x %d pixels is not a table; use N x N x N pixels, such as 256 x 16 or 512 x 512", m.W, m.H)
	case o.Picture == "hald":
		m.W, m.H = n, n*n // a HaldCLUT already has its entries in that order
	case m.W%n != 0 || m.H%n != 0:
		return table{}, fmt.Errorf(`an image of %d x %d pixels cannot be cut into tiles of %d x %d; set picture = "hald" if it is a HaldCLUT`, m.W, m.H, n, n)
	default:
		if m, err = pixmap.Stack(ctx, m, n, n); err != nil {
			return table{}, err
		}
	}
	return table{Map: m, size: n}, nil
}

// makeLUTTexture stores the entries of a table in a texture.
func (o *lutOptions) makeLUTTexture(ctx context.Context, job *recipe.Job, t table) (*texture.Texture, error) {
	tex := &texture.Texture{Format: texture.RGBA16F, W: t.size, H: t.size, Depth: t.size}
	if t.single {
		tex.H, tex.Depth = 1, 0
	}
	if o.Format == "rgba8" || o.Format == "auto" && t.Depth() == pixmap.Bits8 {
		tex.Format = texture.RGBA8
	}
	m, depth := t.Map, pixmap.Float
	if tex.Format == texture.RGBA8 {
		depth = pixmap.Bits8
		if low, high := leastAndGreatest(t.PixF); low < 0 || high > 1 {
			job.Warn(`the entries go from %g to %g, but rgba8 stores only 0 to 1; set format = "rgba16f"`, low, high)
		}
	}
	m, err := pixmap.Convert(ctx, m, depth, pixmap.Data)
	if err != nil {
		return nil, err
	}
	texels, err := texenc.Encode(ctx, tex.Format, m, texenc.Options{})
	tex.Levels = [][]byte{texels}
	return tex, err
}

// leastAndGreatest returns the smallest and the largest number, or 0 if there are none.
func leastAndGreatest(numbers []float32) (low, high float32) {
	for i, v := range numbers {
		if i == 0 || v < low {
			low = v
		}
		if i == 0 || v > high {
			high = v
		}
	}
	return low, high
}
