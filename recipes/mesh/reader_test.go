package mesh

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"math"
	"path"
	"reflect"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/qmuntal/gltf"
	"github.com/qmuntal/gltf/modeler"
)

// The functions in this file show a model with the help of an independent library.

// A dot is a corner of a triangle in world coordinates: x, y, z, its normal, its texture
// coordinates, its color. Missing values are zero.
type dot [12]float64

type shown [3]dot

const extMeshopt = "_meshopt_compression" // the end of the names of both extensions

// decodeWith reads a compressed model. It first cooks the model without compression, because the
// library cannot unpack it.
func decodeWith(t testing.TB, file []byte, change func(*meshOptions)) *gltf.Document {
	t.Helper()
	if bytes.Contains(file, []byte(extMeshopt)) {
		file = cook(t, options(change), fstest.MapFS{"a.glb": {Data: file}}, "a.glb")
	}
	return decode(t, file, nil)
}

func decode(t testing.TB, file []byte, tree fs.FS) *gltf.Document {
	t.Helper()
	if bytes.Contains(file, []byte(extMeshopt)) {
		return decodeWith(t, file, ways["floats"])
	}
	doc := new(gltf.Document)
	if err := gltf.NewDecoderFS(bytes.NewReader(file), tree).Decode(doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

// decodeFile reads a model of a tree.
func decodeFile(t testing.TB, tree fs.FS, name string) *gltf.Document {
	t.Helper()
	file, err := fs.ReadFile(tree, name)
	if err != nil {
		t.Fatal(err)
	}
	sub, err := fs.Sub(tree, path.Dir(name))
	if err != nil {
		t.Fatal(err)
	}
	return decode(t, file, sub)
}

// elements returns the elements of an accessor. Normalized integers become the fractions that they
// represent.
func elements(t testing.TB, doc *gltf.Document, index int) [][]float64 {
	t.Helper()
	a := doc.Accessors[index]
	data, err := modeler.ReadAccessor(doc, a, nil)
	if err != nil {
		t.Fatalf("accessor %d: %v", index, err)
	}
	scale := 1.
	if a.Normalized {
		scale = map[gltf.ComponentType]float64{
			gltf.ComponentByte: 127, gltf.ComponentUbyte: 255, gltf.ComponentShort: 32767, gltf.ComponentUshort: 65535,
		}[a.ComponentType]
	}
	var flat func(v reflect.Value, to []float64) []float64
	flat = func(v reflect.Value, to []float64) []float64 {
		switch {
		case v.Kind() == reflect.Array:
			for i := range v.Len() {
				to = flat(v.Index(i), to)
			}
			return to
		case v.CanFloat():
			return append(to, v.Float()/scale)
		case v.CanInt():
			x := float64(v.Int()) / scale
			if a.Normalized {
				x = max(x, -1)
			}
			return append(to, x)
		}
		return append(to, float64(v.Uint())/scale)
	}
	list := reflect.ValueOf(data)
	rows := make([][]float64, list.Len())
	for i := range rows {
		rows[i] = flat(list.Index(i), nil)
		if a.Type == gltf.AccessorMat4 { // the library has rows, while the file has columns
			m := slices.Clone(rows[i])
			for k := range m {
				rows[i][k] = m[k%4*4+k/4]
			}
		}
	}
	return rows
}

type matrix [16]float64 // a matrix of 4 by 4 numbers, column by column

func (m matrix) times(n matrix) (p matrix) {
	for c := range 4 {
		for r := range 4 {
			for k := range 4 {
				p[4*c+r] += m[4*k+r] * n[4*c+k]
			}
		}
	}
	return p
}

func (m matrix) apply(v []float64, w float64) (p [3]float64) {
	for r := range 3 {
		p[r] = m[r]*v[0] + m[4+r]*v[1] + m[8+r]*v[2] + m[12+r]*w
	}
	return p
}

// turnNormal applies the inverse transpose of the linear part, apart from a positive factor.
func (m matrix) turnNormal(v []float64) (n [3]float64) {
	minor := func(r, c int) float64 {
		a, b, d, e := (r+1)%3, (r+2)%3, (c+1)%3, (c+2)%3
		return m[4*d+a]*m[4*e+b] - m[4*e+a]*m[4*d+b]
	}
	determinant := 0.
	for c := range 3 {
		determinant += m[4*c] * minor(0, c)
	}
	for r := range 3 {
		for c := range 3 {
			n[r] += minor(r, c) * v[c]
		}
		n[r] = math.Copysign(1, determinant) * n[r]
	}
	return n
}

func local(n *gltf.Node) matrix {
	if n.Matrix != gltf.DefaultMatrix && n.Matrix != [16]float64{} {
		return n.Matrix
	}
	q, s, t := n.RotationOrDefault(), n.ScaleOrDefault(), n.Translation
	x, y, z, w := q[0], q[1], q[2], q[3]
	return matrix{
		(1 - 2*(y*y+z*z)) * s[0], 2 * (x*y + z*w) * s[0], 2 * (x*z - y*w) * s[0], 0,
		2 * (x*y - z*w) * s[1], (1 - 2*(x*x+z*z)) * s[1], 2 * (y*z + x*w) * s[1], 0,
		2 * (x*z + y*w) * s[2], 2 * (y*z - x*w) * s[2], (1 - 2*(x*x+y*y)) * s[2], 0,
		t[0], t[1], t[2], 1,
	}
}

// show returns the triangles of a document's scenes. Morph targets have the weights of their nodes.
func show(t testing.TB, doc *gltf.Document) []shown {
	t.Helper()
	world := make([]matrix, len(doc.Nodes))
	var order []int
	var walk func(n int, above matrix)
	walk = func(n int, above matrix) {
		world[n] = above.times(local(doc.Nodes[n]))
		order = append(order, n)
		for _, c := range doc.Nodes[n].Children {
			walk(c, world[n])
		}
	}
	for _, s := range doc.Scenes {
		for _, n := range s.Nodes {
			walk(n, matrix{0: 1, 5: 1, 10: 1, 15: 1})
		}
	}
	var list []shown
	for _, i := range order {
		n := doc.Nodes[i]
		if n.Mesh == nil {
			continue
		}
		for _, at := range instances(t, doc, n) {
			for _, p := range doc.Meshes[*n.Mesh].Primitives {
				list = append(list, showPrimitive(t, doc, n, p, world, world[i].times(at))...)
			}
		}
	}
	return list
}

// instances returns the transforms of a node's instances. A node that is not instanced has one.
func instances(t testing.TB, doc *gltf.Document, n *gltf.Node) []matrix {
	t.Helper()
	raw, ok := n.Extensions[extInstancing].(json.RawMessage)
	if !ok {
		return []matrix{{0: 1, 5: 1, 10: 1, 15: 1}}
	}
	var e struct{ Attributes map[string]int }
	if err := json.Unmarshal(raw, &e); err != nil {
		t.Fatal(err)
	}
	var nodes []gltf.Node
	for name, accessor := range e.Attributes {
		for i, row := range elements(t, doc, accessor) {
			if i == len(nodes) {
				nodes = append(nodes, gltf.Node{Rotation: gltf.DefaultRotation, Scale: gltf.DefaultScale})
			}
			switch name {
			case "TRANSLATION":
				nodes[i].Translation = [3]float64(row)
			case "ROTATION":
				nodes[i].Rotation = [4]float64(row)
			case "SCALE":
				nodes[i].Scale = [3]float64(row)
			}
		}
	}
	var list []matrix
	for i := range nodes {
		list = append(list, local(&nodes[i]))
	}
	return list
}

func showPrimitive(t testing.TB, doc *gltf.Document, n *gltf.Node, p *gltf.Primitive, world []matrix, at matrix) []shown {
	t.Helper()
	attribute := func(name string) [][]float64 {
		a, ok := p.Attributes[name]
		if !ok {
			return nil
		}
		return elements(t, doc, a)
	}
	positions, normals := attribute("POSITION"), attribute("NORMAL")
	for i, target := range p.Targets {
		if i < len(n.Weights) {
			add(positions, n.Weights[i], target, "POSITION", t, doc)
			add(normals, n.Weights[i], target, "NORMAL", t, doc)
		}
	}
	uvs, colors := attribute("TEXCOORD_0"), attribute("COLOR_0")
	joints, weights := attribute("JOINTS_0"), attribute("WEIGHTS_0")
	dots := make([]dot, len(positions))
	for i, v := range positions {
		m := at
		if n.Skin != nil {
			m = skinMatrix(t, doc, doc.Skins[*n.Skin], joints[i], weights[i], world)
		}
		place := m.apply(v, 1)
		copy(dots[i][0:], place[:])
		if normals != nil {
			direction := m.turnNormal(normals[i])
			length := math.Sqrt(direction[0]*direction[0] + direction[1]*direction[1] + direction[2]*direction[2])
			for k := range direction {
				dots[i][3+k] = direction[k] / length
			}
		}
		if uvs != nil {
			copy(dots[i][6:], uvs[i])
		}
		if colors != nil {
			copy(dots[i][8:], colors[i])
		}
	}
	var corners []int
	if p.Indices != nil {
		for _, row := range elements(t, doc, *p.Indices) {
			corners = append(corners, int(row[0]))
		}
	} else {
		for i := range dots {
			corners = append(corners, i)
		}
	}
	var list []shown
	for i := 0; i+2 < len(corners); i++ {
		a, b, c := i, i+1, i+2
		switch p.Mode {
		case gltf.PrimitiveTriangles:
			if i%3 != 0 {
				continue
			}
		case gltf.PrimitiveTriangleStrip:
			if i%2 == 1 {
				a, b = b, a
			}
		case gltf.PrimitiveTriangleFan:
			a, b, c = 0, i+1, i+2
		default:
			return list
		}
		list = append(list, shown{dots[corners[a]], dots[corners[b]], dots[corners[c]]})
	}
	return list
}

func add(to [][]float64, weight float64, target gltf.PrimitiveAttributes, name string, t testing.TB, doc *gltf.Document) {
	a, ok := target[name]
	if !ok {
		return
	}
	for i, row := range elements(t, doc, a) {
		for k := range row {
			to[i][k] += weight * row[k]
		}
	}
}

func skinMatrix(t testing.TB, doc *gltf.Document, s *gltf.Skin, joints, weights []float64, world []matrix) (sum matrix) {
	var inverse [][]float64
	if s.InverseBindMatrices != nil {
		inverse = elements(t, doc, *s.InverseBindMatrices)
	}
	for k, w := range weights {
		j := int(joints[k])
		m := world[s.Joints[j]]
		if inverse != nil {
			m = m.times(matrix(inverse[j]))
		}
		for i := range sum {
			sum[i] += w * m[i]
		}
	}
	return sum
}

// hasArea reports whether the corners of a triangle are at three different positions.
func (s shown) hasArea() bool {
	place := func(i int) [3]float64 { return [3]float64(s[i][:3]) }
	return place(0) != place(1) && place(1) != place(2) && place(2) != place(0)
}

// sameTriangles checks that two lists have the same triangles with the same winding. Each number
// may differ by its tolerance.
func sameTriangles(t testing.TB, want, have []shown, tolerance dot) {
	t.Helper()
	want = slices.DeleteFunc(slices.Clone(want), func(s shown) bool { return !s.hasArea() })
	have = slices.DeleteFunc(slices.Clone(have), func(s shown) bool { return !s.hasArea() })
	if len(want) != len(have) || len(want) == 0 {
		t.Errorf("%d triangles, want %d", len(have), len(want))
		return
	}
	used := make([]bool, len(have))
	missing := 0
	for _, w := range want {
		found := false
		for i := 0; i < len(have) && !found; i++ {
			if !used[i] && matches(w, have[i], tolerance) {
				used[i], found = true, true
			}
		}
		if !found {
			missing++
		}
	}
	if missing > 0 {
		t.Errorf("%d of %d triangles are missing", missing, len(want))
	}
}

func matches(a, b shown, tolerance dot) bool {
	for turn := range 3 {
		ok := true
		for i := 0; i < 3 && ok; i++ {
			for k := range a[i] {
				if !(math.Abs(a[i][k]-b[(i+turn)%3][k]) <= tolerance[k]) && !(math.IsNaN(a[i][k]) && math.IsNaN(b[(i+turn)%3][k])) {
					ok = false
					break
				}
			}
		}
		if ok {
			return true
		}
	}
	return false
}
