// Package rectpack packs rectangles on pages that are as small as possible.
//
// No rule and no order of rectangles is best for all sets. So the package tries many, on ever
// smaller pages, until it has done a fixed amount of work.
//
//	skyline.go  fills the lowest gap of a skyline first, for rectangles of similar sizes; shelves,
//	            and spaces that are cut in two, which are so fast that all widths are tried
//	search.go   searches the smallest page; MaxRects tracks all maximal free rectangles, and a
//	            rule selects one for each rectangle (Jukka Jylänki, "A Thousand Ways to Pack the
//	            Bin", 2010)
//	keep.go     packs around rectangles that keep their place
//
// A layout depends only on the rectangles and options, and is the same on all machines.
package rectpack

import (
	"context"
	"fmt"
)

// A Size is the size of a rectangle or a page, in integer units; both sides are at least 1.
type Size struct{ W, H int }

func (s Size) areaOf() int { return s.W * s.H }

// A Place is the position of a rectangle. It holds the corner nearest to 0, 0, and whether width
// and height are swapped.
type Place struct {
	Page, X, Y int
	Turned     bool
}

// A Layout holds the pages, and the place of each rectangle.
type Layout struct {
	Pages  []Size
	Places []Place
}

// Options limit the possible layouts.
type Options struct {
	// Sides are the allowed sides of pages, in ascending order.
	Sides []int
	// Square is set if pages must be square.
	Square bool
	// Pages is the maximum number of pages.
	Pages int
	// Turn is set if rectangles may be rotated by 90 degrees.
	Turn bool
}

// A TooLargeError identifies a rectangle that is larger than any page.
type TooLargeError struct{ Rect int }

func (e *TooLargeError) Error() string { return fmt.Sprintf("rectangle %d fits no page", e.Rect) }

// A FullError holds the number of rectangles that do not fit on the maximum number of pages.
type FullError struct{ Left int }

func (e *FullError) Error() string { return fmt.Sprintf("no page has room for %d rectangles", e.Left) }

// Pack packs rectangles. All pages except the last have the largest allowed size.
func Pack(ctx context.Context, rects []Size, o Options) (Layout, error) {
	p := packer{ctx: ctx, rects: rects, o: o}
	largest := p.largest()
	left := make([]int, len(rects))
	for i, r := range rects {
		if left[i] = i; !fitsIn(r, largest, o.Turn) {
			return Layout{}, &TooLargeError{i}
		}
	}
	l := Layout{Places: make([]Place, len(rects))}
	for len(left) > 0 {
		if len(l.Pages) == o.Pages {
			return Layout{}, &FullError{len(left)}
		}
		page, placed := p.smallest(left)
		if placed == nil {
			page, placed = largest, p.fillLargestPage(left)
		}
		if err := ctx.Err(); err != nil {
			return Layout{}, context.Cause(ctx)
		}
		left = l.addPage(page, placed, left)
	}
	return l, nil
}

// addPage adds a page with the placed rectangles, and returns the remaining rectangles.
func (l *Layout) addPage(page Size, placed map[int]Place, of []int) (left []int) {
	for _, i := range of {
		at, ok := placed[i]
		if !ok {
			left = append(left, i)
			continue
		}
		at.Page = len(l.Pages)
		l.Places[i] = at
	}
	l.Pages = append(l.Pages, page)
	return left
}

func fitsIn(r, page Size, turn bool) bool {
	return r.W <= page.W && r.H <= page.H || turn && r.H <= page.W && r.W <= page.H
}

// A packer computes layouts of the same rectangles.
type packer struct {
	ctx   context.Context
	rects []Size
	o     Options
	work  int // work done so far for the current page
	limit int // maximum work per page
}

// enough is the maximum number of free rectangles that are examined for a page. This takes less
// than a second.
const enough = 340_000_000

func (p *packer) largest() Size {
	side := p.o.Sides[len(p.o.Sides)-1]
	return Size{side, side}
}

// goesOn reports whether to continue the search.
func (p *packer) goesOn() bool { return p.work < p.limit && p.ctx.Err() == nil }

// firstThatPlaces tries to place all rectangles on a page. It returns the places of the first try
// that succeeds, or nil if no try succeeds.
func (p *packer) firstThatPlaces(tries []try, page Size) map[int]Place {
	for _, t := range tries {
		if !p.goesOn() {
			return nil
		}
		if at := p.placeOnPage(t, page, true); at != nil {
			return at
		}
	}
	return nil
}

// fillLargestPage places rectangles on the largest page. It maximizes their total area.
func (p *packer) fillLargestPage(of []int) map[int]Place {
	p.work, p.limit = 0, enough
	var best map[int]Place
	most := -1
	for _, t := range p.tries(of) {
		if best != nil && !p.goesOn() {
			break
		}
		at, area := p.placeOnPage(t, p.largest(), false), 0
		for i := range at {
			area += p.rects[i].areaOf()
		}
		if area > most {
			best, most = at, area
		}
	}
	return best
}

func turnedSize(r Size, t bool) Size {
	if t {
		return Size{r.H, r.W}
	}
	return r
}
