package index

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook/internal/scan"
)

// A builder encodes a new index. It accepts directories, files and actions in any order.
type builder struct {
	checksum string
	folders  []folderIn
	files    []File
	actions  []Action
	// absent lists the paths where the index must detect a new file. If it is nil, the builder
	// takes them from the dependencies of the actions.
	absent map[string]bool
}

// newIndexBuilder starts an empty index. checksum is the name of the checksum function.
func newIndexBuilder(checksum string) *builder {
	if len(checksum) > nameSize {
		panic("index: the name of the checksum is too long: " + checksum)
	}
	return &builder{checksum: checksum}
}

// counted is the set of targets whose actions the totals include; nil means all targets.
type counted map[string]bool

func countedTargets(targets []string) counted {
	c := counted{}
	for _, t := range targets {
		c[t] = true
	}
	return c
}

func (c counted) includesTarget(target string) bool { return c == nil || c[target] }

// Grow makes room for more files and actions.
func (b *builder) Grow(files, actions int) {
	b.files = slices.Grow(b.files, files)
	b.actions = slices.Grow(b.actions, actions)
}

// AddFolder adds a directory that the scan listed. settled reports whether its stamp can be
// trusted. Each path may be added only once.
func (b *builder) AddFolder(f scan.Folder, settled bool) {
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

// slashed appends a slash to the path of a directory. For the root, it returns "".
func slashed(path string) string {
	if path == "" || path == "." {
		return ""
	}
	return path + "/"
}

// AddFile adds a file. Each path may be added only once.
func (b *builder) AddFile(f File) { b.files = append(b.files, f) }

// AddAction adds an action. Each pair of path and target may be added only once.
func (b *builder) AddAction(a Action) { b.actions = append(b.actions, a) }

// AddActions adds a list of actions. The caller must not use the list afterwards.
func (b *builder) AddActions(list []Action) {
	if len(b.actions) == 0 {
		b.actions = list
		return
	}
	b.actions = append(b.actions, list...)
}

// Files returns the files added so far. The caller must not change them.
func (b *builder) Files() []File { return b.files }

// Actions returns the actions added so far, sorted by path and target. The
// caller must not change them.
func (b *builder) Actions() []Action {
	slices.SortFunc(b.actions, func(x, y Action) int {
		return cmp.Or(cmp.Compare(x.Path, y.Path), cmp.Compare(x.Target, y.Target))
	})
	return b.actions
}

// countTotals sets the totals of each target in v from the actions added so far.
func (b *builder) countTotals(v *vouching) {
	for i := range v.vouches {
		v.vouches[i].totals = Totals{}
	}
	if len(v.vouches) == 0 {
		return
	}
	b.sortFiles()
	for i := range b.actions {
		a := &b.actions[i]
		if one := v.vouchFor(a.Target); one != nil {
			size := int64(0)
			if at, ok := b.findBuilderFile(a.Path); ok {
				size = b.files[at].Stamp.Size
			}
			one.totals.Add(a, size)
		}
	}
}

func (b *builder) sortFiles() {
	slices.SortFunc(b.files, func(x, y File) int { return cmp.Compare(x.Path, y.Path) })
}

// findBuilderFile finds a file by its path; the files must be sorted.
func (b *builder) findBuilderFile(path string) (int, bool) {
	return slices.BinarySearchFunc(b.files, path, func(f File, p string) int { return cmp.Compare(f.Path, p) })
}

// Add adds an action to the totals. size is the size of its source.
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

// Take removes an action that Add has added.
func (t *Totals) Take(a *Action, size int64) {
	var one Totals
	one.Add(a, size)
	t.Actions -= one.Actions
	t.Failed -= one.Failed
	t.In -= one.In
	t.Out -= one.Out
	t.CookTime -= one.CookTime
}

// Bytes returns the encoded index. Equal contents give equal bytes. It panics if a count exceeds
// the format's limits, which are in the billions.
func (b *builder) Bytes() []byte {
	b.sortFiles()
	b.Actions()
	w := &writer{
		known: map[string]int{}, names: map[string]uint32{}, folders: map[folderKey]int{},
	}
	w.registerFolders(b.folders)
	w.collectNodes(b)
	order := w.sortFolders()
	w.shareFacts(b)
	w.shareContents(b)
	out := w.reserveSections(b)
	w.placeNodes(order)
	w.writeContents(b)
	w.writeOrders()
	w.writeActions(b)
	w.writeShared()
	w.writeMethods()
	return w.finishIndex(out, b.checksum)
}

// splitSlash splits a path into its directory, with the slash, and its name.
func splitSlash(path string) (folder, name string) {
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

// A methodRows assigns row numbers to methods. Equal methods get the same number. Numbers are in
// the order of first use, so the encoded bytes do not depend on which worker finishes first.
type methodRows struct {
	list   []Method
	byText map[string]int
	byHead map[*Field]int // numbers of shared methods by their first field, because comparing all fields is slow
}

func (r *methodRows) methodNumber(m Method) int {
	var head *Field
	if len(m) > 0 {
		head = &m[0]
		if row, ok := r.byHead[head]; ok && len(r.list[row]) == len(m) {
			return row
		}
	}
	text := fmt.Sprintf("%q", m)
	row, ok := r.byText[text]
	if !ok {
		row = len(r.list)
		r.list = append(r.list, m)
		r.byText[text] = row
	}
	if head != nil {
		r.byHead[head] = row
	}
	return row
}

func (w *writer) writeMethods() {
	fields := uint64(0)
	for _, m := range w.shared.methods.list {
		w.putUint64(secMethods, fields)
		w.putUint64(secMethods, uint64(len(m)))
		fields += uint64(len(m))
		for _, f := range m {
			w.putString(secFields, f.Key)
			w.putString(secFields, f.Value)
		}
	}
}
