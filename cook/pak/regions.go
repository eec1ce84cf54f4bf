package pak

import (
	"cmp"
	"slices"
)

// A region is bytes of a file, from and up to an offset.
type region struct{ from, to int64 }

type regions []region

func (r regions) sort() {
	slices.SortFunc(r, func(a, b region) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
}

// overlap reports whether bytes are in more than one of them.
func (r regions) overlap() bool {
	r.sort()
	end := int64(0)
	for _, x := range r {
		if x.from < end && x.to > x.from {
			return true
		}
		end = max(end, x.to)
	}
	return false
}

// gaps returns what lies between them, from an offset on.
func (r regions) gaps(from int64) (gaps regions) {
	r.sort()
	for _, x := range r {
		if x.from > from {
			gaps = append(gaps, region{from, x.from})
		}
		from = max(from, x.to)
	}
	return gaps
}

// takeRoom returns where in them there is room for data of a size, and takes that away.
func (r regions) takeRoom(size int64) (offset int64, ok bool) {
	for i := range r {
		if at := align(r[i].from, size); at+size <= r[i].to && at >= r[i].from {
			r[i].from = at + size
			return at, true
		}
	}
	return 0, false
}
