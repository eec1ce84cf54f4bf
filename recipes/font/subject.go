package font

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/font/distancefield"
)

// A subject holds the font being cooked and the decisions about it.
type subject struct {
	o       *fontOptions
	face    *face
	chars   []char
	glyphs  []glyph
	missing []rune
	atlas   extent
}

// A char is a rune and the index of its glyph. Several runes may share a glyph.
type char struct {
	r     rune
	glyph int
}

// A glyph is a glyph of the font. It is drawn once, even if several runes share it.
type glyph struct {
	index   uint16 // glyph index in the font
	advance int    // advance width in font units
	box     box
}

// A box is a glyph's rectangle in pixels relative to the pen, with y downward, and its position in
// the atlas. An empty box is not drawn.
type box struct {
	left, top, w, h int
	x, y            int
}

type extent struct{ w, h int }

// prepareSubject reads the source and places the glyphs.
func (o *fontOptions) prepareSubject(ctx context.Context, job *recipe.Job) (*subject, error) {
	defer job.Step("decode")()
	if err := o.checkOptions(); err != nil {
		return nil, err
	}
	runes, err := o.runesOfOptions(ctx, job)
	if err != nil {
		return nil, err
	}
	if job.Size() > maxSource {
		return nil, errLarge
	}
	file, err := job.Source()
	if err != nil {
		return nil, err
	}
	s := &subject{o: o}
	if s.face, err = openFace(ctx, file, o.Face); err != nil {
		return nil, err
	}
	for _, part := range s.face.lost {
		job.Warn("the atlas loses %s", part)
	}
	if err := s.chooseGlyphs(runes); err != nil {
		return nil, err
	}
	for i := range s.glyphs {
		if err := s.boundGlyph(ctx, &s.glyphs[i]); err != nil {
			return nil, err
		}
	}
	if !slices.ContainsFunc(s.glyphs, func(g glyph) bool { return g.box.w > 0 }) {
		job.Warn("the atlas is empty, because no glyph has an outline; change charset or text")
	}
	s.atlas, err = o.placeGlyphs(ctx, s.glyphs)
	return s, err
}

// chooseGlyphs finds the glyphs of the runes. Each glyph is listed once, in the order of the
// runes.
func (s *subject) chooseGlyphs(runes []rune) error {
	seen := map[uint16]int{}
	for _, r := range runes {
		index, err := s.face.glyphOf(r)
		if err != nil {
			return fmt.Errorf("look up U+%04X: %w", r, err)
		}
		if index == 0 {
			s.missing = append(s.missing, r)
			continue
		}
		i, ok := seen[index]
		if !ok {
			i = len(s.glyphs)
			seen[index] = i
			s.glyphs = append(s.glyphs, glyph{index: index})
		}
		s.chars = append(s.chars, char{r, i})
	}
	switch {
	case len(s.glyphs) == 0:
		return fmt.Errorf("the font has glyphs for none of %s; use another font, or change charset or text", listRunes(s.missing))
	case len(s.missing) > 0 && s.o.Missing == "error":
		return fmt.Errorf("the font has no glyphs for %s; remove these characters from charset and text, or set missing = \"skip\"", listRunes(s.missing))
	}
	return nil
}

// glyphShape reads the outline of a glyph.
func (s *subject) glyphShape(ctx context.Context, index uint16) (*distancefield.Shape, error) {
	path, err := s.face.glyphOutline(index, s.o.Size)
	if err != nil {
		return nil, err
	}
	return path.Shape(ctx)
}

// boundGlyph computes the box of a glyph. This is the smallest box of whole pixels around the
// outline, plus half of the range on each side.
func (s *subject) boundGlyph(ctx context.Context, g *glyph) error {
	fail := func(err error) error { return fmt.Errorf("glyph %d: %w", g.index, err) }
	var err error
	if g.advance, err = s.face.glyphAdvance(g.index); err != nil {
		return fail(err)
	}
	shape, err := s.glyphShape(ctx, g.index)
	if err != nil {
		return fail(err)
	}
	left, top, right, bottom, ok := shape.Bounds()
	if !ok {
		return nil
	}
	reach := float64(float64(s.o.Range) / 2)
	b := box{left: int(math.Floor(left - reach)), top: int(math.Floor(top - reach))}
	b.w, b.h = int(math.Ceil(right+reach))-b.left, int(math.Ceil(bottom+reach))-b.top
	if b.w > s.o.MaxSize || b.h > s.o.MaxSize {
		return fail(fmt.Errorf("a glyph has %d x %d pixels, more than max_size, %d; lower size or raise max_size", b.w, b.h, s.o.MaxSize))
	}
	g.box = b
	return nil
}

// drawAtlas draws the atlas with as many bytes per pixel as the output has.
func (s *subject) drawAtlas(ctx context.Context) ([]byte, error) {
	channels := s.o.texelChannels()
	stride := channels * s.atlas.w
	texels := make([]byte, stride*s.atlas.h)
	for _, g := range s.glyphs {
		b := g.box
		if b.w == 0 {
			continue
		}
		shape, err := s.glyphShape(ctx, g.index)
		if err == nil {
			grid := distancefield.Grid{Left: b.left, Top: b.top, W: b.w, H: b.h}
			render := shape.Render
			if channels == 4 {
				render = shape.RenderMulti
			}
			err = render(ctx, texels[b.y*stride+b.x*channels:], stride, grid, float64(s.o.Range))
		}
		if err != nil {
			return nil, fmt.Errorf("glyph %d: %w", g.index, err)
		}
	}
	if s.o.Field == "msdf" {
		for i := 3; i < len(texels); i += 4 {
			texels[i] = 255 // only mtsdf stores the plain distance in alpha
		}
	}
	return texels, nil
}

// placeGlyphs finds the smallest atlas for the glyphs, and places them. It places tall glyphs
// first, which wastes the least space.
func (o *fontOptions) placeGlyphs(ctx context.Context, glyphs []glyph) (extent, error) {
	order := make([]int, 0, len(glyphs))
	area, widest, tallest := 0, 1, 1
	for i, g := range glyphs {
		if g.box.w > 0 {
			order = append(order, i)
			area += (g.box.w + o.Padding) * (g.box.h + o.Padding)
			widest, tallest = max(widest, g.box.w), max(tallest, g.box.h)
		}
	}
	slices.SortFunc(order, func(i, k int) int {
		a, b := glyphs[i].box, glyphs[k].box
		return cmp.Or(cmp.Compare(b.h, a.h), cmp.Compare(b.w, a.w), cmp.Compare(i, k))
	})
	for _, size := range o.atlasSizes(area, widest, tallest) {
		used, ok, err := o.fillAtlas(ctx, glyphs, order, size)
		if err != nil {
			return extent{}, err
		}
		if ok && !o.PowerOfTwo {
			size.h = roundUpToBlock(used)
		}
		if ok {
			return size, nil
		}
	}
	return extent{}, fmt.Errorf("%d glyphs do not fit into %d x %d pixels (max_size); lower size or range, name fewer characters, or raise max_size",
		len(order), o.MaxSize, o.MaxSize)
}

// roundUpToBlock rounds a side up to a multiple of 4, as texel blocks and row copies need.
func roundUpToBlock(side int) int { return (max(side, 1) + 3) / 4 * 4 }

// atlasSizes returns the atlas sizes to try, smallest first.
func (o *fontOptions) atlasSizes(area, widest, tallest int) []extent {
	var list []extent
	if o.PowerOfTwo {
		for w := 4; w <= o.MaxSize; w *= 2 {
			// The width is at most twice the height, unless the height is at its limit.
			for _, h := range []int{w / 2, w, 2 * w} {
				if h >= 4 && h <= o.MaxSize && (h <= w || 2*w > o.MaxSize) {
					list = append(list, extent{w, h})
				}
			}
		}
	} else {
		// Try any height up to the limit. If that is not enough, try a larger width.
		most := o.MaxSize / 4 * 4
		w := min(max(roundUpToBlock(int(math.Sqrt(float64(area)))), roundUpToBlock(widest)), most)
		for ; ; w = min(roundUpToBlock(w+w/8), most) {
			list = append(list, extent{w, most})
			if w == most {
				break
			}
		}
	}
	return slices.DeleteFunc(list, func(e extent) bool { return e.w < widest || e.h < tallest })
}

// A step is a part of the skyline. From x to the next step, all pixels above y are occupied.
type step struct{ x, y int }

// fillAtlas places the glyphs in an atlas. Each glyph gets the highest free position below the
// skyline of earlier glyphs, and the leftmost of several. It returns the used height of the atlas.
func (o *fontOptions) fillAtlas(ctx context.Context, glyphs []glyph, order []int, size extent) (used int, ok bool, err error) {
	skyline := []step{{0, 0}}
	for _, i := range order {
		if err := ctx.Err(); err != nil {
			return 0, false, err
		}
		b := &glyphs[i].box
		best, bestY := -1, math.MaxInt
		for k := range skyline {
			if skyline[k].x+b.w > size.w {
				break
			}
			if y := lowestStep(skyline[k:], skyline[k].x+b.w+o.Padding); y < bestY && y+b.h <= size.h {
				best, bestY = k, y
			}
		}
		if best < 0 {
			return 0, false, nil
		}
		b.x, b.y = skyline[best].x, bestY
		used = max(used, b.y+b.h)
		skyline = raiseSkyline(skyline, best, b.x+b.w+o.Padding, b.y+b.h+o.Padding)
	}
	return used, true, nil
}

// lowestStep returns the largest y among the steps that begin before right.
func lowestStep(steps []step, right int) int {
	y := 0
	for _, s := range steps {
		if s.x >= right {
			break
		}
		y = max(y, s.y)
	}
	return y
}

// raiseSkyline marks all pixels above y as occupied, from step k to the given right side.
func raiseSkyline(skyline []step, k, right, y int) []step {
	end, last := k, skyline[k].y
	for end < len(skyline) && skyline[end].x < right {
		last = skyline[end].y
		end++
	}
	put := []step{{skyline[k].x, y}}
	if end == len(skyline) || skyline[end].x > right {
		put = append(put, step{right, last})
	}
	return slices.Replace(skyline, k, end, put...)
}
