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
	"path"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook/index"
	"github.com/assetcook/assetcook/cook/recipe"
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
	// InScope says whether a source is among those to be brought up to date.
	InScope func(path string) bool
	// Incomplete says that a path's absence proves nothing.
	Incomplete func(path string) bool
	Force      bool
}

// A Plan is what a run has to do.
type Plan struct {
	Actions []Action // sorted by path, target
	Retired []Retired
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
	next := 0 // row of in.Last's actions
	for i := range in.Assets {
		src := &in.Assets[i]
		for next < in.Last.Actions() && string(in.Last.ActionPath(next)) < src.Path {
			p.leftOver(next)
			next++
		}
		if !in.InScope(src.Path) {
			continue // leftOver keeps what the index knows of it
		}
		for _, target := range in.Targets {
			p.plan.Actions = append(p.plan.Actions, p.action(*src, target))
		}
		for next < in.Last.Actions() && string(in.Last.ActionPath(next)) == src.Path {
			if !slices.Contains(in.Targets, string(in.Last.ActionTarget(next))) {
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
	source := string(p.Last.ActionPath(row))
	target := string(p.Last.ActionTarget(row))
	switch {
	case p.Incomplete(source):
		p.plan.Unseen = append(p.plan.Unseen, source)
		p.plan.Kept = append(p.plan.Kept, row)
	case !p.InScope(source), !slices.Contains(p.Targets, target):
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
	a.ID = actionID(a.Method, src)
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

// judge collects the reasons for running an action, or for leaving it.
func (p *planner) judge(a *Action) {
	run := func(r Reason) { a.Reasons = append(a.Reasons, r) }
	if a.Last == nil {
		run(Reason{Kind: New})
	} else {
		if a.Last.Source != a.Source.Blob {
			run(Reason{Kind: SourceChanged, Old: short(a.Last.Source), New: short(a.Source.Blob)})
		}
		for _, r := range p.methodChanges(a) {
			run(r)
		}
		for _, d := range a.Last.Deps {
			if r, changed := p.depChange(d); changed {
				run(r)
			}
		}
		if a.Last.ID != a.ID && len(a.Reasons) == 0 {
			// The path is in the ID, or the cooker's own way of making IDs changed.
			run(Reason{Kind: IdentityChanged, Old: short(a.Last.ID), New: short(a.ID)})
		}
		a.Stale = len(a.Reasons) > 0
		if a.Last.State == index.Failed {
			run(Reason{Kind: FailedLastTime})
		} else {
			for _, r := range outputChanges(a) {
				run(r)
			}
		}
	}
	if p.Force {
		run(Reason{Kind: Forced})
	}
	if a.Runs = len(a.Reasons) > 0; !a.Runs {
		a.Reasons = []Reason{skipReason(a)}
	}
}

func (p *planner) depChange(d index.Dep) (Reason, bool) {
	now := p.File(d.Path)
	if d.Found == now.Known() && now.How != survey.Unreadable && (!d.Found || now.Blob == d.Blob) {
		return Reason{}, false
	}
	r := Reason{Kind: DependencyChanged, Subject: d.Path, Old: "absent", New: "absent"}
	if d.Found {
		r.Old = short(d.Blob)
	}
	switch {
	case now.How == survey.Unreadable:
		r.New = "unreadable"
	case now.Known():
		r.New = short(now.Blob)
	}
	return r, true
}

func outputChanges(a *Action) []Reason {
	var reasons []Reason
	for i, o := range a.LastMade {
		switch {
		case i < len(a.Outputs) && o.Artifact.Path != a.Outputs[i]:
			reasons = append(reasons, Reason{Kind: OutputRenamed, Old: o.Artifact.Path, New: a.Outputs[i]})
		case o.State == survey.Missing:
			reasons = append(reasons, Reason{Kind: OutputMissing, Subject: o.Artifact.Path})
		case o.State != survey.Intact:
			reasons = append(reasons, Reason{Kind: OutputEdited, Subject: o.Artifact.Path})
		}
	}
	if len(a.LastMade) != len(a.Outputs) {
		reasons = append(reasons, Reason{Kind: OutputCount, Old: fmt.Sprint(len(a.LastMade)), New: fmt.Sprint(len(a.Outputs))})
	}
	return reasons
}

func skipReason(a *Action) Reason {
	if a.Source.How != survey.ByStamp {
		return Reason{Kind: SameChecksum, Subject: a.Path}
	}
	for _, o := range a.LastMade {
		if o.ByReads {
			return Reason{Kind: SameChecksum, Subject: o.Artifact.Path}
		}
	}
	return Reason{Kind: SameStamp}
}

// claim finds outputs that two actions want, or one that needs a folder where
// another wants a file, or the cooker's own names.
func (p *planner) claim() {
	p.claims = make(map[string]int, len(p.plan.Actions))
	kept := map[string]string{} // outputs of actions that this run leaves alone
	for _, row := range p.plan.Kept {
		for _, m := range p.Last.Action(row).Made {
			kept[m.Path] = string(p.Last.ActionPath(row))
		}
	}
	fail := func(i int, output, other string) {
		if a := &p.plan.Actions[i]; a.Err == nil {
			a.Err = fmt.Errorf("output %s is claimed by %s as well; give one of them another name with output = in cook.toml", output, other)
			a.Runs = false
		}
	}
	for i := range p.plan.Actions {
		a := &p.plan.Actions[i]
		for _, out := range a.Outputs {
			if Reserved(out) {
				a.Err = fmt.Errorf("output %s is the cooker's own file; choose another name with output = in cook.toml", out)
				a.Runs = false
				continue
			}
			if j, taken := p.claims[out]; taken {
				other := &p.plan.Actions[j]
				fail(i, out, other.Path)
				fail(j, out, a.Path)
				continue
			}
			if source, taken := kept[out]; taken {
				fail(i, out, source)
			}
			p.claims[out] = i
		}
	}
	for i := range p.plan.Actions {
		for _, out := range p.plan.Actions[i].Outputs {
			for dir := path.Dir(out); dir != "."; dir = path.Dir(dir) {
				if j, taken := p.claims[dir]; taken && j != i {
					fail(i, dir, p.plan.Actions[j].Path)
					fail(j, dir, p.plan.Actions[i].Path)
				}
			}
		}
	}
}

// Reserved reports whether an output path belongs to the cooker itself.
func Reserved(out string) bool {
	first, _, _ := strings.Cut(out, "/")
	return strings.EqualFold(first, StateDir) || strings.EqualFold(out, ManifestName)
}

// The cooker's own names in the output folder.
const (
	StateDir     = ".cook"
	ManifestName = "manifest.json"
)

// retire finds artifacts that nobody claims any more: of sources that are
// gone, and of actions whose outputs were renamed.
func (p *planner) retire() {
	known := map[string]bool{}
	add := func(out, source, target string) {
		if _, claimed := p.claims[out]; !claimed && !known[out] {
			known[out] = true
			p.plan.Retired = append(p.plan.Retired, Retired{out, source, target})
		}
	}
	for _, row := range p.gone {
		a := p.Last.Action(row)
		for _, m := range a.Made {
			add(m.Path, a.Path, a.Target)
		}
	}
	for i := range p.plan.Actions {
		// An action that cannot even be planned keeps what it has.
		if a := &p.plan.Actions[i]; a.Last != nil && a.Err == nil {
			for _, m := range a.Last.Made {
				add(m.Path, a.Path, a.Target)
			}
		}
	}
	if len(p.Claims) == 0 {
		return
	}
	held := map[string]bool{}
	for row := range p.Last.Artifacts() {
		held[p.Last.Artifact(row).Path] = true
	}
	for _, c := range p.Claims {
		if !held[c.Output] && !Reserved(c.Output) && p.InScope(c.Source) && !p.Incomplete(c.Source) && slices.Contains(p.Targets, c.Target) {
			add(c.Output, c.Source, c.Target)
		}
	}
}

// findMoves pairs actions that have to run with finished ones of the same
// identity whose artifacts are about to be retired.
func (p *planner) findMoves() {
	byID := map[store.ActionID][]int{}
	for _, row := range p.gone {
		if a := p.Last.Action(row); a.State == index.Done && p.intact(row) {
			byID[a.ID] = append(byID[a.ID], row)
		}
	}
	for i := range p.plan.Actions {
		a := &p.plan.Actions[i]
		if !a.Runs || p.Force {
			continue
		}
		row := -1
		if renamed(a) && !a.Stale {
			row, _ = p.Last.FindAction(a.Path, a.Target)
		} else if rows := byID[a.ID]; len(rows) > 0 {
			row, byID[a.ID] = rows[0], rows[1:]
		}
		if row < 0 || !p.intact(row) {
			continue
		}
		from := p.Last.Action(row)
		if len(from.Made) != len(a.Outputs) || !p.free(from.Made) || !p.sameDeps(a.Path, from) {
			continue
		}
		first, n := p.Last.ActionArtifacts(row)
		a.Moved = &Move{From: from, Made: p.Outputs[first : first+n]}
		if from.Path != a.Path {
			a.Reasons = append(a.Reasons, Reason{Kind: MovedFrom, Subject: from.Path})
		}
	}
}

// free reports whether no action will write to where these artifacts lie.
func (p *planner) free(made []index.Artifact) bool {
	return !slices.ContainsFunc(made, func(m index.Artifact) bool {
		_, claimed := p.claims[m.Path]
		return claimed
	})
}

func renamed(a *Action) bool {
	return slices.ContainsFunc(a.Reasons, func(r Reason) bool { return r.Kind == OutputRenamed })
}

func (p *planner) intact(row int) bool {
	first, n := p.Last.ActionArtifacts(row)
	for _, o := range p.Outputs[first : first+n] {
		if o.State != survey.Intact {
			return false
		}
	}
	return true
}

// sameDeps reports whether what an action read under its old path reads the
// same from the new one.
func (p *planner) sameDeps(source string, from index.Action) bool {
	for _, d := range from.Deps {
		at, err := recipe.Resolve(source, d.Name)
		if err != nil {
			return false
		}
		if now := p.File(at); now.Known() != d.Found || now.How == survey.Unreadable || d.Found && now.Blob != d.Blob {
			return false
		}
	}
	return true
}
