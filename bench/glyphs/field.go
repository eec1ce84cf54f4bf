package main

import (
	"context"
	"fmt"
	"image"
	"math"
	"os"
	"os/exec"
	"path/filepath"

	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"

	"github.com/assetcook/assetcook/internal/font/distancefield"
)

// A face is a font to draw.
type face struct {
	name string
	file string
	font *sfnt.Font
	b    sfnt.Buffer
	em   int
}

func open(name string) (*face, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	f, err := sfnt.Parse(data)
	if err != nil {
		return nil, err
	}
	return &face{name: filepath.Base(name), file: name, font: f, em: int(f.UnitsPerEm())}, nil
}

// segments returns the outline of a glyph in font units, y growing downward.
func (f *face) segments(g sfnt.GlyphIndex) (sfnt.Segments, error) {
	return f.font.LoadGlyph(&f.b, g, fixed.Int26_6(f.em), nil)
}

// walk draws an outline at a size in pixels per em.
func (f *face) walk(s sfnt.Segments, size float64, move, line func(a distancefield.Point), quad func(a, b distancefield.Point), cube func(a, b, c distancefield.Point)) {
	at := func(p fixed.Point26_6) distancefield.Point {
		return distancefield.Point{X: float64(p.X) * size / float64(f.em), Y: float64(p.Y) * size / float64(f.em)}
	}
	for _, x := range s {
		switch x.Op {
		case sfnt.SegmentOpMoveTo:
			move(at(x.Args[0]))
		case sfnt.SegmentOpLineTo:
			line(at(x.Args[0]))
		case sfnt.SegmentOpQuadTo:
			quad(at(x.Args[0]), at(x.Args[1]))
		case sfnt.SegmentOpCubeTo:
			cube(at(x.Args[0]), at(x.Args[1]), at(x.Args[2]))
		}
	}
}

func (f *face) shape(ctx context.Context, g sfnt.GlyphIndex, size int) (*distancefield.Shape, error) {
	s, err := f.segments(g)
	if err != nil {
		return nil, err
	}
	p := new(distancefield.Path)
	f.walk(s, float64(size), p.MoveTo, p.LineTo, p.QuadTo, p.CubeTo)
	return p.Shape(ctx)
}

// coverage returns how much of each pixel of a box a glyph covers, in whole pixels from the pen.
func (f *face) coverage(g sfnt.GlyphIndex, size int, box image.Rectangle) *image.Alpha {
	s, err := f.segments(g)
	if err != nil {
		return image.NewAlpha(box)
	}
	z := vector.NewRasterizer(box.Dx(), box.Dy())
	x := func(p distancefield.Point) float32 { return float32(p.X - float64(box.Min.X)) }
	y := func(p distancefield.Point) float32 { return float32(p.Y - float64(box.Min.Y)) }
	f.walk(s, float64(size),
		func(a distancefield.Point) { z.ClosePath(); z.MoveTo(x(a), y(a)) },
		func(a distancefield.Point) { z.LineTo(x(a), y(a)) },
		func(a, b distancefield.Point) { z.QuadTo(x(a), y(a), x(b), y(b)) },
		func(a, b, c distancefield.Point) { z.CubeTo(x(a), y(a), x(b), y(b), x(c), y(c)) })
	z.ClosePath()
	out := image.NewAlpha(image.Rect(0, 0, box.Dx(), box.Dy()))
	z.Draw(out, out.Rect, image.Opaque, image.Point{})
	return out
}

// A field is a glyph's picture in distances, with channels bytes for each pixel.
type field struct {
	glyph    sfnt.GlyphIndex
	size     int
	grid     distancefield.Grid
	channels int
	levels   []byte
}

// field makes the field of a rune, nil if there is nothing to draw.
func (f *face) field(ctx context.Context, kind, program string, r rune, size int) (*field, error) {
	g, err := f.font.GlyphIndex(&f.b, r)
	if err != nil || g == 0 {
		return nil, err
	}
	s, err := f.shape(ctx, g, size)
	if err != nil {
		return nil, err
	}
	left, top, right, bottom, ok := s.Bounds()
	if !ok {
		return nil, nil
	}
	grid := distancefield.Grid{Left: int(math.Floor(left - span/2)), Top: int(math.Floor(top - span/2))}
	grid.W, grid.H = int(math.Ceil(right+span/2))-grid.Left, int(math.Ceil(bottom+span/2))-grid.Top
	x := &field{glyph: g, size: size, grid: grid, channels: 1}
	switch kind {
	case "sdf":
		x.levels = make([]byte, grid.W*grid.H)
		err = s.Render(ctx, x.levels, grid.W, grid, span)
	case "msdf":
		x.channels, x.levels = 4, make([]byte, 4*grid.W*grid.H)
		err = s.RenderMulti(ctx, x.levels, 4*grid.W, grid, span)
	case "msdfgen sdf":
		x.levels, err = f.peer(ctx, program, "sdf", x)
	case "msdfgen msdf":
		x.channels = 3
		x.levels, err = f.peer(ctx, program, "msdf", x)
	}
	return x, err
}

// peer runs msdfgen.
func (f *face) peer(ctx context.Context, program, mode string, x *field) ([]byte, error) {
	out, err := os.CreateTemp("", "glyph")
	if err != nil {
		return nil, err
	}
	defer os.Remove(out.Name())
	defer out.Close()
	g := x.grid
	size := float64(x.size)
	args := []string{mode, "-font", f.file, fmt.Sprintf("g%d", x.glyph), "-emnormalize", "-dimensions", fmt.Sprint(g.W), fmt.Sprint(g.H),
		"-scale", fmt.Sprint(x.size), "-translate", fmt.Sprint(-float64(g.Left) / size), fmt.Sprint(float64(g.Top+g.H) / size),
		"-pxrange", fmt.Sprint(span), "-yflip", "-format", "bin", "-o", out.Name()}
	if text, err := exec.CommandContext(ctx, program, args...).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("msdfgen: %w: %s", err, text)
	}
	levels, err := os.ReadFile(out.Name())
	if err == nil && len(levels) != g.W*g.H*x.channels {
		err = fmt.Errorf("msdfgen wrote %d bytes for %d x %d pixels", len(levels), g.W, g.H)
	}
	return levels, err
}
