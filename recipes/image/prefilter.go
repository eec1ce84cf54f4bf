package image

import (
	"context"
	"fmt"
	"strconv"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/role"
)

// prefilters reports whether levels are those of image-based lighting.
func (o *Image) prefilters() bool { return o.Prefilter == "ggx" }

// checkPrefilter looks at what levels that are blurred by a lobe cannot be.
func (o *Image) checkPrefilter() error {
	if !o.prefilters() {
		return nil
	}
	wrong := func(key, got, want string) error {
		return &recipe.OptionError{Key: key, Got: got, Want: fmt.Sprintf("%s with prefilter = %q", want, o.Prefilter)}
	}
	switch {
	case o.Cube == "none":
		return wrong("cube", strconv.Quote(o.Cube), `"cross", "equirect" or "faces"`)
	case o.Mips == "false":
		return wrong("mips", o.Mips, "true or auto")
	case o.Coverage > 0:
		return wrong("coverage", fmt.Sprint(o.Coverage), "0")
	case role.Parse(o.Kind) != role.Unknown && !role.Parse(o.Kind).Treatment().Colors:
		return wrong("kind", strconv.Quote(o.Kind), "a kind of colors")
	}
	return nil
}

// smaller makes the levels below the i-th picture. Those of a cube that is prefiltered
// are made of all its faces, when the first of them is asked for.
func (s *subject) smaller(ctx context.Context, job *recipe.Job, i, n int, take func(level int, band *pixmap.Map) error) error {
	switch {
	case !s.o.prefilters():
		return pixmap.MipBands(ctx, s.pictures[i], s.mipOptions(n), take)
	case i%6 == 0:
		return pixmap.Prefilter(ctx, s.pictures[i:i+6], s.color(), job.Each, take)
	}
	return nil
}
