package mesh

import (
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/jobs"
)

// A document of few bytes that claims to be large must be refused before it is cooked.
func TestEstimateRefusesHopeless(t *testing.T) {
	const claim = `{"asset":{"version":"2.0"},"buffers":[{"byteLength":900000000000000,"uri":"a.bin"}],` +
		`"bufferViews":[{"buffer":0,"byteLength":900000000000000}],` +
		`"accessors":[{"bufferView":0,"componentType":5126,"type":"VEC3","count":70000000000000}],` +
		`"meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}]}`
	o := options(nil)
	if n, err := o.estimateMemory([]byte(claim), int64(len(claim))); err == nil || !strings.Contains(err.Error(), "bytes of memory") {
		t.Errorf("%d, %v", n, err)
	}
	if _, err := o.estimateMemory([]byte(claim[:100]), int64(len(claim))); err != recipe.ErrShortHead {
		t.Errorf("a part of the text: %v", err)
	}
	// Accessors that overlap in the buffer must each count.
	var accessors, primitives []string
	for i := range 1000 {
		accessors = append(accessors, fmt.Sprintf(`{"bufferView":0,"byteOffset":%d,"componentType":5126,"type":"VEC3","count":80000}`, 4*i))
		primitives = append(primitives, fmt.Sprintf(`{"attributes":{"POSITION":%d}}`, i))
	}
	text := `{"asset":{"version":"2.0"},"buffers":[{"byteLength":1000000,"uri":"a.bin"}],"bufferViews":[{"buffer":0,"byteLength":1000000}],` +
		`"accessors":[` + strings.Join(accessors, ",") + `],"meshes":[{"primitives":[` + strings.Join(primitives, ",") + `]}]}`
	if n, err := o.estimateMemory([]byte(text), int64(len(text))); err != nil || n < 1000*80000*12 {
		t.Errorf("%d bytes, %v", n, err)
	}
}

// The estimate must grow with the sizes that a file declares. It must not be much more than the
// real need.
func TestEstimateGrows(t *testing.T) {
	estimate := func(o *meshOptions, n int, more string) float64 {
		s := new(sheet)
		p, no, uv, i := s.grid(n, 1)
		tree := s.tree(fill(`"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],
			"meshes":[{"primitives":[{"attributes":{"POSITION":$p,"NORMAL":$n`+more+`},"indices":$i}]}]`,
			map[string]int{"p": p, "n": no, "uv": uv, "i": i}))
		text := tree["m/a.gltf"].Data
		need, err := o.estimateMemory(text, int64(len(text)))
		if err != nil {
			t.Fatal(err)
		}
		return float64(need)
	}
	for name, o := range map[string]*meshOptions{"default": options(nil), "lods": options(func(o *meshOptions) { o.LODs = 1 })} {
		// A sheet of 250 by 250 squares has 2.0 MB of vertices and 0.75 MB of indices.
		const uv = `,"TEXCOORD_0":$uv`
		small, large := estimate(o, 125, uv), estimate(o, 250, uv)
		if grown := large - small; grown < 2*2e6 || grown > 120e6 || math.Abs(grown/(large-estimate(o, 1, uv))-0.75) > 0.05 {
			t.Errorf("%s: %.0f, for four times as much %.0f", name, small, large)
		}
		// Coordinates are in memory as read and as written. Coordinates that are not used are only
		// copied.
		if less := large - estimate(o, 250, ""); less < 8*251*251 || less > 2*8*251*251 {
			t.Errorf("%s: texture coordinates of half a megabyte count for %.0f", name, less)
		}
	}
	if _, err := options(nil).estimateMemory([]byte("v 0 0 0\n"), 100); err != recipe.ErrShortHead {
		t.Errorf("a part of a model: %v", err)
	}
}

// live returns the memory in use after a model is cooked and before it is written. It is less than
// the peak, and equal in each run.
func live(t *testing.T, o *meshOptions, tree fstest.MapFS, name string) uint64 {
	t.Helper()
	heap := func() uint64 {
		var stats runtime.MemStats
		runtime.GC()
		runtime.GC() // the second collection empties pools
		runtime.ReadMemStats(&stats)
		return stats.HeapAlloc
	}
	before := heap()
	job := jobs.New(Recipe(), jobs.Env{Path: name, Open: tree.Open, Stat: tree.Stat}, 1)
	doc, _, err := o.readModel(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	c, err := o.cookModel(t.Context(), job, doc, false)
	if err != nil {
		t.Fatal(err)
	}
	w, err := c.enterResults(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	text, parts, err := w.documentText(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	held := heap() - before
	runtime.KeepAlive([]any{w, text, parts, job})
	return held
}

// For many nodes, primitives or meshes with few vertices, the estimate must include the cost of
// each.
func TestEstimateOfMany(t *testing.T) {
	const many = 150
	list := func(n int, item func(i int) string) string {
		items := make([]string, n)
		for i := range items {
			items[i] = item(i)
		}
		return strings.Join(items, ",")
	}
	s := new(sheet)
	p, _, _, i := s.grid(4, 0)
	mesh := func(own int) string {
		return fmt.Sprintf(`{"attributes":{"POSITION":%d,"_%d":%d},"indices":%d}`, p, own, p, i)
	}
	node := func(i int) string { return fmt.Sprintf(`{"mesh":%d}`, i) }
	tiny := new(sheet)
	q, _, _, k := tiny.grid(1, 1)
	q2, _, _, k2 := tiny.grid(4, 0)
	var objects strings.Builder
	objects.WriteString("v 0 0 0\nv 1 0 0\nv 2 0 0\nv 0 1 0\nv 1 1 0\nv 2 1 0\nv 0 2 0\nv 1 2 0\nv 2 2 0\n")
	for i := range many {
		fmt.Fprintf(&objects, "o %d\nf 1 2 5 4\nf 2 3 6 5\nf 4 5 8 7\nf 5 6 9 8\n", i)
	}
	for name, tree := range map[string]fstest.MapFS{
		"nodes": s.tree(`"nodes":[` + list(many, func(int) string { return node(0) }) + `],"meshes":[{"primitives":[` + mesh(0) + `]}]`),
		"primitives": tiny.tree(`"nodes":[{"mesh":0}],"meshes":[{"primitives":[` + list(many, func(own int) string {
			return fmt.Sprintf(`{"attributes":{"POSITION":%d,"_%d":%d},"indices":%d}`, q, own, q, k)
		}) + fmt.Sprintf(`,{"attributes":{"POSITION":%d},"indices":%d}]}]`, q2, k2)),
		"extras": tiny.tree(`"nodes":[{"mesh":0}],"meshes":[{"primitives":[` +
			fmt.Sprintf(`{"attributes":{"POSITION":%d},"indices":%d}`, q2, k2) +
			`],"extras":{"list":[` + list(40*many, func(int) string { return "1234567" }) + `]}}]`),
		"meshes":  s.tree(`"nodes":[` + list(many, node) + `],"meshes":[` + list(many, func(int) string { return `{"primitives":[` + mesh(0) + `]}` }) + `]`),
		"objects": {"m/a.gltf": {Data: []byte(objects.String())}},
	} {
		path := "m/a.gltf"
		if name == "objects" {
			tree["m/a.obj"] = tree[path]
			path = "m/a.obj"
		}
		var without [2]int64 // memory in use and estimate, both without levels of detail
		for _, lods := range []int{0, 8} {
			o := options(func(o *meshOptions) { o.LODs, o.LODRatio, o.LODError = lods, 0.6, 1 })
			text := tree[path].Data
			estimate, err := o.estimateMemory(text, int64(len(text)))
			if err != nil {
				t.Fatal(err)
			}
			held := live(t, o, tree, path)
			if int64(held) > estimate {
				t.Errorf("%s, %d levels: %d bytes are held, the estimate is %d", name, lods, held, estimate)
			}
			o.Prune = true
			if estimate, err = o.estimateMemory(text, int64(len(text))); err != nil {
				t.Fatal(err)
			}
			if held := live(t, o, tree, path); int64(held) > estimate {
				t.Errorf("%s, pruned, %d levels: %d bytes are held, the estimate is %d", name, lods, held, estimate)
			}
			o.Prune = false
			if lods == 0 {
				without = [2]int64{int64(held), estimate}
			} else if more, want := int64(held)-without[0], estimate-without[1]; name != "objects" && more > want {
				t.Errorf("%s: levels hold %d bytes, the estimate is %d", name, more, want)
			}
		}
	}
}
