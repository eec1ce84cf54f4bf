package share

import (
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/assetcook/assetcook/cook/internal/remote"
	"github.com/assetcook/assetcook/cook/internal/remote/messages"
	"github.com/assetcook/assetcook/cook/internal/store"
)

// An entry is a server's data under one ID.
type entry struct {
	readSets []store.ReadSet   // of an action
	result   *store.Result     // nil if there is none
	files    []Digest          // on the server, of the result's artifacts
	origin   store.Origin      // of the result
	signed   ed25519.PublicKey // the verified signer; nil for none
	record                     // as received
}

// A record is the content of stdout_raw of an ActionResult, as JSON.
type record struct {
	Format   int    `json:"assetcook"`
	ReadSets []byte `json:"readSets,omitempty"` // a record of the store
	Result   []byte `json:"result,omitempty"`   // likewise
	Made     maker  `json:"made,omitzero"`      // of the result
	// Key is the public key of Signature. Versions without signatures can read signed records, so
	// the format has the same number.
	Key       []byte `json:"key,omitempty"`
	Signature []byte `json:"signature,omitempty"`
}

const recordFormat = 1

// maxRecord is the size limit of a server's record.
const maxRecord = 4 << 20

// errPoisoned says that an entry is invalid.
var errPoisoned = errors.New("the server's record is wrong")

// decode decodes a server's entry for a key.
func decode(k remote.Key, ar *messages.ActionResult) (*entry, error) {
	wrong := func(format string, args ...any) (*entry, error) {
		return nil, fmt.Errorf("%w: %s", errPoisoned, fmt.Sprintf(format, args...))
	}
	e := &entry{}
	if n := len(ar.StdoutRaw); n > maxRecord {
		return wrong("%d bytes", n)
	}
	if err := json.Unmarshal(ar.StdoutRaw, &e.record); err != nil {
		return wrong("%v", err)
	}
	if e.Format != recordFormat {
		return nil, fmt.Errorf("%w: its format is %d, and this program reads %d", ErrMissing, e.Format, recordFormat)
	}
	var err error
	if e.record.ReadSets != nil {
		if k.Reads {
			return wrong("read sets of a result")
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
		e.result, e.origin = &r, e.Made.origin(ar)
	}
	if len(ar.OutputDirectories)+len(ar.OutputSymlinks) > 0 {
		return wrong("it has outputs that are no files")
	}
	if e.files, err = filesOf(ar, e.result); err != nil {
		return wrong("%v", err)
	}
	e.signed = e.signer(k)
	e.origin.Key = Fingerprint(e.signed)
	return e, nil
}

// filesOf returns the digests of a result's artifacts on the server.
func filesOf(ar *messages.ActionResult, r *store.Result) ([]Digest, error) {
	if r == nil {
		r = &store.Result{}
	}
	if len(ar.OutputFiles) != len(r.Artifacts) {
		return nil, fmt.Errorf("%d output files for %d artifacts", len(ar.OutputFiles), len(r.Artifacts))
	}
	files := make([]Digest, len(r.Artifacts))
	for _, f := range ar.OutputFiles {
		i, err := strconv.Atoi(f.Path)
		if err != nil || i < 0 || i >= len(files) || f.Path != strconv.Itoa(i) || files[i] != (Digest{}) {
			return nil, fmt.Errorf("an output file is called %q", f.Path)
		}
		if f.Digest.Size != r.Artifacts[i].Size || len(f.Digest.Hash) != 64 {
			return nil, fmt.Errorf("output file %d has %d bytes, its artifact %d", i, f.Digest.Size, r.Artifacts[i].Size)
		}
		files[i] = f.Digest
	}
	return files, nil
}

// encode returns the message for an entry, signed unless the private key is nil.
func (e *entry) encode(k remote.Key, private ed25519.PrivateKey) (*messages.ActionResult, error) {
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
		rec.sign(private, k, e.files)
	}
	var err error
	if ar.StdoutRaw, err = json.Marshal(rec); err == nil && len(ar.StdoutRaw) > maxRecord {
		err = fmt.Errorf("a record of %d bytes", len(ar.StdoutRaw))
	}
	return ar, err
}

// merge adds the server's old entry to e, and reports whether e has more than old.
func (e *entry) merge(old *entry) (more bool) {
	const most = 16 // as in the store
	sets := slices.Clone(old.readSets)
	for _, set := range e.readSets {
		same := func(s store.ReadSet) bool { return slices.Equal(s, set) }
		if !slices.ContainsFunc(old.readSets, same) {
			sets, more = append([]store.ReadSet{set}, sets...), true
		}
	}
	e.readSets = sets[:min(most, len(sets))]
	if e.result != nil {
		return true
	}
	e.result, e.files, e.origin = old.result, old.files, old.origin
	return more
}

// An action is the Action message for an ID, with its nested messages.
type action struct {
	Digest
	blobs [][]byte // the messages: Action, Command, Directory
}

// actionOf returns the action under which a key's entry is kept.
func actionOf(k remote.Key, f Function) action {
	id, kind := k.Action[:], "action"
	if k.Reads {
		id, kind = k.Result[:], "result"
	}
	command := messages.Marshal(&messages.Command{Arguments: []string{"assetcook", kind}})
	root := messages.Marshal(&messages.Directory{})
	message := messages.Marshal(&messages.Action{CommandDigest: f.Of(command), InputRootDigest: f.Of(root), Salt: id})
	return action{f.Of(message), [][]byte{message, command, root}}
}
