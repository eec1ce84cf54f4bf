package cook_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/manifest"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/proof/oracle"
)

// dueTime is far less than the minute after which a watcher checks everything, and far
// more than it needs for work that is due.
const dueTime = 25 * time.Second

// watch starts a watcher and returns its rounds.
func watch(t *testing.T, opt oracle.Run) <-chan cook.Round {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	rounds := make(chan cook.Round, 100)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := opt.Watch(ctx, func(r cook.Round) { rounds <- r }); ctx.Err() == nil {
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

// The slow recipe copies its source, but first sends to slowStarted and receives from
// slowResume. These are variables because the fields of a recipe can only hold options.
type slow struct{}

var slowStarted, slowResume = make(chan struct{}), make(chan struct{})

func (s *slow) Outputs() []string { return []string{"{name}"} }

func (s *slow) Cook(ctx context.Context, job *recipe.Job) error {
	for _, step := range []func() bool{
		func() bool {
			select {
			case slowStarted <- struct{}{}:
				return true
			case <-ctx.Done():
				return false
			}
		},
		func() bool {
			select {
			case <-slowResume:
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

// within waits for something that the watcher has to do soon.
func within(t *testing.T, what string, happens func(late <-chan time.Time) bool) {
	t.Helper()
	if !happens(time.After(dueTime)) {
		t.Fatalf("%s: not within %v", what, dueTime)
	}
}

// A cook that asks a watcher and is canceled before the answer does not stop the watcher
// from doing the work that it found for that cook: here, a write through a hard link
// outside of the tree, which causes no event.
func TestWatcherFinishesWhenClientLeaves(t *testing.T) {
	p := newProject(t)
	p.writeFile("outside", "first")
	p.write("cook.toml", "[[rule]]\nmatch = \"*.slow\"\nrecipe = \"slow\"\n")
	p.must(os.Link(p.path("outside"), p.asset("a.slow")))
	p.run.Recipes = []recipe.Recipe{{Name: "slow", Version: 1, New: func() recipe.Cooker { return new(slow) }}}
	p.run.Now = func() time.Time { return time.Now().Add(time.Minute) } // so that stamps are trusted at once
	rounds := watch(t, p.run)
	<-slowStarted
	slowResume <- struct{}{}
	awaitRound(t, rounds)
	if s := p.cook(); !s.Told { // the watcher is idle, and knows of the hard link
		t.Fatalf("%+v", s)
	}

	p.writeFile("outside", "second")
	ctx, leave := context.WithCancel(t.Context())
	left := make(chan struct{})
	go func() { p.run.Cook(ctx); close(left) }()
	within(t, "the round for the client", func(late <-chan time.Time) bool {
		select {
		case <-slowStarted:
			return true
		case <-late:
			return false
		}
	})
	leave()
	<-left
	within(t, "the end of that round", func(late <-chan time.Time) bool {
		select {
		case slowResume <- struct{}{}:
			return true
		case <-late:
			return false
		}
	})
	awaitRound(t, rounds)
}

// An asset directory that is removed and made again is soon cooked.
func TestWatcherRecoversAssetFolder(t *testing.T) {
	p := newProject(t)
	p.write("a.txt", "0")
	rounds := watch(t, p.run)
	awaitRound(t, rounds)
	p.must(os.RemoveAll(p.run.Dir))
	for r := range rounds { // until the watcher has noticed
		if r.Err != nil {
			break
		}
	}
	p.write("a.txt", "1")
	awaitRound(t, rounds)
}

// A question beside a watcher that is at work is answered from the index: that a round has
// not tidied up yet does not make the question list the whole tree.
func TestWhyBesideWorkingWatcher(t *testing.T) {
	p := newProject(t)
	p.write("cook.toml", "[[rule]]\nmatch = \"*.slow\"\nrecipe = \"slow\"\n")
	p.write("a.slow", "first")
	p.write("b.txt", "b")
	p.write("far/c.txt", "c")
	p.run.Recipes = []recipe.Recipe{{Name: "slow", Version: 1, New: func() recipe.Cooker { return new(slow) }}}
	p.run.Now = func() time.Time { return time.Now().Add(time.Minute) } // so that stamps are trusted at once
	rounds := watch(t, p.run)
	<-slowStarted
	slowResume <- struct{}{}
	awaitRound(t, rounds)
	if s := p.cook(); !s.Told { // the watcher is idle
		t.Fatalf("%+v", s)
	}
	p.write("a.slow", "second")
	<-slowStarted // in the middle of a round
	p.write("far/cook.toml", "which no run could take")
	all, err := cook.Why(t.Context(), p.run.Project(), "b.txt", cook.WhyOptions{})
	slowResume <- struct{}{}
	if err != nil || len(all) != 1 || all[0].Runs {
		t.Errorf("explained as %+v, %v", all, err)
	}
	awaitRound(t, rounds)
}

// A question about one asset does not list the whole tree because the manifest is being
// replaced.
func TestWhyIgnoresManifest(t *testing.T) {
	p := newProject(t)
	p.write("b.txt", "b")
	p.write("far/c.txt", "c")
	p.cook()
	p.must(os.Remove(filepath.Join(p.run.Out, manifest.Name)))
	p.write("far/cook.toml", "which no run could take")
	all, err := cook.Why(t.Context(), p.run.Project(), "b.txt", cook.WhyOptions{})
	if err != nil || len(all) != 1 || all[0].Runs {
		t.Errorf("explained as %+v, %v", all, err)
	}
}
