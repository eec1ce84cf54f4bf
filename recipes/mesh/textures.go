package mesh

import (
	"context"
	"fmt"
	"slices"

	"github.com/assetcook/assetcook/internal/image/role"
	picturefile "github.com/assetcook/assetcook/internal/image/source"
	"github.com/assetcook/assetcook/internal/mesh/gltf"
	texture "github.com/assetcook/assetcook/recipes/image"
)

// writeTextures makes textures refer to the cooked images, each through the extension for the
// image's format. A cooked image that an extension names overrides the plain source. types are the
// media types of embedded images. made marks the images whose type has changed.
func (w *writer) writeTextures(cooked []cookedImage, types []string, made []bool) error {
	textures, err := w.doc.Objects("textures")
	if err != nil {
		return err
	}
	for i := range textures {
		extensions, err := textures[i].Object("extensions")
		if err != nil {
			return fmt.Errorf("texture %d: %w", i, err)
		}
		s := sources{plain: -1, cooked: -1}
		if p := w.doc.Textures[i].Source; p != nil {
			s.putImageOf("", int(*p), cooked, types, made)
		}
		for _, e := range extensions {
			o, _ := gltf.ParseObject(e.Value)
			source, ok := gltf.SourceOf(o, len(cooked))
			if !ok || !slices.Contains(textureExtensions, e.Key) {
				s.extensions = append(s.extensions, e)
				continue
			}
			s.putImageOf(e.Key, source, cooked, types, made)
		}
		w.nameImages(&textures[i], &s, cooked)
		if s.moved {
			w.repairs.noteRepair("a texture referred directly to an image that needs an extension; the extension was added", fmt.Sprintf("texture %d", i), 1)
		}
	}
	w.doc.Root.SetObjects("textures", textures)
	w.declareTextures(textures, types)
	return nil
}

// sources are the images of a texture.
type sources struct {
	plain      int  // source without an extension; -1 for none
	cooked     int  // image whose name cooking changes; -1 for none
	better     bool // whether an extension refers to the cooked image
	extensions gltf.Object
	moved      bool // whether an image moved to the member for its format
}

// putImageOf records an image that an extension refers to. If extension is "", the texture itself
// refers to it.
func (s *sources) putImageOf(extension string, source int, cooked []cookedImage, types []string, made []bool) {
	right := extension
	if types[source] != "" {
		right = gltf.ImageExtension(types[source])
	}
	switch {
	case cooked[source].uri != "":
		if s.cooked < 0 || extension != "" && !s.better {
			s.cooked, s.better = source, extension != ""
		}
		return
	case right == "" && s.plain < 0:
		s.plain = source
	case right != "" && s.extensions.Member(right) == nil:
		s.extensions.Set(right, fmt.Appendf(nil, `{"source":%d}`, source))
	}
	s.moved = s.moved || right != extension && !made[source]
}

// nameImages writes the references to a texture's images.
func (w *writer) nameImages(texture *gltf.Object, s *sources, cooked []cookedImage) {
	if s.cooked >= 0 {
		switch extension := cooked[s.cooked].extension; {
		case extension == "":
			s.plain = s.cooked
		case s.extensions.Member(extension) == nil:
			s.extensions.Set(extension, fmt.Appendf(nil, `{"source":%d}`, s.cooked))
		}
	}
	texture.Delete("source")
	if s.plain >= 0 {
		texture.SetInt("source", s.plain)
	}
	texture.Delete("extensions")
	if len(s.extensions) > 0 {
		texture.Set("extensions", s.extensions.Text())
	}
}

// textureExtensions are the extensions for image formats that core glTF does not include.
var textureExtensions = []string{"EXT_texture_avif", "EXT_texture_webp", "KHR_texture_basisu", "MSFT_texture_dds"}

// declareTextures declares texture extensions in the document, and removes unused ones. An
// extension is required if some texture has no other image.
func (w *writer) declareTextures(textures []gltf.Object, types []string) {
	for _, name := range textureExtensions {
		used, required := slices.ContainsFunc(types, func(t string) bool { return gltf.ImageExtension(t) == name }), false
		for _, t := range textures {
			if t.Extension(name) != nil {
				used = true
				required = required || t.Member("source") == nil
			}
		}
		w.doc.Declare(name, used, required)
		if !used {
			w.doc.Undeclare(name)
		}
	}
}

// An imageUse says how materials use an image.
type imageUse struct {
	slot  role.Slot // the role is Unknown if no known member refers to the image
	apart bool      // whether the image has several uses among colors, normals and data
	other string    // an unknown member that refers to the image; "" for none
}

// imageUses returns the use of each image by materials.
func (c *cooking) imageUses() ([]imageUse, error) {
	materials, err := c.doc.Objects("materials")
	if err != nil {
		return nil, err
	}
	textures, err := c.doc.Objects("textures")
	if err != nil {
		return nil, err
	}
	list := make([]imageUse, len(c.doc.Images))
	for _, m := range materials {
		opaque := gltf.IsOpaque(m)
		gltf.EachImage(m, role.IsGLTFSlot, textures, len(list), func(member string, image int) {
			slot := role.OfSlot(member)
			if slot.Alpha == role.Opacity && opaque {
				slot.Alpha = role.Ignored
			}
			list[image].addSlot(member, slot)
		})
	}
	return list, nil
}

// addSlot records that a material member refers to the image.
func (p *imageUse) addSlot(member string, slot role.Slot) {
	switch {
	case slot.Role == role.Unknown:
		p.other = member
	case p.slot.Role == role.Unknown:
		p.slot = slot
	default:
		joined, suits := p.slot.Join(slot)
		p.slot, p.apart = joined, p.apart || !suits
	}
}

// isInside reports whether an image is in the model's own file. An estimate can read an image in a
// data URI or in the binary chunk.
func isInside(doc *gltf.Document, picture *gltf.Image) bool {
	if picture.BufferView == nil {
		return picture.URI != nil && gltf.IsDataURI(*picture.URI)
	}
	v := &doc.BufferViews[*picture.BufferView]
	return *v.Buffer == 0 && doc.Buffers[0].URI == nil
}

// pictureOptions returns the options of recipe image for embedded images.
func (o *meshOptions) pictureOptions() *texture.Image {
	p := texture.Recipe().New().(*texture.Image)
	p.Quality = o.EmbeddedQuality
	if o.Embedded == "dds" {
		p.Container = "dds"
	} else {
		p.Format = "uastc"
	}
	return p
}

// cookPicture makes a texture of an embedded image. It returns nil for an image that stays
// unchanged, and warns if that is unexpected.
func (w *writer) cookPicture(ctx context.Context, i int, file []byte, use imageUse) ([]byte, error) {
	mediaType := gltf.ImageType(file)
	if w.o.Embedded == "keep" || mediaType != "image/png" && mediaType != "image/jpeg" && mediaType != "image/webp" {
		return nil, nil
	}
	if use.slot.Role == role.Unknown {
		if use.other != "" {
			w.job.Warn("image %d: a material uses it as %s, a material slot that cook does not know, so the image is not converted to a texture", i, use.other)
		}
		return nil, nil
	}
	if use.apart {
		w.job.Warn("image %d: textures use it as two of colors, normals and data, so the image is not converted; use separate images", i)
		return nil, nil
	}
	if !isInside(w.doc, &w.doc.Images[i]) {
		w.job.Warn("image %d is in a separate buffer file, so it is not converted to a texture; embed it in the model", i)
		return nil, nil
	}
	o := w.o.pictureOptions()
	m, info, err := picturefile.DecodeStored(ctx, file, "", o.MaxSize)
	if err == nil {
		if info.Orientation > 1 {
			w.job.Warn("image %d: orientation %d in the Exif data is ignored, as by most glTF loaders; some browsers rotate the image: save the image rotated", i, info.Orientation)
		}
		w.job.Hold("decoded images", m.Bytes())
		if file, err = o.Encode(ctx, w.job, m, use.slot); err == nil {
			return file, nil
		}
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return nil, fmt.Errorf("image %d: %w", i, err)
}

// picturesCost returns the memory for cooking embedded images. It is the largest working memory for
// one image, plus the textures of all images.
func (o *meshOptions) picturesCost(doc *gltf.Document, chunk []byte) (int64, error) {
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
		} else if data, _, err := gltf.DataURI(*picture.URI); err == nil {
			file = data
		}
		p := o.pictureOptions()
		info, err := picturefile.Probe(file, "", int64(len(file)), p.MaxSize)
		if err != nil {
			continue // Cook reports that the data is not an image
		}
		need, err := texture.Recipe().Traits(p).Estimate(file, int64(len(file)))
		if err != nil {
			return 0, fmt.Errorf("image %d: %w", i, err)
		}
		most = max(most, need)
		// A texel takes four bytes, and smaller levels add a third. Sides may be rounded up to
		// multiples of 4.
		sum += 6 * int64(info.W+3) * int64(info.H+3)
	}
	return most + sum, nil
}
