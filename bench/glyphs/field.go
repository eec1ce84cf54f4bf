package main

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"os/exec"
	"path/filepath"

	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"

	"github.com/assetcook/assetcook/internal/font/distancefield"
)

// A face is a font to draw text with.
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

// walk draws the outline of a glyph at the given size in pixels per em.
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

// coverage returns what fraction of each pixel in a box is covered by a glyph. The box is in whole
// pixels, relative to the pen.
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

// A field is a distance field of a glyph. It has one byte per channel and pixel.
type field struct {
	glyph    sfnt.GlyphIndex
	size     int
	grid     distancefield.Grid
	channels int
	levels   []byte
}

// field makes the distance field of a rune. It returns nil if the font lacks the rune, or if the
// glyph is blank.
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

// peer runs msdfgen to make a distance field of the glyph of x.
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

// distance samples the field at a position in pixels relative to the pen, with linear filtering as
// on a graphics processor. It returns the distance, or the median of the channels.
func (x *field) distance(px, py float64) float64 {
	px, py = px-float64(x.grid.Left)-0.5, py-float64(x.grid.Top)-0.5
	left, top := math.Floor(px), math.Floor(py)
	u, v := px-left, py-top
	at := func(dx, dy, c int) float64 {
		ix, iy := min(max(int(left)+dx, 0), x.grid.W-1), min(max(int(top)+dy, 0), x.grid.H-1)
		return float64(x.levels[(iy*x.grid.W+ix)*x.channels+c])
	}
	var c [3]float64
	for i := range c {
		ch := min(i, x.channels-1)
		c[i] = (at(0, 0, ch)*(1-u)+at(1, 0, ch)*u)*(1-v) + (at(0, 1, ch)*(1-u)+at(1, 1, ch)*u)*v
	}
	return (max(min(c[0], c[1]), min(max(c[0], c[1]), c[2]))/255 - 0.5) * span
}

// render draws the glyph as a shader would, in the pixels of a box at another size.
func (x *field) render(size int, box image.Rectangle) *image.Alpha {
	out := image.NewAlpha(image.Rect(0, 0, box.Dx(), box.Dy()))
	zoom := float64(size) / float64(x.size)
	for y := range box.Dy() {
		for i := range box.Dx() {
			d := x.distance((float64(box.Min.X+i)+0.5)/zoom, (float64(box.Min.Y+y)+0.5)/zoom)
			out.SetAlpha(i, y, color.Alpha{A: uint8(math.Round(255 * min(max(d*zoom+0.5, 0), 1)))})
		}
	}
	return out
}

// box returns the rectangle that the field covers when drawn at another size.
func (x *field) box(size int) image.Rectangle {
	zoom := float64(size) / float64(x.size)
	g := x.grid
	return image.Rect(int(math.Ceil(float64(g.Left)*zoom)), int(math.Ceil(float64(g.Top)*zoom)),
		int(math.Floor(float64(g.Left+g.W)*zoom)), int(math.Floor(float64(g.Top+g.H)*zoom)))
}

// An errorSum accumulates the deviations of a drawing from the true coverage.
type errorSum struct {
	sum    float64
	pixels int // sum of the coverage of all pixels
	far    int
}

func (e *errorSum) addGlyphError(x *field, f *face, size int) {
	box := x.box(size)
	want, got := f.coverage(x.glyph, size, box), x.render(size, box)
	covered := 0.0
	for i := range want.Pix {
		off := math.Abs(float64(want.Pix[i])-float64(got.Pix[i])) / 255
		e.sum += off
		if off > 0.5 {
			e.far++
		}
		covered += float64(want.Pix[i]) / 255
	}
	e.pixels += int(covered)
}

// mean returns the sum of errors divided by the area of the glyphs in pixels.
func (e *errorSum) mean() float64 { return e.sum / float64(e.pixels) }

func (e *errorSum) share() float64 { return float64(e.far) / float64(e.pixels) }

// outlines is the name of the drawing made directly from the outlines.
const outlines = "outlines"

// draw writes an image with several rows of the same text. The first row is drawn from the
// outlines, and each of the following rows from one type of distance field.
func draw(ctx context.Context, file, program string, f *face) error {
	kinds := []string{outlines, "sdf", "msdf"}
	if program != "" {
		kinds = append(kinds, "msdfgen msdf")
	}
	const text, size, drawn, cell = "&AKaR4§%", 24, 180, 200
	out := image.NewGray(image.Rect(0, 0, cell*len([]rune(text)), cell*len(kinds)))
	for i := range out.Pix {
		out.Pix[i] = 255
	}
	for row, kind := range kinds {
		for i, r := range []rune(text) {
			x, err := f.field(ctx, kind, program, r, size)
			if err != nil || x == nil {
				return errors.Join(err, errors.New("the font has no "+string(r)))
			}
			box := x.box(drawn)
			pixels := f.coverage(x.glyph, drawn, box)
			if kind != outlines {
				pixels = x.render(drawn, box)
			}
			for y := range min(box.Dy(), cell) {
				for dx := range min(box.Dx(), cell) {
					out.SetGray(i*cell+dx, row*cell+y, color.Gray{Y: 255 - pixels.AlphaAt(dx, y).A})
				}
			}
		}
	}
	w, err := os.Create(file)
	if err != nil {
		return err
	}
	return errors.Join(png.Encode(w, out), w.Close())
}
