package hashing

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"

	"github.com/zeebo/blake3"
)

// Key hashes a sequence of tagged fields with BLAKE3.
//
// Each field is written as
//
//	uvarint(len(tag)) tag type uvarint(len(value)) value
//
// and the domain as a field with an empty tag and its own type. Every field states its lengths
// before its contents, so the bytes can be parsed in only one way. Two sequences that differ in
// domain, order, tags, types or values never give the same bytes. They have different [Digest]
// values unless BLAKE3 is broken. Equal sequences have equal digests on every machine.
//
// A Key holds the encoded bytes in memory. It is for options, names and digests; add content by its
// Digest. Only one goroutine at a time may use it.
type Key struct{ buf []byte }

// These are the types of fields. They are part of stored keys, so a value must never be reused.
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

// keyRoom is the initial capacity of a key. Most keys are shorter, and growing step by step would
// be slower.
const keyRoom = 512

// NewKey begins a key. The domain is the kind of value that the key identifies, with a version,
// such as "assetcook action 1". Keys of different domains are never equal.
func NewKey(domain string) *Key {
	k := &Key{buf: make([]byte, 0, keyRoom)}
	k.Reset(domain)
	return k
}

// Reset begins a new key like NewKey, and reuses the memory.
func (k *Key) Reset(domain string) {
	k.buf = k.buf[:0]
	k.beginField("", keyDomain, len(domain))
	k.buf = append(k.buf, domain...)
}

// String adds a text field.
func (k *Key) String(tag, v string) {
	k.beginField(tag, keyString, len(v))
	k.buf = append(k.buf, v...)
}

// Bytes adds a field of bytes, which differs from a String with the same bytes.
func (k *Key) Bytes(tag string, v []byte) {
	k.beginField(tag, keyBytes, len(v))
	k.buf = append(k.buf, v...)
}

// Uint64 adds an unsigned number.
func (k *Key) Uint64(tag string, v uint64) { k.appendWord(tag, keyUint64, v) }

// Int64 adds a number, which differs from a Uint64 with the same value.
func (k *Key) Int64(tag string, v int64) { k.appendWord(tag, keyInt64, uint64(v)) }

// Float64 adds the bits of a number. 0 and -0 differ, as do NaNs with different bits.
func (k *Key) Float64(tag string, v float64) { k.appendWord(tag, keyFloat64, math.Float64bits(v)) }

// Bool adds a boolean.
func (k *Key) Bool(tag string, v bool) {
	k.beginField(tag, keyBool, 1)
	if v {
		k.buf = append(k.buf, 1)
	} else {
		k.buf = append(k.buf, 0)
	}
}

// Digest adds the digest of content.
func (k *Key) Digest(tag string, v Digest) {
	k.beginField(tag, keyDigest, len(v))
	k.buf = append(k.buf, v[:]...)
}

// Strings adds a list as one field. The order matters, and nil equals an empty list. A list differs
// from the same strings added one by one.
func (k *Key) Strings(tag string, v []string) {
	size := uvarintLen(uint64(len(v)))
	for _, s := range v {
		size += uvarintLen(uint64(len(s))) + len(s)
	}
	k.beginField(tag, keyStrings, size)
	k.buf = binary.AppendUvarint(k.buf, uint64(len(v)))
	for _, s := range v {
		k.buf = binary.AppendUvarint(k.buf, uint64(len(s)))
		k.buf = append(k.buf, s...)
	}
}

// Sum returns the digest of the fields so far. More fields may be added afterwards.
func (k *Key) Sum() Digest { return DigestOf(k.buf) }

func (k *Key) appendWord(tag string, kind byte, v uint64) {
	k.beginField(tag, kind, 8)
	k.buf = binary.LittleEndian.AppendUint64(k.buf, v)
}

// beginField appends the header of a field. The caller then appends a value of size bytes.
func (k *Key) beginField(tag string, kind byte, size int) {
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

// Digest is the BLAKE3-256 hash of content, and identifies the content.
type Digest [32]byte

// DigestOf returns the Digest of b.
func DigestOf(b []byte) Digest { return blake3.Sum256(b) }

// ParseDigest parses the 64 lower-case hex digits that [Digest.String] writes. It refuses upper
// case, so that each Digest has one spelling.
func ParseDigest(s string) (Digest, error) {
	var d Digest
	if len(s) != hex.EncodedLen(len(d)) {
		return Digest{}, fmt.Errorf("parse digest: %d characters, want %d", len(s), hex.EncodedLen(len(d)))
	}
	for i := 0; i < len(s); i++ {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return Digest{}, fmt.Errorf("parse digest: %q at %d is not a lower-case hex digit", c, i)
		}
	}
	if _, err := hex.Decode(d[:], []byte(s)); err != nil {
		return Digest{}, fmt.Errorf("cannot parse a digest: %w", err)
	}
	return d, nil
}

// String returns d as 64 lower-case hex digits.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// IsZero reports whether d is the zero Digest. No known content has this digest.
func (d Digest) IsZero() bool { return d == Digest{} }
