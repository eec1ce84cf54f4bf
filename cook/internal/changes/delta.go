package changes

import (
	"cmp"
	"iter"
	"maps"
	"path"
	"slices"
	"time"

	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/execute"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/restat"
	"github.com/assetcook/assetcook/cook/internal/rules"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/cook/internal/session"
	"github.com/assetcook/assetcook/cook/internal/tools"
	"github.com/assetcook/assetcook/internal/dependency"
)

// A Delta holds the differences between the asset tree and the last run, and the sources that these
// differences affect.
type Delta struct {
	// Last is the index of the last run. It is empty if the index on disk is damaged.
	Last *index.Index
	// Whole is set if every source counts as changed. Concerned and Found are then nil.
	Whole bool
	// Targets are the targets in scope that the index knows. They are nil if Whole is set, because
	// the rules then determine the targets.
	Targets []string
	// Tree has the listed directories: all directories if Whole is set, and otherwise those whose
	// stamp differs.
	Tree *scan.Tree
	// Sources are the sources to plan, sorted by path. Before has the known actions of these
	// sources and of removed sources.
	Sources []scan.Entry
	Before  []index.Action
	// Concerned has the paths of Sources and Before. Changed has the files and parts with different
	// content, including new and removed ones.
	Concerned map[string]bool
	Changed   map[dependency.Dependency]bool
	// Found has the files whose stamp differs. File.Same is set if the content is unchanged.
	Found *restat.Found
	Stale Stale

	Edited Edited
	Read   Read
}

// Edited holds the rules after an edit, and the effect of the edit on targets out of scope.
type Edited struct {
	Rules *session.Ruleset // nil if no rule file was edited
	// Outdated lists sources by target. The next run for a target must plan these sources again:
	// the edited rules cook them differently, or they are bundles out of scope.
	Outdated map[string][]string
}

// Stale holds outdated index entries. Entries of removed directories, and of absent files that now
// exist, are dropped. Entries of changed sources out of scope stay.
type Stale struct {
	Nodes   []index.Ref
	Folders []index.FolderRef
	Sources map[string]bool
}

// Read has the results of reading files to find the differences.
type Read struct {
	Files, Bytes int64
	Took         time.Duration
	Parts        *contents.Parts
	Tools        tools.Present
}

// Empty reports whether nothing differs.
func (d *Delta) Empty() bool {
	return !d.Whole && len(d.Concerned)+len(d.Stale.Folders)+len(d.Stale.Nodes)+len(d.Tree.Folders)+len(d.Found.Files)+len(d.Found.Reread)+len(d.Found.OutFolders) == 0
}

// Configs returns the rule files of the tree.
func (d *Delta) Configs() []scan.Entry {
	if d.Whole {
		return d.Tree.Configs
	}
	var list []scan.Entry
	for _, f := range d.Last.Files().Configs() {
		list = append(list, scan.Entry{Path: f.Path, Stamp: f.Stamp})
	}
	return list
}

// Entries returns the assets in scope: all assets if Whole is set, and otherwise the Sources of the
// delta.
func (d *Delta) Entries() []scan.Entry {
	if d.Whole {
		return d.Tree.Entries
	}
	return d.Sources
}

// EachPath yields the paths of Entries.
func (d *Delta) EachPath(yield func(string) bool) {
	for _, e := range d.Entries() {
		if !yield(e.Path) {
			return
		}
	}
}

// EachSource yields every source of the tree, whether it was listed or not.
func (d *Delta) EachSource(yield func(path string) bool) {
	if !d.Whole {
		for row := range d.Last.Results().Rows("") {
			if !d.Concerned[row.Path()] && !yield(row.Path()) {
				return
			}
		}
	}
	d.EachPath(yield)
}

// Gone returns the sources that were removed since the last run.
func (d *Delta) Gone() map[string]bool {
	gone := maps.Clone(d.Concerned)
	for i := range d.Sources {
		delete(gone, d.Sources[i].Path)
	}
	return gone
}

// Complete reports whether every listed directory could be listed.
func (d *Delta) Complete() bool {
	if !d.Whole {
		return true
	}
	for i := range d.Tree.Problems {
		if d.Tree.Problems[i].Fatal() {
			return false
		}
	}
	return true
}

// Touched returns the file at path if its stamp differs but its content is unchanged, and nil
// otherwise.
func (d *Delta) Touched(path string) *restat.File {
	if d.Found == nil {
		return nil
	}
	ref, _, ok := d.Last.Files().Find(path)
	if !ok {
		return nil
	}
	return d.touchedAt(ref)
}

// touchedAt is like Touched, for a node of the index.
func (d *Delta) touchedAt(ref index.Ref) *restat.File {
	i, ok := slices.BinarySearchFunc(d.Found.Files, ref, func(f restat.File, ref index.Ref) int { return cmp.Compare(f.Ref, ref) })
	if !ok || !d.Found.Files[i].Same {
		return nil
	}
	return &d.Found.Files[i]
}

// parent returns the directory of a path, or "" for the root.
func parent(name string) string {
	if dir := path.Dir(name); dir != "." {
		return dir
	}
	return ""
}

// A Restamped is an index with the new stamps of touched files.
type Restamped struct {
	last  *index.Index
	delta *Delta // if nil, the index keeps the old stamps
	clock *scan.Clock
}

// Restamped returns the index of a delta with the new stamps of touched files.
func (d *Delta) Restamped(clock *scan.Clock) Restamped { return Restamped{d.Last, d, clock} }

// WithOldStamps returns the index of a delta as the last run left it.
func (d *Delta) WithOldStamps(clock *scan.Clock) Restamped { return Restamped{d.Last, nil, clock} }

// File returns a known file. A file in a damaged part of the index is unknown. Concurrent calls are
// allowed.
func (r Restamped) File(path string) (f index.File, ok bool) {
	err := index.Guard(func() error {
		if f, ok = r.last.Files().File(path); ok {
			r.restamp(&f)
		}
		return nil
	})
	return f, ok && err == nil
}

// Match yields entries with their known files, nil for unknown entries.
func (r Restamped) Match(entries []scan.Entry) iter.Seq2[*scan.Entry, *index.File] {
	return func(yield func(*scan.Entry, *index.File) bool) {
		for e, f := range r.last.Files().Match(entries) {
			if f != nil {
				r.restamp(f)
			}
			if !yield(e, f) {
				return
			}
		}
	}
}

// Checksum returns the name of the checksum function that the index uses.
func (r Restamped) Checksum() string { return r.last.Files().Checksum() }

// Part returns a known listing, link or extract.
func (r Restamped) Part(on dependency.Dependency) (index.File, bool) { return r.last.Files().Part(on) }

// Below yields known files and parts in a directory and its subdirectories.
func (r Restamped) Below(directory string) iter.Seq2[dependency.Dependency, index.File] {
	return r.last.Files().Below(directory)
}

func (r Restamped) restamp(f *index.File) {
	if r.delta == nil {
		return
	}
	if t := r.delta.Touched(f.Path); t != nil {
		f.Stamp, f.Settled = t.Now, r.clock.Settled(t.Now) && !t.Busy
	}
}

// UpToDate counts the actions that the delta does not affect. touched counts those with a touched
// file, whose checksum proves that the content is unchanged.
func (d *Delta) UpToDate(scope *session.Scope) (all, touched index.Totals) {
	if scope.Partial() {
		for row := range d.upToDateRows(scope) {
			all.AddRow(row)
		}
	} else {
		all = d.Last.Results().Totals()
		for i := range d.Before {
			if a := &d.Before[i]; slices.Contains(d.Targets, a.Target) {
				f, _ := d.Last.Files().File(a.Path)
				all.Take(a, f.Stamp.Size)
			}
		}
	}
	tally := d.Last.Results().Tally()
	d.eachSame(func(ref index.Ref, role index.Role) {
		if (role == index.Asset || role == index.Made) && !d.concernsFile(ref, role) {
			tally.Node(ref)
		}
	})
	return all, tally.Totals
}

// eachSame calls do for each file that was read and whose content is unchanged.
func (d *Delta) eachSame(do func(ref index.Ref, role index.Role)) {
	for i := range d.Found.Files {
		if f := &d.Found.Files[i]; f.Same {
			do(f.Ref, f.Role)
		}
	}
	for _, ref := range d.Found.Reread {
		do(ref, d.Last.Node(ref).Role)
	}
}

// hasSameContent reports whether a file was read and its content is unchanged.
func (d *Delta) hasSameContent(ref index.Ref) bool {
	_, reread := slices.BinarySearch(d.Found.Reread, ref)
	return reread || d.touchedAt(ref) != nil
}

// concernsFile reports whether the delta affects a source, or the source of an output.
func (d *Delta) concernsFile(ref index.Ref, role index.Role) bool {
	if len(d.Concerned) == 0 {
		return false
	}
	if role == index.Made {
		return d.Concerned[d.Last.Results().Source(ref)]
	}
	return d.Concerned[d.Last.Path(ref)]
}

// upToDateRows yields the actions in scope that the delta does not affect, with their sources.
func (d *Delta) upToDateRows(scope *session.Scope) iter.Seq2[*index.Row, string] {
	return func(yield func(*index.Row, string) bool) {
		for row := range d.Last.Results().Rows(scope.Prefix()) {
			source := row.Path()
			if slices.Contains(d.Targets, row.Target()) && scope.Has(source) && !d.Concerned[source] && !yield(row, source) {
				return
			}
		}
	}
}

// ReportUpToDate sends o an event for each action that the delta does not affect, if the user
// requested events of all actions. UpToDate already counts these actions.
func (d *Delta) ReportUpToDate(scope *session.Scope, o session.Observer) {
	if d.Whole {
		return
	}
	for row, source := range d.upToDateRows(scope) {
		o.Event(d.upToDateEvent(row, source))
	}
}

// upToDateEvent returns the event of an action that the delta does not affect.
func (d *Delta) upToDateEvent(row *index.Row, source string) execute.Event {
	e := execute.Event{
		Path: source, Target: row.Target(), Recipe: plan.RecipeOf(row.Method()), Outcome: execute.UpToDate, Reasons: plan.Untouched,
		CookTime: row.CookTime(), Outputs: make([]string, row.Made()),
	}
	ref, size, known := row.Source()
	e.In = size
	if known && d.hasSameContent(ref) {
		e.Reasons = []plan.Reason{{Kind: plan.SameChecksum, Subject: source}}
	}
	for k := range e.Outputs {
		ref, size := row.Artifact(k)
		e.Outputs[k] = d.Last.Path(ref)
		e.Out += size
		if e.Reasons[0].Kind == plan.SameStamp && d.hasSameContent(ref) {
			e.Reasons = []plan.Reason{{Kind: plan.SameChecksum, Subject: e.Outputs[k]}}
		}
	}
	return e
}

// AllDeclared means all declared targets, if it is in an index's list of targets. The index may be
// invalid for the unnamed target.
const AllDeclared = rules.AllTargets

// ValidTargets returns the targets that an index is valid for.
func ValidTargets(x *index.Index) []string {
	return slices.DeleteFunc(x.Vouched(), func(t string) bool { return t == AllDeclared })
}

// TooMany reports whether listing the whole tree is faster than planning the given sources.
func TooMany(sources, actions int) bool { return sources > 100+actions/4 }
