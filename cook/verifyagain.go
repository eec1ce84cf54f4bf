package cook

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/assetcook/assetcook/cook/plan"
	"github.com/assetcook/assetcook/cook/report"
	"github.com/assetcook/assetcook/cook/run"
	"github.com/assetcook/assetcook/cook/store"
	"github.com/assetcook/assetcook/cook/survey"
	"github.com/assetcook/assetcook/internal/confine"
	"github.com/assetcook/assetcook/internal/pathname"
)

// cookAgain cooks a sample of a plan's actions again and compares.
func (v *verifier) cookAgain(ctx context.Context, p *plan.Plan, s sample) (err error) {
	v.sum.Seed = v.how.Seed
	for v.sum.Seed == 0 {
		v.sum.Seed = uint64(rand.Uint32())
	}
	var known []int // those of which it is known what they should become
	for i := range p.Actions {
		a := &p.Actions[i]
		if a.Err == nil && a.Last != nil && len(a.Last.Made) == len(a.Outputs) && (v.lost || len(outdated(a)) == 0) {
			known = append(known, i)
		}
	}
	drawn := draw(p, known, s.of(len(p.Actions)), v.sum.Seed)
	if len(drawn) == 0 {
		return nil
	}
	dir, remove, err := v.workFolder()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()

	actions := make([]plan.Action, len(drawn))
	var expected time.Duration
	for n, i := range drawn {
		actions[n] = p.Actions[i]
		actions[n].Runs = true // for those who watch
		expected += run.Expected(&actions[n])
	}
	v.Observer.Planned(len(actions), expected)
	trial := run.NewTrial(run.Options{Assets: v.assets, Survey: v.survey, Checksum: v.checksum, Memory: v.Memory, Now: v.Now})
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var next, again atomic.Int64
	var group sync.WaitGroup
	for worker := range v.Workers + 1 { // another number than cooked them
		r := &repeater{verifier: v, trial: trial, dir: dir, name: strconv.Itoa(worker), stop: stop}
		group.Go(func() {
			for ctx.Err() == nil {
				n := int(next.Add(1)) - 1
				if n >= len(actions) {
					return
				}
				r.repeat(ctx, &actions[n])
				if ctx.Err() == nil {
					again.Add(1)
				}
			}
		})
	}
	group.Wait()
	v.sum.Again = int(again.Load())
	return context.Cause(ctx)
}

// workFolder makes a folder below the output folder that nobody else looks into.
// Should we be killed, the next cook removes it.
func (v *verifier) workFolder() (dir string, remove func() error, err error) {
	const tmp = plan.StateDir + "/tmp"
	if err := v.out.Root().MkdirAll(tmp, 0o777); err != nil {
		return "", nil, fmt.Errorf("output folder: %w", err)
	}
	dir = fmt.Sprintf("%s/verify-%016x", tmp, rand.Uint64())
	if err := v.out.Root().Mkdir(dir, 0o700); err != nil {
		return "", nil, fmt.Errorf("output folder: %w", err)
	}
	return dir, func() error {
		err := v.out.Root().RemoveAll(dir)
		v.out.Root().Remove(tmp) // unless there is something from before in it
		return err
	}, nil
}

// A repeater cooks one asset after the other again.
type repeater struct {
	*verifier
	trial *run.Trial
	dir   string // for all repeaters, below the output folder
	name  string // its own
	// stop ends verifying: something that says nothing of any recipe keeps it from
	// being done.
	stop context.CancelCauseFunc
}

// A difference is an output that did not become what it was.
type difference struct {
	output string
	bytes  *report.ByteDifference // nil if the old one is not there to compare with
}

// repeat cooks an action again and tells what came out otherwise.
func (r *repeater) repeat(ctx context.Context, a *plan.Action) {
	r.tell(run.Event{Started: true, Action: a, Path: a.Path, Target: a.Target, In: a.Source.Stamp.Size, CookTime: run.Expected(a)})
	begin := r.Now()
	var differences []difference
	err := r.cook(ctx, a, allChanged, func(scratch *confine.Dir, files []string, made []store.Artifact) (err error) {
		differences, err = r.compare(a, scratch, files, made)
		return err
	})
	took := r.Now().Sub(begin)
	if err != nil || len(differences) > 0 {
		r.tellCause(ctx, a, differences, err)
	}
	if ctx.Err() == nil {
		r.tell(run.Event{Action: a, Path: a.Path, Target: a.Target, Outcome: run.Cooked, Outputs: a.Outputs,
			In: a.Source.Stamp.Size, Took: took, CookTime: took})
	}
}

func (r *repeater) tell(e run.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.Observer.Event(e)
}

// tellCause tells what was found of an action that did not become what it was.
func (r *repeater) tellCause(ctx context.Context, a *plan.Action, differences []difference, err error) {
	f := report.Finding{Kind: report.NotReproducible, Path: a.Path, Target: a.Target, Recipe: a.Method.Recipe.Name}
	if errors.Is(err, run.ErrChanged) {
		f.Kind, f.Recipe, f.Text = report.NotUpToDate, "", "changed while it was being verified; run cook"
		r.found(f)
		return
	}
	cause := r.cause(ctx, a)
	if gone := r.stillOurs(); gone != nil {
		r.stop(gone)
	}
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		f.Text = fmt.Sprintf("cannot be cooked again: the recipe %q %s: %v", f.Recipe, cause, err)
		r.found(f)
		return
	}
	for _, d := range differences {
		f.Output, f.Bytes = d.output, d.bytes
		where := ""
		if d.bytes != nil {
			where = " at " + d.bytes.String()
		}
		f.Text = fmt.Sprintf("%s differs from a new cook%s: the recipe %q %s", pathname.Show(d.output), where, f.Recipe, cause)
		r.found(f)
	}
}

// compare returns the outputs that differ.
func (r *repeater) compare(a *plan.Action, scratch *confine.Dir, files []string, made []store.Artifact) ([]difference, error) {
	var all []difference
	for i, m := range made {
		if m.Blob == a.Last.Made[i].Blob {
			continue
		}
		d := difference{output: a.Outputs[i]}
		if a.LastMade[i].State == survey.Intact {
			place, err := r.firstDifference(a.LastMade[i].Artifact.Path, scratch, files[i])
			if err != nil {
				return nil, err
			}
			d.bytes = place
		}
		all = append(all, d)
	}
	return all, nil
}

// firstDifference compares an output with a new artifact. It returns nil if they
// are equal.
func (r *repeater) firstDifference(output string, scratch *confine.Dir, file string) (*report.ByteDifference, error) {
	was, err := r.out.OpenFile(output)
	if err != nil {
		return nil, err
	}
	defer was.Close()
	now, err := scratch.OpenFile(file)
	if err != nil {
		return nil, err
	}
	defer now.Close()
	return firstDifference(was, now)
}

func firstDifference(was, now io.Reader) (*report.ByteDifference, error) {
	const size = 64 << 10
	w, n := bufio.NewReaderSize(was, size), bufio.NewReaderSize(now, size)
	next := func(r *bufio.Reader) (int, error) {
		b, err := r.ReadByte()
		switch err {
		case nil:
			return int(b), nil
		case io.EOF:
			return -1, nil
		}
		return 0, err
	}
	for offset := int64(0); ; offset++ {
		a, err := next(w)
		if err != nil {
			return nil, err
		}
		b, err := next(n)
		if err != nil {
			return nil, err
		}
		switch {
		case a != b:
			return &report.ByteDifference{Offset: offset, Was: a, Now: b}, nil
		case a < 0:
			return nil, nil
		}
	}
}

// A looker is shown what a new cook made: the files of a scratch folder.
type looker func(scratch *confine.Dir, files []string, made []store.Artifact) error

// cook cooks an action with some of its conditions changed. Where the machine, not
// the recipe, is why that cannot be done, all of verifying ends.
func (r *repeater) cook(ctx context.Context, a *plan.Action, c changes, look looker) error {
	scratch, home, err := r.scratch(c)
	if err != nil {
		r.stop(fmt.Errorf("%s: cannot be cooked again: %w", pathname.Show(a.Path), err))
		return err
	}
	defer scratch.Close()
	err = r.trial.Cook(ctx, a, run.Conditions{Scratch: scratch, Vars: c.vars(home)}, func(files []string, made []store.Artifact) error {
		return look(scratch, files, made)
	})
	if err != nil && ctx.Err() == nil {
		if hindered := r.hindered(scratch, err); hindered != nil {
			r.stop(fmt.Errorf("%s: cannot be cooked again: %w", pathname.Show(a.Path), hindered))
		}
	}
	return err
}

// scratch makes the folder that an action is cooked in, and an empty home folder.
func (r *repeater) scratch(c changes) (scratch *confine.Dir, home string, err error) {
	folder := path.Join(r.dir, r.name)
	if c&otherScratch != 0 {
		folder = path.Join(r.dir, "a-scratch-folder-with-another-name", r.name)
	}
	home = path.Join(folder, "home")
	if err := r.out.Root().RemoveAll(folder); err != nil {
		return nil, "", err
	}
	if err := r.out.Root().MkdirAll(home, 0o777); err != nil {
		return nil, "", err
	}
	scratch, err = r.out.Sub(folder)
	return scratch, r.outFile(home), err
}

// hindered returns why a failure says nothing of a recipe: the output folder is
// gone, memory or the system's means are used up. A program does not tell us that
// the disk is full, so a little is written to see.
func (r *repeater) hindered(scratch *confine.Dir, err error) error {
	if gone := r.stillOurs(); gone != nil {
		return gone
	}
	var memory *run.MemoryError
	if errors.As(err, &memory) || advised(err) != err {
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
