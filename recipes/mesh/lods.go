package mesh

import (
	"context"
	"math"

	"github.com/assetcook/assetcook/internal/mesh/simplify"
)

// A lod is a level of detail: other triangles over the same vertices.
type lod struct {
	indices []uint32
	err     float64 // how far the surface moved, in units of the mesh
}

func lodIndices(lods []lod) [][]uint32 {
	lists := make([][]uint32, len(lods))
	for i := range lods {
		lists[i] = lods[i].indices
	}
	return lists
}

// makeLODs simplifies the triangles to a share after share of them. Each level is made
// of the full mesh, so that its error is that against the full mesh. A level that would
// save less than a tenth against the one before ends it.
func (o *Mesh) makeLODs(ctx context.Context, g *geometry, positions []float32) error {
	if o.LODs == 0 || g.targets > 0 {
		return nil
	}
	scale := simplify.Scale(positions)
	share, before := float64(1), len(g.indices)
	for range o.LODs {
		share *= o.LODRatio
		options := simplify.Options{
			Target:     int(math.Ceil(float64(len(g.indices)/3)*share)) * 3,
			MaxError:   float32(o.LODError),
			LockBorder: g.lockBorder,
			Attributes: g.looksAlike(),
		}
		indices, reached, err := simplify.Simplify(ctx, g.indices, positions, options)
		if err != nil {
			return err
		}
		if len(indices) == 0 || len(indices)*10 > before*9 {
			return nil
		}
		g.lods = append(g.lods, lod{indices: indices, err: float64(reached) * float64(scale)})
		before = len(indices)
	}
	return nil
}

// looksAlike returns what simplification heeds besides the shape.
func (g *geometry) looksAlike() []simplify.Attribute {
	var list []simplify.Attribute
	for _, a := range []struct {
		name   string
		weight float32
	}{{"NORMAL", 0.5}, {"TEXCOORD_0", 0.5}, {"COLOR_0", 0.5}} {
		if s := g.stream(a.name); s != nil {
			list = append(list, simplify.Attribute{Values: s.data.Floats(), Width: s.data.Width, Weight: a.weight})
		}
	}
	return list
}
