package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/assetcook/assetcook/internal/dependency"
)

// ReadSet lists the dependencies that an action read or looked for in one run, as the recipe
// requested them, sorted and without duplicates. The ReadSet of a run that read only its source
// is empty.
type ReadSet []dependency.Dependency

// maxReadSets limits the read sets of an action, because each of them takes a lookup of all its
// names.
const maxReadSets = 16

// ReadSets returns the read sets recorded for an action, newest first. A nil result without an
// error means that none are recorded. The error wraps ErrDamaged (the record has been deleted) or
// ErrUnavailable.
func (s *Store) ReadSets(id ActionID) ([]ReadSet, error) {
	payload, path, err := s.files.readEntryRecord(reads, id)
	if errors.Is(err, ErrMissing) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read read sets: %w", err)
	}
	sets, err := decodeReadSets(payload)
	if err != nil {
		return nil, fmt.Errorf("read read sets: %w", s.files.removeDamaged(path, err.Error()))
	}
	return sets, nil
}

// AddReadSet records a read set as the newest one of its action. It drops the oldest read sets if
// there are more than 16 or if they exceed the size of a record. set need not be sorted, and
// AddReadSet does not keep it.
//
// If two processes add to one action at the same time, one set may be lost. This causes a miss,
// but a lock between processes would slow down every run.
func (s *Store) AddReadSet(id ActionID, set ReadSet) error {
	if err := s.prependReadSet(id, set); err != nil {
		return fmt.Errorf("add read set %s: %w", s.files.entryPath(reads, id), err)
	}
	return nil
}

func (s *Store) prependReadSet(id ActionID, set ReadSet) error {
	if s.files.readOnly {
		return ErrReadOnly
	}
	set = slices.Clone(set)
	slices.SortFunc(set, dependency.Compare)
	set = slices.Compact(set)

	mu := &s.readMu[id[0]]
	mu.Lock()
	defer mu.Unlock()
	old, err := s.ReadSets(id)
	if errors.Is(err, ErrUnavailable) {
		return err
	}
	if len(old) > 0 && slices.Equal(old[0], set) {
		return nil
	}
	sets := []ReadSet{set}
	for _, o := range old {
		if !slices.Equal(o, set) && len(sets) < maxReadSets {
			sets = append(sets, o)
		}
	}
	payload := encodeReadSets(sets)
	for ; len(payload) > maxRecord-recordHead-recordTail; payload = encodeReadSets(sets) {
		if len(sets) == 1 {
			return fmt.Errorf("the %d names, of %d bytes, do not fit in a record", len(set), len(payload))
		}
		sets = sets[:len(sets)-1]
	}
	return s.files.writeRecord(reads, id, payload)
}

// encodeReadSets returns a payload: the number of read sets (4 bytes), for each the number of
// dependencies (4), and for each dependency its length (4) and its text.
func encodeReadSets(sets []ReadSet) []byte {
	b := binary.LittleEndian.AppendUint32(nil, uint32(len(sets)))
	for _, set := range sets {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(set)))
		for _, asked := range set {
			name := dependency.Encode(asked)
			b = binary.LittleEndian.AppendUint32(b, uint32(len(name)))
			b = append(b, name...)
		}
	}
	return b
}

// decodeReadSets accepts exactly the payloads that encodeReadSets returns for one to sixteen
// distinct sorted sets.
func decodeReadSets(payload []byte) ([]ReadSet, error) {
	d := decoder{b: payload}
	n := d.takeCount(4)
	if d.err == nil && (n < 1 || n > maxReadSets) {
		d.err = fmt.Errorf("the record has %d read sets, which is out of range", n)
	}
	var sets []ReadSet
	for i := 0; i < n && d.err == nil; i++ {
		set := ReadSet{}
		for n := d.takeCount(4); len(set) < n && d.err == nil; {
			set = append(set, d.takeDependency())
			if j := len(set) - 1; d.err == nil && j > 0 && dependency.Compare(set[j-1], set[j]) >= 0 {
				d.err = errors.New("the names are out of order")
			}
		}
		same := func(o ReadSet) bool { return slices.Equal(o, set) }
		if d.err == nil && slices.ContainsFunc(sets, same) {
			d.err = errors.New("the record has a read set twice")
		}
		sets = append(sets, set)
	}
	if err := d.endRecord(); err != nil {
		return nil, err
	}
	return sets, nil
}

// takeDependency reads the length and the text of a dependency.
func (d *decoder) takeDependency() (on dependency.Dependency) {
	text := string(d.takeBytes(uint64(d.takeUint32())))
	if d.err == nil {
		on, d.err = dependency.Decode(text)
	}
	return on
}
