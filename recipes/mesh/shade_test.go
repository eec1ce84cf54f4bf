package mesh

import (
	"bytes"
	"fmt"
	"math"
	"testing"
	"testing/fstest"

	"github.com/qmuntal/gltf"
)

// roof returns a model of two squares that share an edge. The second square rises. Texture
// coordinates come from a view from above, and are mirrored on the second square.
func roof(material string) fstest.MapFS {
	s := new(sheet)
	p := s.floats("VEC3", 3, 0, 0, 0, 1, 0, 0, 2, 0, 1, 0, 1, 0, 1, 1, 0, 2, 1, 1)
	uv := s.floats("VEC2", 2, 0, 1, 1, 1, 0, 1, 0, 0, 1, 0, 0, 0)
	n := s.floats("VEC3", 3, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1)
	i := s.shorts("SCALAR", 1, 0, 1, 4, 0, 4, 3, 1, 2, 5, 1, 5, 4)
	return s.tree(fill(`"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],`+material+`
		"meshes":[{"primitives":[{"attributes":{"POSITION":$p,"TEXCOORD_0":$uv},"indices":$i,"material":0}]}]`,
		map[string]int{"p": p, "uv": uv, "n": n, "i": i}))
}

const (
	bumpy     = `"materials":[{"normalTexture":{"index":0}}],"textures":[{}],`
	bare      = `"materials":[{}],`
	unlit     = `"materials":[{"normalTexture":{"index":0},"extensions":{"KHR_materials_unlit":{}}}],"textures":[{}],`
	elsewhere = `"materials":[{"normalTexture":{"index":0,"extensions":{"KHR_texture_transform":{"texCoord":1}}}}],"textures":[{}],`
)

func TestNormals(t *testing.T) {
	d := math.Sqrt(0.5)
	flat := func(x float64) [3]float64 {
		if x > 0 {
			return [3]float64{-d, 0, d}
		}
		return [3]float64{0, 0, 1}
	}
	for _, tc := range []struct {
		kind     string
		material string
		vertices int
		want     func(corner dot, triangle int) [3]float64
	}{
		{"flat", bare, 8, func(_ dot, i int) [3]float64 { return flat(float64(i / 2)) }},
		{"smooth", bare, 6, func(c dot, _ int) [3]float64 {
			switch math.Round(c[0]) {
			case 0:
				return [3]float64{0, 0, 1}
			case 2:
				return flat(1)
			}
			// At the shared edge, the normal is the mean of both, because both squares have angles
			// of 90 degrees there.
			l := math.Sqrt(0.5 + (1+d)*(1+d))
			return [3]float64{-d / l, 0, (1 + d) / l}
		}},
		{"none", bare, 6, func(dot, int) [3]float64 { return [3]float64{} }},
		{"flat", unlit, 6, func(dot, int) [3]float64 { return [3]float64{} }},
	} {
		o := options(func(o *meshOptions) {
			o.Normals, o.Tangents, o.Optimize, o.NormalBits = tc.kind, false, false, 16
		})
		doc := decode(t, cook(t, o, roof(tc.material), "m/a.gltf"), nil)
		list := show(t, doc)
		if len(list) != 4 {
			t.Fatalf("%s: %d triangles", tc.kind, len(list))
		}
		for i, s := range list {
			for _, c := range s {
				want := tc.want(c, i)
				for k := range want {
					if math.Abs(c[3+k]-want[k]) > 1e-3 {
						t.Errorf("%s: triangle %d at %.1f: normal %.3f, want %.3f", tc.kind, i, c[:3], c[3:6], want)
						break
					}
				}
			}
		}
		if n := doc.Accessors[doc.Meshes[0].Primitives[0].Attributes["POSITION"]].Count; n != tc.vertices {
			t.Errorf("%s: %d vertices, want %d", tc.kind, n, tc.vertices)
		}
	}
}

// Tangents must point in the direction of growing u, and bitangents toward the top of the texture.
func TestTangents(t *testing.T) {
	for _, bits := range []int{0, 8} {
		o := options(func(o *meshOptions) { o.NormalBits = bits })
		doc := decode(t, cook(t, o, roof(bumpy), "m/a.gltf"), nil)
		p := doc.Meshes[0].Primitives[0]
		positions, tangents := elements(t, doc, p.Attributes["POSITION"]), elements(t, doc, p.Attributes["TANGENT"])
		normals := elements(t, doc, p.Attributes["NORMAL"])
		d := math.Sqrt(0.5)
		for i := range positions {
			want := []float64{1, 0, 0, 1}
			if normals[i][0] < -0.1 {
				want = []float64{-d, 0, -d, -1} // the second square has mirrored coordinates
			}
			for k := range want {
				if math.Abs(tangents[i][k]-want[k]) > 0.01 {
					t.Errorf("%d bits, vertex %d: tangent %.3f, want %.3f", bits, i, tangents[i], want)
					break
				}
			}
		}
		if len(positions) != 8 {
			t.Errorf("%d vertices, want 8", len(positions))
		}
	}
}

// Tangents must not be made for materials that do not need them.
func TestNoTangents(t *testing.T) {
	for name, tc := range map[string]struct {
		material string
		change   func(*meshOptions)
	}{
		"no map":         {bare, nil},
		"unlit":          {unlit, nil},
		"no coordinates": {elsewhere, nil},
		"no normals":     {bumpy, func(o *meshOptions) { o.Normals = "none" }},
		"not by options": {bumpy, func(o *meshOptions) { o.Tangents = false }},
	} {
		tree := roof(tc.material)
		if name == "unlit" { // unlit materials need no normals
			file := tree["m/a.gltf"]
			file.Data = bytes.Replace(file.Data, []byte(`"TEXCOORD_0"`), []byte(`"NORMAL":2,"TEXCOORD_0"`), 1)
		}
		doc := decode(t, cook(t, options(tc.change), tree, "m/a.gltf"), nil)
		if _, made := doc.Meshes[0].Primitives[0].Attributes["TANGENT"]; made {
			t.Errorf("%s: tangents made", name)
		}
	}
}

// The node that shows the mesh must list its levels of detail. Each level must be smaller, state
// its error and use the same vertices.
func TestLODs(t *testing.T) {
	s := new(sheet)
	p, n, uv, i := s.grid(40, 0.3)
	tree := s.tree(fill(`"scene":0,"scenes":[{"nodes":[0,1]}],
		"nodes":[{"mesh":0,"name":"near","translation":[1,0,0]},{"mesh":0,"name":"own","extensions":{"MSFT_lod":{"ids":[2]}}},{"mesh":0}],
		"meshes":[{"name":"hill","extras":{"kept":true},"primitives":[{"attributes":{"POSITION":$p,"NORMAL":$n,"TEXCOORD_0":$uv},"indices":$i}]}]`,
		map[string]int{"p": p, "n": n, "uv": uv, "i": i}))
	for _, bits := range []int{0, 16} {
		o := options(func(o *meshOptions) { o.LODs, o.PositionBits, o.LODRatio, o.LODError = 2, bits, 0.4, 0.1 })
		doc := decode(t, cook(t, o, tree, "m/a.gltf"), nil)
		if len(doc.Meshes) != 3 {
			t.Fatalf("%d meshes, want 3", len(doc.Meshes))
		}
		last, lastError := 3200, -1.
		for level, m := range doc.Meshes[1:] {
			extras := m.Extras.(map[string]any)
			lod := extras["lod"].(map[string]any)
			triangles := doc.Accessors[*m.Primitives[0].Indices].Count / 3
			want := int(math.Ceil(3200 * math.Pow(0.4, float64(level+1))))
			if extras["kept"] != true || lod["level"] != float64(level+1) || lod["triangles"] != float64(triangles) {
				t.Errorf("extras %v of a level of %d triangles", extras, triangles)
			}
			off := lod["error"].(float64)
			if triangles >= last || triangles > want || off <= lastError || off > 0.1*10 {
				t.Errorf("level %d: %d triangles after %d, want %d; error %g after %g", level+1, triangles, last, want, off, lastError)
			}
			if m.Primitives[0].Attributes["POSITION"] != doc.Meshes[0].Primitives[0].Attributes["POSITION"] {
				t.Error("other vertices")
			}
			if worst := farthest(t, doc, m.Primitives[0]); worst > off*1.5+1e-3 {
				t.Errorf("level %d: %g off the sheet, says %g", level+1, worst, off)
			}
			last, lastError = triangles, off
		}
		top := doc.Nodes[0].Children
		if len(top) != 1 || doc.Nodes[0].Mesh != nil || *doc.Nodes[top[0]].Mesh != 0 || doc.Nodes[0].Translation != [3]float64{1, 0, 0} {
			t.Fatalf("the node has %v below it", top)
		}
		ids := lodIDs(t, doc.Nodes[top[0]])
		if len(ids) != 2 || *doc.Nodes[ids[0]].Mesh != 1 || *doc.Nodes[ids[1]].Mesh != 2 ||
			doc.Nodes[ids[0]].Translation != doc.Nodes[top[0]].Translation || doc.Nodes[ids[0]].Scale != doc.Nodes[top[0]].Scale {
			t.Errorf("levels on nodes %v", ids)
		}
		if own := lodIDs(t, doc.Nodes[1]); len(own) != 1 || own[0] != 2 {
			t.Errorf("the levels that a node had are %v now", own)
		}
		below := doc.Nodes[1]
		if bits > 0 {
			below = doc.Nodes[below.Children[0]]
			if below.Extensions != nil {
				t.Error("it got others")
			}
		}
		if below.Mesh == nil || *below.Mesh != 0 {
			t.Errorf("the mesh with levels of its own is not at its place")
		}
	}
}

func lodIDs(t *testing.T, n *gltf.Node) (ids []int) {
	t.Helper()
	text, ok := n.Extensions[extLOD].(interface{ MarshalJSON() ([]byte, error) })
	if !ok {
		return nil
	}
	raw, err := text.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range value(t, raw)["ids"].([]any) {
		n, err := x.(interface{ Int64() (int64, error) }).Int64()
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, int(n))
	}
	return ids
}

// farthest returns the greatest distance between a triangle's center and the sheet of the function
// grid.
func farthest(t *testing.T, doc *gltf.Document, p *gltf.Primitive) float64 {
	t.Helper()
	doc.Scenes = []*gltf.Scene{{Nodes: []int{0}}}
	n := doc.Nodes[doc.Nodes[0].Children[0]]
	at := matrix{0: n.Scale[0], 5: n.Scale[1], 10: n.Scale[2], 12: n.Translation[0], 13: n.Translation[1], 14: n.Translation[2], 15: 1}
	worst := 0.
	for _, s := range showPrimitive(t, doc, n, p, nil, at) {
		var m [3]float64
		for k := range m {
			m[k] = (s[0][k] + s[1][k] + s[2][k]) / 3
		}
		y := 0.3 * math.Sin(7*(m[0]+3)/10) * math.Cos(5*(m[2]-5)/10)
		worst = max(worst, math.Abs(m[1]-y))
	}
	return worst
}

func TestCallings(t *testing.T) {
	for name, want := range map[string]nameClass{
		"": anything, "Barrel": anything, "colony": anything, "Column_02": anything, "protocol": anything, "Hulls": anything,
		"collision": surelyPhysics, "barrel_Collision.001": surelyPhysics, "BarrelCollider": surelyPhysics, "UCX_Barrel_01": surelyPhysics,
		"USP_a": surelyPhysics, "wall-colonly": surelyPhysics, "wall-convcolonly": surelyPhysics, "NavMesh": surelyPhysics, "navmesh 2": surelyPhysics,
		"wall-col": maybePhysics, "wall-convcol": maybePhysics, "ShipHull": maybePhysics, "HULL": maybePhysics, "phys_box": maybePhysics,
	} {
		if have := classOfName(name); have != want {
			t.Errorf("%q: %v, want %v", name, have, want)
		}
	}
}

// Collision meshes must get no normals. Visible meshes must get them.
func TestNoNormalsForCollisions(t *testing.T) {
	for _, tc := range []struct {
		what, node, mesh, material string
		uv, want                   bool
	}{
		{"seen", "Wall", "Wall", `,"material":0`, true, true},
		{"by the node's name", "UCX_Wall", "Wall", `,"material":0`, true, false},
		{"by the mesh's name", "Wall", "wall_collision", `,"material":0`, true, false},
		{"a hull with a material", "Hull", "Hull", `,"material":0`, false, true},
		{"a hull without", "Hull", "Hull", "", true, false},
		{"without a material, with coordinates", "Wall", "Wall", "", true, true},
		{"with nothing to see", "Wall", "Wall", "", false, false},
		{"the only material is none", "Wall", "Wall", "", false, true},
		{"with a material that is plain", "Wall", "Wall", `,"material":0`, false, true},
	} {
		s := new(sheet)
		p, _, t0, i := s.grid(3, 1)
		uv, materials := "", `"materials":[{}],`
		if tc.what == "the only material is none" {
			materials = ""
		}
		if tc.uv {
			uv = fmt.Sprintf(`,"TEXCOORD_0":%d`, t0)
		}
		tree := s.tree(fmt.Sprintf(`"scenes":[{"nodes":[0]}],"nodes":[{"name":"%s","mesh":0}],%s
			"meshes":[{"name":"%s","primitives":[{"attributes":{"POSITION":%d%s},"indices":%d%s}]}]`, tc.node, materials, tc.mesh, p, uv, i, tc.material))
		doc := decode(t, cook(t, options(nil), tree, "m/a.gltf"), nil)
		attributes := doc.Meshes[0].Primitives[0].Attributes
		if _, have := attributes["NORMAL"]; have != tc.want {
			t.Errorf("%s: normals %v, want %v", tc.what, have, tc.want)
		}
		if n := doc.Accessors[attributes["POSITION"]].Count; !tc.want && n != 16 {
			t.Errorf("%s: %d vertices, want 16", tc.what, n)
		}
	}
	// A collision mesh that a node with another name also shows is visible.
	s := new(sheet)
	p, _, _, i := s.grid(3, 1)
	tree := s.tree(fmt.Sprintf(`"scenes":[{"nodes":[0,1]}],"nodes":[{"name":"collider","mesh":0},{"name":"Wall","mesh":0}],"materials":[{}],
		"meshes":[{"primitives":[{"attributes":{"POSITION":%d},"indices":%d,"material":0}]}]`, p, i))
	doc := decode(t, cook(t, options(nil), tree, "m/a.gltf"), nil)
	if _, have := doc.Meshes[0].Primitives[0].Attributes["NORMAL"]; !have {
		t.Error("a mesh that is seen as well has no normals")
	}
}
