package share

import (
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/assetcook/assetcook/cook/internal/remote"
	"github.com/assetcook/assetcook/hashing"
)

// Keys say which signatures are trusted, and which key signs uploaded results.
type Keys struct {
	// Sign signs results; nil signs none.
	Sign ed25519.PrivateKey
	// Trust are the keys whose results are accepted; if empty, every result of the server is
	// accepted. The public key of Sign is trusted as well.
	Trust []ed25519.PublicKey
}

// errUntrusted says that no trusted key has signed an entry.
var errUntrusted = errors.New("a result is signed by no trusted key; such results are not accepted")

// errNoKey says that an unsigned result would be useless, because only signed results are
// accepted.
var errNoKey = fmt.Errorf("%w: results are not uploaded without a key to sign them, because only signed ones are accepted", ErrRefused)

// trusts reports whether entries of a signer are accepted; nil means unsigned.
func (k Keys) trusts(signer ed25519.PublicKey) bool { return len(k.Trust) == 0 || k.vouches(signer) }

// vouches reports whether entries of a signer may be signed again.
func (k Keys) vouches(signer ed25519.PublicKey) bool {
	if k.Sign != nil && k.Sign.Public().(ed25519.PublicKey).Equal(signer) {
		return true
	}
	for _, t := range k.Trust {
		if t.Equal(signer) {
			return true
		}
	}
	return false
}

// Fingerprint names a key by the SHA-256 of its DER form, as printed by
//
//	openssl pkey -pubin -in KEY.pub -outform DER | sha256sum
//
// The fingerprint of a nil key is "".
func Fingerprint(key ed25519.PublicKey) string {
	der, err := x509.MarshalPKIXPublicKey(key)
	if key == nil || err != nil {
		return ""
	}
	sum := sha256.Sum256(der)
	return hex.EncodeToString(sum[:])
}

// message returns the signed message of an entry: its whole content and its key, so that the
// signature is valid for no other key.
func (r *record) message(k remote.Key, files []Digest) []byte {
	h := hashing.NewKey("assetcook shared result 1")
	h.Bool("reads", k.Reads)
	h.Bytes("action", k.Action[:])
	h.Bytes("result", k.Result[:])
	h.Bytes("read sets", r.ReadSets)
	h.Bytes("record", r.Result)
	h.String("run", r.Made.Run)
	h.String("host", r.Made.Host)
	h.String("at", r.Made.At.UTC().Format(time.RFC3339Nano))
	h.Int64("files", int64(len(files)))
	for _, f := range files {
		h.String("hash", f.Hash)
		h.Int64("size", f.Size)
	}
	sum := h.Sum()
	return append([]byte("assetcook shared result\n"), sum[:]...)
}

// sign signs a record for a key.
func (r *record) sign(private ed25519.PrivateKey, k remote.Key, files []Digest) {
	r.Key = private.Public().(ed25519.PublicKey)
	r.Signature = ed25519.Sign(private, r.message(k, files))
}

// signer returns the key that signed an entry, nil if there is none.
func (e *entry) signer(k remote.Key) ed25519.PublicKey {
	key := ed25519.PublicKey(e.Key)
	if len(key) != ed25519.PublicKeySize || !ed25519.Verify(key, e.message(k, e.files), e.Signature) {
		return nil
	}
	return key
}
