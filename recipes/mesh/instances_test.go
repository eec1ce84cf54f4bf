package mesh

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/assetcook/assetcook/internal/jobs"
)

// forest returns a model whose nodes show one mesh many times, with all kinds of transforms. Half
// of the nodes are children of a node that is moved itself.
func forest(copies int) fstest.MapFS {
	s := new(sheet)
	p, n, _, i := s.grid(3, 1)
	random := rand.New(rand.NewPCG(1, 2))
	nodes, roots, children := []string{}, []string{}, []string{}
	for k := range copies {
		var turn [4]float64
		length := float64(0)
		for c := range turn {
			turn[c] = random.Float64()*2 - 1
			length += float64(turn[c] * turn[c])
		}
		for c := range turn {
			turn[c] /= math.Sqrt(length)
		}
		at := [3]float64{100 * random.Float64(), random.Float64(), -100 * random.Float64()}
		scale := [3]float64{0.5 + random.Float64(), 0.5 + random.Float64(), 2}
		text := fmt.Sprintf(`{"mesh":0,"translation":%s,"rotation":%s,"scale":%s}`, marshal(at), marshal(turn), marshal(scale))
		if k%3 == 0 {
			t := transform{turn: turn}
			m := [16]float64{15: 1}
			for c := range 3 {
				axis := [3]float64{}
				axis[c] = scale[c]
				axis = t.rotate(axis)
				copy(m[4*c:], axis[:])
			}
			copy(m[12:], at[:])
			text = fmt.Sprintf(`{"mesh":0,"matrix":%s}`, marshal(m))
		}
		if k%2 == 0 {
			roots = append(roots, fmt.Sprint(k))
		} else {
			children = append(children, fmt.Sprint(k))
		}
		nodes = append(nodes, text)
	}
	roots = append(roots, fmt.Sprint(copies))
	nodes = append(nodes, `{"name":"valley","translation":[3,0,7],"scale":[1,2,1],"children":[`+strings.Join(children, ",")+`]}`)
	return s.tree(fmt.Sprintf(`"scenes":[{"nodes":[%s]}],"nodes":[%s],"meshes":[{"primitives":[{"attributes":{"POSITION":%d,"NORMAL":%d},"indices":%d}]}]`,
		strings.Join(roots, ","), strings.Join(nodes, ","), p, n, i))
}

func marshal(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func instanced(o *meshOptions) { o.Prune, o.Instances = true, 2 }

// Instances must show the same triangles as the nodes that they replace.
func TestInstancesShowTheSame(t *testing.T) {
	tree := forest(40)
	source := show(t, decodeFile(t, tree, "m/a.gltf"))
	for _, compression := range []string{"none", "meshopt", "meshopt-khr"} {
		for _, bits := range []int{0, 16} {
			o := options(func(o *meshOptions) {
				instanced(o)
				o.Compression, o.PositionBits = compression, bits
			})
			doc := decode(t, cook(t, o, tree, "m/a.gltf"), nil)
			if len(doc.Nodes) != 3 {
				t.Errorf("%s, %d bits: %d nodes, want the valley and two instanced nodes", compression, bits, len(doc.Nodes))
			}
			if !slices.Contains(doc.ExtensionsRequired, extInstancing) {
				t.Errorf("%s, %d bits: extensions %v", compression, bits, doc.ExtensionsRequired)
			}
			tolerance := tolerances(10*2*2, o) // nodes scale by up to 4
			for k := 3; k < 6; k++ {
				tolerance[k] *= 4 // scales of one node differ by a factor of up to 4
			}
			sameTriangles(t, source, show(t, doc), tolerance)
		}
	}
}

// A node must stay if it has more than a mesh and a transform, or if another part refers to it.
func TestNodesThatAreNotInstanced(t *testing.T) {
	for name, tc := range map[string]struct{ node, rest string }{
		"name":      {node: `"name":"tree"`},
		"child":     {node: `"children":[7]`},
		"camera":    {node: `"camera":0`, rest: `"cameras":[{"type":"perspective","perspective":{"yfov":1,"znear":1}}]`},
		"extras":    {node: `"extras":{"hp":3}`},
		"extension": {node: `"extensions":{"KHR_node_visibility":{"visible":true}}`, rest: `"extensionsUsed":["KHR_node_visibility"]`},
		"mirror":    {node: `"scale":[1,-1,1]`},
		"flat":      {node: `"scale":[1,0,1]`},
		"shear":     {node: `"matrix":[1,0.0005,0,0,0,1,0,0,0,0,1,0,0,0,0,1]`},
		"animation": {rest: `"animations":[{"channels":[{"sampler":0,"target":{"node":1,"path":"scale"}}],"samplers":[{"input":$in,"output":$out}]}]`},
		"pointer":   {rest: `"extensionsUsed":["KHR_animation_pointer"],"animations":[{"channels":[{"sampler":0,"target":{"path":"pointer","extensions":{"KHR_animation_pointer":{"pointer":"/nodes/1/scale"}}}}],"samplers":[{"input":$in,"output":$out}]}]`},
		"collider":  {rest: `"extensionsUsed":["X"],"extensions":{"X":{"node":1}}`},
	} {
		t.Run(name, func(t *testing.T) {
			s := new(sheet)
			p, n, _, i := s.grid(3, 1)
			in, out := s.floats("SCALAR", 1, 0, 1), s.floats("VEC3", 3, 1, 1, 1, 2, 2, 2)
			if tc.node != "" {
				tc.node = "," + tc.node
			}
			if tc.rest != "" {
				tc.rest += ","
			}
			rest := strings.NewReplacer("$in", fmt.Sprint(in), "$out", fmt.Sprint(out)).Replace(tc.rest)
			child := ""
			if name == "child" {
				child = `,{"name":"nest"}`
			}
			tree := s.tree(rest + fmt.Sprintf(`"scenes":[{"nodes":[0,1,2,3,4,5,6]}],"nodes":[{"mesh":0},{"mesh":0%s},{"mesh":0},{"mesh":0},{"mesh":0},{"mesh":0},{"mesh":0}%s],
				"meshes":[{"primitives":[{"attributes":{"POSITION":%d,"NORMAL":%d},"indices":%d}]}]`, tc.node, child, p, n, i))
			source := decodeFile(t, tree, "m/a.gltf")
			o := options(instanced)
			o.AnimationError = 0
			doc := decode(t, cook(t, o, tree, "m/a.gltf"), nil)
			sizes := []int{}
			for _, node := range doc.Nodes {
				if node.Mesh != nil {
					sizes = append(sizes, len(instances(t, doc, node)))
				}
			}
			slices.Sort(sizes)
			want := []int{1, 6}
			if name == "collider" { // all nodes stay, because another key may refer to a node
				want = []int{1, 1, 1, 1, 1, 1, 1}
			}
			if !slices.Equal(sizes, want) {
				t.Errorf("instances by node: %v, want %v", sizes, want)
			}
			if name != "flat" {
				sameTriangles(t, show(t, source), show(t, doc), tolerances(10, o))
			}
		})
	}
}

// Meshes that blend, morph or have levels of detail must stay in single nodes.
func TestMeshesThatAreNotInstanced(t *testing.T) {
	tree := forest(4)
	lods := options(func(o *meshOptions) { instanced(o); o.LODs = 1; o.LODError = 1 })
	few := options(func(o *meshOptions) { instanced(o); o.Instances = 3 })
	for name, o := range map[string]*meshOptions{"levels of detail": lods, "few": few} {
		if bytes.Contains(cook(t, o, tree, "m/a.gltf"), []byte(extInstancing)) {
			t.Errorf("%s: instanced", name)
		}
	}
	text := strings.Replace(string(tree["m/a.gltf"].Data), `"indices":`, `"material":0,"indices":`, 1)
	tree["m/a.gltf"].Data = []byte(`{"materials":[{"alphaMode":"BLEND"}],` + text[1:])
	if bytes.Contains(cook(t, options(instanced), tree, "m/a.gltf"), []byte(extInstancing)) {
		t.Error("blended triangles are instanced")
	}
}

func TestExplainCountsInstances(t *testing.T) {
	tree := forest(10)
	job := jobs.New(Recipe(), jobs.Env{Path: "m/a.gltf", Open: tree.Open, Stat: tree.Stat}, 1)
	lines, err := options(instanced).explainResult(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(slices.DeleteFunc(lines, func(l string) bool { return l != "mesh 0: 5 nodes become one instanced node" })); n != 2 {
		t.Errorf("%d lines of two: %q", n, lines)
	}
}
