package store

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/assetcook/assetcook/internal/dependency"
)

// Two stores on one directory put, copy, record and trim at the same time. Entries may be missing
// at any time, but never wrong or damaged.
func TestConcurrentStoresReturnNoWrongEntry(t *testing.T) {
	dir, out := t.TempDir(), t.TempDir()
	stores := []*Store{openStore(t, dir), openStore(t, dir)}
	var contents [][]byte
	var sources []*os.File
	for i := range 6 {
		contents = append(contents, someBytes(1000+i*100_000))
		sources = append(sources, sourceFile(t, contents[i]))
	}
	resultOf := func(i int) Result {
		return Result{Artifacts: []Artifact{{Blob: idOf(contents[i]), Size: int64(len(contents[i]))}}, CookTime: time.Duration(i)}
	}
	var wg sync.WaitGroup
	for worker := range 6 {
		s := stores[worker%len(stores)]
		r := rand.New(rand.NewPCG(uint64(worker), 11))
		wg.Go(func() {
			for step := range 60 {
				i := r.IntN(len(contents))
				content, size := contents[i], int64(len(contents[i]))
				switch r.IntN(8) {
				case 0, 1:
					if err := s.PutBlob(t.Context(), sources[i], idOf(content), size); err != nil {
						t.Error(err)
					}
				case 2, 3:
					dst := filepath.Join(out, fmt.Sprintf("%d-%d", worker, step))
					err := copyBlob(t.Context(), s, idOf(content), size, dst)
					if errors.Is(err, ErrMissing) {
						break
					}
					if got, readErr := os.ReadFile(dst); err != nil || !bytes.Equal(got, content) {
						t.Errorf("copied %d bytes: %v, %v", len(got), err, readErr)
					}
				case 4:
					if err := s.PutResult(ResultID{byte(i)}, resultOf(i)); err != nil {
						t.Error(err)
					}
				case 5:
					got, err := s.Result(ResultID{byte(i)})
					if want := resultOf(i); err == nil && !slices.Equal(got.Artifacts, want.Artifacts) || err != nil && !errors.Is(err, ErrMissing) {
						t.Errorf("result %v, %v", got, err)
					}
				case 6:
					if err := s.AddReadSet(ActionID{byte(i)}, filesRead(fmt.Sprint(i), fmt.Sprint(worker))); err != nil {
						t.Error(err)
					}
					sets, err := s.ReadSets(ActionID{byte(i)})
					if err != nil {
						t.Error(err)
					}
					for _, set := range sets {
						if !slices.Contains(set, dependency.OfFile(fmt.Sprint(i))) {
							t.Errorf("read set %v of action %d", set, i)
						}
					}
				case 7:
					if _, err := s.Trim(t.Context(), r.Int64N(1_000_000), noon); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	wg.Wait()
	wantNoLeftovers(t, stores[0])
}

func TestConcurrentReadSetsAreAllKept(t *testing.T) {
	s := openStore(t, t.TempDir())
	var wg sync.WaitGroup
	for i := range maxReadSets {
		wg.Go(func() {
			if err := s.AddReadSet(ActionID{1}, filesRead(fmt.Sprint(i))); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if sets, err := s.ReadSets(ActionID{1}); err != nil || len(sets) != maxReadSets {
		t.Errorf("%d sets, %v", len(sets), err)
	}
}

func TestStoresOfOneDirectoryShareEntries(t *testing.T) {
	dir := t.TempDir()
	a, b := openStore(t, dir), openStore(t, dir)
	content := someBytes(1000)
	id := put(t, a, content)
	wantCopy(t, b, content)
	if err := a.PutResult(ResultID{1}, sampleResult); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Result(ResultID{1}); err != nil {
		t.Error(err)
	}
	if err := a.AddReadSet(ActionID{1}, filesRead("a")); err != nil {
		t.Fatal(err)
	}
	if err := b.AddReadSet(ActionID{1}, filesRead("b")); err != nil {
		t.Fatal(err)
	}
	if sets, err := a.ReadSets(ActionID{1}); err != nil || len(sets) != 2 {
		t.Errorf("%q, %v", sets, err)
	}
	if _, err := b.Trim(t.Context(), 0, noon); err != nil {
		t.Fatal(err)
	}
	wantNoCopy(t, a, id, 1000, ErrMissing)
	put(t, a, content)
	wantCopy(t, b, content)
}

func TestBlobDeletedDuringCopyIsCopied(t *testing.T) {
	s := openStore(t, t.TempDir())
	content := someBytes(1 << 20)
	id := put(t, s, content)
	s.files.clone = func(dst, src *os.File) error {
		if err := os.Remove(s.files.entryPath(blobs, id)); err != nil {
			return nil // empty clone, because Windows does not delete open files
		}
		return errors.ErrUnsupported
	}
	dst := filepath.Join(t.TempDir(), "dst")
	err := copyBlob(t.Context(), s, id, 1<<20, dst)
	if got, _ := os.ReadFile(dst); err == nil && !bytes.Equal(got, content) || err != nil && !errors.Is(err, ErrDamaged) {
		t.Errorf("copied %d bytes, %v", len(got), err)
	}
	// The blob is deleted between stat and open.
	s.files.clone = clones["is unsupported"]
	put(t, s, content)
	s.files.fault = func(op, path string) error {
		if op == "open" {
			os.Remove(path)
		}
		return nil
	}
	wantNoCopy(t, s, id, 1<<20, ErrMissing)
}
