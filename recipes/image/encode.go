package image

import (
	"bytes"
	"context"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/image/dds"
	"github.com/assetcook/assetcook/internal/image/ktx2"
	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/role"
)

// Encode makes a texture of a picture that is part of another asset, as the options say, and
// returns the file. used is the role in which materials use it, a word of option kind. The picture must not be used
// afterwards.
func (o *Image) Encode(ctx context.Context, job *recipe.Job, m *pixmap.Map, used string) ([]byte, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	s := &subject{o: o, pictures: []*pixmap.Map{m}, used: usage{role: role.Parse(used), by: "materials use it as " + used}}
	if err := s.judge(ctx, job); err != nil {
		return nil, err
	}
	if err := s.choose(ctx, job); err != nil {
		return nil, err
	}
	if err := s.align(ctx, job); err != nil {
		return nil, err
	}
	t, err := s.texture(ctx, job)
	if err != nil {
		return nil, err
	}
	defer job.Step("pack")()
	if o.Container == "ktx2" {
		return ktx2.Encode(ctx, t, o.packs())
	}
	var out bytes.Buffer
	err = dds.Write(ctx, &out, t, o.ddsHeader())
	return out.Bytes(), err
}
