package rectpack

import (
	"cmp"
	"math"
	"slices"
)

// A try is an order of rectangles, and a rule. In any order, the rectangle
// that the rule likes best is placed next.
type try struct {
	of   []int
	rule rule
	any  bool
}

// A rule says how well a rectangle fits a free one, at its corner: the less the better, by the
// first number, and then the second.
type rule func(free rect, r Size) (int, int)

var rules = []rule{
	// The corner highest up, then leftmost.
	func(free rect, r Size) (int, int) { return free.y + r.H, free.x },
	// Least left over at the side where least is left over.
	func(free rect, r Size) (int, int) {
		return min(free.w-r.W, free.h-r.H), max(free.w-r.W, free.h-r.H)
	},
	// Least area left over.
	func(free rect, r Size) (int, int) {
		return free.w*free.h - r.area(), min(free.w-r.W, free.h-r.H)
	},
	// Least left over at the other side.
	func(free rect, r Size) (int, int) {
		return max(free.w-r.W, free.h-r.H), min(free.w-r.W, free.h-r.H)
	},
}

// orders sort rectangles by the larger of these numbers.
var orders = []func(r Size) (int, int){
	func(r Size) (int, int) { return r.H, r.W },
	func(r Size) (int, int) { return max(r.W, r.H), min(r.W, r.H) },
	func(r Size) (int, int) { return r.area(), r.W },
	func(r Size) (int, int) { return r.W, r.H },
	func(r Size) (int, int) { return r.W + r.H, r.W },
	func(r Size) (int, int) { return min(r.W, r.H), max(r.W, r.H) },
}

// fewRects is how many can be placed in any order: that costs their number in square.
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

// placeOnPage places rectangles on a page. If all are wanted, it gives up when one has no room, and
// returns nil.
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
		which, at, ok := s.find(p.rects, among, p.o.Turn, t.rule)
		switch {
		case ok:
			i := left[which]
			placed[i] = at
			s.occupy(at, turned(p.rects[i], at.Turned))
		case all:
			return nil
		case t.any:
			return placed
		}
		left[which] = left[0] // nothing, unless any may come first
		left = left[1:]
	}
	return placed
}

// A rect is a part of a page.
type rect struct{ x, y, w, h int }

func (r rect) holds(o rect) bool {
	return r.x <= o.x && r.y <= o.y && r.x+r.w >= o.x+o.w && r.y+r.h >= o.y+o.h
}

func (r rect) meets(o rect) bool {
	return r.x < o.x+o.w && o.x < r.x+r.w && r.y < o.y+o.h && o.y < r.y+r.h
}

// A space is the free space of a page: all free rectangles that are in no other one.
type space struct {
	free []rect
	new  []rect
	work int
}

func newSpace(page Size) *space { return &space{free: []rect{{0, 0, page.W, page.H}}} }

// find returns which of some rectangles goes best where.
func (s *space) find(rects []Size, among []int, turn bool, by rule) (which int, at Place, ok bool) {
	best, second := math.MaxInt, math.MaxInt
	for n, i := range among {
		r := rects[i]
		for turns := range 2 {
			if turns == 1 {
				if !turn || r.W == r.H {
					break
				}
				r = turned(r, true)
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

// occupy makes a rectangle no longer free.
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
		held := slices.ContainsFunc(kept, func(f rect) bool { return f.holds(part) })
		for j, other := range s.new {
			held = held || i != j && other.holds(part) && (other != part || j < i)
		}
		if !held {
			s.free = append(s.free, part)
		}
	}
}
