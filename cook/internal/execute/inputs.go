package execute

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/dependency"
	"github.com/assetcook/assetcook/internal/pathname"
	"github.com/assetcook/assetcook/internal/regular"
	"github.com/assetcook/assetcook/profile"
)

// ErrChanged says that an input changed while an action was being cooked.
var ErrChanged = errors.New("changed while it was being cooked; run cook again")

// errUnwatched says that a dependency came up that was not looked at before the recipe
// began, and may have changed since.
var errUnwatched = errors.New("not watched while it was being read")

func (w *watch) saw(on dependency.Dependency, f contents.File) bool {
	return f.Turn <= w.mark || w.opened[on.Seen()] || !f.Known() || f.Settled
}

// checkInputs proves that the source, the tools and all that the recipe read are still
// what was found before, and returns the dependencies with their content.
func (c *cooker) checkInputs(ctx context.Context, a planned, deps []recipe.Dep, w *watch, probe *profile.Worker) ([]index.Dep, error) {
	defer probe.Begin("cook/run/check_inputs", "").End()
	if err := c.recheckSource(ctx, a); err != nil {
		return nil, err
	}
	for _, tool := range a.Method.Tools {
		if err := c.recheck(ctx, dependency.OfFile(tool.Path), tool); err != nil {
			return nil, fmt.Errorf("tool %s: %w", pathname.Show(tool.Path), err)
		}
	}
	var out []index.Dep
	unwatched := false
	for _, d := range deps {
		if f, made := a.chain.has(d.On); made {
			out = append(out, plan.Dependency(d.Name, d.On, f))
			continue
		}
		f := c.Contents.At(ctx, d.On)
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
	for _, d := range a.asked() { // it is in the ID, whether the recipe came to it or not
		if !slices.ContainsFunc(out, func(o index.Dep) bool { return o.On == d.On }) {
			out = append(out, plan.Dependency(d.Name, d.On, c.Contents.At(ctx, d.On)))
		}
	}
	slices.SortFunc(out, byAsked)
	return out, nil
}

// recheckSource is recheck for the source of an action, unless that is a scratch file.
func (c *cooker) recheckSource(ctx context.Context, a planned) error {
	if _, made := a.chain.at(a.Path); made {
		return nil
	}
	return c.recheck(ctx, dependency.OfFile(a.Path), *a.Source)
}

// byAsked orders dependencies by the names that the recipe used.
func byAsked(a, b index.Dep) int { return dependency.Compare(a.Asked(), b.Asked()) }

// recheck returns an error unless a file still has the content that was found: by its
// stamp, and by checksum if the stamp need not show a change, because it is too fresh
// or the file was open for writing. A process that opened it since then cannot write
// to it under the stamp that it had.
func (c *cooker) recheck(ctx context.Context, on dependency.Dependency, f contents.File) error {
	switch on.Kind {
	case dependency.Extract, dependency.Extracts, dependency.Artifacts, dependency.IDs:
		return nil // the recipe has what was read; each artifact was proved then
	case dependency.Folder, dependency.Entries, dependency.Files, dependency.Folders:
		return changedUnless(c.Contents.Relist(on, f))
	case dependency.Link:
		return changedUnless(c.Contents.Relink(f))
	case dependency.Presence:
		return nil // checked by Contents
	case dependency.File:
	}
	stat, open := c.Assets.Stat, c.Assets.OpenFile
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

// goneOr says what it means that a file cannot be looked at once more.
func goneOr(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return ErrChanged
	}
	return fmt.Errorf("did it change while it was being cooked? %w", err)
}
