package image

import (
	"context"
	"fmt"
	"strconv"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/role"
)

// prefilters reports whether levels are for image-based lighting.
func (o *Image) prefilters() bool { return o.Prefilter == "ggx" || o.Prefilter == "filament" }

// roughness returns the roughness of levels.
func (o *Image) roughness() pixmap.Roughness {
	if o.Prefilter == "filament" {
		return pixmap.FilamentRoughness
	}
	return pixmap.LinearRoughness
}

// checkLighting checks the options of cubes for image-based lighting.
func (o *Image) checkLighting() error {
	option := o.lighting()
	wrong := func(key, got, want string) error {
		return &recipe.OptionError{Key: key, Got: got, Want: want + " with " + option}
	}
	switch {
	case option == "":
		return nil
	case o.Cube == "none":
		return wrong("cube", strconv.Quote(o.Cube), `"cross", "equirect" or "faces"`)
	case role.Parse(o.Kind) != role.Unknown && !role.Parse(o.Kind).Treatment().Colors:
		return wrong("kind", strconv.Quote(o.Kind), "a kind of colors")
	case !o.prefilters():
		return nil
	case o.Mips == "false":
		return wrong("mips", o.Mips, "true or auto")
	case o.Coverage > 0:
		return wrong("coverage", fmt.Sprint(o.Coverage), "0")
	}
	return nil
}

// lighting returns the option that makes a cube for image-based lighting, or "".
func (o *Image) lighting() string {
	switch {
	case o.prefilters():
		return fmt.Sprintf("prefilter = %q", o.Prefilter)
	case o.hasIrradiance():
		return fmt.Sprintf("irradiance = %q", o.Irradiance)
	}
	return ""
}

// smaller makes the levels below the i-th picture. The levels of a prefiltered cube need all its
// faces, and are made with the first one.
func (s *subject) smaller(ctx context.Context, job *recipe.Job, i, n int, take func(level int, band *pixmap.Map) error) error {
	switch {
	case !s.o.prefilters():
		return pixmap.MipBands(ctx, s.pictures[i], s.mipOptions(n), take)
	case i%6 == 0:
		return pixmap.Prefilter(ctx, s.pictures[i:i+6], s.color(), s.o.roughness(), job.Each, take)
	}
	return nil
}
