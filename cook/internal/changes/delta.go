package changes

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"time"

	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/restat"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/cook/internal/session"
	"github.com/assetcook/assetcook/cook/internal/tools"
	"github.com/assetcook/assetcook/internal/dependency"
)

// A Delta holds the differences from the last run, and the sources that they concern.
type Delta struct {
	// Last is the index that the delta refers to. It is empty if the index on disk is
	// damaged.
	Last *index.Index
	// Whole says that everything counts as different. Concerned and Found are then nil.
	Whole bool
	// Targets are the targets in scope as the index knows them. They are nil if Whole is
	// set: then the rules decide.
	Targets []string
	// Tree has the listed directories: all, or the ones with another stamp.
	Tree *scan.Tree
	// Sources are the sources to plan, sorted by path. Before has the known actions of these
	// sources and of removed ones.
	Sources []scan.Entry
	Before  []index.Action
	// Concerned has the paths of Sources and Before. Changed has the files and parts with
	// another content, including new and removed ones.
	Concerned map[string]bool
	Changed   map[dependency.Dependency]bool
	// Found has the files with another stamp. A file that is the Same was only touched.
	Found *restat.Found
	// Stale has the entries to remove from the index.
	Stale Stale

	Edited Edited
	Read   Read
}

// Edited holds edited rules, and their effect on other targets.
type Edited struct {
	Rules *session.Ruleset // nil if no rule file was edited
	// Outdated has, by target, sources for the next run to recheck: sources that the edited
	// rules cook in another way for other targets, and bundles out of scope.
	Outdated map[string][]string
}

// Stale holds outdated index entries: absent files that now exist, and removed directories.
type Stale struct {
	Nodes   []index.Ref
	Folders []index.FolderRef
}

// Read has the results of the reading that found the differences.
type Read struct {
	Files, Bytes int64
	Took         time.Duration
	Parts        *contents.Parts // answers of extracts and listings
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

// Entries returns the assets in scope: all of them, or the ones in the delta.
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

// EachSource yields every source of the tree, listed or not.
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

// Touched returns a file with another stamp and the known content, nil for other files.
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

// touchedAt is Touched for a node of the index.
func (d *Delta) touchedAt(ref index.Ref) *restat.File {
	i, ok := slices.BinarySearchFunc(d.Found.Files, ref, func(f restat.File, ref index.Ref) int { return cmp.Compare(f.Ref, ref) })
	if !ok || !d.Found.Files[i].Same {
		return nil
	}
	return &d.Found.Files[i]
}

// parent returns the directory of a path, "" for the root.
func parent(name string) string {
	if dir := path.Dir(name); dir != "." {
		return dir
	}
	return ""
}
