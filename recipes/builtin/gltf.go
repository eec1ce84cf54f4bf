package builtin

import (
	"context"
	"fmt"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/mesh/gltf"
)

// GLTF checks a glTF 2.0 document (.gltf, the JSON form) and copies it as it
// is. It has no options.
//
// Package gltf documents the checks.
//
// Files of buffers are dependencies. Of files of images only the existence is one: an edit of a
// texture does not cook every model that shows it.
type GLTF struct{}

// Outputs implements recipe.Cooker.
func (*GLTF) Outputs() []string { return []string{"{path}"} }

// estimateMemory implements Traits.Estimate. Buffers in files of their own are not
// read, only measured.
func (*GLTF) estimateMemory(_ []byte, size int64) (int64, error) {
	return gltf.Memory(size), nil
}

// Cook implements recipe.Cooker.
func (*GLTF) Cook(ctx context.Context, job *recipe.Job) error {
	text, err := job.Source()
	if err != nil {
		return err
	}
	doc, err := gltf.Parse(text)
	if err != nil {
		return err
	}
	if err := doc.Check(ctx, gltf.NoChunk, gltf.SizeIn(job)); err != nil {
		return err
	}
	if len(doc.Mended) > 0 {
		return fmt.Errorf("%v; the recipe \"mesh\" can put that right", doc.Mended[0])
	}
	for i := range doc.Buffers {
		if b := &doc.Buffers[i]; b.URI == nil && !b.Extensions {
			job.Warn("buffer %d has no uri: what loads the model has to bring its %d bytes", i, b.ByteLength)
			break
		}
	}
	if err := doc.WarnOfImages(job); err != nil {
		return err
	}
	return job.Write(0, text)
}
