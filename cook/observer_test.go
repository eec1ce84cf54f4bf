package cook_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/recipes"
)

// A recorder is an observer that records its calls. It has no lock, because a run calls its
// observer from one goroutine at a time. The race detector checks that.
type recorder struct {
	failed []string // texts of the form "source: error"
	warned []string // texts of the form "source: warning"
	notes  []string
}

func (r *recorder) Stage(string)               {}
func (r *recorder) Planned(int, time.Duration) {}
func (r *recorder) Step(_, _, _ string)        {}
func (r *recorder) Reading(_, _ int, _ int64)  {}
func (r *recorder) Note(text string)           { r.notes = append(r.notes, text) }
func (r *recorder) Event(e cook.Event) {
	switch e.Outcome {
	case cook.Warned:
		r.warned = append(r.warned, fmt.Sprintf("%s: %v", e.Path, e.Err))
	case cook.Failed, cook.Error:
		r.failed = append(r.failed, fmt.Sprintf("%s: %v", e.Path, e.Err))
	}
}

// failure returns the error of a source. It returns "" if the source did not fail.
func (r *recorder) failure(source string) string {
	for _, line := range r.failed {
		if text, ok := strings.CutPrefix(line, source+": "); ok {
			return text
		}
	}
	return ""
}

// hooks is an observer whose methods call the functions that are set.
type hooks struct {
	stage func(name string)
	event func(cook.Event)
	note  func(text string)
}

func (h hooks) Planned(int, time.Duration) {}
func (h hooks) Step(_, _, _ string)        {}
func (h hooks) Reading(_, _ int, _ int64)  {}
func (h hooks) Stage(name string) {
	if h.stage != nil {
		h.stage(name)
	}
}
func (h hooks) Event(e cook.Event) {
	if h.event != nil {
		h.event(e)
	}
}
func (h hooks) Note(text string) {
	if h.note != nil {
		h.note(text)
	}
}

// failOnFailure returns an observer that fails the test if an asset fails.
func failOnFailure(t testing.TB) cook.Observer {
	return hooks{event: func(e cook.Event) {
		if e.Outcome == cook.Failed {
			t.Errorf("%s: %v", e.Path, e.Err)
		}
	}}
}

// TestReadObserver expects each observer in a list to receive the calls of Reading.
func TestReadObserver(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "assets"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "assets", "a.bin"), []byte("text"), 0o666); err != nil {
		t.Fatal(err)
	}
	p := cook.Project{Dir: filepath.Join(dir, "assets"), Cache: filepath.Join(dir, "store"), Recipes: recipes.All(), Engine: "own"}
	if _, err := cook.Cook(t.Context(), p, cook.CookOptions{}); err != nil {
		t.Fatal(err)
	}
	var r readObserver
	for _, o := range []cook.Observer{&r, cook.Observers{cook.Observers{}, &r}, cook.Observers{}} {
		r.read = nil
		if _, err := cook.Verify(t.Context(), p, cook.VerifyOptions{Sample: "0", Observer: o}); err != nil {
			t.Fatal(err)
		}
		want := []int{2, 2, 8}
		if all, ok := o.(cook.Observers); ok && len(all) == 0 {
			want = nil
		}
		if !slices.Equal(r.read, want) {
			t.Errorf("read %v, want %v", r.read, want)
		}
	}
}

type readObserver struct {
	cook.Observers
	read []int
}

func (r *readObserver) Reading(files, of int, bytes int64) { r.read = []int{files, of, int(bytes)} }
