package astc

import (
	"math"
	"math/bits"
)

// searchSplits tries to split the pixels into two parts. It tries three parts if the error is still
// large.
func (e *encoder) searchSplits(s *scatter) {
	for i := range e.pixels {
		m := &e.products[i&63]
		*m = moments{}
		m.addPixel(&e.px[i&63])
	}
	axis, _ := s.principalAxis()
	other := s.acrossAxis(&axis)
	first, second := e.cluster(&axis), e.cluster(&other)
	e.pool.resetPool(e.effort.tries[1])
	e.used = 0
	var best ranking
	best.resetRanking(e.effort.splits)
	e.rankPartitions(&best, 2, &first)
	if second != first && second != first.swapped() {
		e.rankPartitions(&best, 2, &second)
	}
	lines := e.nearestLines(2, &best)
	e.rankPartitions(&best, 2, &lines)
	e.guessBestSplits(2, &best)
	e.tryBestGuesses()

	if e.sse <= e.effort.hard*int64(e.pixels) {
		return
	}
	e.pool.resetPool(e.effort.tries[1])
	e.used = 0
	third := e.splitInThree(&first)
	best.resetRanking(e.effort.splits)
	e.rankPartitions(&best, 3, &third)
	lines = e.nearestLines(3, &best)
	e.rankPartitions(&best, 3, &lines)
	e.guessBestSplits(3, &best)
	e.tryBestGuesses()
}

// masks holds the pixels of each part, one bit per pixel.
type masks [maxParts]uint64

func (m *masks) swapped() masks { return masks{m[1], m[0]} }

// A ranking holds the best splits found so far, best first.
type ranking struct {
	best [16]struct {
		split *split
		cost  float32
	}
	wanted int
}

func (r *ranking) resetRanking(wanted int) {
	r.wanted = wanted
	for i := range r.best[:wanted] {
		r.best[i].split, r.best[i].cost = nil, math.MaxFloat32
	}
}

func (r *ranking) rankSplit(s *split, cost float32) {
	for i := range r.best[:r.wanted] {
		if r.best[i].split == s {
			return
		}
	}
	k := r.wanted - 1
	if cost >= r.best[k].cost {
		return
	}
	for ; k > 0 && r.best[k-1].cost > cost; k-- {
		r.best[k] = r.best[k-1]
	}
	r.best[k].split, r.best[k].cost = s, cost
}

// rankPartitions ranks the partitions of the format by their similarity to the masks in wanted.
func (e *encoder) rankPartitions(best *ranking, n int, wanted *masks) {
	all := e.splits[n]()
	near := e.effort.near
	var nearest [64]struct{ at, distance int }
	for i := range nearest[:near] {
		nearest[i].distance = math.MaxInt
	}
	worst := math.MaxInt
	for i := range all {
		var d int
		if n == 2 {
			d = bits.OnesCount64(all[i].masks[1] ^ wanted[1])
			d = min(d, e.pixels-d)
		} else {
			d = partDistance(e.pixels, &all[i].masks, wanted)
		}
		if d >= worst {
			continue
		}
		k := near - 1
		for ; k > 0 && nearest[k-1].distance > d; k-- {
			nearest[k] = nearest[k-1]
		}
		nearest[k].at, nearest[k].distance = i, d
		worst = nearest[near-1].distance
	}
	for _, candidate := range nearest[:min(near, len(all))] {
		s := &all[candidate.at]
		best.rankSplit(s, e.costOf(n, &s.masks))
	}
}

// partDistance returns the number of pixels whose parts in a and b differ, for the best matching of
// the parts.
func partDistance(pixels int, a *[maxParts]uint64, b *masks) int {
	var same [3][3]int
	for i := range same {
		for k := range same[i] {
			same[i][k] = bits.OnesCount64(a[i] & b[k])
		}
	}
	return pixels - max(
		same[0][0]+max(same[1][1]+same[2][2], same[1][2]+same[2][1]),
		same[0][1]+max(same[1][0]+same[2][2], same[1][2]+same[2][0]),
		same[0][2]+max(same[1][0]+same[2][1], same[1][1]+same[2][0]))
}

// acrossAxis returns the direction of the largest scatter perpendicular to an axis.
func (s *scatter) acrossAxis(axis *[4]float32) [4]float32 {
	t := *s
	w := s.timesVector(axis)
	along := dotRounded(axis, &w)
	for i := range 4 {
		for j := range 4 {
			t[i][j] -= float32(float32(along*axis[i]) * axis[j])
		}
	}
	v, _ := t.principalAxis()
	return v
}

// allPixels is the mask of all pixels.
func (f *format) allPixels() uint64 { return uint64(1)<<(f.pixels-1)<<1 - 1 }

// cluster splits the pixels into two parts. It first splits them by their position along an axis,
// then by the nearer mean.
func (e *encoder) cluster(axis *[4]float32) masks {
	v := *axis
	mean := e.stretchedMean(&e.all)
	middle := dotRounded(&mean, &v)
	mask := uint64(0)
	for round := range 3 {
		mask = 0
		for i := range e.pixels {
			if dotRounded(&e.pf[i&63], &v) > middle {
				mask |= 1 << (i & 63)
			}
		}
		if round == 2 || mask == 0 || mask == e.allPixels() {
			break
		}
		part := e.momentsOf(mask)
		rest := e.all.minusPart(&part)
		x, y := e.stretchedMean(&part), e.stretchedMean(&rest)
		var half [4]float32
		for c := range 4 {
			v[c] = x[c] - y[c]
			half[c] = float32((x[c] + y[c]) * 0.5)
		}
		middle = dotRounded(&half, &v)
	}
	return masks{e.allPixels() &^ mask, mask}
}

// splitInThree splits the pixels of two parts into three, by the nearest mean.
func (e *encoder) splitInThree(two *masks) (three masks) {
	var mean [3][4]float32
	for k := range 2 {
		m := e.momentsOf(two[k])
		mean[k] = e.stretchedMean(&m)
	}
	farthest := float32(-1)
	for i := range e.pixels {
		d := min(square(&e.pf[i&63], &mean[0]), square(&e.pf[i&63], &mean[1]))
		if d > farthest {
			farthest, mean[2] = d, e.pf[i&63]
		}
	}
	for range 3 {
		three = masks{}
		for i := range e.pixels {
			p := &e.pf[i&63]
			x, y, z := square(p, &mean[0]), square(p, &mean[1]), square(p, &mean[2])
			k := 0
			if y < x {
				k, x = 1, y
			}
			if z < x {
				k = 2
			}
			three[k] |= 1 << (i & 63)
		}
		for k := range mean {
			if m := e.momentsOf(three[k]); m.n > 0 {
				mean[k] = e.stretchedMean(&m)
			}
		}
	}
	return three
}

// nearestLines assigns each pixel to the nearest line of the best split.
func (e *encoder) nearestLines(n int, best *ranking) (near masks) {
	if best.best[0].split == nil {
		return near
	}
	var mean, axis [3][4]float32
	for k := range n {
		m := e.momentsOf(best.best[0].split.masks[k])
		s := e.stretchedScatter(&m)
		mean[k] = e.stretchedMean(&m)
		axis[k], _ = s.principalAxis()
	}
	for i := range e.pixels {
		least, which := float32(math.MaxFloat32), 0
		for k := range n {
			var d [4]float32
			for c := range d {
				d[c] = e.pf[i&63][c] - mean[k][c]
			}
			t := dotRounded(&d, &axis[k])
			if r := dotRounded(&d, &d) - float32(t*t); r < least {
				least, which = r, k
			}
		}
		near[which] |= 1 << (i & 63)
	}
	return near
}

// square returns the squared distance of two colors.
func square(a, b *[4]float32) float32 {
	d := [4]float32{a[0] - b[0], a[1] - b[1], a[2] - b[2], a[3] - b[3]}
	return dotRounded(&d, &d)
}

func (e *encoder) momentsOf(mask uint64) (m moments) {
	for ; mask != 0; mask &= mask - 1 {
		p := &e.products[bits.TrailingZeros64(mask)&63]
		m.n++
		for i, v := range &p.sum {
			m.sum[i] += v
		}
		for i, v := range &p.product {
			m.product[i] += v
		}
	}
	return m
}

// partMoments returns the moments of each part.
func (e *encoder) partMoments(n int, masks *[maxParts]uint64) (all [maxParts]moments) {
	rest := e.all
	last := 0
	for k := 1; k < n; k++ {
		if bits.OnesCount64(masks[k]) > bits.OnesCount64(masks[last]) {
			last = k
		}
	}
	for k := range n {
		if k != last {
			all[k] = e.momentsOf(masks[k])
			rest = rest.minusPart(&all[k])
		}
	}
	all[last] = rest
	return all
}

const costOfLength = 0.0005

// costOf returns the squared error of lines through the parts. It adds a small penalty for long
// lines, which selects the shorter lines if several splits are exact.
func (e *encoder) costOf(n int, masks *[maxParts]uint64) float32 {
	all := e.partMoments(n, masks)
	sum := float32(0)
	for k := range n {
		s := e.stretchedScatter(&all[k])
		along := s.roughAlong()
		sum += max(0, s.sumOfVariances()-along) + float32(along*costOfLength)
	}
	return sum
}
