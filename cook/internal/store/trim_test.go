package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestTrimDeletesLeastRecentlyUsedFirst(t *testing.T) {
	for _, c := range []struct {
		limit int64
		gone  int // number of deleted blobs, of ten with 100 bytes
	}{{2000, 0}, {1000, 0}, {999, 1}, {901, 1}, {900, 1}, {899, 2}, {350, 7}, {100, 9}, {99, 10}, {0, 10}, {-1, 10}} {
		s := openStore(t, t.TempDir())
		var paths []string
		for i := range 10 {
			content := fmt.Appendf(nil, "%0100d", i)
			id := put(t, s, content)
			path := s.files.entryPath(blobs, id)
			// The order of last use must differ from the order of insertion and from the order of
			// IDs.
			age(t, path, noon.Add(time.Duration(i*7%10-20)*time.Hour))
			paths = append(paths, path)
		}
		slices.SortFunc(paths, func(a, b string) int { return lastUse(t, a).Compare(lastUse(t, b)) })
		stats, err := s.Trim(t.Context(), c.limit, noon)
		want := TrimStats{Before: 1000, After: int64(1000 - 100*c.gone), Removed: c.gone}
		if diff := cmp.Diff(want, stats); err != nil || diff != "" {
			t.Errorf("limit %d: %v %s", c.limit, err, diff)
		}
		for i, path := range paths {
			if _, err := os.Lstat(path); (err != nil) != (i < c.gone) {
				t.Errorf("limit %d: entry %d: %v", c.limit, i, err)
			}
		}
	}
}

func TestTrimKeepsMostRecentEntriesThatFit(t *testing.T) {
	parent := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp(parent, "")
		if err != nil {
			rt.Fatal(err)
		}
		s := openStore(t, dir)
		type file struct {
			path string
			size int64
			used time.Time
		}
		var files []file
		for i := range rapid.IntRange(0, 8).Draw(rt, "entries") {
			f := file{
				path: s.files.entryPath(rapid.SampledFrom([]kind{blobs, reads, results}).Draw(rt, "kind"), [32]byte{byte(i * 100), byte(i)}),
				size: rapid.Int64Range(0, 50).Draw(rt, "size"),
				used: noon.Add(time.Duration(rapid.IntRange(-5, 5).Draw(rt, "hours")) * time.Hour),
			}
			overwrite(t, f.path, make([]byte, f.size))
			age(t, f.path, f.used)
			files = append(files, f)
		}
		limit := rapid.Int64Range(-1, 200).Draw(rt, "limit")
		stats, err := s.Trim(t.Context(), limit, noon)
		if err != nil {
			rt.Fatal(err)
		}
		var before, after int64
		var newestGone, oldestKept time.Time
		removed, smallest := 0, int64(0)
		for _, f := range files {
			before += f.size
			if _, err := os.Lstat(f.path); err == nil {
				after += f.size
				if oldestKept.IsZero() || f.used.Before(oldestKept) {
					oldestKept = f.used
				}
				continue
			}
			removed++
			if f.used.After(newestGone) {
				newestGone, smallest = f.used, f.size
			} else if f.used.Equal(newestGone) {
				smallest = max(smallest, f.size)
			}
		}
		if stats != (TrimStats{before, after, removed}) || after > max(limit, 0) {
			rt.Fatalf("limit %d: %+v, in truth %d, %d, %d", limit, stats, before, after, removed)
		}
		if !oldestKept.IsZero() && newestGone.After(oldestKept) {
			rt.Fatalf("kept %v, deleted %v", oldestKept, newestGone)
		}
		if removed > 0 && after+smallest <= max(limit, 0) {
			rt.Fatalf("limit %d: %d bytes kept, although an entry of %d bytes would have fit", limit, after, smallest)
		}
	})
}

func TestTrimDeletesOldTemporaryFiles(t *testing.T) {
	s := openStore(t, t.TempDir())
	ages := map[string]time.Duration{
		".tmp-old":    25 * time.Hour,
		".tmp-day":    24 * time.Hour,
		".tmp-recent": 23 * time.Hour,
		".tmp-future": -time.Hour,
		"foreign":     1000 * time.Hour,
	}
	for name, old := range ages {
		path := filepath.Join(s.files.tmp(), name)
		overwrite(t, path, []byte("x"))
		age(t, path, noon.Add(-old))
	}
	if _, err := s.Trim(t.Context(), 1<<30, noon); err != nil {
		t.Fatal(err)
	}
	for name := range ages {
		_, err := os.Lstat(filepath.Join(s.files.tmp(), name))
		if gone := name == ".tmp-old" || name == ".tmp-day"; gone != (err != nil) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTrimLeavesForeignFiles(t *testing.T) {
	s := openStore(t, t.TempDir())
	id := put(t, s, someBytes(10)).String()
	for _, name := range []string{"notes.txt", "ab/notes.txt", "zz/" + id, "00/" + id, "abc/" + id, id[:2] + "/" + id + "0"} {
		path := filepath.Join(s.files.kindFolder(blobs), name)
		overwrite(t, path, []byte("mine"))
		stats, err := s.Trim(t.Context(), 10, noon)
		if want := (TrimStats{Before: 10, After: 10}); name[:2] != id[:2] && (err != nil || stats != want) {
			t.Errorf("%s was counted: %+v, %v", name, stats, err)
		}
		if _, err := s.Trim(t.Context(), 0, noon); err != nil {
			t.Error(err)
		}
		if _, err := os.Lstat(path); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		put(t, s, someBytes(10))
	}
}

func TestTrimKeepsWhatIsUsedMeanwhile(t *testing.T) {
	s := openStore(t, t.TempDir())
	var paths []string
	for i := range 3 {
		path := s.files.entryPath(blobs, put(t, s, someBytes(100+i)))
		age(t, path, noon.Add(time.Duration(i-100)*time.Hour))
		paths = append(paths, path)
	}
	s.files.fault = func(op, path string) error {
		if op == "remove" && path == paths[0] {
			age(t, paths[1], noon)
		}
		return nil
	}
	stats, err := s.Trim(t.Context(), 110, noon)
	if want := (TrimStats{Before: 303, After: 101, Removed: 2}); err != nil || stats != want {
		t.Errorf("%+v, %v, want %+v", stats, err, want)
	}
	wantGone(t, paths[0])
	wantGone(t, paths[2])
	wantCopy(t, s, someBytes(101))
}

func TestTwoTrimsAtOnceDeleteEachEntryOnce(t *testing.T) {
	s := openStore(t, t.TempDir())
	var paths []string
	for i := range 3 {
		path := s.files.entryPath(blobs, put(t, s, someBytes(100+i)))
		age(t, path, noon.Add(time.Duration(i-100)*time.Hour))
		paths = append(paths, path)
	}
	s.files.fault = func(op, path string) error {
		if op == "remove" && path == paths[0] {
			os.Remove(paths[0])
			os.Remove(paths[1])
		}
		return nil
	}
	stats, err := s.Trim(t.Context(), 102, noon)
	if want := (TrimStats{Before: 303, After: 102}); err != nil || stats != want {
		t.Errorf("%+v, %v, want %+v", stats, err, want)
	}
	wantCopy(t, s, someBytes(102))
}

func TestTrimContinuesAfterAnError(t *testing.T) {
	s := openStore(t, t.TempDir())
	for i := range 3 {
		age(t, s.files.entryPath(blobs, put(t, s, someBytes(100+i))), noon.Add(time.Duration(i-100)*time.Hour))
	}
	locked := s.files.entryPath(blobs, idOf(someBytes(100)))
	s.files.fault = func(op, path string) error {
		if op == "remove" && path == locked {
			return os.ErrPermission
		}
		return nil
	}
	stats, err := s.Trim(t.Context(), 0, noon)
	if want := (TrimStats{Before: 303, After: 100, Removed: 2}); stats != want {
		t.Errorf("%+v, want %+v", stats, want)
	}
	if !errors.Is(err, os.ErrPermission) || !errors.Is(err, ErrUnavailable) {
		t.Errorf("error %v", err)
	}
}

func TestInterruptedTrimIsNotRecorded(t *testing.T) {
	s := openStore(t, t.TempDir())
	for i := range 3 {
		put(t, s, someBytes(100+i))
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s.files.fault = func(op, _ string) error {
		if op == "remove" {
			cancel()
		}
		return nil
	}
	stats, err := s.Trim(ctx, 0, noon)
	if !errors.Is(err, context.Canceled) || stats.Removed != 1 {
		t.Errorf("%+v, %v", stats, err)
	}
	if !s.TrimDue(noon, 1<<30) {
		t.Error("an interrupted trim was recorded")
	}
	if _, err := s.Trim(ctx, 0, noon); !errors.Is(err, context.Canceled) {
		t.Errorf("ended before: %v", err)
	}
}

func TestTrimIsDueDailyAndAfterGrowth(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir)
	const limit = 20_000
	if !s.TrimDue(noon, limit) {
		t.Error("a store that was never trimmed is not due")
	}
	if _, err := s.Trim(t.Context(), limit, noon); err != nil {
		t.Fatal(err)
	}
	other := openStore(t, dir)
	for after, want := range map[time.Duration]bool{
		0: false, 23 * time.Hour: false, 24 * time.Hour: true, 1000 * time.Hour: true,
		-time.Hour: false, -24 * time.Hour: true,
	} {
		for name, s := range map[string]*Store{"the trimmer": s, "another": other} {
			if got := s.TrimDue(noon.Add(after), limit); got != want {
				t.Errorf("%v after a trim, %s: %v", after, name, got)
			}
		}
	}
	put(t, s, someBytes(1000))
	put(t, s, someBytes(1000))
	if s.TrimDue(noon, limit) {
		t.Error("due after 5 %")
	}
	put(t, s, someBytes(1))
	if !s.TrimDue(noon, limit) || other.TrimDue(noon, limit) {
		t.Error("not due after more than 5 %, or due for a store that added nothing")
	}
	if _, err := s.Trim(t.Context(), limit, noon); err != nil {
		t.Fatal(err)
	}
	if s.TrimDue(noon, limit) {
		t.Error("due right after a trim")
	}
	if err := s.PutResult(ResultID{1}, sampleResult); err != nil {
		t.Fatal(err)
	}
	if !s.TrimDue(noon, 100) {
		t.Error("records do not count")
	}
}

// A keepable is an entry of a test store. keep is set if TrimTo must keep the entry.
type keepable struct {
	path string
	keep bool
}

// fillKeepable fills a store with entries of all kinds, and returns them. Some of them must be
// kept.
func fillKeepable(t testing.TB, rt *rapid.T, s *Store) (all []keepable, keep *Keep) {
	keep = &Keep{}
	for i := range rapid.IntRange(1, 12).Draw(rt, "entries") {
		id := [32]byte{byte(i * 100), byte(i)}
		k := rapid.SampledFrom([]kind{blobs, reads, results}).Draw(rt, "kind")
		e := keepable{s.files.entryPath(k, id), rapid.Bool().Draw(rt, "keep")}
		if e.keep {
			keep.keepItem(k, id)
		}
		overwrite(t, e.path, make([]byte, i))
		all = append(all, e)
	}
	return all, keep
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// TrimTo deletes exactly the entries that are not in its set. The test interrupts it at a random
// point. Then no entry of the set may be missing, and the next TrimTo deletes the rest.
func TestTrimToDeletesAllButKeptEntries(t *testing.T) {
	parent := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp(parent, "")
		if err != nil {
			rt.Fatal(err)
		}
		s := openStore(t, dir)
		all, keep := fillKeepable(t, rt, s)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		left := rapid.IntRange(0, len(all)).Draw(rt, "removals before the interrupt")
		s.files.fault = func(op, _ string) error {
			if op == "remove" {
				if left--; left < 0 {
					cancel()
				}
			}
			return nil
		}
		if _, err := s.TrimTo(ctx, keep, noon); err != nil && !errors.Is(err, context.Canceled) {
			rt.Fatal(err)
		}
		for _, e := range all {
			if e.keep && !exists(e.path) {
				rt.Fatalf("the interrupted TrimTo deleted %s", e.path)
			}
		}
		s.files.fault = nil
		if _, err := s.TrimTo(t.Context(), keep, noon); err != nil {
			rt.Fatal(err)
		}
		for _, e := range all {
			if e.keep != exists(e.path) {
				rt.Fatalf("%s: keep %v", e.path, e.keep)
			}
		}
	})
}

func TestTrimToKeepsWhatIsUsedMeanwhile(t *testing.T) {
	s := openStore(t, t.TempDir())
	paths := make([]string, 2)
	for i := range paths {
		id := put(t, s, someBytes(100+i))
		paths[i] = s.files.entryPath(blobs, id)
		age(t, paths[i], noon.AddDate(0, 0, i-9))
	}
	s.files.fault = func(op, path string) error {
		if op == "remove" && path == paths[0] {
			age(t, paths[1], noon)
		}
		return nil
	}
	if _, err := s.TrimTo(t.Context(), &Keep{}, noon); err != nil {
		t.Fatal(err)
	}
	wantGone(t, paths[0])
	wantCopy(t, s, someBytes(101))
}
