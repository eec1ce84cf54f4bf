package hashing

import (
	"encoding/hex"
	"fmt"

	"github.com/zeebo/blake3"
)

// Digest is BLAKE3-256 of content: its identity.
type Digest [32]byte

// DigestOf returns the Digest of b.
func DigestOf(b []byte) Digest { return blake3.Sum256(b) }

// ParseDigest reads the form that [Digest.String] writes: 64 lower-case hex
// digits. Upper case is refused so that one Digest has one spelling.
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
		return Digest{}, fmt.Errorf("parse digest: %w", err)
	}
	return d, nil
}

// String returns d as 64 lower-case hex digits.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// IsZero reports whether d was never set. No known content has this digest.
func (d Digest) IsZero() bool { return d == Digest{} }
