package rectpack

import (
	"cmp"
	"slices"
	"sort"
)

// A skyline is the lower edge of the placed rectangles on a page. The widest rectangle that fits is
// placed into the gap that is nearest to the top (Burke, Kendall and Whitwell, "A New Placement
// Heuristic for the Orthogonal Stock-Cutting Problem", 2004).
type skyline struct {
	page  Size
	line  []segment
	waste int // area that may still be wasted
}

// A segment is a horizontal part of the skyline with width w.
type segment struct{ x, y, w int }

// skylineLeft places rectangles at the left end of gaps.
func skylineLeft(p *packer, of []entry, count int, page Size) []Place {
	return fillSkyline(p, of, count, page, func(left, right int) bool { return false })
}

// skylineHigh places rectangles at the end of a gap that has the higher neighbor.
func skylineHigh(p *packer, of []entry, count int, page Size) []Place {
	return fillSkyline(p, of, count, page, func(left, right int) bool { return right > left })
}

// fillSkyline places entries, widest first. atRight receives the heights on both sides of a gap,
// and reports whether to place a rectangle at the right end.
func fillSkyline(p *packer, of []entry, count int, page Size, atRight func(left, right int) bool) []Place {
	at, done := make([]Place, count), make([]bool, count)
	s := skyline{page: page, line: []segment{{0, 0, page.W}}, waste: page.areaOf()}
	for _, e := range of {
		if !done[e.n] {
			done[e.n] = true
			s.waste -= e.areaOf()
		}
	}
	clear(done)
	// next is a union-find structure. It leads from i to the first entry at or after i that is not
	// placed.
	next := make([]int, len(of)+1)
	for i := range next {
		next[i] = i
	}
	find := func(i int) int {
		for next[i] != i || i < len(of) && done[of[i].n] {
			if next[i] == i {
				next[i] = i + 1
			}
			next[i] = next[next[i]]
			i = next[i]
		}
		return i
	}
	for placed := 0; placed < count; {
		low, left, right := s.lowestSegment()
		gap := s.line[low]
		p.work += len(s.line) + perEntry
		i := find(sort.Search(len(of), func(i int) bool { return of[i].W <= gap.w }))
		for i < len(of) && gap.y+of[i].H > page.H {
			p.work++
			i = find(i + 1)
		}
		if i == len(of) {
			if !s.fillGap(low, min(left, right)) {
				return nil
			}
			continue
		}
		e := of[i]
		x := gap.x
		if atRight(left, right) {
			x += gap.w - e.W
		}
		at[e.n] = Place{X: x, Y: gap.y, Turned: e.turned}
		done[e.n] = true
		placed++
		s.putRectangle(low, x, e.Size)
	}
	return at
}

// lowestSegment returns the index of the lowest segment, and the height of the edge on both sides
// of it. At the border of the page this is the page's height.
func (s *skyline) lowestSegment() (low, left, right int) {
	for i := range s.line {
		if s.line[i].y < s.line[low].y {
			low = i
		}
	}
	left, right = s.page.H, s.page.H
	if low > 0 {
		left = s.line[low-1].y
	}
	if low+1 < len(s.line) {
		right = s.line[low+1].y
	}
	return low, left, right
}

// fillGap raises the edge of a gap to y without placing rectangles. It reports whether the
// remaining area may still be enough.
func (s *skyline) fillGap(low, y int) bool {
	s.waste -= (y - s.line[low].y) * s.line[low].w
	s.line[low].y = y
	s.joinSegment(low)
	return s.waste >= 0 && y < s.page.H
}

// putRectangle places a rectangle at one end of a gap.
func (s *skyline) putRectangle(low, x int, size Size) {
	gap := s.line[low]
	above, rest := segment{x, gap.y + size.H, size.W}, segment{gap.x, gap.y, gap.w - size.W}
	switch {
	case rest.w == 0:
		s.line[low] = above
	case x == gap.x:
		rest.x += size.W
		s.line[low] = above
		s.line = slices.Insert(s.line, low+1, rest)
	default:
		s.line[low] = rest
		low++
		s.line = slices.Insert(s.line, low, above)
	}
	s.joinSegment(low)
}

// joinSegment merges a segment with adjacent segments of the same height.
func (s *skyline) joinSegment(i int) {
	for _, k := range []int{i, i - 1} {
		if k >= 0 && k+1 < len(s.line) && s.line[k].y == s.line[k+1].y {
			s.line[k].w += s.line[k+1].w
			s.line = slices.Delete(s.line, k+1, k+2)
		}
	}
}

// An entry is a rectangle in its final orientation.
type entry struct {
	Size
	n      int // index in the list of places
	turned bool
}

// A strip is an algorithm that fills pages of a given width from the top down. It is far faster
// than a try, so that many more widths can be tried. For many rectangles of similar sizes, its
// pages are often smaller.
type strip struct {
	// fill places count rectangles and returns their places, or nil if not all of them fit.
	fill func(p *packer, of []entry, count int, page Size) []Place
	of   []entry
	// across is set if the strip is vertical, with width and height swapped.
	across bool
}

// strips returns the strips that are useful for the given rectangles.
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
			rows := sortedEntries(way, func(s Size) (int, int) { return s.H, s.W })
			list = append(list, strip{shelves, rows, across}, strip{cutSpaces, rows, across})
		}
		way := upright
		if p.o.Turn && across {
			break // vertical strips would repeat these orders, because rectangles may be rotated
		} else if p.o.Turn {
			way = slices.Concat(upright, exchanged(upright))
			for n := range upright {
				way[len(upright)+n].turned = true
			}
		} else if across {
			way = exchanged(upright)
		}
		wide := sortedEntries(way, func(s Size) (int, int) { return s.W, s.H })
		list = append(list, strip{skylineLeft, wide, across}, strip{skylineHigh, wide, across})
	}
	return list
}

// lying rotates the rectangles whose height exceeds their width.
func lying(of []entry) []entry {
	of = slices.Clone(of)
	for i, e := range of {
		if e.H > e.W {
			of[i] = entry{turnedSize(e.Size, true), e.n, true}
		}
	}
	return of
}

func exchanged(of []entry) []entry {
	of = slices.Clone(of)
	for i := range of {
		of[i].Size = turnedSize(of[i].Size, true)
	}
	return of
}

// sortedEntries returns the entries in descending order.
func sortedEntries(of []entry, by func(Size) (int, int)) []entry {
	of = slices.Clone(of)
	slices.SortStableFunc(of, func(a, b entry) int {
		a1, a2 := by(a.Size)
		b1, b2 := by(b.Size)
		return cmp.Or(cmp.Compare(b1, a1), cmp.Compare(b2, a2))
	})
	return of
}

// placeOnStrip places rectangles on a page of width w, or of height h if s.across is set.
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
	return p.pageAround(placed), placed
}

// pageAround returns the smallest page that contains the placed rectangles.
func (p *packer) pageAround(placed map[int]Place) Size {
	var used Size
	for i, at := range placed {
		r := turnedSize(p.rects[i], at.Turned)
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

// shelves places rectangles on shelves, highest first. Each goes on the shelf where it wastes the
// least area.
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

// cutSpaces places each rectangle, highest first, in the newest free space that is large enough. It
// cuts the rest of this space in two by a horizontal line (Volodymyr Agafonkin's potpack).
func cutSpaces(p *packer, of []entry, count int, page Size) []Place {
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

// perEntry is the work per rectangle, in addition to the search for its place.
const perEntry = 10
