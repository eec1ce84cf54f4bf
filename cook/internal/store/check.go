package store

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/assetcook/assetcook/hashing"
)

// Exists reports whether dir contains a store.
func Exists(dir string) bool {
	s, err := storeIn(dir)
	if err != nil {
		return false
	}
	_, err = os.Stat(s.files.root)
	return err == nil
}

// Root returns the directory of all entries, for callers that read many of them; see BlobFile
// and ResultFile. Such callers must call UsedBlob or UsedResult for good entries. For bad
// entries, CheckBlob and Result return the error.
func (s *Store) Root() string { return s.files.root }

// BlobFile returns the path of a blob below Root.
func BlobFile(id BlobID) string { return entryFile(blobs, id) }

// ResultFile returns the path of a result below Root.
func ResultFile(id ResultID) string { return entryFile(results, id) }

func entryFile(k kind, id [32]byte) string {
	name := BlobID(id).String()
	return k.String() + "/" + name[:2] + "/" + name
}

// ParseResult decodes the file of a result.
func ParseResult(id ResultID, file []byte) (Result, error) {
	payload, err := openRecord(results, id, file)
	if err != nil {
		return Result{}, err
	}
	return decodeResult(payload)
}

// UsedBlob records that a blob was read. last is its previous time of use, in ns since 1970.
func (s *Store) UsedBlob(id BlobID, last int64) { s.files.markUsed(blobs, id, time.Unix(0, last)) }

// UsedResult records that a result was read.
func (s *Store) UsedResult(id ResultID, last int64) {
	s.files.markUsed(results, id, time.Unix(0, last))
}

// BlobFolders reports, for each value of the first byte of a blob ID, whether the store may have
// such blobs.
func (s *Store) BlobFolders() (there [256]bool) {
	list, err := os.ReadDir(s.files.kindFolder(blobs))
	for i := range there {
		there[i] = err != nil
	}
	for _, e := range list {
		if b, err := hex.DecodeString(e.Name()); err == nil && len(b) == 1 {
			there[b[0]] = true
		}
	}
	return there
}

// CheckBlob reads the blob with the given ID and size in place and compares its content with the
// ID. It returns the same errors as CopyBlob. If the content differs, it deletes the blob, unless
// the store is read-only. A check counts as use.
func (s *Store) CheckBlob(ctx context.Context, id BlobID, size int64) error {
	path := s.files.entryPath(blobs, id)
	if err := s.compareBlob(ctx, path, id, size, nil); err != nil {
		return fmt.Errorf("check blob %s: %w", path, err)
	}
	return nil
}

// ReadBlob is like CheckBlob, and returns the content of the blob, which should be small.
func (s *Store) ReadBlob(ctx context.Context, id BlobID, size int64) ([]byte, error) {
	path := s.files.entryPath(blobs, id)
	content := bytes.NewBuffer(make([]byte, 0, max(size, 0)))
	if err := s.compareBlob(ctx, path, id, size, content); err != nil {
		return nil, fmt.Errorf("read blob %s: %w", path, err)
	}
	return content.Bytes(), nil
}

// compareBlob compares a blob with its ID. It copies the content to copyTo unless that is nil.
func (s *Store) compareBlob(ctx context.Context, path string, id BlobID, size int64, copyTo io.Writer) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	info, err := s.files.statEntry(path)
	if err != nil {
		return err
	}
	blob, err := s.files.openStored(path)
	if err != nil {
		return err
	}
	defer blob.Close()
	if err := s.files.injectFault("read", path); err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	var content io.Reader = io.NewSectionReader(blob, 0, limitOf(size))
	if copyTo != nil {
		content = io.TeeReader(content, copyTo)
	}
	sum, err := s.files.sums.Sum(ctx, content, hashing.WantDigest)
	switch {
	case err != nil && ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	case sum.Size != size || BlobID(sum.Digest) != id:
		return s.files.removeDamaged(path, describeMismatch(sum, size))
	}
	s.files.markUsed(blobs, id, info.ModTime())
	return nil
}
