package drawn

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/internal/gltfcheck"
	"github.com/assetcook/assetcook/internal/mesh/model"
	"github.com/assetcook/assetcook/internal/mesh/obj"
)

// Limits of a file.
const (
	maxText    = 64 << 20 // bytes of a document's text, which decodes to several times as many
	maxBuffers = 1 << 30  // bytes of buffers that are read
	maxOBJ     = 3 << 30  // bytes that reading an OBJ model takes
)

// compressed are extensions that keep vertices or triangles in a form of their own.
var compressed = []string{"KHR_draco_mesh_compression"}

func isOBJ(data []byte, ext string) bool { return strings.EqualFold(ext, ".obj") && !model.IsGLB(data) }

// open reads a file of any kind.
func open(ctx context.Context, data []byte, ext string, read func(string) ([]byte, error)) (*model.Document, error) {
	switch {
	case model.IsGLB(data):
		text, chunk, _, err := model.SplitGLB(data)
		if err != nil {
			return nil, err
		}
		return openText(ctx, text, chunk, int64(len(chunk)), read)
	case isOBJ(data, ext):
		if need, _ := obj.Measure(data); need > maxOBJ {
			return nil, fmt.Errorf("reading the model takes %d MiB, more than %d", need>>20, maxOBJ>>20)
		}
		text, chunk, _, err := obj.Convert(ctx, data, func(name string) ([]byte, error) {
			library, err := read(name)
			if err != nil {
				return nil, fs.ErrNotExist // the model is drawn without its colors
			}
			return library, nil
		})
		if err != nil {
			return nil, err
		}
		return openText(ctx, text, chunk, int64(len(chunk)), read)
	}
	return openText(ctx, data, nil, gltfcheck.NoChunk, read)
}

// openText checks a document and reads its buffers. The first may be the chunk.
func openText(ctx context.Context, text, chunk []byte, chunkSize int64, read func(string) ([]byte, error)) (*model.Document, error) {
	if len(text) > maxText {
		return nil, fmt.Errorf("the document's text has %d MiB, more than %d", len(text)>>20, maxText>>20)
	}
	parsed, err := gltfcheck.Parse(text)
	if err != nil {
		return nil, err
	}
	files := buffers{read: read, files: map[string][]byte{}}
	if err := parsed.Check(ctx, chunkSize, files.size); err != nil {
		return nil, err
	}
	for _, name := range parsed.ExtensionsUsed {
		if slices.Contains(compressed, name) {
			return nil, fmt.Errorf("the model is compressed by %s, which is not shown", name)
		}
	}
	list := make([][]byte, len(parsed.Buffers))
	for i := range list {
		b := &parsed.Buffers[i]
		switch {
		case b.URI == nil && i == 0:
			list[i] = chunk
		case b.URI != nil:
			if list[i], err = files.bytes(*b.URI); err != nil {
				return nil, fmt.Errorf("buffer %d: %w", i, err)
			}
		}
	}
	if n := model.UnpackedSize(parsed); n > maxBuffers {
		return nil, fmt.Errorf("the buffers have %d MiB, more than %d", n>>20, maxBuffers>>20)
	}
	doc, err := model.New(parsed, list)
	if err != nil {
		return nil, err
	}
	return doc, doc.Decompress(ctx)
}

// buffers reads the files of buffers, each once.
type buffers struct {
	read  func(name string) ([]byte, error)
	files map[string][]byte
	total int
}

func (f *buffers) size(name string) (int64, error) {
	data, ok := f.files[name]
	if !ok {
		var err error
		if data, err = f.read(name); err != nil {
			return 0, err
		}
		if f.total += len(data); f.total > maxBuffers {
			return 0, fmt.Errorf("the buffers have more than %d MiB", maxBuffers>>20)
		}
		f.files[name] = data
	}
	return int64(len(data)), nil
}

func (f *buffers) bytes(uri string) ([]byte, error) {
	if gltfcheck.IsDataURI(uri) {
		data, _, err := gltfcheck.DataURI(uri)
		return data, err
	}
	name, err := gltfcheck.FileOfURI(uri)
	if err != nil {
		return nil, err
	}
	data, ok := f.files[name]
	if !ok {
		return nil, errors.New("was not measured")
	}
	return data, nil
}
