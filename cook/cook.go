package cook

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"time"

	"github.com/assetcook/assetcook/cook/plan"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/cook/recipe/audio"
	"github.com/assetcook/assetcook/cook/recipe/builtin"
	"github.com/assetcook/assetcook/cook/recipe/data"
	"github.com/assetcook/assetcook/cook/recipe/font"
	"github.com/assetcook/assetcook/cook/recipe/image"
	"github.com/assetcook/assetcook/cook/recipe/mesh"
	"github.com/assetcook/assetcook/cook/recipe/shader"
	"github.com/assetcook/assetcook/cook/recipe/text"
	"github.com/assetcook/assetcook/cook/report"
	"github.com/assetcook/assetcook/cook/run"
	"github.com/assetcook/assetcook/cook/scan"
	"github.com/assetcook/assetcook/cook/survey"
	"github.com/assetcook/assetcook/cook/watch"
	"github.com/assetcook/assetcook/internal/pathname"
)

// Cook brings the output folder up to date with the asset folder. Assets that
// fail are counted in the Summary and told to the Observer; the error is for
// what kept the whole run from being done: a *ConfigError, a *LockedError, the
// context's error after an interrupt, or a failure to read or write what every
// run needs.
//
// The Summary tells what was done all the same.
func Cook(ctx context.Context, opt Options) (report.Summary, error) {
	var locked *LockedError
	begun, said := time.Now(), false
	for {
		summary, beside, err := cookOnce(ctx, opt)
		if !errors.As(err, &locked) || !opt.Wait && !beside {
			return summary, advised(err)
		}
		// A watcher is at work, or another cook that is to be waited for.
		if !said && (opt.Wait && !beside || time.Since(begun) > longWait) && opt.Observer != nil {
			said = true
			opt.Observer.Note(locked.holder() + " works on the same output folder; waiting for it to end")
		}
		if !pause(ctx) {
			return summary, ctx.Err()
		}
	}
}

// cookOnce is Cook where the output folder is not locked. If it is, beside reports
// whether that is by a watcher that is alive and will soon be done.
func cookOnce(ctx context.Context, opt Options) (_ report.Summary, beside bool, err error) {
	k, err := begin(opt)
	if err != nil {
		return report.Summary{}, false, err
	}
	defer k.close()
	told, beside := k.askWatcher(ctx)
	if !told {
		err = k.bringUpToDate(ctx)
	}
	var locked *LockedError
	if errors.As(err, &locked) && beside {
		// It may have been stopped since, amid a round of its own.
		_, askErr := watch.Ask(ctx, k.outFile(plan.StateDir), nil)
		beside = askErr == nil
	}
	k.summary.Took = k.Now().Sub(k.started)
	if !told {
		k.remember()
	}
	if err == nil {
		err = ctx.Err()
	}
	return k.summary, beside, err
}

// bringUpToDate does what is needed, the quick way if it can.
func (k *kitchen) bringUpToDate(ctx context.Context) error {
	if err := k.takeOut(); err != nil {
		return err
	}
	if done, err := k.quick(ctx); done || err != nil {
		return err
	}
	if !k.DryRun {
		if err := k.clearLeftovers(); err != nil {
			return err
		}
	}
	if err := k.readIndex(); err != nil {
		return err
	}
	k.heedDoubt()
	if err := k.lookAround(ctx); err != nil {
		return err
	}
	return k.work(ctx)
}

// Recipes returns the recipes that are built in.
func Recipes() *recipe.Set {
	set, err := recipe.NewSet(builtIn()...)
	if err != nil {
		panic(err) // a built-in recipe breaks the rules for recipes
	}
	return set
}

func builtIn() []recipe.Recipe {
	return append(builtin.All(), audio.Recipe(), data.Recipe(), font.Recipe(), image.Recipe(), mesh.Recipe(), shader.Recipe(), text.Recipe())
}

// lookAround finds out what is there: sources, rules, contents, outputs.
func (k *kitchen) lookAround(ctx context.Context) error {
	k.openStore()
	entries, err := k.list(ctx)
	if err != nil {
		return err
	}
	for _, p := range k.tree.Problems {
		if p.Fatal() {
			k.event(run.Event{Path: p.Path, Outcome: run.Failed, Err: errors.New(p.Reason())})
		}
	}
	if err := k.surveyAll(ctx, entries); err != nil {
		return err
	}
	return k.readClaims()
}

// list finds the sources in scope and the rules for them. What cannot be listed is
// among the tree's problems.
func (k *kitchen) list(ctx context.Context) ([]scan.Entry, error) {
	k.stage("scan")
	var err error
	k.tree, err = scan.Dir(ctx, k.assets.Name(), scan.Options{Exclude: k.ownFolders(), Workers: k.Workers, ListAll: k.listAll})
	if err != nil {
		return nil, err
	}
	for _, p := range k.tree.Problems {
		if path.Base(p.Path) == scan.ConfigName {
			return nil, configError("%w", p)
		}
	}
	k.noteProblems(k.tree)
	if err := k.readRules(); err != nil {
		return nil, err
	}
	k.stage("checksum")
	var entries []scan.Entry
	for _, e := range k.tree.Entries {
		if k.inScope(e.Path) {
			entries = append(entries, e)
		}
	}
	if err := k.checkPatterns(entries); err != nil {
		return nil, err
	}
	k.summary.Looked.Listed, k.summary.Looked.Stats = k.tree.Listed, k.tree.Stats
	k.summary.Looked.Opened = k.tree.Listed
	return entries, nil
}

// surveyAll finds out the contents of the sources and what became of the
// outputs.
func (k *kitchen) surveyAll(ctx context.Context, entries []scan.Entry) error {
	k.survey = survey.New(survey.Options{
		Assets: k.assets, Index: k.last, Checksum: k.checksum, Verify: k.Verify,
		Workers: k.Workers, Clock: k.clock,
	})
	k.logged = false
	begin := k.Now()
	if err := k.survey.Sources(ctx, entries); err != nil {
		return err
	}
	wanted := k.wantedOutputs()
	var err error
	if k.outputs, err = k.survey.Outputs(ctx, k.out, func(row int) bool { return wanted[row] }); err != nil {
		return err
	}
	k.summary.Looked.Stats += int64(len(wanted))
	k.summary.Checksummed.Time += k.Now().Sub(begin)
	return nil
}

// ownFolders are those of ours that lie among the assets.
func (k *kitchen) ownFolders() []string {
	var inside []string
	for _, dir := range []string{k.Out, k.Cache} {
		real, err := dir, error(nil)
		if dir == k.Out && k.out != nil {
			real = k.out.Name()
		} else if real, err = filepath.EvalSymlinks(dir); err != nil {
			continue // it does not exist yet
		}
		if rel, ok := pathname.Below(k.assets.Name(), real); ok && rel != "." {
			inside = append(inside, real)
		}
	}
	return inside
}

// work plans, runs, and saves what came of it.
func (k *kitchen) work(ctx context.Context) error {
	p := k.plan(ctx)
	k.notePortability(p)
	outturn, err := k.carryOut(ctx, p)
	if err != nil || k.DryRun {
		return err
	}
	k.stage("save")
	if err := k.save(ctx, p, outturn); err != nil {
		return err
	}
	k.trim(ctx)
	return nil
}

// carryOut does what a plan says.
func (k *kitchen) carryOut(ctx context.Context, p *plan.Plan) (*run.Outturn, error) {
	for _, source := range p.Unseen {
		k.event(run.Event{Path: source, Outcome: run.NotReached})
	}
	k.lint(ctx, p)
	k.stage("cook")
	if k.Memory <= 0 { // asked for late: a run without work has no use for it
		k.Memory = DefaultMemory()
	}
	if !k.DryRun {
		if claims := newOutputs(p); len(claims) > 0 {
			if err := k.writeJournal(append(k.claims, k.notTheirs(claims)...)); err != nil {
				return nil, err
			}
		}
	}
	outturn, err := run.Run(ctx, p, run.Options{
		Assets: k.assets, Out: k.out, Survey: k.survey, Checksum: k.checksum, Store: k.store,
		Owned: k.owned, Workers: k.Workers, Memory: k.Memory,
		StopOnFailure: k.StopOnFailure, Strict: k.Strict, DryRun: k.DryRun, Now: k.Now,
		Report: k.event, Warn: k.Observer.Note, Probe: k.Probe,
	})
	if err != nil {
		return nil, err
	}
	k.stuck = outturn.Stuck
	read := k.survey.Read()
	k.summary.Checksummed.Assets += int(read.Files.Load())
	k.summary.Checksummed.In += read.Bytes.Load()
	return outturn, nil
}

// trim shrinks the store if that is due.
func (k *kitchen) trim(ctx context.Context) {
	if k.store != nil && k.store.TrimDue(k.Now(), k.CacheSize) {
		if _, err := k.store.Trim(ctx, k.CacheSize, k.Now()); err != nil && ctx.Err() == nil {
			k.Observer.Note(fmt.Sprintf("store: %v", err))
		}
	}
}

func (k *kitchen) plan(ctx context.Context) *plan.Plan {
	defer k.probe.Begin("cook/plan", "").End()
	p := plan.Make(plan.Input{
		Assets:     k.survey.Assets(),
		File:       func(p string) survey.File { return k.survey.At(ctx, p) },
		Tool:       func(name string) (survey.File, error) { return k.tool(ctx, name) },
		Method:     k.rules.Method,
		Targets:    k.Targets,
		Last:       k.last,
		Outputs:    k.outputs,
		Claims:     k.claims,
		Outside:    k.outside(),
		HasTarget:  func(t string) bool { return t == "" || k.rules.HasTarget(t) },
		InScope:    k.inScope,
		Incomplete: k.tree.Incomplete,
		Force:      k.Force,
		Strict:     k.Strict,
	})
	running, expected := 0, time.Duration(0)
	for i := range p.Actions {
		if a := &p.Actions[i]; a.Runs {
			running++
			expected += run.Expected(a)
		}
	}
	k.Observer.Planned(running, expected)
	return p
}

// tool finds a program, or a file that belongs to one, and its content.
func (k *kitchen) tool(ctx context.Context, name string) (survey.File, error) {
	file, err := recipe.FindTool(k.assets.Name(), name)
	if err != nil {
		return survey.File{}, err
	}
	f, err := k.survey.Tool(ctx, file)
	if err != nil {
		return f, fmt.Errorf("tool %s: %w", pathname.Show(name), err)
	}
	return f, nil
}

func (k *kitchen) event(e run.Event) {
	k.warn(e)
	e.Err = advised(e.Err)
	k.summary.Add(e)
	if e.Outcome != run.UpToDate {
		k.publish()
	}
	k.Observer.Event(e)
}
