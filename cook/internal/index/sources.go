package index

import (
	"bytes"

	"github.com/assetcook/assetcook/cook/internal/store"
)

// StoredRows returns the number of actions in the flat file, including replaced ones. Row.MoveTo reads
// them.
func (r Results) StoredRows() int { return r.x.base.actions().len() }

// NewRow returns a row for calls of MoveTo. Load must have succeeded, and the index must not have
// been edited.
func (r Results) NewRow() *Row { return &Row{x: r.x} }

// MoveTo moves the row to action i of the flat file, and returns the row.
func (r *Row) MoveTo(i int) *Row { return r.rowAt(0, i) }

// CountDeps returns the number of dependencies.
func (r *Row) CountDeps() (n int) {
	_, n = r.flat.actions().depRange(r.at)
	return n
}

// ActionID returns the ID of the action.
func (r *Row) ActionID() store.ActionID { return store.ActionID(r.row[actionIDAt:]) }

// CookedSource returns the content of the source that was cooked.
func (r *Row) CookedSource() (blob store.BlobID) {
	_, blob = r.flat.contentAt(r.row[actionSourceAt:])
	return blob
}

// ArtifactRole returns the use of the k-th artifact; see Artifact.
func (r *Row) ArtifactRole(k int) string {
	return string(r.flat.stringAt(r.flat.row(secMade, r.u32(actionMadeAt)+k)[madeRoleAt:]))
}

// ArtifactPath returns the path of the k-th artifact.
func (r *Row) ArtifactPath(k int) string { return r.flat.nodes().nodePath(r.artifactNode(k)) }

// ArtifactContent returns the size and the content of the k-th artifact.
func (r *Row) ArtifactContent(k int) (size int64, blob store.BlobID) {
	node := r.artifactNode(k)
	_, blob = r.flat.nodes().nodeContent(node)
	return r.flat.nodes().sizeOfNode(node), blob
}

// RowBytes is the approximate size of an action in the index, with its source and one artifact.
const RowBytes = actionSize + 2*(NodeBytes+contentSize)

// A SourceFinder finds the sources in one directory of the asset tree. It is fastest if they are
// requested in the order of their names.
type SourceFinder struct {
	x      *Index
	folder string // path that ends in a slash; "" for the root
	next   int
	found  int
}

// passedFinds is the number of sources or outputs that are found between two calls of Passed.
const passedFinds = 64

// SourcesIn returns a SourceFinder for a directory. Load must have succeeded, and the index must not
// have been edited.
func (r Results) SourcesIn(directory string) *SourceFinder {
	return &SourceFinder{x: r.x, folder: slashed(directory)}
}

// FindStored returns the range of the actions of a source in the flat file. The range is empty for an
// unknown source, and for a source with an action in the changes file.
func (f *SourceFinder) FindStored(name string) (first, end int) {
	t := f.x.base.actions()
	first = f.next
	if !f.isRowOf(first, name) {
		if first, _ = t.findActionRow(f.folder+name, ""); !f.isRowOf(first, name) {
			return 0, 0
		}
	}
	node := t.sourceNode(first)
	replaced := len(f.x.added.actions) > 0 && len(f.x.added.actions[f.folder+name]) > 0
	for end = first; end < t.len() && t.sourceNode(end) == node; end++ {
		replaced = replaced || f.x.marks.deadActions.hasRow(end)
	}
	f.next = end
	if f.found++; f.found%passedFinds == 0 {
		f.x.Passed(passedFinds * (actionSize + NodeBytes))
	}
	if replaced {
		return 0, 0
	}
	return first, end
}

// isRowOf reports whether action i belongs to the source with the given name.
func (f *SourceFinder) isRowOf(i int, name string) bool {
	t := f.x.base.actions()
	if i >= t.len() {
		return false
	}
	folder, base := f.x.base.nodes().folderAndName(t.sourceNode(i))
	return string(base) == name && string(folder) == f.folder
}

// EachReplaced calls do for the source of each action that the changes file adds or replaces. It may
// call do several times for a source.
func (r Results) EachReplaced(do func(source string)) {
	r.x.marks.deadActions.eachSetRow(func(i int) { do(r.x.base.actions().sourcePath(i)) })
	r.x.added.eachAdded(func(a *Action) { do(a.Path) })
}

// ReachedByLink reports whether a link leads to the directory.
func (f *Folder) ReachedByLink() bool { return !bytes.Equal(f.row.Path, f.row.Real) }

// Outputs finds the outputs in an index by their paths. It is fastest if they are requested in the
// order of their paths. Load must have succeeded, and the index must not have been edited.
type Outputs struct {
	x    *Index
	next int
	asks int
}

// NumberedOutputs returns the outputs of all actions.
func (r Results) NumberedOutputs() *Outputs { return &Outputs{x: r.x} }

// CountOutputs returns the number of outputs, including replaced ones.
func (o *Outputs) CountOutputs() int {
	return o.x.base.sections[secByOutput].count + o.x.over.sections[secByOutput].count
}

// OutputAt returns the path of output i. ok is false if the output was replaced.
func (o *Outputs) OutputAt(i int) (path string, ok bool) {
	part, row := o.locateOutput(i)
	if node, alive := o.nodeOfOutput(part, row); alive {
		return part.nodes().nodePath(node), true
	}
	return "", false
}

// FindOutputAt returns the number of the output with a path.
func (o *Outputs) FindOutputAt(path string) (i int, ok bool) {
	if o.asks++; o.asks%passedFinds == 0 {
		o.x.Passed(passedFinds * NodeBytes)
	}
	if o.isOutputAt(o.next, path) {
		o.next++
		return o.next - 1, true
	}
	for n, part := range o.x.parts() {
		at, _ := part.artifacts().findOutput(path)
		if n == 1 {
			at += o.x.base.sections[secByOutput].count
		}
		// Several actions may have made a file with this path, but the changes file replaced others.
		for ; at < o.CountOutputs() && o.equalsOutputPath(at, path); at++ {
			if o.isOutputAt(at, path) {
				o.next = at + 1
				return at, true
			}
		}
	}
	return 0, false
}

// isOutputAt reports whether output i has the given path and was not replaced.
func (o *Outputs) isOutputAt(i int, path string) bool {
	if i >= o.CountOutputs() || !o.equalsOutputPath(i, path) {
		return false
	}
	_, alive := o.nodeOfOutput(o.locateOutput(i))
	return alive
}

func (o *Outputs) equalsOutputPath(i int, path string) bool {
	part, row := o.locateOutput(i)
	return part.nodes().comparePath(part.refAtRow(secMade, part.refAtRow(secByOutput, row)), path) == 0
}

// locateOutput returns the part of the index that holds output i, and the row in the order of paths.
func (o *Outputs) locateOutput(i int) (part *flat, row int) {
	if n := o.x.base.sections[secByOutput].count; i >= n {
		return o.x.over, i - n
	}
	return o.x.base, i
}

// nodeOfOutput returns the node of an output. alive is false if the changes file replaced its action.
func (o *Outputs) nodeOfOutput(part *flat, row int) (node int, alive bool) {
	made := part.refAtRow(secByOutput, row)
	node = part.refAtRow(secMade, made)
	if part == o.x.over || o.x.marks.deadActions.n == 0 {
		return node, true
	}
	return node, !o.x.marks.deadActions.hasRow(part.artifacts().actionOfArtifact(made))
}

// SourceNode returns the node of the source. Rows of the flat file have the same node if they have the
// same source.
func (r *Row) SourceNode() Ref { return r.refOf(r.u32(0)) }

// SourceFolder returns the directory of the source.
func (r *Row) SourceFolder() FolderRef { return r.x.FolderOf(r.SourceNode()) }
