package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/assetcook/assetcook/cook/index"
	"github.com/assetcook/assetcook/cook/plan"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/cook/scan"
	"github.com/assetcook/assetcook/cook/survey"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/pathname"
	"github.com/assetcook/assetcook/internal/regular"
)

// admit waits until the asset's estimated memory is free.
func (r *worker) admit(ctx context.Context, a *plan.Action) (release func(), err error) {
	defer r.probe.Begin("cook/run/admit", "").End()
	size := a.Source.Stamp.Size
	need := size*3 + 1<<20
	if e, ok := a.Method.Cooker.(recipe.Estimator); ok {
		need, err = r.estimate(e, a, recipe.HeadSize)
		if errors.Is(err, recipe.ErrShortHead) {
			whole, err := r.reserve(ctx, size)
			if err != nil {
				return nil, err
			}
			need, err = r.estimate(e, a, size)
			whole()
			if err != nil {
				return nil, err
			}
		} else if err != nil {
			return nil, err
		}
	}
	if need < 0 {
		return nil, fmt.Errorf("recipe %s thinks that it needs %d bytes of memory", a.Method.Recipe.Name, need)
	}
	return r.reserve(ctx, need)
}

// A MemoryError says that an action would need more memory than there is for all.
type MemoryError struct{ Need, Budget int64 } // bytes

func (e *MemoryError) Error() string {
	return fmt.Sprintf("needs about %d MiB of memory; the budget is %d MiB (-mem)", e.Need>>20+1, e.Budget>>20)
}

// reserve takes a part of the memory budget.
func (r *worker) reserve(ctx context.Context, need int64) (release func(), err error) {
	if need > r.Memory {
		return nil, &MemoryError{need, r.Memory}
	}
	if err := r.memory.Acquire(ctx, need); err != nil {
		return nil, err
	}
	held := r.held.Grow(r.probe.Memory(), need)
	return func() {
		held.Shrink()
		r.memory.Release(need)
	}, nil
}

// estimate shows a recipe the first bytes of a source.
func (r *runner) estimate(e recipe.Estimator, a *plan.Action, most int64) (int64, error) {
	f, err := r.Assets.OpenFile(a.Path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	head := make([]byte, min(most, a.Source.Stamp.Size))
	n, err := io.ReadFull(f, head)
	if err != nil && err != io.ErrUnexpectedEOF && err != io.EOF {
		return 0, err
	}
	return e.Estimate(head[:n], a.Source.Stamp.Size)
}

var (
	errChanged = errors.New("changed while it was being cooked; run cook again")
	// errUnwatched says that a dependency came up that was not surveyed before
	// the recipe began, and may have changed since.
	errUnwatched = errors.New("not watched while it was being read")
)

// A watch tells whether a file was surveyed before a recipe could read it: if
// it was surveyed before the recipe began, or opened through its job. If its stamp
// is settled, it does not matter when: it has not changed since the run began.
type watch struct {
	mark   int64
	begin  time.Time
	opened map[string]bool
}

func (w *watch) saw(f survey.File) bool {
	return f.Turn <= w.mark || w.opened[f.Path] || !f.Known() || f.Settled
}

// checkInputs proves that the source, the tools and all that the recipe read
// are still what the survey saw, and returns the dependencies with their
// content.
func (r *worker) checkInputs(ctx context.Context, a *plan.Action, deps []recipe.Dep, w *watch) ([]index.Dep, error) {
	defer r.probe.Begin("cook/run/check_inputs", "").End()
	if err := r.unchanged(ctx, a.Source); err != nil {
		return nil, err
	}
	for _, tool := range a.Method.Tools {
		if err := r.unchanged(ctx, tool); err != nil {
			return nil, fmt.Errorf("tool %s: %w", pathname.Show(tool.Path), err)
		}
	}
	var out []index.Dep
	unwatched := false
	for _, d := range deps {
		f := r.Survey.At(ctx, d.Path)
		unwatched = unwatched || !w.saw(f)
		if f.How == survey.Unreadable {
			return nil, fmt.Errorf("dependency %s: %w", pathname.Show(d.Path), f.Err)
		}
		if f.Known() != d.Found {
			return nil, fmt.Errorf("dependency %s: %w", pathname.Show(d.Path), errChanged)
		}
		if d.Found && !recipe.PresenceOnly(d.Name) {
			if err := r.unchanged(ctx, f); err != nil {
				return nil, fmt.Errorf("dependency %s: %w", pathname.Show(d.Path), err)
			}
		}
		out = append(out, plan.Dependency(d.Name, d.Path, f))
	}
	if unwatched {
		return nil, errUnwatched
	}
	return out, nil
}

// unchanged compares a file with the survey: by stamp, and by checksum if the
// stamp need not show a change, because it is too fresh or somebody had the file
// open for writing. Who opened it since then cannot write to it under the stamp
// that it had.
func (r *runner) unchanged(ctx context.Context, f survey.File) error {
	stat, open := r.Assets.Stat, r.Assets.OpenFile
	if filepath.IsAbs(f.Path) { // a tool
		stat, open = os.Stat, regular.Open
	}
	info, err := stat(f.Path)
	if err != nil {
		return lookAgain(err)
	}
	if scan.StampOf(info) != f.Stamp {
		return errChanged
	}
	if f.Settled {
		return nil
	}
	file, err := open(f.Path)
	if err != nil {
		return lookAgain(err)
	}
	defer file.Close()
	sum, err := r.summer.Sum(ctx, file, hashing.WantSum)
	if err != nil {
		return err
	}
	if sum.Sum != f.Sum || sum.Size != f.Stamp.Size {
		return errChanged
	}
	return nil
}

// lookAgain says what it means that a file cannot be looked at once more.
func lookAgain(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return errChanged
	}
	return fmt.Errorf("did it change while it was being cooked? %w", err)
}
