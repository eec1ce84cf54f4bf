package index

import (
	"strings"

	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/dependency"
)

// A Folder is a directory that has nodes, or that the scan listed. It is valid as long as its Index
// is.
type Folder struct {
	Ref   FolderRef
	Tree  Tree
	Stamp scan.Stamp
	// Listed is set if the scan listed the directory and every file in it is in the index. Usable
	// is set if an unchanged stamp proves an unchanged listing.
	Listed, Usable bool
	Odd            bool // see scan.Folder

	x          *flat
	row        folderRow
	node       Ref // first node of the part, base or changes
	fromChange bool
}

// Folders returns the number of directories. A FolderRef is a number below it. Some directories may
// no longer have nodes.
func (x *Index) Folders() int { return x.base.folders().len() + x.over.folders().len() }

// Nodes returns an upper bound for the number of nodes.
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

// Path returns the path under which the scan met the directory, as in scan.Folder; for a
// directory of the system, its absolute name.
func (f *Folder) Path() string { return unslashed(f.row.Path) }

// Real returns the directory's path with links resolved, as in scan.Folder.
func (f *Folder) Real() string { return unslashed(f.row.Real) }

// RealName returns the path Real without copying it. It has a trailing slash and a final NUL, as
// system calls require.
func (f *Folder) RealName() []byte { return f.row.real }

// unslashed removes the trailing slash of a directory's path.
func unslashed(path []byte) string {
	if len(path) == 1 {
		return string(path) // the root of the system
	}
	return strings.TrimSuffix(string(path), "/")
}

// Len returns the number of nodes in the directory.
func (f *Folder) Len() int { return f.row.Count }

// FromChanges reports whether the directory belongs to the changes. Such a directory holds only
// the nodes that the changes add to a directory of the flat file.
func (f *Folder) FromChanges() bool { return f.fromChange }

// A Node holds the arguments of stat for a file, and the result of the last stat.
type Node struct {
	Ref     Ref
	Name    []byte // name in its directory, ending in NUL; memory of the index
	Role    Role
	Stamp   scan.Stamp
	Settled bool
}

// Node decodes the i-th node of a directory; ok is false if the node is dead.
func (f *Folder) Node(i int) (Node, bool) {
	row := f.row.First + i
	p := f.x.nodes().probeNode(row)
	if p.Idle() {
		return Node{}, false
	}
	return Node{Ref: f.node + Ref(row), Name: p.Name, Role: p.Role, Stamp: p.Stamp, Settled: p.Settled}, true
}

// Follow reports whether stat should follow links. For a dependency, the link's target counts;
// sources and outputs must not be links.
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

// Path returns the path of a node: for an artifact, in the output directory; otherwise in the
// asset tree or absolute.
func (x *Index) Path(ref Ref) string {
	part, row := nodePart(x, ref)
	return x.parts()[part].nodes().nodePath(row)
}

// Dependency returns the dependency that belongs to a node: on a file, a listing, a link or an
// extract. The node must not be an artifact.
func (x *Index) Dependency(ref Ref) dependency.Dependency { return mustDecode(x.Path(ref)) }

// Content returns the checksum and the blob ID that a node had. It does not need Load.
func (x *Index) Content(ref Ref) (hashing.Sum128, store.BlobID) {
	part, row := nodePart(x, ref)
	if part == 0 && !x.loaded {
		if patch, ok := x.contents[row]; ok {
			return decodeContent(patch)
		}
	}
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
	return string(table.actionTarget(action))
}

// madeBy returns the row of the action that made an artifact.
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
			return 0, File{}, false // the file was added by an edit in this run
		}
		return Ref(l.base.nodes().len() + l.over.refAtRow(secByPath, row)), f, true
	}
	if node, ok := l.Files().baseNode(path); ok {
		return Ref(node), l.base.nodes().decodeFileNode(node), true
	}
	return 0, File{}, false
}
