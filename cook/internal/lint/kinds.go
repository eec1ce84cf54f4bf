package lint

import (
	"iter"
	"slices"

	"github.com/assetcook/assetcook/cook/recipe"
)

// others are formats of assets that no recipe reads.
var others = []recipe.Format{
	{Name: "an OpenEXR picture", Extensions: []string{".exr"}, Magic: []string{"v/1\x01"}},
	{Name: "a Photoshop picture", Extensions: []string{".psd", ".psb"}, Magic: []string{"8BPS"}},
	{Name: "a DDS texture", Extensions: []string{".dds"}, Magic: []string{"DDS "}},
	{Name: "a KTX2 texture", Extensions: []string{".ktx2"}, Magic: []string{"\xabKTX 20\xbb"}},
	{Name: "a KTX texture", Extensions: []string{".ktx"}, Magic: []string{"\xabKTX 11\xbb"}},
	{Name: "a QOA sound", Extensions: []string{".qoa"}, Magic: []string{"qoaf"}},
	{Name: "an FBX model", Extensions: []string{".fbx"}, Magic: []string{"Kaydara FBX Binary"}, Loose: true},
	{Name: "a Blender file", Extensions: []string{".blend"}, Magic: []string{"BLENDER"}, Loose: true},
	{Name: "a WOFF font", Extensions: []string{".woff"}, Magic: []string{"wOFF"}},
	{Name: "a WOFF2 font", Extensions: []string{".woff2"}, Magic: []string{"wOF2"}},
}

// formats are those of the recipes and others.
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

// A guess is what the name and the first bytes of a file say of its format.
type guess struct {
	known  bool   // the extension is that of a format,
	strict bool   // whose files all start with a magic number
	found  string // the format of the first bytes, "" for none
	fits   bool   // it goes by the extension
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
