package store

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assetcook/assetcook/internal/dependency"
)

// largeSize needs two buffers, so that a write can fail after a successful one.
const largeSize = 300 << 10

var errFull = errors.New("no space left on device")

// scene calls each operation of a store once. It returns the error of each operation by a short
// name.
func scene(t *testing.T, s *Store, out string) map[string]error {
	small, large := someBytes(10), someBytes(largeSize)
	id := [32]byte{8}
	errs := map[string]error{}
	errs["put small"] = s.PutBlob(t.Context(), sourceFile(t, small), idOf(small), 10)
	errs["put large"] = s.PutBlob(t.Context(), sourceFile(t, large), idOf(large), largeSize)
	errs["put torn"] = s.PutBlob(t.Context(), sourceFile(t, someBytes(20)), idOf(someBytes(20)), 20)
	errs["put result"] = s.PutResult(id, sampleResult)
	errs["add read set"] = s.AddReadSet(id, filesRead("a"))
	errs["add another"] = s.AddReadSet(id, filesRead("b"))
	_, errs["result"] = s.Result(id)
	_, errs["read sets"] = s.ReadSets(id)
	_, errs["damaged"] = s.Result(ResultID{9})
	errs["copy small"] = copyBlob(t.Context(), s, idOf(small), 10, filepath.Join(out, "small"))
	errs["copy large"] = copyBlob(t.Context(), s, idOf(large), largeSize, filepath.Join(out, "large"))
	_, errs["trim"] = s.Trim(t.Context(), largeSize, noon)
	return errs
}

// The test lets the nth file operation of the scene fail, for every n. Operations that report
// success must have taken effect, entries must be right, and no temporary file may remain.
func TestFailedOperationLeavesStoreCorrect(t *testing.T) {
	failed := map[string]bool{}
	for n, more := 1, true; more; n++ {
		s := openStore(t, t.TempDir())
		// These entries exist before the scene: one to replace and one to delete.
		torn := s.files.entryPath(blobs, idOf(someBytes(20)))
		overwrite(t, torn, []byte("torn"))
		overwrite(t, s.files.entryPath(results, ResultID{9}), []byte("damaged"))

		count, op := 0, ""
		s.files.fault = func(o, path string) error {
			if count++; count == n {
				op = o
				return errFull
			}
			return nil
		}
		out := t.TempDir()
		errs := scene(t, s, out)
		more = count >= n
		failed[op] = true
		s.files.fault = nil

		wantNoLeftovers(t, s)
		for _, name := range []string{"put small", "put large", "put torn", "put result", "add read set", "add another", "trim"} {
			if err := errs[name]; err != nil && (!errors.Is(err, ErrUnavailable) || !errors.Is(err, errFull)) {
				t.Errorf("fault %d, %s: %s: %v", n, op, name, err)
			}
		}
		// Each blob must be intact, or an error must report it as missing or damaged. The trim may
		// have removed some blobs.
		for size, name := range map[int]string{10: "small", 20: "torn", largeSize: "large"} {
			content, dst := someBytes(size), filepath.Join(t.TempDir(), "dst")
			err := copyBlob(t.Context(), s, idOf(content), int64(size), dst)
			got, _ := os.ReadFile(dst)
			if right := err == nil && slices.Equal(got, content); !right && !errors.Is(err, ErrMissing) && !errors.Is(err, ErrDamaged) {
				t.Errorf("fault %d, %s: %s afterwards: %d bytes, %v", n, op, name, len(got), err)
			}
			copied, err := os.ReadFile(filepath.Join(out, name))
			if claimed := name != "torn" && errs["copy "+name] == nil; claimed != (err == nil) || claimed && !slices.Equal(copied, content) {
				t.Errorf("fault %d, %s: copy of %s returns %v, but the destination has %d bytes, %v", n, op, name, errs["copy "+name], len(copied), err)
			}
		}
		if r, err := s.Result([32]byte{8}); err == nil && !cmp.Equal(r, sampleResult) || err != nil && !errors.Is(err, ErrMissing) {
			t.Errorf("fault %d, %s: result afterwards: %v, %v", n, op, r, err)
		}
		sets, err := s.ReadSets([32]byte{8})
		if err != nil {
			t.Errorf("fault %d, %s: read sets afterwards: %v", n, op, err)
		}
		for _, set := range sets {
			if len(set) != 1 || set[0] != dependency.OfFile("a") && set[0] != dependency.OfFile("b") {
				t.Errorf("fault %d, %s: read set %v", n, op, set)
			}
		}
		if !more {
			for _, name := range []string{"put small", "put large", "put torn", "put result", "add read set", "add another",
				"result", "read sets", "copy small", "copy large", "trim"} {
				if errs[name] != nil {
					t.Errorf("without a fault, %s: %v", name, errs[name])
				}
			}
		}
	}
	for _, op := range []string{"stat", "open", "read", "create", "clone", "write", "rename", "chtimes", "remove"} {
		if !failed[op] {
			t.Errorf("no %s ever failed", op)
		}
	}
}

func TestStoreWorksAgainAfterFullDisk(t *testing.T) {
	s := openStore(t, t.TempDir())
	full := true
	s.files.fault = func(op, _ string) error {
		if full && op == "write" {
			return errFull
		}
		return nil
	}
	content := someBytes(1000)
	src := sourceFile(t, content)
	s.files.clone = clones["is unsupported"]
	for name, put := range map[string]func() error{
		"blob":     func() error { return s.PutBlob(t.Context(), src, idOf(content), 1000) },
		"result":   func() error { return s.PutResult(ResultID{1}, sampleResult) },
		"read set": func() error { return s.AddReadSet(ActionID{1}, nil) },
	} {
		full = true
		if err := put(); !errors.Is(err, ErrUnavailable) || !errors.Is(err, errFull) {
			t.Errorf("%s on a full disk: %v", name, err)
		}
		full = false
		if err := put(); err != nil {
			t.Errorf("%s with room: %v", name, err)
		}
	}
	wantCopy(t, s, content)
	// A full disk at the destination is not an error of the store and deletes no blob.
	full = true
	dst := filepath.Join(t.TempDir(), "dst")
	err := copyBlob(t.Context(), s, idOf(content), 1000, dst)
	if !errors.Is(err, errFull) || errors.Is(err, ErrUnavailable) || errors.Is(err, ErrDamaged) {
		t.Errorf("copy to a full disk: %v", err)
	}
	wantGone(t, dst)
	full = false
	wantCopy(t, s, content)
}
