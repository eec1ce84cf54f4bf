package share

import (
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assetcook/assetcook/cook/internal/remote"
	"github.com/assetcook/assetcook/cook/internal/remote/messages"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/profile/guid"
)

// An entry is what a server stores under one ID.
type entry struct {
	readSets []store.ReadSet
	result   *store.Result     // nil if the entry has no result
	files    []Digest          // digests of the artifacts on the server
	origin   store.Origin      // the run that made the result
	signed   ed25519.PublicKey // key with a verified signature; nil if there is none
	record   record
}

// A record is the JSON in stdout_raw of an ActionResult.
type record struct {
	Format   int    `json:"assetcook"`
	ReadSets []byte `json:"readSets,omitempty"` // encoded as in the store
	Result   []byte `json:"result,omitempty"`   // encoded as in the store
	Made     maker  `json:"made,omitzero"`      // the run that made the result
	// Key is the public key for Signature. Versions without signatures ignore both, so the format
	// number did not change.
	Key       []byte `json:"key,omitempty"`
	Signature []byte `json:"signature,omitempty"`
}

const recordFormat = 1

// maxRecord limits the size of a record from the server.
const maxRecord = 4 << 20

// errPoisoned is the error of an invalid entry.
var errPoisoned = errors.New("the server's record is wrong")

// decodeEntry decodes a server's entry for a key.
func decodeEntry(k remote.Key, ar *messages.ActionResult) (*entry, error) {
	wrong := func(format string, args ...any) (*entry, error) {
		return nil, fmt.Errorf("%w: %s", errPoisoned, fmt.Sprintf(format, args...))
	}
	e := &entry{}
	if n := len(ar.StdoutRaw); n > maxRecord {
		return wrong("the record has %d bytes", n)
	}
	if err := json.Unmarshal(ar.StdoutRaw, &e.record); err != nil {
		return wrong("%v", err)
	}
	if e.record.Format != recordFormat {
		return nil, fmt.Errorf("%w: the record has format %d, and this program reads %d", ErrMissing, e.record.Format, recordFormat)
	}
	var err error
	if e.record.ReadSets != nil {
		if k.Reads {
			return wrong("the server sent a record of read sets instead of a result")
		}
		if e.readSets, err = store.UnmarshalReadSets(k.Action, e.record.ReadSets); err != nil {
			return wrong("%v", err)
		}
	}
	if e.record.Result != nil {
		r, err := store.UnmarshalResult(k.Result, e.record.Result)
		if err != nil {
			return wrong("%v", err)
		}
		e.result, e.origin = &r, e.record.Made.validOrigin(ar)
	}
	if len(ar.OutputDirectories)+len(ar.OutputSymlinks) > 0 {
		return wrong("the record lists outputs that are not files")
	}
	if e.files, err = outputDigests(ar, e.result); err != nil {
		return wrong("%v", err)
	}
	e.signed = e.signer(k)
	e.origin.Key = Fingerprint(e.signed)
	return e, nil
}

// outputDigests returns the digests of a result's artifacts on the server.
func outputDigests(ar *messages.ActionResult, r *store.Result) ([]Digest, error) {
	if r == nil {
		r = &store.Result{}
	}
	if len(ar.OutputFiles) != len(r.Artifacts) {
		return nil, fmt.Errorf("the record has %d output files for %d artifacts", len(ar.OutputFiles), len(r.Artifacts))
	}
	files := make([]Digest, len(r.Artifacts))
	for _, f := range ar.OutputFiles {
		i, err := strconv.Atoi(f.Path)
		if err != nil || i < 0 || i >= len(files) || f.Path != strconv.Itoa(i) || files[i] != (Digest{}) {
			return nil, fmt.Errorf("the record lists an output file with the invalid name %q", f.Path)
		}
		if f.Digest.Size != r.Artifacts[i].Size || len(f.Digest.Hash) != 64 {
			return nil, fmt.Errorf("output file %d has %d bytes, but its artifact must have %d", i, f.Digest.Size, r.Artifacts[i].Size)
		}
		files[i] = f.Digest
	}
	return files, nil
}

// encodeEntry returns the message for an entry, signed unless the private key is nil.
func (e *entry) encodeEntry(k remote.Key, private ed25519.PrivateKey) (*messages.ActionResult, error) {
	rec := record{Format: recordFormat}
	ar := &messages.ActionResult{ExecutionMetadata: messages.ExecutionMetadata{Worker: e.origin.Host}}
	if len(e.readSets) > 0 {
		rec.ReadSets = store.MarshalReadSets(k.Action, e.readSets)
	}
	if e.result != nil {
		var err error
		if rec.Result, err = store.MarshalResult(k.Result, *e.result); err != nil {
			return nil, err
		}
		for i, f := range e.files {
			ar.OutputFiles = append(ar.OutputFiles, messages.OutputFile{Path: strconv.Itoa(i), Digest: f})
		}
		rec.Made = maker{e.origin.Run, e.origin.Host, e.origin.At}
		if !e.origin.At.IsZero() {
			ar.ExecutionMetadata.ExecutionStartTimestamp = messages.TimestampOf(e.origin.At.Add(-e.result.CookTime))
			ar.ExecutionMetadata.ExecutionCompletedTimestamp = messages.TimestampOf(e.origin.At)
		}
	}
	if private != nil {
		rec.signFor(private, k, e.files)
	}
	var err error
	if ar.StdoutRaw, err = json.Marshal(rec); err == nil && len(ar.StdoutRaw) > maxRecord {
		err = fmt.Errorf("the record has %d bytes, more than %d", len(ar.StdoutRaw), maxRecord)
	}
	return ar, err
}

// addOld merges old, the entry on the server, into e. It reports whether e has anything that old
// lacks.
func (e *entry) addOld(old *entry) (more bool) {
	const most = 16 // limit of the store
	sets := slices.Clone(old.readSets)
	for _, set := range e.readSets {
		same := func(s store.ReadSet) bool { return slices.Equal(s, set) }
		if !slices.ContainsFunc(old.readSets, same) {
			sets, more = append([]store.ReadSet{set}, sets...), true
		}
	}
	e.readSets = sets[:min(most, len(sets))]
	if e.result != nil && (old.result == nil || !slices.Equal(e.files, old.files) || !slices.Equal(e.result.Artifacts, old.result.Artifacts) || !slices.Equal(e.result.Warnings, old.result.Warnings)) {
		return true
	}
	e.result, e.files, e.origin = old.result, old.files, old.origin
	return more
}

// An action is the Action message for an ID, with the messages that it refers to.
type action struct {
	Digest
	blobs [][]byte // the messages Action, Command and Directory
}

// actionOf returns the action that identifies the entry of a key.
func actionOf(k remote.Key, f Function) action {
	id, kind := k.Action[:], "action"
	if k.Reads {
		id, kind = k.Result[:], "result"
	}
	return saltedAction(kind, id, f)
}

// saltedAction returns the action with the given salt. kind is the kind of the entry.
func saltedAction(kind string, id []byte, f Function) action {
	command := messages.Marshal(&messages.Command{Arguments: []string{"assetcook", kind}})
	root := messages.Marshal(&messages.Directory{})
	message := messages.Marshal(&messages.Action{CommandDigest: f.Of(command), InputRootDigest: f.Of(root), Salt: id})
	return action{f.Of(message), [][]byte{message, command, root}}
}

// A maker is the run that cooked a result, according to the record of the result.
type maker struct {
	Run  string    `json:"run,omitempty"`
	Host string    `json:"host,omitempty"`
	At   time.Time `json:"at,omitzero"`
}

// validOrigin returns the valid parts of a maker, because a server may send anything. In records of
// old versions, only the metadata has the host and the time.
func (m maker) validOrigin(ar *messages.ActionResult) (o store.Origin) {
	if m == (maker{}) {
		m.Host, m.At = ar.ExecutionMetadata.Worker, ar.ExecutionMetadata.ExecutionCompletedTimestamp.Time()
	}
	if id, err := guid.Parse(m.Run); err == nil {
		o.Run = id.String()
	}
	if len(m.Host) <= maxHost {
		o.Host = strings.ToValidUTF8(m.Host, "\ufffd")
	}
	if at := m.At.UnixMilli(); at > 0 && at < lastMilli {
		o.At = time.UnixMilli(at).UTC()
	}
	return o
}

// maxHost limits a host name, in bytes. DNS has the same limit.
const maxHost = 253

// lastMilli is the first millisecond of the year 10000, which JSON cannot represent.
const lastMilli = 253402300800000

// Keys are the key that signs uploads, and the trusted keys.
type Keys struct {
	// Sign signs results. If it is nil, results are not signed.
	Sign ed25519.PrivateKey
	// Trust are the keys whose results are accepted, in addition to the public key of Sign. If it
	// is empty, every result of the server is accepted.
	Trust []ed25519.PublicKey
}

// errUntrusted is the error of an entry that no trusted key has signed.
var errUntrusted = errors.New("no trusted key signed a result, so the result is not accepted")

// ErrNoKey reports uploads without a signing key although only signed results are accepted.
var ErrNoKey = fmt.Errorf("%w: results are not uploaded, because only signed results are accepted and there is no key to sign with", ErrRefused)

// checkUploads returns an error if this machine cannot upload entries to a server.
func (k Keys) checkUploads(traits Traits) error {
	switch {
	case !traits.Uploads:
		return fmt.Errorf("%w: the server accepts no results from this machine", ErrRefused)
	case len(k.Trust) > 0 && k.Sign == nil:
		return ErrNoKey
	}
	return nil
}

// trustsSigner reports whether entries with this signer are accepted. nil means unsigned.
func (k Keys) trustsSigner(signer ed25519.PublicKey) bool {
	return len(k.Trust) == 0 || k.vouches(signer)
}

// vouches reports whether this machine may replace a signature by this signer with its own.
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
	if key == nil {
		return ""
	}
	der, err := x509.MarshalPKIXPublicKey(key)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(der)
	return hex.EncodeToString(sum[:])
}

// signedMessage returns the message to sign for an entry. It contains the key of the entry, so that
// the signature is not valid under another key.
func (r *record) signedMessage(k remote.Key, files []Digest) []byte {
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

// signFor signs a record for a key.
func (r *record) signFor(private ed25519.PrivateKey, k remote.Key, files []Digest) {
	r.Key = private.Public().(ed25519.PublicKey)
	r.Signature = ed25519.Sign(private, r.signedMessage(k, files))
}

// signer returns the key that has signed an entry, or nil.
func (e *entry) signer(k remote.Key) ed25519.PublicKey {
	key := ed25519.PublicKey(e.record.Key)
	if len(key) != ed25519.PublicKeySize || !ed25519.Verify(key, e.record.signedMessage(k, e.files), e.record.Signature) {
		return nil
	}
	return key
}
