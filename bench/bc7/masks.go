//go:build amd64 || arm64

package main

import (
	"context"
	"fmt"
	"image"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/internal/image/astc"
	"github.com/assetcook/assetcook/internal/image/cooked"
	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/role"
	"github.com/assetcook/assetcook/internal/image/texture"
	"github.com/assetcook/assetcook/internal/jobs"
	recipe "github.com/assetcook/assetcook/recipes/image"
)

// foliage lists images that games draw with an alpha test.
var foliage = []string{
	"library/stklib_autumnTree_d/tree_d.png",
	"textures/stktex_lowPalmLeaf_a.png",
	"textures/stktex_autumnLeaf_a.png",
	"textures/stktex_jungleLeaf_a.png",
	"textures/stktex_cocoaTreeLeaf_a.png",
	"textures/hd_palmTreeLeaf_a_Albedo.png",
	"textures/stk_snowSmallBush_a.png",
	"textures/stk_grassAlpha.png",
	"textures/gfx_leaf_b.png",
	"textures/deprecated/fence.png",
}

// judgedLevels is the maximum number of compared mip levels. Levels with fewer than smallestLevel
// pixels are not compared, because a single pixel would be a large share of the level.
const (
	judgedLevels  = 7
	smallestLevel = 128
)

// coverages prints, for each image, how far the coverage of its mip levels deviates from the
// coverage of the image, before and after encoding. Coverage is the share of pixels that an alpha
// test draws.
func coverages(ctx context.Context, out io.Writer, data string, test float64) error {
	var rows []*coverageRow
	for _, format := range []texture.Format{texture.RGBA8, texture.BC7, texture.ASTC4x4, texture.ASTC6x6, texture.ASTC8x8, texture.ETC2RGBA, texture.UASTC} {
		for _, quality := range []string{"fast", "normal", "best"} {
			r := &coverageRow{name: format.String() + " " + quality, format: format, quality: quality}
			if format == texture.RGBA8 {
				if quality != "fast" {
					break
				}
				r.name = "not encoded"
			}
			rows = append(rows, r)
		}
	}
	for _, path := range foliage {
		m, err := whole(filepath.Join(data, filepath.FromSlash(path)))
		if err != nil {
			return err
		}
		for _, r := range rows {
			if err := r.addCoverage(ctx, m, test); err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
		}
	}
	var b strings.Builder
	b.WriteString("| blocks | mean | worst |")
	for i := range judgedLevels {
		fmt.Fprintf(&b, " %d |", i)
	}
	b.WriteString("\n|---|---:|---:|" + strings.Repeat("---:|", judgedLevels) + "\n")
	for _, r := range rows {
		b.WriteString(r.String() + "\n")
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// A coverageRow is the effect of one encoder on coverage.
type coverageRow struct {
	name    string
	format  texture.Format
	quality string
	off     [judgedLevels][]float64 // percentage of all pixels, for each image
}

func (r *coverageRow) addCoverage(ctx context.Context, m *pixmap.Map, test float64) error {
	want := drawn(m, test)
	o := recipe.Recipe().New().(*recipe.Image)
	o.Format, o.Quality, o.Coverage = r.format.String(), r.quality, test
	file, err := o.Encode(ctx, jobs.New(recipe.Recipe(), jobs.Env{}, 0), &pixmap.Map{W: m.W, H: m.H, Pix8: slices.Clone(m.Pix8)}, role.Slot{Role: role.Color, Alpha: role.Opacity})
	if err != nil {
		return err
	}
	t, err := cooked.Open(file, 1<<30)
	if err != nil {
		return err
	}
	for i := range min(judgedLevels, len(t.Levels)) {
		level, err := cooked.Level(ctx, t, i, 0)
		if err != nil {
			return err
		}
		if level.W*level.H >= smallestLevel {
			r.off[i] = append(r.off[i], 100*(drawn(level, test)-want))
		}
	}
	return nil
}

func (r *coverageRow) String() string {
	var b strings.Builder
	var sum, worst, n float64
	for _, level := range r.off {
		mean := 0.0
		for _, v := range level {
			mean += math.Abs(v) / float64(len(level))
			worst = max(worst, math.Abs(v))
			sum, n = sum+math.Abs(v), n+1
		}
		fmt.Fprintf(&b, " %.2f |", mean)
	}
	return fmt.Sprintf("| %s | %.2f | %.2f |", r.name, sum/n, worst) + b.String()
}

// drawn returns the share of pixels whose alpha is at least test.
func drawn(m *pixmap.Map, test float64) float64 {
	n := 0
	for i := 3; i < len(m.Pix8); i += 4 {
		if float64(m.Pix8[i]) >= 255*test {
			n++
		}
	}
	return float64(n) / float64(m.W*m.H)
}

// whole reads an image without cropping it.
func whole(name string) (*pixmap.Map, error) {
	img, err := decode(name)
	if err != nil {
		return nil, err
	}
	to := image.NewNRGBA(image.Rectangle{Max: img.Bounds().Size()})
	paste(to, to.Rect, img, img.Bounds().Min)
	return &pixmap.Map{W: to.Rect.Dx(), H: to.Rect.Dy(), Pix8: to.Pix}, nil
}

// angles measures how precisely each format stores a normal map. It prints the mean angle between
// the original vectors and the stored ones: with x and y alone, with all three coordinates, and, if
// astcenc is given, with x and y compressed by astcenc.
func angles(ctx context.Context, out io.Writer, data, program string) error {
	at := slices.IndexFunc(crops, func(c crop) bool { return c.kind == normalMap })
	pictures, err := loadPictures(data, crops[at:at+1])
	if err != nil {
		return err
	}
	return anglesOf(ctx, out, pictures[0].pix, program)
}

func anglesOf(ctx context.Context, out io.Writer, pix []byte, program string) error {
	var b strings.Builder
	b.WriteString("| blocks | quality | x and y | x, y and z | astcenc, x and y |\n|---|---|---:|---:|---:|\n")
	for _, f := range []texture.Format{texture.BC5, texture.BC7, texture.EACRG11, texture.ASTC4x4, texture.ASTC5x5, texture.ASTC6x6, texture.ASTC8x8} {
		for i, quality := range []string{"fast", "normal", "best"} {
			row := [3]string{}
			for k, z := range []bool{false, true} {
				if f == texture.BC7 && !z || !f.IsASTC() && f != texture.BC7 && z {
					continue
				}
				stored, err := storedNormals(ctx, pix, f, quality, z)
				if err != nil {
					return err
				}
				row[k] = fmt.Sprintf("%.3f", meanAngle(stored, pix))
			}
			if f.IsASTC() && program != "" {
				stored, err := astcencNormals(ctx, pix, f, program, []string{"-fast", "-medium", "-thorough"}[i])
				if err != nil {
					return err
				}
				row[2] = fmt.Sprintf("%.3f", meanAngle(stored, pix))
			}
			fmt.Fprintf(&b, "| %v | %s | %s | %s | %s |\n", f, quality, row[0], row[1], row[2])
		}
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// storedNormals cooks a normal map, and returns the pixels as a shader reads them.
func storedNormals(ctx context.Context, pix []byte, f texture.Format, quality string, z bool) ([]byte, error) {
	o := recipe.Recipe().New().(*recipe.Image)
	o.Format, o.Quality, o.Kind, o.NormalZ, o.Mips = f.String(), quality, "normal", z && f.IsASTC(), "false"
	file, err := o.Encode(ctx, jobs.New(recipe.Recipe(), jobs.Env{}, 0), &pixmap.Map{W: side, H: side, Pix8: slices.Clone(pix)}, role.Slot{Role: role.Normal})
	if err != nil {
		return nil, err
	}
	t, err := cooked.Open(file, 1<<30)
	if err != nil {
		return nil, err
	}
	m, err := cooked.Level(ctx, t, 0, 0)
	if err != nil {
		return nil, err
	}
	if m.Pix8 == nil { // EAC blocks have 11 bits per channel.
		for _, v := range m.Pix16 {
			m.Pix8 = append(m.Pix8, byte((uint32(v)+128)/257))
		}
	}
	if t.Swizzle != "" || f == texture.BC5 || f == texture.EACRG11 {
		restoreZ(m.Pix8, 1)
	}
	return m.Pix8, nil
}

// astcencNormals compresses x and y of a normal map with astcenc, and returns the pixels as a
// shader reads them.
func astcencNormals(ctx context.Context, pix []byte, f texture.Format, program, preset string) ([]byte, error) {
	dir, err := os.MkdirTemp("", "astcbench")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	wide, high, _ := f.Block()
	block := astc.Size{W: wide, H: high}
	blocks, _, err := runAstcenc(ctx, program, dir, pix, side, block, "-cl", preset, "-normal")
	if err != nil {
		return nil, err
	}
	stored := decodeASTC(blocks, block)
	restoreZ(stored, 3)
	return stored, nil
}

// restoreZ copies y from the given channel to green. It computes blue so that the vector has length
// 1.
func restoreZ(pix []byte, y int) {
	for i := 0; i < len(pix); i += 4 {
		pix[i+1] = pix[i+y]
		a, b := float64(pix[i])/127.5-1, float64(pix[i+1])/127.5-1
		pix[i+2] = byte(math.Round(127.5 + 127.5*math.Sqrt(max(0, 1-a*a-b*b))))
	}
}
