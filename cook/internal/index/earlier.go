package index

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sort"
	"time"

	"github.com/zeebo/xxh3"

	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/internal/dependency"
	"github.com/assetcook/assetcook/profile/guid"
)

// The records of earlier runs undo the changes of the index, one run after the other. So an index
// and the records of the runs after run R give the actions after R. A record has
//
//	magic, length of the body, seal of the body
//	version, run ID, start of the run, complete
//	texts   number; length and bytes of each
//	rows    number; hash of source and target, offset of the row    sorted by hash
//	        flags, and the parts of the action that the run changed, as they were before
//
// Texts are shared by all rows. A method is a text, too. Of each digest, a record keeps the first 8
// bytes, which suffice to explain a difference. A record of an option that changed for all assets
// has 24 bytes for each asset; a record of edited sources has 31.
//
// Records are appended to a file without a sync. A reader skips damage and finds the next record by
// its magic.

// A RunChanges lists the actions that a run changed.
type RunChanges struct {
	Run     guid.ID
	At      time.Time // Decision.At of the changed actions
	Changes []RowChange
}

// A RowChange is an action before and after a run. One of the two may be nil.
type RowChange struct{ Before, After *Action }

var (
	// ErrNoRun reports a run without a record.
	ErrNoRun = errors.New("there is no record of the run")
	// ErrRunGap reports that a record between a run and the index is missing.
	ErrRunGap = errors.New("the record of a later run is missing")
)

var runMagic = [8]byte{'c', 'o', 'o', 'k', 'r', 'u', 'n', '\n'}

const (
	runVersion   = 1
	runHead      = len(runMagic) + 4 + sealSize // magic, length, seal
	runRowSize   = 8 + 4                        // hash, offset
	digestPrefix = 8
)

// These flags say which parts of an action follow in a row.
const (
	rowAbsent = 1 << iota // there was no action
	rowMethod
	rowSource
	rowDeps
	rowMade
	rowPaths // paths of the artifacts
	rowID
	rowFailed // state of the action; no part follows
)

func rowHash(source, target string) uint64 { return xxh3.HashString(source + "\x00" + target) }

// A runEncoder encodes the rows of a record.
type runEncoder struct {
	numbers map[string]uint64
	methods map[*Field]uint64
	times   map[int64]uint64
	texts   []byte
	rows    []byte
}

func (e *runEncoder) numberOfText(text string) uint64 {
	n, ok := e.numbers[text]
	if !ok {
		n = uint64(len(e.numbers))
		e.numbers[text] = n
		e.texts = binary.AppendUvarint(e.texts, uint64(len(text)))
		e.texts = append(e.texts, text...)
	}
	return n
}

func (e *runEncoder) putUint(n uint64)      { e.rows = binary.AppendUvarint(e.rows, n) }
func (e *runEncoder) putText(text string)   { e.putUint(e.numberOfText(text)) }
func (e *runEncoder) putDigest(id [32]byte) { e.rows = append(e.rows, id[:digestPrefix]...) }

func (e *runEncoder) putTime(at int64) {
	n, ok := e.times[at]
	if !ok {
		n = e.numberOfText(string(binary.LittleEndian.AppendUint64(nil, uint64(at))))
		e.times[at] = n
	}
	e.putUint(n)
}

func (e *runEncoder) putMethod(m Method) {
	if len(m) == 0 {
		e.putText("")
		return
	}
	n, ok := e.methods[&m[0]]
	if !ok {
		var fields []byte
		for _, f := range m {
			fields = binary.AppendUvarint(binary.AppendUvarint(fields, e.numberOfText(f.Key)), e.numberOfText(f.Value))
		}
		n = e.numberOfText(string(fields))
		e.methods[&m[0]] = n
	}
	e.putUint(n)
}

// EncodeRun returns a record of at most limit bytes. If the changes do not fit, the record has
// none, and the actions of earlier runs become unknown.
func EncodeRun(c *RunChanges, limit int) []byte {
	e := &runEncoder{numbers: map[string]uint64{}, methods: map[*Field]uint64{}, times: map[int64]uint64{}}
	type place struct {
		hash uint64
		at   int
	}
	places := make([]place, 0, len(c.Changes))
	for _, change := range c.Changes {
		of := cmp.Or(change.Before, change.After)
		places = append(places, place{rowHash(of.Path, of.Target), len(e.rows)})
		e.appendRow(change)
	}
	complete := byte(1)
	if runHead+len(e.texts)+len(e.rows)+len(places)*runRowSize+64 > limit {
		e, places, complete = &runEncoder{}, nil, 0
	}
	slices.SortFunc(places, func(a, b place) int { return cmp.Compare(a.hash, b.hash) })
	le := binary.LittleEndian
	b := append(make([]byte, runHead), runVersion)
	b = append(b, c.Run[:]...)
	b = append(le.AppendUint64(b, uint64(c.At.UnixNano())), complete)
	b = append(binary.AppendUvarint(b, uint64(len(e.numbers))), e.texts...)
	b = binary.AppendUvarint(b, uint64(len(places)))
	for _, p := range places {
		b = le.AppendUint32(le.AppendUint64(b, p.hash), uint32(p.at))
	}
	b = append(b, e.rows...)
	copy(b, runMagic[:])
	le.PutUint32(b[len(runMagic):], uint32(len(b)-runHead))
	sum := seal(b[runHead:])
	copy(b[runHead-sealSize:], sum[:])
	return b
}

// appendRow appends the parts of an action that a run changed.
func (e *runEncoder) appendRow(change RowChange) {
	was, now := change.Before, change.After
	if was == nil {
		e.rows = append(e.rows, rowAbsent)
		return
	}
	if now == nil {
		now = &Action{}
	}
	flags, at := byte(0), len(e.rows)
	e.rows = append(e.rows, 0)
	e.putTime(was.Decision.At.UnixNano())
	if was.State == Failed {
		flags |= rowFailed
	}
	if !slices.Equal(was.Method, now.Method) {
		flags |= rowMethod
		e.putMethod(was.Method)
	}
	if was.Source != now.Source {
		flags |= rowSource
		e.putDigest(was.Source)
	}
	if !slices.Equal(was.Deps, now.Deps) {
		flags |= rowDeps
		e.putUint(uint64(len(was.Deps)))
		for _, d := range was.Deps {
			e.putText(dependency.Encode(d.On))
			e.putText(d.Name)
			found := byte(0)
			if d.Found {
				found = 1
			}
			e.rows = append(e.rows, found)
			e.putDigest(d.Blob)
		}
	}
	if !slices.EqualFunc(was.Made, now.Made, func(a, b Artifact) bool { return a.Blob == b.Blob && a.Path == b.Path }) {
		flags |= rowMade
		e.putUint(uint64(len(was.Made)))
		for _, m := range was.Made {
			e.putDigest(m.Blob)
		}
		if !slices.EqualFunc(was.Made, now.Made, func(a, b Artifact) bool { return a.Path == b.Path }) {
			flags |= rowPaths
			for _, m := range was.Made {
				e.putText(m.Path)
			}
		}
	}
	if was.ID != now.ID && flags&(rowMethod|rowSource|rowDeps) == 0 {
		flags |= rowID
		e.putDigest(was.ID)
	}
	e.rows[at] = flags
}

// A runDecoder reads a record. It never reads outside of its bytes. After an error, it returns
// zeros.
type runDecoder struct {
	b      []byte
	failed bool
}

func (d *runDecoder) takeBytes(n uint64) []byte {
	if n > uint64(len(d.b)) {
		d.b, d.failed = nil, true
		return nil
	}
	b := d.b[:n]
	d.b = d.b[n:]
	return b
}

func (d *runDecoder) takeUvarint() uint64 {
	v, n := binary.Uvarint(d.b)
	if n <= 0 {
		d.b, d.failed = nil, true
		return 0
	}
	d.b = d.b[n:]
	return v
}

// takeCount reads a number of items of at least size bytes each.
func (d *runDecoder) takeCount(size int) int {
	n := d.takeUvarint()
	if n > uint64(len(d.b)/size) {
		d.b, d.failed = nil, true
		return 0
	}
	return int(n)
}

func (d *runDecoder) takePrefix() (id [32]byte) {
	copy(id[:], d.takeBytes(digestPrefix))
	return id
}

func (d *runDecoder) takeTime() time.Time {
	if b := d.takeBytes(8); b != nil {
		return time.Unix(0, int64(binary.LittleEndian.Uint64(b)))
	}
	return time.Time{}
}

// A runRecord is a record whose seal was checked.
type runRecord struct {
	run      guid.ID
	at       time.Time
	complete bool
	rest     runDecoder
}

// decodeRuns returns the records in a file, oldest first. It skips damage.
func decodeRuns(data []byte) (list []runRecord) {
	for {
		i := bytes.Index(data, runMagic[:])
		if i < 0 {
			return list
		}
		data = data[i:]
		if len(data) >= runHead {
			if n := binary.LittleEndian.Uint32(data[len(runMagic):]); uint64(n) <= uint64(len(data)-runHead) {
				body := data[runHead : runHead+int(n)]
				if sum := seal(body); bytes.Equal(sum[:], data[runHead-sealSize:runHead]) {
					d := runDecoder{b: body}
					version := d.takeBytes(1)
					var r runRecord
					copy(r.run[:], d.takeBytes(uint64(len(r.run))))
					r.at = d.takeTime()
					complete := d.takeBytes(1)
					r.complete = len(version) == 1 && version[0] == runVersion && len(complete) == 1 && complete[0] == 1
					r.rest = d
					list = append(list, r)
					data = data[runHead+len(body):]
					continue
				}
			}
		}
		data = data[1:]
	}
}

// findRow returns the row of an action, and the texts of the record. ok is false if the run did not
// change the action.
func (r *runRecord) findRow(hash uint64) (row runDecoder, texts []string, ok bool) {
	d := r.rest
	n := d.takeCount(1)
	begin := d
	for range n {
		d.takeBytes(d.takeUvarint())
	}
	rows := d.takeCount(runRowSize)
	table, le := d.takeBytes(uint64(rows*runRowSize)), binary.LittleEndian
	i := sort.Search(rows, func(i int) bool { return le.Uint64(table[i*runRowSize:]) >= hash })
	if d.failed || i == rows || le.Uint64(table[i*runRowSize:]) != hash {
		return runDecoder{failed: d.failed}, nil, d.failed
	}
	d.takeBytes(uint64(le.Uint32(table[i*runRowSize+8:])))
	texts = make([]string, n)
	for i := range texts {
		texts[i] = string(begin.takeBytes(begin.takeUvarint()))
	}
	return d, texts, true
}

// undo changes an action to its state before the run of a row. It returns nil if there was no
// action.
func (d *runDecoder) undo(now *Action, texts []string) *Action {
	flags := d.takeBytes(1)
	if d.failed || flags[0] == rowAbsent {
		return nil
	}
	has := func(flag byte) bool { return flags[0]&flag != 0 }
	text := func() string {
		n := d.takeUvarint()
		if n >= uint64(len(texts)) {
			d.failed = true
			return ""
		}
		return texts[n]
	}
	was := *now
	at := runDecoder{b: []byte(text())}
	was.Decision, was.State = Decision{At: at.takeTime()}, Done
	if has(rowFailed) {
		was.State = Failed
	}
	if has(rowMethod) {
		was.Method = nil
		fields := runDecoder{b: []byte(text())}
		for len(fields.b) > 0 {
			key, value := fields.takeUvarint(), fields.takeUvarint()
			if max(key, value) >= uint64(len(texts)) {
				d.failed = true
				return nil
			}
			was.Method = append(was.Method, Field{texts[key], texts[value]})
		}
	}
	if has(rowSource) {
		was.Source = d.takePrefix()
	}
	if has(rowDeps) {
		was.Deps = nil
		for range d.takeCount(2 + 1 + digestPrefix) {
			on, err := dependency.Decode(text())
			dep := Dep{On: on, Name: text()}
			found := d.takeBytes(1)
			dep.Found, dep.Blob = !d.failed && found[0] == 1, d.takePrefix()
			d.failed = d.failed || err != nil
			was.Deps = append(was.Deps, dep)
		}
	}
	if has(rowMade) {
		was.Made = make([]Artifact, d.takeCount(digestPrefix))
		for i := range was.Made {
			if i < len(now.Made) {
				was.Made[i].Path = now.Made[i].Path
			}
			was.Made[i].Blob = d.takePrefix()
		}
		for i := range was.Made {
			if has(rowPaths) {
				was.Made[i].Path = text()
			}
		}
	}
	switch {
	case has(rowID):
		was.ID = d.takePrefix()
	case has(rowMethod | rowSource | rowDeps):
		was.ID = store.ActionID{}
	}
	return &was
}

// ActionAfter returns an action as it was after a run, or nil if there was none. data has records,
// oldest first. now is the action in the index, or nil. The error wraps ErrNoRun, ErrRunGap or
// ErrDamaged. The result has the parts of a key, and the first 8 bytes of digests. Its ID is zero if
// unknown.
func ActionAfter(data []byte, run guid.ID, source, target string, now *Action) (*Action, error) {
	records := decodeRuns(data)
	first := len(records) - 1
	for first >= 0 && records[first].run != run {
		first--
	}
	if first < 0 {
		return nil, ErrNoRun
	}
	hash := rowHash(source, target)
	for i := len(records) - 1; i > first; i-- {
		r := &records[i]
		if !r.complete {
			return nil, fmt.Errorf("%w: run %s", ErrRunGap, r.run)
		}
		row, texts, ok := r.findRow(hash)
		if !ok {
			continue
		}
		was := &Action{Path: source, Target: target}
		if now != nil {
			was = now
		}
		if was = row.undo(was, texts); row.failed {
			return nil, fmt.Errorf("%w: the record of run %s", ErrDamaged, r.run)
		}
		now = was
	}
	if now != nil && now.Decision.At.After(records[first].at) {
		return nil, ErrRunGap // a run without a record worked on the action
	}
	return now, nil
}

// LastRuns returns the last records, in at most limit bytes.
func LastRuns(data []byte, limit int) []byte {
	data = data[max(0, len(data)-limit):]
	return data[max(0, bytes.Index(data, runMagic[:])):]
}
