package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/assetcook/assetcook/hashing"
)

// A record file is, with numbers in little-endian order:
//
//	magic    4 bytes, "acst"
//	version  1 byte
//	kind     1 byte, the directory it belongs in
//	id      32 bytes, its ActionID or ResultID
//	payload  the rest, without the sum
//	sum     16 bytes, XXH3-128 of everything before, most significant byte first
const (
	recordMagic   = "acst"
	recordVersion = 1
	recordHead    = len(recordMagic) + 2 + 32
	recordSum     = "xxh128" // fixed, as part of the format
	recordTail    = 16

	// maxRecord limits the memory for a record. It suffices for 16 read sets of 10,000 names of
	// 100 bytes.
	maxRecord = 16 << 20
)

// sealRecord wraps a payload in a record.
func sealRecord(k kind, id [32]byte, payload []byte) []byte {
	b := make([]byte, 0, recordHead+len(payload)+recordTail)
	b = append(b, recordMagic...)
	b = append(b, recordVersion, byte(k))
	b = append(b, id[:]...)
	b = append(b, payload...)
	sum := recordChecksum(b)
	return append(b, sum[:]...)
}

// openRecord checks that b is the record of the given kind and ID, and returns its payload.
func openRecord(k kind, id [32]byte, b []byte) ([]byte, error) {
	switch {
	case len(b) < recordHead+recordTail:
		return nil, fmt.Errorf("the file has %d bytes, too few for a record", len(b))
	case string(b[:len(recordMagic)]) != recordMagic:
		return nil, errors.New("the file is not a record")
	case b[len(recordMagic)] != recordVersion:
		return nil, fmt.Errorf("the record has version %d, want %d", b[len(recordMagic)], recordVersion)
	}
	body, tail := b[:len(b)-recordTail], b[len(b)-recordTail:]
	if sum := recordChecksum(body); !bytes.Equal(tail, sum[:]) {
		return nil, errors.New("wrong checksum")
	}
	head := body[:recordHead]
	switch {
	case head[len(recordMagic)+1] != byte(k):
		return nil, errors.New("the record is of another kind")
	case !bytes.Equal(head[recordHead-len(id):], id[:]):
		return nil, errors.New("the record belongs to another ID")
	}
	return body[recordHead:], nil
}

func recordChecksum(b []byte) [16]byte {
	f, _ := hashing.Lookup(recordSum)
	return f.Sum128(b).Bytes()
}

// readEntryRecord returns the payload of a record and the path of the record, and marks the record
// as used.
func (d *entryFiles) readEntryRecord(k kind, id [32]byte) (payload []byte, path string, err error) {
	path = d.entryPath(k, id)
	info, err := d.statEntry(path)
	if err != nil {
		return nil, path, err
	}
	if info.Size() > maxRecord {
		return nil, path, d.removeDamaged(path, fmt.Sprintf("the record has %d bytes, at most %d expected", info.Size(), maxRecord))
	}
	f, err := d.openStored(path)
	if err != nil {
		return nil, path, err
	}
	defer f.Close()
	if err := d.injectFault("read", path); err != nil {
		return nil, path, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	var b bytes.Buffer
	b.Grow(int(info.Size()) + bytes.MinRead) // capacity to detect the end without growing the buffer
	// The limit applies even if the file grows while it is read.
	if _, err := b.ReadFrom(io.LimitReader(f, maxRecord+1)); err != nil {
		return nil, path, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	if payload, err = openRecord(k, id, b.Bytes()); err != nil {
		return nil, path, d.removeDamaged(path, err.Error())
	}
	d.markUsed(k, id, info.ModTime())
	return payload, path, nil
}

// writeRecord replaces the record of an ID.
func (d *entryFiles) writeRecord(k kind, id [32]byte, payload []byte) error {
	f, err := d.createEntry(0o666)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	defer f.Discard()
	b := sealRecord(k, id, payload)
	if _, err := d.faultyWriter(f.File).Write(b); err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	if err := d.commitEntry(f, d.entryPath(k, id), int64(len(b))); err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return nil
}

// A decoder reads the fields of a payload. After the first error it returns zeros.
type decoder struct {
	b   []byte
	err error
}

var errShort = errors.New("the record ends early")

func (d *decoder) takeBytes(n uint64) []byte {
	if d.err == nil && n > uint64(len(d.b)) {
		d.err = errShort
	}
	if d.err != nil {
		return nil
	}
	out := d.b[:n]
	d.b = d.b[n:]
	return out
}

func (d *decoder) takeUint32() uint32 {
	if b := d.takeBytes(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

// takeInt64 reads an integer that must not be negative.
func (d *decoder) takeInt64() int64 {
	b := d.takeBytes(8)
	if b == nil {
		return 0
	}
	v := int64(binary.LittleEndian.Uint64(b))
	if v < 0 {
		d.err = errors.New("negative number")
		return 0
	}
	return v
}

// takeCount reads the count of the following items, each of at least itemSize bytes. A count
// that exceeds the rest of the payload is an error, so the caller may allocate that many items.
func (d *decoder) takeCount(itemSize int) int {
	n := d.takeUint32()
	if d.err == nil && uint64(n)*uint64(itemSize) > uint64(len(d.b)) {
		d.err = errShort
	}
	if d.err != nil {
		return 0
	}
	return int(n)
}

// endRecord returns the first error of the decoder. If bytes are left over, that is an error too.
func (d *decoder) endRecord() error {
	if d.err == nil && len(d.b) > 0 {
		d.err = fmt.Errorf("there are %d bytes after the end of the record", len(d.b))
	}
	return d.err
}
