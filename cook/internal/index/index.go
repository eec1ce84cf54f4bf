// Package index stores the knowledge of the last run about a tree: its directories and files, their
// contents, how each asset was cooked, and its artifacts.
//
// The index is a cache. Deleting it costs time, never correctness: a run reads again whatever the
// index does not cover. So reading is strict: any damage makes the run ignore the whole file and
// print one line that says why.
//
// # Format
//
// The index is one flat file of little-endian columns, mapped and read in place. Every section is
// an array of rows of one size, so row i is found by multiplication:
//
//	header       magic, version, checksum function, section table
//	directories  path, stamp, first node, nodes            sorted by tree and path
//	nodes        name, stamp: all arguments of stat        by directory, then inode
//	names        of directories and nodes, each ended by a NUL
//	contents     checksum, blob ID                         shared by nodes, actions and deps
//	by path      nodes that are files, sorted by path
//	configs      nodes that are cook.toml files, sorted by path
//	by output    artifacts, sorted by path
//	actions      source, shared facts, content, ID         sorted by path, target
//	shared facts target, method, outcome, reasons, time    by first action
//	deps         name, path, content                       by action
//	artifacts    node                                      by action
//	methods      first field, fields
//	fields       key, value                                by method
//	strings      length and bytes of each text
//
// Everything after the header is sealed in blocks of 64 KiB: each block has its XXH3-128 as a seal.
// The seals are at the end of the file. The header holds a seal of these seals and a seal of
// itself. A no-op run reads only the first three sections. They hold all names and stamps, in the
// fastest order for stat. A query about one asset reads only the blocks that its look-ups visit. A
// pass over the whole index gives the memory of the blocks that it has finished back to the system.
//
// # Changes
//
// A run with few changes does not write the whole index again. It keeps the flat file and writes
// the differences to a second, small file. When the second file has grown to a fraction of the
// first, a new flat file replaces both. An [Index] combines the two; [Index.Edit] and [Index.Anew]
// begin the index that is written next. The second file also lists the targets that the index
// vouches for, see [Vouch].
//
// # Faults
//
// Other processes may truncate or damage the mapped files while they are in use, and a block is
// checked against its checksum only when it is first read. Methods of an Index panic or fault when
// they meet damage; see [Guard]. After [Index.Check], this happens only if another process writes
// to the file.
package index

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"maps"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/internal/dependency"
)

// An Index has the results of the last run: a flat file, and a file with the changes of later runs.
// An [editor] changes it in memory.
//
// The flat file need not be checked as a whole, because each block is checked when it is first
// read.
type Index struct {
	base *flat // the flat file; rows may be marked as dead or patched
	over *flat // the additions in the changes file

	vouched vouching
	counted counted

	memory releaser
	marks  marks
	added  additions
	weight int // number of changes after which the index is rebuilt
	loaded bool
	edited bool
}

// Files returns the files and parts in the index.
func (x *Index) Files() Files { return Files{x} }

// Files are the inputs of the last run: files, listings, links and extracts.
type Files struct{ x *Index }

// Results returns the actions of the index.
func (x *Index) Results() Results { return Results{x} }

// Results are the actions of an index, with their dependencies and artifacts.
type Results struct{ x *Index }

// A Ref refers to a node of one Index: a file of the asset tree, an artifact, or a path that was
// absent. Refs are ordered by directory. Within a directory, they are in the fastest order for
// stat.
type Ref uint32

// A FolderRef refers to a directory of one Index.
type FolderRef uint32

// Empty returns an index without any files and actions.
func Empty() *Index {
	x := &Index{base: &flat{}, over: &flat{}, loaded: true}
	if err := decodeAdditions(x); err != nil {
		panic(err) // an empty index cannot be damaged
	}
	return x
}

// CheckRows checks all sections that are needed to read the rows of all actions.
func (x *Index) CheckRows() error {
	return noticing(func() error {
		x.base.passed = x.Passed
		defer func() { x.base.passed = nil }()
		for _, s := range [...]int{secFolders, secNodes, secNames, secActions, secShared, secMade, secMethods, secFields, secStrings} {
			checkSection(x.base, s)
		}
		return nil
	})
}

// Guard calls do, which reads an index in place. If the index is damaged, or a mapped file was
// truncated, it returns an error that wraps ErrFault.
func Guard(do func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		switch p := recover().(type) {
		case nil:
		case damage:
			err = p
		default:
			err = fmt.Errorf("%w: %v", ErrFault, p)
		}
	}()
	return do()
}

// ErrFault reports that the index was damaged or truncated while it was in use.
var ErrFault = errors.New("index: another process shortened the index while it was in use")

// ID identifies the flat file; it is "" for an empty index.
func (x *Index) ID() string {
	if x.base.data == nil {
		return ""
	}
	return x.base.ID()
}

// Part finds the record of a listing, a link or an extract.
func (v Files) Part(on dependency.Dependency) (File, bool) {
	f, ok := v.x.Files().File(dependency.Encode(on))
	f.Path = on.Path
	return f, ok
}

// Below yields all files and parts in a directory of the asset tree and its subdirectories, in no
// order. Listings, links and extracts are parts. For ".", it includes files outside the asset tree.
func (v Files) Below(folder string) iter.Seq2[dependency.Dependency, File] {
	prefix := slashed(folder)
	return func(yield func(dependency.Dependency, File) bool) {
		each := func(f File) bool {
			on := mustDecode(f.Path)
			f.Path = on.Path
			return yield(on, f)
		}
		b := v.x.base
		i, _ := b.files().findFileRow(prefix)
		for ; i < b.files().len() && (prefix == "" || strings.HasPrefix(b.files().filePath(i), prefix)); i++ {
			if node := b.refAtRow(secByPath, i); !v.x.marks.deadNodes.hasRow(node) && !each(b.nodes().decodeFileNode(node)) {
				return
			}
		}
		for _, f := range v.x.added.files {
			if strings.HasPrefix(f.Path, prefix) && !each(f) {
				return
			}
		}
	}
}

// Match yields each entry with its file in the index, or nil if there is none. The entries must be
// sorted by path.
func (v Files) Match(entries []scan.Entry) iter.Seq2[*scan.Entry, *File] {
	return func(yield func(*scan.Entry, *File) bool) {
		b := v.x.base
		row := 0
		for i := range entries {
			e := &entries[i]
			if row < b.files().len() && i > 0 && b.nodes().comparePath(b.refAtRow(secByPath, row), e.Path) < 0 {
				row++ // usually, the next row belongs to the entry
			}
			if row < b.files().len() && b.nodes().comparePath(b.refAtRow(secByPath, row), e.Path) < 0 {
				row, _ = b.files().findFileRow(e.Path)
			}
			var known *File
			if row < b.files().len() && b.nodes().comparePath(b.refAtRow(secByPath, row), e.Path) == 0 {
				if node := b.refAtRow(secByPath, row); !v.x.marks.deadNodes.hasRow(node) {
					f := b.nodes().decodeFileNode(node)
					known = &f
				}
			}
			if known == nil {
				if over, ok := v.x.added.files[e.Path]; ok {
					f := over // this copy makes only additions escape to the heap
					known = &f
				}
			}
			if !yield(e, known) {
				return
			}
		}
	}
}

// Actions yields all actions, sorted by path and target.
func (r Results) Actions() iter.Seq[*Action] { return r.x.Results().yieldActions }

func (r Results) yieldActions(yield func(*Action) bool) {
	over := slices.Sorted(maps.Keys(r.x.added.actions))
	// flush yields the actions of a source, after the added actions of earlier sources.
	flush := func(path string, group []Action) bool {
		for len(over) > 0 && over[0] < path {
			list := slices.Clone(r.x.added.actions[over[0]])
			over = over[1:]
			if !yieldSource(list, yield) {
				return false
			}
		}
		if len(over) > 0 && over[0] == path {
			group = append(group, r.x.added.actions[path]...)
			over = over[1:]
		}
		return yieldSource(group, yield)
	}
	var group []Action
	for i := range r.x.base.actions().len() {
		if r.x.marks.deadActions.hasRow(i) {
			continue
		}
		a := r.x.base.actions().decodeAction(i)
		if len(group) > 0 && group[0].Path != a.Path {
			if !flush(group[0].Path, group) {
				return
			}
			group = group[:0]
		}
		group = append(group, a)
	}
	if len(group) > 0 && !flush(group[0].Path, group) {
		return
	}
	for _, path := range over {
		if !yieldSource(slices.Clone(r.x.added.actions[path]), yield) {
			return
		}
	}
}

func yieldSource(group []Action, yield func(*Action) bool) bool {
	slices.SortFunc(group, func(a, b Action) int { return cmp.Compare(a.Target, b.Target) })
	for i := range group {
		if !yield(&group[i]) {
			return false
		}
	}
	return true
}

// ActionsOf returns the actions of a source, sorted by target.
func (r Results) ActionsOf(source string) []Action {
	var list []Action
	r.x.Results().eachOf(source, func(a *Action) { list = append(list, *a) })
	slices.SortFunc(list, func(a, b Action) int { return cmp.Compare(a.Target, b.Target) })
	return list
}

// Check loads and checks the whole index. Afterwards, no method can fail unless the memory changes.
func (x *Index) Check() error {
	if x.base.data == nil {
		return nil
	}
	x.base.passed = x.Passed
	defer func() { x.base.passed = nil }()
	if err := x.base.checkPatched(); err != nil {
		return err
	}
	return x.Load()
}
