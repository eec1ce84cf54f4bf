// Command glyphs draws text from distance fields made by package distancefield and by msdfgen. It
// compares each drawing with the exact coverage of the pixels by the glyphs' outlines. With -law it
// checks an invariant of multi-channel fields instead.
//
//	go run ./bench/glyphs -msdfgen PROGRAM FONT...
//	go run ./bench/glyphs -law FONT...
//
// PROGRAM is github.com/Chlumsky/msdfgen, built with FreeType. All fields have the same size, range
// and position. Without PROGRAM, only the fields of package distancefield are drawn.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/signal"

	"golang.org/x/image/font/sfnt"

	"github.com/assetcook/assetcook/internal/font/distancefield"
)

func main() {
	program := flag.String("msdfgen", "", "msdfgen's `program`")
	law := flag.Bool("law", false, "check all glyphs of the fonts instead")
	picture := flag.String("picture", "", "write a `file` in PNG of some glyphs, drawn large")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := compareGlyphs(ctx, os.Stdout, *program, *picture, *law, flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "glyphs:", err)
		os.Exit(1)
	}
}

// These are the sizes of the fields and drawings in pixels per em, and the range of distances.
var (
	fieldSizes = []int{16, 24, 32, 48}
	drawnSizes = []int{20, 64, 256}
)

const (
	span  = 4
	shown = "&ABCDEFGHIJKLMNOPQRSTUVWXYZ@#$%abcdefghijklmnopqrstuvwxyz0123456789!?*+§ßÆøéŽ"
)

func compareGlyphs(ctx context.Context, w io.Writer, program, picture string, law bool, names []string) error {
	if len(names) == 0 {
		return errors.New("name fonts")
	}
	var fonts []*face
	for _, name := range names {
		f, err := open(name)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		fonts = append(fonts, f)
	}
	switch {
	case law:
		return checkAll(ctx, w, fonts)
	case picture != "":
		return draw(ctx, picture, program, fonts[0])
	}
	return compare(ctx, w, program, fonts)
}

// compare prints the drawing errors, with a line for each size and field.
func compare(ctx context.Context, w io.Writer, program string, fonts []*face) error {
	kinds := []string{"sdf", "msdf"}
	if program != "" {
		kinds = append(kinds, "msdfgen sdf", "msdfgen msdf")
	}
	fmt.Fprintf(w, "| field, px per em | | mean error at %d px | at %d | at %d | pixels off by half |\n|---|---|---|---|---|---|\n", drawnSizes[0], drawnSizes[1], drawnSizes[2])
	for _, size := range fieldSizes {
		for _, kind := range kinds {
			sums := make([]errorSum, len(drawnSizes))
			for _, f := range fonts {
				for _, r := range shown {
					g, err := f.field(ctx, kind, program, r, size)
					if err != nil {
						return fmt.Errorf("%s, %q: %w", f.name, r, err)
					}
					if g == nil {
						continue
					}
					for i, drawn := range drawnSizes {
						sums[i].addGlyphError(g, f, drawn)
					}
				}
			}
			fmt.Fprintf(w, "| %d | %s |", size, kind)
			for i := range sums {
				fmt.Fprintf(w, " %.4f |", sums[i].mean())
			}
			fmt.Fprintf(w, " %.3f %% |\n", 100*sums[len(sums)-1].share())
		}
	}
	return nil
}

// samples is the number of samples per glyph. Nearer to the outline than allowed, in pixels, a
// sample may have the wrong sign because of filtering and rounding.
const (
	samples = 4000
	allowed = 0.8 + span/255.
)

// checkAll checks the signs in the distance fields of every glyph. At a sample farther from the
// outline than the limit, the median of the channels must have the sign of the true distance.
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
