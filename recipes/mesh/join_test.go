package mesh

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/assetcook/assetcook/internal/jobs"
)

// village returns a model of houses. Each house has its own mesh, with walls and a roof of different
// materials. Every second mesh lists the roof first.
func village(houses int, node, mesh string) fstest.MapFS {
	s := new(sheet)
	var nodes, meshes, roots []string
	for k := range houses {
		p, n, uv, i := s.grid(3, 0.1*float64(k+1))
		walls := fmt.Sprintf(`{"attributes":{"POSITION":%d,"NORMAL":%d,"TEXCOORD_0":%d},"indices":%d,"material":0}`, p, n, uv, i)
		p, n, _, i = s.grid(2, 0.2*float64(k+1))
		roof := fmt.Sprintf(`{"attributes":{"NORMAL":%d,"POSITION":%d},"indices":%d,"material":1}`, n, p, i)
		list, more, members := walls+","+roof, "", ""
		if k%2 == 1 {
			list = roof + "," + walls
		}
		if k == 1 {
			more, members = node, mesh
		}
		meshes = append(meshes, fmt.Sprintf(`{"primitives":[%s]%s}`, list, members))
		nodes = append(nodes, fmt.Sprintf(`{"mesh":%d,"translation":[%d,%d,3],"rotation":[0.28,0,0,0.96],"scale":[1,2,%d]%s}`, k, 20*k, k, k%3+1, more))
		roots = append(roots, fmt.Sprint(k))
	}
	return s.tree(fmt.Sprintf(`"scenes":[{"nodes":[%s]}],"nodes":[%s],"meshes":[%s],
		"materials":[{"pbrMetallicRoughness":{"baseColorTexture":{"index":0}}},{}],"textures":[{"source":0}],"images":[{"uri":"data:image/png;base64,iVBORw0KGgo="}]`,
		strings.Join(roots, ","), strings.Join(nodes, ","), strings.Join(meshes, ",")))
}

func joining(o *meshOptions) { o.Prune, o.Join = true, true }

// A joined mesh must show the same triangles as the meshes that it replaces.
func TestJoinedMeshShowsTheSame(t *testing.T) {
	tree := village(7, "", "")
	source := show(t, decodeFile(t, tree, "m/a.gltf"))
	for _, compression := range []string{"none", "meshopt"} {
		for _, bits := range []int{0, 16} {
			o := options(func(o *meshOptions) {
				joining(o)
				o.Compression, o.PositionBits = compression, bits
			})
			doc := decode(t, cook(t, o, tree, "m/a.gltf"), nil)
			if len(doc.Meshes) != 1 || len(doc.Meshes[0].Primitives) != 2 {
				t.Errorf("%s, %d bits: %d meshes, want one with two primitives", compression, bits, len(doc.Meshes))
			}
			// The grid spans the houses, which are 20 apart.
			sameTriangles(t, source, show(t, doc), tolerances(160, o))
		}
	}
}

// A mesh must stay if it or its node has a name or another use.
func TestMeshesThatAreNotJoined(t *testing.T) {
	for name, tc := range map[string]struct{ node, mesh string }{
		"node name":   {node: `,"name":"inn"`},
		"node extras": {node: `,"extras":{}`},
		"mesh name":   {mesh: `,"name":"inn"`},
		"mesh extras": {mesh: `,"extras":{}`},
	} {
		tree := village(5, tc.node, tc.mesh)
		o := options(joining)
		doc := decode(t, cook(t, o, tree, "m/a.gltf"), nil)
		if len(doc.Meshes) != 2 {
			t.Errorf("%s: %d meshes, want 2", name, len(doc.Meshes))
		}
		sameTriangles(t, show(t, decodeFile(t, tree, "m/a.gltf")), show(t, doc), tolerances(120, o))
	}
	// Meshes that several nodes show stay, because joining would store them several times.
	doc := decode(t, cook(t, options(joining), forest(6), "m/a.gltf"), nil)
	if len(doc.Nodes) < 7 {
		t.Errorf("%d nodes, want at least 7", len(doc.Nodes))
	}
}

// Joined meshes must get levels of detail, and the removed meshes must not remain in the model.
func TestJoinedMeshGetsLevelsOfDetail(t *testing.T) {
	o := options(func(o *meshOptions) { joining(o); o.LODs, o.LODError = 1, 1 })
	doc := decode(t, cook(t, o, village(6, "", ""), "m/a.gltf"), nil)
	if len(doc.Meshes) != 2 {
		t.Errorf("%d meshes, want the joined mesh and its level of detail", len(doc.Meshes))
	}
}

func TestExplainCountsJoinedMeshes(t *testing.T) {
	tree := village(4, "", "")
	job := jobs.New(Recipe(), jobs.Env{Path: "m/a.gltf", Open: tree.Open, Stat: tree.Stat}, 1)
	lines, err := options(joining).explainResult(t.Context(), job)
	if err != nil || !slices.Contains(lines, "the meshes of 4 nodes become one mesh") {
		t.Errorf("%q, %v", lines, err)
	}
}

// Joining needs memory for a geometry as large as all primitives.
func TestJoinedMeshIsEstimated(t *testing.T) {
	text := village(30, "", "")["m/a.gltf"].Data
	apart, err := options(func(o *meshOptions) { o.Prune = true }).estimateMemory(text, int64(len(text)))
	if err != nil {
		t.Fatal(err)
	}
	if joined, err := options(joining).estimateMemory(text, int64(len(text))); err != nil || joined <= apart {
		t.Errorf("%d bytes, without joining %d, %v", joined, apart, err)
	}
}
