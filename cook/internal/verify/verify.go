// Package verify proves that an output directory equals the output of a cook from scratch, and
// reports every difference:
//
//   - it reads all outputs and compares their BLAKE3 with the index, and the index with the
//     manifest;
//   - it finds files of the output directory that no action makes;
//   - it reads all sources, dependencies and programs, and compares them with the inputs on
//     record;
//   - it reads the records and blobs of the store that would restore this tree. It removes
//     damaged entries, so that no cook encounters them; a missing entry is not a difference;
//   - it cooks a sample of the assets again, in another scratch directory, time zone, locale
//     and home directory, with another number of workers, and compares every byte with the
//     outputs;
//   - it compares the files that this sample reads, looks for and lists with the dependencies
//     on record. It traces programs that could also read other files;
//   - on request, it compares the sample with the results that a run would take from a server
//     for the same inputs. A result that the server does not have is not a difference.
//
// It changes nothing else: neither assets nor outputs nor the index.
package verify

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/assetcook/assetcook/cook/internal/artifacts"
	"github.com/assetcook/assetcook/cook/internal/changes"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/lint"
	"github.com/assetcook/assetcook/cook/internal/manifest"
	"github.com/assetcook/assetcook/cook/internal/session"
	"github.com/assetcook/assetcook/cook/internal/state"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/cook/internal/todo"
	"github.com/assetcook/assetcook/internal/advice"
)

// Options selects what to verify, and how many assets to cook again.
type Options struct {
	// Pass holds the options of a pass over the same tree. If it names no targets, all targets of
	// the last runs are verified. A scope limits everything to some sources. If it has a Remote,
	// the results on that server are compared with the sample. Force, IgnoreStamps, StopOnFailure,
	// OutputsByFolder and DryRun have no effect.
	Pass session.Options
	// Sample is the number of assets to cook again: a number such as "20", a part such as "5%",
	// or "all"; "" means DefaultSample.
	Sample string
	// Seed chooses the sample. The same seed chooses the same assets as long as no asset is
	// added, changed or removed; 0 means a random seed.
	Seed uint64
	// AllowExtra allows files that no action makes. A scope that limits the sources always allows
	// such files.
	AllowExtra bool
	// Found is called for each difference, by one goroutine at a time. It may be nil.
	Found func(Finding)
}

// Run verifies an output directory. It holds the lock of the directory, so that no cook runs
// at the same time.
//
// Differences are counted; they are not errors. An error means that verification could not be
// completed; the result then has the findings so far.
func Run(ctx context.Context, opt Options) (Sum, error) {
	sample, err := parseSample(opt.Sample)
	if err != nil {
		return Sum{}, err
	}
	opt.Pass.Mode.Force, opt.Pass.Mode.DryRun = false, false
	s, err := session.Open(opt.Pass, session.WriteExisting)
	if err != nil {
		return Sum{}, advice.For(err)
	}
	defer s.Close()
	if !s.Used() {
		return Sum{}, configError("nothing was cooked into %s yet; run cook, or choose another output directory", s.Place.Out)
	}
	r := &reporter{onFinding: opt.Found, observer: s.Observer, row: s.Probe.Worker("cook")}
	defer r.closeReport()
	sum, err := verifyTree(ctx, s, r, sample, opt)
	if err == nil {
		err = s.State.CheckLock() // a lost lock means that another process may have caused the differences
	}
	sum.Differences, sum.Took = r.differences, s.Clock.Now().Sub(s.Clock.Started)
	return sum, advice.For(err)
}

func configError(format string, args ...any) error {
	return &session.ConfigError{Err: fmt.Errorf(format, args...)}
}

// verifyTree does the work of Run with an open session.
func verifyTree(ctx context.Context, s *session.Session, r *reporter, sample sample, opt Options) (sum Sum, err error) {
	last, lost, err := loadOrRebuild(s, r)
	if err != nil {
		return sum, err
	}
	defer last.Close()
	t := &verification{session: s, report: r, last: last.Index, lost: lost, store: openStore(s), known: len(opt.Pass.Scope.Targets) == 0}
	sum.Seed = randomSeed(opt.Seed)
	var swept *sweep
	if canSweep(s, sample, lost) {
		if swept, err = t.sweepTree(ctx, sample, sum.Seed); err != nil {
			return sum, err
		}
	}
	if swept == nil || t.planned.Plan.Contested { // another asset made an output of an asset in the plan
		swept = nil
		r.stage("scan")
		delta, err := changes.ListTree(ctx, s, last.Index)
		if err != nil {
			return sum, err
		}
		if err := t.readRules(delta); err != nil {
			return sum, err
		}
		r.stage("read")
		if err := t.readAndPlan(ctx, delta); err != nil {
			return sum, err
		}
	}
	sum.Outputs, sum.Bytes, sum.Assets = len(t.read.checks), t.read.bytes.Load(), countCooked(t.planned.Plan)
	if swept != nil {
		sum.Outputs, sum.Bytes, sum.Assets = sum.Outputs+swept.passed.outputs, sum.Bytes+swept.passed.bytes, sum.Assets+swept.passed.assets
	}
	if err := t.reportState(ctx, opt); err != nil {
		return sum, err
	}
	r.stage("store")
	if sum.Blobs, err = t.read.checkStore(ctx, r, lost); err != nil {
		return sum, err
	}
	if swept != nil {
		sum.Blobs += swept.store.intactBlobs(t.read.blobs)
	}
	r.stage("cook")
	sum.Again, sum.Shared, err = cookAgain(ctx, s, r, t.planned, t.sampleOf(sample, sum.Seed, swept), lost)
	return sum, err
}

// A verification is the state of one Verify call.
type verification struct {
	session *session.Session
	report  *reporter
	last    *index.Index
	store   *store.Store // nil if there is no store
	lost    bool         // set if the index was lost
	known   bool         // set to verify all targets of the last runs

	delta   *changes.Delta
	rules   *session.Ruleset
	targets []string
	ids     *todo.Identities
	read    *reader
	planned *todo.Todo
}

// sweepTree verifies the sources one by one. It reads and plans only the sources that do not pass, and
// a sample of the others.
func (t *verification) sweepTree(ctx context.Context, sample sample, seed uint64) (*sweep, error) {
	s, r := t.session, t.report
	r.stage("scan")
	w := newSweep(s, t.last)
	delta, err := changes.ListUnknown(ctx, s, t.last, w.noteListed)
	if err != nil {
		return nil, err
	}
	if err := t.readRules(delta); err != nil {
		return nil, err
	}
	r.stage("read")
	w.targets, w.store = t.targets, newStoreSweep(s, t.store)
	defer w.store.closeStore()
	if err := w.readRows(ctx, r, newContents(s, nil), t.rules); err != nil {
		return nil, err
	}
	concerned := w.unverified()
	w.drawRows(sample, seed, concerned)
	delta.Targets = t.targets
	delta.Concern(s, concerned)
	return w, t.readAndPlan(ctx, delta)
}

// readRules compiles the rules of a delta, and determines the targets to verify.
func (t *verification) readRules(delta *changes.Delta) (err error) {
	if t.delta == nil { // a second listing has the same problems
		lint.Problems(t.session, delta.Tree.Problems)
		defer func() {
			if err == nil {
				t.report.reportProblems(delta.Tree.Problems)
			}
		}()
	}
	if t.rules, err = t.session.CompileRules(delta.Tree.Configs); err != nil {
		return err
	}
	t.targets = t.session.Scope.Among(t.rules.Set.Targets())
	if t.known {
		t.targets = knownTargets(t.last.Results(), t.rules)
	}
	return nil
}

// readAndPlan reads the sources of a delta and their outputs, and makes the plan of a cook.
func (t *verification) readAndPlan(ctx context.Context, delta *changes.Delta) (err error) {
	s := t.session
	if t.ids, err = todo.ReadIDs(s); err != nil {
		return err
	}
	t.delta = delta
	catalog := &artifacts.Catalog{Last: delta.Last, Final: true, IDs: t.ids.Of}
	sources := newContents(s, catalog)
	t.read = newOutputReader(s, delta, t.targets, sources, t.store)
	delta.Before = nil // the reader has the actions, so this copy can be freed
	if err := t.read.readEverything(ctx, t.report); err != nil {
		return err
	}
	t.report.stage("plan")
	t.planned, err = makePlan(ctx, s, delta, t.targets, t.rules, catalog, sources, t.read.before)
	return err
}

// reportState reports the differences of the outputs, of the manifest and of the plan.
func (t *verification) reportState(ctx context.Context, opt Options) error {
	s, r := t.session, t.report
	for i := range t.read.checks {
		if f, differs := t.read.checks[i].finding(s); differs {
			r.reportFinding(f)
		}
	}
	if !t.lost {
		if err := checkManifest(s, r, t.last.Results(), t.targets, t.ids); err != nil {
			return err
		}
	}
	checkPlan(s, r, t.planned.Plan, t.lost)
	if !t.lost && !opt.AllowExtra && !s.Scope.Partial() {
		return checkExtra(ctx, s, r, t.last.Results(), t.planned.Claims)
	}
	return nil
}

// loadOrRebuild loads the index. If the index is lost, it returns the part of the index that the
// manifest records.
func loadOrRebuild(s *session.Session, r *reporter) (last *state.Known, lost bool, err error) {
	last, err = s.State.Index.Load()
	if err == nil {
		if err = index.Guard(last.Check); err == nil {
			return last, false, nil
		}
		last.Close()
	}
	if errors.Is(err, state.ErrUnreadable) {
		return nil, false, fmt.Errorf("%w; remove it", s.State.Index.Describe(err))
	}
	damaged := func(name string, err error) {
		text := err.Error()
		if errors.Is(err, fs.ErrNotExist) {
			text = "missing"
		}
		r.reportFinding(Finding{Kind: StateDamaged, Path: name, Text: text + "; run cook"})
	}
	damaged(state.IndexName, err)
	listed, err := s.State.Manifest.AsIndex(s.Basis.Checksum.Name)
	if err != nil {
		damaged(manifest.Name, err)
		return state.Empty(), true, nil
	}
	return &state.Known{Index: listed}, true, nil
}

// knownTargets returns the targets of the last runs that the rules still declare.
func knownTargets(last index.Results, rules *session.Ruleset) []string {
	var targets []string
	for row := range last.Rows("") {
		if t := row.Target(); !slices.Contains(targets, t) {
			targets = append(targets, t)
		}
	}
	targets = slices.DeleteFunc(targets, func(t string) bool { return !rules.Set.HasTarget(t) })
	if len(targets) == 0 {
		return []string{""}
	}
	slices.Sort(targets)
	return targets
}
