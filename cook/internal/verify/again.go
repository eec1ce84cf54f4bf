package verify

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/assetcook/assetcook/cook/internal/execute"
	"github.com/assetcook/assetcook/cook/internal/pass"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/cook/manifest"
	"github.com/assetcook/assetcook/internal/advice"
	"github.com/assetcook/assetcook/internal/confine"
	"github.com/assetcook/assetcook/internal/parallel"
	"github.com/assetcook/assetcook/internal/pathname"
)

// cookAgain cooks some actions of a plan again, compares what comes out, and returns
// how many were cooked.
func cookAgain(ctx context.Context, s *pass.Session, r *reporter, todo *pass.Todo, drawn []int) (n int, err error) {
	if len(drawn) == 0 {
		return 0, nil
	}
	dir, remove, err := workFolder(s.Out)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, remove()) }()

	var expected time.Duration
	for _, i := range drawn {
		expected += execute.Expected(&todo.Actions[i])
	}
	r.observer.Planned(len(drawn), expected)
	workers := s.Limits.Workers + 1 // another number than cooked them
	env := s.Env(todo)
	env.Cores = parallel.NewCores(workers)
	again := execute.NewAgain(env)
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var done atomic.Int64
	parallel.Each(ctx, workers, len(drawn), func(n, i int) error {
		w := &worker{session: s, report: r, again: again, dir: dir, name: strconv.Itoa(n), stop: stop}
		w.repeat(ctx, &todo.Actions[drawn[i]])
		if ctx.Err() == nil {
			done.Add(1)
		}
		return nil
	})
	return int(done.Load()), context.Cause(ctx)
}

// workFolder makes a folder below the output folder that no other process looks into.
// If this one is killed, the next cook removes it.
func workFolder(out *confine.Dir) (dir string, remove func() error, err error) {
	const tmp = manifest.StateDir + "/tmp"
	if err := out.Root().MkdirAll(tmp, 0o777); err != nil {
		return "", nil, fmt.Errorf("output folder: %w", err)
	}
	dir = fmt.Sprintf("%s/verify-%016x", tmp, rand.Uint64())
	if err := out.Root().Mkdir(dir, 0o700); err != nil {
		return "", nil, fmt.Errorf("output folder: %w", err)
	}
	return dir, func() error {
		err := out.Root().RemoveAll(dir)
		out.Root().Remove(tmp) // unless a killed run left something in it
		return err
	}, nil
}

// A worker cooks one asset after the other again.
type worker struct {
	session *pass.Session
	report  *reporter
	again   execute.Again
	dir     string // for all workers, below the output folder
	name    string // its own
	// stop ends verifying with an error that says nothing about any recipe.
	stop context.CancelCauseFunc
}

// repeat cooks an action again and reports what differs.
func (w *worker) repeat(ctx context.Context, a *plan.Action) {
	event := execute.Event{Path: a.Path, Target: a.Target, Recipe: a.Method.Recipe.Name, In: a.Source.Stamp.Size}
	started := event
	started.Started, started.CookTime = true, execute.Expected(a)
	w.report.event(started)
	begin := w.session.Time.Now()
	var differences []difference
	err := w.cook(ctx, a, allChanged, func(scratch *confine.Dir, files []string, made []store.Artifact) (err error) {
		differences, err = w.compare(a, scratch, files, made)
		return err
	})
	took := w.session.Time.Now().Sub(begin)
	if err != nil || len(differences) > 0 {
		w.explain(ctx, a, differences, err)
	}
	if ctx.Err() == nil {
		event.Outcome, event.Outputs, event.Took, event.CookTime = execute.Cooked, a.Outputs, took, took
		w.report.event(event)
	}
}

// explain reports what differs, or why cooking failed, with its cause.
func (w *worker) explain(ctx context.Context, a *plan.Action, differences []difference, err error) {
	if errors.Is(err, execute.ErrChanged) {
		w.report.found(Finding{Kind: NotUpToDate, Path: a.Path, Target: a.Target, Text: "changed while it was being verified; run cook"})
		return
	}
	cause := w.cause(ctx, a)
	if gone := w.session.State.CheckLock(); gone != nil {
		w.stop(gone)
	}
	if ctx.Err() != nil {
		return
	}
	f := Finding{Kind: NotReproducible, Path: a.Path, Target: a.Target, Recipe: a.Method.Recipe.Name}
	if err != nil {
		f.Text = fmt.Sprintf("cannot be cooked again: the recipe %q %s: %v", f.Recipe, cause, err)
		w.report.found(f)
		return
	}
	for _, d := range differences {
		f.Output, f.Bytes = d.output, d.bytes
		where := ""
		if d.bytes != nil {
			where = " at " + d.bytes.String()
		}
		f.Text = fmt.Sprintf("%s differs from a new cook%s: the recipe %q %s", pathname.Show(d.output), where, f.Recipe, cause)
		w.report.found(f)
	}
}

// cook cooks an action with some of its conditions changed, and passes what it made,
// the files of a scratch folder, to look. If the machine, not the recipe, is why that
// fails, all of verifying ends.
func (w *worker) cook(ctx context.Context, a *plan.Action, c changes, look func(scratch *confine.Dir, files []string, made []store.Artifact) error) error {
	impossible := func(err error) {
		w.stop(fmt.Errorf("%s: cannot be cooked again: %w", pathname.Show(a.Path), err))
	}
	scratch, home, err := w.scratch(c)
	if err != nil {
		impossible(err)
		return err
	}
	defer scratch.Close()
	err = w.again.Cook(ctx, a, execute.Conditions{Scratch: scratch, Vars: c.vars(home)}, func(files []string, made []store.Artifact) error {
		return look(scratch, files, made)
	})
	if err != nil && ctx.Err() == nil {
		if hindrance := w.hindrance(scratch, err); hindrance != nil {
			impossible(hindrance)
		}
	}
	return err
}

// scratch makes the folder that an action is cooked in, and an empty home folder.
func (w *worker) scratch(c changes) (scratch *confine.Dir, home string, err error) {
	folder := path.Join(w.dir, w.name)
	if c&otherScratch != 0 {
		folder = path.Join(w.dir, "a-scratch-folder-with-another-name", w.name)
	}
	home = path.Join(folder, "home")
	out := w.session.Out
	if err := out.Root().RemoveAll(folder); err != nil {
		return nil, "", err
	}
	if err := out.Root().MkdirAll(home, 0o777); err != nil {
		return nil, "", err
	}
	scratch, err = out.Sub(folder)
	return scratch, filepath.Join(out.Name(), filepath.FromSlash(home)), err
}

// hindrance returns why a failure says nothing about a recipe: the output folder is
// gone, memory or the system's resources are used up. A program does not tell cook that
// the disk is full, so a little is written to see.
func (w *worker) hindrance(scratch *confine.Dir, err error) error {
	if gone := w.session.State.CheckLock(); gone != nil {
		return gone
	}
	var memory *execute.MemoryError
	if errors.As(err, &memory) || advice.Known(err) {
		return err
	}
	const probe = "room"
	f, err := scratch.Root().OpenFile(probe, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(make([]byte, 64<<10))
	return errors.Join(err, f.Close(), scratch.Root().Remove(probe))
}
