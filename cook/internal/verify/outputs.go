package verify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync/atomic"

	"github.com/assetcook/assetcook/cook/internal/bulk"
	"github.com/assetcook/assetcook/cook/internal/changes"
	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/cook/internal/session"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/cook/internal/todo"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/pathname"
	"github.com/assetcook/assetcook/internal/regular"
)

// ignoreStamps is the advice to give if only the content may reveal a difference.
const ignoreStamps = "cook again ignoring timestamps"

// A check is an artifact to read, and the problem found with it.
type check struct {
	action  *index.Action
	output  *contents.Output
	problem error // problem found; nil if output.State is sufficient
}

// readArtifactContent reads an artifact. It always reads the content, whatever the stamp or
// checksum.
func (r *reader) readArtifactContent(ctx context.Context, w *bulk.Worker, tree *bulk.Tree, c *check) {
	c.output.State = contents.Edited
	got, err := w.Sum(tree, c.output.Artifact.Path, bulk.Ask{Want: hashing.WantDigest})
	if err == nil {
		c.output.Stamp = got.Stamp
	} else {
		got.FileSum, err = r.readAlone(ctx, c.output) // succeeds only if the file is reached through a link
	}
	r.bytes.Add(got.Size)
	switch was := c.output.Artifact; {
	case pathname.IsAbsent(err):
		c.output.State = contents.Missing
	case err != nil:
		c.problem = err
	case got.Size != was.Stamp.Size:
		c.problem = &sizeError{got.Size, was.Stamp.Size}
	case store.BlobID(got.Digest) == was.Blob:
		c.output.State = contents.Intact
	}
}

// readAlone reads an artifact that a bulk worker cannot read.
func (r *reader) readAlone(ctx context.Context, o *contents.Output) (hashing.FileSum, error) {
	info, err := r.s.Out.Root().Lstat(o.Artifact.Path)
	if err != nil {
		return hashing.FileSum{}, err
	}
	if err := regular.Mode(info.Mode()); err != nil {
		return hashing.FileSum{}, err
	}
	o.Stamp = scan.StampOf(info)
	f, err := r.s.Out.OpenFile(o.Artifact.Path)
	if err != nil {
		return hashing.FileSum{}, err
	}
	defer f.Close()
	return r.summer.Sum(ctx, f, hashing.WantDigest)
}

// A sizeError reports that an artifact has a different size, in bytes.
type sizeError struct{ is, was int64 }

func (e *sizeError) Error() string {
	return fmt.Sprintf("has %d bytes, but was cooked with %d", e.is, e.was)
}

// finding returns the finding for an artifact that differs.
func (c *check) finding(s *session.Session) (f Finding, differs bool) {
	o := c.output
	if sameMode := o.Artifact.Stamp.Mode == 0 || o.Stamp.Mode == o.Artifact.Stamp.Mode; o.State == contents.Intact && sameMode {
		return Finding{}, false
	}
	name := pathname.Show(o.Artifact.Path)
	f = Finding{Kind: OutputDamaged, Output: o.Artifact.Path, Path: c.action.Path, Target: c.action.Target}
	var size *sizeError
	switch {
	case errors.As(c.problem, &size):
		f.Text = fmt.Sprintf("%s %v; %s", name, c.problem, ignoreStamps)
	case errors.Is(c.problem, regular.ErrNot):
		f.Text = fmt.Sprintf("%s is not a regular file; move it away and run cook", name)
	case c.problem != nil && s.Out.Outward(o.Artifact.Path) != "":
		f.Kind = Unreadable
		f.Text = fmt.Sprintf("%s cannot be read: %s is a link that leads out of the output directory; remove the link and run cook",
			name, pathname.Show(s.Out.Outward(o.Artifact.Path)))
	case c.problem != nil:
		f.Kind = Unreadable
		f.Text = fmt.Sprintf("%s cannot be read: %v", name, c.problem)
	case o.State == contents.Missing:
		f.Kind = OutputMissing
		f.Text = name + " is missing; run cook"
	case o.State == contents.Edited:
		f.Text = fmt.Sprintf("%s differs from the cooked artifact; %s", name, ignoreStamps)
	default:
		f.Kind = OutputMode
		f.Text = fmt.Sprintf("%s has mode %v, but cook wrote it with %v; remove the file and run cook",
			name, fs.FileMode(o.Stamp.Mode), fs.FileMode(o.Artifact.Stamp.Mode))
	}
	return f, true
}

// checkExtra reports the files of the output directory that no action makes.
func checkExtra(ctx context.Context, s *session.Session, r *reporter, known index.Results, claims []plan.Claim) error {
	files, err := s.State.Extra(ctx, known, claims, s.Place.Cache)
	for _, name := range files {
		r.reportFinding(Finding{Kind: ExtraFile, Path: name, Text: "does not belong to any asset; move the file away or remove extra files"})
	}
	if err != nil && ctx.Err() == nil {
		r.reportFinding(Finding{Kind: Unreadable, Path: s.Out.Name(), Text: err.Error()})
	}
	return ctx.Err()
}

// checkManifest compares the manifest with a new one for all actions.
func checkManifest(s *session.Session, r *reporter, known index.Results, targets []string, ids *todo.Identities) error {
	return s.State.Manifest.Check(s.Place.Manifest, known, ids.Of, func(name, what string) {
		r.reportFinding(Finding{Kind: StateDamaged, Path: name, Targets: targets, Text: what + "; " + ignoreStamps})
	})
}

// A reader reads a tree once: each source, then its outputs, then their blobs. Often, successive
// files have the same bytes. These bytes are hashed only once. If the files are the same file, it
// is read only once.
type reader struct {
	s       *session.Session
	targets []string
	summer  *hashing.Summer
	sources []scan.Entry
	found   contents.Reading
	before  []contents.Before
	checks  []check
	blobs   []blobCheck
	store   *store.Store // nil if there is no store
	files   []file
	bytes   atomic.Int64 // size of all outputs
}

// A file is a reference to a file to read: its kind, and its index in the list of that kind.
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

// newOutputReader lists the files to read.
func newOutputReader(s *session.Session, delta *changes.Delta, targets []string, found *contents.Contents, opened *store.Store) *reader {
	r := &reader{
		s: s, targets: targets, summer: hashing.NewSummer(s.Basis.Checksum), sources: delta.Sources, found: found.Begin(delta.Sources),
		before: make([]contents.Before, len(delta.Before)), store: opened,
	}
	r.mergeFiles(delta.Before)
	return r
}

// mergeFiles merges sources and actions, which must be sorted by path.
func (r *reader) mergeFiles(actions []index.Action) {
	made := 0
	for i := range actions {
		made += len(actions[i].Made)
	}
	outputs := make([]contents.Output, made)
	r.checks = make([]check, 0, made) // never reallocated, because pointers refer to its elements
	r.files = make([]file, 0, len(r.sources)+made)
	var folders [256]bool
	if r.store != nil {
		folders = r.store.BlobFolders()
	}
	seen := map[store.BlobID]bool{}
	next := 0
	for i := range actions {
		a := &actions[i]
		r.before[i].Action = a
		for ; next < len(r.sources) && r.sources[next].Path <= a.Path; next++ {
			r.files = append(r.files, file{source, int32(next)})
		}
		own := outputs[:len(a.Made):len(a.Made)]
		outputs = outputs[len(a.Made):]
		r.before[i].Outputs = own
		wanted, stored := r.isInScope(a), r.mayBeStored(a)
		for n := range a.Made {
			m := &a.Made[n]
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

// isInScope reports whether an action is in scope.
func (r *reader) isInScope(a *index.Action) bool {
	return slices.Contains(r.targets, a.Target) && r.s.Scope.Has(a.Path)
}

// sourcePath returns the path of the source that a file belongs to.
func (r *reader) sourcePath(f file) string {
	switch f.kind {
	case source:
		return r.sources[f.at].Path
	case output:
		return r.checks[f.at].action.Path
	}
	return r.blobs[f.at].action.Path
}

// expectedSize returns the expected size of a file.
func (r *reader) expectedSize(f file) int64 {
	switch f.kind {
	case source:
		return r.sources[f.at].Stamp.Size
	case output:
		return r.checks[f.at].output.Artifact.Stamp.Size
	}
	return r.blobs[f.at].Size
}

// readEverything reads all files, or stops when ctx ends.
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
	report.expect(len(r.files))
	runs := bulk.Runs(len(r.files), func(i, j int) bool { return bulk.SameFolder(r.sourcePath(r.files[i]), r.sourcePath(r.files[j])) },
		func(i int) int64 { return r.expectedSize(r.files[i]) })
	return bulk.Each(ctx, r.s.Limits.Workers, r.summer, runs, func(w *bulk.Worker, run bulk.Run) error {
		for _, f := range r.files[run.First:run.Last] {
			if err := ctx.Err(); err != nil {
				return err
			}
			switch tree := &trees[f.kind]; f.kind {
			case source:
				r.found.Read(ctx, w, tree, int(f.at))
			case output:
				r.readArtifactContent(ctx, w, tree, &r.checks[f.at])
			case blob:
				b := &r.blobs[f.at]
				b.err = b.readBlobs(ctx, w, tree, r.store)
			}
		}
		var bytes int64
		for _, f := range r.files[run.First:run.Last] {
			bytes += r.expectedSize(f)
		}
		report.reading(run.Last-run.First, bytes)
		return nil
	})
}

// A blobCheck is a blob that the store may have, with an action that produced it.
type blobCheck struct {
	store.Artifact
	action *index.Action
	err    error
}

// readBlobs reads the blobs, and removes damaged blobs.
func (b *blobCheck) readBlobs(ctx context.Context, w *bulk.Worker, tree *bulk.Tree, opened *store.Store) error {
	got, err := w.Sum(tree, store.BlobFile(b.Blob), bulk.Ask{Want: hashing.WantDigest})
	if err == nil && got.Size == b.Size && store.BlobID(got.Digest) == b.Blob {
		opened.UsedBlob(b.Blob, got.Stamp.MTime)
		return nil
	}
	return opened.CheckBlob(ctx, b.Blob, b.Size)
}

// sortedBlobs returns the blobs in the order of their IDs.
func (r *reader) sortedBlobs() []blobCheck {
	slices.SortFunc(r.blobs, func(a, b blobCheck) int { return bytes.Compare(a.Blob[:], b.Blob[:]) })
	return r.blobs
}
