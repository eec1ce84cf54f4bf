package store

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// TestReadInBulk opens the files of entries below Root, as callers do that read many of them.
func TestReadInBulk(t *testing.T) {
	s := openStore(t, t.TempDir())
	id := put(t, s, []byte("content"))
	want := Result{Artifacts: []Artifact{{Blob: id, Size: 7}}, CookTime: time.Second, Warnings: []string{"hm"}}
	rid := ResultID{1, 2}
	if err := s.PutResult(rid, want); err != nil {
		t.Fatal(err)
	}
	at := func(file string) string { return filepath.Join(s.Root(), filepath.FromSlash(file)) }
	if b, err := os.ReadFile(at(BlobFile(id))); string(b) != "content" {
		t.Errorf("blob %q, %v", b, err)
	}
	b, err := os.ReadFile(at(ResultFile(rid)))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := ParseResult(rid, b); err != nil || !slices.Equal(got.Artifacts, want.Artifacts) || got.CookTime != want.CookTime {
		t.Errorf("result %+v, %v", got, err)
	}
	if _, err := ParseResult(ResultID{3}, b); err == nil {
		t.Error("accepted the result of another ID")
	}
	for i := range b {
		damaged := slices.Clone(b)
		damaged[i] ^= 1
		if _, err := ParseResult(rid, damaged); err == nil {
			t.Errorf("a changed byte %d of the result is not detected", i)
		}
	}
	there := s.BlobFolders()
	for i, is := range there {
		if is != (byte(i) == id[0]) {
			t.Errorf("directory %02x: %v", i, is)
		}
	}
	if err := os.RemoveAll(at("blobs")); err != nil {
		t.Fatal(err)
	}
	if there := s.BlobFolders(); slices.Contains(there[:], false) {
		t.Error("an unreadable directory is reported as empty")
	}
	if err := s.CheckBlob(t.Context(), id, 7); !errors.Is(err, ErrMissing) {
		t.Error(err)
	}
}

// An entry that was read counts as used if its last use was more than an hour ago.
func TestBulkReadCountsAsUse(t *testing.T) {
	s := openStore(t, t.TempDir())
	id := put(t, s, []byte("content"))
	rid := ResultID{1, 2}
	if err := s.PutResult(rid, Result{Artifacts: []Artifact{{Blob: id, Size: 7}}}); err != nil {
		t.Fatal(err)
	}
	now := s.Now()
	for _, entry := range []struct {
		path string
		used func(last int64)
	}{
		{s.files.entryPath(blobs, id), func(last int64) { s.UsedBlob(id, last) }},
		{s.files.entryPath(results, rid), func(last int64) { s.UsedResult(rid, last) }},
	} {
		for _, ago := range []time.Duration{2 * refreshAfter, refreshAfter / 2} {
			last := now.Add(-ago)
			if err := os.Chtimes(entry.path, last, last); err != nil {
				t.Fatal(err)
			}
			entry.used(last.UnixNano())
			info, err := os.Stat(entry.path)
			if err != nil {
				t.Fatal(err)
			}
			if marked := info.ModTime().Sub(last) > ago/2; marked != (ago > refreshAfter) {
				t.Errorf("%s: last used %v ago, marked: %v", entry.path, ago, marked)
			}
		}
	}
}
