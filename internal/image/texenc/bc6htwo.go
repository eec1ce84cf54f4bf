package texenc

import (
	"math"
	"slices"
	"sync"

	"github.com/assetcook/assetcook/internal/image/bc6h"
	"github.com/assetcook/assetcook/internal/image/bc7"
)

// A lightPair is a block of two regions, each with a line of eight colors.
type lightPair struct {
	bc6h.Block
	err float32 // that of lightJudge
}

// pairFloors are how many stops below the brightest value the darkest may lie, 32 for any;
// other than with Best only the first counts.
var pairFloors = [...]uint16{32, 9, 5}

// partitionsTried is how many of the partitions with the least guessed errors are fitted.
const partitionsTried = 4

// fitPair returns the best block of two regions that was found. As in fitLight, black
// would stretch lines: colors are fitted once as they are, and once with a floor.
func fitPair(block *lightBlock, q Quality) (best lightPair) {
	best.err = math.MaxFloat32
	judge := judgeOf(block)
	brightest, darkest := uint16(0), uint16(0x7bff)
	for _, p := range block {
		brightest, darkest = max(brightest, p[0], p[1], p[2]), min(darkest, p[0], p[1], p[2])
	}
	tried, floors := 1, pairFloors[:1]
	if q == Best {
		tried, floors = partitionsTried, pairFloors[:]
	}
	for _, stops := range floors {
		floor := brightest - min(brightest, stops<<10)
		if stops < 32 && darkest >= floor {
			break
		}
		var pix [16][3]float32
		for i, p := range block {
			for k, h := range p {
				pix[i][k] = lightOf(max(h, floor))
			}
		}
		for _, partition := range likelyPartitions(&pix, tried) {
			fitPartition(&best, &judge, &pix, partition)
		}
	}
	if q == Best {
		best.near(&judge)
	}
	return best
}

// likelyPartitions returns those whose two regions scatter least off their lines, as BC7's
// are guessed: what scatters in all less the length of the covariance matrix, which is near
// to its greatest eigenvalue.
func likelyPartitions(pix *[16][3]float32, tried int) []uint8 {
	var each [16]lightMoments
	var all lightMoments
	mean := [3]float64{}
	for _, p := range pix {
		for k, v := range p {
			mean[k] += float64(float64(v) / 16)
		}
	}
	for i, p := range pix {
		r, g, b := float64(p[0])-mean[0], float64(p[1])-mean[1], float64(p[2])-mean[2]
		each[i] = lightMoments{1, r, g, b, float64(r * r), float64(r * g), float64(r * b), float64(g * g), float64(g * b), float64(b * b)}
		all.add(&each[i])
	}
	var likely [partitionsTried]uint8
	var least [partitionsTried]float64
	n := 0
	for partition := range uint8(bc6h.Partitions) {
		mask, _ := bc7.Pair(partition)
		var one, zero lightMoments
		for i := range each {
			if mask>>i&1 != 0 {
				one.add(&each[i])
			}
		}
		for k := range zero {
			zero[k] = all[k] - one[k]
		}
		off := one.offLine() + zero.offLine()
		at := min(n, tried-1)
		if n == tried && off >= least[at] {
			continue
		}
		for ; at > 0 && off < least[at-1]; at-- {
			least[at], likely[at] = least[at-1], likely[at-1]
		}
		least[at], likely[at] = off, partition
		n = min(n+1, tried)
	}
	return likely[:tried]
}

// lightMoments are the number of pixels, the sums of red, green and blue, and those of
// their products: rr, rg, rb, gg, gb, bb.
type lightMoments [10]float64

func (m *lightMoments) add(o *lightMoments) {
	for k := range m {
		m[k] += o[k]
	}
}

// offLine returns about how much squared error the pixels have on a line of 8 colors.
func (m *lightMoments) offLine() float64 {
	per := 1 / m[0]
	rr, gg, bb := m[4]-float64(m[1]*m[1]*per), m[7]-float64(m[2]*m[2]*per), m[9]-float64(m[3]*m[3]*per)
	rg, rb, gb := m[5]-float64(m[1]*m[2]*per), m[6]-float64(m[1]*m[3]*per), m[8]-float64(m[2]*m[3]*per)
	line := math.Sqrt(float64(rr*rr) + float64(gg*gg) + float64(bb*bb) + 2*(float64(rg*rg)+float64(rb*rb)+float64(gb*gb)))
	return rr + gg + bb - float64(line*(1-1.0/49))
}

// fitPartition makes a block with a partition the best if it is better.
func fitPartition(best *lightPair, judge *lightJudge, pix *[16][3]float32, partition uint8) {
	mask, second := bc7.Pair(partition)
	anchors := [2]uint8{0, second}
	var ends [4][3]float32
	for region := range 2 {
		var c colorBlock
		for i, p := range pix {
			if int(mask>>i&1) == region {
				c.pix[c.n] = p
				c.n++
			}
		}
		a, b := pairEnds(&c)
		// The index of the anchor must be low.
		if p := &pix[anchors[region]]; distanceOf(p, &b) < distanceOf(p, &a) {
			a, b = b, a
		}
		ends[2*region], ends[2*region+1] = a, b
	}
	for _, mode := range finestFirst() {
		pair := lightPair{Block: bc6h.Block{Mode: mode, Partition: partition}}
		for end := range ends {
			for k, v := range ends[end] {
				pair.Ends[end][k] = quantizeLight(v, int(mode.Bits))
			}
		}
		if !pair.Fits() {
			continue
		}
		if pair.choose(pix); pair.judge(judge) < best.err {
			*best = pair
		}
		return
	}
}

// finestFirst returns the modes of two regions by the bits of their first end.
var finestFirst = sync.OnceValue(func() (modes []*bc6h.Mode) {
	all := bc6h.Modes()
	for i := range all {
		if all[i].Regions == 2 {
			modes = append(modes, &all[i])
		}
	}
	slices.SortStableFunc(modes, func(a, b *bc6h.Mode) int { return int(b.Bits) - int(a.Bits) })
	return modes
})

func distanceOf(p, q *[3]float32) (sum float32) {
	for k, v := range p {
		d := v - q[k]
		sum += float32(d * d)
	}
	return sum
}

// pairEnds returns the ends of the line of some colors: the outermost along their axis,
// and then, twice, those that suit the indices best.
func pairEnds(c *colorBlock) (a, b [3]float32) {
	axis := axisOf(c)
	a, b = c.pix[0], c.pix[0]
	low, high := dot(a, axis), dot(b, axis)
	for _, p := range c.pix[1:c.n] {
		if d := dot(p, axis); d < low {
			a, low = p, d
		} else if d > high {
			b, high = p, d
		}
	}
	for range 2 {
		var aa, ab, bb int32
		var s sums
		for i := range c.pix[:c.n] {
			p := &c.pix[i]
			w := bc6h.Modes()[0].Weight(nearestIndex(p, &a, &b, 7))
			aa, ab, bb = aa+(64-w)*(64-w), ab+w*(64-w), bb+w*w
			for k, x := range p {
				s.a[k] += float32(float32(64-w) * x)
				s.b[k] += float32(float32(w) * x)
			}
		}
		det := int64(aa)*int64(bb) - int64(ab)*int64(ab)
		if det == 0 {
			break
		}
		scale := 64 / float64(det)
		for k := range 3 {
			x, y := float64(s.a[k]), float64(s.b[k])
			a[k] = float32(max(0, (float64(float64(bb)*x)-float64(float64(ab)*y))*scale))
			b[k] = float32(max(0, (float64(float64(aa)*y)-float64(float64(ab)*x))*scale))
		}
	}
	return a, b
}

// nearestIndex returns the index, up to most, of the color nearest to p between two ends.
func nearestIndex(p, from, to *[3]float32, most int32) uint8 {
	var along, length float32
	for k := range 3 {
		way := to[k] - from[k]
		length += float32(way * way)
		along += float32((p[k] - from[k]) * way)
	}
	if length == 0 {
		return 0
	}
	return uint8(max(0, min(most, int32(float32(along/length*float32(most))+0.5))))
}

// choose sets the indices nearest to colors.
func (l *lightPair) choose(pix *[16][3]float32) {
	var wide [4][3]float32
	for end := range wide {
		for k, v := range l.Ends[end] {
			wide[end][k] = float32(l.Mode.Wide(v))
		}
	}
	for i := range pix {
		region, most := l.Region(i), int32(7)
		if l.Anchor(i) {
			most = 3
		}
		l.Index[i] = min(nearestIndex(&pix[i], &wide[2*region], &wide[2*region+1], 7), uint8(most))
	}
}

// judge sets l.err, and returns it.
func (l *lightPair) judge(j *lightJudge) float32 {
	got := lightBlock(l.Halves())
	l.err = j.of(&got)
	return l.err
}

// near betters ends one channel and region after the other.
func (l *lightPair) near(j *lightJudge) {
	mask, _ := bc7.Pair(l.Partition)
	var weights [16]int32
	for i, index := range l.Index {
		weights[i] = l.Mode.Weight(index)
	}
	for region, pixels := range [2]uint16{^mask, mask} {
		from, to := &l.Ends[2*region], &l.Ends[2*region+1]
		for k := range 3 {
			j.step(k, pixels, &weights, &from[k], &to[k], l.Mode.Wide, l.Fits)
		}
	}
	l.judge(j)
}
