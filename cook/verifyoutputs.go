package cook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"sync"
	"sync/atomic"

	"github.com/assetcook/assetcook/cook/index"
	"github.com/assetcook/assetcook/cook/manifest"
	"github.com/assetcook/assetcook/cook/report"
	"github.com/assetcook/assetcook/cook/scan"
	"github.com/assetcook/assetcook/cook/store"
	"github.com/assetcook/assetcook/cook/survey"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/pathname"
	"github.com/assetcook/assetcook/internal/regular"
)

// checkOutputs reads all artifacts and compares them with what was cooked.
func (v *verifier) checkOutputs(ctx context.Context) error {
	v.outputs = make([]survey.Output, v.last.Artifacts())
	wanted := v.wantedOutputs()
	rows := make([]int, 0, len(wanted))
	for row, want := range wanted {
		if want {
			rows = append(rows, row)
		}
	}
	var mu sync.Mutex
	problems := map[int]error{} // by row
	var read atomic.Int64
	open := func(i int) (io.ReadCloser, hashing.Want, error) {
		o := &v.outputs[rows[i]]
		o.Artifact = v.last.Artifact(rows[i])
		o.State = survey.Edited
		info, err := v.out.Root().Lstat(o.Artifact.Path)
		if err != nil {
			return nil, 0, err
		}
		if err := regular.Mode(info.Mode()); err != nil {
			return nil, 0, err
		}
		o.Stamp = scan.StampOf(info)
		f, err := v.out.OpenFile(o.Artifact.Path)
		return f, hashing.WantDigest, err
	}
	done := func(i int, sum hashing.FileSum, err error) {
		o := &v.outputs[rows[i]]
		read.Add(sum.Size)
		switch {
		case pathname.IsAbsent(err):
			o.State = survey.Missing
		case err != nil:
			mu.Lock()
			problems[rows[i]] = err
			mu.Unlock()
		case store.BlobID(sum.Digest) == o.Artifact.Blob && sum.Size == o.Artifact.Stamp.Size:
			o.State = survey.Intact
		case sum.Size != o.Artifact.Stamp.Size:
			mu.Lock()
			problems[rows[i]] = &otherSize{sum.Size, o.Artifact.Stamp.Size}
			mu.Unlock()
		}
	}
	if err := v.summer().SumAll(ctx, len(rows), v.Workers, open, done); err != nil {
		return err
	}
	v.sum.Outputs, v.sum.Bytes = len(rows), read.Load()
	for i := range v.last.Actions() {
		first, n := v.last.ActionArtifacts(i)
		for row := first; row < first+n; row++ {
			if wanted[row] {
				v.tellOutput(i, &v.outputs[row], problems[row])
			}
		}
	}
	return nil
}

func (v *verifier) summer() *hashing.Summer { return hashing.NewSummer(v.checksum) }

// otherSize says how an artifact differs, in bytes.
type otherSize struct{ is, was int64 }

func (e *otherSize) Error() string {
	return fmt.Sprintf("has %d bytes, and %d were cooked", e.is, e.was)
}

// tellOutput tells what is wrong with an artifact of an action, if anything is.
func (v *verifier) tellOutput(action int, o *survey.Output, problem error) {
	name := pathname.Show(o.Artifact.Path)
	f := report.Finding{
		Kind: report.OutputDamaged, Output: o.Artifact.Path,
		Path: v.last.ActionPath(action), Target: string(v.last.ActionTarget(action)),
	}
	var size *otherSize
	switch {
	case errors.As(problem, &size):
		f.Text = fmt.Sprintf("%s %v; run cook -verify", name, problem)
	case errors.Is(problem, regular.ErrNot):
		f.Text = fmt.Sprintf("%s is not a regular file; move it away and run cook", name)
	case problem != nil && v.out.Outward(o.Artifact.Path) != "":
		f.Kind = report.Unreadable
		f.Text = fmt.Sprintf("%s cannot be read: %s is a link that leads out of the output folder; remove the link and run cook",
			name, pathname.Show(v.out.Outward(o.Artifact.Path)))
	case problem != nil:
		f.Kind = report.Unreadable
		f.Text = fmt.Sprintf("%s cannot be read: %v", name, problem)
	case o.State == survey.Missing:
		f.Kind = report.OutputMissing
		f.Text = name + " is missing; run cook"
	case o.State == survey.Edited:
		f.Text = name + " does not hold what was cooked; run cook -verify"
	case o.Artifact.Stamp.Mode != 0 && o.Stamp.Mode != o.Artifact.Stamp.Mode:
		f.Kind = report.OutputMode
		f.Text = fmt.Sprintf("%s has mode %v, cook left it with %v; remove it and run cook",
			name, fs.FileMode(o.Stamp.Mode), fs.FileMode(o.Artifact.Stamp.Mode))
	default:
		return
	}
	v.found(f)
}

// checkManifest compares the manifest with what would be written for the index.
func (v *verifier) checkManifest() error {
	if v.lost {
		return nil
	}
	named := map[string]bool{}
	assets := func(yield func(manifest.Asset) bool) {
		for i := range v.last.Actions() {
			if a := v.last.Action(i); a.State == index.Done && !yield(listed(&a)) {
				return
			}
		}
	}
	damaged := func(name, what string) {
		v.found(report.Finding{Kind: report.StateDamaged, Path: name, Text: what + "; run cook -verify"})
	}
	err := manifest.Build(assets, func(f manifest.File) error {
		named[f.Name] = true
		switch data, err := v.readState(f.Name); {
		case errors.Is(err, fs.ErrNotExist):
			damaged(f.Name, "missing")
		case err != nil:
			damaged(f.Name, err.Error())
		case !bytes.Equal(data, f.Data):
			damaged(f.Name, "does not list what was cooked")
		}
		return nil
	})
	if err != nil {
		return err
	}
	parts, err := fs.ReadDir(v.out.Root().FS(), manifest.PartsDir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range parts {
		if name := path.Join(manifest.PartsDir, e.Name()); manifest.IsPart(name) && !named[name] {
			damaged(name, "belongs to no manifest")
		}
	}
	return nil
}
