package rectpack

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
)

// Keep packs rectangles on existing pages, whose sides the options must allow. A rectangle with a
// place keeps this place; a nil element of places means that the rectangle has none. Rectangles
// without a place go into free space. If there is not enough space, the last page grows. Then new
// pages are added.
func Keep(ctx context.Context, rects []Size, places []*Place, pages []Size, o Options) (Layout, error) {
	p := packer{ctx: ctx, rects: rects, o: o}
	k := p.enterKept(places, pages)
	l, left := k.placeOthers(pages, k.spaces)
	if len(left) > 0 && len(pages) > 0 {
		if grown, ok := k.growLastPage(); ok {
			return grown, nil
		}
		l, left = k.placeOthers(k.withLastPage(p.largest()))
	}
	switch {
	case ctx.Err() != nil:
		return Layout{}, context.Cause(ctx)
	case len(left) == 0:
		return l, nil
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

// A keeper holds the rectangles with a fixed place on some pages, and the rectangles without a
// place.
type keeper struct {
	*packer
	pages  []Size
	spaces []*space // free space of the pages
	placed map[int]Place
	others []int // indices of rectangles without a place, largest first
}

// enterKept marks the kept places on the given pages as occupied.
func (p *packer) enterKept(places []*Place, pages []Size) keeper {
	k := keeper{packer: p, pages: pages, placed: map[int]Place{}}
	for _, page := range pages {
		k.spaces = append(k.spaces, newSpace(page))
	}
	for i, r := range p.rects {
		at := places[i]
		if at == nil || at.Page < 0 || at.Page >= len(pages) || !k.spaces[at.Page].isFreePlace(*at, turnedSize(r, at.Turned)) || at.Turned && !p.o.Turn {
			k.others = append(k.others, i)
			continue
		}
		k.spaces[at.Page].occupy(*at, turnedSize(r, at.Turned))
		k.placed[i] = *at
	}
	slices.SortStableFunc(k.others, func(a, b int) int { return cmp.Compare(p.rects[b].areaOf(), p.rects[a].areaOf()) })
	return k
}

// placeOthers places as many of the other rectangles as fit, and drops empty pages at the end.
func (k *keeper) placeOthers(pages []Size, spaces []*space) (l Layout, left []int) {
	l = Layout{Places: make([]Place, len(k.rects))}
	used := 0
	for i, at := range k.placed {
		l.Places[i], used = at, max(used, at.Page+1)
	}
	spaces = slices.Clone(spaces)
	for i, s := range spaces {
		spaces[i] = &space{free: slices.Clone(s.free)}
	}
	for _, i := range k.others {
		page, at, ok := 0, Place{}, false
		for ; page < len(pages) && !ok; page++ {
			_, at, ok = spaces[page].findBest(k.rects, []int{i}, k.o.Turn, rules[1])
		}
		if !ok {
			left = append(left, i)
			continue
		}
		at.Page = page - 1
		spaces[at.Page].occupy(at, turnedSize(k.rects[i], at.Turned))
		l.Places[i], used = at, max(used, page)
	}
	l.Pages = slices.Clone(pages[:used])
	return l, left
}

// isFreePlace reports whether a rectangle of the given size and position is completely free.
func (s *space) isFreePlace(at Place, size Size) bool {
	r := rect{at.X, at.Y, size.W, size.H}
	return slices.ContainsFunc(s.free, func(f rect) bool { return f.holdsRect(r) })
}

// withLastPage returns the pages and their free space after the last page was enlarged.
func (k *keeper) withLastPage(page Size) ([]Size, []*space) {
	last := len(k.pages) - 1
	return append(slices.Clone(k.pages[:last]), page), append(slices.Clone(k.spaces[:last]), k.spaces[last].extended(k.pages[last], page))
}

// extended returns the free space of a page that has been enlarged. Free space at the moved edges
// extends to their new position, and the new strips are free.
func (s *space) extended(from, to Size) *space {
	e := &space{free: slices.Clone(s.free)}
	add := func(strip rect) {
		if !slices.ContainsFunc(e.free, func(f rect) bool { return f.holdsRect(strip) }) {
			e.free = append(e.free, strip)
		}
	}
	if more := to.H - from.H; more > 0 {
		for i, f := range e.free {
			if f.y+f.h == from.H {
				e.free[i].h += more
			}
		}
		add(rect{0, from.H, from.W, more})
	}
	if more := to.W - from.W; more > 0 {
		for i, f := range e.free {
			if f.x+f.w == from.W {
				e.free[i].w += more
			}
		}
		add(rect{from.W, 0, more, to.H})
	}
	return e
}

// growLastPage finds the smallest growth of the last page that makes room for the remaining
// rectangles. It tries to increase only the height, only the width, and both. If only one side
// grows, the page may be at most twice as long as wide.
func (k *keeper) growLastPage() (best Layout, ok bool) {
	last := len(k.pages) - 1
	was := k.pages[last]
	try := func(side func(Size) bool, longest int) {
		for page := was; k.longer(&page, side(page)) && max(page.W, page.H) <= longest*min(page.W, page.H) && k.ctx.Err() == nil; {
			l, left := k.placeOthers(k.withLastPage(page))
			if len(left) > 0 {
				continue
			}
			on := map[int]Place{}
			for i, at := range l.Places {
				if at.Page == last {
					on[i] = at
				}
			}
			used := k.pageAround(on)
			l.Pages[last] = Size{max(used.W, was.W), max(used.H, was.H)}
			if !ok || l.Pages[last].areaOf() < best.Pages[last].areaOf() {
				best, ok = l, true
			}
			return
		}
	}
	if !k.o.Square {
		try(func(Size) bool { return false }, 2)
		try(func(Size) bool { return true }, 2)
	}
	try(func(page Size) bool {
		return page.W < page.H && page.W < k.largest().W || page.H >= k.largest().H
	}, math.MaxInt32)
	return best, ok
}

// longer increases the height or the width of a page, or both if it must be square. It returns
// false if the page has its maximum size.
func (p *packer) longer(page *Size, wider bool) bool {
	side := &page.H
	if wider {
		side = &page.W
	}
	was := *side
	n, _ := slices.BinarySearch(p.o.Sides, was+max(1, was/50))
	if *side = p.o.Sides[min(n, len(p.o.Sides)-1)]; p.o.Square {
		page.W, page.H = *side, *side
	}
	return *side > was
}
