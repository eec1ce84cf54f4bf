package mesh

import (
	"context"
	"encoding/binary"
	"math"
	"strings"

	"github.com/assetcook/assetcook/internal/mesh/gltf"
	"github.com/assetcook/assetcook/internal/mesh/meshopt"
	"github.com/assetcook/assetcook/internal/mesh/quantize"
)

// pack stores the attributes of a geometry in fewer bits, positions on the grid if there is
// one. Attributes that are not floats stay as their maker packed them.
func (o *Mesh) pack(ctx context.Context, g *geometry, grid *quantize.Grid) error {
	if err := o.packWeights(ctx, g); err != nil {
		return err
	}
	for i := range g.streams {
		s := &g.streams[i]
		if s.data.Component != gltf.Float32 {
			continue
		}
		var err error
		kind, _, _ := strings.Cut(s.name, "_")
		switch {
		case kind == "POSITION" && grid != nil:
			err = s.packPositions(ctx, grid)
		case (kind == "NORMAL" || kind == "TANGENT") && o.NormalBits > 0:
			if s.target == base && o.Compression == "meshopt" {
				err = s.packOctahedral(ctx, o.NormalBits)
			} else {
				err = s.packDirections(ctx, o.NormalBits)
			}
		case kind == "TEXCOORD" && s.target == base && o.UVBits > 0:
			err = s.packShares(ctx, o.UVBits)
		case kind == "COLOR" && s.target == base && o.ColorBits > 0:
			err = s.packShares(ctx, o.ColorBits)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *stream) packPositions(ctx context.Context, grid *quantize.Grid) error {
	component := int32(gltf.Uint16)
	if s.target != base {
		component = gltf.Int16
	}
	values := s.data.Floats()
	packed := gltf.NewArray(component, false, 3, s.data.Count)
	err := gltf.Chunks(ctx, len(values), func(from, to int) error {
		for i := from; i < to; i++ {
			n := uint16(0)
			if s.target == base {
				n = grid.Position(values[i], i%3)
			} else {
				n = uint16(grid.Delta(values[i]))
			}
			binary.LittleEndian.PutUint16(packed.Data[2*i:], n)
		}
		return nil
	})
	s.data = packed
	return err
}

// packDirections stores normals and tangents as signed fractions. Directions of morph
// targets are differences: they stay floats if one is longer than 1.
func (s *stream) packDirections(ctx context.Context, bits int) error {
	values := s.data.Floats()
	if s.target != base {
		if low, high := s.data.Bounds(); outside(low, high, -1, 1, 0) {
			return nil
		}
	}
	component := int32(gltf.Int8)
	if bits == 16 {
		component = gltf.Int16
	}
	packed := gltf.NewArray(component, true, s.data.Width, s.data.Count)
	err := gltf.Chunks(ctx, s.data.Count, func(from, to int) error {
		var numbers [4]int16
		for i := from; i < to; i++ {
			v := values[i*s.data.Width:][:s.data.Width]
			if s.target == base {
				quantize.Direction(v[:3], bits, numbers[:3])
			} else {
				for k, x := range v[:3] {
					numbers[k] = quantize.Signed(x, bits)
				}
			}
			if len(v) == 4 { // the sign of the bitangent
				numbers[3] = quantize.Signed(1, bits)
				if v[3] < 0 {
					numbers[3] = -numbers[3]
				}
			}
			for k := range v {
				put(packed, i*packed.Width+k, uint16(numbers[k]))
			}
		}
		return nil
	})
	s.data = packed
	return err
}

// packOctahedral stores normals and tangents as the signed fractions that the filter
// Octahedral of package meshopt makes.
func (s *stream) packOctahedral(ctx context.Context, bits int) error {
	values, width := s.data.Floats(), s.data.Width
	component := int32(gltf.Int8)
	if bits == 16 {
		component = gltf.Int16
	}
	packed := gltf.NewArray(component, true, width, s.data.Count)
	element := make([]byte, bits/2)
	err := gltf.Chunks(ctx, s.data.Count, func(from, to int) error {
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
	s.data, s.octa = packed, true
	return err
}

// packShares stores numbers from 0 to 1 as unsigned fractions, if they all are.
func (s *stream) packShares(ctx context.Context, bits int) error {
	// Values that rounding put a little outside are as near to a fraction as others.
	const slack = 1. / (2 * 65535)
	if low, high := s.data.Bounds(); outside(low, high, 0, 1, slack) {
		return nil
	}
	component := int32(gltf.Uint8)
	if bits == 16 {
		component = gltf.Uint16
	}
	values := s.data.Floats()
	packed := gltf.NewArray(component, true, s.data.Width, s.data.Count)
	err := gltf.Chunks(ctx, len(values), func(from, to int) error {
		for i := from; i < to; i++ {
			put(packed, i, quantize.Unsigned(values[i], bits))
		}
		return nil
	})
	s.data = packed
	return err
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

// put writes component i of an array of bytes or shorts.
func put(a gltf.Array, i int, n uint16) {
	if gltf.ComponentSize(a.Component) == 1 {
		a.Data[i] = byte(n)
		return
	}
	binary.LittleEndian.PutUint16(a.Data[2*i:], n)
}

// packWeights stores the weights of all joints of a vertex as fractions whose sum is
// 1, and the numbers of joints as bytes if they fit. A joint without weight is joint 0.
func (o *Mesh) packWeights(ctx context.Context, g *geometry) error {
	sets := g.influences()
	if o.WeightBits == 0 || len(sets) == 0 {
		return nil
	}
	weights := make([]*stream, len(sets))
	for i, s := range sets {
		if s.weights.data.Component != gltf.Float32 {
			return nil // its maker has packed them
		}
		weights[i] = s.weights
	}
	shares, ok, err := shareOut(ctx, weights, o.WeightBits)
	if err != nil || !ok {
		return err
	}
	component := int32(gltf.Uint8)
	if o.WeightBits == 16 {
		component = gltf.Uint16
	}
	for i, s := range weights {
		joints := sets[i].joints
		numbers := joints.data.Uints()
		most := uint32(0)
		for k := range numbers {
			if shares[i][k] == 0 {
				numbers[k] = 0
			}
			most = max(most, numbers[k])
		}
		s.data = gltf.NewArray(component, true, 4, s.data.Count)
		jointType := int32(gltf.Uint8)
		if most > 255 {
			jointType = gltf.Uint16
		}
		joints.data = gltf.NewArray(jointType, false, 4, s.data.Count)
		for k := range numbers {
			put(s.data, k, shares[i][k])
			put(joints.data, k, uint16(numbers[k]))
		}
	}
	return nil
}

// shareOut returns the weights of each stream as whole numbers. It reports false if the
// weights of some vertex sum to nothing.
func shareOut(ctx context.Context, weights []*stream, bits int) (shares [][]uint16, ok bool, err error) {
	values := make([][]float32, len(weights))
	for i, s := range weights {
		values[i] = s.data.Floats()
		shares = append(shares, make([]uint16, len(values[i])))
	}
	of, to := make([]float32, 4*len(weights)), make([]uint16, 4*len(weights))
	ok = true
	err = gltf.Chunks(ctx, weights[0].data.Count, func(from, end int) error {
		for v := from; v < end && ok; v++ {
			for i := range weights {
				copy(of[4*i:], values[i][4*v:][:4])
			}
			ok = quantize.Weights(of, bits, to)
			for i := range weights {
				copy(shares[i][4*v:], to[4*i:][:4])
			}
		}
		return nil
	})
	return shares, ok, err
}
