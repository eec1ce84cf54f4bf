package mesh

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/assetcook/assetcook/internal/mesh/gltf"
	"github.com/assetcook/assetcook/internal/mesh/optimize"
)

// triangles is the mode of primitives of triangles: below are points and lines, above
// strips and fans.
const triangles = gltf.Triangles

// A stream is one attribute of all vertices of a geometry.
type stream struct {
	name     string // "POSITION" ...
	target   int    // the morph target that it belongs to, base for none
	accessor int32  // the source's, made for none
	data     gltf.Array
	octa     bool // directions that octahedral coordinates give exactly
}

const (
	base = -1 // no morph target
	made = -1 // no accessor of the source
)

// A geometry is the vertices and triangles, lines or points of one primitive, or of
// several that show the same.
type geometry struct {
	mode    int // triangles also for strips and fans
	streams []stream
	targets int
	// indices are nil for points and lines that had none.
	indices       []uint32
	indexAccessor int32 // the source's, made for none
	group         int   // of the grid that positions are on
	keepOrder     bool  // of triangles, because they blend
	lockBorder    bool  // because other primitives of the mesh join there
	lods          []lod
	stats         stats
}

// vertices returns how many there are.
func (g *geometry) vertices() int {
	if len(g.streams) == 0 {
		return 0
	}
	return g.streams[0].data.Count
}

// stream returns an attribute of the vertices themselves, nil if there is none.
func (g *geometry) stream(name string) *stream {
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
	return g.renumber(ctx, remap, unique)
}

// renumber gives vertex i the number remap[i] of n.
func (g *geometry) renumber(ctx context.Context, remap []uint32, n int) error {
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
			return nil, errors.New("indices have no bufferView, or replace some of them by a list of its own")
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
