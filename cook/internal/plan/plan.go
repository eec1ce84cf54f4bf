// Package plan decides what has to be done, and says why.
//
// It is pure: it looks at what scan, contents, index and rules found and at nothing
// else, so a dry run and a real one cannot disagree. The reasons come
// from the same walk as the keys: what -explain prints is what was hashed.
//
// # Why a key is right
//
// A method is everything but the source that decides what a recipe makes: its
// name and version, every option that is not excused by name, the content of
// its tools. An action ID is the hash of the method, the source's extension
// and content, what the files of some folders say of the source if the recipe
// asks them (see [Asks]), and, where the recipe declares that it uses it, the
// path. What a recipe reads besides (its dependencies) is not known before it runs, so
// results are found in two steps: the action ID finds the names that were read
// last time (the read sets), and the content behind those names, hashed
// together with the action ID, is the result ID. A file that was looked for
// and not found is in the read set too, so that its appearance is a change.
package plan

import (
	"fmt"
	"slices"

	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/rules"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/dependency"
)

// An Action is one recipe applied to one source for one target.
type Action struct {
	Path    string
	Target  string
	Source  *contents.File
	Method  *Method        // nil if Err
	ID      store.ActionID // none yet if Source is Unread
	Outputs []string       // paths in the output folder; none if Held

	// Last is what the last run knew of the action, nil for nothing.
	Last *contents.Before

	// Runs says that there is work to do. Reasons say why, or why not.
	Runs    bool
	Reasons []Reason
	// Stale says that the recorded artifacts were made from something else
	// than what is there now, so they must not outlive a failure.
	Stale bool
	// Moved is a finished action whose artifacts this one would make, and which lie
	// under names that no action claims any more.
	Moved *contents.Before
	// Err says why the action cannot run at all.
	Err error
}

// A Retired artifact is claimed by no action any more.
type Retired struct {
	Path   string // in the output folder
	Source string
	Target string
}

// A Claim is an output that an earlier run made or was about to make, and that
// the index may not know of.
type Claim struct{ Output, Source, Target string }

// Input is all that a plan is made from.
type Input struct {
	Sources []contents.File // sorted by path
	Facts
	// Rules choose the method of each source.
	Rules *rules.Set
	// Targets are the targets of this run, sorted; one empty name for none.
	Targets []string
	// Others are targets that this run leaves alone, and of which the last run knew all.
	Others []string
	// Before is what the last run knew of these sources, and of sources that are gone,
	// sorted by path and target.
	Before []contents.Before
	// Claims are artifacts that only the manifest or the journal remember.
	Claims []Claim
	// Outside knows the outputs of all actions that are not in Before; nil if there are
	// none.
	Outside Outside
	// FoldsCase says that file names which differ in case only are the same file.
	FoldsCase bool
	// InScope says whether a source is among those to be brought up to date.
	InScope func(path string) bool
	// Incomplete says that a path's absence proves nothing.
	Incomplete func(path string) bool
	Demand
}

// Facts are found out when they are asked for.
type Facts struct {
	// File finds the present content of a dependency, Tool of a program.
	File func(on dependency.Dependency) contents.File
	Tool func(name string) (Tool, error)
	// Changes says what has changed of artifacts that a bundle depends on, and Open whether
	// some of them are still to be made.
	Changes func(artifacts dependency.Dependency) string
	Open    func(artifacts dependency.Dependency) bool
	// Said says which files of an extract say something else.
	Said func(extract dependency.Dependency) string
	// Sayers are the assets that say something by an extract.
	Sayers func(extract dependency.Dependency) []string
}

// A Demand is for more than what differs.
type Demand struct {
	Wait   bool // bundles wait until what they are made of is cooked
	Force  bool // run everything
	Strict bool // run what the recipe warned of, so that it fails
}

// Outside knows the outputs that a plan must leave alone.
type Outside interface {
	// Owns reports whether an output is one of them, Holds whether one of them
	// lies in a folder.
	Owns(output string) bool
	Holds(folder string) bool
}

// A Plan is what a run has to do.
type Plan struct {
	// Contested says that an action and one from Outside claim the same output,
	// so that a plan for a part of the tree cannot be right.
	Contested bool
	Actions   []Action // sorted by path, target
	// Waiting are the numbers of the actions of bundles, ascending, which [Plan.Decide]
	// decides about when the artifacts are made that they may ask for.
	Waiting []int
	Retired []Retired
	// Kept are the known actions that this run leaves alone.
	Kept []*contents.Before
	// Pending are the sources, sorted, about which a run for one of Others would have to
	// do something.
	Pending map[string][]string
	// Gone is how many sources are no longer there.
	Gone int
	// Unseen are sources below folders that could not be listed.
	Unseen []string

	planner *planner // nil if nothing waits
}

// Waits reports whether an action is to wait.
func (p *Plan) Waits(i int) bool {
	_, waits := slices.BinarySearch(p.Waiting, i)
	return waits
}

// Decide decides about an action that waits, by what is known now.
func (p *Plan) Decide(i int) {
	a := &p.Actions[i]
	a.Runs, a.Stale, a.Reasons = false, false, nil
	p.planner.judge(a)
}

// Asks returns the artifacts and IDs that an action that waits is expected to ask for: what it
// asked for last time, if its source and the files that it read are the same. Where its options
// have changed it may ask for something else, but only once these artifacts are made is it known
// whether they are a reason.
func (p *Plan) Asks(i int) (questions []dependency.Dependency) {
	a := &p.Actions[i]
	if a.Last == nil || a.Last.State != index.Done || a.Last.Source != a.Source.Blob {
		return nil
	}
	for _, d := range a.Last.Deps {
		if d.On.Kind.IsArtifacts() {
			questions = append(questions, d.On)
		} else if _, changed := p.planner.depChange(d); changed {
			return nil
		}
	}
	return questions
}

// Make makes the plan.
func Make(in Input) *Plan {
	p := &planner{Input: in, methods: NewMethods(in.Rules, in.Tool), plan: &Plan{Pending: map[string][]string{}}, key: NewKey()}
	p.plan.Actions = make([]Action, 0, len(in.Sources)*len(in.Targets))
	before := in.Before
	for i := range in.Sources {
		src := &in.Sources[i]
		for len(before) > 0 && before[0].Path < src.Path {
			p.leftOver(&before[0])
			before = before[1:]
		}
		if !in.InScope(src.Path) {
			continue // leftOver keeps what is known of it
		}
		n := 0
		for n < len(before) && before[n].Path == src.Path {
			n++
		}
		for _, target := range in.Targets {
			a := p.action(src, target, before[:n], in.Wait)
			if in.Wait && a.Err == nil && a.Method.Bundles() {
				p.plan.Waiting, p.plan.planner = append(p.plan.Waiting, len(p.plan.Actions)), p
			}
			p.plan.Actions = append(p.plan.Actions, a)
		}
		for _, target := range in.Others {
			if a := p.action(src, target, before[:n], false); a.outdated() {
				p.pend(src.Path, target)
			}
		}
		for k := range before[:n] {
			switch b := &before[k]; {
			case !p.Rules.HasTarget(b.Target):
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
	p.claim()
	p.retire()
	p.findMoves()
	return p.plan
}

type planner struct {
	Input
	plan    *Plan
	methods *Methods
	gone    []*contents.Before // actions whose source is gone
	claims  map[string]int
	folded  map[string]foldedClaim // by output in lower case, if names fold
	key     *hashing.Key           // of action IDs, one after the other
}

// leftOver deals with a known action that no source in scope asks for.
func (p *planner) leftOver(b *contents.Before) {
	switch {
	case p.Incomplete(b.Path):
		p.plan.Unseen = append(p.plan.Unseen, b.Path)
		p.plan.Kept = append(p.plan.Kept, b)
	case !p.InScope(b.Path), p.Rules.HasTarget(b.Target) && !slices.Contains(p.Targets, b.Target):
		p.plan.Kept = append(p.plan.Kept, b)
		if slices.Contains(p.Others, b.Target) {
			p.pend(b.Path, b.Target)
		}
	default:
		p.gone = append(p.gone, b)
		p.plan.Gone++
	}
}

// pend notes that a run for another target has to see to a source.
func (p *planner) pend(source, target string) {
	p.plan.Pending[target] = append(p.plan.Pending[target], source)
}

// outdated reports whether the last run for the action's target knew something else of
// its source, dependencies or method. What it knew of outputs, and that it failed, is
// still known.
func (a *Action) outdated() bool {
	return a.Last == nil || a.Err != nil || a.Stale || a.Last.State == index.Done &&
		!slices.EqualFunc(a.Last.Made, a.Outputs, func(m index.Artifact, output string) bool { return m.Path == output })
}

// action decides about one source and target, given what is known of that source.
func (p *planner) action(src *contents.File, target string, before []contents.Before, wait bool) Action {
	a := Action{Path: src.Path, Target: target, Source: src}
	for i := range before {
		if before[i].Target == target {
			a.Last = &before[i]
		}
	}
	chosen, err := p.Rules.Method(src.Path, target)
	var holders []string
	if err == nil {
		if a.Method, err = p.methods.identify(chosen); err == nil {
			if holders = p.holders(&a); holders == nil {
				a.Outputs = outputs(a.Method, src.Path, target)
			}
		}
	}
	if err != nil {
		a.Err = err
		return a
	}
	if src.How != contents.Unread {
		if err := a.Identify(p.key, src, p.File); err != nil {
			a.Err = err
			return a
		}
	}
	if !wait || !chosen.Bundles() {
		p.judge(&a)
	}
	if holders != nil {
		a.Reasons = append(a.Reasons[:len(a.Reasons):len(a.Reasons)], heldBy(holders))
	}
	return a
}

// Held reports whether the source has no outputs, because artifacts of other sources contain it. A
// reason of the kind Held names these.
func (a *Action) Held() bool { return a.Err == nil && a.Outputs == nil }

// Identify gives an action its ID once it is known what its source holds. The error says
// why that is not known. The hashing uses k, which serves one action after the other; file finds
// what is said of the source, nil if nothing can be asked about it.
func (a *Action) Identify(k *hashing.Key, src *contents.File, file func(on dependency.Dependency) contents.File) error {
	switch {
	case src.How == contents.Absent:
		return fmt.Errorf("vanished while it was being read")
	case !src.Known():
		return src.Err
	}
	var said []index.Dep
	if file != nil {
		asked, err := Asks(a.Method, a.Path)
		if err != nil {
			return err
		}
		for _, d := range asked {
			f := file(d.On)
			if f.How == contents.Unreadable {
				return f.Err
			}
			said = append(said, Dependency(d.Name, d.On, f))
		}
	}
	a.ID = actionID(k, a, src, said)
	return nil
}

// holders returns the sources whose artifacts contain the source of an action: all sources that read
// it, if the recipe that holds it cooks each of them for the action's target, else none.
func (p *planner) holders(a *Action) (list []string) {
	if a.Method.Holder() == nil {
		return nil
	}
	asked, err := Asks(a.Method, a.Path)
	if err != nil {
		return nil // Identify returns it
	}
	for _, d := range asked {
		if f := p.File(d.On); !f.Known() || f.Blob == contents.Silence {
			continue
		}
		for _, reader := range p.Sayers(d.On) {
			m, err := p.Rules.Method(reader, a.Target)
			if err != nil || m.Recipe.Name != a.Method.Holder().Name {
				return nil
			}
			list = append(list, reader)
		}
	}
	return list
}

// under places an output below its target's own folder.
func under(target, name string) string {
	if target == "" {
		return name
	}
	return target + "/" + name
}
