package image

import (
	"bytes"
	"context"
	"fmt"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/image/dds"
	"github.com/assetcook/assetcook/internal/image/ktx2"
	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/role"
)

// Encode makes a texture file of a picture that is part of another asset, following the options.
// slot says how materials read the picture. The picture must not be used afterwards.
func (o *Image) Encode(ctx context.Context, job *recipe.Job, m *pixmap.Map, slot role.Slot) ([]byte, error) {
	if err := o.checkOptions(); err != nil {
		return nil, err
	}
	s := &subject{o: o, pictures: []*pixmap.Map{m}, used: usage{
		role: slot.Role, by: fmt.Sprintf("materials use it as %v", slot.Role), number: slot.Alpha != role.Opacity,
	}}
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
