package rectpack

import (
	"slices"
	"sort"
)

// A skyline is the lower edge of the placed rectangles, from the top down. Its lowest gap
// is filled with the widest rectangle that fits (Burke, Kendall and Whitwell, "A New
// Placement Heuristic for the Orthogonal Stock-Cutting Problem", 2004).
type skyline struct {
	page  Size
	line  []segment
	waste int // area that may still be lost
}

// A segment is a part of the edge, w wide.
type segment struct{ x, y, w int }

// skylineLeft puts rectangles at the left of their gaps.
func skylineLeft(p *packer, of []entry, count int, page Size) []Place {
	return fillSkyline(p, of, count, page, func(left, right int) bool { return false })
}

// skylineHigh puts rectangles at the higher side of their gaps.
func skylineHigh(p *packer, of []entry, count int, page Size) []Place {
	return fillSkyline(p, of, count, page, func(left, right int) bool { return right > left })
}

// fillSkyline places entries, the widest first. atRight gets the heights left and right of
// a gap.
func fillSkyline(p *packer, of []entry, count int, page Size, atRight func(left, right int) bool) []Place {
	at, done := make([]Place, count), make([]bool, count)
	s := skyline{page: page, line: []segment{{0, 0, page.W}}, waste: page.area()}
	for _, e := range of {
		if !done[e.n] {
			done[e.n] = true
			s.waste -= e.area()
		}
	}
	clear(done)
	// next is a union-find: following it from i gives the first unplaced entry at or after i.
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
		low, left, right := s.lowest()
		gap := s.line[low]
		p.work += len(s.line) + perEntry
		i := find(sort.Search(len(of), func(i int) bool { return of[i].W <= gap.w }))
		for i < len(of) && gap.y+of[i].H > page.H {
			p.work++
			i = find(i + 1)
		}
		if i == len(of) {
			if !s.fill(low, min(left, right)) {
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

// lowest returns the lowest segment, and where the edge is beside it: at the page's height if
// nothing is there.
func (s *skyline) lowest() (low, left, right int) {
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

// fill gives a gap up, down to y. It reports whether the rest can still be enough.
func (s *skyline) fill(low, y int) bool {
	s.waste -= (y - s.line[low].y) * s.line[low].w
	s.line[low].y = y
	s.join(low)
	return s.waste >= 0 && y < s.page.H
}

// putRectangle puts a rectangle at one end of a gap.
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
	s.join(low)
}

// join makes a segment one with those beside it at the same height.
func (s *skyline) join(i int) {
	for _, k := range []int{i, i - 1} {
		if k >= 0 && k+1 < len(s.line) && s.line[k].y == s.line[k+1].y {
			s.line[k].w += s.line[k+1].w
			s.line = slices.Delete(s.line, k+1, k+2)
		}
	}
}
