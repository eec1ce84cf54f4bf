package store

import (
	"context"
	"errors"
	"os"
	"testing"

	"pgregory.net/rapid"
)

// A keepable is an entry of a test store; it says whether TrimTo must keep it.
type keepable struct {
	path string
	keep bool
}

// fillKeepable fills a store with entries of all kinds, and returns the ones to keep.
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

// TrimTo keeps exactly the entries of its argument. If interrupted anywhere, it has deleted none
// of them, and the next TrimTo deletes the rest.
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

// An entry is used after TrimTo has listed it.
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
			age(t, paths[1], noon) // another process restores it now
		}
		return nil
	}
	if _, err := s.TrimTo(t.Context(), &Keep{}, noon); err != nil {
		t.Fatal(err)
	}
	wantGone(t, paths[0])
	wantCopy(t, s, someBytes(101))
}
