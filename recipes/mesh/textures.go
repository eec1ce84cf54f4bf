package mesh

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/assetcook/assetcook/internal/mesh/gltf"
)

// textures has textures name the cooked form of their images, in the way that its format
// asks for. Where an extension brings a picture that is cooked, that one is taken, as
// it is the better one of two that become files of one format. types are those of
// images that are part of the document, which only the right extension may name; made says
// which of them were of another one before.
func (w *writer) textures(cooked []cookedImage, types []string, made []bool) error {
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
			s.putImage("", int(*p), cooked, types, made)
		}
		for _, e := range extensions {
			source, ok := imageOf(e.Value, len(cooked))
			if !ok || !slices.Contains(textureExtensions, e.Key) {
				s.extensions = append(s.extensions, e)
				continue
			}
			s.putImage(e.Key, source, cooked, types, made)
		}
		w.name(&textures[i], &s, cooked)
		if s.moved {
			w.repairs.noteRepair("an image of a type that another member of the texture has to name, named by that", fmt.Sprintf("texture %d", i), 1)
		}
	}
	w.doc.Root.SetObjects("textures", textures)
	w.declareTextures(textures, types)
	return nil
}

// Sources are the images of a texture.
type sources struct {
	plain      int  // -1 for none
	cooked     int  // the one that cooking renames, -1 for none
	better     bool // an extension named it
	extensions gltf.Object
	moved      bool // one of them was in the wrong place
}

// putImage enters an image that is named by an extension, "" for the texture itself.
func (s *sources) putImage(extension string, source int, cooked []cookedImage, types []string, made []bool) {
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

// name writes the images of a texture.
func (w *writer) name(texture *gltf.Object, s *sources, cooked []cookedImage) {
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

// imageOf returns the image that an extension of a texture names.
func imageOf(extension json.RawMessage, images int) (source int, ok bool) {
	var named struct {
		Source *int `json:"source"`
	}
	if json.Unmarshal(extension, &named) != nil || named.Source == nil || *named.Source < 0 || *named.Source >= images {
		return 0, false
	}
	return *named.Source, true
}

// textureExtensions are those that name images of formats which glTF itself does not
// know.
var textureExtensions = []string{"EXT_texture_avif", "EXT_texture_webp", "KHR_texture_basisu", "MSFT_texture_dds"}

// declareTextures enters the extensions that textures use into the document's lists, and
// removes those that none uses any more. One is required if a texture has no other
// image.
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
