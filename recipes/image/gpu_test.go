package image

import (
	"testing"

	"github.com/assetcook/assetcook/internal/image/texture"
)

// Options choose among what a graphics processor reads, and the estimate knows all of it.
func TestGPU(t *testing.T) {
	source := encodePNG(t, gradient(200, 120))
	for gpu, want := range map[string]texture.Format{"desktop": texture.BC7, "mobile": texture.ASTC6x6, "web": texture.UASTC} {
		o := options(func(o *Image) { o.GPU = gpu })
		if tex := cook(t, o, "a.png", source); tex.Format != want || !tex.SRGB {
			t.Errorf("%s: %v, sRGB %v", gpu, tex.Format, tex.SRGB)
		}
	}
	for _, o := range []*Image{
		options(func(o *Image) { o.GPU, o.Container = "mobile", "dds" }),
		options(func(o *Image) { o.GPU, o.RDO = "web", 1 }),
	} {
		if err := o.Check(); err == nil {
			t.Errorf("gpu = %q with container = %q and rdo = %v is taken", o.GPU, o.Container, o.RDO)
		}
	}
}
