package timeline

import (
	"cmp"
	"slices"
)

// A flow is one end of an arrow.
type flow struct {
	id   uint64
	time int64
	row  int32
	out  bool
}

// flows holds the ends of arrows by id. The start of each arrow comes first.
type flows []flow

const (
	mostFlows = 1 << 20 // maximum number of flow ends in an index
	flowLimit = 10_000  // maximum number of arrows in an answer
)

func gatherFlows(rows []row) flows {
	var list flows
	for _, row := range rows {
		for i := range row.blocks {
			if f := row.blocks[i].flows; len(list)+len(f) <= mostFlows {
				list = append(list, f...)
			}
		}
	}
	slices.SortFunc(list, func(a, b flow) int {
		if c := cmp.Compare(a.id, b.id); c != 0 {
			return c
		}
		if a.out != b.out {
			if a.out {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.time, b.time)
	})
	return list
}

// within returns the arrows that overlap a window, with the rows and times of both ends. If several
// arrows look the same on the page, it returns only one of them.
func (list flows) within(from, to, pixel int64) []int64 {
	type arrow struct {
		fromRow, toRow int32
		start, end     int64
	}
	drawn := map[arrow]bool{}
	answer := []int64{}
	for i := 0; i < len(list); {
		id, out := list[i].id, list[i]
		for ; i < len(list) && list[i].id == id; i++ {
			in := list[i]
			if in.out || !out.out || min(out.time, in.time) > to || max(out.time, in.time) < from {
				continue
			}
			a := arrow{out.row, in.row, out.time / pixel, in.time / pixel}
			if !drawn[a] && len(drawn) < flowLimit {
				drawn[a] = true
				answer = append(answer, int64(out.row), out.time, int64(in.row), in.time)
			}
		}
	}
	return answer
}
