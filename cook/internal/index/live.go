package index

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/dependency"
)

// marks are the rows of the base that the changes file modifies or deletes.
type marks struct {
	patched, deadNodes         bitset
	patchedFolders, deadFolder bitset
	deadActions                bitset
}

// additions are the files, actions and directories that the changes file adds to the base. Load
// decodes them. Edits change these maps but not Index.over, so row numbers of Index.over stay
// valid.
type additions struct {
	files   map[string]File
	actions map[string][]Action
	owners  map[string][]string // sources that make each output; several if they conflict
	holds   map[string]int      // number of outputs in and below each output directory
	absent  map[string]bool     // absent paths without a node in the base
	folders map[string]folderIn
	unsure  map[string]bool // paths that settleAbsent must check
}

// A bitset is a set of rows.
type bitset struct {
	words []uint64
	n     int
}

func (s *bitset) insertRow(i int) {
	for i/64 >= len(s.words) {
		s.words = append(s.words, make([]uint64, 1+len(s.words))...)
	}
	if !s.hasRow(i) {
		s.words[i/64] |= 1 << (i % 64)
		s.n++
	}
}

func (s *bitset) removeRow(i int) {
	if s.hasRow(i) {
		s.words[i/64] &^= 1 << (i % 64)
		s.n--
	}
}

func (s *bitset) hasRow(i int) bool { return i/64 < len(s.words) && s.words[i/64]>>(i%64)&1 != 0 }

// eachSetRow calls do for each row, in order.
func (s *bitset) eachSetRow(do func(i int)) {
	for w, word := range s.words {
		for b := 0; word != 0; b, word = b+1, word>>1 {
			if word&1 != 0 {
				do(w*64 + b)
			}
		}
	}
}

// Open reads an index and its changes. base must be writable memory of the caller, such as a
// private mapping. Blocks are checked when they are first read. The error wraps ErrForeign,
// ErrVersion or ErrDamaged.
func Open(base, changes []byte) (*Index, error) {
	flat, err := openHeader(base)
	if err != nil {
		return nil, err
	}
	x := &Index{base: flat, weight: 1000 + flat.nodes().len()/16}
	if err := noticing(func() error { return applyChanges(x, changes) }); err != nil {
		return nil, fmt.Errorf("changes: %w", err)
	}
	return x, nil
}

// Load decodes the changes file. All methods need it except Parts, Methods, Identity, Totals and
// Checksum.
func (x *Index) Load() error {
	if x.loaded {
		return nil
	}
	if err := noticing(func() error { return decodeAdditions(x) }); err != nil {
		return fmt.Errorf("changes: %w: %w", ErrDamaged, err)
	}
	x.loaded = true
	return nil
}

func (t folderTable) toInput(i int) folderIn {
	f := t.decodeFolder(i)
	flags := binary.LittleEndian.Uint32(t.x.row(secFolders, i)[folderFlagsAt:])
	return folderIn{
		folderKey: folderKey{f.Tree, string(f.Path)}, real: string(f.Real),
		flags: flags &^ (folderTree | folderDead), stamp: f.Stamp,
	}
}

// parts returns the base and the additions. A path of the additions has no live node in the base.
func (x *Index) parts() [2]*flat { return [2]*flat{x.base, x.over} }

// Checksum returns the name of the checksum function.
func (v Files) Checksum() string { return v.x.base.checksum }

// Fingerprint identifies the last runs of the targets that Vouched returns. It is zero if there are
// none.
func (x *Index) Fingerprint() hashing.Digest { return x.vouched.identity }

// File finds a file.
func (v Files) File(path string) (File, bool) {
	if f, ok := v.x.added.files[path]; ok {
		return f, true
	}
	if node, ok := v.baseNode(path); ok {
		return v.x.base.nodes().decodeFileNode(node), true
	}
	return File{}, false
}

func (v Files) baseNode(path string) (node int, ok bool) {
	i, ok := v.x.base.files().findFileRow(path)
	if !ok {
		return 0, false
	}
	node = v.x.base.refAtRow(secByPath, i)
	return node, !v.x.marks.deadNodes.hasRow(node)
}

// findListed finds a listed directory of the asset tree by its path, which ends in a slash.
func findListed(x *Index, path string) (part, row int, ok bool) {
	for part, x := range x.parts() {
		if row, ok := x.folders().findFolderRow(Assets, path); ok {
			if f := x.folders().decodeFolder(row); f.Listed && !f.Dead {
				return part, row, true
			}
		}
	}
	return 0, 0, false
}

func (r Results) eachOf(path string, do func(*Action)) {
	i, _ := r.x.base.actions().findActionRow(path, "")
	for ; i < r.x.base.actions().len() && r.x.base.nodes().comparePath(r.x.base.actions().sourceNode(i), path) == 0; i++ {
		if !r.x.marks.deadActions.hasRow(i) {
			a := r.x.base.actions().decodeAction(i)
			do(&a)
		}
	}
	for i := range r.x.added.actions[path] {
		do(&r.x.added.actions[path][i])
	}
}

// Owner returns the source whose action made an output.
func (r Results) Owner(output string) (source string, ok bool) {
	x := r.x.base
	i, ok := x.artifacts().findOutput(output)
	for ; ok && i < x.artifacts().len() && x.nodes().comparePath(x.refAtRow(secMade, x.refAtRow(secByOutput, i)), output) == 0; i++ {
		action := x.artifacts().actionOfArtifact(x.refAtRow(secByOutput, i))
		if !r.x.marks.deadActions.hasRow(action) {
			return x.actions().sourcePath(action), true
		}
	}
	if sources := r.x.added.owners[output]; len(sources) > 0 {
		return sources[0], true
	}
	return "", false
}

// actionOfArtifact finds the action that an artifact belongs to.
func (t artifactTable) actionOfArtifact(row int) int {
	return sort.Search(t.x.actions().len(), func(i int) bool {
		first, n := t.x.actions().artifactRange(i)
		return first+n > row
	})
}

// HoldsOutputs reports whether a directory in the output directory contains artifacts.
func (r Results) HoldsOutputs(folder string) bool {
	prefix := folder + "/"
	if r.x.added.holds[prefix] > 0 {
		return true
	}
	x := r.x.base
	i := sort.Search(x.folders().len(), func(i int) bool {
		f := x.folders().decodeFolder(i)
		return f.Tree > Out || f.Tree == Out && string(f.Path) >= prefix
	})
	for ; i < x.folders().len(); i++ {
		f := x.folders().decodeFolder(i)
		if f.Tree != Out || !strings.HasPrefix(string(f.Path), prefix) {
			break
		}
		for n := range f.Count {
			if p := x.nodes().probeNode(f.First + n); !p.Dead {
				return true
			}
		}
	}
	return false
}

// Count restricts Totals and Failed to the actions of the given targets.
func (r Results) Count(targets []string) { r.x.counted = countedTargets(targets) }

// Failed calls do for the source of each action that failed.
func (r Results) Failed(do func(path string)) {
	if r.Totals().Failed == 0 {
		return
	}
	for i := range r.x.base.actions().len() {
		if f := r.x.base.actions().factsOf(i); f.state == Failed && !r.x.marks.deadActions.hasRow(i) && r.x.counted.includesTarget(f.target) {
			do(r.x.base.actions().sourcePath(i))
		}
	}
	r.x.added.eachAdded(func(a *Action) {
		if a.State == Failed && r.x.counted.includesTarget(a.Target) {
			do(a.Path)
		}
	})
}

// Dependents calls do for the source of each action that depends on one of the given files,
// listings, links or extracts.
func (r Results) Dependents(on map[dependency.Dependency]bool, do func(path string)) {
	if len(on) == 0 {
		return
	}
	paths := make(map[string]bool, len(on))
	for d := range on {
		paths[dependency.Encode(d)] = true
	}
	r.x.base.deps().eachOn(paths, func(_, action int) {
		if !r.x.marks.deadActions.hasRow(action) {
			do(r.x.base.actions().sourcePath(action))
		}
	})
	r.x.added.eachAdded(func(a *Action) {
		if slices.ContainsFunc(a.Deps, func(d Dep) bool { return on[d.On.Seen()] }) {
			do(a.Path)
		}
	})
}

// Deps calls do for each dependency with a wanted kind, and the source of its action.
func (r Results) Deps(is func(dependency.Kind) bool, do func(source string, d Dep)) {
	r.x.base.deps().eachMatch(dependency.MayBePart, func(dep, action int) {
		if d := r.x.base.deps().decodeDepAt(dep); is(d.On.Kind) && !r.x.marks.deadActions.hasRow(action) {
			do(r.x.base.actions().sourcePath(action), d)
		}
	})
	r.x.added.eachAdded(func(a *Action) {
		for _, d := range a.Deps {
			if is(d.On.Kind) {
				do(a.Path, d)
			}
		}
	})
}

// eachOn calls do for each dependency on one of the paths, and its action.
func (t depTable) eachOn(paths map[string]bool, do func(dep, action int)) {
	t.eachMatch(func(path []byte) bool { return paths[string(path)] }, do)
}

func (t depTable) eachMatch(matches func(path []byte) bool, do func(dep, action int)) {
	action := 0
	for d := range t.len() {
		if !matches(t.depPath(d)) {
			continue
		}
		for first, n := t.x.actions().depRange(action); d >= first+n; first, n = t.x.actions().depRange(action) {
			action++
		}
		do(d, action)
	}
}

// Methods calls do for every method in use, possibly more than once. It does not need Load.
func (r Results) Methods(do func(Method)) error {
	for i := range r.x.base.methodCount() {
		do(r.x.base.decodeMethod(i))
	}
	if r.x.loaded {
		r.x.added.eachAdded(func(a *Action) { do(a.Method) })
		return nil
	}
	for i := range r.x.over.methodCount() {
		do(r.x.over.decodeMethod(i))
	}
	return nil
}

// MethodsOf calls do for every method of the counted actions, possibly more than once. It omits the
// actions for which except returns true.
func (r Results) MethodsOf(except func(source, target string) bool, do func(Method)) {
	done := make([]bool, r.x.base.methodCount())
	for i := range r.x.base.actions().len() {
		row := r.x.base.actions().methodRow(i)
		if done[row] || r.x.marks.deadActions.hasRow(i) {
			continue
		}
		if target := r.x.base.actions().factsOf(i).target; !r.x.counted.includesTarget(target) || except(r.x.base.actions().sourcePath(i), target) {
			continue
		}
		done[row] = true
		do(r.x.base.methods.cachedMethod(r.x.base, row))
	}
	r.x.added.eachAdded(func(a *Action) {
		if r.x.counted.includesTarget(a.Target) && !except(a.Path, a.Target) {
			do(a.Method)
		}
	})
}

// Configs returns the cook.toml files of the tree. Files of parent directories come first.
func (v Files) Configs() []File {
	var list []File
	for i := range v.x.base.sections[secConfigs].count {
		if node := v.x.base.refAtRow(secConfigs, i); !v.x.marks.deadNodes.hasRow(node) {
			list = append(list, v.x.base.nodes().decodeFileNode(node))
		}
	}
	for _, f := range v.x.added.files {
		if f.Role == Config {
			list = append(list, f)
		}
	}
	folder := func(f File) string { return strings.TrimSuffix(f.Path, scan.ConfigName) }
	slices.SortFunc(list, func(a, b File) int { return strings.Compare(folder(a), folder(b)) })
	return list
}

func (t nodeTable) roleOf(node int) Role {
	return Role(binary.LittleEndian.Uint32(t.x.row(secNodes, node)[nodeFlagsAt:]) & nodeRole)
}

// mergeBase merges the base and the changes into one checked index.
func mergeBase(x *Index) (*flat, error) {
	if err := x.Load(); err != nil {
		return nil, err
	}
	if isPristine(x) && !isPatched(x) {
		return openFlat(x.base.data)
	}
	if err := x.base.checkPatched(); err != nil {
		return nil, err
	}
	return openFlat(mergedBuilder(x).Bytes())
}

// isPristine reports whether the changes file neither adds nor deletes anything.
func isPristine(x *Index) bool {
	return x.marks.deadNodes.n+x.marks.deadFolder.n+x.marks.deadActions.n+len(x.added.files)+len(x.added.actions)+len(x.added.folders) == 0
}

// isPatched reports whether the changes file changes nodes or directories of the base.
func isPatched(x *Index) bool {
	return x.marks.patched.n+x.marks.patchedFolders.n+len(x.base.patches) > 0
}

func mergedBuilder(x *Index) *builder {
	b := newIndexBuilder(x.base.checksum)
	for i := range x.base.folders().len() {
		if f := x.base.folders().decodeFolder(i); f.Listed && !f.Dead {
			b.folders = append(b.folders, x.base.folders().toInput(i))
		}
	}
	b.Grow(x.base.files().len()+len(x.added.files), x.base.actions().len()+len(x.added.actions))
	for i := range x.base.files().len() {
		if node := x.base.refAtRow(secByPath, i); !x.marks.deadNodes.hasRow(node) {
			b.AddFile(x.base.nodes().decodeFileNode(node))
		}
	}
	for i := range x.base.actions().len() {
		if !x.marks.deadActions.hasRow(i) {
			b.AddAction(x.base.actions().decodeAction(i))
		}
	}
	addAdditions(x, b)
	dropEmptyFolders(x, b)
	return b
}

// dropEmptyFolders drops the output directories without artifacts.
func dropEmptyFolders(x *Index, b *builder) {
	if !slices.ContainsFunc(b.folders, func(f folderIn) bool { return f.tree == Out }) {
		return
	}
	holds := map[string]bool{}
	for i := range b.actions {
		for _, m := range b.actions[i].Made {
			folder, _ := splitSlash(m.Path)
			holds[folder] = true
		}
	}
	b.folders = slices.DeleteFunc(b.folders, func(f folderIn) bool { return f.tree == Out && !holds[f.path] })
}

// addAdditions adds the additions of the changes file to a builder.
func addAdditions(x *Index, b *builder) {
	b.folders = slices.AppendSeq(b.folders, maps.Values(x.added.folders))
	for _, f := range x.added.files {
		b.AddFile(f)
	}
	x.added.eachAdded(func(a *Action) { b.AddAction(*a) })
}
