package mesh

import (
	"context"

	"github.com/assetcook/assetcook/internal/mesh/gltf"
	"github.com/assetcook/assetcook/internal/mesh/quantize"
)

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

// shareOut returns the weights of each stream as whole numbers. It reports false if
// those of some vertex are not shares of anything.
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
