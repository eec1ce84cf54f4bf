package cook_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/recipe"
)

// A hooked recipe calls a function of the test, and then copies its source.
type hooked struct{}

var hookedBy = map[string]func(ctx context.Context, job *recipe.Job) error{}

func (*hooked) Outputs() []string { return []string{"{dir}/{stem}.out"} }

func (*hooked) Cook(ctx context.Context, job *recipe.Job) error {
	source, err := job.Source()
	if err == nil {
		err = hookedBy[job.Ext()](ctx, job)
	}
	if err != nil {
		return err
	}
	return job.Write(0, source)
}

// hook returns a recipe that cooks files with the given extension by calling a function.
func hook(extension string, bundles bool, cook func(ctx context.Context, job *recipe.Job) error) recipe.Recipe {
	hookedBy[extension] = cook
	return recipe.Recipe{
		Name: "hooked" + strings.TrimPrefix(extension, "."), Version: 1, Bundles: bundles, UsesPath: true,
		Extensions: []string{extension}, New: func() recipe.Cooker { return &hooked{} },
	}
}

// outcomes is an observer that records the outcome of each asset.
type outcomes struct {
	sync.Mutex
	of    map[string]cook.Outcome
	all   []string
	steps []string
	ended func(path string)        // may be nil
	why   map[string][]cook.Reason // may be nil
}

func (o *outcomes) Stage(string)               {}
func (o *outcomes) Planned(int, time.Duration) {}
func (o *outcomes) Reading(_, _ int, _ int64)  {}
func (o *outcomes) Note(string)                {}

func (o *outcomes) Step(path, _, step string) {
	o.Lock()
	defer o.Unlock()
	o.steps = append(o.steps, path+": "+step)
}

func (o *outcomes) Event(e cook.Event) {
	o.Lock()
	defer o.Unlock()
	if e.Outcome == cook.Started || e.Outcome == cook.Warned {
		return
	}
	o.all = append(o.all, fmt.Sprintf("%s: %s", e.Path, e.Outcome))
	o.of[e.Path] = e.Outcome
	if o.why != nil {
		o.why[e.Path] = e.Reasons
	}
	if o.ended != nil {
		o.ended(e.Path)
	}
}

// TestBundleWaitsForItsMembersOnly expects a bundle to be cooked while assets outside of it are
// still being cooked.
func TestBundleWaitsForItsMembersOnly(t *testing.T) {
	p := newProject(t)
	var done chan struct{}
	slow := hook(".slow", false, func(ctx context.Context, _ *recipe.Job) error {
		select {
		case <-done:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	})
	p.run.Recipes = []recipe.Recipe{gather(), slow}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	gathered.times = map[string]int{}
	p.write("b.gather", "m.txt\n")
	for round, edit := range []func(){
		func() { p.write("m.txt", "member") },
		func() { p.write("m.txt", "other") },
		func() { p.write("b.gather", "m.txt\nnone.txt\n") },
		func() { p.write("b.gather", "m.txt\n"); p.write("m.txt", "third") },
	} {
		p.write("s.slow", strings.Repeat(fmt.Sprint(round), 100_000))
		edit()
		done = make(chan struct{})
		seen := &outcomes{of: map[string]cook.Outcome{}, ended: func(path string) {
			if path == "b.gather" {
				close(done)
			}
		}}
		p.run.Observer = seen
		if sum, err := p.run.Cook(ctx); err != nil || sum.Failed.Assets > 0 || seen.of["b.gather"] == cook.UpToDate || seen.of["s.slow"] != cook.Cooked {
			t.Fatalf("round %d: %v, %s, %v", round, err, sum.String(), seen.of)
		}
	}
}

// TestBundleThatAsksInVain cooks a bundle whose member is not cooked yet. The step of the bundle
// must name the member until the recipe starts again.
func TestBundleThatAsksInVain(t *testing.T) {
	p := newProject(t)
	var asked chan struct{}
	var once sync.Once
	member := hook(".member", false, func(context.Context, *recipe.Job) error { <-asked; return nil })
	bundle := hook(".bundle", true, func(_ context.Context, job *recipe.Job) error {
		_, err := job.Artifacts("/m.out")
		once.Do(func() { close(asked) })
		return err
	})
	p.run.Recipes = []recipe.Recipe{member, bundle}
	for _, text := range []string{"one", "other"} {
		seen := &outcomes{of: map[string]cook.Outcome{}}
		p.run.Observer, asked, once = seen, make(chan struct{}), sync.Once{}
		p.write("m.member", text)
		p.write("b.bundle", text)
		p.cook()
		if want := []string{"b.bundle: wait for m.out", "b.bundle: "}; !slices.Equal(seen.steps, want) {
			t.Errorf("%s: steps %q", text, seen.steps)
		}
		if want := []string{"m.member: cooked", "b.bundle: cooked"}; !slices.Equal(seen.all, want) {
			t.Errorf("%s: %q", text, seen.all)
		}
	}
}

// TestStoppedRunReachesNoBundle stops a run at the first failure. The run must not reach bundles
// with missing members, but must reach bundles without changes.
func TestStoppedRunReachesNoBundle(t *testing.T) {
	p, start := newProject(t), time.Now()
	p.run.Recipes, p.run.Workers = []recipe.Recipe{gather()}, 1
	p.run.Now = func() time.Time { return start }
	gathered.times = map[string]int{}
	p.write("m.txt", "member")
	p.write("n.txt", "not edited")
	p.write("bad.json", "{}")
	p.write("b.gather", "m.txt\n")
	p.write("c.gather", "n.txt\n")
	p.cook()
	p.write("m.txt", "other")
	p.write("bad.json", strings.Repeat("{", 100_000))
	seen := &outcomes{of: map[string]cook.Outcome{}}
	p.run.Observer, p.run.StopOnFailure = seen, true
	p.run.Cook(t.Context())
	if seen.of["bad.json"] != cook.Failed || seen.of["m.txt"] != cook.NotReached || seen.of["b.gather"] != cook.NotReached || seen.of["c.gather"] == cook.NotReached {
		t.Errorf("%v", seen.of)
	}
	p.run.StopOnFailure = false
	if p.run.Cook(t.Context()); seen.of["m.txt"] != cook.Cooked || seen.of["b.gather"] != cook.Cooked {
		t.Errorf("%v", seen.of)
	}
}

// TestBundlesAskOnceMore cooks two bundles that wait for each other, because each read the other's
// output in its last cook. A changed name.txt then lets one bundle select another artifact, and
// both must be cooked.
func TestBundlesAskOnceMore(t *testing.T) {
	p := newProject(t)
	// This recipe takes the artifact that name.txt names.
	follower := hook(".follow", true, func(_ context.Context, job *recipe.Job) error {
		if list, err := job.Artifacts("/name.txt"); err != nil || len(list) == 0 {
			return err
		}
		name, err := job.ReadArtifact("name.txt")
		if err != nil {
			return err
		}
		_, err = job.Artifacts("/" + string(name))
		return err
	})
	seen := &outcomes{of: map[string]cook.Outcome{}}
	p.run.Recipes, p.run.Observer = []recipe.Recipe{gather(), follower}, seen
	gathered.times = map[string]int{}
	p.write("name.txt", "b.out")
	p.write("x.txt", "x")
	p.write("a.follow", "a")
	p.write("b.gather", "x.txt\n")
	p.cook()
	p.write("b.gather", "a.out\n")
	p.run.Patterns = []string{"b.gather"}
	p.cook()
	p.run.Patterns = nil
	p.write("name.txt", "x.txt")
	if sum := p.cook(); sum.Failed.Assets > 0 {
		t.Errorf("%s, %v", sum.String(), seen.of)
	}
	p.write("name.txt", "b.out")
	if sum, _ := p.run.Cook(t.Context()); sum.Failed.Assets != 2 {
		t.Errorf("%s, %v", sum.String(), seen.of)
	}
}

// TestReasonsOfBundleAreNotGuessed expects that the reasons for a cook omit artifacts that the
// bundle no longer reads.
func TestReasonsOfBundleAreNotGuessed(t *testing.T) {
	p, ended := newProject(t), make(chan struct{})
	close(ended)
	member := hook(".member", false, func(context.Context, *recipe.Job) error { <-ended; return nil })
	bundle := hook(".bundle", true, func(_ context.Context, job *recipe.Job) error {
		text, err := job.Source()
		if err == nil && string(text) == "of m" {
			_, err = job.Artifacts("/m.out")
		}
		return err
	})
	p.run.Recipes = []recipe.Recipe{member, bundle}
	p.write("m.member", "one")
	p.write("b.bundle", "of m")
	p.cook()
	ended = make(chan struct{})
	seen := &outcomes{of: map[string]cook.Outcome{}, why: map[string][]cook.Reason{}, ended: func(path string) {
		if path == "b.bundle" {
			close(ended)
		}
	}}
	p.run.Observer = seen
	p.write("m.member", "other")
	p.write("b.bundle", "of nothing")
	p.cook()
	if why := seen.why["b.bundle"]; len(why) != 1 || why[0].Kind != "content changed" {
		t.Errorf("%v", why)
	}
}

// TestBundleIsLookedForAgain expects a cache hit for a bundle whose members finish only after the
// first lookup failed.
func TestBundleIsLookedForAgain(t *testing.T) {
	p, start := newProject(t), time.Now()
	p.run.Now = func() time.Time { return start }
	var begun, settled chan struct{}
	var once sync.Once
	member := hook(".member", false, func(context.Context, *recipe.Job) error { <-begun; return nil })
	member.Cheap = true
	after := hook(".after", false, func(context.Context, *recipe.Job) error { close(settled); return nil })
	bundle := hook(".bundle", true, func(_ context.Context, job *recipe.Job) error {
		once.Do(func() { close(begun) })
		<-settled
		_, err := job.Artifacts("/m.out")
		return err
	})
	p.run.Recipes = []recipe.Recipe{member, after, bundle}
	seen := &outcomes{of: map[string]cook.Outcome{}}
	p.run.Observer = seen
	for i, text := range []string{"one", "other", "one"} {
		begun, settled, once = make(chan struct{}), make(chan struct{}), sync.Once{}
		large := strings.Repeat(text, 100_000)
		p.write("b.bundle", large)
		p.write("m.member", large)
		p.write("z.after", fmt.Sprint(i))
		p.cook()
	}
	if seen.of["m.member"] != cook.Cooked || seen.of["b.bundle"] != cook.Restored {
		t.Errorf("%v", seen.of)
	}
}
