package atlas

import (
	"context"
	"errors"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/png"
	"github.com/assetcook/assetcook/internal/image/webp"
)

// bandRows is the number of rows of a page that form one piece of work.
const bandRows = 64

// writePage paints a page and writes it. An unneeded page is a single pixel.
func (o *Atlas) writePage(ctx context.Context, job *recipe.Job, i int, a *atlas) error {
	end := job.Step("paint")
	w, h := 1, 1
	if i < len(a.layout.Pages) {
		w, h = o.pixels(a.layout.Pages[i])
	}
	m := &pixmap.Map{W: w, H: h, Pix8: make([]uint8, 4*w*h)}
	job.Hold("pages", len(m.Pix8))
	for j, at := range a.layout.Places {
		if at.Page == i {
			x, y := o.corner(at)
			o.paint(m, &a.sprites[j], x, y, at.Turned)
		}
	}
	err := job.Each(ctx, (h+bandRows-1)/bandRows, func(band int) error {
		bleed(m, band*bandRows, min(h, (band+1)*bandRows))
		return nil
	})
	end()
	if err != nil {
		return err
	}
	if !o.isPicture() {
		return o.texture().Write(ctx, job, a.first+i, m, o.Mips)
	}
	defer job.Step("encode")()
	out, err := job.Create(a.first + i)
	if err != nil {
		return err
	}
	if o.Container == "webp" {
		err = webp.Encode(ctx, out, m)
	} else {
		_, err = png.Encode(ctx, out, m, png.EffortOf(o.Quality))
	}
	return errors.Join(err, out.Close())
}

// paint paints a sprite with its corner at a pixel. Its edges are repeated by the extrusion, and
// up to the next whole unit.
func (o *Atlas) paint(m *pixmap.Map, s *sprite, left, top int, turned bool) {
	w, h := s.w, s.h
	if turned {
		w, h = h, w
	}
	before, right, bottom := 0, w, h
	if u := o.unit(); o.Extrude > 0 {
		before = o.Extrude * u
		right, bottom = (w+u-1)/u*u+before, (h+u-1)/u*u+before
	}
	for y := -before; y < bottom; y++ {
		for x := -before; x < right; x++ {
			sx, sy := min(max(x, 0), w-1), min(max(y, 0), h-1)
			if turned { // clockwise: the left side becomes the top
				sx, sy = sy, s.h-1-sx
			}
			copy(m.Pix8[4*((top+y)*m.W+left+x):][:4], s.pix[4*(sy*s.w+sx):])
		}
	}
}

// bleed gives invisible pixels the mean color of their visible neighbors, so that a game that
// blends neighbors finds no black around sprites. Rows can be processed concurrently: the pixels
// read from another row are never written.
func bleed(m *pixmap.Map, from, to int) {
	for y := from; y < to; y++ {
		for x := range m.W {
			p := m.Pix8[4*(y*m.W+x):][:4]
			if p[3] > 0 {
				continue
			}
			var sum [3]int
			n := 0
			for row := max(y-1, 0); row < min(y+2, m.H); row++ {
				left, right := max(x-1, 0), min(x+2, m.W)
				for q := m.Pix8[4*(row*m.W+left) : 4*(row*m.W+right)]; len(q) > 0; q = q[4:] {
					if q[3] == 0 {
						continue
					}
					n++
					for c := range sum {
						sum[c] += int(q[c])
					}
				}
			}
			for c := range sum {
				if n > 0 {
					p[c] = uint8(sum[c] / n)
				}
			}
		}
	}
}
