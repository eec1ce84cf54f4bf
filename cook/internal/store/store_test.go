package store

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestOpenCreatesStoreOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "store")
	s := openStore(t, dir)
	if s.Dir() != dir {
		t.Errorf("Dir %q, want %q", s.Dir(), dir)
	}
	for name, want := range map[string]string{
		"README":       "may be deleted",
		"CACHEDIR.TAG": "Signature: 8a477f597d28d172789f06886806bc55\n",
	} {
		b, err := os.ReadFile(filepath.Join(dir, "v1", name))
		if err != nil || !strings.Contains(string(b), want) {
			t.Errorf("%s: %q, %v", name, b, err)
		}
		if name == "CACHEDIR.TAG" && !strings.HasPrefix(string(b), want) {
			t.Errorf("%s does not begin with its signature", name)
		}
		// Open must not overwrite existing files.
		overwrite(t, filepath.Join(dir, "v1", name), []byte("edited"))
		openStore(t, dir)
		if b, err := os.ReadFile(filepath.Join(dir, "v1", name)); err != nil || string(b) != "edited" {
			t.Errorf("%s after the second Open: %q, %v", name, b, err)
		}
	}
	content := someBytes(100)
	put(t, s, content)
	wantCopy(t, openStore(t, dir), content)
}

func TestOpenMakesRelativePathAbsolute(t *testing.T) {
	t.Chdir(t.TempDir())
	s := openStore(t, "store")
	if !filepath.IsAbs(s.Dir()) {
		t.Errorf("Dir %q is not absolute", s.Dir())
	}
	t.Chdir(t.TempDir())
	content := someBytes(10)
	put(t, s, content)
	wantCopy(t, s, content)
}

func TestOpenReportsUnusableDirectory(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(file); !errors.Is(err, ErrUnavailable) || !strings.Contains(err.Error(), file) {
		t.Errorf("store at a file: %v", err)
	}
	if _, err := Open(""); err == nil {
		t.Error("a store without a directory")
	}
}

func TestBlobIDParsesItsString(t *testing.T) {
	id := idOf([]byte("x"))
	if got, err := ParseBlobID(id.String()); err != nil || got != id {
		t.Errorf("ParseBlobID(%v) = %v, %v", id, got, err)
	}
	if got, err := ParseBlobID(strings.ToUpper(id.String())); err == nil {
		t.Errorf("upper case gave %v", got)
	}
	if id.IsZero() || !(BlobID{}).IsZero() || !(ActionID{}).IsZero() || !(ResultID{}).IsZero() {
		t.Error("IsZero is wrong")
	}
	if want := "01" + strings.Repeat("0", 62); (ActionID{1}).String() != want || (ResultID{1}).String() != want {
		t.Error("String is wrong")
	}
}

func TestDeletedStoreStaysDeleted(t *testing.T) {
	s := openStore(t, t.TempDir())
	content := someBytes(100)
	id := put(t, s, content)
	src := sourceFile(t, content)
	if err := os.RemoveAll(s.files.root); err != nil {
		t.Fatal(err)
	}
	wantNoCopy(t, s, id, 100, ErrMissing)
	if _, err := s.Result(ResultID{1}); !errors.Is(err, ErrMissing) {
		t.Errorf("Result: %v", err)
	}
	if sets, err := s.ReadSets(ActionID{1}); sets != nil || err != nil {
		t.Errorf("ReadSets: %v, %v", sets, err)
	}
	_, trimErr := s.Trim(t.Context(), 0, noon)
	for name, err := range map[string]error{
		"PutBlob":    s.PutBlob(t.Context(), src, id, 100),
		"PutResult":  s.PutResult(ResultID{1}, Result{}),
		"AddReadSet": s.AddReadSet(ActionID{1}, nil),
		"Trim":       trimErr,
	} {
		if !errors.Is(err, ErrUnavailable) || !strings.Contains(err.Error(), s.dir) {
			t.Errorf("%s: %v", name, err)
		}
	}
	wantGone(t, s.files.root)
}

func TestFileInPlaceOfDirectoryMakesStoreUnavailable(t *testing.T) {
	s := openStore(t, t.TempDir())
	content := someBytes(100)
	for _, k := range []kind{blobs, reads, results} {
		if err := os.Remove(s.files.kindFolder(k)); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(s.files.kindFolder(k), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for name, err := range map[string]error{
		"PutBlob":    s.PutBlob(t.Context(), sourceFile(t, content), idOf(content), 100),
		"PutResult":  s.PutResult(ResultID{1}, Result{}),
		"AddReadSet": s.AddReadSet(ActionID{1}, nil),
	} {
		if !errors.Is(err, ErrUnavailable) {
			t.Errorf("%s: %v", name, err)
		}
	}
	wantNoLeftovers(t, s)
}

func TestReadOnlyStoreChangesNothing(t *testing.T) {
	dir := t.TempDir()
	none := filepath.Join(dir, "none")
	r, err := OpenReadOnly(none)
	if err != nil {
		t.Fatal(err)
	}
	wantNoCopy(t, r, BlobID{1}, 1, ErrMissing)
	wantGone(t, none)

	s := openStore(t, dir)
	content := someBytes(100)
	id := put(t, s, content)
	if err := s.PutResult(ResultID{1}, Result{}); err != nil {
		t.Fatal(err)
	}
	long := noon.Add(-100 * time.Hour)
	age(t, s.files.entryPath(blobs, id), long)
	age(t, s.files.entryPath(results, ResultID{1}), long)
	overwrite(t, s.files.entryPath(results, ResultID{2}), []byte("damaged"))

	if r, err = OpenReadOnly(dir); err != nil {
		t.Fatal(err)
	}
	wantCopy(t, r, content)
	if _, err := r.Result(ResultID{1}); err != nil {
		t.Error(err)
	}
	if _, err := r.Result(ResultID{2}); !errors.Is(err, ErrDamaged) {
		t.Errorf("damaged result: %v", err)
	}
	if _, err := os.Lstat(s.files.entryPath(results, ResultID{2})); err != nil {
		t.Errorf("a query deleted an entry: %v", err)
	}
	for _, path := range []string{s.files.entryPath(blobs, id), s.files.entryPath(results, ResultID{1})} {
		if got := lastUse(t, path); !got.Equal(long) {
			t.Errorf("a query changed the last use of %s to %v", path, got)
		}
	}
	_, trimErr := r.Trim(t.Context(), 0, noon)
	for name, err := range map[string]error{
		"PutBlob":    r.PutBlob(t.Context(), sourceFile(t, content), id, 100),
		"PutResult":  r.PutResult(ResultID{1}, Result{}),
		"AddReadSet": r.AddReadSet(ActionID{1}, nil),
		"Trim":       trimErr,
	} {
		if !errors.Is(err, ErrReadOnly) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if r.TrimDue(noon, 0) {
		t.Error("a read-only store is due for a trim")
	}
}

func TestUseUpdatesTimeOfLastUse(t *testing.T) {
	s := openStore(t, t.TempDir())
	content := someBytes(100)
	id := put(t, s, content)
	if err := s.PutResult(ResultID{1}, Result{CookTime: time.Second}); err != nil {
		t.Fatal(err)
	}
	if err := s.AddReadSet(ActionID{1}, filesRead("a")); err != nil {
		t.Fatal(err)
	}
	uses := map[string]struct {
		path string
		use  func() error
	}{
		"copy blob":      {s.files.entryPath(blobs, id), func() error { wantCopy(t, s, content); return nil }},
		"put blob again": {s.files.entryPath(blobs, id), func() error { put(t, s, content); return nil }},
		"result":         {s.files.entryPath(results, ResultID{1}), func() error { _, err := s.Result(ResultID{1}); return err }},
		"put result":     {s.files.entryPath(results, ResultID{1}), func() error { return s.PutResult(ResultID{1}, Result{}) }},
		"read sets":      {s.files.entryPath(reads, ActionID{1}), func() error { _, err := s.ReadSets(ActionID{1}); return err }},
		"add read set":   {s.files.entryPath(reads, ActionID{1}), func() error { return s.AddReadSet(ActionID{1}, filesRead("a")) }},
	}
	for name, u := range uses {
		if got := lastUse(t, u.path); !got.Equal(noon) {
			t.Errorf("%s: put at %v, last used at %v", name, noon, got)
		}
		for _, c := range []struct {
			before, want time.Duration
		}{
			{-time.Minute, -time.Minute},
			{-time.Hour, -time.Hour},
			{-time.Hour - time.Second, 0},
			{-1000 * time.Hour, 0},
			{time.Minute, time.Minute},
			{2 * time.Hour, 0}, // future time, from a wrong clock
		} {
			age(t, u.path, noon.Add(c.before))
			if err := u.use(); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if got := lastUse(t, u.path); !got.Equal(noon.Add(c.want)) {
				t.Errorf("%s: last use %v before, %v after, want %v", name, c.before, got.Sub(noon), c.want)
			}
		}
		age(t, u.path, noon)
	}
	if r, err := s.Result(ResultID{1}); err != nil || r.CookTime != time.Second {
		t.Errorf("an equal result replaced the record: %v, %v", r, err)
	}
}
