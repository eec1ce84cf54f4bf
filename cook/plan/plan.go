// Package plan decides what has to be done, and says why.
//
// It is pure: it looks at what scan, survey, index and rules found and at
// nothing else, so a dry run and a real one cannot disagree. The reasons come
// from the same walk as the keys: what -explain prints is what was hashed.
//
// # Why a key is right
//
// A method is everything but the source that decides what a recipe makes: its
// name and version, every option that is not excused by name, the content of
// its tools. An action ID is the hash of the method, the source's extension
// and content, and, where the recipe declares that it uses it, the path. What
// a recipe reads besides (its dependencies) is not known before it runs, so
// results are found in two steps: the action ID finds the names that were read
// last time (the read sets), and the content behind those names, hashed
// together with the action ID, is the result ID. A file that was looked for
// and not found is in the read set too, so that its appearance is a change.
package plan

import (
	"fmt"
	"slices"

	"github.com/assetcook/assetcook/cook/index"
	"github.com/assetcook/assetcook/cook/rules"
	"github.com/assetcook/assetcook/cook/store"
	"github.com/assetcook/assetcook/cook/survey"
)

// An Action is one recipe applied to one source for one target.
type Action struct {
	Path    string
	Target  string
	Source  survey.File
	Method  *Method // nil if Err
	ID      store.ActionID
	Outputs []string // paths in the output folder

	// Last is the action as the index has it, and LastMade what is left of its
	// artifacts; nil if there is none.
	Last     *index.Action
	LastMade []survey.Output

	// Runs says that there is work to do. Reasons say why, or why not.
	Runs    bool
	Reasons []Reason
	// Stale says that the recorded artifacts were made from something else
	// than what is there now, so they must not outlive a failure.
	Stale bool
	// Moved is where artifacts that this action would make are lying under
	// names that nobody claims any more.
	Moved *Move
	// Err says why the action cannot run at all.
	Err error
}

// A Move is a finished action that another one can take the artifacts of.
type Move struct {
	From index.Action
	Made []survey.Output
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
	Assets []survey.File // sorted by path
	// File finds any file of the asset tree; Tool finds a program.
	File func(path string) survey.File
	Tool func(name string) (survey.File, error)
	// Method finds the rules' choice for a source.
	Method func(path, target string) (*rules.Method, error)
	// Targets are the targets of this run, sorted; one empty name for none.
	Targets []string
	Last    *index.Index
	// Outputs are the artifacts by row of the index.
	Outputs []survey.Output
	// Claims are artifacts that only the manifest or the journal remember.
	Claims []Claim
	// HasTarget says whether the rules still have a target.
	HasTarget func(target string) bool
	// Outside speaks of the outputs of actions that are not in Last because this
	// plan is not to touch them; nil if there are none.
	Outside Outside
	// InScope says whether a source is among those to be brought up to date.
	InScope func(path string) bool
	// Incomplete says that a path's absence proves nothing.
	Incomplete func(path string) bool
	Force      bool
	// Strict runs what the recipe warned of, so that it fails.
	Strict bool
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
	Retired   []Retired
	// Kept are the index's actions that this run leaves as they are, by row.
	Kept []int
	// Gone is how many sources are no longer there.
	Gone int
	// Unseen are sources below folders that could not be listed.
	Unseen []string
}

// Make makes the plan.
func Make(in Input) *Plan {
	p := &planner{Input: in, methods: map[*rules.Method]*Method{}, plan: &Plan{}}
	p.plan.Actions = make([]Action, 0, len(in.Assets)*len(in.Targets))
	next := 0 // row of in.Last's actions
	for i := range in.Assets {
		src := &in.Assets[i]
		for next < in.Last.Actions() && in.Last.ActionPath(next) < src.Path {
			p.leftOver(next)
			next++
		}
		if !in.InScope(src.Path) {
			continue // leftOver keeps what the index knows of it
		}
		for _, target := range in.Targets {
			p.plan.Actions = append(p.plan.Actions, p.action(*src, target))
		}
		for next < in.Last.Actions() && in.Last.ActionPath(next) == src.Path {
			switch target := string(in.Last.ActionTarget(next)); {
			case !in.HasTarget(target):
				p.gone = append(p.gone, next)
				p.plan.Gone++
			case !slices.Contains(in.Targets, target):
				p.plan.Kept = append(p.plan.Kept, next)
			}
			next++
		}
	}
	for ; next < in.Last.Actions(); next++ {
		p.leftOver(next)
	}
	p.claim()
	p.retire()
	p.findMoves()
	return p.plan
}

type planner struct {
	Input
	plan    *Plan
	methods map[*rules.Method]*Method
	gone    []int // rows of actions whose source is gone
	claims  map[string]int
}

// leftOver deals with an action of the index that no asset in scope asks for.
func (p *planner) leftOver(row int) {
	source := p.Last.ActionPath(row)
	target := string(p.Last.ActionTarget(row))
	switch {
	case p.Incomplete(source):
		p.plan.Unseen = append(p.plan.Unseen, source)
		p.plan.Kept = append(p.plan.Kept, row)
	case !p.InScope(source), p.HasTarget(target) && !slices.Contains(p.Targets, target):
		p.plan.Kept = append(p.plan.Kept, row)
	default:
		p.gone = append(p.gone, row)
		p.plan.Gone++
	}
}

// action decides about one source and target.
func (p *planner) action(src survey.File, target string) Action {
	a := Action{Path: src.Path, Target: target, Source: src}
	if row, ok := p.Last.FindAction(src.Path, target); ok {
		last := p.Last.Action(row)
		a.Last = &last
		first, n := p.Last.ActionArtifacts(row)
		a.LastMade = p.Outputs[first : first+n]
	}
	chosen, err := p.Input.Method(src.Path, target)
	if err == nil {
		a.Method, err = p.method(chosen)
	}
	if err != nil {
		a.Err = err
		return a
	}
	for _, t := range chosen.Outputs {
		a.Outputs = append(a.Outputs, under(target, t.Name(src.Path)))
	}
	if !src.Known() {
		a.Err = src.Err
		if src.How == survey.Absent {
			a.Err = fmt.Errorf("vanished while it was being read")
		}
		return a
	}
	a.ID = actionID(a.Method, src, a.Outputs)
	p.judge(&a)
	return a
}

// under places an output below its target's own folder.
func under(target, name string) string {
	if target == "" {
		return name
	}
	return target + "/" + name
}
