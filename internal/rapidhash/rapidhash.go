// Package rapidhash implements rapidhash version 3 by Nicolas De Carli: a 64-bit hash for hash
// tables. It passes all 250 tests of SMHasher3 and needs no instructions beyond the multiplication
// of 64 by 64 bits. The reference is the header rapidhash.h at
// https://github.com/Nicoshev/rapidhash, with its default secret.
//
// The hash reads its input as little-endian words on every machine, so equal bytes have equal sums
// everywhere. It is not secure against attackers, with or without a seed.
package rapidhash

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"math/bits"
)

const (
	// Size is the length of a sum in bytes.
	Size = 8
	// BlockSize is the number of bytes that seven lanes process at a time.
	BlockSize = 112

	lanes    = 7
	wordPair = 16 // number of bytes of a block for each lane
)

// These are the words of the default secret. The first seven belong to the lanes of a block.
const (
	secret0 = 0x2d358dccaa6c78a5
	secret1 = 0x8bb84b93962eacc9
	secret2 = 0x4b33a62ed433d4a3
	secret3 = 0x4d5a2da51de1aa47
	secret4 = 0xa0761d6478bd642f
	secret5 = 0xe7037ed1a0b428db
	secret6 = 0x90ed1765281c388c
	secret7 = 0xaaaaaaaaaaaaaaaa
)

// seedZero is the result of spreadSeed(0).
const seedZero = 0x422765567d8fbfd6

// Sum64 returns the hash of b with seed 0.
func Sum64(b []byte) uint64 { return sumSeeded(b, 0, seedZero) }

// Sum64Seed returns the hash of b with the given seed.
func Sum64Seed(b []byte, seed uint64) uint64 { return sumSeeded(b, 0, spreadSeed(seed)) }

// spreadSeed returns the initial state for a seed.
func spreadSeed(seed uint64) uint64 { return seed ^ foldedProduct(seed^secret2, secret1) }

// foldedProduct returns the exclusive or of the two halves of the 128-bit product.
func foldedProduct(x, y uint64) uint64 {
	high, low := bits.Mul64(x, y)
	return high ^ low
}

// lastWord returns the first 8 bytes of b as a little-endian number.
func lastWord(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }

// sumSeeded hashes b. The argument mixed is the number of leading bytes that state already
// includes: 16 after the lanes were joined, or 0 for the result of spreadSeed. The last 16 bytes of
// b are processed at the end and may overlap the first bytes.
//
// It is one function, because calls and stored lanes would double the time for short keys.
func sumSeeded(b []byte, mixed int, state uint64) uint64 {
	n := uint64(len(b))
	var first, last uint64
	switch {
	case n > 16:
		rest := b[mixed:]
		if len(rest) > BlockSize {
			l0, l1, l2, l3, l4, l5, l6 := state, state, state, state, state, state, state
			for len(rest) > BlockSize {
				p := (*[BlockSize]byte)(rest)
				l0 = foldedProduct(lastWord(p[0:])^secret0, lastWord(p[8:])^l0)
				l1 = foldedProduct(lastWord(p[16:])^secret1, lastWord(p[24:])^l1)
				l2 = foldedProduct(lastWord(p[32:])^secret2, lastWord(p[40:])^l2)
				l3 = foldedProduct(lastWord(p[48:])^secret3, lastWord(p[56:])^l3)
				l4 = foldedProduct(lastWord(p[64:])^secret4, lastWord(p[72:])^l4)
				l5 = foldedProduct(lastWord(p[80:])^secret5, lastWord(p[88:])^l5)
				l6 = foldedProduct(lastWord(p[96:])^secret6, lastWord(p[104:])^l6)
				rest = rest[BlockSize:]
			}
			state = l0 ^ l1 ^ l2 ^ l3 ^ l4 ^ l5 ^ l6
		}
		if len(rest) > 16 {
			state = foldedProduct(lastWord(rest)^secret2, lastWord(rest[8:])^state)
		}
		if len(rest) > 32 {
			state = foldedProduct(lastWord(rest[16:])^secret2, lastWord(rest[24:])^state)
		}
		if len(rest) > 48 {
			state = foldedProduct(lastWord(rest[32:])^secret1, lastWord(rest[40:])^state)
		}
		if len(rest) > 64 {
			state = foldedProduct(lastWord(rest[48:])^secret1, lastWord(rest[56:])^state)
		}
		if len(rest) > 80 {
			state = foldedProduct(lastWord(rest[64:])^secret2, lastWord(rest[72:])^state)
		}
		if len(rest) > 96 {
			state = foldedProduct(lastWord(rest[80:])^secret1, lastWord(rest[88:])^state)
		}
		n = uint64(len(rest))
		end := b[len(b)-16:]
		first, last = lastWord(end)^n, lastWord(end[8:])
	case n >= 8:
		state ^= n
		first, last = lastWord(b), lastWord(b[n-8:])
	case n >= 4:
		state ^= n
		first, last = uint64(binary.LittleEndian.Uint32(b)), uint64(binary.LittleEndian.Uint32(b[n-4:]))
	case n > 0:
		first, last = uint64(b[0])<<45|uint64(b[n-1]), uint64(b[n>>1])
	}
	high, low := bits.Mul64(first^secret1, last^state)
	return foldedProduct(low^secret7, high^secret1^n)
}

// Digest computes the hash of the bytes written to it. It equals Sum64Seed of the same bytes,
// regardless of how they were split. Use New, because the zero Digest has no seed. A Digest is not
// safe for concurrent use.
type Digest struct {
	seed   uint64
	lanes  [lanes]uint64
	length uint64 // number of bytes written
	// window starts with the last 16 bytes of the last block, because Sum64 processes the last 16
	// bytes of the input again. The pending bytes, which no lane has processed yet, follow.
	window [wordPair + BlockSize]byte
}

var _ hash.Hash64 = (*Digest)(nil)

// New returns an empty Digest with the given seed.
func New(seed uint64) *Digest {
	d := &Digest{seed: seed}
	d.Reset()
	return d
}

// Reset restores the state that New returned.
func (d *Digest) Reset() {
	*d = Digest{seed: d.seed}
	state := spreadSeed(d.seed)
	for i := range d.lanes {
		d.lanes[i] = state
	}
}

// Clone implements hash.Cloner.
func (d *Digest) Clone() (hash.Cloner, error) {
	c := *d
	return &c, nil
}

// Size returns the length of a sum, 8 bytes.
func (d *Digest) Size() int { return Size }

// BlockSize returns 112, the number of bytes that are processed at a time.
func (d *Digest) BlockSize() int { return BlockSize }

// pendingBytes returns the number of bytes after the last block. A full block stays pending until
// more bytes are written, because the end of the input is hashed differently.
func (d *Digest) pendingBytes() int {
	if d.length == 0 {
		return 0
	}
	return int((d.length-1)%BlockSize) + 1
}

// Write adds p to the hash. It never fails and does not retain p.
func (d *Digest) Write(p []byte) (int, error) {
	n, held := len(p), d.pendingBytes()
	d.length += uint64(n)
	if room := BlockSize - held; held > 0 && len(p) > room {
		copy(d.window[wordPair+held:], p[:room])
		d.mixIn(d.window[wordPair:])
		p, held = p[room:], 0
	}
	if held == 0 && len(p) > BlockSize {
		cut := (len(p) - 1) / BlockSize * BlockSize
		d.mixIn(p[:cut])
		p = p[cut:]
	}
	copy(d.window[wordPair+held:], p)
	return n, nil
}

var laneSecrets = [lanes]uint64{secret0, secret1, secret2, secret3, secret4, secret5, secret6}

// mixIn processes whole blocks and stores the last bytes of the last block in window.
func (d *Digest) mixIn(blocks []byte) {
	copy(d.window[:wordPair], blocks[len(blocks)-wordPair:])
	for ; len(blocks) > 0; blocks = blocks[BlockSize:] {
		for i, secret := range laneSecrets {
			pair := blocks[wordPair*i:]
			d.lanes[i] = foldedProduct(lastWord(pair)^secret, lastWord(pair[8:])^d.lanes[i])
		}
	}
}

// Sum64 returns the hash of the bytes written so far. More bytes may be written afterwards.
func (d *Digest) Sum64() uint64 {
	end := wordPair + d.pendingBytes()
	if d.length <= BlockSize {
		return Sum64Seed(d.window[wordPair:end], d.seed)
	}
	state := uint64(0)
	for _, lane := range d.lanes {
		state ^= lane
	}
	return sumSeeded(d.window[:end], wordPair, state)
}

// Sum appends the sum to b, most significant byte first.
func (d *Digest) Sum(b []byte) []byte { return binary.BigEndian.AppendUint64(b, d.Sum64()) }

// The saved state consists of a magic, seed, lanes, length, the last bytes of the last block (zeros
// before the first block), and pending bytes followed by zeros. Integers are big-endian, as in the
// standard library's hashes.
const (
	magic       = "rh3\x01"
	marshalSize = len(magic) + 8*(1+lanes+1) + wordPair + BlockSize
)

// AppendBinary implements encoding.BinaryAppender.
func (d *Digest) AppendBinary(b []byte) ([]byte, error) {
	b = append(b, magic...)
	b = binary.BigEndian.AppendUint64(b, d.seed)
	for _, lane := range d.lanes {
		b = binary.BigEndian.AppendUint64(b, lane)
	}
	b = binary.BigEndian.AppendUint64(b, d.length)
	b = append(b, d.window[:wordPair+d.pendingBytes()]...)
	return append(b, make([]byte, BlockSize-d.pendingBytes())...), nil
}

// MarshalBinary implements encoding.BinaryMarshaler.
func (d *Digest) MarshalBinary() ([]byte, error) {
	return d.AppendBinary(make([]byte, 0, marshalSize))
}

// UnmarshalBinary implements encoding.BinaryUnmarshaler. It also restores the seed. On error it
// does not change d.
func (d *Digest) UnmarshalBinary(b []byte) error {
	if len(b) < len(magic) || string(b[:len(magic)]) != magic {
		return errors.New("rapidhash: unmarshal: the data is not a saved state of this hash")
	}
	if len(b) != marshalSize {
		return fmt.Errorf("rapidhash: unmarshal: state has %d bytes, want %d", len(b), marshalSize)
	}
	b = b[len(magic):]
	restored := New(binary.BigEndian.Uint64(b))
	fresh := restored.lanes
	for i := range restored.lanes {
		restored.lanes[i] = binary.BigEndian.Uint64(b[8*(1+i):])
	}
	restored.length = binary.BigEndian.Uint64(b[8*(1+lanes):])
	copy(restored.window[:], b[8*(1+lanes+1):])
	for _, c := range restored.window[wordPair+restored.pendingBytes():] {
		if c != 0 {
			return errors.New("rapidhash: unmarshal: the unused bytes of the state are not zero")
		}
	}
	if before := [wordPair]byte(restored.window[:]); restored.length <= BlockSize && (restored.lanes != fresh || before != [wordPair]byte{}) {
		return errors.New("rapidhash: unmarshal: the state is inconsistent: its first block is missing")
	}
	*d = *restored
	return nil
}
