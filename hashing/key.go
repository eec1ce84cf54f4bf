package hashing

import (
	"encoding/binary"
	"math"
)

// Key hashes a sequence of tagged fields with BLAKE3.
//
// Each field is written as
//
//	uvarint(len(tag)) tag type uvarint(len(value)) value
//
// and the domain as such a field with an empty tag and a type of its own. Every
// field says where it ends before its end comes, so the bytes can be taken apart
// again in one way only: two different sequences of fields (in their domain,
// order, tags, types or values) never give the same bytes, and the same [Digest]
// only if BLAKE3 is broken. Equal sequences give equal digests on every machine.
//
// A Key holds the framed bytes in memory: it is for options, names and digests;
// content goes in by its Digest. It belongs to one goroutine at a time.
type Key struct{ buf []byte }

// Field types. They are part of every key ever written: never reuse one.
const (
	keyDomain  = 'D'
	keyString  = 's'
	keyBytes   = 'b'
	keyUint64  = 'u'
	keyInt64   = 'i'
	keyFloat64 = 'f'
	keyBool    = 't'
	keyDigest  = 'd'
	keyStrings = 'l'
)

// keyRoom is how many bytes a key has room for at first: most have fewer, and
// growing there step by step costs more than the room.
const keyRoom = 512

// NewKey begins a key. The domain says what kind of thing the key names, with a
// version ("assetcook action 1"): keys of different domains never meet.
func NewKey(domain string) *Key {
	k := &Key{buf: make([]byte, 0, keyRoom)}
	k.Reset(domain)
	return k
}

// Reset begins anew as NewKey does and keeps the memory.
func (k *Key) Reset(domain string) {
	k.buf = k.buf[:0]
	k.frame("", keyDomain, len(domain))
	k.buf = append(k.buf, domain...)
}

// String adds text.
func (k *Key) String(tag, v string) {
	k.frame(tag, keyString, len(v))
	k.buf = append(k.buf, v...)
}

// Bytes adds bytes. They differ from a String of the same bytes.
func (k *Key) Bytes(tag string, v []byte) {
	k.frame(tag, keyBytes, len(v))
	k.buf = append(k.buf, v...)
}

// Uint64 adds a number.
func (k *Key) Uint64(tag string, v uint64) { k.word(tag, keyUint64, v) }

// Int64 adds a number. It differs from a Uint64 of the same value.
func (k *Key) Int64(tag string, v int64) { k.word(tag, keyInt64, uint64(v)) }

// Float64 adds a number by its bits: 0 and -0 differ, and so do NaNs.
func (k *Key) Float64(tag string, v float64) { k.word(tag, keyFloat64, math.Float64bits(v)) }

// Bool adds a yes or no.
func (k *Key) Bool(tag string, v bool) {
	k.frame(tag, keyBool, 1)
	if v {
		k.buf = append(k.buf, 1)
	} else {
		k.buf = append(k.buf, 0)
	}
}

// Digest adds the identity of some content.
func (k *Key) Digest(tag string, v Digest) {
	k.frame(tag, keyDigest, len(v))
	k.buf = append(k.buf, v[:]...)
}

// Strings adds a list as one field: its order counts, nil and empty are equal,
// and it differs from its members added one by one.
func (k *Key) Strings(tag string, v []string) {
	size := uvarintLen(uint64(len(v)))
	for _, s := range v {
		size += uvarintLen(uint64(len(s))) + len(s)
	}
	k.frame(tag, keyStrings, size)
	k.buf = binary.AppendUvarint(k.buf, uint64(len(v)))
	for _, s := range v {
		k.buf = binary.AppendUvarint(k.buf, uint64(len(s)))
		k.buf = append(k.buf, s...)
	}
}

// Sum returns the digest of the fields so far. More may be added after it.
func (k *Key) Sum() Digest { return DigestOf(k.buf) }

func (k *Key) word(tag string, kind byte, v uint64) {
	k.frame(tag, kind, 8)
	k.buf = binary.LittleEndian.AppendUint64(k.buf, v)
}

// frame begins a field whose value of size bytes the caller appends.
func (k *Key) frame(tag string, kind byte, size int) {
	k.buf = binary.AppendUvarint(k.buf, uint64(len(tag)))
	k.buf = append(k.buf, tag...)
	k.buf = append(k.buf, kind)
	k.buf = binary.AppendUvarint(k.buf, uint64(size))
}

func uvarintLen(v uint64) int {
	n := 1
	for ; v >= 0x80; v >>= 7 {
		n++
	}
	return n
}
