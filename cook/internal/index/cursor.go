package index

import (
	"strings"

	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/dependency"
)

// A Folder is a directory in an Index. The Index has every directory that the scan listed, and
// every directory with nodes. A Folder is valid as long as its Index.
type Folder struct {
	Ref   FolderRef
	Tree  Tree
	Stamp scan.Stamp
	// Listed is set if the scan listed the directory and the index has every file in it. Usable is
	// set if an unchanged stamp proves an unchanged listing.
	Listed, Usable bool
	Odd            bool // set if an equal stamp does not prove an equal listing

	x          *flat
	row        folderRow
	node       Ref // index of the first node in base, or in the changes if fromChange is set
	fromChange bool
}

// Folders returns the number of directories. Every FolderRef is less than this number. Some
// directories may have no nodes.
func (x *Index) Folders() int { return x.base.folders().len() + x.over.folders().len() }

// Nodes returns the number of nodes, including deleted ones.
func (x *Index) Nodes() int { return x.base.nodes().len() + x.over.nodes().len() }

// Folder decodes a directory.
func (x *Index) Folder(ref FolderRef) Folder {
	part, row := folderPart(x, ref)
	f := Folder{Ref: ref, x: x.parts()[part], fromChange: part == 1}
	if part == 1 {
		f.node = Ref(x.base.nodes().len())
	}
	f.row = f.x.folders().decodeFolder(row)
	f.Tree, f.Stamp, f.Odd = f.row.Tree, f.row.Stamp, f.row.Odd
	f.Listed, f.Usable = f.row.Listed && !f.row.Dead, f.row.Usable && !f.row.Dead
	return f
}

// FindFolder finds a directory of the asset tree that the scan listed.
func (x *Index) FindFolder(path string) (f Folder, ok bool) {
	part, row, ok := findListed(x, slashed(path))
	if !ok {
		return Folder{}, false
	}
	return x.Folder(folderRef(x, part, row)), true
}

func folderPart(x *Index, ref FolderRef) (part, row int) {
	if n := x.base.folders().len(); int(ref) >= n {
		return 1, int(ref) - n
	}
	return 0, int(ref)
}

func folderRef(x *Index, part, row int) FolderRef {
	if part == 1 {
		row += x.base.folders().len()
	}
	return FolderRef(row)
}

func nodePart(x *Index, ref Ref) (part, row int) {
	if n := x.base.nodes().len(); int(ref) >= n {
		return 1, int(ref) - n
	}
	return 0, int(ref)
}

// Path returns the directory's path in the scan, as in scan.Folder. For a directory of the system,
// it is the absolute name.
func (f *Folder) Path() string { return unslashed(f.row.Path) }

// Real returns the directory's path with links resolved, as in scan.Folder.
func (f *Folder) Real() string { return unslashed(f.row.Real) }

// RealName returns the path Real without copying it. It has a trailing slash and a final NUL, as
// system calls require.
func (f *Folder) RealName() []byte { return f.row.real }

// unslashed removes the trailing slash of a directory's path.
func unslashed(path []byte) string {
	if len(path) == 1 {
		return string(path) // the path is the root of the system
	}
	return strings.TrimSuffix(string(path), "/")
}

// Len returns the number of nodes in the directory.
func (f *Folder) Len() int { return f.row.Count }

// FromChanges reports whether the directory comes from the changes file. Such a directory has only
// the added nodes.
func (f *Folder) FromChanges() bool { return f.fromChange }

// A Node has the arguments of stat for a file, and the stamp of the last run.
type Node struct {
	Ref     Ref
	Name    []byte // name in the directory, with a NUL at the end; shares memory with the index
	Role    Role
	Stamp   scan.Stamp
	Settled bool
}

// Node decodes the i-th node of a directory. ok is false if the node was deleted.
func (f *Folder) Node(i int) (Node, bool) {
	row := f.row.First + i
	p := f.x.nodes().probeNode(row)
	if p.Idle() {
		return Node{}, false
	}
	return Node{Ref: f.node + Ref(row), Name: p.Name, Role: p.Role, Stamp: p.Stamp, Settled: p.Settled}, true
}

// Follow reports whether stat should follow links. Dependencies may be links to files, but sources
// and outputs must not be links.
func (n *Node) Follow() bool { return n.Role == Other || n.Role == Absent }

// NodeBytes is the approximate size of a node in the index, including its name.
const NodeBytes = nodeSize + 16

// Node decodes a node.
func (x *Index) Node(ref Ref) Node {
	part, row := nodePart(x, ref)
	p := x.parts()[part].nodes().probeNode(row)
	return Node{Ref: ref, Name: p.Name, Role: p.Role, Stamp: p.Stamp, Settled: p.Settled}
}

// FolderOf returns the directory of a node.
func (x *Index) FolderOf(ref Ref) FolderRef {
	part, row := nodePart(x, ref)
	return folderRef(x, part, x.parts()[part].nodes().folderRowOf(row))
}

// Path returns the path of a node. The path of an artifact is in the output directory. Any other
// path is in the asset tree, or absolute.
func (x *Index) Path(ref Ref) string {
	part, row := nodePart(x, ref)
	return x.parts()[part].nodes().nodePath(row)
}

// Dependency returns the dependency for a node: a file, a listing, a link or an extract. The node
// must not be an artifact.
func (x *Index) Dependency(ref Ref) dependency.Dependency { return mustDecode(x.Path(ref)) }

// Content returns the checksum and the blob ID that a node had in the last run. It does not need
// Load.
func (x *Index) Content(ref Ref) (hashing.Sum128, store.BlobID) {
	part, row := nodePart(x, ref)
	return x.parts()[part].nodes().nodeContent(row)
}

// Source returns the source of the action that made an artifact.
func (r Results) Source(ref Ref) string {
	table, action := madeBy(r.x, ref)
	return table.sourcePath(action)
}

// Target returns the target of the action that made an artifact.
func (r Results) Target(ref Ref) string {
	table, action := madeBy(r.x, ref)
	return table.factsOf(action).target
}

// madeBy returns the table and the row of the action that made an artifact.
func madeBy(x *Index, artifact Ref) (table actionTable, row int) {
	part, node := nodePart(x, artifact)
	table = x.parts()[part].actions()
	row, _ = table.x.nodes().actionOfNode(node)
	return table, row
}

// Find finds a file and its node.
func (v Files) Find(path string) (ref Ref, f File, ok bool) {
	l := v.x
	if f, ok := l.added.files[path]; ok {
		row, ok := l.over.files().findFileRow(path)
		if !ok {
			return 0, File{}, false // an edit has added the file, so it has no node yet
		}
		return Ref(l.base.nodes().len() + l.over.refAtRow(secByPath, row)), f, true
	}
	if node, ok := l.Files().baseNode(path); ok {
		return Ref(node), l.base.nodes().decodeFileNode(node), true
	}
	return 0, File{}, false
}
