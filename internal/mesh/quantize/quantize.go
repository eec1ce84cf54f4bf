// Package quantize stores vertex attributes with fewer bits, as the glTF extension
// KHR_mesh_quantization and glTF 2.0 itself allow. Positions are stored on an integer grid.
// Directions, and values up to 1, are stored as fractions of 127, 255, 32767 or 65535.
//
// All arithmetic is correctly rounded, so the result is the same on every machine.
package quantize

import (
	"context"
	"encoding/binary"
	"math"

	"github.com/assetcook/assetcook/internal/mesh/gltf"
	"github.com/assetcook/assetcook/internal/mesh/meshopt"
)

// A Box holds the minimum and maximum coordinates on each axis. The zero Box contains the origin,
// so start with the Box that Empty returns.
type Box struct{ Min, Max [3]float32 }

// Empty returns a box without points.
func Empty() Box {
	inf := float32(math.Inf(1))
	return Box{Min: [3]float32{inf, inf, inf}, Max: [3]float32{-inf, -inf, -inf}}
}

// Add extends the box to contain the points. Each point has three coordinates.
func (b *Box) Add(points []float32) {
	for i, x := range points {
		b.Min[i%3] = min(b.Min[i%3], x)
		b.Max[i%3] = max(b.Max[i%3], x)
	}
}

// Extent returns the longest side, or 0 for an empty box.
func (b Box) Extent() float64 {
	longest := float64(0)
	for k := range 3 {
		longest = max(longest, float64(b.Max[k])-float64(b.Min[k]))
	}
	return longest
}

// A Grid maps positions to integers from 0 to Top on each axis: position = Min + Step*integer. All
// axes have the same step, so that the scale that maps integers to positions does not change
// directions.
type Grid struct {
	Min  [3]float32
	Step float32
	Top  uint16
}

// MaxDelta is the largest integer that Delta returns.
const MaxDelta = math.MaxInt16

// NewGrid returns a grid with 2^bits values per axis that covers the box. bits is from 1 to 16. The
// argument reach is the largest difference that Delta must represent. NewGrid returns false if the
// box is so small or so large that float32 cannot represent the step.
func NewGrid(box Box, reach float32, bits int) (Grid, bool) {
	g := Grid{Top: uint16(1<<bits - 1)}
	extent := box.Extent()
	if extent > math.MaxFloat32 || extent < 0 || box.Min[0] > box.Max[0] {
		return g, false
	}
	g.Min = box.Min
	g.Step = roundUpToFloat32(max(extent/float64(g.Top), float64(reach)/MaxDelta))
	if g.Step == 0 {
		g.Step = 1 // the box is a single point
	}
	const smallest = 1e-30 // smallest step, far above the values that GPUs flush to 0
	return g, g.Step >= smallest
}

// roundUpToFloat32 returns the smallest float32 that is at least x.
func roundUpToFloat32(x float64) float32 {
	f := float32(x)
	if float64(f) < x {
		f = math.Nextafter32(f, math.MaxFloat32)
	}
	return f
}

// Position returns the grid integer nearest to a coordinate on an axis.
func (g Grid) Position(x float32, axis int) uint16 {
	n := roundHalfUp((float64(x) - float64(g.Min[axis])) / float64(g.Step))
	return uint16(min(max(n, 0), float64(g.Top)))
}

// At returns the coordinate of a grid integer on an axis.
func (g Grid) At(n uint16, axis int) float32 {
	return float32(float64(g.Min[axis]) + float64(float64(g.Step)*float64(n)))
}

// Delta returns the number of steps nearest to a difference of coordinates.
func (g Grid) Delta(d float32) int16 {
	n := roundHalfUp(float64(d) / float64(g.Step))
	return int16(min(max(n, -MaxDelta), MaxDelta))
}

// Error returns the largest rounding error of a coordinate, which is half a step. A program that
// adds in float32 loses another 2^-24 of the coordinate.
func (g Grid) Error() float64 { return float64(g.Step) / 2 }

// roundHalfUp rounds to the nearest integer, halves up.
func roundHalfUp(x float64) float64 { return math.Floor(x + 0.5) }

// Positions quantizes positions, or differences of positions, on the grid.
func (g Grid) Positions(ctx context.Context, a gltf.Array, differences bool) (gltf.Array, error) {
	component := int32(gltf.Uint16)
	if differences {
		component = gltf.Int16
	}
	values := a.Floats()
	packed := gltf.NewArray(component, false, 3, a.Count)
	return packed, gltf.Chunks(ctx, len(values), func(from, to int) error {
		for i := from; i < to; i++ {
			n := uint16(0)
			if differences {
				n = uint16(g.Delta(values[i]))
			} else {
				n = g.Position(values[i], i%3)
			}
			packed.PutShort(i, n)
		}
		return nil
	})
}

// Undo multiplies matrices by the matrix that maps grid integers to positions. Matrices are stored
// by columns.
func (g Grid) Undo(matrices gltf.Array) {
	for i := range matrices.Count {
		var m [16]float32
		element := matrices.Element(i)
		for k := range m {
			m[k] = math.Float32frombits(binary.LittleEndian.Uint32(element[4*k:]))
		}
		for row := range 4 {
			moved := float64(m[12+row])
			for axis := range 3 {
				x := float64(m[4*axis+row])
				moved += float64(x * float64(g.Min[axis]))
				m[4*axis+row] = float32(float64(x * float64(g.Step)))
			}
			m[12+row] = float32(moved)
		}
		for k, x := range m {
			binary.LittleEndian.PutUint32(element[4*k:], math.Float32bits(x))
		}
	}
}

// signedComponent returns the component type of signed integers of 8 or 16 bits.
func signedComponent(bits int) int32 {
	if bits == 16 {
		return gltf.Int16
	}
	return gltf.Int8
}

// unsignedComponent returns the component type of unsigned integers of 8 or 16 bits.
func unsignedComponent(bits int) int32 {
	if bits == 16 {
		return gltf.Uint16
	}
	return gltf.Uint8
}

// Directions quantizes normals and tangents as signed fractions. If a difference of directions is
// longer than 1, the array keeps its floats.
func Directions(ctx context.Context, a gltf.Array, bits int, differences bool) (gltf.Array, error) {
	if differences {
		if low, high := a.Bounds(); outside(low, high, -1, 1, 0) {
			return a, nil
		}
	}
	values, width := a.Floats(), a.Width
	packed := gltf.NewArray(signedComponent(bits), true, width, a.Count)
	return packed, gltf.Chunks(ctx, a.Count, func(from, to int) error {
		var numbers [4]int16
		for i := from; i < to; i++ {
			v := values[i*width:][:width]
			if differences {
				for k, x := range v[:3] {
					numbers[k] = Signed(x, bits)
				}
			} else {
				Direction(v[:3], bits, numbers[:3])
			}
			if len(v) == 4 { // sign of the bitangent
				numbers[3] = Signed(1, bits)
				if v[3] < 0 {
					numbers[3] = -numbers[3]
				}
			}
			for k := range v {
				packed.PutShort(i*width+k, uint16(numbers[k]))
			}
		}
		return nil
	})
}

// Octahedral quantizes normals and tangents as the signed fractions for the filter Octahedral of
// package meshopt.
func Octahedral(ctx context.Context, a gltf.Array, bits int) (gltf.Array, error) {
	values, width := a.Floats(), a.Width
	packed := gltf.NewArray(signedComponent(bits), true, width, a.Count)
	element := make([]byte, bits/2)
	return packed, gltf.Chunks(ctx, a.Count, func(from, to int) error {
		for i := from; i < to; i++ {
			v, sign := values[i*width:][:width], 0
			if width == 4 { // sign of the bitangent
				sign = int(math.Copysign(float64(int(1)<<(bits-1)-1), float64(v[3])))
			}
			meshopt.PutOctahedral(element, [3]float32(v), sign, bits)
			if err := meshopt.Octahedral.Apply(ctx, element, len(element)); err != nil {
				return err
			}
			copy(packed.Element(i), element)
		}
		return nil
	})
}

// Fractions quantizes values from 0 to 1 as unsigned fractions. If a value is out of range, the
// array keeps its floats.
func Fractions(ctx context.Context, a gltf.Array, bits int) (gltf.Array, error) {
	// Values may be out of range by up to half a 16-bit step, because of rounding. They are clamped.
	const slack = 1. / (2 * 65535)
	if low, high := a.Bounds(); outside(low, high, 0, 1, slack) {
		return a, nil
	}
	values := a.Floats()
	packed := gltf.NewArray(unsignedComponent(bits), true, a.Width, a.Count)
	return packed, gltf.Chunks(ctx, len(values), func(from, to int) error {
		for i := from; i < to; i++ {
			packed.PutShort(i, Unsigned(values[i], bits))
		}
		return nil
	})
}

// Steps rounds floats to multiples of 2^exponent. It rounds large values more coarsely, because the
// filter Exponential of package meshopt has a mantissa of limited size.
func Steps(ctx context.Context, a gltf.Array, exponent int) (gltf.Array, error) {
	values := a.Floats()
	rounded := gltf.NewArray(gltf.Float32, false, a.Width, a.Count)
	return rounded, gltf.Chunks(ctx, len(values), func(from, to int) error {
		e := rounded.Data[4*from : 4*to]
		for i, x := range values[from:to] {
			meshopt.PutExponential(e[4*i:], x, exponent)
		}
		return meshopt.Exponential.Apply(ctx, e, 4)
	})
}

// outside reports whether some component is out of the range from least to most.
func outside(low, high []float64, least, most, slack float64) bool {
	for k := range low {
		if low[k] < least-slack || high[k] > most+slack {
			return true
		}
	}
	return false
}

// WeightSets quantizes sets of joint weights, each with four weights per vertex, as fractions whose
// sum is 1. It returns false if the weights of a vertex sum to 0.
func WeightSets(ctx context.Context, sets []gltf.Array, bits int) (packed []gltf.Array, ok bool, err error) {
	values := make([][]float32, len(sets))
	for i, s := range sets {
		values[i] = s.Floats()
		packed = append(packed, gltf.NewArray(unsignedComponent(bits), true, 4, s.Count))
	}
	of, to := make([]float32, 4*len(sets)), make([]uint16, 4*len(sets))
	ok = true
	err = gltf.Chunks(ctx, sets[0].Count, func(from, end int) error {
		for v := from; v < end && ok; v++ {
			for i := range sets {
				copy(of[4*i:], values[i][4*v:][:4])
			}
			ok = Weights(of, bits, to)
			for k, share := range to {
				packed[k/4].PutShort(4*v+k%4, share)
			}
		}
		return nil
	})
	return packed, ok, err
}

// Signed quantizes x, from -1 to 1, to 8 or 16 bits: x times 127 or 32767. Values out of range are
// clamped.
func Signed(x float32, bits int) int16 {
	top := float64(int(1)<<(bits-1) - 1)
	return int16(roundHalfUp(float64(min(max(float64(x), -1), 1) * top)))
}

// Unsigned quantizes x, from 0 to 1, to 8 or 16 bits: x times 255 or 65535. Values out of range are
// clamped.
func Unsigned(x float32, bits int) uint16 {
	top := float64(int(1)<<bits - 1)
	return uint16(roundHalfUp(float64(min(max(float64(x), 0), 1) * top)))
}

// Direction normalizes v and quantizes its components to 8 or 16 bits. A zero vector gives zeros.
func Direction(v []float32, bits int, to []int16) {
	sum := float64(0)
	for _, x := range v {
		sum += float64(float64(x) * float64(x))
	}
	length := math.Sqrt(sum)
	for i, x := range v {
		if length > 0 {
			x = float32(float64(x) / length)
		}
		to[i] = Signed(x, bits)
	}
}

// Weights quantizes the weights of one vertex to 8 or 16 bits. Their sum is exactly 2^bits - 1,
// which represents 1. Each weight is rounded down; then the weights that lost most are incremented.
// Of equal losses, the first comes first. If a weight is negative or the sum is too small, Weights
// returns false and writes nothing.
func Weights(weights []float32, bits int, to []uint16) bool {
	sum := float64(0)
	for _, w := range weights {
		if w < 0 {
			return false
		}
		sum += float64(w)
	}
	const least = 1e-3 // smallest sum that is more than a rounding error
	if !(sum >= least) || math.IsInf(sum, 1) {
		return false
	}
	top := int(1)<<bits - 1
	missing := top
	for i, w := range weights {
		// A small reduction ensures that rounding cannot make the sum too large.
		to[i] = uint16(max(float64(float64(w)/sum*float64(top))-1e-9, 0))
		missing -= int(to[i])
	}
	for ; missing > 0; missing-- {
		most, lost := 0, math.Inf(-1)
		for i, w := range weights {
			if l := float64(float64(w)/sum*float64(top)) - float64(to[i]); l > lost {
				most, lost = i, l
			}
		}
		to[most]++
	}
	return true
}
