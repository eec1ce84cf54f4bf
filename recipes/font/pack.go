package font

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
)

// placeGlyphs finds the smallest atlas for the glyphs, and places them. Tall glyphs are placed
// first, which wastes least.
func (o *Font) placeGlyphs(ctx context.Context, glyphs []glyph) (extent, error) {
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
	for _, size := range o.candidates(area, widest, tallest) {
		used, ok, err := o.fill(ctx, glyphs, order, size)
		if err != nil {
			return extent{}, err
		}
		if ok && !o.PowerOfTwo {
			size.h = roundUp(used)
		}
		if ok {
			return size, nil
		}
	}
	return extent{}, fmt.Errorf("%d glyphs do not fit into %d x %d pixels (max_size); lower size or range, take fewer runes, or raise max_size",
		len(order), o.MaxSize, o.MaxSize)
}

// roundUp rounds a side up to a multiple of 4, for blocks of texels and copies of rows.
func roundUp(side int) int { return (max(side, 1) + 3) / 4 * 4 }

// candidates returns the sizes to try, smallest first.
func (o *Font) candidates(area, widest, tallest int) []extent {
	var list []extent
	if o.PowerOfTwo {
		for w := 4; w <= o.MaxSize; w *= 2 {
			// At most twice as wide as high, unless the other side is at its limit.
			for _, h := range []int{w / 2, w, 2 * w} {
				if h >= 4 && h <= o.MaxSize && (h <= w || 2*w > o.MaxSize) {
					list = append(list, extent{w, h})
				}
			}
		}
	} else {
		// With any height up to the limit; wider if that is not enough.
		most := o.MaxSize / 4 * 4
		w := min(max(roundUp(int(math.Sqrt(float64(area)))), roundUp(widest)), most)
		for ; ; w = min(roundUp(w+w/8), most) {
			list = append(list, extent{w, most})
			if w == most {
				break
			}
		}
	}
	return slices.DeleteFunc(list, func(e extent) bool { return e.w < widest || e.h < tallest })
}

// A step is a part of the skyline: from x to the next step, everything above y is occupied.
type step struct{ x, y int }

// fill places the glyphs into an atlas: each at the highest position that the skyline of earlier
// glyphs leaves, the leftmost of several. It returns the used height of the atlas.
func (o *Font) fill(ctx context.Context, glyphs []glyph, order []int, size extent) (used int, ok bool, err error) {
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
			if y := lowest(skyline[k:], skyline[k].x+b.w+o.Padding); y < bestY && y+b.h <= size.h {
				best, bestY = k, y
			}
		}
		if best < 0 {
			return 0, false, nil
		}
		b.x, b.y = skyline[best].x, bestY
		used = max(used, b.y+b.h)
		skyline = raise(skyline, best, b.x+b.w+o.Padding, b.y+b.h+o.Padding)
	}
	return used, true, nil
}

// lowest returns the largest y of the steps up to right.
func lowest(steps []step, right int) int {
	y := 0
	for _, s := range steps {
		if s.x >= right {
			break
		}
		y = max(y, s.y)
	}
	return y
}

// raise marks everything above y as occupied, from step k up to right.
func raise(skyline []step, k, right, y int) []step {
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
