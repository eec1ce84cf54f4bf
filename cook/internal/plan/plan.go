// Package plan decides which actions of a run have to be carried out, and says why.
//
// The package is pure: [Make] and [Decide] read only the facts in their arguments, never a disk
// or a clock. A dry run and a real run therefore cannot disagree. Reasons and keys come from
// the same fields, so that -explain prints exactly the fields that were hashed.
//
// After [Make] returns, a plan does not change, except that an action gets its ID when its source
// is read. Some actions are [Late]: other actions of the run make their inputs. Decide decides
// about a late action once its inputs are made, and returns the decision.
//
// # Why a key is right
//
// A method is everything except the source that affects the artifacts of a recipe: its name and
// version, every option that is not excused by name, and the content of its tools. An action ID
// is the hash of
//
//   - the method,
//   - the extension and content of the source,
//   - the answers of files in some directories about the source, if the recipe asks them
//     (see [Asks]), and
//   - the path of the source, if the recipe declares that it uses the path.
//
// The dependencies of an action are known only after it ran, so a result is looked up in two
// steps. The action ID finds the names that earlier runs read (the read sets). The content
// behind these names, hashed together with the action ID, is the result ID. A file that was
// looked for and not found is in the read set too, so that its appearance is a change.
package plan

import (
	"slices"

	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/rules"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/dependency"
)

// A Retired artifact is an artifact that no action claims any more.
type Retired struct {
	Path   string // path in the output directory
	Source string
	Target string
}

// A Claim is an output that an earlier run made or was about to make. The index may lack it.
type Claim struct{ Output, Source, Target string }

// Input holds everything that a plan is made from.
type Input struct {
	Sources []contents.File // sorted by path
	Facts   Facts
	Demand  Demand
	Rules   *rules.Set // rules that choose the method of each source
	Targets []string   // targets of this run, sorted; "" for the unnamed one
	Others  []string   // other targets for which the index is complete
	// Before holds the known actions of these sources, and of sources that are gone, sorted
	// by path and target.
	Before     []contents.Before
	Claims     []Claim                // artifacts that only the manifest or the journal records
	Outside    Outside                // outputs of all actions that are not in Before; nil if there are none
	FoldsCase  bool                   // set if the file system ignores the case of names
	InScope    func(path string) bool // reports whether the run includes the source
	Incomplete func(path string) bool // reports whether a missing path may still exist
}

// Facts holds functions that return the facts for a decision. Each is called only when needed.
type Facts struct {
	// File returns the present content of a dependency.
	File func(on dependency.Dependency) contents.File
	// Tool finds a program.
	Tool func(name string) (Tool, error)
	// Print returns the output of a version command.
	Print func(VersionQuestion) (string, error)
	// Changes describes the change of artifacts that a bundle depends on.
	Changes func(artifacts dependency.Dependency) string
	// Open reports whether an action must still make some of the artifacts.
	Open func(artifacts dependency.Dependency) bool
	// Said returns a text that names the files whose answers in an extract changed.
	Said func(extract dependency.Dependency) string
	// Sayers returns the assets whose files answer the query of an extract.
	Sayers func(extract dependency.Dependency) []string
}

// A Demand requests more work than the changes need.
type Demand struct {
	Wait   bool // set to make bundles late
	Force  bool // set to run every action
	Strict bool // set to run actions with warnings again, so that they fail
}

// Outside tells which outputs belong to actions outside the run. A plan must not touch these
// outputs.
type Outside interface {
	// Owns reports whether an action outside the run owns an output.
	Owns(output string) bool
	// Holds reports whether a directory contains an output that must not be touched.
	Holds(folder string) bool
}

// A Plan holds the actions of a run and their outputs.
type Plan struct {
	// Contested is set if actions inside and outside of the plan claim the same output. The whole
	// tree must then be planned.
	Contested bool
	Actions   []Action // sorted by path and target
	Late      int      // number of late actions
	Retired   []Retired
	Kept      []*contents.Before  // known actions that this run does not touch
	Pending   map[string][]string // sources that the next run for a target must recheck, by target
	Gone      int                 // number of sources that no longer exist
	Unseen    []string            // sources in directories that cannot be listed

	Finals Finals // final names of outputs with {hash}

	// Facts and Demand are the arguments of [Decide] for late actions.
	Facts  Facts
	Demand Demand
}

// Make makes the plan of a run.
func Make(in Input) *Plan {
	p := &planner{
		in: &in, methods: NewMethods(in.Rules, in.Facts.Tool, in.Facts.Print), key: NewKey(),
		plan: &Plan{Pending: map[string][]string{}, Facts: in.Facts, Demand: in.Demand},
	}
	p.plan.Actions = make([]Action, 0, len(in.Sources)*len(in.Targets))
	before := in.Before
	for i := range in.Sources {
		src := &in.Sources[i]
		for len(before) > 0 && before[0].Path < src.Path {
			p.leftOver(&before[0])
			before = before[1:]
		}
		if !in.InScope(src.Path) {
			continue // leftOver keeps the known actions of this source
		}
		n := 0
		for n < len(before) && before[n].Path == src.Path {
			n++
		}
		for _, target := range in.Targets {
			a := p.actionFor(src, target, before[:n], in.Demand.Wait)
			if a.IsLate() {
				p.plan.Late++
			}
			p.plan.Actions = append(p.plan.Actions, a)
		}
		for _, target := range in.Others {
			if a := p.actionFor(src, target, before[:n], false); a.outdatedReason() {
				p.pend(src.Path, target)
			}
		}
		for k := range before[:n] {
			switch b := &before[k]; {
			case !in.Rules.HasTarget(b.Target):
				p.gone = append(p.gone, b)
				p.plan.Gone++
			case !slices.Contains(in.Targets, b.Target):
				p.plan.Kept = append(p.plan.Kept, b)
			}
		}
		before = before[n:]
	}
	for i := range before {
		p.leftOver(&before[i])
	}
	p.claimOutput()
	p.claimFinals()
	p.retireClaims()
	p.findMoves()
	return p.plan
}

// A planner makes one plan.
type planner struct {
	in      *Input
	plan    *Plan
	methods *Methods
	gone    []*contents.Before     // actions whose source no longer exists
	claims  map[string]int         // actions by output
	folded  map[string]foldedClaim // claims by output in lower case, if the file system ignores case
	key     *hashing.Key           // computes action IDs, one at a time
}

// leftOver keeps or drops a known action whose source is out of scope or gone.
func (p *planner) leftOver(b *contents.Before) {
	switch {
	case p.in.Incomplete(b.Path):
		p.plan.Unseen = append(p.plan.Unseen, b.Path)
		p.plan.Kept = append(p.plan.Kept, b)
	case !p.in.InScope(b.Path), p.in.Rules.HasTarget(b.Target) && !slices.Contains(p.in.Targets, b.Target):
		p.plan.Kept = append(p.plan.Kept, b)
		if slices.Contains(p.in.Others, b.Target) {
			p.pend(b.Path, b.Target)
		}
	default:
		p.gone = append(p.gone, b)
		p.plan.Gone++
	}
}

// pend records a source that a run for another target must recheck.
func (p *planner) pend(source, target string) {
	p.plan.Pending[target] = append(p.plan.Pending[target], source)
}

// actionFor plans one source for one target. before holds the known actions of the source.
func (p *planner) actionFor(src *contents.File, target string, before []contents.Before, wait bool) Action {
	a := Action{Path: src.Path, Target: target, Source: src}
	for i := range before {
		if before[i].Target == target {
			a.Last = &before[i]
		}
	}
	chosen, err := p.in.Rules.Method(src.Path, target)
	if err == nil {
		a.Method, err = p.methods.Of(chosen)
	}
	if err != nil {
		a.Err = err
		return a
	}
	holders := p.holders(&a)
	if holders == nil {
		a.Outputs = methodOutputs(a.Method, src.Path, target)
		p.plan.Finals.Any = p.plan.Finals.Any || a.HasHashes()
	}
	if src.How != contents.Unread {
		if a.ID, a.Err = a.Identify(p.key, src, p.in.Facts.File); a.Err != nil {
			return a
		}
	}
	if wait && (chosen.Bundles() || a.Last != nil && slices.ContainsFunc(a.Last.Deps, isName)) {
		a.State = Late
	} else {
		d := Decide(&a, p.in.Facts, p.in.Demand)
		a.State, a.Reasons, a.Stale = d.State(), d.Reasons, d.Stale
	}
	if holders != nil {
		a.Reasons = append(a.Reasons[:len(a.Reasons):len(a.Reasons)], holderOf(holders))
	}
	return a
}

// holders returns the sources whose artifacts embed the source of an action. It returns them only
// if one recipe can embed the source and cooks all files that read the source. Otherwise it returns
// nil.
func (p *planner) holders(a *Action) (list []string) {
	if a.Method.Choice.Holder() == nil {
		return nil
	}
	asked, err := Asks(a.Method, a.Path)
	if err != nil {
		return nil // Identify returns the same error
	}
	for _, d := range asked {
		if f := p.in.Facts.File(d.On); !f.Known() || f.Blob == contents.Silence {
			continue
		}
		for _, reader := range p.in.Facts.Sayers(d.On) {
			m, err := p.in.Rules.Method(reader, a.Target)
			if err != nil || m.Recipe.Name != a.Method.Choice.Holder().Name {
				return nil
			}
			list = append(list, reader)
		}
	}
	return list
}
