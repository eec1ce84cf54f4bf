package hashing

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// pending cuts a stream into blocks of a fixed size of at most 16 bytes. It keeps the incomplete
// last block.
type pending struct {
	total uint64 // bytes of the stream; the last total % size bytes are in buf
	buf   [16]byte
}

// cutBlocks adds bytes of the stream. If the bytes complete the pending block, full is set and
// first is that block. The result rest has the whole blocks that follow.
func (t *pending) cutBlocks(p []byte, size int) (first [16]byte, full bool, rest []byte) {
	held := int(t.total % uint64(size))
	t.total += uint64(len(p))
	if held > 0 {
		k := copy(t.buf[held:size], p)
		if held+k < size {
			return first, false, nil
		}
		first, full, p = t.buf, true, p[k:]
	}
	whole := len(p) / size * size
	copy(t.buf[:], p[whole:])
	return first, full, p[:whole]
}

func (t *pending) incompleteBlock(size int) []byte { return t.buf[:t.total%uint64(size)] }

// appendState appends a saved state. The state is the magic of the function; seed, lanes and total
// as big-endian 64-bit words; and size bytes with the tail, padded with zeros.
func (t *pending) appendState(b []byte, magic string, size int, words ...uint64) []byte {
	b = append(b, magic...)
	for _, w := range words {
		b = binary.BigEndian.AppendUint64(b, w)
	}
	b = binary.BigEndian.AppendUint64(b, t.total)
	held := len(t.incompleteBlock(size))
	b = append(b, t.buf[:held]...)
	return append(b, make([]byte, size-held)...)
}

// restoreState reads a state from appendState into words and t. After an error, t is unchanged.
func (t *pending) restoreState(b []byte, magic string, size int, words []uint64) error {
	if len(b) < len(magic) || string(b[:len(magic)]) != magic {
		return errors.New("restore hash: the data is not a saved state of this function")
	}
	b = b[len(magic):]
	if want := 8*len(words) + 8 + size; len(b) != want {
		return fmt.Errorf("restore hash: the saved state has %d bytes, want %d", len(magic)+len(b), len(magic)+want)
	}
	for i := range words {
		words[i] = binary.BigEndian.Uint64(b[8*i:])
	}
	b = b[8*len(words):]
	saved := pending{total: binary.BigEndian.Uint64(b)}
	copy(saved.buf[:], b[8:])
	for _, c := range saved.buf[len(saved.incompleteBlock(size)):] {
		if c != 0 {
			return errors.New("restore hash: saved state is damaged, its padding is not zero")
		}
	}
	*t = saved
	return nil
}

// words32 returns an error if a word does not fit into 32 bits.
func words32(words []uint64) error {
	for _, w := range words {
		if w>>32 != 0 {
			return fmt.Errorf("restore hash: saved state is damaged, %#x does not fit 32 bits", w)
		}
	}
	return nil
}
