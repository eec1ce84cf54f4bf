package index

import (
	"bytes"
	"iter"

	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/dependency"
)

// A Next is what the next run will know, in the making: either what was known with
// edits, or all anew.
type Next struct {
	last    *Index
	anew    *builder // nil for edits
	vouched vouching // by what is made anew
}

// Anew begins an index that has nothing of x in it.
func (x *Index) Anew(checksum string) *Next { return &Next{last: x, anew: newBuilder(checksum)} }

// Edit begins with what x knows, which from then on serves to look up refs and
// nothing else. Load must have succeeded.
func (x *Index) Edit() *Next {
	x.live.give = nil // what is edited must stay
	return &Next{last: x}
}

// IsAnew reports whether nothing is in it but what was put there.
func (n *Next) IsAnew() bool { return n.anew != nil }

// Vouch sets what the index vouches for: targets, as runs of a fingerprint cook them.
// Edits may only leave out targets.
func (n *Next) Vouch(fingerprint hashing.Digest, list []Vouch) {
	n.vouched = newVouching(fingerprint, list)
	if n.anew == nil {
		n.last.live.Vouch(n.vouched)
	}
}

// Grow makes room for so many files.
func (n *Next) Grow(files int) {
	if n.anew != nil {
		n.anew.Grow(files, 0)
	}
}

// PutFile adds a file or replaces what was known of it.
func (n *Next) PutFile(f File) {
	if n.anew != nil {
		n.anew.AddFile(f)
		return
	}
	n.last.live.PutFile(f)
}

// PutPart is PutFile for what is known of a listing, a link or an extract.
func (n *Next) PutPart(on dependency.Dependency, f File) {
	f.Path = dependency.Encode(on)
	n.PutFile(f)
}

// PutAction adds an action that is not there.
func (n *Next) PutAction(a Action) {
	if n.anew != nil {
		n.anew.AddAction(a)
		return
	}
	n.last.live.PutAction(a)
}

// PutActions is PutAction for a list. That of a new index is its own from then on, and
// may be sorted.
func (n *Next) PutActions(list []Action) {
	if n.anew != nil {
		n.anew.AddActions(list)
		return
	}
	for i := range list {
		n.last.live.PutAction(list[i])
	}
}

// PutFolder adds a folder that was listed, or replaces what was known of it. settled
// says that its stamp can be trusted.
func (n *Next) PutFolder(f scan.Folder, settled bool) {
	if n.anew != nil {
		n.anew.AddFolder(f, settled)
		return
	}
	l := n.last.live
	part, row, ok := l.FindFolder(slashed(f.Path))
	if ok && string(l.Parts()[part].Folder(row).Real) == slashed(f.Real) {
		l.RestampFolder(part, row, f.Stamp, settled, f.Odd)
		return
	}
	if ok {
		l.DropFolder(part, row)
	}
	l.AddFolder(f, settled)
}

// DropFile drops a file.
func (n *Next) DropFile(path string) {
	if n.anew == nil {
		n.last.live.DropFile(path)
	}
}

// DropActions drops the actions of a source.
func (n *Next) DropActions(source string) {
	if n.anew == nil {
		n.last.live.DropActions(source)
	}
}

// DropNode drops the file of a node of the index that the edits began with. Artifacts
// go with their action, and what is absent with the last action that depends on it.
func (n *Next) DropNode(ref Ref) {
	part, row := n.last.live.nodePart(ref)
	n.last.live.DropNode(part, row)
}

// DropFolder drops a folder of the index that the edits began with, but not its files
// nor the folders below it.
func (n *Next) DropFolder(ref FolderRef) {
	part, row := n.last.live.folderPart(ref)
	n.last.live.DropFolder(part, row)
}

// Restamp gives a node of the index that the edits began with the stamp that its
// content was found under.
func (n *Next) Restamp(ref Ref, stamp scan.Stamp, settled bool) {
	part, row := n.last.live.nodePart(ref)
	n.last.live.Restamp(part, row, stamp, settled)
}

// RestampOutputs gives a folder of outputs the stamp under which all in it were found
// unchanged.
func (n *Next) RestampOutputs(ref FolderRef, stamp scan.Stamp, settled bool) {
	part, row := n.last.live.folderPart(ref)
	n.last.live.RestampFolder(part, row, stamp, settled, false)
}

// Actions yields all actions, sorted by path and target.
func (n *Next) Actions() iter.Seq[*Action] {
	if n.anew == nil {
		return n.last.Actions()
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

// Edited reports whether anything was changed by edits. It is true of an index that
// is made anew.
func (n *Next) Edited() bool { return n.anew != nil || n.last.live.Edited() }

// An Encoded index is what is to be written: the flat file, if it has to be, and the
// changes that go with it, under the flat file's ID.
type Encoded struct {
	Flat    []byte // nil if the one that is there stays
	Changes []byte
	ID      string
}

// Encode returns what is to be written; ok is false if that is what the disk has
// already. Nothing can be done with n after that. What is encoded may lie in the memory
// of the last index, so that writing it may fault.
func (n *Next) Encode() (e Encoded, ok bool, err error) {
	l := n.last.live
	if n.anew != nil {
		data := n.anew.Bytes()
		x, err := openFlat(data)
		if err != nil {
			return Encoded{}, false, err
		}
		n.anew.count(&n.vouched)
		if l.pristine() && l.patched.n+l.patchedFolders.n == 0 && bytes.Equal(data, l.base.data) && l.vouched.equal(&n.vouched) {
			return Encoded{}, false, nil
		}
		return Encoded{Flat: data, Changes: noChanges(x, n.vouched), ID: x.ID()}, true, nil
	}
	if !l.Edited() {
		return Encoded{}, false, nil
	}
	if l.Grown() {
		x, changes := l.Rewrite()
		return Encoded{Flat: x.Bytes(), Changes: changes, ID: x.ID()}, true, nil
	}
	return Encoded{Changes: l.Changes(), ID: l.base.ID()}, true, nil
}

// Index returns what was made anew as an index, without a detour by the disk.
func (n *Next) Index() (*Index, error) {
	data := n.anew.Bytes()
	x, err := openFlat(data)
	if err != nil {
		return nil, err
	}
	n.anew.count(&n.vouched)
	opened, err := Open(data, noChanges(x, n.vouched))
	if err != nil {
		return nil, err
	}
	return opened, opened.Load()
}
