package drawn

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/internal/mesh/gltf"
	"github.com/assetcook/assetcook/internal/mesh/obj"
)

// Limits of a file.
const (
	maxText    = 64 << 20 // bytes of a document's text, which decodes to several times as many
	maxBuffers = 1 << 30  // bytes of buffers that are read
	maxOBJ     = 3 << 30  // bytes that reading an OBJ model takes
)

func isOBJ(data []byte, ext string) bool { return strings.EqualFold(ext, ".obj") && !gltf.IsGLB(data) }

// open reads a file of any kind.
func open(ctx context.Context, data []byte, ext string, read func(string) ([]byte, error)) (*gltf.Document, error) {
	switch {
	case gltf.IsGLB(data):
		text, chunk, _, err := gltf.SplitGLB(data)
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
	return openText(ctx, data, nil, gltf.NoChunk, read)
}

// openText checks a document and reads its buffers. The first may be the chunk.
func openText(ctx context.Context, text, chunk []byte, chunkSize int64, read func(string) ([]byte, error)) (*gltf.Document, error) {
	if len(text) > maxText {
		return nil, fmt.Errorf("the document's text has %d MiB, more than %d", len(text)>>20, maxText>>20)
	}
	parsed, err := gltf.Parse(text)
	if err != nil {
		return nil, err
	}
	files := buffers{open: read, files: map[string][]byte{}}
	if err := parsed.Check(ctx, chunkSize, files.size); err != nil {
		return nil, err
	}
	if slices.Contains(parsed.ExtensionsUsed, gltf.Draco) {
		return nil, fmt.Errorf("the model is compressed by %s, which is not shown", gltf.Draco)
	}
	if n := parsed.UnpackedSize(); n > maxBuffers {
		return nil, fmt.Errorf("the buffers have %d MiB, more than %d", n>>20, maxBuffers>>20)
	}
	if err := parsed.Load(ctx, chunk, files.read); err != nil {
		return nil, err
	}
	return parsed, parsed.Decompress(ctx)
}

// buffers reads the files of buffers, each once.
type buffers struct {
	open  func(name string) ([]byte, error)
	files map[string][]byte
	total int
}

func (f *buffers) size(name string) (int64, error) {
	data, ok := f.files[name]
	if !ok {
		var err error
		if data, err = f.open(name); err != nil {
			return 0, err
		}
		if f.total += len(data); f.total > maxBuffers {
			return 0, fmt.Errorf("the buffers have more than %d MiB", maxBuffers>>20)
		}
		f.files[name] = data
	}
	return int64(len(data)), nil
}

func (f *buffers) read(name string, _ int64) ([]byte, error) { return f.files[name], nil }
