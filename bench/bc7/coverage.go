//go:build amd64 || arm64

package main

import (
	"context"
	"fmt"
	"image"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/internal/image/cooked"
	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/role"
	"github.com/assetcook/assetcook/internal/image/texture"
	"github.com/assetcook/assetcook/internal/jobs"
	recipe "github.com/assetcook/assetcook/recipes/image"
)

// foliage are pictures that games draw with an alpha test.
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

// judgedLevels is the most levels judged, down to smallestLevel pixels: in smaller ones a pixel
// is more than a hundredth of all.
const (
	judgedLevels  = 7
	smallestLevel = 128
)

// coverages prints, for each picture, how far the coverage of its levels deviates from its own,
// before and after encoding. Coverage is the share of pixels that an alpha test draws.
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
	off     [judgedLevels][]float64 // by picture, in percent of all pixels
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

// whole reads a whole picture.
func whole(name string) (*pixmap.Map, error) {
	img, err := decode(name)
	if err != nil {
		return nil, err
	}
	to := image.NewNRGBA(image.Rectangle{Max: img.Bounds().Size()})
	paste(to, to.Rect, img, img.Bounds().Min)
	return &pixmap.Map{W: to.Rect.Dx(), H: to.Rect.Dy(), Pix8: to.Pix}, nil
}
