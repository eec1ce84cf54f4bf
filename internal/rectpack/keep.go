package rectpack

import (
	"cmp"
	"context"
	"errors"
	"slices"
)

// Keep lays rectangles out on pages that there are already, and leaves those where they are
// that have a place there; a nil place is none. Others go where there is room. If there is not
// enough, the last page grows, and then there are more pages.
func Keep(ctx context.Context, rects []Size, places []*Place, pages []Size, o Options) (Layout, error) {
	p := packer{ctx: ctx, rects: rects, o: o}
	pages = slices.Clone(pages)
	for {
		l, left := p.keep(places, pages)
		switch {
		case len(left) == 0:
			return l, nil
		case ctx.Err() != nil:
			return Layout{}, context.Cause(ctx)
		case len(pages) > 0 && p.grow(&pages[len(pages)-1]):
			continue
		}
		o.Pages -= len(pages)
		rest := make([]Size, len(left))
		for n, i := range left {
			rest[n] = rects[i]
		}
		more, err := Pack(ctx, rest, o)
		var large *TooLargeError
		if errors.As(err, &large) {
			large.Rect = left[large.Rect]
		}
		for n, i := range left {
			if err == nil {
				l.Places[i] = more.Places[n]
				l.Places[i].Page += len(pages)
			}
		}
		l.Pages = append(l.Pages, more.Pages...)
		return l, err
	}
}

// keep places what has a place on some pages, and then what there is room for. Pages at the end
// that hold nothing are gone.
func (p *packer) keep(places []*Place, pages []Size) (l Layout, left []int) {
	l = Layout{Places: make([]Place, len(p.rects))}
	spaces := make([]*space, len(pages))
	for i, page := range pages {
		spaces[i] = newSpace(page)
	}
	used := 0
	var others []int
	for i, r := range p.rects {
		at := places[i]
		if at == nil || at.Page < 0 || at.Page >= len(pages) || !spaces[at.Page].has(*at, turned(r, at.Turned)) || at.Turned && !p.o.Turn {
			others = append(others, i)
			continue
		}
		spaces[at.Page].take(*at, turned(r, at.Turned))
		l.Places[i], used = *at, max(used, at.Page+1)
	}
	slices.SortStableFunc(others, func(a, b int) int { return cmp.Compare(p.rects[b].area(), p.rects[a].area()) })
	for _, i := range others {
		page, at, ok := 0, Place{}, false
		for ; page < len(pages) && !ok; page++ {
			_, at, ok = spaces[page].find(p.rects, []int{i}, p.o.Turn, rules[1])
		}
		if !ok {
			left = append(left, i)
			continue
		}
		at.Page = page - 1
		spaces[at.Page].take(at, turned(p.rects[i], at.Turned))
		l.Places[i], used = at, max(used, page)
	}
	l.Pages = pages[:used]
	return l, left
}

// has reports whether all of a place is free.
func (s *space) has(at Place, size Size) bool {
	r := rect{at.X, at.Y, size.W, size.H}
	return slices.ContainsFunc(s.free, func(f rect) bool { return f.holds(r) })
}

// grow makes the shorter side of a page longer, if it can, or both.
func (p *packer) grow(page *Size) bool {
	next := func(side int) int {
		n, _ := slices.BinarySearch(p.o.Sides, side+max(1, side/50))
		return p.o.Sides[min(n, len(p.o.Sides)-1)]
	}
	side := &page.H
	if page.W < page.H && page.W < p.largest().W || page.H >= p.largest().H {
		side = &page.W
	}
	if next(*side) <= *side {
		return false
	}
	if *side = next(*side); p.o.Square {
		page.W, page.H = *side, *side
	}
	return true
}
