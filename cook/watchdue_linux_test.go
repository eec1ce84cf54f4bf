package cook_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/recipe"
)

// dueTime is far below the minute after which a watcher looks at everything, and far
// above what it needs to do what it knows to be due.
const dueTime = 25 * time.Second

// watching starts a watcher and returns its rounds.
func watching(t *testing.T, opt cook.Options) <-chan cook.Round {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	rounds := make(chan cook.Round, 100)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := cook.Watch(ctx, opt, func(r cook.Round) { rounds <- r }); ctx.Err() == nil {
			t.Errorf("watch: %v", err)
		}
	}()
	t.Cleanup(func() {
		stop()
		<-ended
	})
	return rounds
}

// awaitRound waits for a round that cooked something.
func awaitRound(t *testing.T, rounds <-chan cook.Round) {
	t.Helper()
	late := time.After(dueTime)
	for {
		select {
		case r := <-rounds:
			if r.Err == nil && r.Summary.Cooked.Assets > 0 {
				return
			}
		case <-late:
			t.Fatalf("nothing was cooked for %v", dueTime)
		}
	}
}

// A slow recipe copies its source, and before that tells that it has begun and waits
// for leave to go on. (A recipe can have no fields but options.)
type slow struct{}

var slowBegun, slowLeave = make(chan struct{}), make(chan struct{})

func (s *slow) Outputs() []string { return []string{"{name}"} }

func (s *slow) Cook(ctx context.Context, job *recipe.Job) error {
	for _, step := range []func() bool{
		func() bool {
			select {
			case slowBegun <- struct{}{}:
				return true
			case <-ctx.Done():
				return false
			}
		},
		func() bool {
			select {
			case <-slowLeave:
				return true
			case <-ctx.Done():
				return false
			}
		},
	} {
		if !step() {
			return ctx.Err()
		}
	}
	data, err := job.Source()
	if err != nil {
		return err
	}
	return job.Write(0, data)
}

// within waits for something to come about that the watcher has to see to soon.
func within(t *testing.T, what string, comes func(late <-chan time.Time) bool) {
	t.Helper()
	if !comes(time.After(dueTime)) {
		t.Fatalf("%s: not within %v", what, dueTime)
	}
}

// A cook that asks a watcher and goes away before it is answered does not take the
// watcher from the work that the question brought to light: here a write through a
// name outside the tree, of which no event tells.
func TestWatcherWorksOnWithoutAsker(t *testing.T) {
	dir := t.TempDir()
	assets, outside := filepath.Join(dir, "assets"), filepath.Join(dir, "outside")
	err := errors.Join(os.Mkdir(assets, 0o777), os.WriteFile(outside, []byte("first"), 0o666), os.Link(outside, filepath.Join(assets, "a.slow")),
		os.WriteFile(filepath.Join(assets, "cook.toml"), []byte("[[rule]]\nmatch = \"*.slow\"\nrecipe = \"slow\"\n"), 0o666))
	if err != nil {
		t.Fatal(err)
	}
	opt := cook.Options{Dir: assets, Out: filepath.Join(dir, "cooked"), Cache: filepath.Join(dir, "store"),
		Recipes: []recipe.Recipe{{Name: "slow", Version: 1, New: func() recipe.Cooker { return new(slow) }}},
		Now:     func() time.Time { return time.Now().Add(time.Minute) }} // so that stamps are trusted at once
	rounds := watching(t, opt)
	<-slowBegun
	slowLeave <- struct{}{}
	awaitRound(t, rounds)
	if s, err := cook.Cook(t.Context(), opt); err != nil || !s.Told { // it rests, and knows of the link
		t.Fatalf("%+v, %v", s, err)
	}

	if err := os.WriteFile(outside, []byte("second"), 0o666); err != nil {
		t.Fatal(err)
	}
	ctx, goAway := context.WithCancel(t.Context())
	gone := make(chan struct{})
	go func() { cook.Cook(ctx, opt); close(gone) }()
	within(t, "the round for the asker", func(late <-chan time.Time) bool {
		select {
		case <-slowBegun:
			return true
		case <-late:
			return false
		}
	})
	goAway()
	<-gone
	within(t, "the round without it", func(late <-chan time.Time) bool {
		select {
		case slowLeave <- struct{}{}:
			return true
		case <-late:
			return false
		}
	})
	awaitRound(t, rounds)
}

// An asset folder that disappears and comes back is cooked soon.
func TestWatcherWaitsForRoot(t *testing.T) {
	dir := t.TempDir()
	assets := filepath.Join(dir, "assets")
	if err := os.Mkdir(assets, 0o777); err != nil {
		t.Fatal(err)
	}
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(assets, "a.txt"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("0")
	rounds := watching(t, cook.Options{Dir: assets, Out: filepath.Join(dir, "cooked"), Cache: filepath.Join(dir, "store")})
	awaitRound(t, rounds)
	if err := os.RemoveAll(assets); err != nil {
		t.Fatal(err)
	}
	for r := range rounds { // it has noticed
		if r.Err != nil {
			break
		}
	}
	if err := os.Mkdir(assets, 0o777); err != nil {
		t.Fatal(err)
	}
	write("1")
	awaitRound(t, rounds)
}
