package mesh

import (
	"context"
	"fmt"

	"github.com/assetcook/assetcook/internal/mesh/gltf"
)

// images moves pictures that are part of the document into the buffer, byte for byte or as
// textures, and names those in files of their own by their cooked form.
func (w *writer) images(ctx context.Context) error {
	objects, err := w.doc.Objects("images")
	if err != nil {
		return err
	}
	cooked := w.cookedImages()
	types := make([]string, len(objects)) // of the images that are part of the document
	made := make([]bool, len(objects))    // those of them that have become textures
	pictures, err := w.pictures()
	if err != nil {
		return err
	}
	for i := range w.doc.Images {
		if cooked[i].uri != "" {
			cooked[i].name(&objects[i])
			continue
		}
		data, declared, err := w.embedded(&w.doc.Images[i])
		if err != nil {
			return fmt.Errorf("image %d: %w", i, err)
		}
		mediaType := declared
		if found := gltf.ImageType(data); found != "" {
			mediaType = found
		}
		switch {
		case data == nil: // in a file of its own
			continue
		case mediaType == "" && w.doc.Images[i].BufferView != nil:
			return fmt.Errorf("image %d: without a mimeType, and of no known kind by its first bytes", i)
		case mediaType == "":
			continue // a view needs a type, so it stays where it is
		}
		if mediaType != declared && declared != "" && w.doc.Images[i].BufferView != nil { // of others the checker has warned
			w.repairs.noteRepair("an embedded image of another type than it is declared, declared as what it is", fmt.Sprintf("image %d", i), 1)
		}
		texels, err := w.cookPicture(ctx, i, data, pictures[i])
		if err != nil {
			return err
		}
		if made[i] = texels != nil; made[i] {
			data, mediaType = texels, gltf.ImageType(texels)
		}
		types[i] = mediaType
		number, _, err := w.accessors.views.appendArray(ctx, image, gltf.Array{Size: len(data), Count: 1, Data: data})
		if err != nil {
			return err
		}
		objects[i].Delete("uri")
		objects[i].SetInt("bufferView", number)
		objects[i].Set("mimeType", gltf.Quote(mediaType))
	}
	w.doc.Root.SetObjects("images", objects)
	return w.textures(cooked, types, made)
}

// embedded returns the bytes of a picture that is part of the document, nil for others,
// and the media type that it is said to have.
func (w *writer) embedded(picture *gltf.Image) (data []byte, declared string, err error) {
	switch {
	case picture.BufferView != nil:
		data, err = w.doc.View(*picture.BufferView)
		return data, picture.MimeType, err
	case picture.URI != nil && gltf.IsDataURI(*picture.URI):
		data, declared, err = gltf.DataURI(*picture.URI)
		if picture.MimeType != "" {
			declared = picture.MimeType
		}
		if len(data) == 0 {
			data = nil
		}
	}
	return data, declared, err
}
