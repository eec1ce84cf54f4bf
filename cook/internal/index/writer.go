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

// A nodeIn is a node on its way into its folder's place.
type nodeIn struct {
	folder int // as numbered by their coming, later by their order
	role   Role
	name   string
	file   *File     // nil for an artifact, for what is absent, and for a ghost
	made   *Artifact // nil for all others
	action uint32
	after  int // what the node is for: its place in files, or in made
}

func (n *nodeIn) inode() uint64 {
	switch {
	case n.file != nil:
		return n.file.Stamp.Inode
	case n.made != nil:
		return n.made.Stamp.Inode
	}
	return 0
}

// known is what is known of the node's file.
func (n *nodeIn) known() File {
	switch {
	case n.file != nil:
		return *n.file
	case n.made != nil:
		return File{Stamp: n.made.Stamp, Settled: n.made.Settled, Sum: n.made.Sum, Blob: n.made.Blob}
	}
	return File{}
}

// A writer collects the sections.
type writer struct {
	sec     [sectionCount][]byte
	known   map[string]int // offsets of strings already written
	folders map[folderKey]int
	list    []folderIn
	nodes   []nodeIn
	methods methodRows

	fileNode, madeNode, sourceNode []int // nodes of the files, artifacts and actions
}

func (w *writer) addFolders(folders []folderIn) {
	for _, f := range folders {
		w.list[w.folder(f.folderKey)] = f
	}
}

func (w *writer) folder(key folderKey) int {
	i, ok := w.folders[key]
	if !ok {
		i = len(w.list)
		w.folders[key] = i
		w.list = append(w.list, folderIn{folderKey: key, real: key.path})
	}
	return i
}

// collect makes a node of everything that has a path.
func (w *writer) collect(b *builder) {
	made := 0
	for i := range b.actions {
		made += len(b.actions[i].Made)
	}
	w.nodes = make([]nodeIn, 0, len(b.files)+made)
	lastKey, last := folderKey{}, -1
	add := func(tree Tree, path string, n nodeIn) {
		folder, name := splitPath(path)
		if key := (folderKey{tree, folder}); last < 0 || key != lastKey {
			lastKey, last = key, w.folder(key)
		}
		n.folder, n.name = last, name
		w.nodes = append(w.nodes, n)
	}
	for i := range b.files {
		f := &b.files[i]
		add(treeOf(f.Path), f.Path, nodeIn{role: f.Role, file: f, action: noAction, after: i})
	}
	absent := b.absent
	if absent == nil {
		absent = map[string]bool{}
		for i := range b.actions {
			for _, d := range b.actions[i].Deps {
				if _, there := b.file(d.Path); !d.Found && !there {
					absent[d.Path] = true
				}
			}
		}
	}
	for _, path := range slices.Sorted(maps.Keys(absent)) {
		add(Assets, path, nodeIn{role: Absent, action: noAction, after: -1})
	}
	next := 0
	for i := range b.actions {
		a := &b.actions[i]
		for k := range a.Made {
			add(Out, a.Made[k].Path, nodeIn{role: Made, made: &a.Made[k], action: uint32(i), after: next})
			next++
		}
	}
	// Sources come last: each is a file, or becomes a ghost.
	w.sourceNode = make([]int, len(b.actions))
	for i := range b.actions {
		a := &b.actions[i]
		switch at, there := b.file(a.Path); {
		case i > 0 && b.actions[i-1].Path == a.Path:
			w.sourceNode[i] = w.sourceNode[i-1]
		case there:
			w.nodes[at].action = uint32(i) // files came first, in their order
			w.sourceNode[i] = at
		default:
			w.sourceNode[i] = len(w.nodes)
			add(Assets, a.Path, nodeIn{role: ghost, action: uint32(i), after: -1})
		}
	}
}

// placeNodes writes folders, nodes, names and contents.
func (w *writer) placeNodes(b *builder) {
	order := make([]int, len(w.list))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		return cmp.Or(cmp.Compare(w.list[i].tree, w.list[j].tree), cmp.Compare(w.list[i].path, w.list[j].path))
	})
	rank := make([]int, len(order))
	for at, i := range order {
		rank[i] = at
	}
	perm := make([]int, len(w.nodes))
	for i := range perm {
		perm[i] = i
		w.nodes[i].folder = rank[w.nodes[i].folder]
	}
	slices.SortFunc(perm, func(i, j int) int {
		a, b := &w.nodes[i], &w.nodes[j]
		return cmp.Or(cmp.Compare(a.folder, b.folder), cmp.Compare(a.inode(), b.inode()),
			cmp.Compare(a.name, b.name), cmp.Compare(i, j))
	})
	place := make([]int, len(perm))
	w.fileNode = make([]int, len(b.files))
	w.madeNode = make([]int, len(w.nodes)) // more than there are artifacts
	w.sec[secNodes] = make([]byte, 0, len(perm)*nodeSize)
	w.sec[secContents] = make([]byte, 0, len(perm)*contentSize)
	for at, i := range perm {
		n := &w.nodes[i]
		place[i] = at
		f := &w.list[order[n.folder]]
		if f.count == 0 {
			f.first = at
		}
		f.count++
		switch {
		case n.role == Made:
			w.madeNode[n.after] = at
		case n.after >= 0:
			w.fileNode[n.after] = at
		}
		w.name(secNodes, n.name)
		known := n.known()
		flags := uint32(n.role)
		if known.Settled {
			flags |= nodeSettled
		}
		w.u32(secNodes, flags)
		w.u32(secNodes, uint32(n.folder))
		w.u32(secNodes, n.action)
		w.sec[secNodes] = appendStamp(w.sec[secNodes], known.Stamp)
		w.sec[secContents] = appendContent(w.sec[secContents], known.Sum, known.Blob)
	}
	for i, n := range w.sourceNode {
		w.sourceNode[i] = place[n]
	}
	w.putFolders(order)
}

// putFolders writes the folders in an order.
func (w *writer) putFolders(order []int) {
	next := 0
	for at, i := range order {
		f := &w.list[i]
		if f.count == 0 {
			f.first = next
		}
		next = f.first + f.count
		end := at + 1
		for end < len(order) && w.list[order[end]].tree == f.tree && strings.HasPrefix(w.list[order[end]].path, f.path) {
			end++ // as often as a path has slashes
		}
		w.name(secFolders, f.path)
		w.name(secFolders, f.real)
		w.u32(secFolders, f.flags|uint32(f.tree))
		for _, v := range [...]int{end, f.first, f.count} {
			w.u32(secFolders, uint32(v))
		}
		w.sec[secFolders] = appendStamp(w.sec[secFolders], f.stamp)
		w.u32(secFolders, 0)
	}
}

// byPath writes the orders by path.
func (w *writer) byPath(b *builder) {
	for i, node := range w.fileNode {
		w.u32(secByPath, uint32(node)) // the files are sorted
		if b.files[i].Role == Config {
			w.u32(secConfigs, uint32(node))
		}
	}
	type output struct {
		path string
		row  int
	}
	var outputs []output
	for i := range b.actions {
		for _, m := range b.actions[i].Made {
			outputs = append(outputs, output{m.Path, len(outputs)})
		}
	}
	slices.SortFunc(outputs, func(x, y output) int { return cmp.Or(cmp.Compare(x.path, y.path), cmp.Compare(x.row, y.row)) })
	for _, o := range outputs {
		w.u32(secByOutput, uint32(o.row))
	}
	for row := range outputs {
		w.u32(secMade, uint32(w.madeNode[row]))
	}
}

func (w *writer) actions(b *builder) {
	w.sec[secActions] = make([]byte, 0, len(b.actions)*actionSize)
	var deps, made uint32
	for i := range b.actions {
		a := &b.actions[i]
		flags := 0
		if a.Warned {
			flags = actionWarned
		}
		for _, v := range [...]int{w.sourceNode[i], int(a.State), w.methods.row(a.Method), len(a.Deps), len(a.Made), flags} {
			w.u32(secActions, uint32(v))
		}
		w.u32(secActions, deps)
		w.u32(secActions, made)
		for _, s := range [...]string{a.Target, a.Decision.Outcome, a.Decision.Why} {
			w.str(secActions, s)
		}
		w.sec[secActions] = append(append(w.sec[secActions], a.ID[:]...), a.Source[:]...)
		w.u64(secActions, uint64(a.CookTime))
		w.u64(secActions, uint64(a.Decision.At.UnixNano()))
		deps, made = deps+uint32(len(a.Deps)), made+uint32(len(a.Made))
		for _, d := range a.Deps {
			w.str(secDeps, d.Name)
			w.str(secDeps, d.Path)
			w.sec[secDeps] = append(w.sec[secDeps], d.Blob[:]...)
			found := uint32(0)
			if d.Found {
				found = 1
			}
			w.u32(secDeps, found)
		}
	}
}

func (w *writer) u32(s int, v uint32) { w.sec[s] = binary.LittleEndian.AppendUint32(w.sec[s], v) }
func (w *writer) u64(s int, v uint64) { w.sec[s] = binary.LittleEndian.AppendUint64(w.sec[s], v) }

func (w *writer) str(s int, text string) {
	at, ok := w.known[text]
	if !ok {
		at = len(w.sec[secStrings])
		w.sec[secStrings] = append(w.sec[secStrings], text...)
		w.known[text] = at
	}
	w.u32(s, uint32(at))
	w.u32(s, uint32(len(text)))
}

func (w *writer) name(s int, text string) {
	w.u32(s, uint32(len(w.sec[secNames])))
	w.u32(s, uint32(len(text)))
	w.sec[secNames] = append(append(w.sec[secNames], text...), 0)
}

func (w *writer) finish(b *builder) []byte {
	size := headerSize
	for s, sec := range w.sec {
		size += len(sec)
		if int64(len(sec)/rowSize[s]) >= math.MaxUint32 {
			panic(fmt.Sprintf("index: %d rows in section %d", len(sec)/rowSize[s], s))
		}
	}
	le := binary.LittleEndian
	out := make([]byte, 0, size+blocks(size-headerSize)*sealSize)
	out = append(out, magic[:]...)
	out = le.AppendUint32(out, Version)
	out = le.AppendUint32(out, 0)
	name := [nameSize]byte{}
	copy(name[:], b.checksum)
	out = append(out, name[:]...)
	at := headerSize
	for s, sec := range w.sec {
		out = le.AppendUint64(out, uint64(at))
		out = le.AppendUint64(out, uint64(len(sec)/rowSize[s]))
		at += len(sec)
	}
	head := len(out)
	out = out[:headerSize]
	for s, sec := range w.sec {
		out = append(out, sec...)
		w.sec[s] = nil // not all of them twice in memory
	}
	out = appendSeals(out, out[headerSize:])
	sum := seal(out[at:])
	copy(out[head:], sum[:])
	sum = seal(out[:headerEnd])
	copy(out[headerEnd:], sum[:])
	return out
}
