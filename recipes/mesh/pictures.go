package mesh

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/assetcook/assetcook/internal/gltfcheck"
	pictureRole "github.com/assetcook/assetcook/internal/image/role"
	picturefile "github.com/assetcook/assetcook/internal/image/source"
	"github.com/assetcook/assetcook/internal/mesh/model"
	texture "github.com/assetcook/assetcook/recipes/image"
)

// A role is what the texels of a picture are, by the members of materials that name it.
type role uint8

const (
	noRole role = iota // nothing that is known names it
	colorRole
	normalRole
	dataRole
	severalRoles
)

// String returns what the recipe image calls the role.
func (r role) String() string {
	return [...]string{noRole: "", colorRole: "color", normalRole: "normal", dataRole: "data", severalRoles: ""}[r]
}

// roleOf returns what a texture is by the member of a material that names it.
func roleOf(member string) role {
	switch pictureRole.OfSlot(member) {
	case pictureRole.Color:
		return colorRole
	case pictureRole.Normal:
		return normalRole
	}
	return dataRole
}

// roles returns the role of each image.
func (c *cooking) roles() ([]role, error) {
	materials, err := c.doc.Objects("materials")
	if err != nil {
		return nil, err
	}
	textures, err := c.doc.Objects("textures")
	if err != nil {
		return nil, err
	}
	list := make([]role, len(c.doc.Images))
	note := func(image int, r role) {
		if list[image] != noRole && list[image] != r {
			r = severalRoles
		}
		list[image] = r
	}
	for _, m := range materials {
		eachTexture(m, func(member string, texture int) {
			if texture < 0 || texture >= len(textures) {
				return
			}
			if s := c.doc.Textures[texture].Source; s != nil {
				note(int(*s), roleOf(member))
			}
			extensions, _ := model.ParseObject(orEmpty(textures[texture].Member("extensions")))
			for _, e := range extensions {
				if image, ok := imageOf(e.Value, len(list)); ok {
					note(image, roleOf(member))
				}
			}
		})
	}
	return list, nil
}

// eachTexture calls visit for the textures of a material, and of those of its extensions
// that are known.
func eachTexture(o model.Object, visit func(member string, texture int)) {
	for _, m := range o {
		members, err := model.ParseObject(m.Value)
		switch {
		case err != nil:
		case m.Key == "pbrMetallicRoughness" || m.Key == "extensions" || strings.HasPrefix(m.Key, "KHR_materials_"):
			eachTexture(members, visit)
		case strings.HasSuffix(m.Key, "Texture"):
			var index int
			if text := members.Member("index"); text != nil && json.Unmarshal(text, &index) == nil {
				visit(m.Key, index)
			}
		}
	}
}

// isInside reports whether a picture is in the model's own file, where an estimate can see
// it: in a data URI or in the binary chunk.
func isInside(doc *gltfcheck.Document, picture *gltfcheck.Image) bool {
	if picture.BufferView == nil {
		return picture.URI != nil && gltfcheck.IsDataURI(*picture.URI)
	}
	v := &doc.BufferViews[*picture.BufferView]
	return *v.Buffer == 0 && doc.Buffers[0].URI == nil
}

// pictureOptions are how pictures become textures.
func (o *Mesh) pictureOptions() *texture.Image {
	p := texture.Recipe().New().(*texture.Image)
	p.Quality = o.EmbeddedQuality
	if o.Embedded == "dds" {
		p.Container = "dds"
	} else {
		p.Format = "uastc"
	}
	return p
}

// cookPicture makes a texture of a picture that is part of the document. It returns nil for
// one that stays as it is, and says why if that is not what one would expect.
func (w *writer) cookPicture(ctx context.Context, i int, file []byte, r role) ([]byte, error) {
	mediaType := gltfcheck.ImageType(file)
	if w.o.Embedded == "keep" || r == noRole || mediaType != "image/png" && mediaType != "image/jpeg" && mediaType != "image/webp" {
		return nil, nil
	}
	if r == severalRoles {
		w.job.Warn("image %d: textures use it as more than one of colors, normals and data; it stays a picture", i)
		return nil, nil
	}
	if !isInside(w.doc.Document, &w.doc.Images[i]) {
		w.job.Warn("image %d: is part of a buffer in a file of its own; it stays a picture", i)
		return nil, nil
	}
	o := w.o.pictureOptions()
	decode := picturefile.Decode
	if r != colorRole {
		decode = picturefile.DecodeData
	}
	m, _, err := decode(ctx, file, "", o.MaxSize)
	if err == nil {
		w.job.Hold("decoded pictures", m.Bytes())
		if file, err = o.Encode(ctx, w.job, m, r.String()); err == nil {
			return file, nil
		}
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return nil, fmt.Errorf("image %d: %w", i, err)
}

// picturesCost returns what cooking the pictures takes that are part of a document: the
// most that one of them does, and the textures of all.
func (o *Mesh) picturesCost(doc *gltfcheck.Document, chunk []byte) (int64, error) {
	most, sum := int64(0), int64(0)
	for i := range doc.Images {
		picture := &doc.Images[i]
		if o.Embedded == "keep" || !isInside(doc, picture) {
			continue
		}
		var file []byte
		if picture.BufferView != nil {
			v := &doc.BufferViews[*picture.BufferView]
			file = chunk[min(v.ByteOffset, int64(len(chunk))):min(v.ByteOffset+v.ByteLength, int64(len(chunk)))]
		} else if data, _, err := gltfcheck.DataURI(*picture.URI); err == nil {
			file = data
		}
		p := o.pictureOptions()
		info, err := picturefile.Probe(file, "", int64(len(file)), p.MaxSize)
		if err != nil {
			continue // is no picture, as cooking says
		}
		need, err := p.Estimate(file, int64(len(file)))
		if err != nil {
			return 0, fmt.Errorf("image %d: %w", i, err)
		}
		most = max(most, need)
		// Four bytes a texel, a third more for smaller levels; sides may become multiples of 4.
		sum += 6 * int64(info.W+3) * int64(info.H+3)
	}
	return most + sum, nil
}
