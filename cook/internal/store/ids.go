package store

import (
	"encoding/hex"
	"fmt"

	"github.com/assetcook/assetcook/hashing"
)

// BlobID is the BLAKE3-256 hash of a content. A hashing.Digest converts to it.
type BlobID [32]byte

// ActionID is the key of the facts known before a recipe runs: salt, recipe, version, options,
// tool, source content.
type ActionID [32]byte

// ResultID is the key of an ActionID and the digests of the read set's current content.
type ResultID [32]byte

// ParseBlobID parses the result of String.
func ParseBlobID(s string) (BlobID, error) {
	d, err := hashing.ParseDigest(s)
	if err != nil {
		return BlobID{}, fmt.Errorf("parse blob ID: %w", err)
	}
	return BlobID(d), nil
}

// String returns 64 lower-case hex digits.
func (id BlobID) String() string   { return hex.EncodeToString(id[:]) }
func (id ActionID) String() string { return hex.EncodeToString(id[:]) }
func (id ResultID) String() string { return hex.EncodeToString(id[:]) }

// MarshalText implements [encoding.TextMarshaler].
func (id BlobID) MarshalText() ([]byte, error)   { return hex.AppendEncode(nil, id[:]), nil }
func (id ActionID) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, id[:]), nil }
func (id ResultID) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, id[:]), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (id *BlobID) UnmarshalText(b []byte) error   { return unmarshalID(id[:], b) }
func (id *ActionID) UnmarshalText(b []byte) error { return unmarshalID(id[:], b) }
func (id *ResultID) UnmarshalText(b []byte) error { return unmarshalID(id[:], b) }

func unmarshalID(id, text []byte) error {
	d, err := hashing.ParseDigest(string(text))
	copy(id, d[:])
	return err
}

// IsZero reports whether the ID was never set.
func (id BlobID) IsZero() bool   { return id == BlobID{} }
func (id ActionID) IsZero() bool { return id == ActionID{} }
func (id ResultID) IsZero() bool { return id == ResultID{} }
