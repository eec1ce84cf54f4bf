package mesh

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/assetcook/assetcook/cook/recipe/gltfcheck"
	"github.com/assetcook/assetcook/cook/recipe/mesh/model"
)

// images moves pictures that are part of the document into the buffer, byte for byte,
// and names those in files of their own by their cooked form.
func (w *writer) images(ctx context.Context) error {
	objects, err := w.doc.Objects("images")
	if err != nil {
		return err
	}
	cooked, err := w.cookedTextures()
	if err != nil {
		return err
	}
	for i := range w.doc.Images {
		picture := &w.doc.Images[i]
		var data []byte
		mediaType := ""
		switch {
		case picture.BufferView != nil:
			data, err = w.doc.View(*picture.BufferView)
		case picture.URI == nil:
			continue
		case gltfcheck.IsDataURI(*picture.URI):
			data, mediaType, err = gltfcheck.DataURI(*picture.URI)
			if picture.MimeType == "" && mediaType == "" || len(data) == 0 {
				continue // a view needs a type, so it stays where it is
			}
		default:
			if cooked[i] {
				w.nameCooked(&objects[i], *picture.URI)
			}
			continue
		}
		if err != nil {
			return fmt.Errorf("image %d: %w", i, err)
		}
		number, _, err := w.accessors.views.add(ctx, image, model.Array{Size: len(data), Count: 1, Data: data})
		if err != nil {
			return err
		}
		objects[i].Delete("uri")
		objects[i].SetInt("bufferView", number)
		if picture.MimeType == "" && mediaType != "" {
			objects[i].Set("mimeType", model.Quote(mediaType))
		}
	}
	w.doc.SetObjects("images", objects)
	return nil
}

// nameCooked renames an image.
func (w *writer) nameCooked(o *model.Object, uri string) {
	o.Set("uri", model.Quote(uri+w.o.TextureSuffix))
	o.Delete("mimeType")
	if f, known := textureFormat(w.o.TextureSuffix); known {
		o.Set("mimeType", model.Quote(f.mediaType))
	}
}

// cookedTextures has textures name images of formats that glTF itself does not know in
// the way that is made for them, and returns which images are to be renamed: those that
// only plain textures use.
func (w *writer) cookedTextures() (cooked []bool, err error) {
	cooked = make([]bool, len(w.doc.Images))
	if w.o.Textures != "cooked" {
		return cooked, nil
	}
	textures, err := w.doc.Objects("textures")
	if err != nil {
		return nil, err
	}
	held := make([]bool, len(cooked))
	for i, t := range w.doc.Textures {
		for _, source := range sources(textures[i]) {
			if source >= 0 && source < len(held) {
				held[source] = true
			}
		}
		if t.Source == nil {
			continue
		}
		cooked[*t.Source] = true
		if len(sources(textures[i])) > 0 {
			held[*t.Source] = true // what a reader falls back on
		}
	}
	for i, picture := range w.doc.Images {
		cooked[i] = cooked[i] && !held[i] && picture.URI != nil && !gltfcheck.IsDataURI(*picture.URI) &&
			!strings.HasSuffix(strings.ToLower(*picture.URI), strings.ToLower(w.o.TextureSuffix))
	}
	f, known := textureFormat(w.o.TextureSuffix)
	if !known || f.extension == "" {
		return cooked, nil
	}
	for i, t := range w.doc.Textures {
		if t.Source == nil || !cooked[*t.Source] {
			continue
		}
		extensions, err := model.ParseObject(orEmpty(textures[i].Member("extensions")))
		if err != nil {
			return nil, fmt.Errorf("texture %d: %w", i, err)
		}
		extensions.Set(f.extension, fmt.Appendf(nil, `{"source":%d}`, *t.Source))
		textures[i].Delete("source")
		textures[i].Set("extensions", extensions.Text())
		w.textureExtension = f.extension
	}
	w.doc.SetObjects("textures", textures)
	return cooked, nil
}

// sources returns the images that the extensions of a texture name.
func sources(texture model.Object) (list []int) {
	extensions, err := model.ParseObject(orEmpty(texture.Member("extensions")))
	if err != nil {
		return nil
	}
	for _, e := range extensions {
		var named struct {
			Source *int `json:"source"`
		}
		if json.Unmarshal(e.Value, &named) == nil && named.Source != nil {
			list = append(list, *named.Source)
		}
	}
	return list
}

func orEmpty(object json.RawMessage) json.RawMessage {
	if object == nil {
		return json.RawMessage("{}")
	}
	return object
}

// A format is how glTF names images that are neither PNG nor JPEG.
type format struct {
	mediaType string
	extension string // of textures; "" for PNG and JPEG, which need none
}

// textureFormat returns the format of files with a suffix, false if none is known.
//
// KHR_texture_basisu is the only extension for KTX2. It asks for pictures that are to be
// transcoded; loaders hand any KTX2 to the graphics interface, that of three.js and of
// Babylon.js among them.
func textureFormat(suffix string) (format, bool) {
	switch strings.ToLower(suffix[strings.LastIndexByte(suffix, '.')+1:]) {
	case "ktx2":
		return format{"image/ktx2", "KHR_texture_basisu"}, true
	case "dds":
		return format{"image/vnd-ms.dds", "MSFT_texture_dds"}, true
	case "webp":
		return format{"image/webp", "EXT_texture_webp"}, true
	case "png":
		return format{"image/png", ""}, true
	case "jpg", "jpeg":
		return format{"image/jpeg", ""}, true
	}
	return format{}, false
}
