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
	"iter"
	"slices"

	"github.com/assetcook/assetcook/cook/internal/artifacts"
	"github.com/assetcook/assetcook/cook/internal/changes"
	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/lint"
	"github.com/assetcook/assetcook/cook/internal/manifest"
	"github.com/assetcook/assetcook/cook/internal/session"
	"github.com/assetcook/assetcook/cook/internal/state"
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
	r.stage("scan")
	delta, err := changes.ListTree(ctx, s, last.Index)
	if err != nil {
		return sum, err
	}
	lint.Problems(s, delta.Tree.Problems)
	rules, err := s.CompileRules(delta.Tree.Configs)
	if err != nil {
		return sum, err
	}
	targets := s.Scope.Among(rules.Set.Targets())
	if len(opt.Pass.Scope.Targets) == 0 {
		targets = knownTargets(delta.Before, rules)
	}
	for _, p := range delta.Tree.Problems {
		if p.Fatal() {
			r.reportFinding(Finding{Kind: Unreadable, Path: p.Path, Text: p.Reason()})
		}
	}
	r.stage("read")
	ids, err := todo.ReadIDs(s)
	if err != nil {
		return sum, err
	}
	catalog := &artifacts.Catalog{Last: delta.Last, Final: true, IDs: ids.Of}
	sources := newContents(s, catalog)
	read := newOutputReader(s, delta, targets, sources, openStore(s))
	delta.Before = nil // the reader has the actions, so this copy can be freed
	if err := read.readEverything(ctx, r); err != nil {
		return sum, err
	}
	sum.Outputs, sum.Bytes = len(read.checks), read.bytes.Load()
	for i := range read.checks {
		if f, differs := read.checks[i].finding(s); differs {
			r.reportFinding(f)
		}
	}
	if !lost {
		if err := checkManifest(s, r, read.before, targets, ids); err != nil {
			return sum, err
		}
	}
	r.stage("plan")
	planned, err := makePlan(ctx, s, delta, targets, rules, catalog, sources, read.before)
	if err != nil {
		return sum, err
	}
	sum.Assets = countCooked(planned.Plan)
	checkPlan(s, r, planned.Plan, lost)
	if !lost && !opt.AllowExtra && !s.Scope.Partial() {
		if err := checkExtra(ctx, s, r, read.before, planned.Claims); err != nil {
			return sum, err
		}
	}
	r.stage("store")
	if sum.Blobs, err = read.checkStore(ctx, r, lost); err != nil {
		return sum, err
	}
	r.stage("cook")
	sum.Seed = randomSeed(opt.Seed)
	sum.Again, sum.Shared, err = cookAgain(ctx, s, r, planned, sampleOf(planned.Plan, sample, sum.Seed, lost), lost)
	return sum, err
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
func knownTargets(actions []index.Action, rules *session.Ruleset) []string {
	cooked := map[string]bool{}
	for i := range actions {
		cooked[actions[i].Target] = true
	}
	var targets []string
	for t := range cooked {
		if rules.Set.HasTarget(t) {
			targets = append(targets, t)
		}
	}
	if len(targets) == 0 {
		return []string{""}
	}
	slices.Sort(targets)
	return targets
}

// eachKnown yields pointers to the actions in a list.
func eachKnown(before []contents.Before) iter.Seq[*index.Action] {
	return func(yield func(*index.Action) bool) {
		for i := range before {
			if !yield(before[i].Action) {
				return
			}
		}
	}
}
