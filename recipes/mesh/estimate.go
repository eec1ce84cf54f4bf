package mesh

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/mesh/gltf"
	"github.com/assetcook/assetcook/internal/mesh/obj"
)

// estimateMemory implements Traits.Estimate. It needs the complete text of a glTF document, which
// states the sizes of other files. For an OBJ model, it needs the complete file.
func (o *meshOptions) estimateMemory(head []byte, size int64) (int64, error) {
	switch start := bytes.TrimLeft(head, " \t\r\n"); {
	case gltf.IsGLB(head):
		n, err := gltf.TextSize(head, size)
		if err != nil {
			return 0, err
		}
		if gltf.HeaderSize+n > int64(len(head)) {
			return 0, recipe.ErrShortHead
		}
		var chunk []byte
		if o.Embedded != "keep" {
			if int64(len(head)) < size {
				return 0, recipe.ErrShortHead // the estimate needs the sizes of images
			}
			chunk = head[min(gltf.HeaderSize+n+8, size):]
		}
		return o.estimateDocument(head[gltf.HeaderSize:][:n], max(size-gltf.HeaderSize-n-8, 0), size, chunk)
	case int64(len(head)) < size:
		return 0, recipe.ErrShortHead
	case len(start) > 0 && start[0] == '{':
		return o.estimateDocument(head, gltf.NoChunk, size, nil)
	}
	// An OBJ file becomes a buffer, which is cooked with one vertex per corner. need is the size of
	// the buffer in bytes.
	need, corners := obj.Measure(head)
	return need + maxLibrary + 2*52*corners + o.geometryMemory(load{vertices: corners, corners: corners}), nil
}

// hopeless is more memory than any machine has, in bytes.
const hopeless = 1 << 40

// estimateDocument returns the peak memory for a document in a file of size bytes with a binary
// chunk of chunk bytes. pictures is the chunk's content if embedded images are cooked.
func (o *meshOptions) estimateDocument(text []byte, chunk, size int64, pictures []byte) (int64, error) {
	doc, err := gltf.Parse(text)
	if err != nil {
		return 0, err
	}
	// The sizes of external files are not checked here.
	any := func(string) (int64, error) { return math.MaxInt64, nil }
	if err := doc.Check(context.Background(), chunk, any); err != nil {
		return 0, err
	}
	need := float64(size) + float64(gltf.Memory(int64(len(text)))) + float64(textCost*float64(len(text)))
	if o.Prune {
		need += float64(gltf.Memory(int64(len(text)))) // prune parses the text again
	}
	need += float64(doc.UnpackedSize())
	cost, err := o.picturesCost(doc, pictures)
	if err != nil {
		return 0, err
	}
	need += float64(cost)
	for i := range doc.Buffers {
		if doc.Buffers[i].URI != nil {
			need += float64(doc.Buffers[i].ByteLength)
		}
	}
	var largest load
	var bytes float64
	more, err := o.objectsMemory(doc, text)
	if err != nil {
		return 0, err
	}
	need += more
	mapped := variantMaps(doc, text)
	seen := map[string]bool{}
	drawn := make([]bool, len(doc.Accessors))
	for i := range doc.Meshes {
		for j := range doc.Meshes[i].Primitives {
			p := &doc.Meshes[i].Primitives[j]
			key := geometryKey(p, 0, look{}, false)
			if seen[key] {
				continue
			}
			seen[key] = true
			l := o.loadOf(doc, p, mapped, drawn)
			bytes += float64(l.bytes)
			largest = o.largerLoad(largest, l)
		}
	}
	// Vertices count twice, because they are in memory as read and as written. Copied data counts
	// once.
	need += float64(o.geometryMemory(largest)) + 2*bytes + copiedBytes(doc, drawn)
	if o.AnimationError > 0 {
		need += float64(keyframeCost * keyframesOf(doc))
	}
	if o.Join {
		need += bytes // both the joined and the separate vertices are in memory
	}
	if o.compresses() {
		need += bytes + copiedBytes(doc, drawn)             // both the packed and the unpacked data are in memory
		need += float64(largest.bytes + 12*largest.corners) // several orders of vertices and indices are in memory
	}
	if need > hopeless {
		return 0, fmt.Errorf("the model would need %.3g bytes of memory, because its accessors overlap or are damaged; export it again", need)
	}
	return int64(need), nil
}

// textCost is the memory per byte of the document's text. It is for parsed objects and for the
// written text.
const textCost = 14

// A node that moves its mesh to a child takes about nodeCost bytes besides its text. Each level of
// detail takes as much again. A primitive takes primitiveCost bytes for the description of its
// geometry.
const (
	nodeCost      = 650
	primitiveCost = 2 << 10
)

// objectsMemory returns the memory for nodes and meshes, without vertices and triangles.
func (o *meshOptions) objectsMemory(doc *gltf.Document, text []byte) (float64, error) {
	levels := make([]int, len(doc.Meshes)) // the maximum number of levels of detail of each mesh
	need := float64(0)
	for i := range doc.Meshes {
		need += float64(primitiveCost * len(doc.Meshes[i].Primitives))
		for j := range doc.Meshes[i].Primitives {
			if p := &doc.Meshes[i].Primitives[j]; len(p.Targets) == 0 && p.Topology() >= triangles {
				levels[i] = o.LODs
			}
		}
	}
	for i := range doc.Nodes {
		if mesh := doc.Nodes[i].Mesh; mesh != nil {
			need += float64(nodeCost * (1 + levels[*mesh]))
		}
	}
	if o.LODs == 0 {
		return need, nil
	}
	root, err := gltf.ParseObject(text)
	if err != nil {
		return 0, err
	}
	meshes, err := root.List("meshes")
	if err != nil {
		return 0, fmt.Errorf("meshes: %w", err)
	}
	for i, mesh := range meshes {
		need += float64(textCost * levels[i] * len(mesh))
	}
	return need, nil
}

// variantMaps reports whether material variants of a primitive may have normal maps.
func variantMaps(doc *gltf.Document, text []byte) bool {
	hasMap := func(m gltf.Material) bool { return m.Normal != nil }
	return bytes.Contains(text, []byte(extVariants)) && slices.ContainsFunc(doc.Materials, hasMap)
}

// A load is the size of a geometry.
type load struct{ vertices, corners, bytes int64 }

// largerLoad returns the larger of two loads, or their sum if they may become one geometry.
func (o *meshOptions) largerLoad(a, b load) load {
	switch {
	case o.Join:
		return load{a.vertices + b.vertices, a.corners + b.corners, a.bytes + b.bytes}
	case b.corners > a.corners:
		return b
	}
	return a
}

// loadOf returns the largest size that a primitive may reach. Bounds guard against wrong counts in
// the document. mapped reports whether variants may have normal maps. loadOf marks the accessors of
// the primitive in drawn.
func (o *meshOptions) loadOf(doc *gltf.Document, p *gltf.Primitive, mapped bool, drawn []bool) load {
	if !hasVertices(doc, p) {
		return load{}
	}
	const most = 1 << 44
	count := min(doc.Accessors[p.Attributes["POSITION"]].Count, most)
	l := load{vertices: count, corners: count}
	if p.Indices != nil {
		drawn[*p.Indices] = true
		l.corners = min(doc.Accessors[*p.Indices].Count, most)
		l.vertices = min(count, l.corners)
	}
	if p.Topology() > triangles {
		l.corners *= 3
	}
	size := int64(0)
	for _, attributes := range p.AttributeSets() {
		for _, a := range attributes {
			drawn[a] = true
			size += int64(gltf.ElementSize(doc.Accessors[a].ComponentType, doc.Accessors[a].Type))
		}
	}
	if o.unrolls(doc, p, mapped) {
		size += 12 + 16
		l.vertices = l.corners
	}
	// Accessors of zeros take no bytes in the file, so its size does not limit their total size.
	if float64(size)*float64(l.vertices) > most {
		l.bytes = most
	} else {
		l.bytes = size*l.vertices + 4*l.corners
	}
	return l
}

// unrolls reports whether normals or tangents may be made. Making them gives each corner its own
// vertex.
func (o *meshOptions) unrolls(doc *gltf.Document, p *gltf.Primitive, mapped bool) bool {
	_, normals := p.Attributes["NORMAL"]
	_, tangents := p.Attributes["TANGENT"]
	return !normals && o.Normals != "none" ||
		o.Tangents && !tangents && (mapped || p.Material != nil && doc.Materials[*p.Material].Normal != nil)
}

// geometryMemory returns the measured working memory of the steps for one geometry, by its corners
// and vertices. It excludes the vertices before and after the steps.
func (o *meshOptions) geometryMemory(l load) int64 {
	perCorner := int64(12)
	if l.vertices == l.corners {
		perCorner = 48
	}
	if o.LODs > 0 {
		perCorner = 180
	}
	return perCorner*l.corners + 60*l.vertices
}

// keyframeCost is the memory for reducing an animation, per byte of its values and times. The four
// equal parts are floats, rounded values, indexes of kept keyframes, and written keyframes.
const keyframeCost = 4

// keyframesOf returns the total size of the accessors of animations, in bytes. An accessor counts
// once for each sampler.
func keyframesOf(doc *gltf.Document) float64 {
	sum := float64(0)
	for i := range doc.Animations {
		for _, s := range doc.Animations[i].Samplers {
			for _, accessor := range []int32{*s.Input, *s.Output} {
				if a := &doc.Accessors[accessor]; a.BufferView != nil {
					sum += float64(float64(a.Count) * float64(gltf.ElementSize(a.ComponentType, a.Type)))
				}
			}
		}
	}
	return sum
}

// copiedBytes returns the total size of copied data in bytes: images, and accessors that no
// primitive draws.
func copiedBytes(doc *gltf.Document, drawn []bool) float64 {
	sum := float64(0)
	for i := range doc.Accessors {
		a := &doc.Accessors[i]
		if a.BufferView != nil && !drawn[i] {
			sum += float64(float64(a.Count) * float64(gltf.ElementSize(a.ComponentType, a.Type)))
		}
	}
	for i := range doc.Images {
		if v := doc.Images[i].BufferView; v != nil {
			sum += float64(doc.BufferViews[*v].ByteLength)
		}
	}
	return sum
}

// explainResult implements Traits.Explain.
func (o *meshOptions) explainResult(ctx context.Context, job *recipe.Job) ([]string, error) {
	doc, gone, err := o.readModel(ctx, job)
	if err != nil {
		return nil, err
	}
	c, err := o.cookModel(ctx, job, doc, true)
	if err != nil {
		return nil, err
	}
	c.repairs.warnOfRepairs(job)
	lines := c.explainLines()
	for _, n := range c.joined {
		lines = append(lines, fmt.Sprintf("the meshes of %d nodes become one mesh", n))
	}
	repeated, err := c.findRepeatedMeshes()
	if err != nil {
		return nil, err
	}
	for _, r := range repeated {
		lines = append(lines, fmt.Sprintf("mesh %d: %d nodes become one instanced node", *c.doc.Nodes[r.nodes[0]].Mesh, len(r.nodes)))
	}
	if gone.Any() {
		lines = append([]string{"prune removes " + gone.String()}, lines...)
	}
	return lines, nil
}

// stats describes how the geometry changed.
type stats struct {
	sourceVertices int      // number of vertices in the source
	normals        string   // method of making normals; "" if they were not made
	tangents       bool     // whether tangents have been made
	unused         []string // names of the removed attributes
	before, after  float64  // average cache misses per triangle (ACMR) before and after; 0 if not measured
}

// maxLines limits the lines that Explain returns for one model.
const maxLines = 100

func (c *cooking) explainLines() []string {
	var lines []string
	told := map[*geometry]bool{}
	left := 0
	for i := range c.meshes {
		for j, g := range c.shows[i] {
			switch {
			case g != nil && told[g]:
			case len(lines) == maxLines:
				left++
			default:
				lines = append(lines, fmt.Sprintf("mesh %d primitive %d: ", i, j)+c.describePrimitive(g))
				told[g] = g != nil
			}
		}
	}
	for i, k := range c.clips {
		kept, were := 0, 0
		for _, m := range k.motions {
			if m != nil {
				kept, were = kept+len(m.keep), were+len(m.source.Times)
			}
		}
		switch {
		case were == 0:
		case len(lines) == maxLines:
			left++
		default:
			lines = append(lines, fmt.Sprintf("animation %d: %d keyframes, %d before", i, kept, were))
		}
	}
	if left > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", left))
	}
	return lines
}

// describePrimitive describes the cooked primitive in one line.
func (c *cooking) describePrimitive(g *geometry) string {
	if g == nil {
		return "unchanged: the vertices are not in the file, or an extension may refer to them by number"
	}
	s := &g.stats
	line := fmt.Sprintf("%d vertices, %d before", g.vertices(), s.sourceVertices)
	if g.mode == triangles {
		line += fmt.Sprintf("; %d triangles, vertex cache misses per triangle (ACMR) %.3f, %.3f before", len(g.indices)/3, s.after, s.before)
	}
	if s.normals != "" {
		line += "; " + s.normals + " normals made"
	}
	if s.tangents {
		line += "; tangents added"
	}
	if len(s.unused) > 0 {
		line += "; unused, removed: " + strings.Join(s.unused, ", ")
	}
	if g.keepOrder && g.mode == triangles {
		line += "; triangles keep their order, because the material is blended"
	}
	if grid := c.groups.grids[g.group]; grid != nil {
		line += fmt.Sprintf("; largest error of positions %.3g", grid.Error())
	}
	for i, l := range g.lods {
		line += fmt.Sprintf("; lod %d: %d triangles, error %.3g", i+1, len(l.indices)/3, l.err)
	}
	return line
}
