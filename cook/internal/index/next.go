package index

import (
	"bytes"
	"iter"

	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/dependency"
)

// A Next is the index for the next run, under construction. It is an edited copy of the last index
// or a new index.
type Next struct {
	last    *Index
	anew    *builder // nil if the last index is edited
	vouched vouching // used for a new index only
}

// Anew begins a new index without the contents of x.
func (x *Index) Anew(checksum string) *Next { return &Next{last: x, anew: newIndexBuilder(checksum)} }

// Edit begins the next index with the contents of x. Afterwards, use x only to look up references.
// Load must have succeeded.
func (x *Index) Edit() *Next {
	x.memory.give = nil // released memory would lose the edits
	return &Next{last: x}
}

// IsAnew reports whether the index was begun with Anew.
func (n *Next) IsAnew() bool { return n.anew != nil }

// Vouch records that the index is current for the listed targets, and the fingerprint of their
// runs. It cannot add a target to an edited index.
func (n *Next) Vouch(fingerprint hashing.Digest, list []Vouch) {
	n.vouched = newVouching(fingerprint, list)
	if n.anew == nil {
		editor{n.last}.replaceVouches(n.vouched)
	}
}

// Grow makes room for more files.
func (n *Next) Grow(files int) {
	if n.anew != nil {
		n.anew.Grow(files, 0)
	}
}

// PutFile adds or replaces a file.
func (n *Next) PutFile(f File) {
	if n.anew != nil {
		n.anew.AddFile(f)
		return
	}
	editor{n.last}.putFileRecord(f)
}

// PutPart adds or replaces the record of a listing, a link or an extract.
func (n *Next) PutPart(on dependency.Dependency, f File) {
	f.Path = dependency.Encode(on)
	n.PutFile(f)
}

// PutAction adds an action. The index must not have an action for its source and target.
func (n *Next) PutAction(a Action) {
	if n.anew != nil {
		n.anew.AddAction(a)
		return
	}
	editor{n.last}.insertAction(a)
}

// PutActions adds a list of actions. A new index keeps the list and may sort it.
func (n *Next) PutActions(list []Action) {
	if n.anew != nil {
		n.anew.AddActions(list)
		return
	}
	for i := range list {
		editor{n.last}.insertAction(list[i])
	}
}

// PutFolder adds or replaces a directory that was listed. settled reports whether its stamp can be
// trusted.
func (n *Next) PutFolder(f scan.Folder, settled bool) {
	if n.anew != nil {
		n.anew.AddFolder(f, settled)
		return
	}
	l := n.last
	part, row, ok := findListed(l, slashed(f.Path))
	if ok && string(l.parts()[part].folders().decodeFolder(row).Real) == slashed(f.Real) {
		editor{l}.restampFolder(part, row, f.Stamp, settled, f.Odd)
		return
	}
	if ok {
		editor{l}.forgetFolder(part, row)
	}
	editor{l}.insertFolder(f, settled)
}

// DropFile drops a file.
func (n *Next) DropFile(path string) {
	if n.anew == nil {
		editor{n.last}.forgetFile(path)
	}
}

// DropActions drops the actions of a source.
func (n *Next) DropActions(source string) {
	if n.anew == nil {
		editor{n.last}.removeActions(source)
	}
}

// DropNode drops the file of a node of the edited index. Artifacts and absent paths are dropped
// with their actions instead.
func (n *Next) DropNode(ref Ref) {
	part, row := nodePart(n.last, ref)
	editor{n.last}.dropNodeFile(part, row)
}

// DropFolder drops a directory of the edited index, but keeps its files and subdirectories.
func (n *Next) DropFolder(ref FolderRef) {
	part, row := folderPart(n.last, ref)
	editor{n.last}.forgetFolder(part, row)
}

// Restamp sets the stamp that proves the content of a node of the edited index.
func (n *Next) Restamp(ref Ref, stamp scan.Stamp, settled bool) {
	part, row := nodePart(n.last, ref)
	editor{n.last}.restampNode(part, row, stamp, settled)
}

// RestampOutputs sets the stamp of an output directory whose files are all unchanged.
func (n *Next) RestampOutputs(ref FolderRef, stamp scan.Stamp, settled bool) {
	part, row := folderPart(n.last, ref)
	editor{n.last}.restampFolder(part, row, stamp, settled, false)
}

// Actions yields all actions, sorted by path and target.
func (n *Next) Actions() iter.Seq[*Action] {
	if n.anew == nil {
		return n.last.Results().Actions()
	}
	return func(yield func(*Action) bool) {
		list := n.anew.Actions()
		for i := range list {
			if !yield(&list[i]) {
				return
			}
		}
	}
}

// Edited reports whether the index differs from the last index. A new index always differs.
func (n *Next) Edited() bool { return n.anew != nil || n.last.edited }

// An Encoded index consists of the files to write: the flat file, and the changes file under the ID
// of the flat file.
type Encoded struct {
	Flat    []byte // nil if the existing file is kept
	Changes []byte
	ID      string
}

// Encode returns the files to write. ok is false if the files on disk are up to date. n must not be
// used afterwards. The result may share the mapped memory of the last index, so writing it may
// fault.
func (n *Next) Encode() (e Encoded, ok bool, err error) {
	l := n.last
	if n.anew != nil {
		data := n.anew.Bytes()
		x, err := openFlat(data)
		if err != nil {
			return Encoded{}, false, err
		}
		n.anew.countTotals(&n.vouched)
		if isPristine(l) && !isPatched(l) && bytes.Equal(data, l.base.data) && l.vouched.vouchesEqually(&n.vouched) {
			return Encoded{}, false, nil
		}
		return Encoded{Flat: data, Changes: noChanges(x, n.vouched), ID: x.ID()}, true, nil
	}
	if !l.edited {
		return Encoded{}, false, nil
	}
	if hasGrown(l) {
		x, changes := rewriteBase(l)
		return Encoded{Flat: x.data, Changes: changes, ID: x.ID()}, true, nil
	}
	return Encoded{Changes: encodeChanges(l), ID: l.base.ID()}, true, nil
}

// Index returns the new index without writing files.
func (n *Next) Index() (*Index, error) {
	data := n.anew.Bytes()
	x, err := openFlat(data)
	if err != nil {
		return nil, err
	}
	n.anew.countTotals(&n.vouched)
	opened, err := Open(data, noChanges(x, n.vouched))
	if err != nil {
		return nil, err
	}
	return opened, opened.Load()
}
