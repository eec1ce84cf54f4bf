package mesh

import (
	"fmt"
	"testing"
	"testing/fstest"
)

// Equal arrays are in the buffer once, and with prune are one accessor. Arrays that differ
// in one bit are two.
func TestEqualArraysAreShared(t *testing.T) {
	tree := func(copies int, bend float64) fstest.MapFS {
		s := new(sheet)
		nodes, meshes := "", ""
		for k := range copies {
			p, n, _, i := s.grid(20, bend*float64(k))
			if k > 0 {
				nodes, meshes = nodes+",", meshes+","
			}
			nodes += fmt.Sprintf(`{"mesh":%d,"translation":[%d,0,0]}`, k, 40*k)
			meshes += fmt.Sprintf(`{"primitives":[{"attributes":{"POSITION":%d,"NORMAL":%d},"indices":%d}]}`, p, n, i)
		}
		return s.tree(`"scenes":[{"nodes":[0,1,2]}],"nodes":[` + nodes + `],"meshes":[` + meshes + `]`)
	}
	for way, change := range map[string]func(*Mesh){
		"plain":      nil,
		"compressed": func(o *Mesh) { o.Compression = "meshopt" },
		"pruned":     func(o *Mesh) { o.Prune = true },
	} {
		o := options(change)
		files := tree(3, 0)
		equal, different := cook(t, o, files, "m/a.gltf"), cook(t, o, tree(3, 0.1), "m/a.gltf")
		if len(equal) > len(different)*6/10 {
			t.Errorf("%s: %d bytes, %d if they differ", way, len(equal), len(different))
		}
		doc := decode(t, equal, nil)
		want := 12 // coordinates included, which nothing uses
		if o.Prune {
			want = 3
		}
		if o.Compression == "none" && len(doc.Accessors) != want {
			t.Errorf("%s: %d accessors, want %d", way, len(doc.Accessors), want)
		}
		sameTriangles(t, show(t, decodeFile(t, files, "m/a.gltf")), show(t, doc), tolerances(20, o))
	}
}
