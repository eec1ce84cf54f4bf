package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"

	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/atomicfile"
)

// PutBlob copies size bytes of src, the whole file, into the store under id, by reflink if the file
// system supports it. It neither uses nor moves the offset of src. It verifies the copy: if the
// copy does not match id and size, nothing is kept and the error wraps ErrMismatch. An error from
// reading src wraps neither ErrMismatch nor ErrUnavailable.
//
// If a blob of the right size exists, it is only marked as used. If it is damaged, CopyBlob detects
// it.
func (s *Store) PutBlob(ctx context.Context, src *os.File, id BlobID, size int64) error {
	path := s.files.entryPath(blobs, id)
	if err := s.copyBlobIn(ctx, src, path, id, size); err != nil {
		return fmt.Errorf("put blob %s from %s: %w", path, src.Name(), err)
	}
	return nil
}

func (s *Store) copyBlobIn(ctx context.Context, src *os.File, path string, id BlobID, size int64) error {
	if s.files.readOnly {
		return ErrReadOnly
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	info, err := s.files.statEntry(path)
	switch {
	case err == nil && info.Size() == size:
		s.files.markUsed(blobs, id, info.ModTime())
		return nil
	case err == nil:
		// The existing blob is incomplete. On Windows, the rename below cannot replace a read-only
		// file.
		s.files.removeEntry(path)
	case errors.Is(err, ErrUnavailable):
		return err
	}
	return s.files.installBlob(ctx, path, id, size, func(f *os.File) (hashing.FileSum, error) { return s.files.copyVerified(ctx, f, src, size) })
}

// installBlob creates the blob of an ID and size. fill writes the bytes to a new file. installBlob
// fails if the bytes do not match. A writeError from fill becomes ErrUnavailable.
func (d *entryFiles) installBlob(ctx context.Context, path string, id BlobID, size int64, fill func(*os.File) (hashing.FileSum, error)) error {
	// The file is read-only, so that no program edits a blob by accident through a path into the store.
	f, err := d.createEntry(0o444)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	defer f.Discard()
	landed, err := fill(f.File)
	var writing *writeError
	switch {
	case err != nil && ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &writing):
		return fmt.Errorf("%w: %w", ErrUnavailable, writing.err)
	case err != nil:
		return err
	case landed.Size != size || BlobID(landed.Digest) != id:
		return fmt.Errorf("%w: %s", ErrMismatch, describeMismatch(landed, size))
	}
	// On Windows, the rename fails if another process has just created this blob.
	if err := d.commitEntry(f, path, size); err != nil && !d.hasBlob(id, size) {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return nil
}

// A Folder is a directory into which blobs are copied, such as an [os.Root].
type Folder interface {
	atomicfile.Folder
	Name() string
}

// CopyBlob writes the blob of an ID and size to dst, a new file in a directory, by reflink if
// the file system supports it. dst gets the permissions 0666 without the bits of the umask.
// CopyBlob verifies the bytes of dst. On any error, dst does not exist.
//
// The error wraps ErrMissing if there is no such blob, ErrDamaged if the blob had other content
// (it has been deleted), and ErrUnavailable if the store cannot be read. Any other error is about
// dst or ctx.
func (s *Store) CopyBlob(ctx context.Context, id BlobID, size int64, in Folder, dst string) error {
	path := s.files.entryPath(blobs, id)
	if err := s.copyBlobOut(ctx, path, id, size, in, dst); err != nil {
		return fmt.Errorf("copy blob %s to %s: %w", path, filepath.Join(in.Name(), dst), err)
	}
	return nil
}

func (s *Store) copyBlobOut(ctx context.Context, path string, id BlobID, size int64, in Folder, dst string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	info, err := s.files.statEntry(path)
	if err != nil {
		return err
	}
	if info.Size() != size {
		return s.files.removeDamaged(path, fmt.Sprintf("%d bytes, want %d", info.Size(), size))
	}
	blob, err := s.files.openStored(path)
	if err != nil {
		return err
	}
	defer blob.Close()
	landed, err := s.files.copyOut(ctx, blob, size, id, in, dst)
	var writing *writeError
	switch {
	case err != nil && ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &writing):
		return writing.err
	case errors.Is(err, errOther):
		return s.files.removeDamaged(path, describeMismatch(landed, size))
	case err != nil:
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	s.files.markUsed(blobs, id, info.ModTime())
	return nil
}

// errOther is the error of copyOut for a blob whose content does not match its ID.
var errOther = errors.New("other content")

// copyOut copies an open blob to dst. If it fails, dst does not exist. An error of dst is a
// writeError.
func (d *entryFiles) copyOut(ctx context.Context, blob *os.File, size int64, id BlobID, in Folder, dst string) (landed hashing.FileSum, err error) {
	if err := d.injectFault("create", dst); err != nil {
		return landed, &writeError{err}
	}
	f, err := in.OpenFile(dst, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return landed, &writeError{err}
	}
	defer func() {
		if closeErr := f.Close(); err == nil && closeErr != nil {
			err = &writeError{closeErr}
		}
		if err != nil {
			in.Remove(dst) // O_EXCL proves that this call created the file
		}
	}()
	if landed, err = d.copyVerified(ctx, f, blob, size); err != nil {
		return landed, err
	}
	if landed.Size != size || BlobID(landed.Digest) != id {
		return landed, errOther
	}
	return landed, nil
}

// HasBlob reports whether a blob with the given ID and size exists. It does not read the blob and
// does not count as a use, so plans and queries can call it.
func (s *Store) HasBlob(id BlobID, size int64) bool {
	return s.files.hasBlob(id, size)
}

func (d *entryFiles) hasBlob(id BlobID, size int64) bool {
	info, err := os.Lstat(d.entryPath(blobs, id))
	return err == nil && info.Mode().IsRegular() && info.Size() == size
}

// copyVerified copies src to dst, a new file, and returns the checksum of the copy. It stops one byte
// after size, which proves that src is longer. Errors of dst are writeErrors; other errors are
// about src or ctx.
func (d *entryFiles) copyVerified(ctx context.Context, dst, src *os.File, size int64) (hashing.FileSum, error) {
	limit := limitOf(size)
	err := d.injectFault("clone", dst.Name())
	if err == nil {
		err = d.clone(dst, src)
	}
	if err == nil {
		sum, err := d.sums.Sum(ctx, io.NewSectionReader(dst, 0, limit), hashing.WantDigest)
		if err != nil {
			return sum, &writeError{err}
		}
		return sum, nil
	}
	// A plain copy may still work. The digest is computed from the bytes written to dst, so
	// they need not be read back.
	if !errors.Is(err, errors.ErrUnsupported) {
		if err := dst.Truncate(0); err != nil {
			return hashing.FileSum{}, &writeError{err}
		}
	}
	return d.sums.Sum(ctx, &tee{io.NewSectionReader(src, 0, limit), d.faultyWriter(dst)}, hashing.WantDigest)
}

// limitOf returns size + 1. Reading up to that many bytes detects content that is too long.
func limitOf(size int64) int64 { return min(max(size, 0), math.MaxInt64-1) + 1 }

// A tee writes all bytes that are read through it.
type tee struct {
	r io.Reader
	w io.Writer
}

func (t *tee) Read(p []byte) (int, error) {
	n, err := t.r.Read(p)
	if n > 0 {
		if _, err := t.w.Write(p[:n]); err != nil {
			return 0, &writeError{err}
		}
	}
	return n, err
}

// A writeError is an error of the destination, not of the source.
type writeError struct{ err error }

func (e *writeError) Error() string { return e.err.Error() }
func (e *writeError) Unwrap() error { return e.err }

func describeMismatch(landed hashing.FileSum, size int64) string {
	switch {
	case landed.Size > size:
		return fmt.Sprintf("the content has more than %d bytes", size)
	case landed.Size < size:
		return fmt.Sprintf("%d bytes, want %d", landed.Size, size)
	}
	return "the content is " + landed.Digest.String()
}
