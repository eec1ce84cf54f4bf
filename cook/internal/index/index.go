// Package index remembers what the last run knew of a tree: which folders and
// files were there, what their content was, how each asset was cooked and what
// came out.
//
// The index is a cache. Deleting it costs time and never truth: whatever it
// does not vouch for is read again. So reading is strict: anything odd about
// the file and the whole of it is ignored, with one line saying why.
//
// # Format
//
// One flat file of little-endian columns that is mapped and read in place. Every
// section is a run of rows of one size, so that row i is found by multiplication:
//
//	header     magic, version, checksum function, section table
//	folders    path, stamp, first node, nodes            sorted by tree and path
//	nodes      name, stamp: all that stat is asked       by folder, then inode
//	names      what folders and nodes are called, each ended by a NUL
//	contents   checksum, blob ID                         one for each node
//	by path    nodes that are files, sorted by path
//	configs    nodes that are files of rules, sorted by path
//	by output  artifacts, sorted by path
//	actions    source, target, method, IDs, outcome      sorted by path, target
//	deps       name, path, blob ID                       by action
//	artifacts  node                                      by action
//	methods    first field, fields
//	fields     key, value                                by method
//	strings    bytes that the rows of actions point into
//
// What is behind the header is sealed in blocks of 64 KiB, each by its XXH3-128; the
// seals are at the end, and the header has their own seal and its own. A run in which
// nothing changed touches the first three sections: they hold every name and every stamp
// in the order in which stat is fastest. A question about one asset touches the blocks
// on the way to it. What a run passes over is given back to the system on the way.
//
// # Changes
//
// A run that changed little does not write all that again. It leaves the flat
// file as it is and puts what differs from it into a second, small one. When that
// has grown to a part of the first, both become a new flat file. An [Index] is the
// two together; [Index.Edit] and [Index.Anew] begin the one that is written next. The
// second one also says for which targets the index vouches, see [Vouch].
//
// # Faults
//
// What is read in place may be cut or damaged by others while it is in use, and a block
// is compared with its checksum when it is first touched. Methods of an Index that meet
// damage panic or fault; see [Guard]. After [Index.Check] that needs another process that
// writes to the file.
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
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/dependency"
)

// An Index is what the last run knew, as the disk has it.
type Index struct{ live *live }

// A Ref refers to a node of one Index: a file of the asset tree, an artifact, a path
// that was looked for in vain. Refs ascend with folders, and within a folder with the
// order in which stat is fastest.
type Ref uint32

// A FolderRef refers to a folder of one Index.
type FolderRef uint32

// Open reads an index and its changes. base must be memory of the caller's own that
// can be written to, such as a private mapping. Whatever is read in place is compared
// with its checksum when it is touched. The error wraps ErrForeign, ErrVersion or
// ErrDamaged.
func Open(base, changes []byte) (*Index, error) {
	l, err := openLive(base, changes)
	if err != nil {
		return nil, err
	}
	return &Index{l}, nil
}

// Empty is an index that knows nothing.
func Empty() *Index {
	l := &live{base: &flat{}, over: &flat{}, loaded: true}
	if err := l.decodeOver(); err != nil {
		panic(err) // there is nothing that could be damaged
	}
	return &Index{l}
}

// Load makes the changes ready: all methods but those for folders and nodes, Methods,
// Fingerprint, Totals and Checksum need it.
func (x *Index) Load() error { return x.live.Load() }

// CheckRows compares all that Rows and their nodes are made of with its checksums.
func (x *Index) CheckRows() error {
	b := x.live.base
	return noticing(func() error {
		for _, s := range [...]int{secFolders, secNodes, secNames, secActions, secMade, secMethods, secFields, secStrings} {
			at := b.sections[s].offset
			for end := at + b.sections[s].count*rowSize[s]; at < end; at += blockSize {
				b.need(at, min(blockSize, end-at))
				x.Passed(blockSize)
			}
			b.intact[s] = true
		}
		return nil
	})
}

// Guard runs what reads an index in place. Damage, a fault, or a row that points
// nowhere, becomes an error that wraps ErrFault.
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

// ErrFault says that the index was found damaged, or was cut, while it was in use.
var ErrFault = errors.New("index: cut while it was in use")

// ID tells one flat file from another; "" for an empty index.
func (x *Index) ID() string {
	if x.live.base.data == nil {
		return ""
	}
	return x.live.base.ID()
}

// Checksum names the function of all sums.
func (x *Index) Checksum() string { return x.live.Checksum() }

// Fingerprint is that of the runs whose targets the index vouches for; zero if there is
// none.
func (x *Index) Fingerprint() hashing.Digest { return x.live.Identity() }

// Count says which targets the totals are about. Other actions are not reported as
// failed, nor added up.
func (x *Index) Count(targets []string) { x.live.Count(targets) }

// Totals returns what the actions that count amount to.
func (x *Index) Totals() Totals { return x.live.Totals() }

// File finds a file.
func (x *Index) File(path string) (File, bool) { return x.live.File(path) }

// Part finds what is known of a listing, a link or an extract. An extract has no subject.
func (x *Index) Part(on dependency.Dependency) (File, bool) {
	f, ok := x.live.File(dependency.Encode(on))
	f.Path = on.Path
	return f, ok
}

// Below yields all files and parts in a folder of the asset tree and in the folders below it, in no
// order. Below "." are those outside the asset tree, too. The path of a part's File is that of the
// dependency.
func (x *Index) Below(folder string) iter.Seq2[dependency.Dependency, File] {
	prefix := slashed(folder)
	return func(yield func(dependency.Dependency, File) bool) {
		each := func(f File) bool {
			on := mustDecode(f.Path)
			f.Path = on.Path
			return yield(on, f)
		}
		b := x.live.base
		i, _ := b.FindFile(prefix)
		for ; i < b.Files() && (prefix == "" || strings.HasPrefix(b.FilePath(i), prefix)); i++ {
			if node := b.ref(secByPath, i); !x.live.deadNodes.has(node) && !each(b.file(node)) {
				return
			}
		}
		for _, f := range x.live.files {
			if strings.HasPrefix(f.Path, prefix) && !each(f) {
				return
			}
		}
	}
}

// Match yields each of some entries, which are sorted by path, with what is known of
// it, nil for nothing.
func (x *Index) Match(entries []scan.Entry) iter.Seq2[*scan.Entry, *File] {
	return func(yield func(*scan.Entry, *File) bool) {
		b := x.live.base
		row := 0
		for i := range entries {
			e := &entries[i]
			if row < b.Files() && i > 0 && b.comparePath(b.ref(secByPath, row), e.Path) < 0 {
				row++ // mostly it is the next one
			}
			if row < b.Files() && b.comparePath(b.ref(secByPath, row), e.Path) < 0 {
				row, _ = b.FindFile(e.Path)
			}
			var known *File
			if row < b.Files() && b.comparePath(b.ref(secByPath, row), e.Path) == 0 {
				if node := b.ref(secByPath, row); !x.live.deadNodes.has(node) {
					f := b.file(node)
					known = &f
				}
			}
			if known == nil {
				if over, ok := x.live.files[e.Path]; ok {
					f := over // on the heap only if there is one
					known = &f
				}
			}
			if !yield(e, known) {
				return
			}
		}
	}
}

// Configs returns the cook.toml files of the tree, sorted by folder: parents come
// first.
func (x *Index) Configs() []File { return x.live.Configs() }

// Actions yields all actions, sorted by path and target.
func (x *Index) Actions() iter.Seq[*Action] { return x.live.allActions }

func (l *live) allActions(yield func(*Action) bool) {
	over := slices.Sorted(maps.Keys(l.actions))
	// flush yields the actions of one source, and those of sources before it that lie
	// over the base.
	flush := func(path string, group []Action) bool {
		for len(over) > 0 && over[0] < path {
			list := slices.Clone(l.actions[over[0]])
			over = over[1:]
			if !yieldSource(list, yield) {
				return false
			}
		}
		if len(over) > 0 && over[0] == path {
			group = append(group, l.actions[path]...)
			over = over[1:]
		}
		return yieldSource(group, yield)
	}
	var group []Action
	for i := range l.base.Actions() {
		if l.deadActions.has(i) {
			continue
		}
		a := l.base.Action(i)
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
		if !yieldSource(slices.Clone(l.actions[path]), yield) {
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
func (x *Index) ActionsOf(source string) []Action {
	var list []Action
	x.live.Actions(source, func(a *Action) { list = append(list, *a) })
	slices.SortFunc(list, func(a, b Action) int { return cmp.Compare(a.Target, b.Target) })
	return list
}

// Methods calls do for every method that is in use, some perhaps twice. It does not
// need Load.
func (x *Index) Methods(do func(Method)) error { return x.live.Methods(do) }

// MethodsOf calls do for every method of the actions that count but some, perhaps twice.
func (x *Index) MethodsOf(except func(source, target string) bool, do func(Method)) {
	x.live.MethodsOf(except, do)
}

// Failed calls do for the source of each action that failed.
func (x *Index) Failed(do func(source string)) { x.live.FailedSources(do) }

// Dependents calls do for the source of each action that depends on one of some files and parts.
func (x *Index) Dependents(on map[dependency.Dependency]bool, do func(source string)) {
	x.live.Dependents(on, do)
}

// Deps calls do for each dependency on artifacts or extracts whose kind is wanted, and the source
// of its action.
func (x *Index) Deps(is func(dependency.Kind) bool, do func(source string, d Dep)) {
	x.live.Deps(is, do)
}

// Owner returns the source whose action made an output.
func (x *Index) Owner(output string) (source string, ok bool) { return x.live.Owner(output) }

// HoldsOutputs reports whether a folder of the output folder has artifacts.
func (x *Index) HoldsOutputs(folder string) bool { return x.live.HoldsOutputs(folder) }

// Check makes all of the index ready, and checks it so that no method can fail as long
// as the memory stays.
func (x *Index) Check() error {
	if x.live.base.data == nil {
		return nil
	}
	if err := x.live.base.checkAll(); err != nil {
		return err
	}
	return x.Load()
}
