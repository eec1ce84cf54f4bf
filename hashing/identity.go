package hashing

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/binary"
	"hash"

	"github.com/zeebo/blake3"
	"lukechampine.com/blake3/guts"
)

// identityFuncs returns the functions whose checksums may name content.
func identityFuncs() []Func {
	return []Func{
		{
			Name:     "blake3",
			Size:     32,
			Identity: true,
			Source:   "O'Connor, Aumasson, Neves, Wilcox-O'Hearn, BLAKE3, 2020, https://github.com/BLAKE3-team/BLAKE3-specs; 256 bits, unkeyed",
			Check:    "b7d65b48420d1033cb2595293263b6f72eabee20d55e699d0df1973b3c9deed1",
			sum:      func(b []byte) Sum { return wideSum(blake3.Sum256(b)) },
			stream:   func() hash.Hash { return blake3Hash{blake3.New()} },
			joints:   blake3Joints(),
		},
		{
			Name:     "sha256",
			Size:     32,
			Identity: true,
			Source:   "FIPS 180-4",
			Check:    "15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225",
			sum:      func(b []byte) Sum { return wideSum(sha256.Sum256(b)) },
			stream:   sha256.New,
		},
		{
			Name:     "sha512",
			Size:     64,
			Identity: true,
			Source:   "FIPS 180-4",
			Check:    "d9e6762dd1c8eaf6d61b3c6192fc408d4d6d5f1176d0c29169bc24e71c3f274ad27fcd5811b313d681f7e55ec02d73d499c95455b6b5bb503acf574fba8ffe85",
			sum: func(b []byte) Sum {
				s := sha512.Sum512(b)
				return sumOf(s[:])
			},
			stream: sha512.New,
		},
	}
}

// blake3Hash implements hash.Cloner, because the library's Clone has another result type.
type blake3Hash struct{ *blake3.Hasher }

func (h blake3Hash) Clone() (hash.Cloner, error) { return blake3Hash{h.Hasher.Clone()}, nil }

// brokenFuncs returns functions with known collisions, which now only detect accidental changes.
// They remain for existing checksum files.
func brokenFuncs() []Func {
	return []Func{
		{
			Name:   "sha1",
			Size:   20,
			Source: "FIPS 180-4; broken by Stevens and others, The first collision for full SHA-1, 2017",
			Check:  "f7c3bc1d808e04732adf679965ccc34ca7ae3441",
			sum: func(b []byte) Sum {
				s := sha1.Sum(b)
				return sumOf(s[:])
			},
			stream: sha1.New,
		},
		{
			Name:   "md5",
			Size:   16,
			Source: "RFC 1321; broken by Wang and Yu, How to Break MD5 and Other Hash Functions, 2005",
			Check:  "25f9e794323b453885f5181f1b624d0b",
			narrow: func(b []byte) Sum128 {
				s := md5.Sum(b)
				return Sum128{binary.BigEndian.Uint64(s[:8]), binary.BigEndian.Uint64(s[8:])}
			},
			stream: md5.New,
		},
	}
}

func wideSum(b [32]byte) Sum { return sumOf(b[:]) }

// Several cores hash a file along BLAKE3's tree. Its leaves are chunks of 1 KiB, and each parent
// hashes its two children. The left child of a parent is always a full tree. Its number of leaves
// is the largest power of two that leaves at least one leaf for the right child. A full block,
// whose size is a power of two, is therefore a subtree. Only the last block may be incomplete. See
// sections 2.1 and 5.1.2 of the paper.

func blake3Joints() *joints {
	return &joints{part: blake3Part, join: func() joiner { return new(blake3Tree) }}
}

// blake3Unit is the number of bytes that the library hashes in parallel: 16 chunks.
const blake3Unit = guts.MaxSIMD * guts.ChunkSize

// blake3Part returns the chaining value of the tree over one block. The capacity of block must be a
// multiple of blake3Unit, because the library reads the last unit completely.
func blake3Part(block []byte, i int64) part {
	chunk := uint64(i) * (blockSize / guts.ChunkSize)
	var units blake3Tree
	for at := 0; at < len(block); at += blake3Unit {
		n := min(len(block)-at, blake3Unit)
		unit := (*[blake3Unit]byte)(block[at : at+blake3Unit])
		units.pushChainingValue(guts.ChainingValue(guts.CompressBuffer(unit, n, &guts.IV, chunk, 0)))
		chunk += guts.MaxSIMD
	}
	return blake3Words(units.rootChainingValue(0))
}

// A blake3Tree joins the chaining values of neighboring trees of equal size.
type blake3Tree struct {
	count uint64        // number of chaining values in roots, without last
	roots [64][8]uint32 // roots of full trees, one for each set bit of count, largest first
	depth int           // number of roots
	last  [8]uint32     // last chaining value, until its role in the tree is known
	begun bool
}

// pushChainingValue adds the chaining value of the next block to the tree.
func (t *blake3Tree) pushChainingValue(cv [8]uint32) {
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

// rootChainingValue returns the chaining value of the whole tree. Its topmost parent has the given
// flags.
func (t *blake3Tree) rootChainingValue(flags uint32) [8]uint32 {
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
	t.pushChainingValue(cv)
}

func (t *blake3Tree) sum() Sum {
	var b [32]byte
	for i, w := range t.rootChainingValue(guts.FlagRoot) {
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
