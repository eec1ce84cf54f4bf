package lint

import (
	"iter"
	"slices"

	"github.com/assetcook/assetcook/cook/recipe"
)

// others are formats of assets that no recipe reads.
var others = []recipe.Format{
	{Name: "an OpenEXR image", Extensions: []string{".exr"}, Magic: []string{"v/1\x01"}},
	{Name: "a Photoshop image", Extensions: []string{".psd", ".psb"}, Magic: []string{"8BPS"}},
	{Name: "a DDS texture", Extensions: []string{".dds"}, Magic: []string{"DDS "}},
	{Name: "a KTX2 texture", Extensions: []string{".ktx2"}, Magic: []string{"\xabKTX 20\xbb"}},
	{Name: "a KTX texture", Extensions: []string{".ktx"}, Magic: []string{"\xabKTX 11\xbb"}},
	{Name: "a QOA sound", Extensions: []string{".qoa"}, Magic: []string{"qoaf"}},
	{Name: "an FBX model", Extensions: []string{".fbx"}, Magic: []string{"Kaydara FBX Binary"}, Loose: true},
	{Name: "a Blender file", Extensions: []string{".blend"}, Magic: []string{"BLENDER"}, Loose: true},
	{Name: "a WOFF font", Extensions: []string{".woff"}, Magic: []string{"wOFF"}},
	{Name: "a WOFF2 font", Extensions: []string{".woff2"}, Magic: []string{"wOF2"}},
}

// formats yields the formats of the recipes and the others.
func formats(recipes []recipe.Format) iter.Seq[*recipe.Format] {
	return func(yield func(*recipe.Format) bool) {
		for _, list := range [][]recipe.Format{recipes, others} {
			for i := range list {
				if !yield(&list[i]) {
					return
				}
			}
		}
	}
}

// A guess is the probable format of a file, by its name and first bytes.
type guess struct {
	known  bool   // a format has the extension
	strict bool   // all its files start with a magic number
	found  string // format of the first bytes, "" for none
	fits   bool   // a format has both the extension and the bytes
}

func guessOf(recipes []recipe.Format, ext string, head []byte) (g guess) {
	most := 0
	for f := range formats(recipes) {
		has := slices.Contains(f.Extensions, ext)
		g.known = g.known || has
		g.strict = g.strict || has && !f.Loose
		if n := f.Starts(head); n > 0 {
			g.fits = g.fits || has
			if n > most {
				g.found, most = f.Name, n
			}
		}
	}
	return g
}
