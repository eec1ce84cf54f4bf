package verify

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/assetcook/assetcook/cook/internal/bulk"
	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/cook/internal/session"
	"github.com/assetcook/assetcook/cook/internal/state"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/cook/internal/todo"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/pathname"
	"github.com/assetcook/assetcook/internal/regular"
)

// ignoreStamps is the advice if only the content may show a difference.
const ignoreStamps = "cook again ignoring timestamps"

// A check is an artifact that is read, and its problem.
type check struct {
	action  *index.Action
	output  *contents.Output
	problem error // nil if output.State says everything
}

// readOutput reads an artifact. No stamp or checksum replaces its content.
func (r *reader) readOutput(ctx context.Context, w *bulk.Worker, tree *bulk.Tree, c *check) {
	c.output.State = contents.Edited
	got, err := w.Sum(tree, c.output.Artifact.Path, bulk.Ask{Want: hashing.WantDigest})
	if err == nil {
		c.output.Stamp = got.Stamp
	} else {
		got.FileSum, err = r.readAlone(ctx, c.output) // perhaps through a link, or for the error
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

// A sizeError says that an artifact has another size in bytes.
type sizeError struct{ is, was int64 }

func (e *sizeError) Error() string {
	return fmt.Sprintf("has %d bytes, and %d were cooked", e.is, e.was)
}

// finding returns the finding about an artifact that differs.
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
		f.Text = fmt.Sprintf("%s has mode %v, cook left it with %v; remove it and run cook",
			name, fs.FileMode(o.Stamp.Mode), fs.FileMode(o.Artifact.Stamp.Mode))
	}
	return f, true
}

// checkExtra reports the files of the output directory that no action makes.
func checkExtra(ctx context.Context, s *session.Session, r *reporter, before []contents.Before, claims []plan.Claim) error {
	files, err := s.State.Extra(ctx, state.Outputs(each(before), claims), s.Place.Cache)
	for _, name := range files {
		r.found(Finding{Kind: ExtraFile, Path: name, Text: "is made by nothing; move it away or remove extra files"})
	}
	if err != nil && ctx.Err() == nil {
		r.found(Finding{Kind: Unreadable, Path: s.Out.Name(), Text: err.Error()})
	}
	return ctx.Err()
}

// checkManifest compares the manifest with a new one for all actions.
func checkManifest(s *session.Session, r *reporter, before []contents.Before, targets []string, ids *todo.Identities) error {
	return s.State.Manifest.Check(each(before), ids.Of, func(name, what string) {
		r.found(Finding{Kind: StateDamaged, Path: name, Targets: targets, Text: what + "; " + ignoreStamps})
	})
}
