package rectpack

import (
	"cmp"
	"slices"
)

// An entry is a rectangle in its final orientation.
type entry struct {
	Size
	n      int // number among the placed rectangles
	turned bool
}

// A strip fills pages of a given width from the top down, far quicker than a try. Many
// more widths can be tried; and for many rectangles of similar sizes the pages are often
// smaller.
type strip struct {
	// fill returns a place for each of count rectangles; nil if they do not all fit.
	fill func(p *packer, of []entry, count int, page Size) []Place
	of   []entry
	// across says that rows are columns: width and height have been exchanged.
	across bool
}

// strips returns the strips worth trying for some rectangles.
func (p *packer) strips(of []int) (list []strip) {
	upright := make([]entry, len(of))
	for n, i := range of {
		upright[n] = entry{Size: p.rects[i], n: n}
	}
	ways := [][]entry{upright}
	if p.o.Turn {
		ways = append(ways, lying(upright))
	}
	for _, across := range []bool{false, true} {
		for _, way := range ways {
			if across {
				way = exchanged(way)
			}
			rows := sorted(way, func(s Size) (int, int) { return s.H, s.W })
			list = append(list, strip{shelves, rows, across}, strip{cuts, rows, across})
		}
		way := upright
		if p.o.Turn && across {
			break // the same again
		} else if p.o.Turn {
			way = slices.Concat(upright, exchanged(upright))
			for n := range upright {
				way[len(upright)+n].turned = true
			}
		} else if across {
			way = exchanged(upright)
		}
		wide := sorted(way, func(s Size) (int, int) { return s.W, s.H })
		list = append(list, strip{skylineLeft, wide, across}, strip{skylineHigh, wide, across})
	}
	return list
}

// lying turns rectangles that are higher than wide.
func lying(of []entry) []entry {
	of = slices.Clone(of)
	for i, e := range of {
		if e.H > e.W {
			of[i] = entry{turned(e.Size, true), e.n, true}
		}
	}
	return of
}

func exchanged(of []entry) []entry {
	of = slices.Clone(of)
	for i := range of {
		of[i].Size = turned(of[i].Size, true)
	}
	return of
}

// sorted returns entries in falling order.
func sorted(of []entry, by func(Size) (int, int)) []entry {
	of = slices.Clone(of)
	slices.SortStableFunc(of, func(a, b entry) int {
		a1, a2 := by(a.Size)
		b1, b2 := by(b.Size)
		return cmp.Or(cmp.Compare(b1, a1), cmp.Compare(b2, a2))
	})
	return of
}

// placeOnStrip places rectangles on a page of a width, or of such a height if the strip goes across.
func (s *strip) placeOnStrip(p *packer, of []int, w, h int) (page Size, placed map[int]Place) {
	at := s.fill(p, s.of, len(of), Size{w, h})
	if at == nil {
		return Size{}, nil
	}
	placed = make(map[int]Place, len(of))
	for n, i := range of {
		if s.across {
			at[n].X, at[n].Y = at[n].Y, at[n].X
		}
		placed[i] = at[n]
	}
	return p.around(placed), placed
}

// around returns the smallest page around the placed rectangles.
func (p *packer) around(placed map[int]Place) Size {
	var used Size
	for i, at := range placed {
		r := turned(p.rects[i], at.Turned)
		used.W, used.H = max(used.W, at.X+r.W), max(used.H, at.Y+r.H)
	}
	if p.o.Square {
		used.W = max(used.W, used.H)
		used.H = used.W
	}
	w, _ := slices.BinarySearch(p.o.Sides, used.W)
	h, _ := slices.BinarySearch(p.o.Sides, used.H)
	return Size{p.o.Sides[w], p.o.Sides[h]}
}

// shelves puts each rectangle, the highest first, on the shelf where it wastes least.
func shelves(p *packer, of []entry, count int, page Size) []Place {
	type shelf struct{ x, y, h int }
	var list []shelf
	at := make([]Place, count)
	end := 0
	for _, e := range of {
		best := -1
		for i, s := range list {
			if s.x+e.W <= page.W && (best < 0 || s.h < list[best].h) {
				best = i
			}
		}
		p.work += len(list) + perEntry
		if best < 0 {
			if end+e.H > page.H || e.W > page.W {
				return nil
			}
			best = len(list)
			list = append(list, shelf{0, end, e.H})
			end += e.H
		}
		s := &list[best]
		at[e.n] = Place{X: s.x, Y: s.y, Turned: e.turned}
		s.x += e.W
	}
	return at
}

// cuts puts each rectangle, the highest first, into the newest free space that holds it,
// and cuts the rest of that space in two by a line across (Volodymyr Agafonkin's potpack).
func cuts(p *packer, of []entry, count int, page Size) []Place {
	free := []rect{{0, 0, page.W, page.H}}
	at := make([]Place, count)
	for _, e := range of {
		i := len(free) - 1
		for i >= 0 && (e.W > free[i].w || e.H > free[i].h) {
			i--
		}
		p.work += len(free) - i + perEntry
		if i < 0 {
			return nil
		}
		f := free[i]
		at[e.n] = Place{X: f.x, Y: f.y, Turned: e.turned}
		right, below := rect{f.x + e.W, f.y, f.w - e.W, e.H}, rect{f.x, f.y + e.H, f.w, f.h - e.H}
		switch {
		case right.w == 0 && below.h == 0:
			free[i] = free[len(free)-1]
			free = free[:len(free)-1]
		case right.w == 0:
			free[i] = below
		case below.h == 0:
			free[i] = right
		default:
			free[i] = below
			free = append(free, right)
		}
	}
	return at
}

// perEntry is the work for a rectangle besides looking for its place.
const perEntry = 10
