package cook_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/manifest"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/proof/oracle"
)

// TestWatcherEqualsFromScratch makes random edits while a watcher runs. Each cook must give the
// outputs of a cook from scratch.
func TestWatcherEqualsFromScratch(t *testing.T) {
	first := *seed
	if first == 0 {
		first = uint64(time.Now().UnixNano()) >> 10
	}
	t.Logf("-oracle.seed=%d", first)
	// A watcher does not answer a cook if assets fail, because the cook must report the errors. In
	// about six of ten scripts it never answers. The test therefore runs scripts until the watcher
	// has answered in one of them.
	answered := 0
	for i := uint64(0); i < 8 || answered == 0; i++ {
		if i == 64 {
			t.Fatal("the watcher never answered")
		}
		answered += playWithWatcher(t, first+i, i%4 > 0)
	}
	t.Logf("the watcher answered %d times", answered)
}

// playWithWatcher runs a random script beside a watcher, and returns how many cooks the watcher
// answered.
func playWithWatcher(t *testing.T, seed uint64, copied bool) (answered int) {
	place := newPlace(t)
	cooker := func(ctx context.Context, f oracle.Folders, mode oracle.Mode) (oracle.Result, error) {
		result, err := cookInProcess(ctx, f, mode)
		var locked *cook.LockedError
		for tries := 0; errors.As(err, &locked) && tries < 1000; tries++ { // the watcher may hold the lock
			result, err = cookInProcess(ctx, f, mode)
		}
		if result.FromWatcher {
			answered++
		}
		return result, err
	}
	p, err := oracle.NewPlayer(place, cooker)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	ctx, stop := context.WithCancel(t.Context())
	var group sync.WaitGroup
	defer group.Wait()
	defer stop()
	began := false
	script := oracle.Random(seed, oracle.Options{Rounds: 6, SourcesOnly: true, Plain: true, Copied: copied, Twins: copied && seed%2 == 0})
	for i, step := range script {
		if step.Mode == nil {
			err = p.Edit(step.Edit)
		} else {
			err = p.Cook(t.Context(), *step.Mode)
		}
		if err != nil {
			t.Fatalf("seed %d: step %d: %v\n%s", seed, i, err, script[:i+1].Txtar())
		}
		if step.Mode != nil && !began {
			began = true
			watching := make(chan bool)
			group.Go(func() {
				var once sync.Once
				_, opt := oracle.Mode{}.Options(ctx, p.Folders())
				err := opt.Watch(ctx, func(cook.Round) { once.Do(func() { close(watching) }) })
				if !errors.Is(err, context.Canceled) {
					t.Errorf("seed %d: watch: %v", seed, err)
				}
			})
			<-watching
		}
	}
	return answered
}

// dueTime is enough for a watcher's work, but less than the minute between its full checks.
const dueTime = 25 * time.Second

// watch starts a watcher and returns a channel of its rounds.
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

// awaitRound waits for a round that cooked an asset.
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

// slow is a recipe that copies its source. It first sends to slowStarted and receives from
// slowResume, which are global because the fields of a recipe must be options.
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

// within waits for an event that the watcher must soon cause.
func within(t *testing.T, what string, happens func(late <-chan time.Time) bool) {
	t.Helper()
	if !happens(time.After(dueTime)) {
		t.Fatalf("%s: not within %v", what, dueTime)
	}
}

// TestWatcherFinishesWhenClientLeaves cancels a cook that waits for a watcher's answer. The watcher
// must still do the work that it found for the cook. The edit is made through a hard link outside
// of the tree, which causes no file system event.
func TestWatcherFinishesWhenClientLeaves(t *testing.T) {
	p := newProject(t)
	p.writeFile("outside", "first")
	p.write("cook.toml", "[[rule]]\nmatch = \"*.slow\"\nrecipe = \"slow\"\n")
	p.must(os.Link(p.path("outside"), p.asset("a.slow")))
	p.run.Recipes = []recipe.Recipe{{Name: "slow", Version: 1, New: func() recipe.Cooker { return new(slow) }}}
	p.run.Now = func() time.Time { return time.Now().Add(time.Minute) } // makes all stamps old enough to be trusted
	rounds := watch(t, p.run)
	<-slowStarted
	slowResume <- struct{}{}
	awaitRound(t, rounds)
	if s := p.cook(); !s.Told { // the watcher is idle, and knows the hard link
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

// TestWatcherRecoversAssetFolder removes the asset directory of a watcher and makes it again. The
// watcher must soon cook the new assets.
func TestWatcherRecoversAssetFolder(t *testing.T) {
	p := newProject(t)
	p.write("a.txt", "0")
	rounds := watch(t, p.run)
	awaitRound(t, rounds)
	p.must(os.RemoveAll(p.run.Dir))
	for r := range rounds { // repeat until the watcher has noticed the removal
		if r.Err != nil {
			break
		}
	}
	p.write("a.txt", "1")
	awaitRound(t, rounds)
}

// TestWhyBesideWorkingWatcher calls Why during a round of a watcher. Why must use the index, and
// must not list the whole tree because the round is unfinished.
func TestWhyBesideWorkingWatcher(t *testing.T) {
	p := newProject(t)
	p.write("cook.toml", "[[rule]]\nmatch = \"*.slow\"\nrecipe = \"slow\"\n")
	p.write("a.slow", "first")
	p.write("b.txt", "b")
	p.write("far/c.txt", "c")
	p.run.Recipes = []recipe.Recipe{{Name: "slow", Version: 1, New: func() recipe.Cooker { return new(slow) }}}
	p.run.Now = func() time.Time { return time.Now().Add(time.Minute) } // makes all stamps old enough to be trusted
	rounds := watch(t, p.run)
	<-slowStarted
	slowResume <- struct{}{}
	awaitRound(t, rounds)
	if s := p.cook(); !s.Told {
		t.Fatalf("%+v", s)
	}
	p.write("a.slow", "second")
	<-slowStarted
	p.write("far/cook.toml", "which no run could take")
	all, err := cook.Why(t.Context(), p.run.Project(), "b.txt", cook.WhyOptions{})
	slowResume <- struct{}{}
	if err != nil || len(all) != 1 || all[0].Runs {
		t.Errorf("explained as %+v, %v", all, err)
	}
	awaitRound(t, rounds)
}

// TestWhyIgnoresManifest calls Why while the manifest is replaced. The replaced manifest must not
// make Why list the whole tree.
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

// TestWatcherLearnsOfNewNames adds a hard link to an asset and writes through the other name, which
// causes no event. The watcher must cook the asset, even if its directory is listed in every round
// because of a symbolic link.
func TestWatcherLearnsOfNewNames(t *testing.T) {
	for name, came := range map[string]struct {
		linked string // the new name of the file y/b.json
		links  map[string]string
		other  bool // whether another cook finds the new name before the watcher
	}{
		"beside a link":              {linked: "x/a.json", links: map[string]string{"x/other": "../y/c.json"}},
		"beside no link":             {linked: "z/a.json"},
		"beside no link, met before": {linked: "z/a.json", other: true},
		"for no asset, behind links": {linked: "no/a.json", links: map[string]string{"x/other": "../y/c.json", "x/a.json": "../no/a.json"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			opt := oracle.Run{Dir: filepath.Join(dir, "assets"), Out: filepath.Join(dir, "cooked"), Cache: filepath.Join(dir, "store"),
				Now: func() time.Time { return time.Now().Add(time.Minute) }} // makes all stamps old enough to be trusted
			asset := func(name string) string { return filepath.Join(opt.Dir, name) }
			must := func(err error) {
				t.Helper()
				if err != nil {
					t.Fatal(err)
				}
			}
			for file, text := range map[string]string{".cookignore": "/no/\n", "no/n.txt": "0", "x/d.json": "0", "y/b.json": "1", "y/c.json": "2", "z/e.json": "3"} {
				must(errors.Join(os.MkdirAll(filepath.Dir(asset(file)), 0o777), os.WriteFile(asset(file), []byte(text), 0o666)))
			}
			if to := came.links["x/other"]; to != "" {
				must(os.Symlink(to, asset("x/other")))
			}
			awaitRound(t, watch(t, opt))
			ask := func() {
				t.Helper()
				if s, err := opt.Cook(t.Context()); err != nil || !s.Told {
					t.Fatalf("%+v, %v", s, err)
				}
			}
			ask()

			must(os.Link(asset("y/b.json"), asset(came.linked)))
			if to := came.links["x/a.json"]; to != "" {
				must(os.Symlink(to, asset("x/a.json")))
			}
			if came.other {
				own := opt
				own.Verify, own.Wait = true, true // the cook must not query the watcher
				_, err := own.Cook(t.Context())
				must(err)
			}
			ask()
			must(os.WriteFile(asset(came.linked), []byte("4"), 0o666))
			ask()
			for _, name := range []string{"x/a.json", "y/b.json", "z/a.json"} {
				if _, err := os.Stat(asset(name)); err != nil {
					continue
				}
				data, err := os.ReadFile(filepath.Join(opt.Out, name))
				must(err)
				if string(data) != "4" {
					t.Errorf("%s was cooked from %q", name, data)
				}
			}
		})
	}
}

// TestWatcherSeesExtracts expects a watcher to notice changes of lists that are not assets. It must
// also notice added and removed lists, and edits through hard links.
func TestWatcherSeesExtracts(t *testing.T) {
	g := newGallery(t, "m/a.pic", "m/t/a.pic", "m/t/b.pic")
	g.run.Now = func() time.Time { return time.Now().Add(time.Minute) } // makes all stamps old enough to be trusted
	awaitRound(t, watch(t, g.run))
	step := func(name, want string) {
		t.Helper()
		if s, err := g.run.Cook(t.Context()); err != nil || !s.Told {
			t.Fatalf("%s, %v", s.String(), err)
		}
		g.made(name, want)
	}
	g.write("m/one.list", "use t/a.pic x\n")
	step("m/t/a.pic", "m/t/a.pic\n../one.list: use t/a.pic x\n")
	g.write("m/one.list", "use t/a.pic y\n")
	step("m/t/a.pic", "m/t/a.pic\n../one.list: use t/a.pic y\n")
	g.write("m/mute.list", "")
	step("m/t/b.pic", "m/t/b.pic\n")
	g.write("m/mute.list", "use t/b.pic x\n")
	step("m/t/b.pic", "m/t/b.pic\n../mute.list: use t/b.pic x\n")
	g.writeFile("elsewhere.list", "use a.pic x\n")
	g.must(os.Link(g.path("elsewhere.list"), g.asset("m/linked.list")))
	step("m/a.pic", "m/a.pic\nlinked.list: use a.pic x\n")
	g.writeFile("elsewhere.list", "use a.pic another\n")
	step("m/a.pic", "m/a.pic\nlinked.list: use a.pic another\n")
	g.remove("m/linked.list")
	step("m/a.pic", "m/a.pic\n")
}
