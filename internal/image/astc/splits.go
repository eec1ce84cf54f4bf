package astc

import (
	"math"
	"math/bits"
)

// searchSplits tries to split the pixels into two parts. It tries three parts if the error is still
// large.
func (e *encoder) searchSplits(s *scatter) {
	for i := range e.pixels {
		m := &e.products[i&255]
		*m = moments{}
		m.addPixel(&e.px[i&255])
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

	if e.universal || e.sse <= e.effort.hard*int64(e.pixels) {
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

func (p *partition) swapped() partition { return partition{p[1], p[0]} }

// A split is a partition of the format.
type split struct {
	seed  uint16
	parts partition
}

// A ranking holds the best splits found so far, best first.
type ranking struct {
	best   [16]rankedSplit
	wanted int
}

// A rankedSplit is a split and its cost. The cost of an unused entry is math.MaxFloat32.
type rankedSplit struct {
	split
	cost float32
}

func (r *rankedSplit) known() bool { return r.cost < math.MaxFloat32 }

func (r *ranking) resetRanking(wanted int) {
	r.wanted = wanted
	for i := range r.best[:wanted] {
		r.best[i].cost = math.MaxFloat32
	}
}

func (r *ranking) rankSplit(s *split, cost float32) {
	for i := range r.best[:r.wanted] {
		if r.best[i].known() && r.best[i].seed == s.seed {
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
	r.best[k] = rankedSplit{*s, cost}
}

// rankPartitions ranks the format's partitions by similarity to wanted.
func (e *encoder) rankPartitions(best *ranking, n int, wanted *partition) {
	table := e.splits[n]()
	near := e.effort.near
	var nearest [64]struct{ at, distance int }
	for i := range nearest[:near] {
		nearest[i].distance = math.MaxInt
	}
	worst := math.MaxInt
	for i := range table.seeds {
		var d int
		switch {
		case n == 3:
			d = table.partDistance(i, e.pixels, wanted)
		case table.words == 1:
			d = bits.OnesCount64(table.bits[2*i+1] ^ wanted[1][0])
			d = min(d, e.pixels-d)
		default:
			for k, word := range table.wordsAt(i)[table.words:] {
				d += bits.OnesCount64(word ^ wanted[1][k&3])
			}
			d = min(d, e.pixels-d)
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
	for _, candidate := range nearest[:min(near, len(table.seeds))] {
		s := split{table.seeds[candidate.at], table.partitionAt(candidate.at)}
		best.rankSplit(&s, e.costOf(n, &s.parts))
	}
}

// partDistance returns the number of pixels that are in different parts of split i and of p. Three
// parts are compared in any order.
func (t *splitTable) partDistance(i, pixels int, p *partition) int {
	var same [3][3]int
	if t.words == 1 {
		all := t.bits[3*i:][:3]
		for k := range same {
			for other := range same[k] {
				same[k][other] = bits.OnesCount64(all[k] & p[other][0])
			}
		}
		return pixels - mostInCommon(&same)
	}
	all := t.wordsAt(i)
	for k := range same {
		for at, word := range all[k*t.words:][:t.words] {
			for other := range same[k] {
				same[k][other] += bits.OnesCount64(word & p[other][at&3])
			}
		}
	}
	return pixels - mostInCommon(&same)
}

// mostInCommon returns the number of pixels that three parts have in common with three others, in
// the best order.
func mostInCommon(same *[3][3]int) int {
	return max(
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

// cluster splits the pixels into two parts, first by their position along an axis, then by the
// nearer mean.
func (e *encoder) cluster(axis *[4]float32) partition {
	v := *axis
	mean := e.stretchedMean(&e.all)
	middle := dotRounded(&mean, &v)
	var set pixelSet
	for round := range 3 {
		set = pixelSet{}
		for i := range e.pixels {
			if dotRounded(&e.pf[i&255], &v) > middle {
				set.addPixel(i)
			}
		}
		if round == 2 || set == (pixelSet{}) || set == e.everything {
			break
		}
		part := e.momentsOf(&set)
		rest := e.all.minusPart(&part)
		x, y := e.stretchedMean(&part), e.stretchedMean(&rest)
		var half [4]float32
		for c := range 4 {
			v[c] = x[c] - y[c]
			half[c] = float32((x[c] + y[c]) * 0.5)
		}
		middle = dotRounded(&half, &v)
	}
	return partition{e.everything.without(&set), set}
}

// splitInThree splits the pixels of two parts into three, by the nearest mean.
func (e *encoder) splitInThree(two *partition) (three partition) {
	var mean [3][4]float32
	for k := range 2 {
		m := e.momentsOf(&two[k])
		mean[k] = e.stretchedMean(&m)
	}
	farthest := float32(-1)
	for i := range e.pixels {
		d := min(square(&e.pf[i&255], &mean[0]), square(&e.pf[i&255], &mean[1]))
		if d > farthest {
			farthest, mean[2] = d, e.pf[i&255]
		}
	}
	for range 3 {
		three = partition{}
		for i := range e.pixels {
			p := &e.pf[i&255]
			x, y, z := square(p, &mean[0]), square(p, &mean[1]), square(p, &mean[2])
			k := 0
			if y < x {
				k, x = 1, y
			}
			if z < x {
				k = 2
			}
			three[k].addPixel(i)
		}
		for k := range mean {
			if m := e.momentsOf(&three[k]); m.n > 0 {
				mean[k] = e.stretchedMean(&m)
			}
		}
	}
	return three
}

// nearestLines assigns each pixel to the nearest line of the best split so far.
func (e *encoder) nearestLines(n int, best *ranking) (near partition) {
	if !best.best[0].known() {
		return near
	}
	var mean, axis [3][4]float32
	for k := range n {
		m := e.momentsOf(&best.best[0].parts[k])
		s := e.stretchedScatter(&m)
		mean[k] = e.stretchedMean(&m)
		axis[k], _ = s.principalAxis()
	}
	for i := range e.pixels {
		least, which := float32(math.MaxFloat32), 0
		for k := range n {
			var d [4]float32
			for c := range d {
				d[c] = e.pf[i&255][c] - mean[k][c]
			}
			t := dotRounded(&d, &axis[k])
			if r := dotRounded(&d, &d) - float32(t*t); r < least {
				least, which = r, k
			}
		}
		near[which].addPixel(i)
	}
	return near
}

// square returns the squared distance of two colors.
func square(a, b *[4]float32) float32 {
	d := [4]float32{a[0] - b[0], a[1] - b[1], a[2] - b[2], a[3] - b[3]}
	return dotRounded(&d, &d)
}

func (e *encoder) momentsOf(set *pixelSet) (m moments) {
	for k, word := range set[:e.words] {
		for ; word != 0; word &= word - 1 {
			p := &e.products[(64*k+bits.TrailingZeros64(word))&255]
			m.n++
			for i, v := range &p.sum {
				m.sum[i] += v
			}
			for i, v := range &p.product {
				m.product[i] += v
			}
		}
	}
	return m
}

// partMoments returns the moments of each part.
func (e *encoder) partMoments(n int, p *partition) (all [maxParts]moments) {
	rest := e.all
	last := 0
	for k := 1; k < n; k++ {
		if p[k].countPixels() > p[last].countPixels() {
			last = k
		}
	}
	for k := range n {
		if k != last {
			all[k] = e.momentsOf(&p[k])
			rest = rest.minusPart(&all[k])
		}
	}
	all[last] = rest
	return all
}

const costOfLength = 0.0005

// costOf returns the squared error of lines through the parts, plus a small penalty for their
// length. The penalty selects the shorter lines if both are exact.
func (e *encoder) costOf(n int, p *partition) float32 {
	all := e.partMoments(n, p)
	sum := float32(0)
	for k := range n {
		s := e.stretchedScatter(&all[k])
		along := s.roughAlong()
		sum += max(0, s.sumOfVariances()-along) + float32(along*costOfLength)
	}
	return sum
}
