package export

// A flowEnd is one end of a flow, with its span.
type flowEnd struct {
	flow uint64
	name uint32
	row  *row
	span int
	time int64
	out  bool
}

// connect converts flows to arrows. An arrow leads from the first span that a flow leaves to a span
// where it arrives. Each arrow has its own number, because viewers draw arrows with the same number
// as a path from span to span.
//
// Viewers draw an arrow only if it leaves before it arrives, and use the start time of a scope for
// both. So an arrow leaves at the start of its scope, and arrives at the start of its scope. If the
// second scope started before the arrow leaves, because it was waiting, the arrow arrives at the
// time of the FlowIn event.
func connect(ends []flowEnd) {
	from := map[uint64]*flowEnd{}
	for i := range ends {
		if e := &ends[i]; e.out && from[e.flow] == nil {
			from[e.flow] = e
		}
	}
	var id uint64
	for _, to := range ends {
		if to.out {
			continue
		}
		out := from[to.flow]
		id++
		left := out.row.spans[out.span].begin
		out.row.out = attach(out.row.out, out.span, arrow{id, out.name, left})
		in := to.row.spans[to.span]
		arrived := in.begin
		if arrived <= left {
			arrived = min(max(left, to.time), in.end)
		}
		to.row.in = attach(to.row.in, to.span, arrow{id, out.name, arrived})
	}
}

func attach(arrows map[int][]arrow, span int, a arrow) map[int][]arrow {
	if arrows == nil {
		arrows = map[int][]arrow{}
	}
	arrows[span] = append(arrows[span], a)
	return arrows
}
