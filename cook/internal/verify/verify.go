// Package verify proves that an output folder is what a cook from scratch would make,
// and reports every difference:
//
//   - all outputs are read and compared by BLAKE3 with what was cooked, and so are
//     manifest and index with each other;
//   - files of the output folder that nothing makes are found;
//   - all sources, dependencies and programs are read and compared in the same way
//     with what the outputs were cooked from;
//   - the store's records and blobs that this tree would be restored from are read.
//     A damaged one is removed, so that no cook meets it; a missing one is no
//     difference;
//   - a sample of the assets is cooked again in another scratch folder, time zone,
//     locale and home folder, with another number of workers, and compared byte by
//     byte with what is in the output folder;
//   - what these read, look for and list is compared with the dependencies on record.
//     Programs that could read more than they are known to are traced for that;
//   - on request, what is cooked again is compared with the results that runs would take
//     from a server for the same inputs. One that it does not have is no difference.
//
// Nothing else is changed: not the assets, not the outputs, not the index.
package verify

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"slices"

	"github.com/assetcook/assetcook/cook/internal/changes"
	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/execute"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/lint"
	"github.com/assetcook/assetcook/cook/internal/manifest"
	"github.com/assetcook/assetcook/cook/internal/session"
	"github.com/assetcook/assetcook/cook/internal/state"
	"github.com/assetcook/assetcook/cook/internal/todo"
	"github.com/assetcook/assetcook/internal/advice"
)

// Options say what to verify, and how much of it to cook again.
type Options struct {
	// Pass is as for a pass over the same tree. Without targets those that were cooked
	// last are verified; a scope limits everything to some sources. Force,
	// IgnoreStamps, StopOnFailure, OutputsByFolder and DryRun mean nothing here. The
	// results that Remote has of what is cooked again are compared with that.
	Pass session.Options
	// Sample is how many assets are cooked again: a number such as "20", a part
	// such as "5%", or "all"; "" is DefaultSample.
	Sample string
	// Seed chooses the sample. The same seed chooses the same assets as long as
	// nothing is added, changed or removed; 0 is another seed each time.
	Seed uint64
	// AllowExtra lets files pass that nothing makes. If the scope limits the sources,
	// they pass in any case.
	AllowExtra bool
	// Found is called for each difference, by one goroutine at a time; nil for none.
	Found func(Finding)
}

// Run verifies an output folder. It holds the folder's lock, so that no cook runs at
// the same time.
//
// Differences are counted, not errors. An error means that verifying could not be
// completed; the result then has what was found until then.
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
		return Sum{}, configError("nothing was cooked into %s yet; run cook, or choose another output folder", s.Place.Out)
	}
	r := &reporter{onFinding: opt.Found, observer: s.Observer, row: s.Probe.Worker("cook")}
	defer r.closeReport()
	sum, err := verify(ctx, s, r, sample, opt)
	if err == nil {
		err = s.State.CheckLock() // else another process may have caused what was found
	}
	sum.Differences, sum.Took = r.differences, s.Clock.Now().Sub(s.Clock.Started)
	return sum, advice.For(err)
}

func configError(format string, args ...any) error {
	return &session.ConfigError{Err: fmt.Errorf(format, args...)}
}

// verify does the work of Run once the session is open.
func verify(ctx context.Context, s *session.Session, r *reporter, sample sample, opt Options) (sum Sum, err error) {
	last, err := load(s, r)
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
			r.found(Finding{Kind: Unreadable, Path: p.Path, Text: p.Reason()})
		}
	}
	r.stage("read")
	ids, err := todo.ReadIDs(s)
	if err != nil {
		return sum, err
	}
	artifacts := &execute.Artifacts{Last: delta.Last, Final: true, IDs: ids.Of}
	sources := newContents(s, artifacts)
	read := newReader(s, delta, targets, sources, openStore(s))
	delta.Before = nil // the reader has it
	if err := read.readEverything(ctx, r); err != nil {
		return sum, err
	}
	sum.Outputs, sum.Bytes = len(read.checks), read.bytes.Load()
	for i := range read.checks {
		if f, differs := read.checks[i].finding(s); differs {
			r.found(f)
		}
	}
	if !last.lost {
		if err := checkManifest(s, r, read.before, targets, ids); err != nil {
			return sum, err
		}
	}
	r.stage("plan")
	planned, err := makePlan(ctx, s, delta, targets, rules, artifacts, sources, read.before)
	if err != nil {
		return sum, err
	}
	sum.Assets = countCooked(planned.Plan)
	checkPlan(s, r, planned.Plan, last.lost)
	if !last.lost && !opt.AllowExtra && len(s.Scope.Patterns) == 0 {
		if err := checkExtra(ctx, s, r, read.before, planned.Claims); err != nil {
			return sum, err
		}
	}
	r.stage("store")
	if sum.Blobs, err = read.checkStore(ctx, r, last.lost); err != nil {
		return sum, err
	}
	r.stage("cook")
	sum.Seed = newSeed(opt.Seed)
	sum.Again, sum.Shared, err = cookAgain(ctx, s, r, planned, sampleOf(planned.Plan, sample, sum.Seed, last.lost), last.lost)
	return sum, err
}

// A known is what the last run left.
type known struct {
	*state.Known
	lost bool // there is no index, and this is what the manifest knows
}

// load loads the index, or what the manifest knows of it.
func load(s *session.Session, r *reporter) (known, error) {
	last, err := s.State.Index.Load()
	if err == nil {
		if err = index.Guard(last.Check); err == nil {
			return known{last, false}, nil
		}
		last.Close()
	}
	if errors.Is(err, state.ErrUnreadable) {
		return known{}, fmt.Errorf("%w; remove it", s.State.Index.Describe(err))
	}
	damaged := func(name string, err error) {
		text := err.Error()
		if errors.Is(err, fs.ErrNotExist) {
			text = "missing"
		}
		r.found(Finding{Kind: StateDamaged, Path: name, Text: text + "; run cook"})
	}
	damaged(state.IndexName, err)
	listed, err := s.State.Manifest.AsIndex(s.Basis.Checksum.Name)
	if err != nil {
		damaged(manifest.Name, err)
		return known{state.Empty(), true}, nil
	}
	return known{&state.Known{Index: listed}, true}, nil
}

// knownTargets are the targets that were cooked, if the rules still have them.
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

// each yields the actions of a list by reference.
func each(before []contents.Before) iter.Seq[*index.Action] {
	return func(yield func(*index.Action) bool) {
		for i := range before {
			if !yield(&before[i].Action) {
				return
			}
		}
	}
}
