package quantize

import (
	"context"
	"encoding/binary"
	"math"

	"github.com/assetcook/assetcook/internal/mesh/gltf"
	"github.com/assetcook/assetcook/internal/mesh/meshopt"
)

// Positions stores positions on the grid, or differences of positions.
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

// Undo multiplies matrices, stored by columns, by the matrix from grid numbers to
// positions.
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

// signed returns the signed component type of 8 or 16 bits.
func signed(bits int) int32 {
	if bits == 16 {
		return gltf.Int16
	}
	return gltf.Int8
}

// unsigned returns the unsigned component type of 8 or 16 bits.
func unsigned(bits int) int32 {
	if bits == 16 {
		return gltf.Uint16
	}
	return gltf.Uint8
}

// Directions stores normals and tangents as signed fractions. Differences of directions
// stay floats if one is longer than 1.
func Directions(ctx context.Context, a gltf.Array, bits int, differences bool) (gltf.Array, error) {
	if differences {
		if low, high := a.Bounds(); outside(low, high, -1, 1, 0) {
			return a, nil
		}
	}
	values, width := a.Floats(), a.Width
	packed := gltf.NewArray(signed(bits), true, width, a.Count)
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
			if len(v) == 4 { // the sign of the bitangent
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

// Octahedral stores normals and tangents as the signed fractions that the filter
// Octahedral of package meshopt makes.
func Octahedral(ctx context.Context, a gltf.Array, bits int) (gltf.Array, error) {
	values, width := a.Floats(), a.Width
	packed := gltf.NewArray(signed(bits), true, width, a.Count)
	element := make([]byte, bits/2)
	return packed, gltf.Chunks(ctx, a.Count, func(from, to int) error {
		for i := from; i < to; i++ {
			v, sign := values[i*width:][:width], 0
			if width == 4 { // of the bitangent
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

// Fractions stores numbers from 0 to 1 as unsigned fractions. Numbers beyond stay floats.
func Fractions(ctx context.Context, a gltf.Array, bits int) (gltf.Array, error) {
	// Values that rounding put a little outside are as near to a fraction as others.
	const slack = 1. / (2 * 65535)
	if low, high := a.Bounds(); outside(low, high, 0, 1, slack) {
		return a, nil
	}
	values := a.Floats()
	packed := gltf.NewArray(unsigned(bits), true, a.Width, a.Count)
	return packed, gltf.Chunks(ctx, len(values), func(from, to int) error {
		for i := from; i < to; i++ {
			packed.PutShort(i, Unsigned(values[i], bits))
		}
		return nil
	})
}

// outside reports whether some component leaves the range from least to most.
func outside(low, high []float64, least, most, slack float64) bool {
	for k := range low {
		if low[k] < least-slack || high[k] > most+slack {
			return true
		}
	}
	return false
}

// WeightSets stores sets of the weights of joints, four a vertex in each, as fractions
// whose sum is 1. It reports false if the weights of some vertex sum to nothing.
func WeightSets(ctx context.Context, sets []gltf.Array, bits int) (packed []gltf.Array, ok bool, err error) {
	values := make([][]float32, len(sets))
	for i, s := range sets {
		values[i] = s.Floats()
		packed = append(packed, gltf.NewArray(unsigned(bits), true, 4, s.Count))
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
