// Package cookone cooks one action: it runs the recipe, proves that the inputs did not change
// meanwhile, and computes the checksums of the artifacts.
//
//	Task --Cook--> Ready
//
// A [Task] is an action of a plan, or a step of a chain. A [Ready] task has all of its artifacts,
// complete, as scratch files. The package does not place artifacts, and uses neither store nor
// server: the caller of [Cooker.Cook] provides a directory for scratch files and may provide
// results for the steps of chains. Runs, verification, and the execution of actions for other
// machines all cook with this package.
//
// # Correctness
//
// Each artifact is written to a scratch file, so that no program reads an incomplete artifact. The
// source, the tools and all dependencies are checked before the recipe reads them and again
// afterwards. If one of them changed, the result is discarded and [ErrChanged] is returned. The
// checksum of an artifact is computed when no other process has the file open for writing. For a
// small artifact from Job.Write, it is the checksum of the written bytes.
package cookone

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/assetcook/assetcook/cook/internal/artifacts"
	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/confine"
	"github.com/assetcook/assetcook/internal/dependency"
	"github.com/assetcook/assetcook/internal/jobs"
	"github.com/assetcook/assetcook/internal/parallel"
	"github.com/assetcook/assetcook/internal/pathname"
	"github.com/assetcook/assetcook/profile"
)

// An Env holds the environment that all actions of a run share.
type Env struct {
	Assets    *confine.Dir
	Out       *confine.Dir // nil in a dry run without output directory
	Contents  *contents.Contents
	Artifacts *artifacts.Catalog // artifacts that bundles read
	Checksum  hashing.Func
	Memory    int64           // memory budget in bytes, for all running recipes together
	Cores     *parallel.Cores // cores that all recipes share; nil if each recipe has its own
	Now       func() time.Time
	Probe     profile.Probe // probe of the whole recording; Attempt.Probe belongs to one worker
}

// A Cooker cooks actions. Its methods may be called concurrently; all calls share the memory
// budget.
type Cooker struct {
	env    Env
	mode   fs.FileMode
	summer *hashing.Summer
	budget *budget
	kinds  *labels
	steps  *labels
}

// New returns a cooker. Artifacts get the given mode, and summer computes their checksums.
func New(env Env, mode fs.FileMode, summer *hashing.Summer) *Cooker {
	return &Cooker{
		env: env, mode: mode, summer: summer, budget: newBudget(env.Memory, env.Cores, env.Probe, env.Now),
		kinds: newLabels(), steps: newLabels(),
	}
}

// A Task is an action to cook: an action of a plan, or a step of a chain.
type Task struct {
	Action *plan.Action
	// Open holds the artifacts that did not exist when the result of the action was looked up. If
	// the recipe reads one that exists now, the action starts over, because the store may now have
	// its result.
	Open []*artifacts.Wait

	chain *chain // nil if the action is not a step
}

// TaskOf returns the task of an action.
func TaskOf(a *plan.Action) Task { return Task{Action: a} }

// IsStep reports whether a task is a step of a chain.
func (t Task) IsStep() bool { return t.chain != nil }

// A Ready task has all of its artifacts, either as scratch files or already in place.
type Ready struct {
	Task     Task
	Scratch  *Scratch
	Made     []index.Artifact
	InPlace  []bool // outputs that need not be placed; nil if there are none
	Deps     []index.Dep
	CookTime time.Duration
	Warnings []string
	Facts    jobs.Facts
	Origin   store.Origin // machine that cooked the artifacts; zero for this machine
	Kept     bool         // the result is in the store
}

// An Attempt holds the settings for cooking an action once.
type Attempt struct {
	// Scratch makes scratch files for outputs.
	Scratch  func(outputs []string) *Scratch
	Source   *Source
	Probe    *profile.Worker
	Holdings *Holdings         // notes memory of the recipe; may be nil
	Times    *Times            // notes times; may be nil
	Step     func(string)      // receives the recipe's step; may be nil
	Note     func(string)      // prints a line once; may be nil
	Grew     func(jobs.Growth) // receives images that grew; may be nil
	Steps    Steps
	Again    *Conditions // nil in a run; otherwise, earlier results are not used
}

// Steps finds and keeps the results of steps in chains. Each function may be nil.
type Steps struct {
	// Known returns the result of a step from the store and true. If the store has none, it returns
	// a Ready that has only the task, with Task.Open set.
	Known func(ctx context.Context, t Task) (Ready, bool)
	// Exclusive waits until no other worker runs an equal step or action. It must be set if Known
	// is set.
	Exclusive func(t Task) (release func())
	// Keep stores the result of a step.
	Keep func(ctx context.Context, r Ready)
}

// Cook makes the artifacts of a task. It retries if a dependency changed, or if a change of a
// dependency could have gone unnoticed. After three attempts it gives up.
func (c *Cooker) Cook(ctx context.Context, t Task, how Attempt) (Ready, error) {
	if t.Action.Method.Next != nil {
		return c.cookChain(ctx, t, how)
	}
	release, err := c.budget.admitRecipe(ctx, t.Action, how)
	if err != nil {
		// The source may have changed while its memory was estimated, so the estimate is wrong.
		return Ready{}, errors.Join(c.recheckSource(ctx, t, how.Source), err)
	}
	defer release()
	r, err := c.attemptCook(ctx, t, how)
	for range 2 {
		if !errors.Is(err, errUnwatched) && !errors.Is(err, recipe.ErrChanged) {
			return r, err
		}
		r, err = c.attemptCook(ctx, t, how)
	}
	if errors.Is(err, errUnwatched) {
		err = ErrChanged // each attempt read files that the run had not examined before
	}
	return r, err
}

// attemptCook runs the recipe of a task, and checks its inputs and outputs.
func (c *Cooker) attemptCook(ctx context.Context, t Task, how Attempt) (_ Ready, err error) {
	tmp := how.Scratch(t.Action.Outputs)
	defer func() {
		if err != nil {
			tmp.Remove()
		}
	}()
	w := watch{mark: c.env.Contents.Mark(), begin: c.env.Now(), opened: map[dependency.Dependency]bool{}}
	var elsewhere processorTime
	env := c.recipeEnv(ctx, t, tmp, &w, how)
	env.Each, env.Used = elsewhere.eachOnProcessor(env.Each), elsewhere.addProcessorTime
	var facts jobs.Facts
	env.Tell = func(f jobs.Facts) { facts = f }
	roles := make([]string, len(t.Action.Outputs))
	env.Role = func(i int, role string) { roles[i] = role }
	job := jobs.New(t.Action.Method.Choice.Recipe, env, t.Action.Source.Stamp.Size)
	span := how.Probe.Begin("cook/run/recipe", "")
	var cookErr error
	used, known := onProcessor(func() {
		cookErr = recoverPanic(func() error { return t.Action.Method.Choice.Cooker.Cook(ctx, job) })
	})
	cookErr = cmp.Or(w.denied, cookErr)
	span.End()
	if how.Holdings != nil {
		how.Holdings.endHoldings(how.Probe)
	}
	r := Ready{Task: t, Scratch: tmp, CookTime: c.env.Now().Sub(w.begin), Warnings: jobs.Warnings(job), Facts: facts}
	if known && r.CookTime > 0 { // CookTime is 0 if the clock of a test does not advance
		r.CookTime = max(used+elsewhere.sumProcessorTime(), time.Nanosecond)
	}
	r.Deps, err = c.proveInputs(ctx, t, jobs.Deps(job), &w, how.Source, how.Probe)
	if how.Again != nil && how.Again.Read != nil {
		how.Again.Read(r.Deps)
	}
	if err := errors.Join(err, cookErr); err != nil {
		return Ready{}, c.InUserTerms(err, tmp, t)
	}
	r.Made, err = c.collectOutputs(ctx, t, tmp, how.Probe)
	for i := range r.Made {
		r.Made[i].Role = roles[i]
	}
	return r, err
}

// Explain lets a recipe describe the artifacts of a source. A panic of the recipe is returned
// as an error.
func Explain(ctx context.Context, explain func(context.Context, *recipe.Job) ([]string, error), job *recipe.Job) (lines []string, err error) {
	err = recoverPanic(func() error {
		lines, err = explain(ctx, job)
		return err
	})
	return lines, err
}

// recoverPanic turns a panic of a recipe into an error.
func recoverPanic(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the recipe panicked: %v; this is a bug in the recipe", p)
		}
	}()
	return f()
}

// InUserTerms replaces the names of scratch files in an error's text with the names of outputs and
// sources.
func (c *Cooker) InUserTerms(err error, tmp *Scratch, t Task) error {
	pairs := append(t.chain.namePairs(), c.env.Assets.Name()+string(os.PathSeparator), "")
	for i, name := range tmp.absoluteName() {
		output := "output " + pathname.Show(t.Action.ShownOutput(i))
		pairs = append(pairs, name, output, tmp.files[i], output)
	}
	return &rewordedError{strings.NewReplacer(pairs...).Replace(err.Error()), err}
}

// A rewordedError has a different text than the error that it wraps.
type rewordedError struct {
	text string
	err  error
}

func (e *rewordedError) Error() string { return e.text }
func (e *rewordedError) Unwrap() error { return e.err }
