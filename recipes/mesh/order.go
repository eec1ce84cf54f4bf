package mesh

import (
	"context"
	"fmt"
	"strings"

	"github.com/assetcook/assetcook/internal/mesh/gltf"
	"github.com/assetcook/assetcook/internal/mesh/optimize"
	"github.com/assetcook/assetcook/internal/mesh/quantize"
)

// finishGeometry welds the packed vertices of a geometry, makes its levels of detail and puts
// triangles and vertices in order.
func (o *Mesh) finishGeometry(ctx context.Context, g *geometry, grid *quantize.Grid) error {
	if g.mode != triangles {
		return nil
	}
	if err := g.weld(ctx); err != nil {
		return err
	}
	g.dropDegenerate()
	positions := g.stream("POSITION").data.Floats()
	if grid != nil {
		for i := range positions {
			positions[i] = grid.At(uint16(positions[i]), i%3)
		}
	}
	if err := o.makeLODs(ctx, g, positions); err != nil {
		return fmt.Errorf("levels of detail: %w", err)
	}
	if !o.Optimize {
		return nil
	}
	var err error
	if !g.keepOrder {
		if g.indices, err = o.orderTriangles(ctx, g.indices, positions); err != nil {
			return err
		}
		for i := range g.lods {
			if g.lods[i].indices, err = o.orderTriangles(ctx, g.lods[i].indices, positions); err != nil {
				return err
			}
		}
	}
	remap, used, err := optimize.FetchOrder(ctx, g.indices, g.vertices())
	if err != nil {
		return err
	}
	return g.renumber(ctx, remap, used)
}

func (o *Mesh) orderTriangles(ctx context.Context, indices []uint32, positions []float32) ([]uint32, error) {
	indices, err := optimize.VertexCache(ctx, indices, len(positions)/3)
	if err != nil || o.Overdraw <= 1 {
		return indices, err
	}
	return optimize.Overdraw(ctx, indices, positions, float32(o.Overdraw))
}

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
			s.data, err = grid.Positions(ctx, s.data, s.target != base)
		case (kind == "NORMAL" || kind == "TANGENT") && o.NormalBits > 0 && s.target == base && o.Compression == "meshopt":
			s.octa = true
			s.data, err = quantize.Octahedral(ctx, s.data, o.NormalBits)
		case (kind == "NORMAL" || kind == "TANGENT") && o.NormalBits > 0:
			s.data, err = quantize.Directions(ctx, s.data, o.NormalBits, s.target != base)
		case kind == "TEXCOORD" && s.target == base && o.UVBits > 0:
			s.data, err = quantize.Fractions(ctx, s.data, o.UVBits)
		case kind == "COLOR" && s.target == base && o.ColorBits > 0:
			s.data, err = quantize.Fractions(ctx, s.data, o.ColorBits)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// packWeights stores the weights of all joints of a vertex as fractions whose sum is
// 1, and the numbers of joints as bytes if they fit. A joint without weight is joint 0.
func (o *Mesh) packWeights(ctx context.Context, g *geometry) error {
	sets := g.influences()
	if o.WeightBits == 0 || len(sets) == 0 {
		return nil
	}
	weights := make([]gltf.Array, len(sets))
	for i, s := range sets {
		if weights[i] = s.weights.data; weights[i].Component != gltf.Float32 {
			return nil // its maker has packed them
		}
	}
	packed, ok, err := quantize.WeightSets(ctx, weights, o.WeightBits)
	if err != nil || !ok {
		return err
	}
	for i, s := range sets {
		numbers, shares, most := s.joints.data.Uints(), packed[i].Uints(), uint32(0)
		for k := range numbers {
			if shares[k] == 0 {
				numbers[k] = 0
			}
			most = max(most, numbers[k])
		}
		jointType := int32(gltf.Uint8)
		if most > 255 {
			jointType = gltf.Uint16
		}
		s.weights.data, s.joints.data = packed[i], gltf.NewArray(jointType, false, 4, len(numbers)/4)
		for k, n := range numbers {
			s.joints.data.PutShort(k, uint16(n))
		}
	}
	return nil
}
