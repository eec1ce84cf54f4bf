package store

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestCheckDeletesOnlyDamagedBlobs(t *testing.T) {
	content := someBytes(largeSize)
	for name, tc := range map[string]struct {
		spoil func(t *testing.T, path string) error
		want  error
		gone  bool // set if CheckBlob deletes the blob
	}{
		"intact":  {func(t *testing.T, path string) error { return nil }, nil, false},
		"missing": {func(t *testing.T, path string) error { return os.Remove(path) }, ErrMissing, true},
		"longer": {func(t *testing.T, path string) error {
			overwrite(t, path, append(content[:largeSize:largeSize], 0))
			return nil
		}, ErrDamaged, true},
		"shorter":  {func(t *testing.T, path string) error { overwrite(t, path, content[1:]); return nil }, ErrDamaged, true},
		"last bit": {func(t *testing.T, path string) error { return flipAt(t, path, content, largeSize-1) }, ErrDamaged, true},
		"first bit": {
			func(t *testing.T, path string) error { return flipAt(t, path, content, 0) }, ErrDamaged, true,
		},
		"a link": {func(t *testing.T, path string) error {
			elsewhere := filepath.Join(t.TempDir(), "elsewhere")
			return errors.Join(os.Rename(path, elsewhere), os.Symlink(elsewhere, path))
		}, ErrDamaged, true},
	} {
		for _, readOnly := range []bool{false, true} {
			s := openStore(t, t.TempDir())
			id := put(t, s, content)
			path := s.files.entryPath(blobs, id)
			var link *os.LinkError
			if err := tc.spoil(t, path); errors.As(err, &link) {
				t.Logf("%s: %v", name, err) // Windows requires a privilege for links
				continue
			} else if err != nil {
				t.Fatal(err)
			}
			s.files.readOnly = readOnly
			if err := s.CheckBlob(t.Context(), id, largeSize); !errors.Is(err, tc.want) || (err == nil) != (tc.want == nil) {
				t.Errorf("%s: error %v, want %v", name, err, tc.want)
			}
			_, err := os.Lstat(path)
			if gone := err != nil; gone != (tc.gone && (!readOnly || tc.want == ErrMissing)) {
				t.Errorf("%s, read-only %t: gone is %t", name, readOnly, gone)
			}
		}
	}
}

func flipAt(t *testing.T, path string, content []byte, at int) error {
	spoilt := append([]byte(nil), content...)
	spoilt[at] ^= 1
	overwrite(t, path, spoilt)
	return nil
}

func TestUnreadableBlobIsNotReportedAsDamaged(t *testing.T) {
	s := openStore(t, t.TempDir())
	id := put(t, s, someBytes(10))
	for _, at := range []string{"stat", "open", "read"} {
		s.files.fault = func(op, path string) error {
			if op == at {
				return errFull
			}
			return nil
		}
		if err := s.CheckBlob(t.Context(), id, 10); !errors.Is(err, ErrUnavailable) {
			t.Errorf("%s fails: %v", at, err)
		}
	}
	s.files.fault = nil
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.CheckBlob(ended, id, 10); !errors.Is(err, context.Canceled) {
		t.Errorf("after the context ended: %v", err)
	}
	if err := s.CheckBlob(t.Context(), id, 10); err != nil {
		t.Error(err)
	}
}

func TestExistsReportsStoreDirectory(t *testing.T) {
	dir := t.TempDir()
	if Exists(dir) || Exists("") || Exists(filepath.Join(dir, "none")) {
		t.Error("a missing store exists")
	}
	openStore(t, dir)
	if !Exists(dir) {
		t.Error("the store does not exist")
	}
}
