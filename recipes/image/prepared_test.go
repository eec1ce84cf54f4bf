package image

import (
	"math"
	"testing"
	"testing/fstest"

	"github.com/assetcook/assetcook/internal/image/role"
	"github.com/assetcook/assetcook/internal/jobs"
)

// Prepared returns exactly the pixels that Cook encodes, for any options that change sizes,
// channels and numbers: a lossless format has no error.
func TestPreparedIsWhatIsEncoded(t *testing.T) {
	files := fstest.MapFS{
		"a_albedo.png": {Data: encodePNG(t, scene(60, 44))}, "a_rough.png": {Data: encodePNG(t, gradient(64, 40))},
		"b.png": {Data: encodePNG(t, scene(60, 44))},
	}
	for name, change := range map[string]func(*Image){
		"as it is":    func(*Image) {},
		"scaled":      func(o *Image) { o.Fit = 31 },
		"power":       func(o *Image) { o.POT = "down" },
		"swapped":     func(o *Image) { o.R, o.B, o.A = "b", "1-r", "g" },
		"of another":  func(o *Image) { o.G = "b.png:r" },
		"mirrored":    func(o *Image) { o.Flip = "xy" },
		"premultiply": func(o *Image) { o.Premultiply = true },
		"mask":        func(o *Image) { o.Kind, o.Format = "mask", "r8" },
		"coverage":    func(o *Image) { o.Coverage = 0.5 },
	} {
		t.Run(name, func(t *testing.T) {
			source := "a_albedo.png"
			o := options(func(o *Image) { o.Format = "rgba8" }, change)
			if o.Format == "r8" {
				source = "a_rough.png"
			}
			tex, res := cookTree(t, o, files, source)
			if res.Err != nil {
				t.Fatal(res.Err)
			}
			job := jobs.New(Recipe(), jobs.OfTree(Recipe(), files, source), int64(len(files[source].Data)))
			p, err := o.Prepared(t.Context(), job)
			if err != nil {
				t.Fatal(err)
			}
			got, err := p.Measure(t.Context(), tex)
			if err != nil || !math.IsInf(got.PSNR, 1) {
				t.Errorf("%v dB, %v: the prepared pixels are not the encoded ones", got.PSNR, err)
			}
			if p.Role == role.Unknown || p.Why == "" || math.IsNaN(got.Coverage) != (o.Coverage == 0) {
				t.Errorf("%+v, %+v", p.Role, got)
			}
		})
	}
}
