package store

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/assetcook/assetcook/hashing"
)

// Exists reports whether there is a store in dir.
func Exists(dir string) bool {
	s, err := newStore(dir)
	if err != nil {
		return false
	}
	_, err = os.Stat(s.root)
	return err == nil
}

// CheckBlob reads a blob of that size where it lies and compares it with its ID.
// The error is as that of CopyBlob: it wraps ErrDamaged if the content was another
// one (the blob has been deleted, unless the store is read-only). To be checked
// counts as use.
func (s *Store) CheckBlob(ctx context.Context, id BlobID, size int64) error {
	path := s.path(blobs, id)
	if err := s.checkBlob(ctx, path, id, size); err != nil {
		return fmt.Errorf("check blob %s: %w", path, err)
	}
	return nil
}

func (s *Store) checkBlob(ctx context.Context, path string, id BlobID, size int64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	info, err := s.stat(path)
	if err != nil {
		return err
	}
	blob, err := s.open(path)
	if err != nil {
		return err
	}
	defer blob.Close()
	if err := s.trip("read", path); err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	limit := min(max(size, 0), math.MaxInt64-1) + 1
	sum, err := s.sums.Sum(ctx, io.NewSectionReader(blob, 0, limit), hashing.WantDigest)
	switch {
	case err != nil && ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	case sum.Size != size || BlobID(sum.Digest) != id:
		return s.damaged(path, describe(sum, size))
	}
	s.used(path, info)
	return nil
}
