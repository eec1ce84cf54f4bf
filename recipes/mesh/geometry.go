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

// triangles is the mode of primitives of triangles: below are points and lines, above
// strips and fans.
const triangles = gltf.Triangles

// A stream is one attribute of all vertices of a geometry.
type stream struct {
	name     string // "POSITION" ...
	target   int    // number of the morph target, base for none
	accessor int32  // source accessor, made for none
	data     gltf.Array
	octa     bool // data are directions in octahedral coordinates
}

const (
	base = -1 // no morph target
	made = -1 // no accessor of the source
)

// A geometry is the vertices and triangles, lines or points of one primitive or of several equal
// ones.
type geometry struct {
	mode    int // points, lines or triangles; strips and fans are triangles
	streams []stream
	targets int
	// indices are nil for points and lines without indices.
	indices       []uint32
	indexAccessor int32 // source accessor of the indices, made for none
	group         int   // group of meshes with one grid
	keepOrder     bool  // triangles blend, so their order shows
	lockBorder    bool  // other primitives of the mesh join at open edges
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

// findStream returns an attribute of the vertices themselves, nil if there is none.
func (g *geometry) findStream(name string) *stream {
	for i := range g.streams {
		if s := &g.streams[i]; s.name == name && s.target == base {
			return s
		}
	}
	return nil
}

// unroll gives each corner a vertex of its own.
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

// weld makes one of vertices that are equal in all streams.
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

// renumberVertices gives vertex i the number remap[i]; n vertices are left.
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

// loadGeometry reads a primitive: the vertices in use, in the order of their first use.
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
			s := stream{name: name, target: target - 1, accessor: attributes[name]}
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

// dropDegenerate removes triangles with two equal corners, unless all triangles are such.
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
	return g.renumberVertices(ctx, remap, used)
}

func (o *Mesh) orderTriangles(ctx context.Context, indices []uint32, positions []float32) ([]uint32, error) {
	indices, err := optimize.VertexCache(ctx, indices, len(positions)/3)
	if err != nil || o.Overdraw <= 1 {
		return indices, err
	}
	return optimize.Overdraw(ctx, indices, positions, float32(o.Overdraw))
}

// packAttributes stores the attributes of a geometry in fewer bits, positions on the grid if there is
// one. Attributes that are not floats stay as their maker packed them.
func (o *Mesh) packAttributes(ctx context.Context, g *geometry, grid *quantize.Grid) error {
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

// makeLODs makes levels of detail with fewer and fewer triangles. Each level is made from the full
// mesh, so its error is measured against the full mesh. It stops at a level that has more than nine
// tenths of the triangles of the level before.
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

// looksAlike returns the attributes that simplification preserves besides the shape.
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
