package mesh

import (
	"io/fs"
	"math"
	"os"
	"testing"

	"github.com/assetcook/assetcook/cook/recipe/recipetest"
)

// options returns the default options, with textures = "cooked" to avoid the warning about KTX2
// files.
func options(change func(*meshOptions)) *meshOptions {
	o := Recipe().New().(*meshOptions)
	o.Textures = "cooked"
	if change != nil {
		change(o)
	}
	return o
}

func cook(t testing.TB, o *meshOptions, tree fs.FS, name string) []byte {
	t.Helper()
	res := recipetest.Cook(t, Recipe(), o, tree, "", name)
	if res.Err != nil {
		t.Fatalf("%s: %v", name, res.Err)
	}
	return res.Outputs[0]
}

// tolerances returns the allowed errors of a model. Its longest side is extent, unless nodes make
// it larger.
func tolerances(extent float64, o *meshOptions) dot {
	position := 2e-6 * extent // rounding of floats and of their sums
	if o.PositionBits > 0 {
		position += extent / (math.Exp2(float64(o.PositionBits+1)) - 2)
	}
	normal, uv, color := 1e-6, 1e-7, 1e-7
	if o.NormalBits > 0 {
		normal = 1.5 / math.Exp2(float64(o.NormalBits-1)) // half a step on each axis, plus the error of the length
	}
	if o.NormalBits > 0 && o.compresses() {
		normal = 0.95 * math.Pi / 180 // package meshopt documents this error
	}
	if o.UVBits > 0 {
		uv = 0.5000001 / 65535
	}
	if o.UVBits > 0 && o.compresses() {
		uv = 0.5000001 / (math.Exp2(float64(o.UVBits)) - 1)
	}
	if o.ColorBits > 0 {
		color = 0.5000001 / (math.Exp2(float64(o.ColorBits)) - 1)
	}
	return dot{position, position, position, normal, normal, normal, uv, uv, color, color, color, color}
}

var ways = map[string]func(*meshOptions){
	"default": nil,
	"floats": func(o *meshOptions) {
		o.PositionBits, o.NormalBits, o.UVBits, o.ColorBits, o.WeightBits = 0, 0, 0, 0, 0
	},
	"coarse":   func(o *meshOptions) { o.PositionBits, o.NormalBits, o.ColorBits, o.WeightBits = 9, 16, 16, 16 },
	"no order": func(o *meshOptions) { o.Optimize = false },
	"lods":     func(o *meshOptions) { o.LODs = 2 },
	"keyed":    func(o *meshOptions) { o.AnimationError = 0 },
	"pruned": func(o *meshOptions) {
		o.Join, o.Instances = true, 2
		o.Prune, o.PruneEmpty, o.Keep = true, true, []string{"NORMAL", "TANGENT", "TEXCOORD_*", "COLOR_*", "JOINTS_*", "WEIGHTS_*"}
	},
	"web": func(o *meshOptions) {
		o.Compression, o.Tangents, o.PositionBits, o.UVBits = "meshopt", false, 14, 12
	},
	"meshopt":     func(o *meshOptions) { o.Compression, o.LODs = "meshopt", 1 },
	"meshopt-khr": func(o *meshOptions) { o.Compression, o.LODs = "meshopt-khr", 1 },
}

// A cooked model must show the same triangles as its source.
func TestShowsTheSame(t *testing.T) {
	assets := os.DirFS("../../testdata/assets")
	models := map[string]struct {
		tree   fs.FS
		name   string
		extent float64
		joints float64 // distance of the joints, which multiplies errors of weights
	}{
		"kart":   {assets, "models/kart.gltf", 3, 0},
		"crate":  {assets, "models/crate.gltf", 2, 0},
		"pebble": {assets, "models/pebble.glb", 2, 0},
		"coin":   {assets, "models/coin.gltf", 2, 0},
		"cone":   {assets, "models/cone.gltf", 2, 0},
		"figure": {figure(), "m/a.gltf", 80, 6},
		"forms":  {forms(), "m/a.gltf", 62, 0},
	}
	for way, change := range ways {
		o := options(change)
		for name, m := range models {
			t.Run(way+"/"+name, func(t *testing.T) {
				source := show(t, decodeFile(t, m.tree, m.name))
				cooked := show(t, decode(t, cook(t, o, m.tree, m.name), nil))
				tolerance := tolerances(m.extent, o)
				if hasFlatNormals(cooked) && !hasFlatNormals(source) {
					tolerance[3], tolerance[4], tolerance[5] = 2, 2, 2 // normals are made, among other changes; see TestNormals
				}
				if o.WeightBits > 0 {
					for k := range 3 {
						tolerance[k] += m.joints / math.Exp2(float64(o.WeightBits))
					}
				}
				sameTriangles(t, source, cooked, tolerance)
			})
		}
	}
}

func hasFlatNormals(list []shown) bool {
	for _, s := range list {
		if s[0][3] != 0 || s[0][4] != 0 || s[0][5] != 0 {
			return true
		}
	}
	return false
}
