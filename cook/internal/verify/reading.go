package verify

import (
	"bytes"
	"context"
	"slices"
	"sync/atomic"

	"github.com/assetcook/assetcook/cook/internal/bulk"
	"github.com/assetcook/assetcook/cook/internal/changes"
	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/cook/internal/session"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/hashing"
)

// A reader reads a tree once: each source, then its outputs, then their blobs. Those that
// follow each other are often the same bytes, which are then hashed once, or the same
// file, which is then read once.
type reader struct {
	s       *session.Session
	targets []string
	summer  *hashing.Summer
	sources []scan.Entry
	found   contents.Reading
	before  []contents.Before
	checks  []check
	blobs   []blobCheck
	store   *store.Store // nil if there is none
	files   []file
	bytes   atomic.Int64 // of outputs
}

// A file is the place in one of the reader's lists of what is to be read.
type file struct {
	kind fileKind
	at   int32
}

type fileKind uint8

const (
	source fileKind = iota
	output
	blob
)

// newReader lists what is to be read.
func newReader(s *session.Session, delta *changes.Delta, targets []string, found *contents.Contents, opened *store.Store) *reader {
	r := &reader{
		s: s, targets: targets, summer: hashing.NewSummer(s.Basis.Checksum), sources: delta.Sources, found: found.Begin(delta.Sources),
		before: make([]contents.Before, len(delta.Before)), store: opened,
	}
	r.list(delta.Before)
	return r
}

// list merges sources and actions, which are sorted by path.
func (r *reader) list(actions []index.Action) {
	made := 0
	for i := range actions {
		made += len(actions[i].Made)
	}
	outputs := make([]contents.Output, made)
	r.checks = make([]check, 0, made) // of which pointers are taken
	r.files = make([]file, 0, len(r.sources)+made)
	var folders [256]bool
	if r.store != nil {
		folders = r.store.BlobFolders()
	}
	seen := map[store.BlobID]bool{}
	next := 0
	for i := range actions {
		r.before[i].Action = actions[i]
		a := &r.before[i].Action
		for ; next < len(r.sources) && r.sources[next].Path <= a.Path; next++ {
			r.files = append(r.files, file{source, int32(next)})
		}
		own := outputs[:len(a.Made):len(a.Made)]
		outputs = outputs[len(a.Made):]
		r.before[i].Outputs = own
		wanted, stored := r.wants(a), r.mayBeStored(a)
		for n, m := range a.Made {
			own[n].Artifact = m
			if !wanted {
				continue
			}
			r.files = append(r.files, file{output, int32(len(r.checks))})
			r.checks = append(r.checks, check{action: a, output: &own[n]})
			if stored && folders[m.Blob[0]] && !seen[m.Blob] {
				seen[m.Blob] = true
				r.files = append(r.files, file{blob, int32(len(r.blobs))})
				r.blobs = append(r.blobs, blobCheck{Artifact: store.Artifact{Blob: m.Blob, Size: m.Stamp.Size}, action: a})
			}
		}
	}
	for ; next < len(r.sources); next++ {
		r.files = append(r.files, file{source, int32(next)})
	}
}

// wants reports whether an action is in scope.
func (r *reader) wants(a *index.Action) bool {
	return slices.Contains(r.targets, a.Target) && r.s.Scope.Has(a.Path)
}

// path is that of the source that a file belongs to.
func (r *reader) path(f file) string {
	switch f.kind {
	case source:
		return r.sources[f.at].Path
	case output:
		return r.checks[f.at].action.Path
	}
	return r.blobs[f.at].action.Path
}

func (r *reader) size(f file) int64 {
	switch f.kind {
	case source:
		return r.sources[f.at].Stamp.Size
	case output:
		return r.checks[f.at].output.Artifact.Stamp.Size
	}
	return r.blobs[f.at].Size
}

// readEverything reads everything. The error is the end of ctx.
func (r *reader) readEverything(ctx context.Context, report *reporter) error {
	trees := [...]bulk.Tree{source: bulk.OpenTree(r.s.Assets), output: bulk.OpenTree(r.s.Out), blob: {}}
	if r.store != nil {
		trees[blob] = bulk.OpenFolder(r.store.Root())
	}
	defer func() {
		for i := range trees {
			trees[i].Close()
		}
	}()
	runs := bulk.Runs(len(r.files), func(i, j int) bool { return bulk.SameFolder(r.path(r.files[i]), r.path(r.files[j])) },
		func(i int) int64 { return r.size(r.files[i]) })
	return bulk.Each(ctx, r.s.Limits.Workers, r.summer, runs, func(w *bulk.Worker, run bulk.Run) error {
		for _, f := range r.files[run.First:run.Last] {
			if err := ctx.Err(); err != nil {
				return err
			}
			switch tree := &trees[f.kind]; f.kind {
			case source:
				r.found.Read(ctx, w, tree, int(f.at))
			case output:
				r.readOutput(ctx, w, tree, &r.checks[f.at])
			case blob:
				b := &r.blobs[f.at]
				b.err = b.readBlobs(ctx, w, tree, r.store)
			}
		}
		var bytes int64
		for _, f := range r.files[run.First:run.Last] {
			bytes += r.size(f)
		}
		report.reading(run.Last-run.First, len(r.files), bytes)
		return nil
	})
}

// A blobCheck is an artifact that the store may have, one action that made it, and what
// is wrong with the blob.
type blobCheck struct {
	store.Artifact
	action *index.Action
	err    error
}

func (b *blobCheck) readBlobs(ctx context.Context, w *bulk.Worker, tree *bulk.Tree, opened *store.Store) error {
	got, err := w.Sum(tree, store.BlobFile(b.Blob), bulk.Ask{Want: hashing.WantDigest})
	if err == nil && got.Size == b.Size && store.BlobID(got.Digest) == b.Blob {
		opened.UsedBlob(b.Blob, got.Stamp.MTime)
		return nil
	}
	return opened.CheckBlob(ctx, b.Blob, b.Size)
}

// sortedBlobs are the blobs in the order of their IDs.
func (r *reader) sortedBlobs() []blobCheck {
	slices.SortFunc(r.blobs, func(a, b blobCheck) int { return bytes.Compare(a.Blob[:], b.Blob[:]) })
	return r.blobs
}
