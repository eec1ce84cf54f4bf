package gltf

import (
	"bytes"
	"io"
	"slices"
)

func (c *check) images() {
	for i, image := range c.doc.Images {
		c.optional(image.BufferView, len(c.doc.BufferViews), "bufferView", "image %d", i)
		c.useView(image.BufferView, forImages)
		if image.BufferView != nil && image.MimeType == "" {
			c.mend("an image in a bufferView without mimeType", "known by its first bytes", "image", i)
		}
		if image.URI == nil {
			c.imageType(image.MimeType, i)
			if image.BufferView == nil && !image.Extensions {
				c.faults.addFault("image %d: neither uri nor bufferView", i)
			}
			continue
		}
		var err error
		if IsDataURI(*image.URI) {
			err = c.embedded(i)
		} else {
			_, err = FileOfURI(*image.URI)
		}
		if err != nil {
			c.faults.addFault("image %d: %v", i, err)
		}
		if image.BufferView != nil {
			c.faults.addFault("image %d: both uri and bufferView", i)
		}
	}
}

// embedded checks an image in a data URI.
func (c *check) embedded(i int) error {
	image := &c.doc.Images[i]
	r, _, err := openDataURI(*image.URI)
	if err != nil {
		return err
	}
	head := make([]byte, 16)
	n, _ := io.ReadFull(r, head) // dataURISize reports errors
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
			c.mend("an embedded image of another type than it is declared", "declared as what it is", "image", i)
			break
		}
	}
	c.imageType(found, i)
	return nil
}

// imageType checks that the extension is declared that an image's type needs.
func (c *check) imageType(mediaType string, i int) {
	if name := ImageExtension(mediaType); name != "" && !slices.Contains(c.doc.ExtensionsUsed, name) {
		c.mend("an embedded image of a type whose extension extensionsUsed does not name", "entered there", "image", i)
	}
}

// ImageType returns the media type of a picture by its first bytes, "" if glTF and its
// extensions do not name the type.
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

// ImageExtension returns the extension by which textures name images of a type, "" for
// types of core glTF.
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
