package pass

import (
	"iter"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/execute"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/manifest"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/restat"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/cook/internal/state"
	"github.com/assetcook/assetcook/internal/dependency"
	"github.com/assetcook/assetcook/internal/pathname"
)

// A committer puts together what the next run is to know.
type committer struct {
	s     *Session
	delta *Delta
	todo  *Todo
	work  *Work
	next  *index.Next
	// actions are those that were planned, or kept beside them.
	actions []index.Action
	// behind are targets that were not asked for and for which actions are pending.
	behind []string
}

// Commit leaves for the next run what this one knows. Told are the actions of the sources
// that were seen to, none if that was the whole tree, the files of the manifest that were
// placed, and the targets that are behind. The plan and the work are used up. What it
// writes is in proportion to what changed.
func Commit(s *Session, d *Delta, t *Todo, w *Work, told *Done) error {
	if d.empty() {
		return nil
	}
	c := &committer{s: s, delta: d, todo: t, work: w}
	c.actions = c.results()
	var listed []manifest.Change
	if !d.Whole {
		listed = state.Changes(eachAction(d.Before), c.actions, t.IDs.Of)
	}
	journal := c.openClaims()
	pending, err := c.collectPending() // while Last says what was known
	if err != nil {
		return err
	}
	if len(t.Actions)+len(d.Before) > 0 {
		s.Observer.Stage("save")
	}
	if d.Whole {
		c.makeAnew()
	} else {
		c.edit()
	}
	c.vouch()
	if d.Whole {
		c.release()
	}
	told.Placed, err = s.State.Commit(state.Commit{
		Last: d.Last, Next: c.next, Listed: listed, IDs: t.IDs.Of, Journal: journal, Pending: pending, Whole: s.Scope.whole(),
		Checksum: s.Checksum, Clock: s.Clock, Note: s.Observer.Note,
	})
	told.Actions, told.Behind = c.actions, c.behind
	return err
}

// release drops what was planned and done once the next index has it: to write that
// takes as much memory again.
func (c *committer) release() {
	c.actions, c.work.Results = nil, nil
	c.todo.Plan, c.todo.Contents = &plan.Plan{}, nil
	c.delta.Sources, c.delta.Tree.Entries, c.delta.Read.Parts = nil, nil, nil
}

func eachAction(list []index.Action) func(yield func(*index.Action) bool) {
	return func(yield func(*index.Action) bool) {
		for i := range list {
			if !yield(&list[i]) {
				return
			}
		}
	}
}

// results are the actions that were planned as they are now, and those that were kept.
func (c *committer) results() []index.Action {
	p := c.todo.Plan
	list := make([]index.Action, 0, len(p.Actions)+len(p.Kept))
	for _, b := range p.Kept {
		list = append(list, b.Action)
	}
	for i := range c.work.Results {
		a, res := &p.Actions[i], &c.work.Results[i]
		var row index.Action
		switch {
		case a.Err != nil || res.Outcome == execute.NotReached:
			if a.Last == nil {
				continue
			}
			row = a.Last.Action
		case res.Outcome == execute.UpToDate:
			row = res.Row(a)
			row.Method = a.Method.Fields
		default:
			row = res.Row(a)
			row.Method = a.Method.Fields
			row.Decision = index.Decision{At: c.s.Started, Outcome: string(res.Outcome), Why: why(a, res.Err)}
			if last := a.Last; last != nil && last.State == index.Failed && row.State == index.Failed && last.ID == row.ID && last.Decision.Why == row.Decision.Why {
				row.Decision.At = last.Decision.At // it fails as it did
			}
			c.s.recheckStamps(row.Made, c.s.State.FineStamps)
		}
		list = append(list, row)
	}
	return list
}

// makeAnew begins an index with nothing in it.
func (c *committer) makeAnew() {
	d, t := c.delta, c.todo
	c.next = d.Last.Anew(c.s.Checksum.Name)
	c.next.Grow(len(t.Contents.Assets()) + 1)
	others := map[dependency.Dependency]bool{}
	put := func(on dependency.Dependency, f index.File) {
		if asset, ok := t.Contents.Asset(f.Path); !others[on] && !(ok && asset.Known() && on.Kind == dependency.File) {
			others[on] = true
			c.next.PutPart(on, f)
		}
	}
	putFile := func(f index.File) { put(dependency.OfFile(f.Path), f) }
	c.putFound(eachAsset(t.Contents.Assets()), index.Asset, c.next.PutPart)
	read := map[dependency.Dependency]index.File{} // by recipes, and perhaps rules as well
	c.putFound(t.Contents.Extra(), index.Other, func(on dependency.Dependency, f index.File) { read[on] = f })
	c.putFound(d.Read.Parts.Files(), index.Other, func(on dependency.Dependency, f index.File) { read[on] = f })
	for _, f := range d.Tree.Folders {
		c.next.PutFolder(f, c.s.Clock.Settled(f.Stamp))
	}
	for role, list := range map[index.Role][]scan.Entry{index.Config: d.Tree.Configs, index.Ignore: d.Tree.Ignores} {
		for _, e := range list {
			if e.Path == scan.IDsName {
				continue
			}
			settled := c.s.Clock.Settled(e.Stamp) && !t.Rules.busy[e.Path]
			putFile(withContent(index.File{Path: e.Path, Role: role, Stamp: e.Stamp, Settled: settled, Sum: t.Rules.sums[e.Path]}, read[dependency.OfFile(e.Path)]))
		}
	}
	if f, ok := c.idsFile(); ok {
		putFile(withContent(f, read[dependency.OfFile(f.Path)]))
	}
	for on, f := range read {
		put(on, f)
	}
	c.next.PutActions(c.actions)
	c.keepFiles(put)
}

// withContent returns what is known of a file of rules, with its content if a recipe has read
// the same.
func withContent(rules, read index.File) index.File {
	if rules.Stamp == read.Stamp && rules.Sum == read.Sum {
		rules.Blob, rules.Settled = read.Blob, rules.Settled && read.Settled
	}
	return rules
}

// keepFiles puts what was known of files that only kept actions have read.
func (c *committer) keepFiles(put func(dependency.Dependency, index.File)) {
	last := c.delta.Last
	if last.Checksum() != c.s.Checksum.Name {
		return
	}
	kept := map[dependency.Dependency]bool{}
	said := map[asking]bool{} // of files that match a pattern
	keep := func(a *index.Action) {
		kept[dependency.OfFile(a.Path)] = true
		for _, d := range a.Deps {
			kept[d.On.Seen().OfAll()] = true
			if d.On.Kind == dependency.Extracts {
				said[askingOf(d.On)] = true
			}
		}
	}
	for _, b := range c.todo.Kept {
		keep(&b.Action)
	}
	for i, res := range c.work.Results {
		if a := &c.todo.Actions[i]; (a.Err != nil || res.Outcome == execute.NotReached) && a.Last != nil {
			keep(&a.Last.Action)
		}
	}
	for on, f := range last.Below(".") {
		wanted := kept[on] || on.Kind.IsExtract() && said[askingOf(on)] || len(c.todo.Kept) > 0 && filepath.IsAbs(f.Path)
		if wanted && !c.s.State.IsManifest(f.Path) && c.inTree(f) {
			put(on, f)
		}
	}
}

// inTree reports whether a file of the index that was not looked at now is still what
// the index says that it is. A source that is ignored or gone, of which an action of
// another target is kept, must not be taken for one.
func (c *committer) inTree(f index.File) bool {
	tree := c.delta.Tree
	if !restat.Listed(f.Role) || tree.Incomplete(f.Path) {
		return true
	}
	_, found := slices.BinarySearchFunc(tree.Entries, f.Path, func(e scan.Entry, path string) int { return strings.Compare(e.Path, path) })
	return found && f.Role == index.Asset
}

// putFound calls put for the files and parts whose contents were found out.
func (c *committer) putFound(list iter.Seq2[dependency.Dependency, contents.File], role index.Role, put func(dependency.Dependency, index.File)) {
	for on, f := range list {
		if f.Known() && !c.s.State.IsManifest(f.Path) { // which is about to change
			put(on, index.File{Path: f.Path, Role: role, Stamp: f.Stamp, Settled: f.Settled, Sum: f.Sum, Blob: f.Blob})
		}
	}
}

// eachAsset yields assets with the dependencies on them.
func eachAsset(list []contents.File) iter.Seq2[dependency.Dependency, contents.File] {
	return func(yield func(dependency.Dependency, contents.File) bool) {
		for i := range list {
			if !yield(dependency.OfFile(list[i].Path), list[i]) {
				return
			}
		}
	}
}

// edit begins with what was known, and changes what differs.
func (c *committer) edit() {
	d := c.delta
	c.next = d.Last.Edit()
	for i := range d.Found.Files {
		if f := &d.Found.Files[i]; f.Same {
			c.next.Restamp(f.Ref, f.Now, c.s.Clock.Settled(f.Now) && !f.Busy)
		}
	}
	for _, ref := range d.Stale.Folders {
		c.next.DropFolder(ref)
	}
	for _, f := range d.Found.OutFolders {
		if !c.differs(f) {
			c.next.RestampOutputs(f.Ref, f.Now, c.s.Clock.Settled(f.Now))
		}
	}
	for _, f := range d.Tree.Folders {
		c.next.PutFolder(f, c.s.Clock.Settled(f.Stamp))
	}
	for _, ref := range d.Stale.Nodes {
		c.next.DropNode(ref)
	}
	for _, f := range c.editedRules() {
		c.next.PutFile(f)
	}
	c.putFound(d.Read.Parts.Files(), index.Other, c.putRead)
	if len(d.Concerned) > 0 {
		c.editActions()
		c.editIDs()
	}
}

// editedRules are the files of rules that were edited, if the tree was not listed.
func (c *committer) editedRules() (list []index.File) {
	d := c.delta
	if d.Edited.Rules == nil {
		return nil
	}
	for i := range d.Found.Files {
		if f := &d.Found.Files[i]; f.Role == index.Config && !f.Same {
			path := d.Last.Path(f.Ref)
			settled := c.s.Clock.Settled(f.Now) && !f.Busy && !d.Edited.Rules.busy[path]
			list = append(list, index.File{Path: path, Role: index.Config, Stamp: f.Now, Settled: settled, Sum: d.Edited.Rules.sums[path]})
		}
	}
	return list
}

// differs reports whether an output in a folder was not as the index knows it.
func (c *committer) differs(f restat.OutFolder) bool {
	files := c.delta.Found.Files
	for i := range files {
		if c.delta.Last.FolderOf(files[i].Ref) == f.Ref {
			return true
		}
	}
	return false
}

// editActions puts what is known of the concerned sources in the place of what was.
func (c *committer) editActions() {
	d := c.delta
	there := map[string]bool{}
	for _, e := range d.Sources {
		there[e.Path] = true
	}
	for path := range d.Concerned {
		c.next.DropActions(path)
	}
	for path := range d.Concerned {
		if !there[path] {
			c.next.DropFile(path)
		}
	}
	rules := map[string]index.File{}
	for _, f := range c.editedRules() {
		rules[f.Path] = f
	}
	put := func(on dependency.Dependency, f index.File) {
		last, known := d.Last.Part(on)
		if now, ok := rules[f.Path]; ok && on.Kind == dependency.File {
			last = now
		}
		if known && (last.Role == index.Config || last.Role == index.Ignore) {
			c.next.PutFile(withContent(last, f))
		} else {
			c.putRead(on, f)
		}
	}
	c.putFound(eachAsset(c.todo.Contents.Assets()), index.Asset, put)
	c.putFound(c.todo.Contents.Extra(), index.Other, put)
	c.next.PutActions(c.actions)
}

// putRead puts what was found out of a file that differs. What else the index knows was as it
// knows it when the stamps were compared; if it has changed since, the next run must see that.
func (c *committer) putRead(on dependency.Dependency, f index.File) {
	d := c.delta
	if _, known := d.Last.Part(on); !known || d.Concerned[f.Path] && on.Kind == dependency.File || d.Changed[on] {
		c.next.PutPart(on, f)
	}
}

// wholly reports whether the index will know of every action of the plan how it ended.
func (c *committer) wholly() bool {
	for i := range c.todo.Actions {
		if c.todo.Actions[i].Err != nil || c.work.Results[i].Outcome == execute.NotReached {
			return false
		}
	}
	return true
}

// collectPending collects what this run saw or made and the last did not know.
func (c *committer) collectPending() (*state.Pending, error) {
	d := c.delta
	pending, err := c.s.State.NewPending(c.s.Assets)
	if err != nil {
		return nil, err
	}
	if c.work.Wrote || c.madeOthers() {
		pending.AddOutputs(c.s.State)
	}
	if d.Found != nil {
		for i := range d.Found.Files {
			if f := &d.Found.Files[i]; f.Same && f.Known != f.Now {
				if f.Role == index.Made {
					name := filepath.Join(c.s.Out.Name(), filepath.FromSlash(d.Last.Path(f.Ref)))
					pending.Add(dependency.OfFile(name), f.Now)
				} else {
					pending.Add(d.Last.Dependency(f.Ref), f.Now)
				}
			}
		}
	}
	for _, f := range c.editedRules() {
		pending.AddFile(d.Last, f)
	}
	if f, ok := c.idsFile(); ok {
		pending.AddFile(d.Last, f)
	}
	c.putFound(d.Read.Parts.Files(), index.Other, func(on dependency.Dependency, f index.File) { pending.AddPart(d.Last, on, f) })
	if c.todo.Contents == nil {
		return pending, nil
	}
	for _, list := range []iter.Seq2[dependency.Dependency, contents.File]{eachAsset(c.todo.Contents.Assets()), c.todo.Contents.Extra()} {
		for on, f := range list {
			if f.How == contents.ByChecksum || f.How == contents.ByReading {
				pending.AddPart(d.Last, on, index.File{Stamp: f.Stamp, Sum: f.Sum})
			}
		}
	}
	if !d.Whole {
		return pending, nil
	}
	for _, list := range [][]scan.Entry{d.Tree.Configs, d.Tree.Ignores} {
		for _, e := range list {
			if sum, ok := c.todo.Rules.sums[e.Path]; ok {
				pending.AddFile(d.Last, index.File{Path: e.Path, Stamp: e.Stamp, Sum: sum})
			}
		}
	}
	return pending, nil
}

// madeOthers reports whether the run knows artifacts under other stamps than the last
// one, be it only that it found them there.
func (c *committer) madeOthers() bool {
	for i := range c.work.Results {
		var last []contents.Output
		if a := &c.todo.Actions[i]; a.Last != nil {
			last = a.Last.Outputs
		}
		for n, m := range c.work.Results[i].Made {
			if n >= len(last) || last[n].Artifact.Path != m.Path || last[n].Artifact.Stamp != m.Stamp {
				return true
			}
		}
	}
	return false
}

// openClaims are outputs that are ours though the new index does not say so: artifacts
// that could not be removed, and those of sources that this run did not come to after
// the index was lost or their name was taken over.
func (c *committer) openClaims() []plan.Claim {
	candidates := slices.Clone(c.todo.Claims)
	for i, cl := range newOutputs(c.todo.Plan) {
		if r := &c.work.Results[i]; r.State != index.Done || !slices.ContainsFunc(r.Made, func(m index.Artifact) bool { return m.Path == cl.Output }) {
			candidates = append(candidates, cl)
		}
	}
	for i := range c.delta.Before {
		a := &c.delta.Before[i]
		for _, m := range a.Made {
			candidates = append(candidates, plan.Claim{Output: m.Path, Source: a.Path, Target: a.Target})
		}
	}
	if len(candidates) == 0 {
		return nil
	}
	// What the manifest lists needs no journal even if the index is lost. It does not
	// list what an action that failed has left from before, which is among Before.
	known := map[string]bool{}
	for i := range c.actions {
		if a := &c.actions[i]; a.State == index.Done {
			for _, m := range a.Made {
				known[m.Path] = true
			}
		}
	}
	var open []plan.Claim
	finder := c.s.State.Finder()
	defer finder.Close()
	for i, cl := range candidates {
		if known[cl.Output] {
			continue
		}
		known[cl.Output] = true
		if finder.MayBeFile(cl.Output) && !c.work.foreign[cl.Output] || c.isStuck(cl.Output) || i < len(c.todo.Claims) && c.leftFolder(cl) {
			open = append(open, cl)
		}
	}
	return open
}

// leftFolder reports whether an output that was removed was in a folder that is still
// there, and the next run for its target is to remove if nothing needs it.
func (c *committer) leftFolder(cl plan.Claim) bool {
	dir := path.Dir(cl.Output)
	return dir != "." && !slices.Contains(c.s.Scope.Targets, cl.Target) && c.todo.Rules.HasTarget(cl.Target) && c.s.State.MayExist(dir)
}

// isStuck reports whether an output left an empty folder that could not be removed. Its
// claim stays until that is gone.
func (c *committer) isStuck(output string) bool {
	for dir := path.Dir(output); dir != "."; dir = path.Dir(dir) {
		if c.work.Stuck[dir] {
			return true
		}
	}
	return false
}

func why(a *plan.Action, err error) string {
	lines := make([]string, len(a.Reasons))
	for i, r := range a.Reasons {
		lines[i] = r.String()
	}
	if err != nil {
		lines = append(lines, "error: "+strings.ReplaceAll(pathname.Escape(err.Error()), "\n", " | "))
	}
	return strings.Join(lines, "\n")
}
