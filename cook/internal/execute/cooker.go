package execute

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/assetcook/assetcook/cook/internal/glob"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/manifest"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/dependency"
	"github.com/assetcook/assetcook/internal/jobs"
	"github.com/assetcook/assetcook/internal/pathname"
	"github.com/assetcook/assetcook/profile"
)

// A cooker runs recipes and checks what they read and wrote. It serves the workers of
// a run as well as those that cook again to compare.
type cooker struct {
	Env
	summer *hashing.Summer
	budget *budget
	kinds  *kinds
	steps  *kinds
	mode   fs.FileMode // that artifacts are to have
}

func newCooker(env Env) *cooker {
	return &cooker{
		Env: env, summer: hashing.NewSummer(env.Checksum), budget: newBudget(env.Memory, env.Cores, env.Probe, env.Now),
		kinds: &kinds{named: map[string]bool{}}, steps: &kinds{named: map[string]bool{}},
	}
}

// An attempt is how an action is cooked once.
type attempt struct {
	scratch func(outputs []string) *scratch // makes a place for the artifacts
	again   *Conditions                     // not nil if nothing of what was made before may be used
	probe   *profile.Worker
	held    *holdings    // nil if it does not matter what the recipe holds
	times   *times       // likewise
	step    func(string) // is told what the recipe is doing; nil if it does not matter
	note    func(string) // is told what is to be said once; nil if it does not matter
	source  *source
	// known brings the result of a step of a chain from the store, or says of it what is still
	// to be made, and keep puts it there. They are nil if each step is to be cooked, or nothing
	// to be kept. With known comes exclusive, which waits until no other worker has an equal
	// step or asset in hand.
	known     func(ctx context.Context, a planned) (ready, bool)
	keep      func(ctx context.Context, r ready)
	exclusive func(id store.ActionID) (release func())
}

// cook runs the recipe. It retries if a dependency changed meanwhile, or is too fresh to tell
// whether it changed; the retry watches that dependency from the start. After three attempts it
// gives up.
func (c *cooker) cook(ctx context.Context, a planned, how attempt) (ready, error) {
	if a.Method.Then != nil {
		return c.cookChain(ctx, a, how)
	}
	release, err := c.budget.admit(ctx, a.Action, how)
	if err != nil {
		// What cannot be estimated may be half of one content and half of another.
		return ready{}, errors.Join(c.recheckSource(ctx, a), err)
	}
	defer release()
	r, err := c.once(ctx, a, how)
	for range 2 {
		if !errors.Is(err, errUnwatched) && !errors.Is(err, recipe.ErrChanged) {
			return r, err
		}
		r, err = c.once(ctx, a, how)
	}
	if errors.Is(err, errUnwatched) {
		err = ErrChanged // it reads other files each time
	}
	return r, err
}

func (c *cooker) once(ctx context.Context, a planned, how attempt) (_ ready, err error) {
	tmp := how.scratch(a.Outputs)
	defer func() {
		if err != nil {
			tmp.remove()
		}
	}()
	w := watch{mark: c.Contents.Mark(), begin: c.Now(), opened: map[dependency.Dependency]bool{}}
	var elsewhere processorTime
	env := c.env(ctx, a, tmp, &w, how)
	env.Each, env.Used = elsewhere.each(env.Each), elsewhere.addProcessorTime
	job := jobs.New(a.Method.Recipe, env, a.Source.Stamp.Size)
	span := how.probe.Begin("cook/run/recipe", "")
	var cookErr error
	used, known := onProcessor(func() { cookErr = protect(func() error { return a.Method.Cooker.Cook(ctx, job) }) })
	cookErr = cmp.Or(w.denied, cookErr)
	span.End()
	if how.held != nil {
		how.held.release(how.probe)
	}
	r := ready{planned: a, scratch: tmp, cookTime: c.Now().Sub(w.begin), warnings: jobs.Warnings(job)}
	if known && r.cookTime > 0 { // the clock of a test may stand still
		r.cookTime = max(used+elsewhere.sum(), time.Nanosecond)
	}
	r.deps, err = c.checkInputs(ctx, a, jobs.Deps(job), &w, how.probe)
	if how.again != nil && how.again.Read != nil {
		how.again.Read(r.deps)
	}
	if err := errors.Join(err, cookErr); err != nil {
		return ready{}, c.inUserTerms(err, tmp, a)
	}
	r.made, err = c.collect(ctx, a, tmp, how.probe)
	return r, err
}

// env is what a recipe's job works with.
func (c *cooker) env(ctx context.Context, a planned, tmp *scratch, w *watch, how attempt) jobs.Env {
	env := jobs.Env{
		Path: a.Path, Outputs: tmp.abs(), Names: a.Method.FinalNames(a.Path), Create: tmp.create, Assets: c.Assets.Name(), SourceFile: a.chain.file(a.Path),
		Open: func(p string) (fs.File, error) {
			f, made := a.chain.at(p)
			if !made {
				on := dependency.OfFile(p)
				c.Contents.At(ctx, on) // from now on it is watched
				w.opened[on] = true
			}
			switch {
			case p == a.Path:
				return how.source.takeFile()
			case made:
				return a.chain.open(f)
			}
			return c.Assets.OpenFile(p)
		},
		Stat: func(p string) (fs.FileInfo, error) {
			if f, made := a.chain.at(p); made {
				return a.chain.stat(f)
			}
			return c.Assets.Stat(p)
		},
		List: func(listing recipe.Dependency) ([]string, bool, error) {
			w.opened[listing] = true // it is looked at before it is used
			return c.Contents.List(ctx, listing)
		},
		Extract: func(of recipe.Dependency) ([]recipe.Said, bool, error) { return c.extract(a, of) }, Followed: a.Method.Followed,
		IsLink: func(p string) (bool, error) { return c.Contents.IsLink(ctx, p) },
		Artifacts: func(patterns []string) ([]manifest.Asset, recipe.Dependency, error) {
			on := a.others(dependency.Artifacts, patterns)
			if err := a.waitsFor(on); err != nil {
				w.watchList(nil, err)
				return nil, on, err
			}
			list, err := c.Artifacts.List(on)
			w.watchList(list, err)
			return list, on, err
		},
		IDs: func(patterns []string) (map[string]string, recipe.Dependency, error) {
			on := a.others(dependency.IDs, patterns)
			if err := a.waitsFor(on); err != nil {
				w.watchList(nil, err)
				return nil, on, err
			}
			ids, err := c.Artifacts.IDsOf(on)
			w.watchList(nil, err)
			return ids, on, err
		},
		ReadArtifact: func(p string) ([]byte, error) { return c.readArtifact(w, a.Target, p) },
		Previous: func(i int) *os.File {
			if how.again != nil {
				return nil
			}
			return c.previous(ctx, a, i)
		},
		Each:    c.each(how.times),
		Step:    c.stepsOf(how),
		Note:    how.note,
		Scratch: func() (string, error) { return tmp.folderOf(a) },
	}
	if how.again != nil {
		env.Vars, env.Traced = how.again.Vars, how.again.Traced
	}
	if how.probe != nil && how.held != nil {
		env.Hold = func(kind string, bytes int64) { how.held.hold(c.Probe, how.probe, kind, bytes) }
	}
	return env
}

// extract returns what an extract says of the source of an action.
func (c *cooker) extract(a planned, of dependency.Dependency) (said []recipe.Said, found bool, err error) {
	if _, made := a.chain.at(a.Path); made { // dependencies of a chain are named from its own source
		return nil, false, fmt.Errorf("another recipe made this source, so no file can be asked what it is for: %w", errors.ErrUnsupported)
	}
	if plan.IsAsked(of) && !slices.ContainsFunc(a.asked(), func(d recipe.Dep) bool { return d.On == of }) {
		return nil, false, fmt.Errorf("recipe %s: %s is not asked by its method Asks", a.Method.Recipe.Name, pathname.Show(of.String()))
	}
	return c.Contents.Extract(of)
}

// collect checks that the recipe wrote what it said it would, and sums it.
func (c *cooker) collect(ctx context.Context, a planned, tmp *scratch, probe *profile.Worker) ([]index.Artifact, error) {
	defer probe.Begin("cook/run/sum", "").End()
	root := tmp.in.Root()
	made := make([]index.Artifact, len(tmp.files))
	for i, name := range tmp.files {
		var ok bool
		if made[i], ok = c.sumQuickly(tmp, i, hashing.WantSum|hashing.WantDigest); ok {
			continue
		}
		info, err := root.Lstat(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("recipe %s wrote nothing to output %s", a.Method.Recipe.Name, pathname.Show(a.Outputs[i]))
		case err != nil:
			return nil, err
		case !info.Mode().IsRegular():
			return nil, fmt.Errorf("recipe %s made no regular file of output %s", a.Method.Recipe.Name, pathname.Show(a.Outputs[i]))
		}
		if info.Mode().Perm() != c.mode {
			if err := root.Chmod(name, c.mode); err != nil {
				return nil, err
			}
		}
		sum, err := c.sumAlone(ctx, tmp.in, name, hashing.WantSum|hashing.WantDigest)
		if errors.Is(err, errStillOpen) {
			return nil, fmt.Errorf("output %s: %w", pathname.Show(a.Outputs[i]), err)
		}
		if err != nil {
			return nil, err
		}
		made[i] = artifact(scan.StampOf(info), sum)
	}
	return made, nil
}

// cook makes an action's artifacts as scratch files, or has another machine make them.
func (w *worker) cook(ctx context.Context, a planned) (ready, error) {
	if w.far {
		return w.cookAway(ctx, a)
	}
	return w.cookHere(ctx, a)
}

func (w *worker) cookHere(ctx context.Context, a planned) (ready, error) {
	how := attempt{scratch: w.newScratch, probe: w.probe, held: w.held, times: &w.times, note: w.note, source: &w.src, keep: w.keep}
	if a.forced() {
		how.again = &Conditions{}
	} else {
		how.known, how.exclusive = w.knownStep, w.exclusive
	}
	if w.Step != nil {
		how.step = func(name string) { w.tell(a.Action, name) }
	}
	return w.cooker.cook(ctx, a, how)
}

// Explain has a recipe say what it makes of a source. A panic of its is an error.
func Explain(ctx context.Context, explain func(context.Context, *recipe.Job) ([]string, error), job *recipe.Job) (lines []string, err error) {
	err = protect(func() error {
		lines, err = explain(ctx, job)
		return err
	})
	return lines, err
}

// protect turns a recipe's panic into its asset's failure.
func protect(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("recipe panicked: %v", p)
		}
	}()
	return f()
}

// inUserTerms names outputs in an error's text as the user does, not as the scratch
// files that they still are.
func (c *cooker) inUserTerms(err error, tmp *scratch, a planned) error {
	pairs := append(a.chain.names(), c.Assets.Name()+string(os.PathSeparator), "")
	for i, name := range tmp.abs() {
		output := "output " + pathname.Show(a.Outputs[i])
		pairs = append(pairs, name, output, tmp.files[i], output)
	}
	return &reworded{strings.NewReplacer(pairs...).Replace(err.Error()), err}
}

type reworded struct {
	text string
	err  error
}

func (e *reworded) Error() string { return e.text }
func (e *reworded) Unwrap() error { return e.err }

// A watch tells whether a file was looked at before a recipe could read it: before the
// recipe began, or when it was opened through its job. If its stamp is settled, it does
// not matter when: it has not changed since the run began.
type watch struct {
	mark   int64
	begin  time.Time
	opened map[dependency.Dependency]bool
	listed map[string]manifest.Output // artifacts that the recipe asked for
	denied error                      // that some cannot be had
}

// others is the dependency on the artifacts that patterns choose, apart from those of the action,
// or on their IDs.
func (a planned) others(kind dependency.Kind, patterns []string) dependency.Dependency {
	for _, out := range a.chain.outputs(a) {
		own, _ := below(a.Target, out)
		patterns = append(patterns[:len(patterns):len(patterns)], "!/"+glob.Escape(own))
	}
	return dependency.OfArtifacts(kind, a.Target, patterns)
}

// watchList notes artifacts that a recipe asked for, or why it cannot have them.
func (w *watch) watchList(assets []manifest.Asset, err error) {
	if w.listed == nil {
		w.listed = map[string]manifest.Output{}
	}
	w.denied = cmp.Or(w.denied, err)
	for _, a := range assets {
		for _, o := range a.Outputs {
			w.listed[o.Path] = o
		}
	}
}

// readArtifact reads an artifact that a recipe asked for.
func (c *cooker) readArtifact(w *watch, target, p string) ([]byte, error) {
	want, ok := w.listed[p]
	if !ok || c.Out == nil {
		return nil, fmt.Errorf("%s: not one of the artifacts that were asked for", pathname.Show(p))
	}
	name := p
	if target != "" {
		name = target + "/" + p
	}
	f, err := c.Out.OpenFile(name)
	if err != nil {
		return nil, fmt.Errorf("artifact %s: %w", pathname.Show(p), goneOr(err))
	}
	defer f.Close()
	data := make([]byte, want.Size)
	if _, err := io.ReadFull(f, data); err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, err
	}
	if hashing.DigestOf(data) != want.BLAKE3 {
		return nil, &reworded{fmt.Sprintf("artifact %s is not as it was cooked; cook again ignoring timestamps", pathname.Show(p)), ErrChanged}
	}
	return data, nil
}
