package bc6h

import (
	"math"
	"slices"
	"sync"

	"github.com/assetcook/assetcook/internal/image/bc7"
	"github.com/assetcook/assetcook/internal/image/blockfit"
)

// pairFloors holds the lower limits of colors to try, in stops (factors of two) below the brightest
// value. 32 stops means no limit. Qualities below Best use only the first limit.
var pairFloors = [...]uint16{32, 9, 5}

// partitionsTried is the number of partitions to fit: the ones with the smallest estimated errors.
const partitionsTried = 4

// fitPair returns the best block with two regions. It fits the original colors, and then the colors
// with a lower limit, because a line through black is too long (see fitLine).
func fitPair(colors *Colors, q blockfit.Quality) (best codedBlock) {
	best.err = math.MaxFloat32
	judge := judgeOf(colors)
	brightest, darkest := colors.brightness()
	tried, floors := 1, pairFloors[:1]
	if q == blockfit.Best {
		tried, floors = partitionsTried, pairFloors[:]
	}
	for _, stops := range floors {
		floor := brightest - min(brightest, stops<<10)
		if stops < 32 && darkest >= floor {
			break
		}
		pix := colors.raisedTo(floor)
		for _, partition := range likelyPartitions(&pix, tried) {
			fitPartition(&best, &judge, &pix, partition)
		}
	}
	if q == blockfit.Best {
		best.improveEnds(&judge, best.Fits)
	}
	return best
}

// likelyPartitions returns the partitions with the smallest estimated errors, if a line is fitted to
// each of the two subsets. The estimate is the total scatter minus the norm of the covariance
// matrix, which is close to its largest eigenvalue.
func likelyPartitions(pix *[16][3]float32, tried int) []uint8 {
	var each [16]moments
	var all moments
	mean := [3]float64{}
	for _, p := range pix {
		for k, v := range p {
			mean[k] += float64(float64(v) / 16)
		}
	}
	for i, p := range pix {
		r, g, b := float64(p[0])-mean[0], float64(p[1])-mean[1], float64(p[2])-mean[2]
		each[i] = moments{1, r, g, b, float64(r * r), float64(r * g), float64(r * b), float64(g * g), float64(g * b), float64(b * b)}
		all.addColor(&each[i])
	}
	var likely [partitionsTried]uint8
	var least [partitionsTried]float64
	n := 0
	for partition := range uint8(Partitions) {
		mask, _ := bc7.Pair(partition)
		var one, zero moments
		for i := range each {
			if mask>>i&1 != 0 {
				one.addColor(&each[i])
			}
		}
		for k := range zero {
			zero[k] = all[k] - one[k]
		}
		off := one.errorOffLine() + zero.errorOffLine()
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

// moments holds sums over pixels: their number, red, green and blue, and the products rr, rg, rb,
// gg, gb, bb.
type moments [10]float64

func (m *moments) addColor(o *moments) {
	for k := range m {
		m[k] += o[k]
	}
}

// errorOffLine estimates the squared error of pixels that are encoded on a line of 8 colors.
func (m *moments) errorOffLine() float64 {
	per := 1 / m[0]
	rr, gg, bb := m[4]-float64(m[1]*m[1]*per), m[7]-float64(m[2]*m[2]*per), m[9]-float64(m[3]*m[3]*per)
	rg, rb, gb := m[5]-float64(m[1]*m[2]*per), m[6]-float64(m[1]*m[3]*per), m[8]-float64(m[2]*m[3]*per)
	line := math.Sqrt(float64(rr*rr) + float64(gg*gg) + float64(bb*bb) + 2*(float64(rg*rg)+float64(rb*rb)+float64(gb*gb)))
	return rr + gg + bb - float64(line*(1-1.0/49))
}

// fitPartition replaces the best block if a block with the given partition has a smaller error.
func fitPartition(best *codedBlock, judge *judge, pix *[16][3]float32, partition uint8) {
	mask, second := bc7.Pair(partition)
	anchors := [2]uint8{0, second}
	var ends [4][3]float32
	for region := range 2 {
		var inside [16][3]float32
		n := 0
		for i, p := range pix {
			if int(mask>>i&1) == region {
				inside[n] = p
				n++
			}
		}
		a, b := pairEnds(inside[:n])
		// The index of the anchor must have a top bit of 0.
		if p := &pix[anchors[region]]; distanceOf(p, &b) < distanceOf(p, &a) {
			a, b = b, a
		}
		ends[2*region], ends[2*region+1] = a, b
	}
	for _, mode := range finestFirst() {
		pair := codedBlock{Block: Block{Mode: mode, Partition: partition}}
		for end := range ends {
			for k, v := range ends[end] {
				pair.Ends[end][k] = quantize(v, mode.Bits)
			}
		}
		if !pair.Fits() {
			continue
		}
		if pair.chooseNearest(pix); pair.judged(judge) < best.err {
			*best = pair
		}
		return
	}
}

// finestFirst returns the modes with two regions, sorted by the precision of the first endpoint,
// highest first. finestLines returns those with one region.
var (
	finestFirst = sync.OnceValue(func() []*Mode { return finestModes(2) })
	finestLines = sync.OnceValue(func() []*Mode { return finestModes(1) })
)

func finestModes(regions uint8) (modes []*Mode) {
	all := Modes()
	for i := range all {
		if all[i].Regions == regions {
			modes = append(modes, &all[i])
		}
	}
	slices.SortStableFunc(modes, func(a, b *Mode) int { return int(b.Bits) - int(a.Bits) })
	return modes
}

func distanceOf(p, q *[3]float32) (sum float32) {
	for k, v := range p {
		d := v - q[k]
		sum += float32(d * d)
	}
	return sum
}

// pairEnds returns the endpoints of a line through colors. It starts with the outermost colors
// along their axis, and twice computes the least-squares endpoints for the current indices.
func pairEnds(pix [][3]float32) (a, b [3]float32) {
	a, b = blockfit.Outermost(pix)
	for range 2 {
		x, y, ok := leastSquares(pix, func(i int) int32 { return weights3[nearestIndex(&pix[i], &a, &b)] })
		if !ok {
			break
		}
		a, b = x, y
	}
	return a, b
}

// nearestIndex returns the index of the color on the line between two endpoints that is nearest to
// p.
func nearestIndex(p, from, to *[3]float32) uint8 {
	const most = 7
	var along, length float32
	for k := range 3 {
		way := to[k] - from[k]
		length += float32(way * way)
		along += float32((p[k] - from[k]) * way)
	}
	if length == 0 {
		return 0
	}
	return uint8(max(0, min(most, int32(float32(along/length*most)+0.5))))
}

// chooseNearest sets each index to the color nearest to its pixel.
func (f *codedBlock) chooseNearest(pix *[16][3]float32) {
	var wide [4][3]float32
	for end := range wide {
		for k, v := range f.Ends[end] {
			wide[end][k] = float32(f.Mode.Wide(v))
		}
	}
	for i := range pix {
		region := f.Region(i)
		f.Index[i] = nearestIndex(&pix[i], &wide[2*region], &wide[2*region+1])
		if f.Anchor(i) {
			f.Index[i] = min(f.Index[i], 3)
		}
	}
}
