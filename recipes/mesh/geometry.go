package mesh

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/internal/mesh/gltf"
	"github.com/assetcook/assetcook/internal/mesh/optimize"
	"github.com/assetcook/assetcook/internal/mesh/quantize"
	"github.com/assetcook/assetcook/internal/mesh/simplify"
)

// triangles is the mode of triangle lists. Lower modes are points and lines, higher modes are
// strips and fans.
const triangles = gltf.Triangles

// A stream is one attribute of all vertices of a geometry.
type stream struct {
	name     string // name of the attribute, such as "POSITION"
	target   int    // index of the morph target; base for the vertices themselves
	accessor int32  // number of the accessor in the source, or made if the recipe made the data
	data     gltf.Array
	use      gltf.Use // use of the data in the output
}

const (
	base = -1 // base marks the vertices themselves, not a morph target.
	made = -1 // made means that the source has no accessor
)

// A geometry holds the vertices and the triangles, lines or points of one or several equal
// primitives.
type geometry struct {
	mode    int // mode of points, lines or triangles; strips and fans become triangles
	streams []stream
	targets int
	// indices is nil for points and lines without indices.
	indices       []uint32
	indexAccessor int32 // source accessor of the indices; the constant made if they are new
	group         int   // group of meshes that share a grid
	keepOrder     bool  // whether triangles blend, so that their order is visible
	lockBorder    bool  // whether open edges adjoin other primitives of the mesh
	lods          []lod
	stats         stats
}

// vertices returns the number of vertices.
func (g *geometry) vertices() int {
	if len(g.streams) == 0 {
		return 0
	}
	return g.streams[0].data.Count
}

// findStream returns an attribute that is not of a morph target, or nil.
func (g *geometry) findStream(name string) *stream {
	for i := range g.streams {
		if s := &g.streams[i]; s.name == name && s.target == base {
			return s
		}
	}
	return nil
}

// unroll gives each corner its own vertex.
func (g *geometry) unroll(ctx context.Context) error {
	for i := range g.streams {
		picked, err := g.streams[i].data.Pick(ctx, g.indices)
		if err != nil {
			return err
		}
		g.streams[i].data = picked
	}
	for i := range g.indices {
		g.indices[i] = uint32(i)
	}
	return nil
}

// weld merges vertices that are equal in all streams.
func (g *geometry) weld(ctx context.Context) error {
	streams := make([]optimize.Stream, len(g.streams))
	for i, s := range g.streams {
		streams[i] = optimize.Stream{Data: s.data.Data, Stride: s.data.Size}
	}
	remap, unique, err := optimize.Weld(ctx, g.vertices(), streams...)
	if err != nil {
		return err
	}
	return g.renumberVertices(ctx, remap, unique)
}

// renumberVertices moves vertex i to index remap[i]. n is the new number of vertices.
func (g *geometry) renumberVertices(ctx context.Context, remap []uint32, n int) error {
	for i := range g.streams {
		moved, err := g.streams[i].data.Move(ctx, remap, n)
		if err != nil {
			return err
		}
		g.streams[i].data = moved
	}
	for _, indices := range append([][]uint32{g.indices}, lodIndices(g.lods)...) {
		for i, v := range indices {
			indices[i] = remap[v]
		}
	}
	return nil
}

// loadGeometry reads a primitive. It keeps only vertices in use, in the order of their first use.
func loadGeometry(ctx context.Context, doc *gltf.Document, picker *gltf.Picker, p *gltf.Primitive) (*geometry, error) {
	g := &geometry{mode: min(p.Topology(), triangles), targets: len(p.Targets), indexAccessor: made}
	corners := int(doc.Accessors[p.Attributes["POSITION"]].Count)
	g.stats.sourceVertices = corners
	if p.Indices != nil {
		a := &doc.Accessors[*p.Indices]
		if a.BufferView == nil || a.Sparse != nil {
			return nil, errors.New("indices are sparse or have no bufferView; export the model again")
		}
		g.indexAccessor, corners = *p.Indices, int(a.Count)
	}
	picked, err := picker.Pick(ctx, p, corners)
	defer picker.Forget(picked)
	if err != nil {
		return nil, err
	}
	if p.Indices != nil || g.mode == triangles {
		g.indices = picked.Indices
	}
	for target, attributes := range p.AttributeSets() {
		for _, name := range slices.Sorted(maps.Keys(attributes)) {
			s := stream{name: name, target: target - 1, accessor: attributes[name], use: gltf.VertexData}
			if s.data, err = picker.Gather(ctx, picked, s.accessor); err == nil {
				if err = s.data.Finite(ctx, "vertex"); err != nil {
					err = fmt.Errorf("%.40s: %w", name, err)
				}
			}
			if err != nil && s.target != base {
				err = fmt.Errorf("target %d: %w", s.target, err)
			}
			if err != nil {
				return nil, err
			}
			g.streams = append(g.streams, s)
		}
	}
	return g, nil
}

// dropDegenerate removes triangles with two equal corners. If all triangles are degenerate, it
// removes none.
func (g *geometry) dropDegenerate() {
	kept := make([]uint32, 0, len(g.indices))
	for i := 0; i+2 < len(g.indices); i += 3 {
		a, b, c := g.indices[i], g.indices[i+1], g.indices[i+2]
		if a != b && b != c && c != a {
			kept = append(kept, a, b, c)
		}
	}
	if len(kept) > 0 {
		g.indices = kept
	}
}

// finishGeometry welds the packed vertices of a geometry, makes its levels of detail, and
// optimizes the order of triangles and vertices.
func (o *meshOptions) finishGeometry(ctx context.Context, g *geometry, grid *quantize.Grid) error {
	if g.mode != triangles {
		return nil
	}
	if err := g.weld(ctx); err != nil {
		return err
	}
	g.dropDegenerate()
	positions := g.findStream("POSITION").data.Floats()
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
	if !g.keepOrder {
		if err := o.orderGeometry(ctx, g, positions); err != nil {
			return err
		}
	}
	remap, used, err := optimize.FetchOrder(ctx, g.indices, g.vertices())
	if err != nil {
		return err
	}
	return g.renumberVertices(ctx, remap, used)
}

// orderGeometry orders the triangles of a geometry and of its levels of detail. With compression,
// it chooses the order that takes the fewest bytes.
func (o *meshOptions) orderGeometry(ctx context.Context, g *geometry, positions []float32) error {
	sorts := []triangleSort{optimize.VertexCache}
	if o.compresses() {
		sorts = append(sorts, optimize.Strips)
	}
	least, indices := -1, g.indices
	var chosen triangleSort
	var overdraw bool
	for _, sort := range sorts {
		orders, err := o.orderTriangles(ctx, indices, positions, sort)
		if err != nil {
			return err
		}
		for i, order := range orders {
			size := 0
			if o.compresses() {
				if size, err = g.packedSize(ctx, o.compression(), order); err != nil {
					return err
				}
			}
			if least < 0 || size < least {
				least, chosen, overdraw, g.indices = size, sort, i == 0, order
			}
		}
	}
	for i := range g.lods {
		orders, err := o.orderTriangles(ctx, g.lods[i].indices, positions, chosen)
		if err != nil {
			return err
		}
		g.lods[i].indices = orders[0]
		if !overdraw {
			g.lods[i].indices = orders[1]
		}
	}
	return nil
}

// A triangleSort returns the indices of triangles in another order.
type triangleSort func(ctx context.Context, indices []uint32, vertices int) ([]uint32, error)

// orderTriangles returns the triangles in one or several good orders. If the options reduce
// overdraw, the first order has less overdraw. With compression, the plain order follows.
func (o *meshOptions) orderTriangles(ctx context.Context, indices []uint32, positions []float32, sort triangleSort) ([][]uint32, error) {
	sorted, err := sort(ctx, indices, len(positions)/3)
	if err != nil || o.Overdraw <= 1 {
		return [][]uint32{sorted}, err
	}
	first, err := optimize.Overdraw(ctx, sorted, positions, float32(o.Overdraw))
	if !o.compresses() {
		return [][]uint32{first}, err
	}
	return [][]uint32{first, sorted}, err
}

// packedSize returns the size of a geometry if its triangles have the given order and if the given
// extension compresses it.
func (g *geometry) packedSize(ctx context.Context, extension string, indices []uint32) (int, error) {
	remap, used, err := optimize.FetchOrder(ctx, indices, g.vertices())
	if err != nil {
		return 0, err
	}
	size := 0
	for i := range g.streams {
		moved, err := g.streams[i].data.Move(ctx, remap, used)
		if err != nil {
			return 0, err
		}
		n, err := gltf.PackedSize(ctx, extension, g.streams[i].use, moved)
		if err != nil {
			return 0, err
		}
		size += n
	}
	renumbered := make([]uint32, len(indices))
	for i, v := range indices {
		renumbered[i] = remap[v]
	}
	n, err := gltf.PackedSize(ctx, extension, gltf.TriangleIndices, gltf.IndexArray(renumbered, used))
	return size + n, err
}

// packAttributes stores the attributes of a geometry in fewer bits. Positions are stored on the
// grid if the geometry has one. Attributes that are not floats stay unchanged, because the exporter
// has already packed them.
func (o *meshOptions) packAttributes(ctx context.Context, g *geometry, grid *quantize.Grid) error {
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
		case (kind == "NORMAL" || kind == "TANGENT") && o.NormalBits > 0 && s.target == base && o.compresses():
			s.use = gltf.Directions
			s.data, err = quantize.Octahedral(ctx, s.data, o.NormalBits)
		case (kind == "NORMAL" || kind == "TANGENT") && o.NormalBits > 0:
			s.data, err = quantize.Directions(ctx, s.data, o.NormalBits, s.target != base)
		case kind == "TEXCOORD" && s.target == base && o.UVBits > 0:
			err = o.packCoordinates(ctx, s)
		case kind == "COLOR" && s.target == base && o.ColorBits > 0:
			s.data, err = quantize.Fractions(ctx, s.data, o.ColorBits)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// packCoordinates stores texture coordinates as fractions of 16 bits. With compression, coordinates
// of fewer bits and coordinates outside of 0 to 1 become rounded floats.
func (o *meshOptions) packCoordinates(ctx context.Context, s *stream) (err error) {
	if o.UVBits == 16 || !o.compresses() {
		if s.data, err = quantize.Fractions(ctx, s.data, 16); err != nil || s.data.Component != gltf.Float32 {
			return err
		}
	}
	if o.compresses() {
		s.use = gltf.Coordinates
		s.data, err = quantize.Steps(ctx, s.data, -o.UVBits)
	}
	return err
}

// packWeights stores the joint weights of each vertex as fractions whose sum is 1. It stores joint
// indices as bytes if they fit. Joints with weight zero become joint 0.
func (o *meshOptions) packWeights(ctx context.Context, g *geometry) error {
	sets := g.influences()
	if o.WeightBits == 0 || len(sets) == 0 {
		return nil
	}
	weights := make([]gltf.Array, len(sets))
	for i, s := range sets {
		if weights[i] = s.weights.data; weights[i].Component != gltf.Float32 {
			return nil // the weights are already packed in the source
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

// A lod is a level of detail: fewer triangles over the same vertices.
type lod struct {
	indices []uint32
	err     float64 // surface deviation in mesh units
}

func lodIndices(lods []lod) [][]uint32 {
	lists := make([][]uint32, len(lods))
	for i := range lods {
		lists[i] = lods[i].indices
	}
	return lists
}

// makeLODs makes levels of detail with decreasing triangle counts. Each level is made from the full
// mesh, so its error is measured against the full mesh. makeLODs stops when a level keeps more than
// nine tenths of the triangles of the previous level.
func (o *meshOptions) makeLODs(ctx context.Context, g *geometry, positions []float32) error {
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

// looksAlike returns the attributes that simplification preserves in addition to the shape.
func (g *geometry) looksAlike() []simplify.Attribute {
	var list []simplify.Attribute
	for _, a := range []struct {
		name   string
		weight float32
	}{{"NORMAL", 0.5}, {"TEXCOORD_0", 0.5}, {"COLOR_0", 0.5}} {
		if s := g.findStream(a.name); s != nil {
			list = append(list, simplify.Attribute{Values: s.data.Floats(), Width: s.data.Width, Weight: a.weight})
		}
	}
	return list
}
