package execute

import (
	"context"
	"io"
	"os"
	"slices"

	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/hashing"
)

// previous opens the i-th output of an action as the last run has made it, by the same
// method, or returns nil. A stamp is not trusted here: damage that it does not show would
// become part of something new, and no longer be found.
func (c *cooker) previous(ctx context.Context, a planned, i int) *os.File {
	if a.Last == nil || a.Last.State != index.Done || i >= len(a.Last.Outputs) || !slices.Equal(a.Last.Method, a.Method.Fields) {
		return nil
	}
	o := &a.Last.Outputs[i]
	if o.State != contents.Intact || o.Artifact.Path != a.Outputs[i] {
		return nil
	}
	f, err := c.Out.OpenFile(o.Artifact.Path)
	if err != nil {
		return nil
	}
	sum, err := c.summer.Sum(ctx, f, hashing.WantDigest)
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil || store.BlobID(sum.Digest) != o.Artifact.Blob {
		f.Close()
		return nil
	}
	return f
}
