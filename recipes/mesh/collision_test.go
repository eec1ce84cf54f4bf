package mesh

import (
	"fmt"
	"testing"
)

func TestCallings(t *testing.T) {
	for name, want := range map[string]calling{
		"": anything, "Barrel": anything, "colony": anything, "Column_02": anything, "protocol": anything, "Hulls": anything,
		"collision": surelyPhysics, "barrel_Collision.001": surelyPhysics, "BarrelCollider": surelyPhysics, "UCX_Barrel_01": surelyPhysics,
		"USP_a": surelyPhysics, "wall-colonly": surelyPhysics, "wall-convcolonly": surelyPhysics, "NavMesh": surelyPhysics, "navmesh 2": surelyPhysics,
		"wall-col": maybePhysics, "wall-convcol": maybePhysics, "ShipHull": maybePhysics, "HULL": maybePhysics, "phys_box": maybePhysics,
	} {
		if have := callingOf(name); have != want {
			t.Errorf("%q: %v, want %v", name, have, want)
		}
	}
}

// Normals are made only for visible meshes.
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
	// A mesh that is also shown by a node of another name is seen.
	s := new(sheet)
	p, _, _, i := s.grid(3, 1)
	tree := s.tree(fmt.Sprintf(`"scenes":[{"nodes":[0,1]}],"nodes":[{"name":"collider","mesh":0},{"name":"Wall","mesh":0}],"materials":[{}],
		"meshes":[{"primitives":[{"attributes":{"POSITION":%d},"indices":%d,"material":0}]}]`, p, i))
	doc := decode(t, cook(t, options(nil), tree, "m/a.gltf"), nil)
	if _, have := doc.Meshes[0].Primitives[0].Attributes["NORMAL"]; !have {
		t.Error("a mesh that is seen as well has no normals")
	}
}
