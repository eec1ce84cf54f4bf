package image

import (
	"testing"

	"github.com/assetcook/assetcook/cook/recipe/image/ktx2"
)

// Whatever the bytes are, cooking them ends in an error or in a texture that
// is right in itself, and Estimate refuses nothing that Cook takes.
func FuzzCook(f *testing.F) {
	for _, s := range samples(f) {
		f.Add(s.data)
	}
	o := defaults()
	o.MaxSize, o.Zstd = 64, 0
	f.Fuzz(func(t *testing.T, data []byte) {
		_, refused := estimate(o, data)
		out, err := cook(t, o, "a.tga", data)
		if err != nil {
			return
		}
		if refused != nil {
			t.Errorf("cooked, but Estimate says %v", refused)
		}
		tex, err := ktx2.Read(out, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		if tex.Width > 64 || tex.Height > 64 || len(tex.Levels) != ktx2.MaxLevels(tex.Width, tex.Height) {
			t.Errorf("%d x %d pixels, %d levels", tex.Width, tex.Height, len(tex.Levels))
		}
	})
}
