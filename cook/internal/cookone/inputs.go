package cookone

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/cook/manifest"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/dependency"
	"github.com/assetcook/assetcook/internal/pathname"
	"github.com/assetcook/assetcook/internal/regular"
	"github.com/assetcook/assetcook/profile"
)

// ErrChanged is the error of an input that changed while an action was being cooked.
var ErrChanged = errors.New("changed while it was being cooked; run cook again")

// errUnwatched is the error of a dependency that the run saw only after the recipe began. So the
// file may have changed meanwhile.
var errUnwatched = errors.New("not watched while it was being read")

// A watch records whether a file was looked at before a recipe could read it: before the
// recipe began, or when its job opened the file. A file with a settled stamp may be looked
// at later, because it has not changed since the run began.
type watch struct {
	mark   int64
	begin  time.Time
	opened map[dependency.Dependency]bool
	listed map[string]manifest.Output // artifacts that the recipe asked for
	denied error                      // why an artifact cannot be had
}

// watchList notes artifacts that a recipe asked for, or why it cannot have them.
func (w *watch) watchList(assets []manifest.Asset, err error) {
	if w.listed == nil {
		w.listed = map[string]manifest.Output{}
	}
	w.denied = cmp.Or(w.denied, err)
	for _, a := range assets {
		for _, o := range a.Outputs {
			w.listed[o.Path] = o
		}
	}
}

// saw reports whether a dependency was watched while the recipe ran.
func (w *watch) saw(on dependency.Dependency, f contents.File) bool {
	return f.Turn <= w.mark || w.opened[on.Seen()] || !f.Known() || f.Settled
}

// CheckHeld checks the inputs of a task that is not cooked, because the artifacts of other
// sources contain its source.
func (c *Cooker) CheckHeld(ctx context.Context, t Task, probe *profile.Worker) ([]index.Dep, error) {
	return c.proveInputs(ctx, t, nil, &watch{}, probe)
}

// proveInputs proves that the source, the tools and all dependencies are as they were found
// before, and returns the dependencies with their contents.
func (c *Cooker) proveInputs(ctx context.Context, t Task, deps []recipe.Dep, w *watch, probe *profile.Worker) ([]index.Dep, error) {
	defer probe.Begin("cook/run/check_inputs", "").End()
	if err := c.recheckSource(ctx, t); err != nil {
		return nil, err
	}
	for _, tool := range t.Action.Method.Tools {
		if err := c.recheck(ctx, dependency.OfFile(tool.Path), tool); err != nil {
			return nil, fmt.Errorf("tool %s: %w", pathname.Show(tool.Path), err)
		}
	}
	var out []index.Dep
	unwatched := false
	for _, d := range deps {
		if f, made := t.chain.madeDependency(d.On); made {
			out = append(out, plan.Dependency(d.Name, d.On, f))
			continue
		}
		f := c.env.Contents.At(ctx, d.On)
		unwatched = unwatched || !w.saw(d.On, f)
		err := f.Err
		switch {
		case f.How == contents.Unreadable:
		case f.Known() != d.Found:
			err = ErrChanged
		case d.Found:
			err = c.recheck(ctx, d.On, f)
		}
		if err != nil {
			return nil, fmt.Errorf("dependency %s: %w", pathname.Show(d.On.String()), err)
		}
		out = append(out, plan.Dependency(d.Name, d.On, f))
	}
	if unwatched {
		return nil, errUnwatched
	}
	for _, d := range t.Asked() { // the action ID has it, even if the recipe did not read it
		if !slices.ContainsFunc(out, func(o index.Dep) bool { return o.On == d.On }) {
			out = append(out, plan.Dependency(d.Name, d.On, c.env.Contents.At(ctx, d.On)))
		}
	}
	slices.SortFunc(out, byAsked)
	return out, nil
}

// InputsChanged reports whether the source of a task, or a file that it read last time, has
// changed since the run looked at it.
func (c *Cooker) InputsChanged(ctx context.Context, t Task) bool {
	if errors.Is(c.recheckSource(ctx, t), ErrChanged) {
		return true
	}
	return slices.ContainsFunc(t.Action.Last.Deps, func(d index.Dep) bool {
		switch f := c.env.Contents.At(ctx, d.On); {
		case f.Known():
			return errors.Is(c.recheck(ctx, d.On.Seen(), f), ErrChanged)
		case d.On.Seen().Kind != dependency.File:
			return false
		}
		_, err := c.env.Assets.Stat(d.On.Path)
		return err == nil
	})
}

// Dependencies finds the present content behind names, as the source of a task means them.
// The error wraps an artifacts.Wait if an artifact is still to be made.
func (c *Cooker) Dependencies(ctx context.Context, t Task, names store.ReadSet) ([]index.Dep, error) {
	var deps []index.Dep
	for _, asked := range names {
		at, err := asked.Resolve(t.Action.Path)
		if err != nil {
			return nil, err
		}
		if wait := t.waitsFor(at); wait != nil {
			return nil, wait
		}
		f, made := t.chain.madeDependency(at)
		if !made {
			f = c.env.Contents.At(ctx, at)
		}
		if f.How == contents.Unreadable {
			return nil, f.Err
		}
		deps = append(deps, plan.Dependency(asked.Path, at, f))
	}
	return deps, nil
}

// FileOf returns a function that finds files of the asset tree and their answers.
func (c *Cooker) FileOf(ctx context.Context) func(on dependency.Dependency) contents.File {
	return func(on dependency.Dependency) contents.File { return c.env.Contents.At(ctx, on) }
}

// Asked returns the questions of a task to all files of some directories.
func (t Task) Asked() []recipe.Dep {
	if _, made := t.chain.madeAt(t.Action.Path); made || t.Action.Method == nil {
		return nil
	}
	list, _ := plan.Asks(t.Action.Method, t.Action.Path) // Identify returns the error
	return list
}

// byAsked orders dependencies by the names that the recipe used.
func byAsked(a, b index.Dep) int { return dependency.Compare(a.Asked(), b.Asked()) }

// recheckSource is recheck for the source of a task, unless the source is a scratch file.
func (c *Cooker) recheckSource(ctx context.Context, t Task) error {
	if _, made := t.chain.madeAt(t.Action.Path); made {
		return nil
	}
	return c.recheck(ctx, dependency.OfFile(t.Action.Path), *t.Action.Source)
}

// recheck returns an error unless a file still has the content that was found. The stamp
// decides, and the checksum if the stamp need not show a change, because it is too fresh or
// the file was open for writing. A process that opened the file later cannot write to it
// under the same stamp.
func (c *Cooker) recheck(ctx context.Context, on dependency.Dependency, f contents.File) error {
	switch on.Kind {
	case dependency.Extract, dependency.Extracts, dependency.Artifacts, dependency.IDs:
		return nil // the recipe has the answers; each artifact was proved when it was read
	case dependency.Folder, dependency.Entries, dependency.Files, dependency.Folders:
		return changedUnless(c.env.Contents.Relist(on, f))
	case dependency.Link:
		return changedUnless(c.env.Contents.Relink(f))
	case dependency.Presence:
		return nil // checked by Contents
	case dependency.File:
	}
	stat, open := c.env.Assets.Stat, c.env.Assets.OpenFile
	if filepath.IsAbs(f.Path) { // a tool
		stat, open = os.Stat, regular.Open
	}
	info, err := stat(f.Path)
	if err != nil {
		return goneOr(err)
	}
	if scan.StampOf(info) != f.Stamp {
		return ErrChanged
	}
	if f.Settled {
		return nil
	}
	file, err := open(f.Path)
	if err != nil {
		return goneOr(err)
	}
	defer file.Close()
	sum, err := c.summer.Sum(ctx, file, hashing.WantSum)
	if err != nil {
		return err
	}
	if sum.Sum != f.Sum || sum.Size != f.Stamp.Size {
		return ErrChanged
	}
	return nil
}

// changedUnless returns err, or ErrChanged if err is nil and same is false.
func changedUnless(same bool, err error) error {
	if err == nil && !same {
		return ErrChanged
	}
	return err
}

// goneOr returns ErrChanged for a file that disappeared, and explains other errors.
func goneOr(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return ErrChanged
	}
	return fmt.Errorf("the source may have changed while it was being cooked: %w", err)
}
