package mesh

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/assetcook/assetcook/cook/recipe"
)

// A document of few bytes that claims to be large is refused before it is cooked.
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
	// Overlapping accessors count once each.
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

// The estimate grows with the sizes a file declares, and not much beyond the real need.
func TestEstimateGrows(t *testing.T) {
	estimate := func(o *Mesh, n int, more string) float64 {
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
	for name, o := range map[string]*Mesh{"default": options(nil), "lods": options(func(o *Mesh) { o.LODs = 1 })} {
		// A sheet of 250 times 250 has 2.0 MB of vertices and 0.75 MB of indices.
		const uv = `,"TEXCOORD_0":$uv`
		small, large := estimate(o, 125, uv), estimate(o, 250, uv)
		if grown := large - small; grown < 2*2e6 || grown > 120e6 || math.Abs(grown/(large-estimate(o, 1, uv))-0.75) > 0.05 {
			t.Errorf("%s: %.0f, for four times as much %.0f", name, small, large)
		}
		// They are held as they were and as they become, and else only copied.
		if less := large - estimate(o, 250, ""); less < 8*251*251 || less > 2*8*251*251 {
			t.Errorf("%s: texture coordinates of half a megabyte count for %.0f", name, less)
		}
	}
	if _, err := options(nil).estimateMemory([]byte("v 0 0 0\n"), 100); err != recipe.ErrShortHead {
		t.Errorf("a part of a model: %v", err)
	}
}
