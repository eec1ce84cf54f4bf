package index

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/dependency"
)

// A live is the index as stored on disk: the flat file and the changes of later runs. It suits
// runs that use a small part of the index. Edits change it in memory, and [live.Changes] returns
// the changes to write.
//
// The base need not be checked as a whole: blocks are checked when they are first read. Methods
// panic if the base is damaged or forged; they fault if the base is a mapped file that another
// process truncates. The caller must handle both.
type live struct {
	base *flat // rows may be marked dead or patched
	over *flat // additions of the changes

	vouched vouching
	counted counted

	releaser
	marks
	contents map[int][]byte // patches that wait for Load
	decoded
	weight int // number of changes after which the index is rebuilt
	loaded bool
	edited bool
}

// marks are the rows of the base that the changes patch or delete.
type marks struct {
	patched, deadNodes         bitset
	patchedFolders, deadFolder bitset
	deadActions                bitset
}

// decoded holds the additions of the changes after Load. Edits are made here and not in
// live.over, so that the rows of over keep their numbers.
type decoded struct {
	files   map[string]File
	actions map[string][]Action // by source
	owners  map[string][]string // sources of outputs; several if they conflict
	holds   map[string]int      // outputs at or below each output directory
	absent  map[string]bool     // absent paths without a node in the base
	folders map[string]folderIn
	unsure  map[string]bool // see settleAbsent
}

// A bitset is a set of rows.
type bitset struct {
	words []uint64
	n     int
}

func (s *bitset) add(i int) {
	for i/64 >= len(s.words) {
		s.words = append(s.words, make([]uint64, 1+len(s.words))...)
	}
	if !s.has(i) {
		s.words[i/64] |= 1 << (i % 64)
		s.n++
	}
}

func (s *bitset) remove(i int) {
	if s.has(i) {
		s.words[i/64] &^= 1 << (i % 64)
		s.n--
	}
}

func (s *bitset) has(i int) bool { return i/64 < len(s.words) && s.words[i/64]>>(i%64)&1 != 0 }

// each calls do for each row, in order.
func (s *bitset) each(do func(i int)) {
	for w, word := range s.words {
		for b := 0; word != 0; b, word = b+1, word>>1 {
			if word&1 != 0 {
				do(w*64 + b)
			}
		}
	}
}

// openLive reads an index and its changes. base must be the caller's own writable memory, such as
// a private mapping.
func openLive(base, changes []byte) (*live, error) {
	x, err := openHeader(base)
	if err != nil {
		return nil, err
	}
	l := &live{base: x, weight: 1000 + x.Nodes()/16}
	if err := noticing(func() error { return l.apply(changes) }); err != nil {
		return nil, fmt.Errorf("changes: %w", err)
	}
	return l, nil
}

// Load decodes the changes. All methods need it except Parts, Methods, Identity, Totals and
// Checksum.
func (l *live) Load() error {
	if l.loaded {
		return nil
	}
	err := noticing(func() error {
		for node, row := range l.contents {
			copy(l.base.row(secContents, node), row)
		}
		return l.decodeOver()
	})
	if err != nil {
		return fmt.Errorf("changes: %w: %w", ErrDamaged, err)
	}
	l.loaded = true
	return nil
}

func (x *flat) folderIn(i int) folderIn {
	f := x.Folder(i)
	flags := binary.LittleEndian.Uint32(x.row(secFolders, i)[folderFlagsAt:])
	return folderIn{
		folderKey: folderKey{f.Tree, string(f.Path)}, real: string(f.Real),
		flags: flags &^ (folderTree | folderDead), stamp: f.Stamp,
	}
}

// Content returns the checksum and the blob ID of a node, patched or not.
func (l *live) Content(part, row int) (hashing.Sum128, store.BlobID) {
	if part == 0 && !l.loaded {
		if patch, ok := l.contents[row]; ok {
			return decodeContent(patch)
		}
	}
	return l.Parts()[part].Content(row)
}

// Parts returns the base and the additions, to be probed. A path of the second part is not in the
// first, or is dead there.
func (l *live) Parts() [2]*flat { return [2]*flat{l.base, l.over} }

// Base returns the flat index that the changes belong to.
func (l *live) Base() *flat { return l.base }

// Checksum names the function of all checksums.
func (l *live) Checksum() string { return l.base.checksum }

// Identity identifies the runs whose targets the index vouches for; zero if there are none.
func (l *live) Identity() hashing.Digest { return l.vouched.identity }

// Edited reports whether anything was changed since openLive.
func (l *live) Edited() bool { return l.edited }

// File finds a file.
func (l *live) File(path string) (File, bool) {
	if f, ok := l.files[path]; ok {
		return f, true
	}
	if node, ok := l.baseFile(path); ok {
		return l.base.file(node), true
	}
	return File{}, false
}

func (l *live) baseFile(path string) (node int, ok bool) {
	i, ok := l.base.FindFile(path)
	if !ok {
		return 0, false
	}
	node = l.base.ref(secByPath, i)
	return node, !l.deadNodes.has(node)
}

// FindFolder finds a directory of the asset tree by its path, which ends in a slash.
func (l *live) FindFolder(path string) (part, row int, ok bool) {
	for part, x := range l.Parts() {
		if row, ok := x.findFolder(Assets, path); ok {
			if f := x.Folder(row); f.Listed && !f.Dead {
				return part, row, true
			}
		}
	}
	return 0, 0, false
}

// NodePath returns the path of a node of one of the parts.
func (l *live) NodePath(part, node int) string { return l.Parts()[part].nodePath(node) }

// Actions calls do for each action of a source.
func (l *live) Actions(path string, do func(*Action)) {
	i, _ := l.base.FindAction(path, "")
	for ; i < l.base.Actions() && l.base.comparePath(l.base.actionSource(i), path) == 0; i++ {
		if !l.deadActions.has(i) {
			a := l.base.Action(i)
			do(&a)
		}
	}
	for i := range l.actions[path] {
		do(&l.actions[path][i])
	}
}

// Owner returns the source whose action made an output.
func (l *live) Owner(output string) (source string, ok bool) {
	x := l.base
	i, ok := x.findOutput(output)
	for ; ok && i < x.Artifacts() && x.comparePath(x.ref(secMade, x.ref(secByOutput, i)), output) == 0; i++ {
		action := x.artifactAction(x.ref(secByOutput, i))
		if !l.deadActions.has(action) {
			return x.ActionPath(action), true
		}
	}
	if sources := l.owners[output]; len(sources) > 0 {
		return sources[0], true
	}
	return "", false
}

// artifactAction finds the action that an artifact belongs to.
func (x *flat) artifactAction(row int) int {
	return sort.Search(x.Actions(), func(i int) bool {
		first, n := x.ActionArtifacts(i)
		return first+n > row
	})
}

// HoldsOutputs reports whether a subdirectory of the output directory has artifacts.
func (l *live) HoldsOutputs(folder string) bool {
	prefix := folder + "/"
	if l.holds[prefix] > 0 {
		return true
	}
	x := l.base
	i := sort.Search(x.Folders(), func(i int) bool {
		f := x.Folder(i)
		return f.Tree > Out || f.Tree == Out && string(f.Path) >= prefix
	})
	for ; i < x.Folders(); i++ {
		f := x.Folder(i)
		if f.Tree != Out || !strings.HasPrefix(string(f.Path), prefix) {
			break
		}
		for n := range f.Count {
			if p := x.Probe(f.First + n); !p.Dead {
				return true
			}
		}
	}
	return false
}

// Target returns the target of the action that made a node's artifact.
func (l *live) Target(part, node int) string {
	x := l.Parts()[part]
	action, _ := x.nodeAction(node)
	return string(x.ActionTarget(action))
}

// Source returns the source of the action that made a node's artifact.
func (l *live) Source(part, node int) string {
	x := l.Parts()[part]
	action, _ := x.nodeAction(node)
	return x.ActionPath(action)
}

// Count restricts the totals and the failed sources to the given targets.
func (l *live) Count(targets []string) { l.counted = countedTargets(targets) }

// FailedSources calls do for the source of each action that failed.
func (l *live) FailedSources(do func(path string)) {
	if l.Totals().Failed == 0 {
		return
	}
	for i := range l.base.Actions() {
		if l.base.ActionState(i) == Failed && !l.deadActions.has(i) && l.counted.has(string(l.base.ActionTarget(i))) {
			do(l.base.ActionPath(i))
		}
	}
	l.eachOver(func(a *Action) {
		if a.State == Failed && l.counted.has(a.Target) {
			do(a.Path)
		}
	})
}

// Dependents calls do for the source of each action that depends on one of the given files and
// parts.
func (l *live) Dependents(on map[dependency.Dependency]bool, do func(path string)) {
	if len(on) == 0 {
		return
	}
	paths := make(map[string]bool, len(on))
	for d := range on {
		paths[dependency.Encode(d)] = true
	}
	l.base.eachDep(paths, func(_, action int) {
		if !l.deadActions.has(action) {
			do(l.base.ActionPath(action))
		}
	})
	l.eachOver(func(a *Action) {
		if slices.ContainsFunc(a.Deps, func(d Dep) bool { return on[d.On.Seen()] }) {
			do(a.Path)
		}
	})
}

// Deps calls do for each dependency on artifacts or extracts whose kind is wanted, with the
// source of its action.
func (l *live) Deps(is func(dependency.Kind) bool, do func(source string, d Dep)) {
	l.base.eachDepThat(dependency.MayBePart, func(dep, action int) {
		if d := l.base.dep(dep); is(d.On.Kind) && !l.deadActions.has(action) {
			do(l.base.ActionPath(action), d)
		}
	})
	l.eachOver(func(a *Action) {
		for _, d := range a.Deps {
			if is(d.On.Kind) {
				do(a.Path, d)
			}
		}
	})
}

// eachDep calls do for each dependency on one of the paths, with its action.
func (x *flat) eachDep(paths map[string]bool, do func(dep, action int)) {
	x.eachDepThat(func(path []byte) bool { return paths[string(path)] }, do)
}

func (x *flat) eachDepThat(matches func(path []byte) bool, do func(dep, action int)) {
	action := 0
	for d := range x.Deps() {
		if !matches(x.depPath(d)) {
			continue
		}
		for first, n := x.actionDeps(action); d >= first+n; first, n = x.actionDeps(action) {
			action++
		}
		do(d, action)
	}
}

// Methods calls do for every method in use, for some perhaps twice. It does not need Load.
func (l *live) Methods(do func(Method)) error {
	for i := range l.base.Methods() {
		do(l.base.Method(i))
	}
	if l.loaded {
		l.eachOver(func(a *Action) { do(a.Method) })
		return nil
	}
	for i := range l.over.Methods() {
		do(l.over.Method(i))
	}
	return nil
}

// MethodsOf calls do for every method of the counted actions, perhaps twice; it omits actions for
// which except returns true.
func (l *live) MethodsOf(except func(source, target string) bool, do func(Method)) {
	done := make([]bool, l.base.Methods())
	for i := range l.base.Actions() {
		row := l.base.actionMethod(i)
		if done[row] || l.deadActions.has(i) {
			continue
		}
		if target := string(l.base.ActionTarget(i)); !l.counted.has(target) || except(l.base.ActionPath(i), target) {
			continue
		}
		done[row] = true
		do(l.base.methods.of(l.base, row))
	}
	l.eachOver(func(a *Action) {
		if l.counted.has(a.Target) && !except(a.Path, a.Target) {
			do(a.Method)
		}
	})
}

// Configs returns the cook.toml files of the tree, sorted by directory: parents are first.
func (l *live) Configs() []File {
	var list []File
	for i := range l.base.sections[secConfigs].count {
		if node := l.base.ref(secConfigs, i); !l.deadNodes.has(node) {
			list = append(list, l.base.file(node))
		}
	}
	for _, f := range l.files {
		if f.Role == Config {
			list = append(list, f)
		}
	}
	folder := func(f File) string { return strings.TrimSuffix(f.Path, scan.ConfigName) }
	slices.SortFunc(list, func(a, b File) int { return strings.Compare(folder(a), folder(b)) })
	return list
}

func (x *flat) role(node int) Role {
	return Role(binary.LittleEndian.Uint32(x.row(secNodes, node)[nodeFlagsAt:]) & nodeRole)
}

// Flat merges the base and the changes into one checked index.
func (l *live) Flat() (*flat, error) {
	if err := l.Load(); err != nil {
		return nil, err
	}
	if l.pristine() && l.patched.n+l.patchedFolders.n == 0 {
		return openFlat(l.base.data)
	}
	if err := l.base.checkAll(); err != nil {
		return nil, err
	}
	return openFlat(l.builder().Bytes())
}

// pristine reports whether nothing was added to the base or deleted from it.
func (l *live) pristine() bool {
	return l.deadNodes.n+l.deadFolder.n+l.deadActions.n+len(l.files)+len(l.actions)+len(l.folders) == 0
}

func (l *live) builder() *builder {
	b := newBuilder(l.Checksum())
	for i := range l.base.Folders() {
		if f := l.base.Folder(i); f.Listed && !f.Dead {
			b.folders = append(b.folders, l.base.folderIn(i))
		}
	}
	b.Grow(l.base.Files()+len(l.files), l.base.Actions()+len(l.actions))
	for i := range l.base.Files() {
		if node := l.base.ref(secByPath, i); !l.deadNodes.has(node) {
			b.AddFile(l.base.file(node))
		}
	}
	for i := range l.base.Actions() {
		if !l.deadActions.has(i) {
			b.AddAction(l.base.Action(i))
		}
	}
	l.addOver(b)
	l.dropEmpty(b)
	return b
}

// dropEmpty drops the output directories that have no artifact any more.
func (l *live) dropEmpty(b *builder) {
	if !slices.ContainsFunc(b.folders, func(f folderIn) bool { return f.tree == Out }) {
		return
	}
	holds := map[string]bool{}
	for i := range b.actions {
		for _, m := range b.actions[i].Made {
			folder, _ := splitPath(m.Path)
			holds[folder] = true
		}
	}
	b.folders = slices.DeleteFunc(b.folders, func(f folderIn) bool { return f.tree == Out && !holds[f.path] })
}

// addOver adds the additions of the changes to a builder.
func (l *live) addOver(b *builder) {
	b.folders = slices.AppendSeq(b.folders, maps.Values(l.folders))
	for _, f := range l.files {
		b.AddFile(f)
	}
	l.eachOver(func(a *Action) { b.AddAction(*a) })
}
