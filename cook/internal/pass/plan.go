package pass

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/assetcook/assetcook/cook/internal/artifacts"
	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/cookone"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/dependency"
	"github.com/assetcook/assetcook/internal/pathname"
	"github.com/assetcook/assetcook/internal/program"
)

// A Todo is what is to be done about a delta, and what that was decided from.
type Todo struct {
	*plan.Plan
	Rules    *Ruleset
	Contents *contents.Contents
	// Artifacts are what bundles are made of.
	Artifacts *artifacts.Catalog
	Claims    []plan.Claim  // outputs that are ours though the index may not say so
	Store     *store.Store  // nil for none
	IDs       *Identities   // nil if assets have none
	Looked    int64         // outputs that were looked at
	Reading   time.Duration // that finding out contents took
	// Rest are the actions that the delta does not concern, and Touched those of them that
	// are up to date by their checksums.
	Rest, Touched index.Totals
}

// Decide finds out what differs from what the last run knew, and what is to be done
// about it.
func Decide(ctx context.Context, s *Session, last *index.Index, where Where) (*Delta, *Todo, error) {
	delta, err := Changes(ctx, s, last, where)
	if err != nil {
		return nil, nil, err
	}
	if delta.Whole {
		todo, err := Plan(ctx, s, delta)
		return delta, todo, err
	}
	var todo *Todo
	err = index.Guard(func() (err error) { todo, err = Plan(ctx, s, delta); return err })
	if err == nil && !todo.partial() {
		return delta, todo, nil
	}
	if ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	// Rules that cannot be read, outputs that are contested, a damaged index: what is wrong
	// shows when the tree is looked at as a whole.
	s.Observer.Stage("scan")
	if delta, err = ListTree(ctx, s, s.Loaded(last)); err != nil {
		return nil, nil, err
	}
	todo, err = Plan(ctx, s, delta)
	return delta, todo, err
}

// Plan decides what is to be done about a delta. The observer is told stages and what
// is damaged, nothing else.
func Plan(ctx context.Context, s *Session, d *Delta) (*Todo, error) {
	t := &Todo{Plan: &plan.Plan{}}
	if !d.Whole {
		t.Rest, t.Touched = s.rest(d)
	}
	if !d.Whole && len(d.Concerned) == 0 {
		if d.Edited.Rules == nil {
			s.warnOfMisnamed(d, t)
			return t, nil
		}
		return t, s.judgeRules(d, &Todo{Plan: t.Plan, Rules: d.Edited.Rules})
	}
	var err error
	if t.Rules = d.Edited.Rules; t.Rules == nil {
		if t.Rules, err = s.CompileRules(d.configs()); err != nil {
			return nil, err
		}
	}
	if s.State != nil {
		s.State.BeginReading()
	}
	s.Observer.Stage("checksum")
	begin := s.Time.Now()
	t.Artifacts = &artifacts.Catalog{Last: d.Last, Concerned: d.Concerned, Final: s.Scope.Source != ""}
	t.Contents = contents.New(contents.Options{
		Artifacts: t.Artifacts.Digest,
		Assets:    s.Assets, Known: s.known(d), Checksum: s.Checksum, IgnoreStamps: s.Mode.IgnoreStamps,
		Workers: s.Limits.Workers, Clock: s.Clock, Late: s.readsLate(d), Parts: d.Read.Parts,
	})
	if err := t.Contents.Sources(ctx, d.Sources); err != nil {
		return nil, err
	}
	if t.IDs, err = s.identify(d, t.Contents); err != nil {
		return nil, err
	}
	t.Artifacts.IDs = t.IDs.Of
	before, err := t.Contents.Outputs(ctx, s.Out, d.Before, func(a *index.Action) bool {
		wanted := s.Wants(a)
		if wanted {
			t.Looked += int64(len(a.Made))
		}
		return wanted
	})
	if err != nil {
		return nil, err
	}
	t.Reading = s.Time.Now().Sub(begin)
	s.Observer.Stage("plan")
	if d.Whole && s.Out != nil {
		if t.Claims, err = s.State.Claims(d.Last.ID() != "", s.Observer.Note); err != nil {
			return nil, err
		}
	}
	t.Store = s.OpenStore()
	t.Plan = s.Make(ctx, d, t, before)
	return t, s.judgeRules(d, t)
}

// readsLate reports whether sources are read when their turn has come. Nothing that was
// known of any source can be compared with what they hold, nor is it a question about one.
// A server is asked about all of them at once, and so they are read before.
func (s *Session) readsLate(d *Delta) bool {
	return d.Whole && len(d.Before) == 0 && s.Scope.Source == "" && s.Remote.URL == ""
}

// known is what is known of files. A question about one source is to be told that it
// was touched, so that its reasons are those of the full scan.
func (s *Session) known(d *Delta) contents.Known {
	if s.Scope.Source != "" {
		return view{d.Last, &Delta{}, s.Clock}
	}
	return view{d.Last, d, s.Clock}
}

// configs are the tree's files of rules.
func (d *Delta) configs() []scan.Entry {
	if d.Whole {
		return d.Tree.Configs
	}
	var list []scan.Entry
	for _, f := range d.Last.Configs() {
		list = append(list, scan.Entry{Path: f.Path, Stamp: f.Stamp})
	}
	return list
}

// Make makes the plan of a delta, given what has been found out for it.
func (s *Session) Make(ctx context.Context, d *Delta, t *Todo, before []contents.Before) *plan.Plan {
	var outside plan.Outside
	if !d.Whole {
		outside = others{d}
	}
	return plan.Make(plan.Input{
		Sources: t.Contents.Assets(),
		Facts: plan.Facts{
			File:    func(on dependency.Dependency) contents.File { return t.Contents.At(ctx, on) },
			Tool:    s.tools(func(file string) (contents.File, error) { return t.Contents.Tool(ctx, file) }),
			Changes: t.Artifacts.Changes,
			Said:    t.Contents.Changed,
			Open:    t.Artifacts.Open,
			Sayers: func(extract dependency.Dependency) []string {
				return slices.DeleteFunc(t.Contents.Sayers(extract), func(file string) bool { _, ignored := s.Ignored(file, false); return ignored })
			},
		},
		Rules:      t.Rules.Set,
		Targets:    s.Scope.Targets,
		Others:     s.others(d.Last, t.Rules),
		Before:     before,
		Claims:     t.Claims,
		Outside:    outside,
		FoldsCase:  runtime.GOOS == "windows" || runtime.GOOS == "darwin", // almost every drive there does
		InScope:    s.inScope,
		Incomplete: d.Tree.Incomplete,
		Demand:     plan.Demand{Wait: !t.Artifacts.Final, Force: s.Mode.Force, Strict: s.Mode.Strict},
	})
}

func (s *Session) tools(content func(file string) (contents.File, error)) func(name string) (plan.Tool, error) {
	return FindTools(s.Assets.Name(), content)
}

// FindTools returns what finds a program, or a file that belongs to one, and what it is made of.
func FindTools(assets string, content func(file string) (contents.File, error)) func(name string) (plan.Tool, error) {
	machine := sync.OnceValue(program.ThisMachine)
	return func(name string) (plan.Tool, error) {
		file, err := recipe.FindTool(assets, name)
		if err != nil {
			return plan.Tool{}, err
		}
		var t plan.Tool
		if t.File, err = content(file); err == nil {
			err = addParts(&t, machine, content)
		}
		if err != nil {
			return t, fmt.Errorf("tool %s: %w", pathname.Show(name), err)
		}
		return t, nil
	}
}

func addParts(t *plan.Tool, machine func() *program.Machine, content func(file string) (contents.File, error)) error {
	parts, err := program.Of(t.Path, machine)
	if err != nil {
		return err
	}
	t.Interpreter, t.Machine = parts.Interpreter, parts.Machine
	for _, library := range parts.Libraries {
		f, err := content(library)
		if err != nil {
			return fmt.Errorf("library %s: %w", pathname.Show(library), err)
		}
		t.Libraries = append(t.Libraries, f)
	}
	return nil
}

// partial reports whether a plan for a part of the tree cannot be right: then the whole
// tree must be looked at.
func (t *Todo) partial() bool { return t.Contested || len(t.Unseen) > 0 }

// expected is how many actions run, and how long they are expected to take.
func (t *Todo) expected() (n int, took time.Duration) {
	for i := range t.Actions {
		if a := &t.Actions[i]; a.Runs() {
			n++
			took += cookone.Expected(a)
		}
	}
	return n, took
}

// others knows the outputs of sources that a delta does not concern.
type others struct{ *Delta }

// Owns reports whether a file of the output folder was made from one of them.
func (o others) Owns(output string) bool {
	yes := true // if it cannot be told, everything must be looked at
	index.Guard(func() error {
		source, ok := o.Last.Owner(output)
		yes = ok && !o.Concerned[source]
		return nil
	})
	return yes
}

// Holds reports whether a folder of the output folder has artifacts.
func (o others) Holds(folder string) bool {
	yes := true
	index.Guard(func() error { yes = o.Last.HoldsOutputs(folder); return nil })
	return yes
}

// owned returns a function that reports whether cook has made a file of the output
// folder.
func (t *Todo) owned(d *Delta) func(output string) bool {
	claimed := map[string]bool{}
	for _, c := range t.Claims {
		claimed[c.Output] = true
	}
	return func(output string) bool {
		if claimed[output] {
			return true
		}
		owned := false // if it cannot be told, it is left alone
		index.Guard(func() error { _, owned = d.Last.Owner(output); return nil })
		return owned
	}
}
