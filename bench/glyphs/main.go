// Command glyphs draws text from distance fields of package distancefield, and of msdfgen, and
// compares it with the true coverage of each pixel by the outlines. Or it checks the law that
// every multi-channel field keeps.
//
//	go run ./bench/glyphs -msdfgen PROGRAM FONT...
//	go run ./bench/glyphs -law FONT...
//
// PROGRAM is github.com/Chlumsky/msdfgen, built with FreeType. Fields have the same size, range
// and place. Without PROGRAM only distancefield's are drawn.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
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

// Sizes of the fields and of the drawings, in pixels per em, and the range.
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

// compare prints a line for each size and field.
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
