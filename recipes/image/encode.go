package image

import (
	"context"
	"io"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/image/dds"
	"github.com/assetcook/assetcook/internal/image/pixmap"
)

// EncodeDDS makes a texture of a picture that is part of another asset, as the options say, and
// writes it to out as DDS. The caller knows what the picture is for: one that is said to be
// a normal map and is none becomes data, never colors. The picture must not be used
// afterwards.
func (o *Image) EncodeDDS(ctx context.Context, job *recipe.Job, out io.Writer, m *pixmap.Map) error {
	if err := o.Check(); err != nil {
		return err
	}
	s := &subject{o: o, pictures: []*pixmap.Map{m}}
	if err := s.judge(ctx, job); err != nil {
		return err
	}
	if o.Kind == "normal" && s.kind != "normal" {
		s.kind, s.srgb = "data", false
	}
	if err := s.choose(ctx, job); err != nil {
		return err
	}
	t, err := s.texture(ctx, job)
	if err != nil {
		return err
	}
	defer job.Step("pack")()
	return dds.Write(ctx, out, t, o.ddsHeader())
}
