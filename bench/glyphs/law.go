package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"

	"golang.org/x/image/font/sfnt"

	"github.com/assetcook/assetcook/internal/font/distancefield"
)

// Samples per glyph, and the largest allowed distance with a wrong sign. It covers the filtering
// of distances, rounded levels, and a little for places between the samples.
const (
	samples = 4000
	allowed = 0.8 + span/255.
)

// checkAll checks every glyph at some sizes: if the outline is farther than allowed, the median
// must have the sign of the distance.
func checkAll(ctx context.Context, w io.Writer, fonts []*face) error {
	bad := 0
	for _, f := range fonts {
		for _, size := range []int{12, 32} {
			rng := rand.New(rand.NewPCG(1, uint64(size)))
			glyphs, skipped, wrong, plain, total, worst := 0, 0, 0, 0, 0, 0.0
			for g := range f.font.NumGlyphs() {
				if err := ctx.Err(); err != nil {
					return err
				}
				s, err := f.shape(ctx, sfnt.GlyphIndex(g), size)
				if err != nil {
					skipped++
					continue
				}
				left, top, right, bottom, ok := s.Bounds()
				if !ok {
					continue
				}
				glyphs++
				grid := distancefield.Grid{Left: int(math.Floor(left - span/2)), Top: int(math.Floor(top - span/2))}
				grid.W, grid.H = int(math.Ceil(right+span/2))-grid.Left, int(math.Ceil(bottom+span/2))-grid.Top
				x := &field{size: size, grid: grid, channels: 4, levels: make([]byte, 4*grid.W*grid.H)}
				if err := s.RenderMulti(ctx, x.levels, 4*grid.W, grid, span); err != nil {
					return err
				}
				alpha := &field{size: size, grid: grid, channels: 1}
				for i := 3; i < len(x.levels); i += 4 {
					alpha.levels = append(alpha.levels, x.levels[i])
				}
				for range samples {
					p := distancefield.Point{X: float64(grid.Left) + rng.Float64()*float64(grid.W), Y: float64(grid.Top) + rng.Float64()*float64(grid.H)}
					d := s.Distance(p, 2)
					total++
					if (alpha.distance(p.X, p.Y) < 0) != (d < 0) {
						plain++
					}
					if (x.distance(p.X, p.Y) < 0) != (d < 0) {
						wrong++
						worst = max(worst, math.Abs(d))
					}
				}
			}
			fmt.Fprintf(w, "%s at %d: %d glyphs (%d skipped), %.3f %% of %d samples on the wrong side, by %.2f px at most; of plain distances %.3f %%\n",
				f.name, size, glyphs, skipped, 100*float64(wrong)/float64(total), total, worst, 100*float64(plain)/float64(total))
			if worst > allowed {
				bad++
			}
		}
	}
	if bad > 0 {
		return errors.New("the law is broken")
	}
	return nil
}
