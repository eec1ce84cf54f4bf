package gltf

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
)

func (c *check) checkImages() {
	for i, image := range c.doc.Images {
		c.checkOptionalIndex(image.BufferView, len(c.doc.BufferViews), "bufferView", "image %d", i)
		c.useView(image.BufferView, forImages)
		if image.BufferView != nil && image.MimeType == "" {
			c.noteMend("an image in a bufferView has no mimeType", "its type was set by its first bytes", "image", i)
		}
		if image.URI == nil {
			c.checkImageType(image.MimeType, i)
			if image.BufferView == nil && !image.Extensions {
				c.faults.addFault("image %d has neither uri nor bufferView", i)
			}
			continue
		}
		var err error
		if IsDataURI(*image.URI) {
			err = c.checkEmbeddedImage(i)
		} else {
			_, err = FileOfURI(*image.URI)
		}
		if err != nil {
			c.faults.addFault("image %d: %v", i, err)
		}
		if image.BufferView != nil {
			c.faults.addFault("image %d has both uri and bufferView", i)
		}
	}
}

// checkEmbeddedImage checks an image in a data URI.
func (c *check) checkEmbeddedImage(i int) error {
	image := &c.doc.Images[i]
	r, _, err := openDataURI(*image.URI)
	if err != nil {
		return err
	}
	head := make([]byte, 16)
	n, _ := io.ReadFull(r, head) // ignored, because dataURISize reports errors of the URI
	if _, err := dataURISize(*image.URI); err != nil {
		return err
	}
	declared := []string{mediaTypeOf(*image.URI), image.MimeType}
	found := ImageType(head[:n])
	if found == "" {
		found = declared[0]
	}
	for _, d := range declared {
		if d != "" && found != "" && d != found {
			c.noteMend("the type of an embedded image differs from the declared type", "the declared type was corrected", "image", i)
			break
		}
	}
	c.checkImageType(found, i)
	return nil
}

// checkImageType checks that the document declares the extension that an image's type needs.
func (c *check) checkImageType(mediaType string, i int) {
	if name := ImageExtension(mediaType); name != "" && !slices.Contains(c.doc.ExtensionsUsed, name) {
		c.noteMend("the extension for the type of an embedded image is missing in extensionsUsed", "the extension was added", "image", i)
	}
}

// ImageType detects the media type of an image from its first bytes. It returns "" for types that
// neither glTF nor its extensions define.
func ImageType(data []byte) string {
	for _, kind := range []struct{ start, mediaType string }{
		{"\x89PNG\r\n\x1a\n", "image/png"},
		{"\xff\xd8\xff", "image/jpeg"},
		{"\xabKTX 20\xbb\r\n\x1a\n", "image/ktx2"},
		{"DDS ", "image/vnd-ms.dds"},
	} {
		if bytes.HasPrefix(data, []byte(kind.start)) {
			return kind.mediaType
		}
	}
	if len(data) >= 12 && string(data[:4]) == "RIFF" && string(data[8:12]) == "WEBP" {
		return "image/webp"
	}
	return ""
}

// ImageExtension returns the glTF extension that textures with images of a type need. It returns ""
// for the types of core glTF.
func ImageExtension(mediaType string) string {
	switch mediaType {
	case "image/avif":
		return "EXT_texture_avif"
	case "image/webp":
		return "EXT_texture_webp"
	case "image/ktx2":
		return "KHR_texture_basisu"
	case "image/vnd-ms.dds":
		return "MSFT_texture_dds"
	}
	return ""
}

// EachImage calls visit for each image that a material uses, directly or through an extension.
// isSlot reports whether a member holds a texture. textures are the document's textures, and images
// is the number of its images.
func EachImage(material Object, isSlot func(member string) bool, textures []Object, images int, visit func(slot string, image int)) {
	eachTexture(material, 0, isSlot, func(slot string, texture int) {
		if texture < 0 || texture >= len(textures) {
			return
		}
		t := textures[texture]
		if image, ok := SourceOf(t, images); ok {
			visit(slot, image)
		}
		extensions, _ := t.Object("extensions")
		for _, e := range extensions {
			if o, err := ParseObject(e.Value); err == nil {
				if image, ok := SourceOf(o, images); ok {
					visit(slot, image)
				}
			}
		}
	})
}

// eachTexture calls visit for the textures of a material or of one of its parts.
func eachTexture(o Object, depth int, isSlot func(member string) bool, visit func(slot string, texture int)) {
	for _, m := range o {
		if m.Key == "extras" || depth > 3 { // the three levels are the material, its extensions, and one extension
			continue
		}
		members, err := ParseObject(m.Value)
		if err != nil {
			continue
		}
		var index *int
		if isSlot(m.Key) && json.Unmarshal(members.Member("index"), &index) == nil && index != nil {
			visit(m.Key, *index)
			continue
		}
		eachTexture(members, depth+1, isSlot, visit)
	}
}

// SourceOf returns the source image of a texture, or of an extension of a texture.
func SourceOf(o Object, images int) (image int, ok bool) {
	var source *int
	if json.Unmarshal(o.Member("source"), &source) != nil || source == nil || *source < 0 || *source >= images {
		return 0, false
	}
	return *source, true
}

// IsOpaque reports whether a material ignores alpha.
func IsOpaque(material Object) bool {
	var mode string
	text := material.Member("alphaMode")
	return text == nil || json.Unmarshal(text, &mode) == nil && mode == "OPAQUE"
}
