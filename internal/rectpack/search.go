package rectpack

import (
	"cmp"
	"math"
	"slices"
)

// A search is for the smallest page that holds all of some rectangles.
type search struct {
	*packer
	of     []int
	area   int           // of them all
	page   Size          // the smallest so far
	placed map[int]Place // on it; nil if there is none yet
}

// smallest finds the smallest page that holds all of some rectangles; nil places if there is
// none.
func (p *packer) smallest(of []int) (page Size, placed map[int]Place) {
	s := search{packer: p, of: of, page: Size{math.MaxInt32, math.MaxInt32}}
	wide := 0
	for _, i := range of {
		s.area += p.rects[i].area()
		wide = max(wide, min(p.rects[i].W, p.rects[i].H))
	}
	if s.area > p.largest().area() {
		return Size{}, nil
	}
	coarse, fine, long := s.widths(wide)
	p.work, p.limit = 0, enough/4
	s.byStrips(slices.Concat(coarse, fine))
	tries := p.tries(of)
	p.limit = enough
	s.byTries(tries, coarse)
	p.limit = min(enough, p.work+enough/8)
	s.byTries(tries, fine)
	if s.placed == nil {
		p.work, p.limit = 0, enough
		s.byTries(tries, long)
	}
	if s.placed == nil {
		p.work = 0
		return p.largest(), p.first(tries, p.largest())
	}
	return s.page, s.placed
}

// byStrips looks for smaller pages by strips.
func (s *search) byStrips(widths []int) {
	strips := s.strips(s.of)
	for _, w := range widths {
		for _, strip := range strips {
			h := s.below(w)
			if h == 0 || w*h < s.area || !s.goesOn() {
				break
			}
			if page, placed := strip.placeOnStrip(s.packer, s.of, w, h); placed != nil {
				s.page, s.placed = page, placed
			}
		}
	}
}

// byTries looks for smaller pages by tries.
func (s *search) byTries(tries []try, widths []int) {
	for _, w := range widths {
		for h := s.below(w); h > 0 && w*h >= s.area && s.goesOn(); h = s.below(w) {
			placed := s.first(tries, Size{w, h})
			if placed == nil {
				break
			}
			s.page, s.placed = s.around(placed), placed
		}
	}
}

// widths returns the widths to try: first for pages at most four times as long as wide, in
// steps of 2 % and then all others; then for longer pages, in such steps. Each list begins
// with the widths nearest to a square.
func (s *search) widths(wide int) (coarse, fine, long []int) {
	// far is 65536 for the side of a square, and more for others, the same on all machines.
	far := func(w int) int64 {
		square, area := int64(w)*int64(w), int64(max(s.area, 1))
		return max(square, area) << 16 / min(square, area)
	}
	last := 0
	for _, w := range s.o.Sides {
		step, near := 50*w >= 51*last || w == s.largest().W, far(w) <= 4<<16
		switch {
		case w < wide || !near && !step:
			continue
		case !near:
			long = append(long, w)
		case step:
			coarse = append(coarse, w)
		default:
			fine = append(fine, w)
			continue
		}
		last = w
	}
	for _, list := range [][]int{coarse, fine, long} {
		if !s.o.Square { // then the first width that is enough is the best of the list
			slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(far(a), far(b)) })
		}
	}
	return coarse, fine, long
}

// below returns the largest height that makes a page of width w smaller than the smallest
// so far, 0 for none.
func (s *search) below(w int) int {
	if s.o.Square {
		if w < s.page.W {
			return w
		}
		return 0
	}
	n, _ := slices.BinarySearchFunc(s.o.Sides, true, func(h int, _ bool) int {
		if w*h < s.page.area() || w*h == s.page.area() && max(w, h) < max(s.page.W, s.page.H) {
			return -1
		}
		return 1
	})
	if n == 0 {
		return 0
	}
	return s.o.Sides[n-1]
}
