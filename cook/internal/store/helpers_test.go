package store

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/confine"
	"github.com/assetcook/assetcook/internal/dependency"
)

// noon is the current time in the tests.
var noon = time.Date(2025, 6, 1, 12, 0, 0, 0, time.UTC)

func openStore(t testing.TB, dir string) *Store {
	t.Helper()
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	s.Now = func() time.Time { return noon }
	return s
}

func someBytes(n int) []byte {
	r, b := rand.NewPCG(uint64(n), 1), make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint64() >> 16)
	}
	return b
}

func idOf(content []byte) BlobID { return BlobID(hashing.DigestOf(content)) }

// sourceFile returns an open file with the given content outside of any store.
func sourceFile(t testing.TB, content []byte) *os.File {
	t.Helper()
	path := filepath.Join(t.TempDir(), "source")
	if err := os.WriteFile(path, content, 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func put(t testing.TB, s *Store, content []byte) BlobID {
	t.Helper()
	id := idOf(content)
	if err := s.PutBlob(t.Context(), sourceFile(t, content), id, int64(len(content))); err != nil {
		t.Fatal(err)
	}
	return id
}

// copyBlob copies a blob to a file, given by its full path.
func copyBlob(ctx context.Context, s *Store, id BlobID, size int64, dst string) error {
	in, err := confine.Open(filepath.Dir(dst))
	if err != nil {
		return err
	}
	defer in.Close()
	return s.CopyBlob(ctx, id, size, in.Root(), filepath.Base(dst))
}

// wantCopy fails unless the copied blob equals the given content.
func wantCopy(t testing.TB, s *Store, content []byte) {
	t.Helper()
	dst := filepath.Join(t.TempDir(), "dst")
	if err := copyBlob(t.Context(), s, idOf(content), int64(len(content)), dst); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(dst); err != nil || !bytes.Equal(got, content) {
		t.Fatalf("copied %d bytes, %v, want %d", len(got), err, len(content))
	}
}

// wantNoCopy fails unless the copy fails with the given error and leaves no file.
func wantNoCopy(t testing.TB, s *Store, id BlobID, size int64, want error) {
	t.Helper()
	dst := filepath.Join(t.TempDir(), "dst")
	if err := copyBlob(t.Context(), s, id, size, dst); !errors.Is(err, want) {
		t.Fatalf("error %v, want %v", err, want)
	}
	if _, err := os.Lstat(dst); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("the destination exists after a failure: %v", err)
	}
}

func wantGone(t testing.TB, path string) {
	t.Helper()
	if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("%s is still there: %v", path, err)
	}
}

func wantNoLeftovers(t testing.TB, s *Store) {
	t.Helper()
	files, err := os.ReadDir(s.files.tmp())
	if err != nil || len(files) > 0 {
		t.Fatalf("left in tmp: %v, %v", files, err)
	}
}

// overwrite replaces the file of an entry, even if it is read-only.
func overwrite(t testing.TB, path string, b []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	os.Remove(path)
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
}

func age(t testing.TB, path string, at time.Time) {
	t.Helper()
	if err := os.Chtimes(path, at, at); err != nil {
		t.Fatal(err)
	}
}

func lastUse(t testing.TB, path string) time.Time {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.ModTime().UTC()
}

// filesRead returns the read set of a run that read files.
func filesRead(names ...string) ReadSet {
	set := ReadSet{}
	for _, name := range names {
		set = append(set, dependency.OfFile(name))
	}
	return set
}
