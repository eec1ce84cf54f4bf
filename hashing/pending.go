package hashing

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// pending cuts a stream into blocks of a fixed size of at most 16 bytes and keeps
// what does not fill one.
type pending struct {
	total uint64 // bytes of the stream; total % size of them are in buf
	buf   [16]byte
}

// cut takes the next bytes of the stream. If they fill the block that was begun,
// full is set and first is that block; after it come the whole blocks of rest.
func (t *pending) cut(p []byte, size int) (first [16]byte, full bool, rest []byte) {
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

// tail returns the bytes that do not fill a block.
func (t *pending) tail(size int) []byte { return t.buf[:t.total%uint64(size)] }

// A saved state is the magic of the function, then seed, lanes and total as
// big-endian words of 64 bits, then size bytes: the tail with zeros behind it.
func (t *pending) save(b []byte, magic string, size int, words ...uint64) []byte {
	b = append(b, magic...)
	for _, w := range words {
		b = binary.BigEndian.AppendUint64(b, w)
	}
	b = binary.BigEndian.AppendUint64(b, t.total)
	held := len(t.tail(size))
	b = append(b, t.buf[:held]...)
	return append(b, make([]byte, size-held)...)
}

// restore reads what save wrote into words and t. With an error t is unchanged.
func (t *pending) restore(b []byte, magic string, size int, words []uint64) error {
	if len(b) < len(magic) || string(b[:len(magic)]) != magic {
		return errors.New("restore hash: not a saved state of this function")
	}
	b = b[len(magic):]
	if want := 8*len(words) + 8 + size; len(b) != want {
		return fmt.Errorf("restore hash: saved state of %d bytes, want %d", len(magic)+len(b), len(magic)+want)
	}
	for i := range words {
		words[i] = binary.BigEndian.Uint64(b[8*i:])
	}
	b = b[8*len(words):]
	saved := pending{total: binary.BigEndian.Uint64(b)}
	copy(saved.buf[:], b[8:])
	for _, c := range saved.buf[len(saved.tail(size)):] {
		if c != 0 {
			return errors.New("restore hash: saved state is damaged, bytes behind its end are not zero")
		}
	}
	*t = saved
	return nil
}

// words32 refuses words that do not fit the 32-bit state that they are to become.
func words32(words []uint64) error {
	for _, w := range words {
		if w>>32 != 0 {
			return fmt.Errorf("restore hash: saved state is damaged, %#x is no word of 32 bits", w)
		}
	}
	return nil
}
