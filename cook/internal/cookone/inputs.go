package cookone

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"time"

	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/hashname"
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

// ErrChanged reports that an input changed while an action was being cooked.
var ErrChanged = errors.New("the file changed while it was being cooked; run cook again")

// errUnwatched reports a dependency that the run examined only after the recipe began. The file may
// have changed while the recipe read it.
var errUnwatched = errors.New("the file may have changed while the recipe read it; run cook again")

// A watch records whether the run examined a file before a recipe could read it: before the recipe
// began, or when its job opened the file. A file with a settled stamp may be examined later,
// because it has not changed since the run began.
type watch struct {
	mark   int64
	begin  time.Time
	opened map[dependency.Dependency]bool
	listed map[string]manifest.Output // artifacts that the recipe may read, by path
	denied error                      // why the recipe cannot have an artifact
	named  []dependency.Dependency    // dependencies on names with {hash} of other assets
}

// watchList records the artifacts that a recipe listed, or the error of listing them.
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

// denyUnknown fails the action if the system cannot determine whether a file exists, for example
// because too many files are open. Otherwise a recipe could ignore the error, and the result would
// lack a dependency. Errors about the path itself are valid results.
func (w *watch) denyUnknown(err error) {
	var errno syscall.Errno
	if !errors.As(err, &errno) || errors.Is(err, fs.ErrNotExist) {
		return
	}
	const invalidName = 123 // ERROR_INVALID_NAME of Windows
	switch {
	case errno == syscall.ENOTDIR, errno == syscall.ELOOP, errno == syscall.ENAMETOOLONG, errno == syscall.EINVAL:
	case errno == invalidName && runtime.GOOS == "windows":
	default:
		w.denied = cmp.Or(w.denied, err)
	}
}

// noteNames records those outputs of another source that have {hash} in their names, because the
// recipe may use the names.
func (w *watch) noteNames(target, source string, outputs []string) {
	for _, output := range outputs {
		if _, ok := hashname.Parse("", output); ok {
			w.named = append(w.named, dependency.OfName(target, source, output))
		}
	}
}

// saw reports whether the run would notice a change of a dependency while the recipe ran.
func (w *watch) saw(on dependency.Dependency, f contents.File) bool {
	return f.Turn <= w.mark || w.opened[on.Seen()] || !f.Known() || f.Settled
}

// CheckHeld checks the inputs of a task that has no artifacts of its own, because its source is
// packed into artifacts of other assets.
func (c *Cooker) CheckHeld(ctx context.Context, t Task, probe *profile.Worker) ([]index.Dep, error) {
	return c.proveInputs(ctx, t, nil, &watch{}, nil, probe)
}

// proveInputs verifies that the source, the tools and all dependencies are unchanged, and
// returns the dependencies with their contents. source may be nil.
func (c *Cooker) proveInputs(ctx context.Context, t Task, deps []recipe.Dep, w *watch, source *Source, probe *profile.Worker) ([]index.Dep, error) {
	defer probe.Begin("cook/run/check_inputs", "").End()
	if err := c.recheckSource(ctx, t, source); err != nil {
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
	for _, d := range t.Asked() { // the action ID contains the answer to each query, even if the recipe did not use the answer
		if !slices.ContainsFunc(out, func(o index.Dep) bool { return o.On == d.On }) {
			out = append(out, plan.Dependency(d.Name, d.On, c.env.Contents.At(ctx, d.On)))
		}
	}
	for _, name := range w.named {
		if !slices.ContainsFunc(out, func(o index.Dep) bool { return o.On == name }) {
			out = append(out, index.Dep{On: name, Name: name.Path}) // Link fills in the content
		}
	}
	slices.SortFunc(out, byAsked)
	return out, nil
}

// InputsChanged reports whether the source of a task, or a file that its last run read, has changed
// since this run examined it.
func (c *Cooker) InputsChanged(ctx context.Context, t Task) bool {
	if errors.Is(c.recheckSource(ctx, t, nil), ErrChanged) {
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

// Dependencies returns the named files with their current contents. Names are relative to the
// source of the task. If an artifact is still to be made, the error wraps an artifacts.Wait.
func (c *Cooker) Dependencies(ctx context.Context, t Task, names store.ReadSet) ([]index.Dep, error) {
	var deps []index.Dep
	for _, asked := range names {
		at, err := asked.Resolve(t.Action.Path)
		if err != nil {
			return nil, err
		}
		if at.Kind == dependency.Name {
			deps = append(deps, index.Dep{On: at, Name: asked.Path}) // Link fills in the content
			continue
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

// FileOf returns a function that finds the current content of a dependency: a file of the asset
// tree, or the result of a query over the files of the tree.
func (c *Cooker) FileOf(ctx context.Context) func(on dependency.Dependency) contents.File {
	return func(on dependency.Dependency) contents.File { return c.env.Contents.At(ctx, on) }
}

// Asked returns the task's queries over all files of a directory.
func (t Task) Asked() []recipe.Dep {
	if _, made := t.chain.madeAt(t.Action.Path); made || t.Action.Method == nil {
		return nil
	}
	list, _ := plan.Asks(t.Action.Method, t.Action.Path) // Identify has reported the error
	return list
}

// byAsked orders dependencies by the names that the recipe requested.
func byAsked(a, b index.Dep) int { return dependency.Compare(a.Asked(), b.Asked()) }

// recheckSource is like recheck, for the source of a task. It skips scratch files. source may be nil.
func (c *Cooker) recheckSource(ctx context.Context, t Task, source *Source) error {
	if _, made := t.chain.madeAt(t.Action.Path); made {
		return nil
	}
	if source.isUnchanged(t.Action.Source) {
		return nil
	}
	return c.recheck(ctx, dependency.OfFile(t.Action.Path), *t.Action.Source)
}

// recheck returns an error unless a file still has the content in f. It compares the stamp. If the
// stamp may not show a change, because it is too fresh or the file was open for writing, it
// compares the checksum.
func (c *Cooker) recheck(ctx context.Context, on dependency.Dependency, f contents.File) error {
	switch on.Kind {
	case dependency.Extract, dependency.Extracts, dependency.Artifacts, dependency.IDs, dependency.Name:
		return nil // artifacts no longer change, and readArtifact has checked each of them
	case dependency.Folder, dependency.Entries, dependency.Files, dependency.Folders:
		return changedUnless(c.env.Contents.Relist(on, f))
	case dependency.Link:
		return changedUnless(c.env.Contents.Relink(f))
	case dependency.Presence:
		return nil // Contents checks the presence of files
	case dependency.File:
	}
	stat, open := c.env.Assets.Stat, c.env.Assets.OpenFile
	if filepath.IsAbs(f.Path) { // the file belongs to a tool
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

// changedUnless returns ErrChanged if same is false. It returns err if err is not nil.
func changedUnless(same bool, err error) error {
	if err == nil && !same {
		return ErrChanged
	}
	return err
}

// goneOr returns ErrChanged for a missing file, and wraps other errors.
func goneOr(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return ErrChanged
	}
	return fmt.Errorf("the source may have changed while it was being cooked: %w", err)
}

// waitsFor returns the artifacts.Wait of a task for a dependency, or nil if the task does not wait
// for this dependency.
func (t Task) waitsFor(on dependency.Dependency) error {
	for _, wait := range t.Open {
		if wait.Question == on {
			return wait
		}
	}
	return nil
}
