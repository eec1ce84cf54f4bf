package index

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/internal/dependency"
)

type folderKey struct {
	tree Tree
	path string
}

type folderIn struct {
	folderKey
	real         string
	flags        uint32
	stamp        scan.Stamp
	first, count int
}

// A nodeIn is a node that has no position in the file yet.
type nodeIn struct {
	folder int32 // number of the directory; sortFolders renumbers it
	after  int32 // index in writer.files, writer.made or writer.named, depending on the role
	action uint32
	role   Role
}

// A writer collects the bytes of the sections.
type writer struct {
	sec     [sectionCount][]byte
	known   map[string]int
	names   map[string]uint32 // offsets of the names of directories
	folders map[folderKey]int
	list    []folderIn
	files   []File
	made    []*Artifact
	named   []string // absent paths, and paths of sources that no longer exist
	nodes   []nodeIn
	at      nodeRows
	shared  sharedRows
	content contentRows
}

// nodeRows are the nodes of the files, artifacts and sources of a writer.
type nodeRows struct{ file, made, source []int32 }

// fileOfNode returns the path, the stamp and the content of a node.
func (w *writer) fileOfNode(n *nodeIn) (f File) {
	switch n.role {
	case Made:
		m := w.made[n.after]
		return File{Path: m.Path, Stamp: m.Stamp, Settled: m.Settled, Sum: m.Sum, Blob: m.Blob}
	case Absent, ghost:
		return File{Path: w.named[n.after]}
	}
	return w.files[n.after]
}

func (w *writer) pathOfNode(n *nodeIn) string {
	switch n.role {
	case Made:
		return w.made[n.after].Path
	case Absent, ghost:
		return w.named[n.after]
	}
	return w.files[n.after].Path
}

func (w *writer) inodeOf(n *nodeIn) uint64 {
	switch n.role {
	case Made:
		return w.made[n.after].Stamp.Inode
	case Absent, ghost:
		return 0
	}
	return w.files[n.after].Stamp.Inode
}

func (w *writer) registerFolders(folders []folderIn) {
	for _, f := range folders {
		w.list[w.folderNumber(f.folderKey)] = f
	}
}

func (w *writer) folderNumber(key folderKey) int {
	i, ok := w.folders[key]
	if !ok {
		i = len(w.list)
		w.folders[key] = i
		w.list = append(w.list, folderIn{folderKey: key, real: key.path})
	}
	return i
}

// collectNodes creates a node for everything that has a path.
func (w *writer) collectNodes(b *builder) {
	made := 0
	for i := range b.actions {
		made += len(b.actions[i].Made)
	}
	w.files = b.files
	w.made = make([]*Artifact, 0, made)
	w.nodes = make([]nodeIn, 0, len(b.files)+made)
	lastKey, last := folderKey{}, -1
	add := func(tree Tree, path string, n nodeIn) {
		folder, _ := splitSlash(path)
		if key := (folderKey{tree, folder}); last < 0 || key != lastKey {
			lastKey, last = key, w.folderNumber(key)
		}
		n.folder = int32(last)
		w.nodes = append(w.nodes, n)
	}
	addNamed := func(path string, role Role, action uint32) {
		w.named = append(w.named, path)
		add(Assets, path, nodeIn{role: role, action: action, after: int32(len(w.named) - 1)})
	}
	for i := range b.files {
		f := &b.files[i]
		add(treeOf(f.Path), f.Path, nodeIn{role: f.Role, action: noAction, after: int32(i)})
	}
	absent := b.absent
	if absent == nil {
		absent = map[string]bool{}
		for i := range b.actions {
			for _, d := range b.actions[i].Deps {
				if d.Found {
					continue
				}
				path := d.seenKey()
				if _, there := b.findBuilderFile(path); !there {
					absent[path] = true
				}
			}
		}
	}
	for _, path := range slices.Sorted(maps.Keys(absent)) {
		addNamed(path, Absent, noAction)
	}
	for i := range b.actions {
		a := &b.actions[i]
		for k := range a.Made {
			add(Out, a.Made[k].Path, nodeIn{role: Made, action: uint32(i), after: int32(len(w.made))})
			w.made = append(w.made, &a.Made[k])
		}
	}
	// Sources come last. If the index has no file for a source, the source gets a node with the
	// role ghost.
	w.at.source = make([]int32, len(b.actions))
	for i := range b.actions {
		a := &b.actions[i]
		switch at, there := b.findBuilderFile(a.Path); {
		case i > 0 && b.actions[i-1].Path == a.Path:
			w.at.source[i] = w.at.source[i-1]
		case there:
			w.nodes[at].action = uint32(i) // files come first, so their node numbers are their file numbers
			w.at.source[i] = int32(at)
		default:
			w.at.source[i] = int32(len(w.nodes))
			addNamed(a.Path, ghost, uint32(i))
		}
	}
}

// sortFolders sorts the directories, renumbers the directories of the nodes, and returns the order.
func (w *writer) sortFolders() []int32 {
	order := numbersBelow(len(w.list))
	slices.SortFunc(order, func(i, j int32) int {
		return cmp.Or(cmp.Compare(w.list[i].tree, w.list[j].tree), cmp.Compare(w.list[i].path, w.list[j].path))
	})
	rank := make([]int32, len(order))
	for at, i := range order {
		rank[i] = int32(at)
	}
	for i := range w.nodes {
		w.nodes[i].folder = rank[w.nodes[i].folder]
	}
	return order
}

// numbersBelow returns the numbers from 0 to n-1.
func numbersBelow(n int) []int32 {
	list := make([]int32, n)
	for i := range list {
		list[i] = int32(i)
	}
	return list
}

// placeNodes writes the sections of directories, nodes and names.
func (w *writer) placeNodes(order []int32) {
	perm := numbersBelow(len(w.nodes))
	slices.SortFunc(perm, func(i, j int32) int {
		a, b := &w.nodes[i], &w.nodes[j]
		if a.folder != b.folder {
			return cmp.Compare(a.folder, b.folder)
		}
		if x, y := w.inodeOf(a), w.inodeOf(b); x != y {
			return cmp.Compare(x, y)
		}
		return cmp.Or(cmp.Compare(w.pathOfNode(a), w.pathOfNode(b)), cmp.Compare(i, j))
	})
	place := make([]int32, len(perm))
	w.at.file = make([]int32, len(w.files))
	w.at.made = make([]int32, len(w.made))
	for at, i := range perm {
		n := &w.nodes[i]
		place[i] = int32(at)
		f := &w.list[order[n.folder]]
		if f.count == 0 {
			f.first = at
		}
		f.count++
		content := uint32(noContent)
		switch n.role {
		case Made:
			w.at.made[n.after] = int32(at)
			content = w.content.made[n.after]
		case Absent, ghost:
		default:
			w.at.file[n.after] = int32(at)
			content = uint32(n.after)
		}
		known := w.fileOfNode(n)
		_, name := splitSlash(known.Path)
		if w.hasNameOfSource(n) {
			source := int(place[w.at.source[n.action]])
			w.sec[secNodes] = append(w.sec[secNodes], w.sec[secNodes][source*nodeSize:][:nodeFlagsAt]...)
		} else {
			w.putUint32(secNodes, w.appendName(name))
		}
		if len(name) >= 1<<(32-nodeLengthShift) {
			panic(fmt.Sprintf("index: a name has %d bytes", len(name)))
		}
		flags := uint32(len(name))<<nodeLengthShift | uint32(n.role)
		if known.Settled {
			flags |= nodeSettled
		}
		for _, v := range [...]uint32{flags, uint32(n.folder), n.action, content} {
			w.putUint32(secNodes, v)
		}
		w.sec[secNodes] = appendStamp(w.sec[secNodes], known.Stamp)
	}
	for i, n := range w.at.source {
		w.at.source[i] = place[n]
	}
	w.putFolders(order)
}

// hasNameOfSource reports whether an artifact has the same file name as its source, whose node comes
// first. Copied files do, so the index stores their names only once.
func (w *writer) hasNameOfSource(n *nodeIn) bool {
	if n.role != Made {
		return false
	}
	source := w.pathOfNode(&w.nodes[w.at.source[n.action]])
	_, of := splitSlash(source)
	_, name := splitSlash(w.made[n.after].Path)
	return name == of && treeOf(source) == Assets
}

// putFolders writes the directories in the given order.
func (w *writer) putFolders(order []int32) {
	next := 0
	for at, i := range order {
		f := &w.list[i]
		if f.count == 0 {
			f.first = next
		}
		next = f.first + f.count
		end := at + 1
		for end < len(order) && w.list[order[end]].tree == f.tree && strings.HasPrefix(w.list[order[end]].path, f.path) {
			end++ // each directory is visited at most once per slash in its path
		}
		w.putFolderName(f.path)
		w.putFolderName(f.real)
		w.putUint32(secFolders, f.flags|uint32(f.tree))
		for _, v := range [...]int{end, f.first, f.count} {
			w.putUint32(secFolders, uint32(v))
		}
		w.sec[secFolders] = appendStamp(w.sec[secFolders], f.stamp)
		w.putUint32(secFolders, 0)
	}
}

// writeOrders writes the sections that are sorted by path.
func (w *writer) writeOrders() {
	for i, node := range w.at.file {
		w.putUint32(secByPath, uint32(node))
		if w.files[i].Role == Config {
			w.putUint32(secConfigs, uint32(node))
		}
	}
	outputs := numbersBelow(len(w.made))
	slices.SortFunc(outputs, func(x, y int32) int {
		return cmp.Or(cmp.Compare(w.made[x].Path, w.made[y].Path), cmp.Compare(x, y))
	})
	for _, row := range outputs {
		w.putUint32(secByOutput, uint32(row))
	}
	for i, node := range w.at.made {
		w.putUint32(secMade, uint32(node))
		w.putString(secMade, w.made[i].Role)
	}
}

func (w *writer) writeActions(b *builder) {
	var deps, made uint32
	for i := range b.actions {
		a := &b.actions[i]
		for _, v := range [...]uint32{uint32(w.at.source[i]), w.shared.ofAction[i], deps, made, w.content.source[i]} {
			w.putUint32(secActions, v)
		}
		w.sec[secActions] = append(w.sec[secActions], a.ID[:]...)
		w.putUint64(secActions, uint64(a.CookTime))
		made += uint32(len(a.Made))
		for _, d := range a.Deps {
			w.putString(secDeps, dependency.Encode(d.Asked()))
			w.putString(secDeps, d.seenKey())
			w.putUint32(secDeps, w.content.deps[deps])
			deps++
			found := uint32(0)
			if d.Found {
				found = 1
			}
			w.putUint32(secDeps, found)
		}
	}
}

func (w *writer) putUint32(s int, v uint32) { w.sec[s] = binary.LittleEndian.AppendUint32(w.sec[s], v) }
func (w *writer) putUint64(s int, v uint64) { w.sec[s] = binary.LittleEndian.AppendUint64(w.sec[s], v) }

func (w *writer) putString(s int, text string) {
	at, ok := w.known[text]
	if !ok {
		at = len(w.sec[secStrings])
		w.putUint32(secStrings, uint32(len(text)))
		w.sec[secStrings] = append(w.sec[secStrings], text...)
		w.known[text] = at
	}
	w.putUint32(s, uint32(at))
}

func (w *writer) appendName(name string) (offset uint32) {
	offset = uint32(len(w.sec[secNames]))
	w.sec[secNames] = append(append(w.sec[secNames], name...), 0)
	return offset
}

// putFolderName writes a reference to a path. All directories with the path share it.
func (w *writer) putFolderName(path string) {
	offset, ok := w.names[path]
	if !ok {
		offset = w.appendName(path)
		w.names[path] = offset
	}
	w.putUint32(secFolders, offset)
	w.putUint32(secFolders, uint32(len(path)))
}

// reserveSections allocates the file, with room for each section except the strings. Their size is
// known only after they were written, so they come last.
func (w *writer) reserveSections(b *builder) []byte {
	var rows [sectionCount]int
	rows[secFolders], rows[secNodes], rows[secContents] = len(w.list), len(w.nodes), w.content.count
	paths := map[string]bool{}
	for i := range w.list {
		for _, path := range [...]string{w.list[i].path, w.list[i].real} {
			if !paths[path] {
				paths[path] = true
				rows[secNames] += len(path) + 1
			}
		}
	}
	for i := range w.nodes {
		if n := &w.nodes[i]; !w.hasNameOfSource(n) {
			_, name := splitSlash(w.pathOfNode(n))
			rows[secNames] += len(name) + 1
		}
	}
	rows[secByPath], rows[secByOutput], rows[secMade] = len(w.files), len(w.made), len(w.made)
	for i := range w.files {
		if w.files[i].Role == Config {
			rows[secConfigs]++
		}
	}
	rows[secActions], rows[secShared], rows[secDeps] = len(b.actions), len(w.shared.list), len(w.content.deps)
	reasons := 0
	for i := range w.shared.list {
		reasons += len(w.shared.list[i].why)
	}
	rows[secMethods] = len(w.shared.methods.list)
	for _, m := range w.shared.methods.list {
		rows[secFields] += len(m)
	}
	size := headerSize
	for s := range secStrings {
		size += rows[s] * rowSize[s]
	}
	texts := reasons + blockSize // room for all strings
	seals := (blockCount(size+texts-headerSize) + 1) * sealSize
	out := make([]byte, size, size+texts+seals)
	at := headerSize
	for s := range secStrings {
		end := at + rows[s]*rowSize[s]
		w.sec[s] = out[at:at:end]
		at = end
	}
	return out
}

// finishIndex completes the file that reserveSections has allocated.
func (w *writer) finishIndex(out []byte, checksum string) []byte {
	for s := range secStrings {
		if len(w.sec[s]) != cap(w.sec[s]) {
			panic(fmt.Sprintf("index: section %d has %d bytes, but %d bytes were reserved", s, len(w.sec[s]), cap(w.sec[s])))
		}
	}
	out = append(out, w.sec[secStrings]...)
	le := binary.LittleEndian
	head := append(out[:0], magic[:]...)
	head = le.AppendUint32(head, Version)
	head = le.AppendUint32(head, 0)
	name := [nameSize]byte{}
	copy(name[:], checksum)
	head = append(head, name[:]...)
	at := headerSize
	for s, sec := range w.sec {
		if int64(len(sec)/rowSize[s]) >= math.MaxUint32 {
			panic(fmt.Sprintf("index: too many rows, %d, in section %d", len(sec)/rowSize[s], s))
		}
		head = le.AppendUint64(head, uint64(at))
		head = le.AppendUint64(head, uint64(len(sec)/rowSize[s]))
		at += len(sec)
	}
	out = appendSeals(out, out[headerSize:])
	sum := seal(out[at:])
	copy(out[len(head):], sum[:])
	sum = seal(out[:headerEnd])
	copy(out[headerEnd:], sum[:])
	return out
}
