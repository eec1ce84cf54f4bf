package atlas

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/human"
	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/png"
	"github.com/assetcook/assetcook/internal/image/role"
	"github.com/assetcook/assetcook/internal/image/spritesheet"
	"github.com/assetcook/assetcook/internal/image/webp"
	"github.com/assetcook/assetcook/internal/jobs"
	"github.com/assetcook/assetcook/internal/pathname"
	"github.com/assetcook/assetcook/internal/rectpack"
)

// unitPixels returns the size of a unit in pixels.
func (o *atlasOptions) unitPixels() int { return 1 << o.Mips }

// pageSides returns the possible lengths of page sides, in units. A length excludes the borders. It
// includes the padding after the last sprite, which is outside of the page.
func (o *atlasOptions) pageSides() (list []int) {
	step := o.unitPixels()
	if !o.isImageContainer() {
		step = max(step, 4) // GPU textures consist of blocks of 4 x 4 pixels
	}
	for side := step; side <= o.MaxSize; side += step {
		if o.POT && side&(side-1) != 0 {
			continue
		}
		if n := side/o.unitPixels() - 2*o.Border + o.Padding; n > o.Padding {
			list = append(list, n)
		}
	}
	return list
}

// pixelsOfPage returns the size of a page in pixels.
func (o *atlasOptions) pixelsOfPage(page rectpack.Size) (w, h int) {
	more := 2*o.Border - o.Padding
	return (page.W + more) * o.unitPixels(), (page.H + more) * o.unitPixels()
}

// spriteRoom returns the length of a sprite's side in units, including extruded edges and the
// padding to the next sprite.
func (o *atlasOptions) spriteRoom(pixels int) int {
	return (pixels+o.unitPixels()-1)/o.unitPixels() + 2*o.Extrude + o.Padding
}

// spriteCorner returns the pixel of a page that is a sprite's top left corner.
func (o *atlasOptions) spriteCorner(at rectpack.Place) (x, y int) {
	return (at.X + o.Border + o.Extrude) * o.unitPixels(), (at.Y + o.Border + o.Extrude) * o.unitPixels()
}

// placeSprites places all sprites on pages.
func (o *atlasOptions) placeSprites(ctx context.Context, job *recipe.Job, a *atlas) error {
	rects := make([]rectpack.Size, len(a.sprites))
	for i, s := range a.sprites {
		rects[i] = rectpack.Size{W: o.spriteRoom(s.w), H: o.spriteRoom(s.h)}
	}
	options := rectpack.Options{Sides: o.pageSides(), Square: o.Square, Pages: o.Pages, Turn: o.Rotate}
	var err error
	if len(o.Keep) > 0 {
		pages, places, kept := o.keptPlaces(job, a)
		if kept != nil {
			return kept
		}
		a.layout, err = rectpack.Keep(ctx, rects, places, pages, options)
		if full := new(rectpack.FullError); errors.As(err, &full) {
			job.Warn("the places kept from the earlier atlas leave no room for %s, so all sprites get new places", human.Count(full.Left, "sprite"))
		}
	}
	if len(o.Keep) == 0 || err != nil {
		a.layout, err = rectpack.Pack(ctx, rects, options)
	}
	var large *rectpack.TooLargeError
	var full *rectpack.FullError
	switch {
	case errors.As(err, &large):
		return o.tooLarge(a.nameFor(large.Rect), &a.sprites[large.Rect])
	case errors.As(err, &full):
		return o.isFull(len(a.sprites))
	}
	return err
}

func (o *atlasOptions) tooLarge(name string, s *sprite) error {
	return fmt.Errorf("%s: %d x %d pixels with border and extrude do not fit on a page of %d x %d; raise max_size", pathname.Show(name), s.w, s.h, o.MaxSize, o.MaxSize)
}

func (o *atlasOptions) isFull(sprites int) error {
	return fmt.Errorf("%s do not fit on %s of at most %d x %d pixels; raise pages or max_size, or remove sprites", human.Count(sprites, "sprite"), human.Count(o.Pages, "page"), o.MaxSize, o.MaxSize)
}

// nameFor returns one of a sprite's names.
func (a *atlas) nameFor(sprite int) string {
	for _, n := range a.names {
		if n.sprite == sprite {
			return n.name
		}
	}
	return ""
}

// maxData is the size limit of an earlier atlas's JSON, in bytes.
const maxData = 64 << 20

// keptPlaces returns the pages of earlier atlases, and each sprite's place on them, which is nil
// for a new sprite. Package rectpack ignores impossible places.
func (o *atlasOptions) keptPlaces(job *recipe.Job, a *atlas) (pages []rectpack.Size, places []*rectpack.Place, err error) {
	at := map[string]formerPlace{}
	for _, name := range o.Keep {
		text, err := job.Read(name)
		if err == nil && len(text) > maxData {
			err = fmt.Errorf("the file has %d bytes; the limit is %d", len(text), maxData)
		}
		var d spritesheet.Data
		if err == nil {
			err = json.Unmarshal(text, &d)
		}
		sheets := sheetsOf(&d)
		if err == nil && len(sheets) == 0 {
			err = errors.New("the file is not the JSON of an atlas: it describes no page")
		}
		if err != nil {
			return nil, nil, fmt.Errorf("keep: %s: %w", pathname.Show(name), err)
		}
		for _, s := range sheets {
			for name, f := range s.frames {
				at[name] = formerPlace{f, len(pages)}
			}
			pages = append(pages, rectpack.Size{
				W: s.size.W/o.unitPixels() - 2*o.Border + o.Padding, H: s.size.H/o.unitPixels() - 2*o.Border + o.Padding,
			})
		}
	}
	if err := o.fitting(pages); err != nil {
		return nil, nil, err
	}
	places = make([]*rectpack.Place, len(a.sprites))
	for _, n := range a.names {
		f, ok := at[n.name]
		s := &a.sprites[n.sprite]
		if !ok || places[n.sprite] != nil || !f.hasSizeOf(s) || !f.fitsPage(o.MaxSize) || f.X%o.unitPixels() != 0 || f.Y%o.unitPixels() != 0 {
			continue
		}
		places[n.sprite] = &rectpack.Place{
			Page: f.page, X: f.X/o.unitPixels() - o.Border - o.Extrude, Y: f.Y/o.unitPixels() - o.Border - o.Extrude, Turned: f.turned,
		}
	}
	return pages, places, nil
}

// A formerPlace is a sprite's place in an earlier atlas.
type formerPlace struct {
	place
	page int
}

// hasSizeOf reports whether the sprite has the same size as in the earlier atlas.
func (e formerPlace) hasSizeOf(s *sprite) bool { return e.W == s.w && e.H == s.h }

// fitsPage reports whether the corner of a place is within a page with the given side.
func (e formerPlace) fitsPage(side int) bool { return min(e.X, e.Y) >= 0 && max(e.X, e.Y) < side }

// fitting returns an error if the options forbid the number or the size of the earlier atlases'
// pages.
func (o *atlasOptions) fitting(pages []rectpack.Size) error {
	if len(pages) > o.Pages {
		return fmt.Errorf("keep: the earlier atlas has %d pages, but the option pages allows %d", len(pages), o.Pages)
	}
	sides := map[int]bool{}
	for _, side := range o.pageSides() {
		sides[side] = true
	}
	for _, page := range pages {
		if w, h := o.pixelsOfPage(page); !sides[page.W] || !sides[page.H] || o.Square && page.W != page.H {
			return fmt.Errorf("keep: max_size, pot, square, mips or container does not allow a page of %d x %d pixels", w, h)
		}
	}
	return nil
}

// bandRows is the number of page rows in one piece of parallel work.
const bandRows = 64

// writeAtlasPage paints a page and writes it. An unused page becomes a single pixel.
func (o *atlasOptions) writeAtlasPage(ctx context.Context, job *recipe.Job, i int, a *atlas) error {
	jobs.SetRole(job, a.pages+i, role.Color.String())
	end := job.Step("paint")
	w, h := 1, 1
	if i < len(a.layout.Pages) {
		w, h = o.pixelsOfPage(a.layout.Pages[i])
	}
	m := &pixmap.Map{W: w, H: h, Pix8: make([]uint8, 4*w*h)}
	job.Hold("pages", len(m.Pix8))
	for j, at := range a.layout.Places {
		if at.Page == i {
			x, y := o.spriteCorner(at)
			o.paintSprite(m, &a.sprites[j], x, y, at.Turned)
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
	if !o.isImageContainer() {
		return o.textureOptions().Write(ctx, job, a.pages+i, m, o.Mips)
	}
	defer job.Step("encode")()
	out, err := job.Create(a.pages + i)
	if err != nil {
		return err
	}
	if o.Container == "webp" {
		err = webp.Encode(ctx, out, m, o.Quality == "best")
	} else {
		_, err = png.Encode(ctx, out, m, png.EffortOf(o.Quality))
	}
	return errors.Join(err, out.Close())
}

// paintSprite paints a sprite with its corner at the given pixel. It extends the edges of the
// sprite by the extrusion, and then up to the next whole unit.
func (o *atlasOptions) paintSprite(m *pixmap.Map, s *sprite, left, top int, turned bool) {
	w, h := s.w, s.h
	if turned {
		w, h = h, w
	}
	before, right, bottom := 0, w, h
	if u := o.unitPixels(); o.Extrude > 0 {
		before = o.Extrude * u
		right, bottom = (w+u-1)/u*u+before, (h+u-1)/u*u+before
	}
	for y := -before; y < bottom; y++ {
		for x := -before; x < right; x++ {
			sx, sy := min(max(x, 0), w-1), min(max(y, 0), h-1)
			if turned { // the sprite is rotated clockwise, so its left side becomes the top
				sx, sy = sy, s.h-1-sx
			}
			copy(m.Pix8[4*((top+y)*m.W+left+x):][:4], s.pix[4*(sy*s.w+sx):])
		}
	}
}

// bleed gives invisible pixels the mean color of their visible neighbors. So filtering shows no
// dark fringes around sprites. Rows can be processed concurrently, because no pixel that another
// row reads is written.
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
