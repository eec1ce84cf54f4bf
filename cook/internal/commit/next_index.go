package commit

import (
	"iter"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook/internal/changes"
	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/execute"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/restat"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/cook/internal/state"
	"github.com/assetcook/assetcook/internal/dependency"
)

// A putPart function stores the entry of a file or of a part of a file.
type putPart func(dependency.Dependency, index.File)

// newIndex makes the index after a run over the whole tree. It drops the planned actions and their
// results, so that they do not take memory besides the index.
func (r run) newIndex(actions []index.Action) *index.Next {
	d, t := r.delta, r.todo
	kept := r.keptDependencies()
	t.Plan.Actions, r.work.Done.Results = nil, nil
	t.Artifacts.Follow(nil, nil)
	next := d.Last.Anew(r.s.Basis.Checksum.Name)
	next.Grow(len(t.Contents.Assets()) + 1)
	others := map[dependency.Dependency]bool{}
	put := func(on dependency.Dependency, f index.File) {
		if asset, ok := t.Contents.Asset(f.Path); !others[on] && !(ok && asset.Known() && on.Kind == dependency.File) {
			others[on] = true
			next.PutPart(on, f)
		}
	}
	putFile := func(f index.File) { put(dependency.OfFile(f.Path), f) }
	r.putFound(eachAsset(t.Contents.Assets()), index.Asset, next.PutPart)
	read := map[dependency.Dependency]index.File{} // files that recipes read; some are rule files too
	r.putFound(t.Contents.Extra(), index.Other, func(on dependency.Dependency, f index.File) { read[on] = f })
	r.putFound(d.Read.Parts.Files(), index.Other, func(on dependency.Dependency, f index.File) { read[on] = f })
	for _, f := range d.Tree.Folders {
		next.PutFolder(f, r.s.Clock.Stamps.Settled(f.Stamp))
	}
	for role, list := range map[index.Role][]scan.Entry{index.Config: d.Tree.Configs, index.Ignore: d.Tree.Ignores} {
		for _, e := range list {
			if e.Path == scan.IDsName {
				continue
			}
			settled := r.s.Clock.Stamps.Settled(e.Stamp) && !t.Rules.Busy(e.Path)
			sum, _ := t.Rules.Texts.Sum(e.Path)
			putFile(withContent(index.File{Path: e.Path, Role: role, Stamp: e.Stamp, Settled: settled, Sum: sum}, read[dependency.OfFile(e.Path)]))
		}
	}
	if f, ok := t.IDs.IndexedFile(r.s, d.Tree); ok {
		putFile(withContent(f, read[dependency.OfFile(f.Path)]))
	}
	for on, f := range read {
		put(on, f)
	}
	next.PutActions(actions)
	r.keepFiles(kept, put)
	return next
}

// withContent returns the entry of a rule file, with its content if a recipe has read the same
// text.
func withContent(rules, read index.File) index.File {
	if rules.Stamp == read.Stamp && rules.Sum == read.Sum {
		rules.Blob, rules.Settled = read.Blob, rules.Settled && read.Settled
	}
	return rules
}

// keptInputs are the inputs of the actions that keep their rows.
type keptInputs struct {
	files map[dependency.Dependency]bool
	asked map[changes.Asking]bool // extracts of all files of a directory
}

// keptDependencies returns the inputs of the actions that keep their rows.
func (r run) keptDependencies() keptInputs {
	kept := keptInputs{map[dependency.Dependency]bool{}, map[changes.Asking]bool{}}
	keep := func(a *index.Action) {
		kept.files[dependency.OfFile(a.Path)] = true
		for _, d := range a.Deps {
			kept.files[d.On.Seen().OfAll()] = true
			if d.On.Kind == dependency.Extracts {
				kept.asked[changes.AskingOf(d.On)] = true
			}
		}
	}
	for _, b := range r.todo.Plan.Kept {
		keep(b.Action)
	}
	for _, res := range r.work.Done.Results {
		if a := res.Action; (a.Err != nil || res.Outcome == execute.NotReached) && a.Last != nil {
			keep(a.Last.Action)
		}
	}
	return kept
}

// keepFiles stores the entries of files that only unchanged actions have read.
func (r run) keepFiles(kept keptInputs, put putPart) {
	last := r.delta.Last
	if last.Files().Checksum() != r.s.Basis.Checksum.Name {
		return
	}
	for on, f := range last.Files().Below(".") {
		wanted := kept.files[on] || on.Kind.IsExtract() && kept.asked[changes.AskingOf(on)] || len(r.todo.Plan.Kept) > 0 && filepath.IsAbs(f.Path)
		if wanted && !r.s.State.Manifest.Has(f.Path) && inTree(r.delta.Tree, f) {
			put(on, f)
		}
	}
}

// inTree reports whether the next index keeps a file that this run did not look at. It drops a
// source that is now ignored or gone, even if another target keeps an action for it.
func inTree(tree *scan.Tree, f index.File) bool {
	if !restat.Listed(f.Role) || tree.Incomplete(f.Path) {
		return true
	}
	_, found := slices.BinarySearchFunc(tree.Entries, f.Path, func(e scan.Entry, path string) int { return strings.Compare(e.Path, path) })
	return found && f.Role == index.Asset
}

// putFound stores the entries of files and parts whose contents are known. It skips the manifest,
// which is about to change.
func (r run) putFound(list iter.Seq2[dependency.Dependency, contents.File], role index.Role, put putPart) {
	for on, f := range list {
		if f.Known() && !r.s.State.Manifest.Has(f.Path) {
			put(on, index.File{Path: f.Path, Role: role, Stamp: f.Stamp, Settled: f.Settled, Sum: f.Sum, Blob: f.Blob})
		}
	}
}

func eachAsset(list []contents.File) iter.Seq2[dependency.Dependency, contents.File] {
	return func(yield func(dependency.Dependency, contents.File) bool) {
		for i := range list {
			if !yield(dependency.OfFile(list[i].Path), list[i]) {
				return
			}
		}
	}
}

// editedIndex edits the last index where the tree differs from it.
func (r run) editedIndex(actions []index.Action) *index.Next {
	d, clock := r.delta, r.s.Clock.Stamps
	next := d.Last.Edit()
	for i := range d.Found.Files {
		if f := &d.Found.Files[i]; f.Same {
			next.Restamp(f.Ref, f.Now, clock.Settled(f.Now) && !f.Busy)
		}
	}
	for _, ref := range d.Stale.Folders {
		next.DropFolder(ref)
	}
	for _, f := range d.Found.OutFolders {
		if !outputDiffers(d, f) {
			next.RestampOutputs(f.Ref, f.Now, clock.Settled(f.Now))
		}
	}
	for _, f := range d.Tree.Folders {
		next.PutFolder(f, clock.Settled(f.Stamp))
	}
	for _, ref := range d.Stale.Nodes {
		next.DropNode(ref)
	}
	edited := r.editedRules()
	for _, f := range edited {
		next.PutFile(f)
	}
	putRead := func(on dependency.Dependency, f index.File) {
		if isNews(d, on, f) {
			next.PutPart(on, f)
		}
	}
	r.putFound(d.Read.Parts.Files(), index.Other, putRead)
	if len(d.Concerned) > 0 {
		r.editActions(next, actions, edited, putRead)
		r.editIDs(next)
	}
	return next
}

// editedRules returns the entries of edited rule files, if the tree was not listed.
func (r run) editedRules() (list []index.File) {
	d := r.delta
	if d.Edited.Rules == nil {
		return nil
	}
	for i := range d.Found.Files {
		if f := &d.Found.Files[i]; f.Role == index.Config && !f.Same {
			path := d.Last.Path(f.Ref)
			settled := r.s.Clock.Stamps.Settled(f.Now) && !f.Busy && !d.Edited.Rules.Busy(path)
			sum, _ := d.Edited.Rules.Texts.Sum(path)
			list = append(list, index.File{Path: path, Role: index.Config, Stamp: f.Now, Settled: settled, Sum: sum})
		}
	}
	return list
}

// outputDiffers reports whether an output in the directory f differs from the index.
func outputDiffers(d *changes.Delta, f restat.OutFolder) bool {
	files := d.Found.Files
	for i := range files {
		if d.Last.FolderOf(files[i].Ref) == f.Ref {
			return true
		}
	}
	return false
}

// editActions replaces the known actions of the sources in the delta.
func (r run) editActions(next *index.Next, actions []index.Action, edited []index.File, putRead putPart) {
	d := r.delta
	there := map[string]bool{}
	for _, e := range d.Sources {
		there[e.Path] = true
	}
	for path := range d.Concerned {
		next.DropActions(path)
	}
	for path := range d.Concerned {
		if !there[path] {
			next.DropFile(path)
		}
	}
	rules := map[string]index.File{}
	for _, f := range edited {
		rules[f.Path] = f
	}
	put := func(on dependency.Dependency, f index.File) {
		last, known := d.Last.Files().Part(on)
		if now, ok := rules[f.Path]; ok && on.Kind == dependency.File {
			last = now
		}
		if known && (last.Role == index.Config || last.Role == index.Ignore) {
			next.PutFile(withContent(last, f))
		} else {
			putRead(on, f)
		}
	}
	r.putFound(eachAsset(r.todo.Contents.Assets()), index.Asset, put)
	r.putFound(r.todo.Contents.Extra(), index.Other, put)
	next.PutActions(actions)
}

// isNews reports whether a file that was read is in the delta or missing from the index. Files for
// which it returns false have the same stamp as in the index.
func isNews(d *changes.Delta, on dependency.Dependency, f index.File) bool {
	_, known := d.Last.Files().Part(on)
	return !known || d.Concerned[f.Path] && on.Kind == dependency.File || d.Changed[on]
}

// editIDs updates the entry of the IDs file if this run wrote that file.
func (r run) editIDs(next *index.Next) {
	if !r.todo.IDs.Renamed() {
		return
	}
	if f, ok := r.todo.IDs.IndexedFile(r.s, r.delta.Tree); ok {
		next.PutFile(f)
	} else {
		next.DropFile(f.Path) // no asset needs a line in the IDs file any more
	}
}

// unsyncedFiles collects everything that this run saw or made and the last index does not have.
// It must be on the disk before the index is. It must be called before the index is edited.
func (r run) unsyncedFiles() (*state.Pending, error) {
	d := r.delta
	pending, err := r.s.State.NewPending(r.s.Assets)
	if err != nil {
		return nil, err
	}
	if r.work.Done.Wrote || r.madeOthers() {
		pending.AddOutputs(r.s.State)
	}
	r.addTouched(pending)
	for _, f := range r.editedRules() {
		pending.AddFile(d.Last, f)
	}
	if f, ok := r.todo.IDs.IndexedFile(r.s, d.Tree); ok {
		pending.AddFile(d.Last, f)
	}
	r.putFound(d.Read.Parts.Files(), index.Other, func(on dependency.Dependency, f index.File) { pending.AddPart(d.Last, on, f) })
	if r.todo.Contents == nil {
		return pending, nil
	}
	for _, list := range []iter.Seq2[dependency.Dependency, contents.File]{eachAsset(r.todo.Contents.Assets()), r.todo.Contents.Extra()} {
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
			if sum, ok := r.todo.Rules.Texts.Sum(e.Path); ok {
				pending.AddFile(d.Last, index.File{Path: e.Path, Stamp: e.Stamp, Sum: sum})
			}
		}
	}
	return pending, nil
}

func (r run) addTouched(pending *state.Pending) {
	d := r.delta
	if d.Found == nil {
		return
	}
	for i := range d.Found.Files {
		f := &d.Found.Files[i]
		switch {
		case !f.Same || f.Known == f.Now:
		case f.Role == index.Made:
			name := filepath.Join(r.s.Out.Name(), filepath.FromSlash(d.Last.Path(f.Ref)))
			pending.Add(dependency.OfFile(name), f.Now)
		default:
			pending.Add(d.Last.Dependency(f.Ref), f.Now)
		}
	}
}

// madeOthers reports whether any artifact has a different stamp than in the last index.
func (r run) madeOthers() bool {
	for i := range r.work.Done.Results {
		var last []contents.Output
		if a := &r.todo.Plan.Actions[i]; a.Last != nil {
			last = a.Last.Outputs
		}
		for n, m := range r.work.Done.Results[i].Made {
			if n >= len(last) || last[n].Artifact.Path != m.Path || last[n].Artifact.Stamp != m.Stamp {
				return true
			}
		}
	}
	return false
}
