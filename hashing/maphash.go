package hashing

import (
	"encoding/binary"
	"hash"
	"hash/maphash"
)

// maphashFunc is the hash of Go's own maps. Its seed is drawn once per process, so its sums are
// meaningless to other processes and must not be stored.
func maphashFunc() Func {
	seed := maphash.MakeSeed()
	return Func{
		Name:   "maphash",
		Size:   8,
		Source: "Go's hash/maphash: AES or wyhash with a random seed",
		narrow: func(b []byte) Sum128 { return Sum128{Lo: maphash.Bytes(seed, b)} },
		word:   func(b []byte) uint64 { return maphash.Bytes(seed, b) },
		stream: func() hash.Hash {
			h := new(mapHash)
			h.SetSeed(seed)
			return h
		},
	}
}

// mapHash appends its sum most significant byte first, as all hashes here do; the library appends
// the least significant byte first.
type mapHash struct{ maphash.Hash }

// Clone returns a mapHash. The library's Clone would return a hash with another Sum.
func (h *mapHash) Clone() (hash.Cloner, error) { return clone(h) }

func (h *mapHash) Sum(b []byte) []byte { return binary.BigEndian.AppendUint64(b, h.Sum64()) }
