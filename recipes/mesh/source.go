package mesh

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/gltfcheck"
	"github.com/assetcook/assetcook/internal/mesh/model"
	"github.com/assetcook/assetcook/internal/mesh/obj"
	"github.com/assetcook/assetcook/internal/mesh/prune"
)

// readModel reads the source and what belongs to it, without what prune leaves out.
func (o *Mesh) readModel(ctx context.Context, job *recipe.Job) (doc *model.Document, gone prune.Result, err error) {
	defer job.Step("decode")()
	data, err := job.Source()
	if err != nil {
		return nil, gone, err
	}
	switch {
	case model.IsGLB(data):
		text, chunk, odd, err := model.SplitGLB(data)
		if err != nil {
			return nil, gone, err
		}
		if odd != "" {
			job.Warn("%s; export the file again", odd)
		}
		return o.readGLTF(ctx, job, text, chunk, true)
	case job.Ext() == ".obj":
		text, chunk, lost, err := obj.Convert(ctx, data, func(name string) ([]byte, error) {
			library, err := readUpTo(job, name, maxLibrary, false)
			if errors.Is(err, fs.ErrNotExist) {
				job.Warn("mtllib %.200s does not exist; its materials have no properties", name)
			}
			return library, err
		})
		if err != nil {
			return nil, gone, err
		}
		if len(lost) > 0 {
			job.Warn("glTF has no place for %s; left out of the cooked model", strings.Join(lost, ", "))
		}
		job.Hold("meshes", len(text)+len(chunk))
		return o.readGLTF(ctx, job, text, chunk, true)
	}
	return o.readGLTF(ctx, job, data, nil, false)
}

// readGLTF checks a document and reads its buffers. The first may be the chunk.
func (o *Mesh) readGLTF(ctx context.Context, job *recipe.Job, text, chunk []byte, isGLB bool) (doc *model.Document, gone prune.Result, err error) {
	chunkSize := int64(gltfcheck.NoChunk)
	if isGLB {
		chunkSize = int64(len(chunk))
	}
	parsed, err := checkDocument(ctx, job, text, chunkSize)
	if err != nil {
		return nil, gone, err
	}
	for _, m := range parsed.Mended {
		job.Warn("%v; %s", m, m.How)
	}
	if gone, err = o.pruneText(ctx, job, parsed); err != nil {
		return nil, gone, err
	}
	if gone.Any() {
		if parsed, err = checkDocument(ctx, job, parsed.Text, chunkSize); err != nil {
			return nil, gone, err
		}
	}
	doc, err = readDocument(ctx, job, parsed, chunk)
	return doc, gone, err
}

// checkDocument parses and checks the text of a document.
func checkDocument(ctx context.Context, job *recipe.Job, text []byte, chunkSize int64) (*gltfcheck.Document, error) {
	parsed, err := gltfcheck.Parse(text)
	if err != nil {
		return nil, err
	}
	job.Hold("documents", int(gltfcheck.Memory(int64(len(text)))))
	return parsed, parsed.Check(ctx, chunkSize, gltfcheck.SizeIn(job))
}

// readDocument reads the buffers of a document that has been checked.
func readDocument(ctx context.Context, job *recipe.Job, parsed *gltfcheck.Document, chunk []byte) (*model.Document, error) {
	if err := gltfcheck.WarnOfImages(job, parsed); err != nil {
		return nil, err
	}
	buffers, err := readBuffers(ctx, job, parsed, chunk)
	if err != nil {
		return nil, err
	}
	doc, err := model.New(parsed, buffers)
	if err != nil {
		return nil, err
	}
	if err := checkExtensions(doc); err != nil {
		return nil, err
	}
	if err := doc.Decompress(ctx); err != nil {
		return nil, err
	}
	job.Hold("meshes", int(model.UnpackedSize(parsed)))
	if name, found := findKey(doc.Text, namesView); found {
		return nil, fmt.Errorf("extension %.60s names bufferViews, which get other numbers here; copy the file instead", name)
	}
	return doc, nil
}

// readBuffers reads the buffers of a document that has been checked, each file once and
// no further than a buffer asks for.
func readBuffers(ctx context.Context, job *recipe.Job, doc *gltfcheck.Document, chunk []byte) ([][]byte, error) {
	longest := map[string]int64{}
	for i := range doc.Buffers {
		if b := &doc.Buffers[i]; b.URI != nil && !gltfcheck.IsDataURI(*b.URI) {
			longest[*b.URI] = max(longest[*b.URI], b.ByteLength)
		}
	}
	files := map[string][]byte{}
	buffers := make([][]byte, len(doc.Buffers))
	for i := range doc.Buffers {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		b := &doc.Buffers[i]
		var err error
		switch {
		case b.URI == nil && i == 0:
			buffers[i] = chunk
		case b.URI == nil: // an extension would bring it
		case gltfcheck.IsDataURI(*b.URI):
			buffers[i], _, err = gltfcheck.DataURI(*b.URI)
		case files[*b.URI] != nil:
			buffers[i] = files[*b.URI]
		default:
			var name string
			if name, err = gltfcheck.FileOfURI(*b.URI); err == nil {
				buffers[i], err = readUpTo(job, name, longest[*b.URI], true)
				files[*b.URI] = buffers[i]
			}
		}
		if err != nil {
			return nil, fmt.Errorf("buffer %d: %w", i, err)
		}
		if buffers[i] != nil && int64(len(buffers[i])) < b.ByteLength {
			return nil, fmt.Errorf("buffer %d: became shorter while it was read", i)
		}
	}
	return buffers, nil
}

// maxLibrary bounds the size of an MTL file. Those of cities have some 100 KB.
const maxLibrary = 4 << 20

// readUpTo reads a dependency, the first most bytes of it if it may be longer.
func readUpTo(job *recipe.Job, name string, most int64, mayBeLonger bool) ([]byte, error) {
	f, size, err := gltfcheck.OpenFile(job, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if size > most && !mayBeLonger {
		return nil, fmt.Errorf("%d bytes, want at most %d", size, most)
	}
	data := make([]byte, min(size, most))
	n, err := io.ReadFull(f, data)
	job.Hold("file contents", n)
	if err == io.ErrUnexpectedEOF || err == io.EOF {
		err = nil
	}
	return data[:n], err
}
