package index

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// The changes file:
//
//	magic, version, zero, the base's seal, identity
//	number of: patched nodes, patched directories, dead nodes, directories, actions; bytes of vouches
//	patched nodes: node, flags, stamp, content
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
	changesHeader  = changesListsAt + 6*4

	patchSize       = 4 + 4 + stampSize + contentSize
	patchFolderSize = 4 + 4 + stampSize
)

// SealSize is the size of the checksum at the end of a changes file. It covers the base as well.
const SealSize = sealSize

// noChanges returns the changes file that belongs to a new index. Every index has one: a missing
// changes file would otherwise lose changes unnoticed.
func noChanges(base *flat, v vouching) []byte {
	l := &live{base: base, over: &flat{}, vouched: v}
	return l.Changes()
}

// Changes returns the new contents of the changes file.
func (l *live) Changes() []byte {
	l.settleAbsent()
	le := binary.LittleEndian
	id := l.base.id()
	out := append([]byte(nil), changesMagic[:]...)
	out = le.AppendUint32(out, Version)
	out = le.AppendUint32(out, 0)
	out = append(out, id[:]...)
	out = append(out, l.vouched.identity[:]...)
	for _, set := range [...]*bitset{&l.patched, &l.patchedFolders, &l.deadNodes, &l.deadFolder, &l.deadActions} {
		out = le.AppendUint32(out, uint32(set.n))
	}
	vouches := l.vouched.append(nil)
	out = le.AppendUint32(out, uint32(len(vouches)))
	l.patched.each(func(node int) {
		r := l.base.row(secNodes, node)
		out = le.AppendUint32(out, uint32(node))
		out = append(out, r[nodeFlagsAt:nodeFlagsAt+4]...)
		out = append(out, r[nodeStampAt:nodeStampAt+stampSize]...)
		content, waits := l.contents[node]
		if l.loaded || !waits {
			content = l.base.row(secContents, node)
		}
		out = append(out, content...)
	})
	l.patchedFolders.each(func(row int) {
		r := l.base.row(secFolders, row)
		out = le.AppendUint32(out, uint32(row))
		out = append(out, r[folderFlagsAt:folderFlagsAt+4]...)
		out = append(out, r[folderStampAt:folderStampAt+stampSize]...)
	})
	for _, set := range [...]*bitset{&l.deadNodes, &l.deadFolder, &l.deadActions} {
		set.each(func(row int) { out = le.AppendUint32(out, uint32(row)) })
	}
	out = append(out, vouches...)
	switch {
	case l.loaded:
		out = append(out, l.overBytes()...)
	case l.over.data != nil:
		out = append(out, l.over.data...)
	default:
		out = append(out, newBuilder(l.Checksum()).Bytes()...)
	}
	sum := seal(out)
	return append(out, sum[:]...)
}

// apply decodes a changes file and applies it to the base.
func (l *live) apply(data []byte) error {
	if len(data) < changesHeader+sealSize || !bytes.Equal(data[:len(changesMagic)], changesMagic[:]) {
		return fmt.Errorf("%w: cut short", ErrDamaged)
	}
	body := data[:len(data)-sealSize]
	if sum := seal(body); !bytes.Equal(sum[:], data[len(body):]) {
		return fmt.Errorf("%w: checksum does not match", ErrDamaged)
	}
	d := decoder{b: body[len(changesMagic):]}
	if v := d.u32(); v != Version {
		return fmt.Errorf("%w (format %d, this one reads %d)", ErrVersion, v, Version)
	}
	d.u32()
	if id := l.base.id(); !bytes.Equal(d.take(sealSize), id[:]) {
		return fmt.Errorf("%w: belong to another index", ErrDamaged)
	}
	copy(l.vouched.identity[:], d.take(32))
	var n [5]int
	need := 0
	for i, size := range [...]int{patchSize, patchFolderSize, 4, 4, 4} {
		n[i] = int(d.u32())
		need += n[i] * size
	}
	vouches := int(d.u32())
	if need+vouches > len(d.b) {
		return fmt.Errorf("%w: lists do not fit", ErrDamaged)
	}
	if err := l.applyLists(&d, n); err != nil {
		return err
	}
	err := l.vouched.decode(d.take(vouches))
	if err != nil {
		return err
	}
	l.over, err = openFlat(bytes.Clone(d.b))
	return err
}

// applyLists applies the lists of patched nodes and directories, and of dead nodes, directories
// and actions; n holds their lengths.
func (l *live) applyLists(d *decoder, n [5]int) error {
	row := func(s int) (int, error) {
		i := int(d.u32())
		if i >= l.base.sections[s].count {
			return 0, fmt.Errorf("%w: row %d of section %d", ErrDamaged, i, s)
		}
		return i, nil
	}
	l.contents = make(map[int][]byte, n[0])
	for range n[0] {
		node, err := row(secNodes)
		if err != nil {
			return err
		}
		settled := d.u32()&nodeSettled != 0
		l.base.setStamp(node, decodeStamp(d.take(stampSize)), settled)
		l.contents[node] = d.take(contentSize)
		l.patched.add(node)
	}
	for range n[1] {
		i, err := row(secFolders)
		if err != nil {
			return err
		}
		flags := d.u32() & (folderOdd | folderFresh | folderListed)
		l.base.setFolder(i, decodeStamp(d.take(stampSize)), flags)
		l.patchedFolders.add(i)
	}
	for range n[2] {
		node, err := row(secNodes)
		if err != nil {
			return err
		}
		l.markNode(node)
	}
	for range n[3] {
		i, err := row(secFolders)
		if err != nil {
			return err
		}
		l.deadFolder.add(i)
		l.markFolder(i)
	}
	for range n[4] {
		i, err := row(secActions)
		if err != nil {
			return err
		}
		l.deadActions.add(i)
	}
	return nil
}

// Grown reports whether the changes are large enough to write a new index.
func (l *live) Grown() bool {
	return l.patched.n*patchSize > max(256<<10, len(l.base.data)/64) || l.heavy()
}

// Rewrite returns a new index and its changes; the live must not be used afterwards. If only
// stamps and contents differ, they were already changed in place, so Rewrite only takes the time
// to write the bytes. It panics if Load has not succeeded.
func (l *live) Rewrite() (base *flat, changes []byte) {
	if !l.loaded {
		panic("index: rewritten before it was loaded")
	}
	if l.heavy() {
		x, err := l.Flat()
		if err != nil {
			panic("index: rewritten: " + err.Error())
		}
		return x, noChanges(x, l.vouched)
	}
	l.settleAbsent() // marks nodes
	// The patches become part of the base. Deleted rows and additions stay in the changes.
	patched, patchedFolders := l.patched, l.patchedFolders
	l.patched, l.patchedFolders = bitset{}, bitset{}
	l.deadNodes.each(func(node int) { l.base.mark(secNodes, node, nodeFlagsAt, nodeDead, false) })
	l.deadFolder.each(func(row int) { l.base.mark(secFolders, row, folderFlagsAt, folderDead, false) })
	data := l.base.data
	l.base.sealAgain(map[int]*bitset{secNodes: &patched, secContents: &patched, secFolders: &patchedFolders})
	sum := seal(l.base.seals)
	copy(data[sealsAt:], sum[:])
	sum = seal(data[:headerEnd])
	copy(data[headerEnd:], sum[:])
	return l.base, l.Changes()
}

// heavy reports whether so much was added or dropped that the base should be rebuilt.
func (l *live) heavy() bool {
	return l.deadNodes.n+l.deadActions.n+len(l.files)+len(l.actions) > l.weight
}
