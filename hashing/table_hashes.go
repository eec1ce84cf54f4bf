package hashing

import (
	"encoding/binary"
	"hash"
	"hash/fnv"
	"hash/maphash"

	"github.com/assetcook/assetcook/internal/lookup2"
	"github.com/assetcook/assetcook/internal/murmur3"
	"github.com/assetcook/assetcook/internal/rapidhash"
)

func rapidhashFunc() Func {
	return Func{
		Name:   "rapidhash",
		Size:   rapidhash.Size,
		Source: "Nicolas De Carli, rapidhash V3, https://github.com/Nicoshev/rapidhash, rapidhash.h, default secret, seed 0",
		Check:  "7e7d033b96b916a1",
		narrow: func(b []byte) Sum128 { return Sum128{Lo: rapidhash.Sum64(b)} },
		word:   rapidhash.Sum64,
		stream: func() hash.Hash { return rapidhash.New(0) },
		seeded: func(seed uint64) (hash.Hash, error) { return rapidhash.New(seed), nil },
	}
}

// maphashFunc returns the hash of Go's maps. Its seed is random in each process, so its checksums
// must not be stored.
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

// A mapHash appends its checksum with the most significant byte first, like the other hashes here.
// The library appends the least significant byte first.
type mapHash struct{ maphash.Hash }

// Clone returns a mapHash. The library's Clone would return a hash with the other byte order.
func (h *mapHash) Clone() (hash.Cloner, error) { return copyHash(h) }

func (h *mapHash) Sum(b []byte) []byte { return binary.BigEndian.AppendUint64(b, h.Sum64()) }

func lookup2Func() Func {
	stream := func(seed uint32) hash.Hash { return lookup2.New(seed) }
	return Func{
		Name:   "lookup2",
		Size:   lookup2.Size,
		Source: "Bob Jenkins, A Hash Function for Hash Table Lookup, 1996, https://www.burtleburtle.net/bob/hash/evahash.html, initial value 0",
		Check:  "4bf83526",
		narrow: func(b []byte) Sum128 { return Sum128{Lo: uint64(lookup2.Sum32(b, 0))} },
		stream: func() hash.Hash { return stream(0) },
		seeded: seeded32(stream),
	}
}

const murmurSource = "Austin Appleby, MurmurHash3, seed 0, https://github.com/aappleby/smhasher/wiki/MurmurHash3, "

func murmurFuncs() []Func {
	return []Func{
		{
			Name:   "murmur3-128",
			Size:   16,
			Source: murmurSource + "MurmurHash3_x64_128",
			Check:  "3c84645edb66cca499f8fac73a1ea105",
			narrow: func(b []byte) Sum128 {
				hi, lo := murmur3.Sum128(b, 0)
				return Sum128{hi, lo}
			},
			stream: func() hash.Hash { return newMurmur128(0) },
			seeded: seeded32(newMurmur128),
		},
		{
			Name:   "murmur3-32",
			Size:   4,
			Source: murmurSource + "MurmurHash3_x86_32",
			Check:  "b4fef382",
			narrow: func(b []byte) Sum128 { return Sum128{Lo: uint64(murmur3.Sum32(b, 0))} },
			word:   func(b []byte) uint64 { return uint64(murmur3.Sum32(b, 0)) },
			stream: func() hash.Hash { return newMurmur32(0) },
			seeded: seeded32(newMurmur32),
		},
	}
}

// murmur128Hash is the streaming form of murmur3.Sum128.
type murmur128Hash struct {
	seed  uint32
	state murmur3.State128
	in    pending
}

func newMurmur128(seed uint32) hash.Hash {
	h := &murmur128Hash{seed: seed}
	h.Reset()
	return h
}

func (h *murmur128Hash) Clone() (hash.Cloner, error) { return copyHash(h) }

func (h *murmur128Hash) Reset() {
	h.state, h.in = murmur3.State128{H1: uint64(h.seed), H2: uint64(h.seed)}, pending{}
}

func (h *murmur128Hash) Size() int      { return 16 }
func (h *murmur128Hash) BlockSize() int { return murmur3.BlockSize128 }

func (h *murmur128Hash) Write(p []byte) (int, error) {
	first, full, rest := h.in.cutBlocks(p, murmur3.BlockSize128)
	if full {
		h.state = h.state.Blocks(first[:])
	}
	h.state = h.state.Blocks(rest)
	return len(p), nil
}

func (h *murmur128Hash) Sum(b []byte) []byte {
	hi, lo := h.state.Finish(h.in.total, h.in.incompleteBlock(murmur3.BlockSize128))
	b = binary.BigEndian.AppendUint64(b, hi)
	return binary.BigEndian.AppendUint64(b, lo)
}

const murmur128Magic = "m3w\x01"

func (h *murmur128Hash) AppendBinary(b []byte) ([]byte, error) {
	return h.in.appendState(b, murmur128Magic, murmur3.BlockSize128, uint64(h.seed), h.state.H1, h.state.H2), nil
}

func (h *murmur128Hash) MarshalBinary() ([]byte, error) { return h.AppendBinary(nil) }

func (h *murmur128Hash) UnmarshalBinary(b []byte) error {
	var w [3]uint64
	in := h.in
	if err := in.restoreState(b, murmur128Magic, murmur3.BlockSize128, w[:]); err != nil {
		return err
	}
	if err := words32(w[:1]); err != nil {
		return err
	}
	*h = murmur128Hash{uint32(w[0]), murmur3.State128{H1: w[1], H2: w[2]}, in}
	return nil
}

// murmur32Hash is the streaming form of murmur3.Sum32.
type murmur32Hash struct {
	seed, state uint32
	in          pending
}

var _ hash.Hash32 = (*murmur32Hash)(nil)

func newMurmur32(seed uint32) hash.Hash { return &murmur32Hash{seed: seed, state: seed} }

func (h *murmur32Hash) Clone() (hash.Cloner, error) { return copyHash(h) }

func (h *murmur32Hash) Reset()         { h.state, h.in = h.seed, pending{} }
func (h *murmur32Hash) Size() int      { return 4 }
func (h *murmur32Hash) BlockSize() int { return murmur3.BlockSize32 }

func (h *murmur32Hash) Write(p []byte) (int, error) {
	first, full, rest := h.in.cutBlocks(p, murmur3.BlockSize32)
	if full {
		h.state = murmur3.Blocks32(h.state, first[:murmur3.BlockSize32])
	}
	h.state = murmur3.Blocks32(h.state, rest)
	return len(p), nil
}

func (h *murmur32Hash) Sum32() uint32 {
	return murmur3.Finish32(h.state, h.in.total, h.in.incompleteBlock(murmur3.BlockSize32))
}

func (h *murmur32Hash) Sum(b []byte) []byte { return binary.BigEndian.AppendUint32(b, h.Sum32()) }

const murmur32Magic = "m32\x01"

func (h *murmur32Hash) AppendBinary(b []byte) ([]byte, error) {
	return h.in.appendState(b, murmur32Magic, murmur3.BlockSize32, uint64(h.seed), uint64(h.state)), nil
}

func (h *murmur32Hash) MarshalBinary() ([]byte, error) { return h.AppendBinary(nil) }

func (h *murmur32Hash) UnmarshalBinary(b []byte) error {
	var w [2]uint64
	in := h.in
	if err := in.restoreState(b, murmur32Magic, murmur3.BlockSize32, w[:]); err != nil {
		return err
	}
	if err := words32(w[:]); err != nil {
		return err
	}
	*h = murmur32Hash{uint32(w[0]), uint32(w[1]), in}
	return nil
}

const fnvSource = "Fowler, Noll, Vo, FNV-1a, RFC 9923, http://www.isthe.com/chongo/tech/comp/fnv/, "

func fnvFuncs() []Func {
	return []Func{
		{
			Name:   "fnv1a32",
			Size:   4,
			Source: fnvSource + "32 bits",
			Check:  "bb86b11c",
			narrow: func(b []byte) Sum128 {
				h := uint32(0x811c9dc5)
				for _, c := range b {
					h = (h ^ uint32(c)) * 0x01000193
				}
				return Sum128{Lo: uint64(h)}
			},
			stream: func() hash.Hash { return fnv.New32a() },
		},
		{
			Name:   "fnv1a64",
			Size:   8,
			Source: fnvSource + "64 bits",
			Check:  "06d5573923c6cdfc",
			narrow: func(b []byte) Sum128 {
				h := uint64(0xcbf29ce484222325)
				for _, c := range b {
					h = (h ^ uint64(c)) * 0x00000100000001b3
				}
				return Sum128{Lo: h}
			},
			stream: func() hash.Hash { return fnv.New64a() },
		},
	}
}
