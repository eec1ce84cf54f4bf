package verify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/assetcook/assetcook/cook/internal/cookone"
	"github.com/assetcook/assetcook/cook/internal/execute"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/remote"
	"github.com/assetcook/assetcook/cook/internal/session"
	"github.com/assetcook/assetcook/cook/internal/statedir"
	"github.com/assetcook/assetcook/cook/internal/todo"
	"github.com/assetcook/assetcook/internal/advice"
	"github.com/assetcook/assetcook/internal/confine"
	"github.com/assetcook/assetcook/internal/parallel"
	"github.com/assetcook/assetcook/internal/pathname"
)

// cookAgain cooks the actions of a sample again, and compares artifacts and dependencies. It
// returns the number of these actions, and the number of server results that it compared. If the
// index was lost, the recorded dependencies are unknown.
func cookAgain(ctx context.Context, s *session.Session, r *reporter, todo *todo.Todo, drawn []int, lost bool) (n, shared int, err error) {
	if len(drawn) == 0 {
		return 0, 0, nil
	}
	dir, remove, err := workFolder(s.Out, s.State.Work())
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, remove()) }()

	var expected time.Duration
	for _, i := range drawn {
		expected += cookone.Expected(&todo.Plan.Actions[i])
	}
	r.observer.Planned(len(drawn), expected)
	workers := s.Limits.Workers + 1 // a different number of workers than in the original cook
	env := todo.Env(s)
	env.Cook.Cores = parallel.NewCores(workers)
	again := cookone.NewAgain(env.Cook)
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var done, compared atomic.Int64
	server := openSharedClient(ctx, s, r, env.Remote)
	parallel.Each(ctx, workers, len(drawn), func(n, i int) error {
		w := &worker{session: s, report: r, again: again, dir: dir, name: strconv.Itoa(n), lost: lost, stop: stop, remote: server, compared: &compared}
		w.repeatAction(ctx, &todo.Plan.Actions[drawn[i]])
		if ctx.Err() == nil {
			done.Add(1)
		}
		return nil
	})
	asks := func(i int) bool { return !todo.Plan.Actions[i].Method.Choice.Cheap() }
	err = closeRemote(ctx, server, slices.ContainsFunc(drawn, asks))
	return int(done.Load()), int(compared.Load()), cmp.Or(context.Cause(ctx), err)
}

// workFolder makes a private directory below the output directory. If this process is
// killed, the next cook removes it.
func workFolder(out *confine.Dir, work string) (dir string, remove func() error, err error) {
	tmp := work + "/tmp"
	if err := out.Root().MkdirAll(tmp, 0o777); err != nil {
		return "", nil, fmt.Errorf("output directory: %w", err)
	}
	dir = fmt.Sprintf("%s/verify-%016x", tmp, rand.Uint64())
	if err := out.Root().Mkdir(dir, 0o700); err != nil {
		return "", nil, fmt.Errorf("output directory: %w", err)
	}
	return dir, func() error {
		err := out.Root().RemoveAll(dir)
		out.Root().Remove(tmp) // fails if a killed run left files in the directory
		if work == statedir.Work {
			out.Root().Remove(work)
		}
		return err
	}, nil
}

// A worker cooks assets again, one after the other.
type worker struct {
	session *session.Session
	report  *reporter
	again   cookone.Again
	dir     string // directory of all workers, below the output directory
	name    string
	lost    bool // set if the index was lost, so the recorded dependencies are unknown
	// stop aborts the verification, because of an error that the recipe did not cause.
	stop context.CancelCauseFunc

	remote   *remote.Client // nil if no server is compared
	compared *atomic.Int64  // number of server results compared
}

// repeatAction cooks an action again and reports all differences.
func (w *worker) repeatAction(ctx context.Context, a *plan.Action) {
	event := execute.Event{Path: a.Path, Target: a.Target, Recipe: a.Method.Choice.Recipe.Name, In: a.Source.Stamp.Size}
	started := event
	started.Outcome, started.CookTime = execute.Started, cookone.Expected(a)
	w.report.reportCookEvent(started)
	begin := w.session.Clock.Now()
	now := w.tryCook(ctx, a, !w.lost)
	if now.traced && now.differs() && ctx.Err() == nil {
		now = w.untraced(ctx, a, now)
	}
	took := w.session.Clock.Now().Sub(begin)
	if now.differs() {
		w.explainDifferences(ctx, a, now.differences, now.err)
	}
	if ctx.Err() == nil {
		if now.err == nil && !w.lost {
			w.reportHiddenInputs(a, now)
		}
		if now.err == nil && w.remote != nil {
			w.checkShared(ctx, a, now.steps)
		}
		event.Outcome, event.Outputs, event.Took, event.CookTime = execute.Cooked, a.ShownOutputs(), took, took
		w.report.reportCookEvent(event)
	}
}

// An attempt is the outcome of cooking an action again once.
type attempt struct {
	differences []difference
	deps        []index.Dep
	steps       []cookone.Step
	traced      bool // set if programs were traced, so that deps has all files that they read
	err         error
}

func (t *attempt) differs() bool { return t.err != nil || len(t.differences) > 0 }

// tryCook cooks an action, with all conditions changed from an ordinary cook. If trace is set and
// the recipe supports tracing, it traces programs.
func (w *worker) tryCook(ctx context.Context, a *plan.Action, trace bool) (now attempt) {
	var traced func()
	if trace {
		traced = func() { now.traced = true }
	}
	now.err = w.cookPerturbed(ctx, a, allChanged, traced, func(scratch *confine.Dir, made cookone.Made) (err error) {
		now.deps, now.steps = made.Deps, made.Steps
		now.differences, err = w.compareRepeated(a, scratch, made)
		return err
	})
	return now
}

// untraced repeats an attempt without tracing. If the differences disappear, tracing caused them.
func (w *worker) untraced(ctx context.Context, a *plan.Action, traced attempt) attempt {
	plain := w.tryCook(ctx, a, false)
	if plain.differs() {
		plain.traced, plain.deps = traced.traced, traced.deps
		return plain
	}
	why := "the program makes different outputs while it is traced"
	if traced.err != nil {
		first, printed, _ := strings.Cut(traced.err.Error(), "\n")
		why = first
		if line, _, _ := strings.Cut(strings.TrimSpace(printed), "\n"); line != "" {
			why += ": " + line
		}
	}
	w.report.noteOnce(a.Method, fmt.Sprintf("%s: the program does not work while it is traced, so its reads are not checked; this is printed once for each rule: %s", pathname.Show(a.Path), why))
	return plain
}

// explainDifferences reports differences, or a failure, with the cause.
func (w *worker) explainDifferences(ctx context.Context, a *plan.Action, differences []difference, err error) {
	if errors.Is(err, cookone.ErrChanged) {
		w.report.reportFinding(Finding{Kind: NotUpToDate, Path: a.Path, Target: a.Target, Text: "the source changed while it was being verified; run cook"})
		return
	}
	cause := w.findCause(ctx, a)
	if gone := w.session.State.CheckLock(); gone != nil {
		w.stop(gone)
	}
	if ctx.Err() != nil {
		return
	}
	f := Finding{Kind: NotReproducible, Path: a.Path, Target: a.Target, Recipe: a.Method.Choice.Recipe.Name}
	if err != nil {
		f.Text = fmt.Sprintf("cannot be cooked again: the recipe %q %s: %v", f.Recipe, cause, err)
		w.report.reportFinding(f)
		return
	}
	for _, d := range differences {
		f.Output, f.Bytes = d.output, d.bytes
		where := ""
		if d.bytes != nil {
			where = " at " + d.bytes.String()
		}
		f.Text = fmt.Sprintf("%s differs from a new cook%s: the recipe %q %s", pathname.Show(d.output), where, f.Recipe, cause)
		w.report.reportFinding(f)
	}
}

// cookPerturbed cooks an action under some changed conditions. It calls look with the artifacts and
// their scratch directory. If the machine is the cause of a failure, it ends the verification.
func (w *worker) cookPerturbed(ctx context.Context, a *plan.Action, c perturbations, traced func(), look func(scratch *confine.Dir, made cookone.Made) error) error {
	impossible := func(err error) {
		w.stop(fmt.Errorf("%s: cannot be cooked again: %w", pathname.Show(a.Path), err))
	}
	scratch, home, err := w.scratch(c)
	if err != nil {
		impossible(err)
		return err
	}
	defer scratch.Close()
	err = w.again.Cook(ctx, a, cookone.Conditions{Scratch: scratch, Vars: c.vars(home), Traced: traced}, func(made cookone.Made) error {
		return look(scratch, made)
	})
	if err != nil && ctx.Err() == nil {
		if hindrance := w.hindrance(scratch, err); hindrance != nil {
			impossible(hindrance)
		}
	}
	return err
}

// scratch makes a scratch directory for an action, and an empty home directory.
func (w *worker) scratch(c perturbations) (scratch *confine.Dir, home string, err error) {
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

// hindrance returns the reason if a failure is not the fault of the recipe: the output directory no
// longer exists, or memory, disk space or another resource is exhausted. Programs do not say that
// the disk is full, so hindrance writes a small file to find out.
func (w *worker) hindrance(scratch *confine.Dir, err error) error {
	if gone := w.session.State.CheckLock(); gone != nil {
		return gone
	}
	var memory *cookone.MemoryError
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
