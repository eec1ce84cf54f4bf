package mesh

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/assetcook/assetcook/internal/gltfcheck"
	pictureRole "github.com/assetcook/assetcook/internal/image/role"
	picturefile "github.com/assetcook/assetcook/internal/image/source"
	"github.com/assetcook/assetcook/internal/mesh/model"
	texture "github.com/assetcook/assetcook/recipes/image"
)

// A picture says how materials read an image.
type picture struct {
	slot  pictureRole.Slot // its role is Unknown if no known member names the image
	apart bool             // materials use it as more than one of colors, normals and data
	other string           // an unknown member that names it
}

// pictures returns how materials read each image.
func (c *cooking) pictures() ([]picture, error) {
	materials, err := c.doc.Objects("materials")
	if err != nil {
		return nil, err
	}
	textures, err := c.doc.Objects("textures")
	if err != nil {
		return nil, err
	}
	list := make([]picture, len(c.doc.Images))
	for _, m := range materials {
		opaque := m.Member("alphaMode") == nil || string(m.Member("alphaMode")) == `"OPAQUE"`
		eachTexture(m, 0, func(member string, texture int) {
			if texture < 0 || texture >= len(textures) {
				return
			}
			slot := pictureRole.OfSlot(member)
			if slot.Alpha == pictureRole.Opacity && opaque {
				slot.Alpha = pictureRole.Ignored
			}
			if s := c.doc.Textures[texture].Source; s != nil {
				list[*s].use(member, slot)
			}
			extensions, _ := model.ParseObject(orEmpty(textures[texture].Member("extensions")))
			for _, e := range extensions {
				if image, ok := imageOf(e.Value, len(list)); ok {
					list[image].use(member, slot)
				}
			}
		})
	}
	return list, nil
}

// use records that a member of a material names the picture.
func (p *picture) use(member string, slot pictureRole.Slot) {
	switch {
	case slot.Role == pictureRole.Unknown:
		p.other = member
	case p.slot.Role == pictureRole.Unknown:
		p.slot = slot
	default:
		joined, suits := p.slot.Join(slot)
		p.slot, p.apart = joined, p.apart || !suits
	}
}

// eachTexture calls visit for the textures of a material, and of its extensions.
func eachTexture(o model.Object, depth int, visit func(member string, texture int)) {
	for _, m := range o {
		members, err := model.ParseObject(m.Value)
		if err != nil || m.Key == "extras" || depth > 3 { // material, extensions, one of them
			continue
		}
		var index int
		if text := members.Member("index"); pictureRole.IsGLTFSlot(m.Key) && text != nil && json.Unmarshal(text, &index) == nil {
			visit(m.Key, index)
			continue
		}
		eachTexture(members, depth+1, visit)
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
func (w *writer) cookPicture(ctx context.Context, i int, file []byte, use picture) ([]byte, error) {
	mediaType := gltfcheck.ImageType(file)
	if w.o.Embedded == "keep" || mediaType != "image/png" && mediaType != "image/jpeg" && mediaType != "image/webp" {
		return nil, nil
	}
	if use.slot.Role == pictureRole.Unknown {
		if use.other != "" {
			w.job.Warn("image %d: a material names it as %s, which is no slot that cook knows; it stays a picture", i, use.other)
		}
		return nil, nil
	}
	if use.apart {
		w.job.Warn("image %d: textures use it as more than one of colors, normals and data; it stays a picture", i)
		return nil, nil
	}
	if !isInside(w.doc.Document, &w.doc.Images[i]) {
		w.job.Warn("image %d: is part of a buffer in a file of its own; it stays a picture", i)
		return nil, nil
	}
	o := w.o.pictureOptions()
	m, info, err := picturefile.DecodeStored(ctx, file, "", o.MaxSize)
	if err == nil {
		if info.Orientation > 1 {
			w.job.Warn("image %d: orientation %d of its Exif data is ignored, as most loaders of glTF do; some browsers turn it: save it turned", i, info.Orientation)
		}
		w.job.Hold("decoded pictures", m.Bytes())
		if file, err = o.Encode(ctx, w.job, m, use.slot); err == nil {
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
		need, err := texture.Recipe().Traits(p).Estimate(file, int64(len(file)))
		if err != nil {
			return 0, fmt.Errorf("image %d: %w", i, err)
		}
		most = max(most, need)
		// Four bytes a texel, a third more for smaller levels; sides may become multiples of 4.
		sum += 6 * int64(info.W+3) * int64(info.H+3)
	}
	return most + sum, nil
}
