package rapidhash

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
)

// Digest is the running hash of the bytes written to it; it equals Sum64Seed of the same
// bytes however they were split. Use New: the zero Digest has no seed. It is not safe for
// concurrent use.
type Digest struct {
	seed   uint64
	lanes  [lanes]uint64
	length uint64 // bytes written
	// window begins with the last 16 bytes of the last block, because a sum mixes in the
	// last 16 bytes of the input. The held bytes follow, which no lane has mixed in yet.
	window [wordPair + BlockSize]byte
}

var _ hash.Hash64 = (*Digest)(nil)

// New returns an empty Digest with a seed.
func New(seed uint64) *Digest {
	d := &Digest{seed: seed}
	d.Reset()
	return d
}

// Reset returns d to the state that New gave it.
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

// BlockSize returns 112, the number of bytes that are mixed in at a time.
func (d *Digest) BlockSize() int { return BlockSize }

// held returns the number of bytes after the last block. A full block is held until more
// bytes follow, because the end of the input is hashed another way.
func (d *Digest) held() int {
	if d.length == 0 {
		return 0
	}
	return int((d.length-1)%BlockSize) + 1
}

// Write adds p to the hash. It never fails and does not keep p.
func (d *Digest) Write(p []byte) (int, error) {
	n, held := len(p), d.held()
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

// mixIn mixes in whole blocks and keeps the last bytes of the last one.
func (d *Digest) mixIn(blocks []byte) {
	copy(d.window[:wordPair], blocks[len(blocks)-wordPair:])
	for ; len(blocks) > 0; blocks = blocks[BlockSize:] {
		for i, secret := range laneSecrets {
			pair := blocks[wordPair*i:]
			d.lanes[i] = foldedProduct(word(pair)^secret, word(pair[8:])^d.lanes[i])
		}
	}
}

// Sum64 returns the hash of the bytes written so far; more may follow.
func (d *Digest) Sum64() uint64 {
	end := wordPair + d.held()
	if d.length <= BlockSize {
		return Sum64Seed(d.window[wordPair:end], d.seed)
	}
	state := uint64(0)
	for _, lane := range d.lanes {
		state ^= lane
	}
	return sum(d.window[:end], wordPair, state)
}

// Sum appends the sum to b, most significant byte first.
func (d *Digest) Sum(b []byte) []byte { return binary.BigEndian.AppendUint64(b, d.Sum64()) }

// The saved state: magic, seed, lanes, length, the last bytes of the last block (zeros
// before the first), held bytes with zeros behind them; integers are big-endian, as in the
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
	b = append(b, d.window[:wordPair+d.held()]...)
	return append(b, make([]byte, BlockSize-d.held())...), nil
}

// MarshalBinary implements encoding.BinaryMarshaler.
func (d *Digest) MarshalBinary() ([]byte, error) {
	return d.AppendBinary(make([]byte, 0, marshalSize))
}

// UnmarshalBinary implements encoding.BinaryUnmarshaler. It restores the seed too. On an
// error d is unchanged.
func (d *Digest) UnmarshalBinary(b []byte) error {
	if len(b) < len(magic) || string(b[:len(magic)]) != magic {
		return errors.New("rapidhash: unmarshal: not a saved state of this hash")
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
	for _, c := range restored.window[wordPair+restored.held():] {
		if c != 0 {
			return errors.New("rapidhash: unmarshal: bytes after the held ones are not zero")
		}
	}
	if before := [wordPair]byte(restored.window[:]); restored.length <= BlockSize && (restored.lanes != fresh || before != [wordPair]byte{}) {
		return errors.New("rapidhash: unmarshal: the state of a block before the first one")
	}
	*d = *restored
	return nil
}
