package export

import (
	"cmp"
	"slices"

	"github.com/assetcook/assetcook/profile/events"
)

// nest sorts the spans of a row, shortens overlapping spans until they nest, and removes the flows.
// For each flow with both a FlowOut and a FlowIn, it returns the ends.
func (r *row) nest(flows map[uint64]flowSides) []flowEnd {
	slices.SortFunc(r.spans, outerFirst)
	var (
		ends []flowEnd
		open []int // indexes of the scopes around the current span
		now  int64
		kept = 0
	)
	for _, s := range r.spans {
		isFlow := s.kind == events.FlowOut || s.kind == events.FlowIn
		if isFlow && flows[s.what] != (flowSides{out: true, in: true}) {
			continue
		}
		s.begin = max(s.begin, now) // Shortening may have changed the start time.
		s.end = max(s.end, s.begin)
		for len(open) > 0 && !r.spans[open[len(open)-1]].takes(&s) {
			open = open[:len(open)-1]
		}
		now = s.begin
		if isFlow {
			end := flowEnd{flow: s.what, name: s.name, row: r, span: kept, time: now, out: s.kind == events.FlowOut}
			if len(open) > 0 {
				end.span = open[len(open)-1]
				ends = append(ends, end)
				continue
			}
			ends = append(ends, end) // Outside all scopes, the flow remains as a mark.
		}
		if s.kind == events.Scope {
			open = append(open, kept)
		}
		r.spans[kept] = s
		kept++
	}
	r.spans = r.spans[:kept]
	return ends
}

// outerFirst orders spans by start time. Among equal start times, longer spans come first. Of equal
// scopes, the one reported later comes first, because it is the outer one. Equal marks keep the
// order of their events.
func outerFirst(a, b span) int {
	aIsScope, bIsScope := a.kind == events.Scope, b.kind == events.Scope
	switch {
	case a.begin != b.begin:
		return cmp.Compare(a.begin, b.begin)
	case a.end != b.end:
		return cmp.Compare(b.end, a.end)
	case aIsScope && bIsScope:
		return cmp.Compare(b.order, a.order)
	case aIsScope:
		return -1
	case bIsScope:
		return +1
	}
	return cmp.Compare(a.order, b.order)
}

// holds reports whether inner lies within s. The start of inner must not be before the start of s.
// An empty span at the end of s lies within s if it was reported before s.
func (s *span) holds(inner *span) bool {
	if inner.begin == s.end && inner.end == s.end {
		return s.order > inner.order
	}
	return inner.begin < s.end
}

// takes reports whether s contains inner. If inner ends after s, takes shortens inner to fit. It
// moves the end if inner was reported before s, otherwise the start.
func (s *span) takes(inner *span) bool {
	if !s.holds(inner) {
		return false
	}
	if inner.end > s.end {
		if s.order < inner.order {
			inner.begin = s.end
			return false
		}
		inner.end = s.end
	}
	return true
}

// walk calls enter at the start of each span and leave at the end of each scope, in chronological
// order.
func (r *row) walk(enter, leave func(place int)) {
	var open []int
	for i := range r.spans {
		for len(open) > 0 && !r.spans[open[len(open)-1]].holds(&r.spans[i]) {
			leave(open[len(open)-1])
			open = open[:len(open)-1]
		}
		enter(i)
		if r.spans[i].kind == events.Scope {
			open = append(open, i)
		}
	}
	for _, i := range slices.Backward(open) {
		leave(i)
	}
}
