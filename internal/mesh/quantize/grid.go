// Package quantize stores the numbers of vertices in fewer bits, as the glTF extension
// KHR_mesh_quantization and glTF 2.0 itself allow: positions on a grid of whole
// numbers, directions and shares of one as fractions of 127, 255, 32767 or 65535.
//
// All of it is correctly rounded arithmetic, so every machine makes the same bits.
package quantize

import "math"

// A Box is the least and the greatest coordinate on each axis. The zero Box is that
// of the origin; start with Empty.
type Box struct{ Min, Max [3]float32 }

// Empty is the box of no point at all.
func Empty() Box {
	inf := float32(math.Inf(1))
	return Box{Min: [3]float32{inf, inf, inf}, Max: [3]float32{-inf, -inf, -inf}}
}

// Add makes the box hold the points, x, y, z each.
func (b *Box) Add(points []float32) {
	for i, x := range points {
		b.Min[i%3] = min(b.Min[i%3], x)
		b.Max[i%3] = max(b.Max[i%3], x)
	}
}

// Join makes the box hold another one.
func (b *Box) Join(other Box) {
	for k := range 3 {
		b.Min[k] = min(b.Min[k], other.Min[k])
		b.Max[k] = max(b.Max[k], other.Max[k])
	}
}

// Extent returns the longest side, 0 for an empty box.
func (b Box) Extent() float64 {
	longest := float64(0)
	for k := range 3 {
		longest = max(longest, float64(b.Max[k])-float64(b.Min[k]))
	}
	return longest
}

// A Grid maps positions to whole numbers from 0 to Top on each axis:
// position = Min + Step*number. The step is one for all axes, so that the scale which
// undoes it leaves directions alone.
type Grid struct {
	Min  [3]float32
	Step float32
	Top  uint16
}

// MaxDelta is the largest number that Delta returns.
const MaxDelta = math.MaxInt16

// NewGrid returns the grid of 2^bits numbers, bits from 1 to 16, on which all of the
// box lies, and on which Delta can express differences up to reach. It reports false
// where floats leave no room for one: in a box so small that its step would vanish, or
// so large that it has none.
func NewGrid(box Box, reach float32, bits int) (Grid, bool) {
	g := Grid{Top: uint16(1<<bits - 1)}
	extent := box.Extent()
	if extent > math.MaxFloat32 || extent < 0 || box.Min[0] > box.Max[0] {
		return g, false
	}
	g.Min = box.Min
	g.Step = roundUp(max(extent/float64(g.Top), float64(reach)/MaxDelta))
	if g.Step == 0 {
		g.Step = 1 // a single point
	}
	const smallest = 1e-30 // far above the numbers that graphics hardware takes for 0
	return g, g.Step >= smallest
}

// roundUp returns the least float32 that is x or more.
func roundUp(x float64) float32 {
	f := float32(x)
	if float64(f) < x {
		f = math.Nextafter32(f, math.MaxFloat32)
	}
	return f
}

// Position returns the number next to a coordinate on an axis.
func (g Grid) Position(x float32, axis int) uint16 {
	n := nearest((float64(x) - float64(g.Min[axis])) / float64(g.Step))
	return uint16(min(max(n, 0), float64(g.Top)))
}

// At returns the coordinate of a number on an axis.
func (g Grid) At(n uint16, axis int) float32 {
	return float32(float64(g.Min[axis]) + float64(float64(g.Step)*float64(n)))
}

// Delta returns the number of steps next to a difference of coordinates.
func (g Grid) Delta(d float32) int16 {
	n := nearest(float64(d) / float64(g.Step))
	return int16(min(max(n, -MaxDelta), MaxDelta))
}

// Error returns the greatest distance of a coordinate from its number's: half a step. It
// does not count a reader's loss in adding floats, some 2^-24 of a coordinate.
func (g Grid) Error() float64 { return float64(g.Step) / 2 }

// nearest rounds to the nearest whole number, halves up.
func nearest(x float64) float64 { return math.Floor(x + 0.5) }
