package rectpack

import (
	"cmp"
	"math"
	"slices"
)

// A search looks for the smallest page that holds the given rectangles.
type search struct {
	*packer
	of     []int
	area   int           // total area of the rectangles
	page   Size          // smallest page found so far
	placed map[int]Place // places on the smallest page; nil if no page was found yet
}

// smallest finds the smallest page that holds the given rectangles. placed is nil if no page holds
// them.
func (p *packer) smallest(of []int) (page Size, placed map[int]Place) {
	s := search{packer: p, of: of, page: Size{math.MaxInt32, math.MaxInt32}}
	wide := 0
	for _, i := range of {
		s.area += p.rects[i].areaOf()
		wide = max(wide, min(p.rects[i].W, p.rects[i].H))
	}
	if s.area > p.largest().areaOf() {
		return Size{}, nil
	}
	coarse, fine, long := s.widthsToTry(wide)
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
		return p.largest(), p.firstThatPlaces(tries, p.largest())
	}
	return s.page, s.placed
}

// byStrips tries to find a smaller page with the strips.
func (s *search) byStrips(widths []int) {
	strips := s.strips(s.of)
	for _, w := range widths {
		for _, strip := range strips {
			h := s.heightBelow(w)
			if h == 0 || w*h < s.area || !s.goesOn() {
				break
			}
			if page, placed := strip.placeOnStrip(s.packer, s.of, w, h); placed != nil {
				s.page, s.placed = page, placed
			}
		}
	}
}

// byTries tries to find a smaller page with each of the given tries.
func (s *search) byTries(tries []try, widths []int) {
	for _, w := range widths {
		for h := s.heightBelow(w); h > 0 && w*h >= s.area && s.goesOn(); h = s.heightBelow(w) {
			placed := s.firstThatPlaces(tries, Size{w, h})
			if placed == nil {
				break
			}
			s.page, s.placed = s.pageAround(placed), placed
		}
	}
}

// widthsToTry returns the widths to try. coarse and fine are for pages at most four times as long
// as wide: coarse has steps of 2 %, and fine has all other widths. long is for longer pages, in
// steps of 2 %. Each list starts with the widths nearest to a square.
func (s *search) widthsToTry(wide int) (coarse, fine, long []int) {
	// far returns the aspect ratio of a page of width w with the area of the rectangles, times
	// 65536. A square has the ratio 1, and all others have more. Integers give the same result on
	// all machines.
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
		if !s.o.Square { // the first width that succeeds is then the best of the list
			slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(far(a), far(b)) })
		}
	}
	return coarse, fine, long
}

// heightBelow returns the largest height that keeps a page of width w below the smallest page. It
// returns 0 if there is none.
func (s *search) heightBelow(w int) int {
	if s.o.Square {
		if w < s.page.W {
			return w
		}
		return 0
	}
	n, _ := slices.BinarySearchFunc(s.o.Sides, true, func(h int, _ bool) int {
		if w*h < s.page.areaOf() || w*h == s.page.areaOf() && max(w, h) < max(s.page.W, s.page.H) {
			return -1
		}
		return 1
	})
	if n == 0 {
		return 0
	}
	return s.o.Sides[n-1]
}

// A try is an order of rectangles and a rule. If the order is free, the rule selects the next
// rectangle.
type try struct {
	of   []int
	rule rule
	any  bool
}

// A rule rates the placement of a rectangle at the corner of a free rectangle. Smaller ratings are
// better. The second number breaks ties.
type rule func(free rect, r Size) (int, int)

var rules = []rule{
	// This rule prefers the topmost corner, then the leftmost.
	func(free rect, r Size) (int, int) { return free.y + r.H, free.x },
	// This rule minimizes the smaller of the two remaining lengths.
	func(free rect, r Size) (int, int) {
		return min(free.w-r.W, free.h-r.H), max(free.w-r.W, free.h-r.H)
	},
	// This rule minimizes the remaining area.
	func(free rect, r Size) (int, int) {
		return free.w*free.h - r.areaOf(), min(free.w-r.W, free.h-r.H)
	},
	// This rule minimizes the larger of the two remaining lengths.
	func(free rect, r Size) (int, int) {
		return max(free.w-r.W, free.h-r.H), min(free.w-r.W, free.h-r.H)
	},
}

// orders holds sort keys of rectangles. Rectangles are sorted in descending order of a key.
var orders = []func(r Size) (int, int){
	func(r Size) (int, int) { return r.H, r.W },
	func(r Size) (int, int) { return max(r.W, r.H), min(r.W, r.H) },
	func(r Size) (int, int) { return r.areaOf(), r.W },
	func(r Size) (int, int) { return r.W, r.H },
	func(r Size) (int, int) { return r.W + r.H, r.W },
	func(r Size) (int, int) { return min(r.W, r.H), max(r.W, r.H) },
}

// fewRects is the maximum number of rectangles that the rule also orders, because this takes
// quadratic time.
const fewRects = 200

func (p *packer) tries(of []int) []try {
	var list []try
	for _, order := range orders {
		sorted := slices.Clone(of)
		slices.SortFunc(sorted, func(a, b int) int {
			a1, a2 := order(p.rects[a])
			b1, b2 := order(p.rects[b])
			return cmp.Or(cmp.Compare(b1, a1), cmp.Compare(b2, a2), cmp.Compare(a, b))
		})
		for _, rule := range rules {
			list = append(list, try{of: sorted, rule: rule})
		}
	}
	if len(of) <= fewRects {
		for _, rule := range rules[1:] {
			list = append(list, try{of: of, rule: rule, any: true})
		}
	}
	return list
}

// placeOnPage places rectangles on a page. If all is set, it returns nil at the first rectangle
// that does not fit.
func (p *packer) placeOnPage(t try, page Size, all bool) map[int]Place {
	s := newSpace(page)
	defer func() { p.work += s.work }()
	placed := make(map[int]Place, len(t.of))
	left := t.of
	if t.any {
		left = slices.Clone(t.of)
	}
	for len(left) > 0 && p.ctx.Err() == nil {
		among := left[:1]
		if t.any {
			among = left
		}
		which, at, ok := s.findBest(p.rects, among, p.o.Turn, t.rule)
		switch {
		case ok:
			i := left[which]
			placed[i] = at
			s.occupy(at, turnedSize(p.rects[i], at.Turned))
		case all:
			return nil
		case t.any:
			return placed
		}
		left[which] = left[0] // no effect unless the order is free
		left = left[1:]
	}
	return placed
}

// A rect is a rectangular part of a page.
type rect struct{ x, y, w, h int }

func (r rect) holdsRect(o rect) bool {
	return r.x <= o.x && r.y <= o.y && r.x+r.w >= o.x+o.w && r.y+r.h >= o.y+o.h
}

func (r rect) meets(o rect) bool {
	return r.x < o.x+o.w && o.x < r.x+r.w && r.y < o.y+o.h && o.y < r.y+r.h
}

// A space is the free space of a page. It holds all maximal free rectangles: none of them contains
// another.
type space struct {
	free []rect
	new  []rect
	work int
}

func newSpace(page Size) *space { return &space{free: []rect{{0, 0, page.W, page.H}}} }

// findBest returns the rectangle that a rule prefers among the given ones, and its place.
func (s *space) findBest(rects []Size, among []int, turn bool, by rule) (which int, at Place, ok bool) {
	best, second := math.MaxInt, math.MaxInt
	for n, i := range among {
		r := rects[i]
		for turns := range 2 {
			if turns == 1 {
				if !turn || r.W == r.H {
					break
				}
				r = turnedSize(r, true)
			}
			s.work += len(s.free)
			for _, free := range s.free {
				if r.W > free.w || r.H > free.h {
					continue
				}
				if a, b := by(free, r); a < best || a == best && b < second {
					best, second, which, ok = a, b, n, true
					at = Place{X: free.x, Y: free.y, Turned: turns == 1}
				}
			}
		}
	}
	return which, at, ok
}

// occupy removes a rectangle from the free space.
func (s *space) occupy(at Place, size Size) {
	r := rect{at.X, at.Y, size.W, size.H}
	s.work += len(s.free)
	s.new = s.new[:0]
	kept := s.free[:0]
	for _, f := range s.free {
		if !f.meets(r) {
			kept = append(kept, f)
			continue
		}
		for _, part := range [4]rect{
			{f.x, f.y, r.x - f.x, f.h}, {r.x + r.w, f.y, f.x + f.w - r.x - r.w, f.h},
			{f.x, f.y, f.w, r.y - f.y}, {f.x, r.y + r.h, f.w, f.y + f.h - r.y - r.h},
		} {
			if part.w > 0 && part.h > 0 {
				s.new = append(s.new, part)
			}
		}
	}
	s.free = kept
	s.work += len(s.new) * (len(s.new) + len(kept))
	for i, part := range s.new {
		held := slices.ContainsFunc(kept, func(f rect) bool { return f.holdsRect(part) })
		for j, other := range s.new {
			held = held || i != j && other.holdsRect(part) && (other != part || j < i)
		}
		if !held {
			s.free = append(s.free, part)
		}
	}
}
