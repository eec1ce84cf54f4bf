// Package todo determines the work of a pass. It gathers the facts that package plan needs, and
// then calls package plan.
//
// [Make] turns a delta (package changes) into a [Todo]. It compiles the rules, determines the
// contents of the sources and of the recorded outputs, reads the asset IDs, and makes the plan. It
// changes nothing on the disk.
package todo

import (
	"context"
	"runtime"
	"slices"
	"time"

	"github.com/assetcook/assetcook/cook/internal/artifacts"
	"github.com/assetcook/assetcook/cook/internal/changes"
	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/cookone"
	"github.com/assetcook/assetcook/cook/internal/execute"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/remote"
	"github.com/assetcook/assetcook/cook/internal/session"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/cook/internal/tools"
	"github.com/assetcook/assetcook/internal/dependency"
	"github.com/assetcook/assetcook/internal/parallel"
)

// A Todo holds the plan for a delta and the facts that the plan uses.
type Todo struct {
	Plan      *plan.Plan
	Targets   []string         // targets that the pass covers
	Rules     *session.Ruleset // nil if the plan needs no rules
	Contents  *contents.Contents
	Artifacts *artifacts.Catalog // artifacts that bundles may read
	Claims    []plan.Claim       // outputs that cook made; the index may lack some
	Store     *store.Store       // nil if the run has no store
	IDs       *Identities        // nil if assets have no IDs
	Looked    int64              // number of outputs whose stamps were compared
	Reading   time.Duration      // time spent on determining contents
	// UpToDate has the totals of the actions that the delta does not affect. Touched has the totals
	// of the actions among these that have touched files.
	UpToDate, Touched index.Totals
}

// Make plans the work for a delta. It reports stages and damage to the observer, but no events.
func Make(ctx context.Context, s *session.Session, d *changes.Delta) (*Todo, error) {
	t := &Todo{Plan: &plan.Plan{}, Targets: d.Targets, Rules: d.Edited.Rules}
	if !d.Whole {
		t.UpToDate, t.Touched = d.UpToDate(&s.Scope)
	}
	if !d.Whole && len(d.Concerned) == 0 {
		return t, nil
	}
	var err error
	if t.Rules == nil {
		if t.Rules, err = s.CompileRules(d.Configs()); err != nil {
			return nil, err
		}
	}
	t.Targets = s.Scope.Among(t.Rules.Set.Targets())
	if s.State != nil {
		s.State.BeginReading()
	}
	s.Observer.Stage("checksum")
	begin := s.Clock.Now()
	t.Artifacts = &artifacts.Catalog{Last: d.Last, Concerned: d.Concerned, Final: s.Scope.Source != ""}
	t.Contents = contents.New(contents.Options{
		Artifacts: t.Artifacts.Digest,
		Assets:    s.Assets, Known: knownFiles(s, d), Checksum: s.Basis.Checksum, IgnoreStamps: s.Mode.IgnoreStamps,
		Workers: s.Limits.Workers, Clock: s.Clock.Stamps, Late: readsLate(s, d), Parts: d.Read.Parts,
	})
	if err := t.Contents.Sources(ctx, d.Sources); err != nil {
		return nil, err
	}
	if t.IDs, err = followRenames(s, d, t.Contents); err != nil {
		return nil, err
	}
	t.Artifacts.IDs = t.IDs.Of
	before, err := t.Contents.Outputs(ctx, s.Out, d.Before, func(a *index.Action) bool {
		wanted := slices.Contains(t.Targets, a.Target) && s.Scope.Has(a.Path)
		if wanted {
			t.Looked += int64(len(a.Made))
		}
		return wanted
	})
	if err != nil {
		return nil, err
	}
	t.Reading = s.Clock.Now().Sub(begin)
	s.Observer.Stage("plan")
	if d.Whole && s.Out != nil {
		if t.Claims, err = s.State.Journal.Claims(d.Last.ID() != "", s.Observer.Note); err != nil {
			return nil, err
		}
	}
	t.Store = s.OpenStore()
	t.Plan = t.Decide(ctx, s, d, before)
	return t, nil
}

// readsLate reports whether sources are read one by one, just before they are cooked. This requires
// that the index has no sources and that the run does not answer a Question. A run with a server
// reads all sources at the beginning, because it looks up all of them at once.
func readsLate(s *session.Session, d *changes.Delta) bool {
	return d.Whole && len(d.Before) == 0 && s.Scope.Source == "" && s.Place.Remote.URL == ""
}

// knownFiles returns the known contents. For a Question about one source, it returns them with the
// old stamps. The pass then treats a touched source as a full scan does.
func knownFiles(s *session.Session, d *changes.Delta) contents.Known {
	if s.Scope.Source != "" {
		return d.WithOldStamps(s.Clock.Stamps)
	}
	return d.Restamped(s.Clock.Stamps)
}

// Decide returns a plan that is made from the facts in the Todo and from the known actions. It does
// not set t.Plan.
func (t *Todo) Decide(ctx context.Context, s *session.Session, d *changes.Delta, before []contents.Before) *plan.Plan {
	var outside plan.Outside
	if !d.Whole {
		outside = unconcerned{d}
	}
	versions := &tools.Versions{Run: tools.RunIn(ctx, s.Assets.Name())}
	switch {
	case s.Mode.DryRun && s.Scope.Source == "":
		versions.Run = tools.RunNone // a dry run starts no program
	case s.Mode.DryRun:
		versions.Run = tools.RunConfined(versions.Run) // answering a Question must not change anything
	}
	if !s.Mode.Force {
		versions.Last = d.Last.Results().Methods
	}
	return plan.Make(plan.Input{
		Sources: t.Contents.Assets(),
		Facts: plan.Facts{
			File:    func(on dependency.Dependency) contents.File { return t.Contents.At(ctx, on) },
			Tool:    tools.Finder(s.Assets.Name(), func(file string) (contents.File, error) { return t.Contents.Tool(ctx, file) }),
			Print:   versions.Print,
			Changes: t.Artifacts.Changes,
			Said:    t.Contents.Changed,
			Open:    t.Artifacts.Open,
			Sayers: func(extract dependency.Dependency) []string {
				return slices.DeleteFunc(t.Contents.Sayers(extract), func(file string) bool { _, ignored := s.Ignored(file, false); return ignored })
			},
		},
		Rules:      t.Rules.Set,
		Targets:    t.Targets,
		Others:     changes.OtherTargets(d.Last, s, t.Targets, t.Rules),
		Before:     before,
		Claims:     t.Claims,
		Outside:    outside,
		FoldsCase:  runtime.GOOS == "windows" || runtime.GOOS == "darwin", // almost every drive on this system ignores case
		InScope:    s.Scope.Has,
		Incomplete: d.Tree.Incomplete,
		Demand:     plan.Demand{Wait: !t.Artifacts.Final, Force: s.Mode.Force, Strict: s.Mode.Strict},
	})
}

// Partial reports whether a plan for only a part of the tree may be wrong, so that the whole tree
// must be listed.
func (t *Todo) Partial() bool { return t.Plan.Contested || len(t.Plan.Unseen) > 0 }

// Works reports whether there is anything to make or remove.
func (t *Todo) Works() bool {
	if len(t.Plan.Retired)+t.Plan.Late > 0 {
		return true
	}
	for i := range t.Plan.Actions {
		if t.Plan.Actions[i].Runs() {
			return true
		}
	}
	return false
}

// Expected returns the number of actions that will run, and their expected total time.
func (t *Todo) Expected() (n int, took time.Duration) {
	for i := range t.Plan.Actions {
		if a := &t.Plan.Actions[i]; a.Runs() {
			n++
			took += cookone.Expected(a)
		}
	}
	return n, took
}

// Owned returns a function that reports whether cook created a file of the output directory. d is
// the delta of the plan.
func (t *Todo) Owned(d *changes.Delta, s *session.Session) func(output string) bool {
	claimed := map[string]bool{}
	for _, c := range t.Claims {
		claimed[c.Output] = true
	}
	return func(output string) bool {
		if claimed[output] {
			return true
		}
		owned := false // stays false if the index is damaged, so that the file is kept
		index.Guard(func() error { _, owned = d.Last.Results().Owner(output); return nil })
		return owned || s.State.IsTag(output)
	}
}

// Env returns the environment for cooking the actions of the plan.
func (t *Todo) Env(s *session.Session) execute.Env {
	memory := s.Limits.Memory
	if memory <= 0 { // computed late, because a no-op run does not need it
		memory = session.DefaultMemory()
	}
	server, _ := remote.OptionsOf(s.Place.Remote) // Open has already reported the error
	if !s.Probe.Run.IsZero() {
		server.Args = append(server.Args, "-run", s.Probe.Run.String())
	}
	work := ""
	if s.State != nil {
		work = s.State.Work()
	}
	return execute.Env{Work: work, Store: t.Store, Remote: server, Cook: cookone.Env{
		Assets: s.Assets, Out: s.Out, Contents: t.Contents, Artifacts: t.Artifacts, Checksum: s.Basis.Checksum, Memory: memory,
		Cores: parallel.NewCores(s.Limits.Workers), Now: s.Clock.Now, Probe: s.Probe,
	}}
}

// unconcerned answers queries about the outputs of sources that a delta does not affect.
type unconcerned struct{ delta *changes.Delta }

// Owns reports whether a file of the output directory is an output of a source outside this run. If
// the index is damaged, it returns true, so that the plan is contested and the whole tree is
// listed.
func (u unconcerned) Owns(output string) bool {
	yes := true
	index.Guard(func() error {
		source, ok := u.delta.Last.Results().Owner(output)
		yes = ok && !u.delta.Concerned[source]
		return nil
	})
	return yes
}

// Holds reports whether a subdirectory of the output directory contains artifacts.
func (u unconcerned) Holds(folder string) bool {
	yes := true
	index.Guard(func() error { yes = u.delta.Last.Results().HoldsOutputs(folder); return nil })
	return yes
}
