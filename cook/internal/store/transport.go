package store

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/assetcook/assetcook/hashing"
)

// Records are sent between stores in their file format, with ID and checksum, so that the
// receiver detects torn and swapped records and records of another version.

// MarshalResult returns the record of a result. It leaves out the origin, because the receiver sets
// it.
func MarshalResult(id ResultID, r Result) ([]byte, error) {
	r.Origin = Origin{}
	payload, err := encodeResult(r)
	if err != nil {
		return nil, fmt.Errorf("result %s: %w", id, err)
	}
	return sealRecord(results, id, payload), nil
}

// UnmarshalResult reads the record of a result. The error wraps ErrDamaged.
func UnmarshalResult(id ResultID, record []byte) (Result, error) {
	payload, err := openRecord(results, id, record)
	if err == nil {
		var r Result
		if r, err = decodeResult(payload); err == nil {
			r.Origin = Origin{}
			return r, nil
		}
	}
	return Result{}, fmt.Errorf("result %s: %w: %w", id, ErrDamaged, err)
}

// MarshalReadSets returns the record of an action's read sets, newest first.
func MarshalReadSets(id ActionID, sets []ReadSet) []byte {
	return sealRecord(reads, id, encodeReadSets(sets))
}

// UnmarshalReadSets reads the record of an action's read sets. The error wraps ErrDamaged.
func UnmarshalReadSets(id ActionID, record []byte) ([]ReadSet, error) {
	payload, err := openRecord(reads, id, record)
	if err == nil {
		var sets []ReadSet
		if sets, err = decodeReadSets(payload); err == nil {
			return sets, nil
		}
	}
	return nil, fmt.Errorf("read sets of %s: %w: %w", id, ErrDamaged, err)
}

// ReceiveBlob stores the content of a stream under id, and verifies the content while writing. If
// reading src fails, it returns the error unchanged.
func (s *Store) ReceiveBlob(ctx context.Context, src io.Reader, id BlobID, size int64) error {
	path := s.files.entryPath(blobs, id)
	if err := s.installStream(ctx, src, path, id, size); err != nil {
		return fmt.Errorf("receive blob %s: %w", path, err)
	}
	return nil
}

func (s *Store) installStream(ctx context.Context, src io.Reader, path string, id BlobID, size int64) error {
	if s.files.readOnly {
		return ErrReadOnly
	}
	if s.HasBlob(id, size) {
		return nil
	}
	return s.files.installBlob(ctx, path, id, size, func(f *os.File) (hashing.FileSum, error) {
		return s.files.sums.Sum(ctx, &tee{io.LimitReader(src, limitOf(size)), s.files.faultyWriter(f)}, hashing.WantDigest)
	})
}

// OpenBlob opens the blob with the given ID and size for reading, without verifying its content. The error wraps
// ErrMissing, ErrDamaged or ErrUnavailable.
func (s *Store) OpenBlob(id BlobID, size int64) (*os.File, error) {
	path := s.files.entryPath(blobs, id)
	info, err := s.files.statEntry(path)
	if err == nil && info.Size() != size {
		err = s.files.removeDamaged(path, fmt.Sprintf("%d bytes, want %d", info.Size(), size))
	}
	if err != nil {
		return nil, err
	}
	return s.files.openStored(path)
}
