package dircache

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assetcook/assetcook/cook/internal/remote/messages"
	"github.com/assetcook/assetcook/cook/internal/remote/share"
	"github.com/assetcook/assetcook/internal/atomicfile"
)

// ago sets the time of last use of a file.
func ago(t *testing.T, dir, name string, age time.Duration) {
	t.Helper()
	when := time.Now().Add(-age)
	if err := os.Chtimes(filepath.Join(dir, name), when, when); err != nil {
		t.Fatal(err)
	}
}

// ageOf returns the time since the last use of a file.
func ageOf(t *testing.T, dir, name string) time.Duration {
	t.Helper()
	info, err := os.Stat(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return time.Since(info.ModTime())
}

// result writes a result with one blob of a size, and returns their names.
func result(t *testing.T, s share.Server, text string, size int) (action, blob string) {
	t.Helper()
	d, err := write(t, s, fmt.Appendf(nil, "%-*s", size, text))
	if err != nil {
		t.Fatal(err)
	}
	a := share.SHA256.Of([]byte(text))
	if err := s.PutResult(t.Context(), a, &messages.ActionResult{OutputFiles: []messages.OutputFile{{Path: "0", Digest: d}}}); err != nil {
		t.Fatal(err)
	}
	return "ac/" + a.Hash, "cas/" + d.Hash
}

func listed(t *testing.T, dir string) (names []string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func trim(t *testing.T, dir string, keep Limits) Trimmed {
	t.Helper()
	got, err := Trim(t.Context(), addressOf(dir), keep, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// TestUseIsRecorded checks that look-ups, downloads and uploads of existing blobs update the times
// of last use: a look-up also the times of blobs that the run does not download.
func TestUseIsRecorded(t *testing.T) {
	dir := t.TempDir()
	s := openDir(t, dir)
	action, blob := result(t, s, "a", 10)
	d := share.Digest{Hash: filepath.Base(blob), Size: 10}
	for use, do := range map[string]func(){
		"look-up":  func() { s.Result(t.Context(), share.Digest{Hash: filepath.Base(action)}) },
		"download": func() { read(t, s, d) },
		"upload":   func() { lacks(t, s, d) },
	} {
		ago(t, dir, action, 50*time.Hour)
		ago(t, dir, blob, 50*time.Hour)
		do()
		if got := ageOf(t, dir, blob); got > time.Hour {
			t.Errorf("%s: the blob was used %v ago", use, got)
		}
		if got := ageOf(t, dir, action); (use == "look-up") != (got < time.Hour) {
			t.Errorf("%s: the result was used %v ago", use, got)
		}
		// A use within the hour costs no further write.
		ago(t, dir, action, 30*time.Minute)
		ago(t, dir, blob, 30*time.Minute)
		do()
		if got := ageOf(t, dir, blob); got < 29*time.Minute {
			t.Errorf("%s: the blob was marked again", use)
		}
	}
}

func TestTrimKeepsWhatIsUsed(t *testing.T) {
	dir := t.TempDir()
	s := openDir(t, dir)
	const day = 24 * time.Hour
	var all []string
	for i, text := range []string{"a", "b", "c", "d"} { // a is the least recently used
		action, blob := result(t, s, text, 1000)
		all = append(all, action, blob)
		ago(t, dir, action, time.Duration(40-10*i)*day-time.Hour) // uploaded after the blob
		ago(t, dir, blob, time.Duration(40-10*i)*day)
	}
	foreign := filepath.Join(dir, "cas", "README")
	if err := os.WriteFile(foreign, make([]byte, 5000), 0o666); err != nil {
		t.Fatal(err)
	}
	ago(t, dir, "cas/README", 90*day)
	for name, age := range map[string]time.Duration{"old": 2 * day, "new": time.Hour} {
		name = "cas/" + atomicfile.Prefix + name
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
		ago(t, dir, name, age)
	}
	want := func(keep Limits, removed int, left ...string) {
		t.Helper()
		got := trim(t, dir, keep)
		left = append(left, "cas/README", "cas/"+atomicfile.Prefix+"new")
		slices.Sort(left)
		if names := listed(t, dir); got.Removed != removed || !slices.Equal(names, left) {
			t.Errorf("%+v: %+v, left %q, want %q", keep, got, names, left)
		}
	}
	want(Limits{Size: 1 << 20, Unused: 60 * day}, 0, all...)
	want(Limits{Unused: 35 * day}, 2, all[2:]...)
	want(Limits{Size: 2900}, 2, all[4:]...) // a result is removed before its blob
	want(Limits{Size: 2090, Unused: 15 * day}, 2, all[6:]...)
	want(Limits{Size: 1}, 2)
	if got := trim(t, t.TempDir(), Limits{Size: 1}); got != (Trimmed{}) {
		t.Errorf("empty directory: %+v", got)
	}
}

// TestUsedFileSurvivesTrim lets a machine use a file at each moment between the listing and the
// removal. The file must then either survive, or be missing for that machine.
func TestUsedFileSurvivesTrim(t *testing.T) {
	dir := t.TempDir()
	s := openDir(t, dir).(*server)
	_, blob := result(t, s, "a", 10)
	d := share.Digest{Hash: filepath.Base(blob), Size: 10}
	listOld := func() *entry {
		ago(t, dir, blob, 50*time.Hour)
		all, err := s.listUses(t.Context(), "cas", time.Now())
		if err != nil || len(all) != 1 {
			t.Fatal(all, err)
		}
		return &all[0]
	}
	e := listOld()
	if lacks(t, s, d) {
		t.Fatal("missing")
	}
	if removed, err := s.removeUnused(e); removed || err != nil || lacks(t, s, d) {
		t.Errorf("used after the listing: %v, %v", removed, err)
	}
	e = listOld()
	if removed, err := s.removeUnused(e); !removed || err != nil || !lacks(t, s, d) {
		t.Errorf("unused: %v, %v", removed, err)
	}
	if removed, err := s.removeUnused(e); !removed || err != nil {
		t.Errorf("removed by another machine: %v, %v", removed, err)
	}
}

// TestTrimBesideMachines lets machines upload and read results while other machines trim the
// directory to nothing. A blob that a machine reads is complete, and a machine that finds all blobs
// missing or present sees no error.
func TestTrimBesideMachines(t *testing.T) {
	dir := t.TempDir()
	var machines, trims sync.WaitGroup
	ctx, stop := context.WithCancel(t.Context())
	for range 2 {
		trims.Go(func() {
			for ctx.Err() == nil {
				if _, err := Trim(ctx, addressOf(dir), Limits{Size: 1}, time.Now()); err != nil && ctx.Err() == nil {
					t.Error(err)
				}
			}
		})
	}
	for range 4 {
		s := openDir(t, dir)
		machines.Go(func() {
			for n := range 50 {
				content := []byte(strings.Repeat(fmt.Sprint(n%3), 3000))
				d, err := write(t, s, content)
				if err != nil {
					t.Error(err)
				}
				lacks(t, s, d)
				got, err := read(t, s, d)
				if err != nil && !errors.Is(err, share.ErrMissing) || err == nil && string(got) != string(content) {
					t.Errorf("read %d bytes, %v", len(got), err)
				}
			}
		})
	}
	machines.Wait()
	stop()
	trims.Wait()
	trim(t, dir, Limits{Size: 1})
	if left := listed(t, dir); len(left) > 0 {
		t.Errorf("left files: %q", left)
	}
}

// TestTrimStaysInside replaces the directory of blobs by a link to another directory. Trim must
// report the link, and remove nothing.
func TestTrimStaysInside(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	result(t, openDir(t, outside), "a", 10)
	action, _ := result(t, openDir(t, dir), "a", 10)
	if err := os.RemoveAll(filepath.Join(dir, "cas")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(outside, "cas"), filepath.Join(dir, "cas")); err != nil {
		t.Skip(err)
	}
	_, err := Trim(t.Context(), addressOf(dir), Limits{Size: 1}, time.Now())
	if _, gone := os.Stat(filepath.Join(dir, action)); err == nil || gone != nil || len(listed(t, outside)) != 2 {
		t.Errorf("%v, %v, %q", err, gone, listed(t, outside))
	}
}
