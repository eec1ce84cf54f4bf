package mesh

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/assetcook/assetcook/cook/recipe/recipetest"
)

// impatient is a context that is canceled after a number of calls of Err.
type impatient struct {
	context.Context
	left *int
}

func (c impatient) Err() error {
	if *c.left--; *c.left < 0 {
		return context.Canceled
	}
	return nil
}

// Whenever the context ends, so does cooking, with nothing written.
func TestCancel(t *testing.T) {
	tree := figure()
	count := math.MaxInt
	o := options(func(o *Mesh) { o.LODs = 1 })
	res := recipetest.CookContext(impatient{t.Context(), &count}, t, Recipe(), o, tree, "", "m/a.gltf")
	if res.Err != nil {
		t.Fatal(res.Err)
	}
	looks := math.MaxInt - count
	if looks < 50 {
		t.Errorf("looked %d times", looks)
	}
	for n := 0; n < looks; n += 1 + looks/50 {
		left := n
		res := recipetest.CookContext(impatient{t.Context(), &left}, t, Recipe(), o, tree, "", "m/a.gltf")
		if res.Err == nil || !strings.Contains(res.Err.Error(), context.Canceled.Error()) {
			t.Fatalf("after %d of %d looks: %v", n, looks, res.Err)
		}
	}
}

// The number of looks at the context grows with the vertices.
func TestLooksOften(t *testing.T) {
	s := new(sheet)
	p, n, uv, i := s.grid(200, 1)
	tree := s.tree(fill(`"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],
		"meshes":[{"primitives":[{"attributes":{"POSITION":$p,"NORMAL":$n,"TEXCOORD_0":$uv},"indices":$i}]}]`,
		map[string]int{"p": p, "n": n, "uv": uv, "i": i}))
	count := math.MaxInt
	res := recipetest.CookContext(impatient{t.Context(), &count}, t, Recipe(), options(nil), tree, "", "m/a.gltf")
	if looks := math.MaxInt - count; res.Err != nil || looks < 60 {
		t.Errorf("looked %d times at 240000 corners, error %v", looks, res.Err)
	}
}
