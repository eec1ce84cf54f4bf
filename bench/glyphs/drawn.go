package main

import (
	"context"
	"errors"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
)

// distance filters the field linearly at a place in pixels from the pen, as a graphics processor
// does, and returns the distance, or the median of the channels.
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

// render draws the glyph as a shader would, in the pixels of a box of another size.
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

// box returns the area that the field covers at another size.
func (x *field) box(size int) image.Rectangle {
	zoom := float64(size) / float64(x.size)
	g := x.grid
	return image.Rect(int(math.Ceil(float64(g.Left)*zoom)), int(math.Ceil(float64(g.Top)*zoom)),
		int(math.Floor(float64(g.Left+g.W)*zoom)), int(math.Floor(float64(g.Top+g.H)*zoom)))
}

// An errorSum sums the deviations of a drawing from the true coverage.
type errorSum struct {
	sum    float64
	pixels int // covered pixels, as a sum of shares
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

// mean returns the error relative to the pixels that glyphs cover.
func (e *errorSum) mean() float64 { return e.sum / float64(e.pixels) }

func (e *errorSum) share() float64 { return float64(e.far) / float64(e.pixels) }

// outlines is the kind of drawing without a field.
const outlines = "outlines"

// draw writes a picture with a line for the outlines, and one for each field.
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
