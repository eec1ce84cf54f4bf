package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/assetcook/assetcook/cook/internal/manifest"
	"github.com/assetcook/assetcook/internal/jobenv"
)

// Result is the recorded result of an action.
type Result struct {
	Artifacts []Artifact    // artifacts in the order of the recipe's outputs
	CookTime  time.Duration // the time that a cache hit saves
	Warnings  []string      // messages of the recipe about the source
	Origin    Origin        // zero if the result was cooked on this machine
	Facts     jobenv.Facts  // decisions of the recipe about the source
}

// Artifact is one output file by content. The store does not know its path.
type Artifact struct {
	Blob BlobID
	Size int64  // size in bytes
	Role string // meaning of the pixels of an image; "" for other files
}

const artifactSize = 32 + 8 // length in a record, in bytes

// Result returns the recorded result of an ID. The error wraps ErrMissing, ErrDamaged (the record
// has been deleted) or ErrUnavailable. Blobs of the result may be missing; CopyBlob reports such
// blobs.
func (s *Store) Result(id ResultID) (Result, error) {
	payload, path, err := s.files.readEntryRecord(results, id)
	if err != nil {
		return Result{}, fmt.Errorf("read result: %w", err)
	}
	r, err := decodeResult(payload)
	if err != nil {
		return Result{}, fmt.Errorf("read result: %w", s.files.removeDamaged(path, err.Error()))
	}
	return r, nil
}

// PutResult records the result of an action. The blobs must be stored first: a result without
// its blobs is a miss. If the same artifacts are recorded already, the record keeps its older
// CookTime, unless it has the origin of another machine and r has none.
func (s *Store) PutResult(id ResultID, r Result) error {
	if err := recordResult(s, id, r); err != nil {
		return fmt.Errorf("put result %s: %w", s.files.entryPath(results, id), err)
	}
	return nil
}

func recordResult(s *Store, id ResultID, r Result) error {
	if s.files.readOnly {
		return ErrReadOnly
	}
	payload, err := encodeResult(r)
	if err != nil {
		return err
	}
	switch old, err := s.Result(id); {
	case err == nil && r.Origin.IsZero() && !old.Origin.IsZero(): // now this machine has cooked it
	case err == nil && slices.Equal(old.Artifacts, r.Artifacts) && slices.Equal(old.Warnings, r.Warnings) && old.Facts == r.Facts:
		return nil
	case errors.Is(err, ErrUnavailable):
		return err
	}
	return s.files.writeRecord(results, id, payload)
}

// encodeResult returns a payload: the cook time in ns (8 bytes), the number of artifacts (4),
// and for each its blob ID (32) and size (8). With warnings or an origin, the number of
// warnings (4) follows, and for each its length (4) and its bytes; then the origin, if there is
// one. Facts and roles come last, after an empty origin if there is none. Older versions treat a
// record with an origin or with facts as damaged, which is a miss.
func encodeResult(r Result) ([]byte, error) {
	if r.CookTime < 0 {
		return nil, fmt.Errorf("the cook time %v is negative", r.CookTime)
	}
	b := binary.LittleEndian.AppendUint64(nil, uint64(r.CookTime))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(r.Artifacts)))
	for i, a := range r.Artifacts {
		if a.Size < 0 || a.Blob.IsZero() || !isRoleOrNone(a.Role) {
			return nil, fmt.Errorf("artifact %d is invalid: blob %v, size %d, role %q", i, a.Blob, a.Size, a.Role)
		}
		b = append(b, a.Blob[:]...)
		b = binary.LittleEndian.AppendUint64(b, uint64(a.Size))
	}
	facts := r.hasFacts()
	if len(r.Warnings) > 0 || !r.Origin.IsZero() || facts {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(r.Warnings)))
	}
	for _, w := range r.Warnings {
		b = append(binary.LittleEndian.AppendUint32(b, uint32(len(w))), w...)
	}
	if !r.Origin.IsZero() || facts {
		b = appendOrigin(b, r.Origin)
	}
	if facts {
		b = appendFacts(b, r)
	}
	if most := maxRecord - recordHead - recordTail; len(b) > most {
		return nil, fmt.Errorf("the record has %d bytes; at most %d fit", len(b), most)
	}
	return b, nil
}

func decodeResult(payload []byte) (Result, error) {
	d := decoder{b: payload}
	r := Result{CookTime: time.Duration(d.takeInt64())}
	if n := d.takeCount(artifactSize); n > 0 {
		r.Artifacts = make([]Artifact, n)
	}
	for i := range r.Artifacts {
		a := &r.Artifacts[i]
		copy(a.Blob[:], d.takeBytes(32))
		a.Size = d.takeInt64()
		if d.err == nil && a.Blob.IsZero() {
			d.err = errors.New("an artifact has no blob ID")
		}
	}
	if d.err == nil && len(d.b) > 0 {
		if n := d.takeCount(4); n > 0 {
			r.Warnings = make([]string, n)
		} else if d.err == nil && len(d.b) == 0 {
			d.err = errors.New("the list of warnings is empty")
		}
	}
	for i := range r.Warnings {
		r.Warnings[i] = string(d.takeBytes(uint64(d.takeUint32())))
	}
	if d.err == nil && len(d.b) > 0 {
		if r.Origin = d.decodeOrigin(); d.err == nil && r.Origin.IsZero() && len(d.b) == 0 {
			d.err = errors.New("the origin of the result is empty")
		}
	}
	if d.err == nil && len(d.b) > 0 {
		if d.decodeFacts(&r); d.err == nil && !r.hasFacts() {
			d.err = errors.New("empty facts")
		}
	}
	if err := d.endRecord(); err != nil {
		return Result{}, err
	}
	return r, nil
}

// hasFacts reports whether there are facts, or roles of artifacts.
func (r *Result) hasFacts() bool {
	return r.Facts != jobenv.Facts{} || slices.ContainsFunc(r.Artifacts, func(a Artifact) bool { return a.Role != "" })
}

// isRoleOrNone reports whether a text is a role, or empty.
func isRoleOrNone(text string) bool { return text == "" || manifest.IsRole(text) }

// appendFacts appends the number of levels (4), and texts as their length (4) and their bytes: the
// role of each artifact, the evidence and the format.
func appendFacts(b []byte, r Result) []byte {
	b = binary.LittleEndian.AppendUint32(b, uint32(r.Facts.Levels))
	appendText := func(text string) {
		b = append(binary.LittleEndian.AppendUint32(b, uint32(len(text))), text...)
	}
	for i := range r.Artifacts {
		appendText(r.Artifacts[i].Role)
	}
	appendText(r.Facts.Evidence)
	appendText(r.Facts.Format)
	return b
}

// decodeFacts decodes the facts and the roles of a result whose artifacts are decoded.
func (d *decoder) decodeFacts(r *Result) {
	r.Facts.Levels = int(d.takeUint32())
	for i := range r.Artifacts {
		a := &r.Artifacts[i]
		if a.Role = string(d.takeBytes(uint64(d.takeUint32()))); d.err == nil && !isRoleOrNone(a.Role) {
			d.err = fmt.Errorf("role %.40q", a.Role)
		}
	}
	for _, text := range []*string{&r.Facts.Evidence, &r.Facts.Format} {
		*text = string(d.takeBytes(uint64(d.takeUint32())))
	}
}

// Origin names the server and the machine of a result that was not cooked on this machine. Its
// strings were sent by a server and can be any bytes. They are only displayed.
type Origin struct {
	Server string    `json:"server"`         // address of the server
	Run    string    `json:"run,omitempty"`  // ID of the run that cooked the result
	Host   string    `json:"host,omitempty"` // machine that cooked the result
	Key    string    `json:"key,omitempty"`  // fingerprint of the key that signed the result; "" if unsigned
	At     time.Time `json:"at,omitzero"`    // cook time, in whole ms; zero if unknown
}

// lastMilli is the last millisecond of the year 9999, the latest time that JSON can hold.
const lastMilli = 253402300799999

// IsZero reports whether a result was cooked on this machine.
func (o Origin) IsZero() bool { return o == Origin{} }

// appendOrigin appends an origin to a payload: server, run, host and key, each as its length (4
// bytes) and its bytes, and the time in ms since 1970 (8 bytes), 0 if unknown.
func appendOrigin(b []byte, o Origin) []byte {
	for _, text := range [...]string{o.Server, o.Run, o.Host, o.Key} {
		b = append(binary.LittleEndian.AppendUint32(b, uint32(len(text))), text...)
	}
	at := int64(0)
	if !o.At.IsZero() {
		at = max(0, o.At.UnixMilli())
	}
	return binary.LittleEndian.AppendUint64(b, uint64(at))
}

func (d *decoder) decodeOrigin() (o Origin) {
	for _, text := range [...]*string{&o.Server, &o.Run, &o.Host, &o.Key} {
		*text = string(d.takeBytes(uint64(d.takeUint32())))
	}
	switch at := d.takeInt64(); {
	case at > lastMilli:
		d.err = errors.New("the time is after the year 9999")
	case at > 0:
		o.At = time.UnixMilli(at).UTC()
	}
	return o
}
