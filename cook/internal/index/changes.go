package index

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"sort"
)

// The changes file consists of
//
//	magic, version, zero, the base's seal, identity
//	number of: patched nodes, contents, directories, dead nodes, directories, actions; bytes of vouches
//	patched nodes: node, flags, stamp
//	patched contents: node, content
//	patched directories: directory, flags, stamp
//	dead nodes, directories, actions: row
//	vouches, by target: totals, lengths of the two fields that follow, target, pending sources
//	an index with the additions
//	XXH3-128 of everything before
var changesMagic = [8]byte{'c', 'o', 'o', 'k', 'c', 'h', 'g', '\n'}

const (
	changesBaseAt  = 8 + 4 + 4
	changesIDAt    = changesBaseAt + sealSize
	changesListsAt = changesIDAt + 32
	changesHeader  = changesListsAt + 7*4

	patchSize        = 4 + 4 + stampSize
	patchContentSize = 4 + contentSize
	patchFolderSize  = 4 + 4 + stampSize
)

// SealSize is the size of the checksum at the end of a changes file. The checksum depends on the
// base as well.
const SealSize = sealSize

// noChanges returns the changes file of a new index. Every index has a changes file, so that the
// loss of the file is noticed.
func noChanges(base *flat, v vouching) []byte {
	l := &Index{base: base, over: &flat{}, vouched: v}
	return encodeChanges(l)
}

// encodeChanges returns the new contents of the changes file.
func encodeChanges(x *Index) []byte {
	editor{x}.settleAbsent()
	le := binary.LittleEndian
	id := x.base.headerSeal()
	out := append([]byte(nil), changesMagic[:]...)
	out = le.AppendUint32(out, Version)
	out = le.AppendUint32(out, 0)
	out = append(out, id[:]...)
	out = append(out, x.vouched.identity[:]...)
	for _, n := range [...]int{
		x.marks.patched.n, len(x.base.patches), x.marks.patchedFolders.n, x.marks.deadNodes.n, x.marks.deadFolder.n, x.marks.deadActions.n,
	} {
		out = le.AppendUint32(out, uint32(n))
	}
	vouches := x.vouched.appendVouches(nil)
	out = le.AppendUint32(out, uint32(len(vouches)))
	x.marks.patched.eachSetRow(func(node int) {
		r := x.base.row(secNodes, node)
		out = le.AppendUint32(out, uint32(node))
		out = append(out, r[nodeFlagsAt:nodeFlagsAt+4]...)
		out = append(out, r[nodeStampAt:nodeStampAt+stampSize]...)
	})
	for _, node := range slices.Sorted(maps.Keys(x.base.patches)) {
		out = le.AppendUint32(out, uint32(node))
		out = append(out, x.base.patches[node]...)
	}
	x.marks.patchedFolders.eachSetRow(func(row int) {
		r := x.base.row(secFolders, row)
		out = le.AppendUint32(out, uint32(row))
		out = append(out, r[folderFlagsAt:folderFlagsAt+4]...)
		out = append(out, r[folderStampAt:folderStampAt+stampSize]...)
	})
	for _, set := range [...]*bitset{&x.marks.deadNodes, &x.marks.deadFolder, &x.marks.deadActions} {
		set.eachSetRow(func(row int) { out = le.AppendUint32(out, uint32(row)) })
	}
	out = append(out, vouches...)
	switch {
	case x.loaded:
		out = append(out, encodeAdditions(x)...)
	case x.over.data != nil:
		out = append(out, x.over.data...)
	default:
		out = append(out, newIndexBuilder(x.base.checksum).Bytes()...)
	}
	sum := seal(out)
	return append(out, sum[:]...)
}

// applyChanges decodes a changes file and applies it to the base.
func applyChanges(x *Index, data []byte) error {
	if len(data) < changesHeader+sealSize || !bytes.Equal(data[:len(changesMagic)], changesMagic[:]) {
		return fmt.Errorf("%w: the file of changes is cut short", ErrDamaged)
	}
	body := data[:len(data)-sealSize]
	if sum := seal(body); !bytes.Equal(sum[:], data[len(body):]) {
		return fmt.Errorf("%w: the checksum of the changes does not match", ErrDamaged)
	}
	d := decoder{b: body[len(changesMagic):]}
	if v := d.u32(); v != Version {
		return fmt.Errorf("%w (format %d; this program reads format %d)", ErrVersion, v, Version)
	}
	d.u32()
	if id := x.base.headerSeal(); !bytes.Equal(d.take(sealSize), id[:]) {
		return fmt.Errorf("%w: the changes belong to another index", ErrDamaged)
	}
	copy(x.vouched.identity[:], d.take(32))
	var n [6]int
	need := 0
	for i, size := range [...]int{patchSize, patchContentSize, patchFolderSize, 4, 4, 4} {
		n[i] = int(d.u32())
		need += n[i] * size
	}
	vouches := int(d.u32())
	if need+vouches > len(d.b) {
		return fmt.Errorf("%w: the lists are longer than the file of changes", ErrDamaged)
	}
	if err := applyLists(x, &d, n); err != nil {
		return err
	}
	err := x.vouched.decodeVouches(d.take(vouches))
	if err != nil {
		return err
	}
	x.over, err = openFlat(bytes.Clone(d.b))
	return err
}

// applyLists decodes and applies the lists of patched nodes, contents and directories, and of dead
// nodes, directories and actions. n holds the lengths of the lists.
func applyLists(x *Index, d *decoder, n [6]int) error {
	row := func(s int) (int, error) {
		i := int(d.u32())
		if i >= x.base.sections[s].count {
			return 0, fmt.Errorf("%w: section %[3]d has no row %[2]d", ErrDamaged, i, s)
		}
		return i, nil
	}
	for range n[0] {
		node, err := row(secNodes)
		if err != nil {
			return err
		}
		settled := d.u32()&nodeSettled != 0
		x.base.nodes().setNodeStamp(node, decodeStamp(d.take(stampSize)), settled)
		x.marks.patched.insertRow(node)
	}
	x.base.patches = make(map[int][]byte, n[1])
	for range n[1] {
		node, err := row(secNodes)
		if err != nil {
			return err
		}
		x.base.patches[node] = d.take(contentSize)
	}
	for range n[2] {
		i, err := row(secFolders)
		if err != nil {
			return err
		}
		flags := d.u32() & (folderOdd | folderFresh | folderListed)
		x.base.folders().setFolderStamp(i, decodeStamp(d.take(stampSize)), flags)
		x.marks.patchedFolders.insertRow(i)
	}
	for range n[3] {
		node, err := row(secNodes)
		if err != nil {
			return err
		}
		editor{x}.markNodeDead(node)
	}
	for range n[4] {
		i, err := row(secFolders)
		if err != nil {
			return err
		}
		x.marks.deadFolder.insertRow(i)
		editor{x}.markFolderDead(i)
	}
	for range n[5] {
		i, err := row(secActions)
		if err != nil {
			return err
		}
		x.marks.deadActions.insertRow(i)
	}
	return nil
}

// hasGrown reports whether the changes file is so large that a new index should be written.
func hasGrown(x *Index) bool {
	return x.marks.patched.n*patchSize > max(256<<10, len(x.base.data)/64) || outgrowsBase(x)
}

// rewriteBase returns a new index and its changes file. x must not be used afterwards. If few rows
// were added or deleted, it reuses the memory of the base, whose stamps were changed in place. It
// panics if Load has not succeeded.
func rewriteBase(x *Index) (base *flat, changes []byte) {
	if !x.loaded {
		panic("index: another process rewrote the index before it was loaded")
	}
	if outgrowsBase(x) {
		merged, err := mergeBase(x)
		if err != nil {
			panic("index: rewritten: " + err.Error())
		}
		return merged, noChanges(merged, x.vouched)
	}
	editor{x}.settleAbsent() // settleAbsent may mark more nodes as dead
	// The new base includes the new stamps. New contents, deleted rows and additions stay in the
	// changes file.
	patched, patchedFolders := x.marks.patched, x.marks.patchedFolders
	x.marks.patched, x.marks.patchedFolders = bitset{}, bitset{}
	x.marks.deadNodes.eachSetRow(func(node int) { x.base.setFlag(secNodes, node, nodeFlagsAt, nodeDead, false) })
	x.marks.deadFolder.eachSetRow(func(row int) { x.base.setFlag(secFolders, row, folderFlagsAt, folderDead, false) })
	data := x.base.data
	x.base.sealAgain(map[int]*bitset{secNodes: &patched, secFolders: &patchedFolders})
	sum := seal(x.base.seals)
	copy(data[sealsAt:], sum[:])
	sum = seal(data[:headerEnd])
	copy(data[headerEnd:], sum[:])
	return x.base, encodeChanges(x)
}

// outgrowsBase reports whether a new base should be built, because the additions and deletions are
// numerous.
func outgrowsBase(x *Index) bool {
	return x.marks.deadNodes.n+x.marks.deadActions.n+len(x.base.patches)+len(x.added.files)+len(x.added.actions) > x.weight
}

// decodeAdditions decodes the additions in the changes file into maps. It rejects paths that the
// base has, too.
func decodeAdditions(x *Index) error {
	x.added.files = make(map[string]File, x.over.files().len())
	x.added.actions = make(map[string][]Action, x.over.actions().len())
	x.added.owners, x.added.holds = map[string][]string{}, map[string]int{}
	x.added.absent, x.added.unsure = map[string]bool{}, map[string]bool{}
	x.added.folders = map[string]folderIn{}
	for i := range x.over.files().len() {
		f := x.over.files().decodeFileAt(i)
		if _, ok := x.Files().baseNode(f.Path); ok {
			return fmt.Errorf("file %q is already in the index", f.Path)
		}
		x.added.files[f.Path] = f
	}
	for i := range x.over.actions().len() {
		a := x.over.actions().decodeAction(i)
		if row, ok := x.base.actions().findActionRow(a.Path, a.Target); ok && !x.marks.deadActions.hasRow(row) {
			return fmt.Errorf("the action of %q is already in the index", a.Path)
		}
		x.added.addAction(a)
	}
	for i := range x.over.nodes().len() {
		if x.over.nodes().roleOf(i) == Absent {
			x.added.absent[x.over.nodes().nodePath(i)] = true
		}
	}
	for i := range x.over.folders().len() {
		if f := x.over.folders().decodeFolder(i); f.Listed && f.Tree == Assets {
			x.added.folders[string(f.Path)] = x.over.folders().toInput(i)
		}
	}
	return nil
}

// addAction adds an action to the additions.
func (d *additions) addAction(a Action) {
	d.actions[a.Path] = append(d.actions[a.Path], a)
	for _, m := range a.Made {
		d.owners[m.Path] = append(d.owners[m.Path], a.Path)
		eachFolder(m.Path, func(folder string) { d.holds[folder]++ })
	}
}

// removeActionsOf removes the actions of a source from the additions and returns them.
func (d *additions) removeActionsOf(path string) []Action {
	list := d.actions[path]
	delete(d.actions, path)
	for i := range list {
		for _, m := range list[i].Made {
			at := slices.Index(d.owners[m.Path], path)
			d.owners[m.Path] = slices.Delete(d.owners[m.Path], at, at+1)
			eachFolder(m.Path, func(folder string) { d.holds[folder]-- })
		}
	}
	return list
}

// eachFolder calls do for each parent directory of a path except the root, with a trailing slash.
func eachFolder(path string, do func(folder string)) {
	for i := range len(path) {
		if path[i] == '/' {
			do(path[:i+1])
		}
	}
}

// eachAdded calls do for each added action, sorted by source.
func (d *additions) eachAdded(do func(a *Action)) {
	for _, path := range slices.Sorted(maps.Keys(d.actions)) {
		list := d.actions[path]
		for i := range list {
			do(&list[i])
		}
	}
}

// encodeAdditions encodes the additions as an index.
func encodeAdditions(x *Index) []byte {
	b := newIndexBuilder(x.base.checksum)
	addAdditions(x, b)
	b.absent = x.added.absent
	// If the base index lists this directory through a symbolic link, both must name the same real
	// path.
	seen := map[string]bool{}
	place := func(path string) {
		folder, _ := splitSlash(path)
		if _, ok := x.added.folders[folder]; ok || seen[folder] || treeOf(path) != Assets {
			return
		}
		seen[folder] = true
		if row, ok := x.base.folders().findFolderRow(Assets, folder); ok {
			if f := x.base.folders().decodeFolder(row); string(f.Real) != folder {
				b.folders = append(b.folders, folderIn{folderKey: folderKey{Assets, folder}, real: string(f.Real)})
			}
		}
	}
	for path := range x.added.files {
		place(path)
	}
	for path := range x.added.absent {
		place(path)
	}
	return b.Bytes()
}

// findFolderRow finds a directory by its tree and path, which ends in a slash.
func (t folderTable) findFolderRow(tree Tree, path string) (row int, ok bool) {
	order := func(i int) int {
		f := t.decodeFolder(i)
		return cmp.Or(cmp.Compare(f.Tree, tree), compareNameTo(f.Path, path))
	}
	row = sort.Search(t.len(), func(i int) bool { return order(i) >= 0 })
	return row, row < t.len() && order(row) == 0
}
