package atlas

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/human"
	"github.com/assetcook/assetcook/internal/pathname"
	"github.com/assetcook/assetcook/internal/rectpack"
)

// unit returns the pixels of a unit.
func (o *Atlas) unit() int { return 1 << o.Mips }

// sides returns the possible sides of pages in units, without borders, and with the padding of
// the last sprite, which is outside of the page.
func (o *Atlas) sides() (list []int) {
	step := o.unit()
	if !o.isPicture() {
		step = max(step, 4) // whole blocks
	}
	for side := step; side <= o.MaxSize; side += step {
		if o.POT && side&(side-1) != 0 {
			continue
		}
		if n := side/o.unit() - 2*o.Border + o.Padding; n > o.Padding {
			list = append(list, n)
		}
	}
	return list
}

// pixels returns the size of a page in pixels.
func (o *Atlas) pixels(page rectpack.Size) (w, h int) {
	more := 2*o.Border - o.Padding
	return (page.W + more) * o.unit(), (page.H + more) * o.unit()
}

// room returns the units that a side of a sprite takes, with its extruded edges and the padding
// to the next sprite.
func (o *Atlas) room(pixels int) int {
	return (pixels+o.unit()-1)/o.unit() + 2*o.Extrude + o.Padding
}

// corner returns the pixel of a page at which a sprite begins.
func (o *Atlas) corner(at rectpack.Place) (x, y int) {
	return (at.X + o.Border + o.Extrude) * o.unit(), (at.Y + o.Border + o.Extrude) * o.unit()
}

// placeSprites finds places for all sprites.
func (o *Atlas) placeSprites(ctx context.Context, job *recipe.Job, a *atlas) error {
	rects := make([]rectpack.Size, len(a.sprites))
	for i, s := range a.sprites {
		rects[i] = rectpack.Size{W: o.room(s.w), H: o.room(s.h)}
	}
	options := rectpack.Options{Sides: o.sides(), Square: o.Square, Pages: o.Pages, Turn: o.Rotate}
	var err error
	if len(o.Keep) > 0 {
		pages, places, kept := o.kept(job, a)
		if kept != nil {
			return kept
		}
		a.layout, err = rectpack.Keep(ctx, rects, places, pages, options)
		if full := new(rectpack.FullError); errors.As(err, &full) {
			job.Warn("no room for %s among the places to keep: all are placed anew", human.Count(full.Left, "sprite"))
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
		return o.full(len(a.sprites))
	}
	return err
}

func (o *Atlas) tooLarge(name string, s *sprite) error {
	return fmt.Errorf("%s: %d x %d pixels do not fit a page of %d x %d with what border and extrude add; allow more with max_size", pathname.Show(name), s.w, s.h, o.MaxSize, o.MaxSize)
}

func (o *Atlas) full(sprites int) error {
	return fmt.Errorf("%s do not fit %s of at most %d x %d pixels; allow more with pages or max_size, or take some out", human.Count(sprites, "sprite"), human.Count(o.Pages, "page"), o.MaxSize, o.MaxSize)
}

// nameFor returns a name of a sprite.
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

// kept returns the pages and places of earlier atlases; the place is nil for new sprites. Package
// rectpack ignores impossible places.
func (o *Atlas) kept(job *recipe.Job, a *atlas) (pages []rectpack.Size, places []*rectpack.Place, err error) {
	at := map[string]earlier{}
	for _, name := range o.Keep {
		text, err := job.Read(name)
		if err == nil && len(text) > maxData {
			err = fmt.Errorf("%d bytes; at most %d are read", len(text), maxData)
		}
		var d data
		if err == nil {
			err = json.Unmarshal(text, &d)
		}
		sheets := d.sheets()
		if err == nil && len(sheets) == 0 {
			err = errors.New("not the JSON of an atlas: it describes no page")
		}
		if err != nil {
			return nil, nil, fmt.Errorf("keep: %s: %w", pathname.Show(name), err)
		}
		for _, s := range sheets {
			for name, f := range s.frames {
				at[name] = earlier{f, len(pages)}
			}
			pages = append(pages, rectpack.Size{
				W: s.size.W/o.unit() - 2*o.Border + o.Padding, H: s.size.H/o.unit() - 2*o.Border + o.Padding,
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
		if !ok || places[n.sprite] != nil || !f.of(s) || !f.within(o.MaxSize) || f.X%o.unit() != 0 || f.Y%o.unit() != 0 {
			continue
		}
		places[n.sprite] = &rectpack.Place{
			Page: f.page, X: f.X/o.unit() - o.Border - o.Extrude, Y: f.Y/o.unit() - o.Border - o.Extrude, Turned: f.turned,
		}
	}
	return pages, places, nil
}

// An earlier is the place of a sprite in an earlier atlas.
type earlier struct {
	place
	page int
}

// of reports whether the sprite had the same size.
func (e earlier) of(s *sprite) bool { return e.W == s.w && e.H == s.h }

// within reports whether the place fits a page with such sides.
func (e earlier) within(side int) bool { return min(e.X, e.Y) >= 0 && max(e.X, e.Y) < side }

// fitting checks that the pages of earlier atlases are still allowed.
func (o *Atlas) fitting(pages []rectpack.Size) error {
	if len(pages) > o.Pages {
		return fmt.Errorf("keep: there were %d pages; pages allows %d", len(pages), o.Pages)
	}
	sides := map[int]bool{}
	for _, side := range o.sides() {
		sides[side] = true
	}
	for _, page := range pages {
		if w, h := o.pixels(page); !sides[page.W] || !sides[page.H] || o.Square && page.W != page.H {
			return fmt.Errorf("keep: max_size, pot, square, mips or container does not allow a page of %d x %d pixels", w, h)
		}
	}
	return nil
}
