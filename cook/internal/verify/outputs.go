package verify

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync/atomic"

	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/pass"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/pathname"
	"github.com/assetcook/assetcook/internal/regular"
)

// ignoreStamps is the advice where nothing but the content may show a difference.
const ignoreStamps = "cook again ignoring timestamps"

// A check is an artifact that is read, and what was wrong with that.
type check struct {
	action  *index.Action
	output  *contents.Output
	problem error // nil if output.State says all
}

// A reading is what was read of the outputs.
type reading struct {
	outputs int
	bytes   int64
}

// checkOutputs reads the artifacts of all actions that the session wants, and compares
// them with what was cooked. No stamp or checksum stands for their content.
func checkOutputs(ctx context.Context, s *pass.Session, r *reporter, actions []index.Action) ([]contents.Before, reading, error) {
	before := make([]contents.Before, len(actions))
	var checks []check
	for i := range actions {
		a := &actions[i]
		before[i] = contents.Before{Action: *a, Outputs: make([]contents.Output, len(a.Made))}
		for n := range a.Made {
			o := &before[i].Outputs[n]
			if o.Artifact = a.Made[n]; s.Wants(a) {
				checks = append(checks, check{action: a, output: o})
			}
		}
	}
	bytes, err := readOutputs(ctx, s, checks)
	if err != nil {
		return nil, reading{}, err
	}
	for i := range checks {
		if f, differs := checks[i].finding(s); differs {
			r.found(f)
		}
	}
	return before, reading{len(checks), bytes}, nil
}

// readOutputs fills in what reading shows, and returns how much was read.
func readOutputs(ctx context.Context, s *pass.Session, checks []check) (bytes int64, err error) {
	var read atomic.Int64
	open := func(i int) (io.ReadCloser, hashing.Want, error) {
		o := checks[i].output
		o.State = contents.Edited
		info, err := s.Out.Root().Lstat(o.Artifact.Path)
		if err != nil {
			return nil, 0, err
		}
		if err := regular.Mode(info.Mode()); err != nil {
			return nil, 0, err
		}
		o.Stamp = scan.StampOf(info)
		f, err := s.Out.OpenFile(o.Artifact.Path)
		return f, hashing.WantDigest, err
	}
	done := func(i int, sum hashing.FileSum, err error) {
		c := &checks[i]
		read.Add(sum.Size)
		switch was := c.output.Artifact; {
		case pathname.IsAbsent(err):
			c.output.State = contents.Missing
		case err != nil:
			c.problem = err
		case sum.Size != was.Stamp.Size:
			c.problem = &sizeError{sum.Size, was.Stamp.Size}
		case store.BlobID(sum.Digest) == was.Blob:
			c.output.State = contents.Intact
		}
	}
	err = hashing.NewSummer(s.Checksum).SumAll(ctx, len(checks), s.Limits.Workers, open, done)
	return read.Load(), err
}

// A sizeError says that an artifact has another size, in bytes.
type sizeError struct{ is, was int64 }

func (e *sizeError) Error() string {
	return fmt.Sprintf("has %d bytes, and %d were cooked", e.is, e.was)
}

// finding says what is wrong with an artifact, if anything is.
func (c *check) finding(s *pass.Session) (f Finding, differs bool) {
	o := c.output
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
		f.Text = fmt.Sprintf("%s cannot be read: %s is a link that leads out of the output folder; remove the link and run cook",
			name, pathname.Show(s.Out.Outward(o.Artifact.Path)))
	case c.problem != nil:
		f.Kind = Unreadable
		f.Text = fmt.Sprintf("%s cannot be read: %v", name, c.problem)
	case o.State == contents.Missing:
		f.Kind = OutputMissing
		f.Text = name + " is missing; run cook"
	case o.State == contents.Edited:
		f.Text = fmt.Sprintf("%s does not hold what was cooked; %s", name, ignoreStamps)
	case o.Artifact.Stamp.Mode != 0 && o.Stamp.Mode != o.Artifact.Stamp.Mode:
		f.Kind = OutputMode
		f.Text = fmt.Sprintf("%s has mode %v, cook left it with %v; remove it and run cook",
			name, fs.FileMode(o.Stamp.Mode), fs.FileMode(o.Artifact.Stamp.Mode))
	default:
		return Finding{}, false
	}
	return f, true
}

// checkManifest compares the manifest with what would be written for all actions.
func checkManifest(s *pass.Session, r *reporter, actions []index.Action) error {
	return s.State.CheckManifest(each(actions), func(name, what string) {
		r.found(Finding{Kind: StateDamaged, Path: name, Text: what + "; " + ignoreStamps})
	})
}
