package mesh

import (
	"bytes"
	"context"
	"encoding/json"
	"io"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/mesh/gltf"
	"github.com/assetcook/assetcook/internal/mesh/obj"
)

// Bounds of what is read of a model to find the files that it holds when it is cooked. Of documents
// beyond them nothing is known, nor of mtllib lines far from the beginning of an OBJ model.
const (
	maxHeldText = 16 << 20
	maxOBJHead  = 1 << 20
	maxHeld     = 4096
)

// held extracts the buffers of glTF models and the MTL files of OBJ models. The first bytes of a
// model decide its format.
var held = recipe.Extract{Name: "buffers", Version: 1, Of: heldBy, Holds: []string{".bin", ".mtl"}, Files: "*.{gltf,glb,obj}"}

func heldBy(file io.ReaderAt, size int64) (recipe.Says, error) {
	text, isGLB, err := gltf.ReadText(file, size, maxHeldText)
	if err != nil {
		return nil, err
	}
	var names []string
	switch {
	case isGLB || gltf.IsJSON(text):
		names = buffersOf(text)
	case text != nil && len(text) <= maxOBJHead:
		names = obj.Libraries(context.Background(), text)
	default:
		head := make([]byte, maxOBJHead)
		n, err := file.ReadAt(head, 0)
		if err != nil && err != io.EOF {
			return nil, err
		}
		head = head[:bytes.LastIndexByte(head[:n], '\n')+1]
		if !gltf.IsJSON(head) {
			names = obj.Libraries(context.Background(), head)
		}
	}
	if len(names) > maxHeld {
		return nil, nil
	}
	says := recipe.Says{}
	for _, name := range names {
		says[name] = []byte("held")
	}
	return says, nil
}

// buffersOf returns the files of the buffers of a document.
func buffersOf(text []byte) (names []string) {
	var doc struct {
		Buffers []struct {
			URI *string `json:"uri"`
		} `json:"buffers"`
	}
	if json.Unmarshal(bytes.TrimPrefix(text, []byte("\ufeff")), &doc) != nil {
		return nil
	}
	for _, b := range doc.Buffers {
		if b.URI == nil || gltf.IsDataURI(*b.URI) {
			continue
		}
		if name, err := gltf.FileOfURI(*b.URI); err == nil {
			names = append(names, name)
		}
	}
	return names
}
