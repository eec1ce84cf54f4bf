package index

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook/scan"
	"github.com/assetcook/assetcook/hashing"
)

// A Builder makes the bytes of a new index. Folders, files and actions may come
// in any order.
type Builder struct {
	checksum string
	identity hashing.Digest
	folders  []folderIn
	files    []File
	actions  []Action
	methods  []Method
	byText   map[string]int
	counted  counted
	totals   *Totals // nil to count
	// absent, if not nil, is what gets nodes as not being there, in the place of
	// what the actions looked for and did not find.
	absent map[string]bool
}

// NewBuilder starts an index whose sums are of the named function.
func NewBuilder(checksum string) *Builder {
	if len(checksum) > nameSize {
		panic("index: checksum name too long: " + checksum)
	}
	return &Builder{checksum: checksum, byText: map[string]int{}}
}

// Identify says that the index vouches for the whole tree, as cooked by the
// program and with the options that id stands for.
func (b *Builder) Identify(id hashing.Digest) { b.identity = id }

// Count makes the totals count the actions of these targets only, those that the
// index vouches for.
func (b *Builder) Count(targets []string) { b.counted = countedTargets(targets) }

// counted are the targets whose actions count; nil means all.
type counted map[string]bool

func countedTargets(targets []string) counted {
	c := counted{}
	for _, t := range targets {
		c[t] = true
	}
	return c
}

func (c counted) has(target string) bool { return c == nil || c[target] }

// Grow makes room for so many files and actions.
func (b *Builder) Grow(files, actions int) {
	b.files = slices.Grow(b.files, files)
	b.actions = slices.Grow(b.actions, actions)
}

// AddFolder adds a folder that the scan listed. settled says that its stamp was
// old enough to be trusted. Each path may come once.
func (b *Builder) AddFolder(f scan.Folder, settled bool) {
	flags := uint32(folderListed)
	if f.Odd {
		flags |= folderOdd
	}
	if !settled {
		flags |= folderFresh
	}
	b.folders = append(b.folders, folderIn{
		folderKey: folderKey{Assets, slashed(f.Path)}, real: slashed(f.Real), flags: flags, stamp: f.Stamp,
	})
}

// slashed is a folder's path with a slash behind each name.
func slashed(path string) string {
	if path == "" || path == "." {
		return ""
	}
	return path + "/"
}

// AddFile adds a file. Each path may come once.
func (b *Builder) AddFile(f File) { b.files = append(b.files, f) }

// AddMethod returns the row that stands for the method, for Action.Method.
func (b *Builder) AddMethod(m Method) int {
	text := fmt.Sprintf("%q", m)
	row, ok := b.byText[text]
	if !ok {
		row = len(b.methods)
		b.methods = append(b.methods, m)
		b.byText[text] = row
	}
	return row
}

// AddAction adds an action. Each path and target may come once.
func (b *Builder) AddAction(a Action) { b.actions = append(b.actions, a) }

// Method returns a method that was added, by its row.
func (b *Builder) Method(row int) Method { return b.methods[row] }

// Files returns the files added so far. The caller must not change them.
func (b *Builder) Files() []File { return b.files }

// Actions returns the actions added so far, sorted by path and target. The
// caller must not change them.
func (b *Builder) Actions() []Action {
	slices.SortFunc(b.actions, func(x, y Action) int {
		return cmp.Or(cmp.Compare(x.Path, y.Path), cmp.Compare(x.Target, y.Target))
	})
	return b.actions
}

// Totals returns what the actions added so far amount to.
func (b *Builder) Totals() Totals {
	if b.totals != nil {
		return *b.totals
	}
	size := make(map[string]int64, len(b.files))
	for i := range b.files {
		size[b.files[i].Path] = b.files[i].Stamp.Size
	}
	var t Totals
	for i := range b.actions {
		if a := &b.actions[i]; b.counted.has(a.Target) {
			t.Add(a, size[a.Path])
		}
	}
	return t
}

// Add counts an action whose source has so many bytes.
func (t *Totals) Add(a *Action, size int64) {
	t.Actions++
	if a.State == Failed {
		t.Failed++
		return
	}
	t.In += size
	for _, m := range a.Made {
		t.Out += m.Stamp.Size
	}
	t.CookTime += a.CookTime
}

// Take undoes Add.
func (t *Totals) Take(a *Action, size int64) {
	var one Totals
	one.Add(a, size)
	t.Actions -= one.Actions
	t.Failed -= one.Failed
	t.In -= one.In
	t.Out -= one.Out
	t.CookTime -= one.CookTime
}

// Bytes returns the index. Equal contents give equal bytes. It panics if there
// is more than the format can count, which is billions.
func (b *Builder) Bytes() []byte {
	slices.SortFunc(b.files, func(x, y File) int { return cmp.Compare(x.Path, y.Path) })
	b.Actions()
	w := &writer{known: map[string]int{}, folders: map[folderKey]int{}}
	w.addFolders(b.folders)
	w.collect(b)
	w.placeNodes(b)
	w.byPath(b)
	w.actions(b)
	b.appendMethods(w)
	return w.finish(b)
}

// splitPath gives the folder part of a path, with its slash.
func splitPath(path string) (folder, name string) {
	i := strings.LastIndexByte(path, '/')
	if filepath.Separator != '/' {
		i = max(i, strings.LastIndexByte(path, filepath.Separator))
	}
	return path[:i+1], path[i+1:]
}

func treeOf(path string) Tree {
	if filepath.IsAbs(path) {
		return System
	}
	return Assets
}

// methodOrder numbers the methods by their first use, so that the bytes do not
// depend on the order in which workers added them. Unused ones get no number.
func (b *Builder) methodOrder() []int {
	order := make([]int, len(b.methods))
	for i := range order {
		order[i] = -1
	}
	next := 0
	for i := range b.actions {
		if m := b.actions[i].Method; order[m] < 0 {
			order[m] = next
			next++
		}
	}
	return order
}

func (b *Builder) appendMethods(w *writer) {
	used := make([]Method, len(b.methods))
	n := 0
	for i, at := range b.methodOrder() {
		if at >= 0 {
			used[at] = b.methods[i]
			n++
		}
	}
	fields := uint64(0)
	for _, m := range used[:n] {
		w.u64(secMethods, fields)
		w.u64(secMethods, uint64(len(m)))
		fields += uint64(len(m))
		for _, f := range m {
			w.str(secFields, f.Key)
			w.str(secFields, f.Value)
		}
	}
}
