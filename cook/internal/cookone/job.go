package cookone

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook/internal/artifacts"
	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/glob"
	"github.com/assetcook/assetcook/cook/internal/hashname"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/cook/manifest"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/dependency"
	"github.com/assetcook/assetcook/internal/jobs"
	"github.com/assetcook/assetcook/internal/pathname"
)

// recipeEnv returns the functions that a recipe's job calls.
func (c *Cooker) recipeEnv(ctx context.Context, t Task, tmp *Scratch, w *watch, how Attempt) jobs.Env {
	a := t.Action
	env := jobs.Env{
		Path: a.Path, Outputs: tmp.absoluteName(), Names: a.Method.Choice.FinalNames(a.Path), Create: tmp.createOutput,
		Write: func(i int, data []byte) error { return tmp.writeOutput(i, data, c.mode) }, Named: tmp.forgetWritten,
		Assets: c.env.Assets.Name(), SourceFile: t.chain.madeFileName(a.Path),
		Followed: func(source string) (string, any, []string) {
			by, options, outputs := a.Method.Choice.Followed(source)
			w.noteNames(a.Target, source, outputs)
			return by, options, outputs
		},
		Open: func(p string) (fs.File, error) { return c.openInput(ctx, t, p, w, how.Source) },
		Stat: func(p string) (fs.FileInfo, error) {
			if f, made := t.chain.madeAt(p); made {
				return t.chain.statMade(f)
			}
			info, err := c.env.Assets.Stat(p)
			w.denyUnknown(err)
			return info, err
		},
		List: func(listing recipe.Dependency) ([]string, bool, error) {
			w.opened[listing] = true // recorded before the recipe uses the listing
			return c.env.Contents.List(ctx, listing)
		},
		Extract: func(of recipe.Dependency) ([]recipe.Said, bool, error) { return c.extract(t, of) },
		IsLink:  func(p string) (bool, error) { return c.env.Contents.IsLink(ctx, p) },
		Artifacts: func(patterns []string) ([]manifest.Asset, recipe.Dependency, error) {
			on := t.othersArtifacts(dependency.Artifacts, patterns)
			if err := t.waitsFor(on); err != nil {
				w.watchList(nil, err)
				return nil, on, err
			}
			list, err := c.env.Artifacts.List(on)
			w.watchList(list, err)
			return list, on, err
		},
		IDs: func(patterns []string) (map[string]string, recipe.Dependency, error) {
			on := t.othersArtifacts(dependency.IDs, patterns)
			if err := t.waitsFor(on); err != nil {
				w.watchList(nil, err)
				return nil, on, err
			}
			ids, err := c.env.Artifacts.IDsOf(on)
			w.watchList(nil, err)
			return ids, on, err
		},
		ReadArtifact: func(p string) ([]byte, error) { return c.readArtifact(w, a.Target, p) },
		Previous: func(i int) *os.File {
			if how.Again != nil {
				return nil
			}
			return c.openPrevious(ctx, a, i)
		},
		Each:    how.Times.eachTimed(c.env.Cores, c.env.Now),
		Step:    c.stepsOf(how),
		Note:    how.Note,
		Grew:    how.Grew,
		Scratch: func() (string, error) { return tmp.actionFolder(a) },
	}
	if how.Again != nil {
		env.Vars, env.Traced = how.Again.Vars, how.Again.Traced
	}
	if how.Probe != nil && how.Holdings != nil {
		env.Hold = func(kind string, bytes int64) { how.Holdings.noteHolding(c.env.Probe, how.Probe, kind, bytes) }
	}
	return env
}

// openInput opens a file for a recipe. From now on, the run notices changes of the file.
func (c *Cooker) openInput(ctx context.Context, t Task, p string, w *watch, source *Source) (fs.File, error) {
	f, made := t.chain.madeAt(p)
	if !made {
		on := dependency.OfFile(p)
		if f := c.env.Contents.At(ctx, on); f.Turn > w.mark {
			w.opened[on] = true // a file that was examined before the mark needs no record
		}
	}
	switch {
	case p == t.Action.Path:
		return source.takeFile()
	case made:
		return t.chain.openMade(f)
	}
	return c.env.Assets.OpenFile(p)
}

// extract returns the answers to a query about the source of a task.
func (c *Cooker) extract(t Task, of dependency.Dependency) (said []recipe.Said, found bool, err error) {
	if _, made := t.chain.madeAt(t.Action.Path); made { // names would be relative to the wrong source
		return nil, false, fmt.Errorf("another recipe made this source, and models do not name such sources: %w", errors.ErrUnsupported)
	}
	if plan.IsAsked(of) && !slices.ContainsFunc(t.Asked(), func(d recipe.Dep) bool { return d.On == of }) {
		return nil, false, fmt.Errorf("recipe %s reads %s, but its method Asks does not return this dependency", t.Action.Method.Choice.Recipe.Name, pathname.Show(of.String()))
	}
	return c.env.Contents.Extract(of)
}

// othersArtifacts returns the dependency on all artifacts that match patterns, except the artifacts
// of the task itself. kind selects the artifacts or the IDs of their assets.
func (t Task) othersArtifacts(kind dependency.Kind, patterns []string) dependency.Dependency {
	for _, out := range t.chain.chainOutputs(t) {
		own, _ := artifacts.Below(t.Action.Target, out)
		pattern := glob.Escape(own)
		if name, ok := hashname.Parse("", own); ok {
			before, after := name.Around()
			pattern = glob.Escape(before) + strings.Repeat("?", hashname.Length) + glob.Escape(after)
		}
		patterns = append(patterns[:len(patterns):len(patterns)], "!/"+pattern)
	}
	return dependency.OfArtifacts(kind, t.Action.Target, patterns)
}

// readArtifact reads an artifact that the recipe has listed.
func (c *Cooker) readArtifact(w *watch, target, p string) ([]byte, error) {
	want, ok := w.listed[p]
	if !ok || c.env.Out == nil {
		return nil, fmt.Errorf("%s is not one of the requested artifacts", pathname.Show(p))
	}
	name := p
	if target != "" {
		name = target + "/" + p
	}
	f, err := c.env.Out.OpenFile(name)
	if err != nil {
		return nil, fmt.Errorf("artifact %s: %w", pathname.Show(p), goneOr(err))
	}
	defer f.Close()
	data := make([]byte, want.Size)
	if _, err := io.ReadFull(f, data); err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, err
	}
	if hashing.DigestOf(data) != want.BLAKE3 {
		return nil, &rewordedError{fmt.Sprintf("artifact %s was changed since it was cooked; cook again ignoring timestamps", pathname.Show(p)), ErrChanged}
	}
	return data, nil
}

// openPrevious opens an output that the last run made by the same method, or returns nil. It first
// verifies the whole file. Otherwise, damage that the stamp does not show would enter the new
// artifact unnoticed.
func (c *Cooker) openPrevious(ctx context.Context, a *plan.Action, i int) *os.File {
	if a.Last == nil || a.Last.State != index.Done || i >= len(a.Last.Outputs) || !slices.Equal(a.Last.Method, a.Method.Fields) {
		return nil
	}
	o := &a.Last.Outputs[i]
	if o.State != contents.Intact || !a.IsOutput(i, o.Artifact) || a.IsLinked() {
		return nil
	}
	f, err := c.env.Out.OpenFile(o.Artifact.Path)
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

// stepsOf returns a function that records each step of a recipe in the recording and reports the
// step to the observer. It returns nil if both are missing.
func (c *Cooker) stepsOf(how Attempt) func(name string) (end func()) {
	row := how.Probe.Row()
	if row == nil && how.Step == nil {
		return nil
	}
	var open []string
	tell := func() {
		switch {
		case how.Step == nil:
		case len(open) == 0:
			how.Step("")
		default:
			how.Step(open[len(open)-1])
		}
	}
	return func(name string) func() {
		name = c.steps.labelOf(name)
		scope := row.Begin(c.env.Probe.Events.Symbol("cook/step/"+name), 0)
		depth := len(open)
		open = append(open, name)
		tell()
		return func() {
			scope.End()
			open = open[:min(depth, len(open))] // ending a step also ends the steps inside it
			tell()
		}
	}
}
