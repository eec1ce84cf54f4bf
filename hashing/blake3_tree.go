package hashing

import (
	"encoding/binary"

	"lukechampine.com/blake3/guts"
)

// Several cores sum a file along BLAKE3's tree: its leaves are chunks of 1 KiB, each parent
// hashes its two children, and a parent's left child is always a full tree, of the largest power
// of two of leaves that leaves some for the right. So a full block, whose size is a power of two,
// is a tree of its own, and only the last block may be ragged. See sections 2.1 and 5.1.2 of the
// paper.

func blake3Joints() *joints {
	return &joints{part: blake3Part, join: func() joiner { return new(blake3Tree) }}
}

// blake3Unit is how much the library hashes at once, 16 chunks side by side.
const blake3Unit = guts.MaxSIMD * guts.ChunkSize

// blake3Part returns the chaining value of the tree over one block. The capacity of block must be
// a whole number of units, because the library reads the last unit completely.
func blake3Part(block []byte, i int64) part {
	chunk := uint64(i) * (blockSize / guts.ChunkSize)
	var units blake3Tree
	for at := 0; at < len(block); at += blake3Unit {
		n := min(len(block)-at, blake3Unit)
		unit := (*[blake3Unit]byte)(block[at : at+blake3Unit])
		units.push(guts.ChainingValue(guts.CompressBuffer(unit, n, &guts.IV, chunk, 0)))
		chunk += guts.MaxSIMD
	}
	return blake3Words(units.fold(0))
}

// blake3Tree joins the chaining values of neighboring trees of one size.
type blake3Tree struct {
	count uint64        // trees pushed, without last
	roots [64][8]uint32 // of the full trees for count's set bits, largest first
	depth int           // length of roots
	last  [8]uint32     // held back until its role in the tree is known
	begun bool
}

// push takes the next chaining value.
func (t *blake3Tree) push(cv [8]uint32) {
	if !t.begun {
		t.begun, t.last = true, cv
		return
	}
	joined := t.last
	for n := t.count; n&1 != 0; n >>= 1 {
		t.depth--
		joined = guts.ChainingValue(guts.ParentNode(t.roots[t.depth], joined, &guts.IV, 0))
	}
	t.roots[t.depth] = joined
	t.depth++
	t.count++
	t.last = cv
}

// fold returns the chaining value of the whole tree; its topmost parent has the given flags.
func (t *blake3Tree) fold(flags uint32) [8]uint32 {
	cv := t.last
	for i := t.depth - 1; i >= 0; i-- {
		at := uint32(0)
		if i == 0 {
			at = flags
		}
		cv = guts.ChainingValue(guts.ParentNode(t.roots[i], cv, &guts.IV, at))
	}
	return cv
}

func (t *blake3Tree) joinPart(p part, _ int) {
	var cv [8]uint32
	for i := range cv {
		cv[i] = uint32(p[i/2] >> (32 * (i % 2)))
	}
	t.push(cv)
}

func (t *blake3Tree) sum() Sum {
	var b [32]byte
	for i, w := range t.fold(guts.FlagRoot) {
		binary.LittleEndian.PutUint32(b[4*i:], w)
	}
	return sumOf(b[:])
}

func blake3Words(cv [8]uint32) part {
	var p part
	for i, w := range cv {
		p[i/2] |= uint64(w) << (32 * (i % 2))
	}
	return p
}
