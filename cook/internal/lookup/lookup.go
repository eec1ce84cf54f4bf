// Package lookup finds results of actions that need not be cooked, in the index of the last run
// and in the store. It fetches their artifacts, and stores new results.
//
//	Task --Find--> Known --Fetch--> cookone.Ready
//
// A result is looked up in the store in two steps. The action ID finds the read sets: the names of
// the files that recipes read in addition to the source. The action ID is then hashed together with
// the present content of the files of one read set. This hash is the ID of a result.
package lookup

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/assetcook/assetcook/cook/internal/artifacts"
	"github.com/assetcook/assetcook/cook/internal/bulk"
	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/cookone"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/place"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/remote"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/internal/confine"
	"github.com/assetcook/assetcook/internal/dependency"
	"github.com/assetcook/assetcook/internal/jobenv"
	"github.com/assetcook/assetcook/internal/recipeset"
	"github.com/assetcook/assetcook/profile"
)

// A Finder finds and stores the results of a run. Its methods may be called concurrently.
type Finder struct {
	Cooker  *cookone.Cooker
	Outputs *place.Outputs
	Store   *store.Store // nil if the run has no store
	Server  Server       // nil if the run has no server
	// Warn receives each error of the store.
	Warn func(error)
}

// A Server holds results that machines share.
type Server interface {
	// Find finds the result of a task if the server has it and the store does not. sets are the
	// read sets of the store, and local is the result found without the server.
	Find(ctx context.Context, t cookone.Task, sets []store.ReadSet, local Known) (Known, bool)
	// Download brings the blobs of a result into the store, and reports whether the store has all
	// of them.
	Download(ctx context.Context, k Known) bool
}

// A Known result was made before: by the last run, by another action, or elsewhere.
type Known struct {
	Task     cookone.Task
	Deps     []index.Dep
	Made     []store.Artifact
	CookTime time.Duration
	Warnings []string
	Facts    jobenv.Facts
	Origin   store.Origin
	Shared   bool         // set if the server has the result and the store does not
	Unasked  []remote.Key // keys to request from the server if there is no result
}

// errNotAtHand reports that the store has lost the content of a known result.
var errNotAtHand = errors.New("the store no longer has the result")

// IsNotAtHand reports whether Fetch failed because the content is not available.
func IsNotAtHand(err error) bool { return errors.Is(err, errNotAtHand) }

// Stores reports whether the result of an action is kept in the store.
func (f *Finder) Stores(a *plan.Action) bool { return f.Store != nil && !a.Method.Choice.Cheap() }

// StoresMethod reports whether the results of a method of the index are kept in the store.
func StoresMethod(m index.Method, recipes *recipeset.Set) bool {
	return plan.AnyRecipe(m, func(name string) bool {
		recipe, known := recipes.Lookup(name)
		return !known || !recipe.Cheap
	})
}

// IndexHas reports whether the index has the result of an action. That is possible if outputs of
// the action were lost or renamed, and nothing else changed. It is false if artifacts contain final
// names of other assets' outputs.
func IndexHas(a *plan.Action) bool {
	return a.Last != nil && a.Last.State == index.Done && !a.Stale && !plan.IsLinked(a.Last.Action) && !a.IsLinked()
}

// Find finds the result of a task. It looks in the index, then in the store, then on the server.
// Only results from the store include the text of warnings. If there is no result, Known holds the
// task, with the artifacts that are still to be made.
func (f *Finder) Find(ctx context.Context, t cookone.Task, probe *profile.Worker) (Known, bool) {
	a := t.Action
	switch {
	case a.Moved != nil && !a.Moved.Warned:
		return knownFromIndex(t, a.Moved.Action, f.relocate(ctx, a.Path, a.Moved.Deps)), true
	case IndexHas(a) && !a.Last.Warned && len(a.Last.Made) == len(a.Outputs):
		return knownFromIndex(t, a.Last.Action, a.Last.Deps), true
	case !f.Stores(a):
		return Known{Task: t}, false
	}
	defer probe.Begin("cook/run/look_up", "").End()
	sets, err := f.Store.ReadSets(a.ID)
	if err != nil {
		f.Warn(err)
	}
	k, ok := f.FindBy(ctx, t, sets, f.StoredResult)
	if ok || f.Server == nil {
		return k, ok
	}
	return f.Server.Find(ctx, t, sets, k)
}

// FindBy finds the result of a task. It computes one key for each read set, from the present
// content of its files, and calls the function result with this key.
func (f *Finder) FindBy(ctx context.Context, t cookone.Task, sets []store.ReadSet, result func(remote.Key) (store.Result, bool)) (Known, bool) {
	// Most recipes read only their source. Their empty read set is not recorded.
	for _, set := range append(slices.Clip(sets), nil) {
		for _, d := range t.Asked() {
			set = append(set[:len(set):len(set)], d.On.Named(d.Name))
		}
		slices.SortFunc(set, dependency.Compare)
		deps, err := f.Cooker.Dependencies(ctx, t, slices.Compact(set))
		var wait *artifacts.Wait
		if errors.As(err, &wait) {
			t.Open = append(t.Open[:len(t.Open):len(t.Open)], wait)
		}
		if err != nil {
			continue
		}
		r, ok := result(KeyOf(t.Action, deps))
		if ok && len(r.Artifacts) == len(t.Action.Outputs) {
			return Known{Task: t, Deps: deps, Made: r.Artifacts, CookTime: r.CookTime, Warnings: r.Warnings, Facts: r.Facts, Origin: r.Origin}, true
		}
	}
	return Known{Task: t}, false
}

// StoredResult returns a result of the store.
func (f *Finder) StoredResult(k remote.Key) (store.Result, bool) {
	r, err := f.Store.Result(k.Result)
	if err != nil && !errors.Is(err, store.ErrMissing) {
		f.Warn(err)
	}
	return r, err == nil
}

// KeyOf returns the key of an action's result for the given dependencies.
func KeyOf(a *plan.Action, deps []index.Dep) remote.Key {
	return keyOf(a.ID, deps)
}

func keyOf(id store.ActionID, deps []index.Dep) remote.Key {
	return remote.Key{Action: id, Result: plan.ResultID(id, deps), Reads: len(readSetOf(deps)) > 0}
}

// UploadKeys returns the keys under which a server has the result of an action: the key of the
// result and, if the action reads more than its source, the key of its read sets.
func UploadKeys(id store.ActionID, deps []index.Dep) []remote.Key {
	keys := []remote.Key{keyOf(id, deps)}
	if keys[0].Reads {
		keys = append(keys, keyOf(id, nil))
	}
	return keys
}

// NamesOf returns dependencies with the names that the recipe used.
func NamesOf(deps []index.Dep) store.ReadSet {
	names := make(store.ReadSet, len(deps))
	for i, d := range deps {
		names[i] = d.Asked()
	}
	return names
}

// readSetOf returns the names of the dependencies that are not part of the action ID.
func readSetOf(deps []index.Dep) store.ReadSet {
	return slices.DeleteFunc(NamesOf(deps), plan.IsAsked)
}

// knownFromIndex returns the result of an action of the index.
func knownFromIndex(t cookone.Task, row *index.Action, deps []index.Dep) Known {
	return Known{Task: t, Deps: deps, Made: cookone.Stored(row.Made), CookTime: row.CookTime}
}

// relocate returns the dependencies with the same names, resolved relative to another source.
func (f *Finder) relocate(ctx context.Context, source string, deps []index.Dep) []index.Dep {
	moved, _ := f.Cooker.Dependencies(ctx, cookone.TaskOf(&plan.Action{Path: source}), NamesOf(deps)) // no error is possible, because the plan has resolved these names
	return moved
}

// AtHand predicts whether Fetch will find the content of a known result.
func (f *Finder) AtHand(k Known) bool {
	if k.Task.Action.Moved != nil || k.Task.Action.Method.Choice.Cheap() { // the content is in another artifact, or is cheap to make again
		return true
	}
	for _, m := range k.Made {
		if f.Store == nil || !f.Store.HasBlob(m.Blob, m.Size) {
			return false
		}
	}
	return true
}

// Fetch makes scratch files of all artifacts of a known result. Use IsNotAtHand to classify its
// error.
func (f *Finder) Fetch(ctx context.Context, k Known, sums *bulk.Worker, probe *profile.Worker) (cookone.Ready, error) {
	defer probe.Begin("cook/run/fetch", "").End()
	r := cookone.Ready{
		Task: k.Task, Deps: k.Deps, CookTime: k.CookTime, Warnings: k.Warnings, Facts: k.Facts, Origin: k.Origin, Scratch: f.Outputs.NewScratch(k.Task.Action.Outputs, sums),
		Made: make([]index.Artifact, len(k.Made)), InPlace: make([]bool, len(k.Made)),
	}
	for i := range k.Made {
		if err := f.fetchOne(ctx, k, &r, i); err != nil {
			r.Scratch.Remove()
			return cookone.Ready{}, err
		}
		r.Made[i].Role = k.Made[i].Role
	}
	if k.Shared { // the blobs of the result were just downloaded to the store
		result := store.Result{Artifacts: k.Made, CookTime: k.CookTime, Warnings: k.Warnings, Facts: k.Facts, Origin: k.Origin}
		if err := f.putRecords(k.Task.Action, k.Deps, result); err != nil {
			f.Warn(err)
		}
	}
	return r, nil
}

// smallBlob is the largest size of a blob that is copied in memory. A larger blob is copied by the file
// system, which may share the blocks.
const smallBlob = 16 << 10

// fetchOne fetches one artifact: from its present path, from the trash, or from the store.
func (f *Finder) fetchOne(ctx context.Context, k Known, r *cookone.Ready, i int) error {
	a, want, file := k.Task.Action, k.Made[i], r.Scratch.Files()[i]
	if a.Last != nil && i < len(a.Last.Outputs) {
		o := &a.Last.Outputs[i]
		if o.State == contents.Intact && a.IsOutput(i, o.Artifact) && o.Artifact.Blob == want.Blob {
			r.Made[i], r.InPlace[i] = cookone.AsFound(o), true
			return nil
		}
	}
	if a.Moved != nil && f.Outputs.TakeBack(&a.Moved.Outputs[i], file) {
		old := &a.Moved.Outputs[i]
		r.Made[i] = *old.Artifact
		r.Made[i].Stamp = old.Stamp
		return nil
	}
	if !f.Stores(a) {
		return errNotAtHand
	}
	if f.Server != nil && !f.Store.HasBlob(want.Blob, want.Size) && !f.Server.Download(ctx, k) {
		return errNotAtHand
	}
	var data []byte
	var err error
	if want.Size <= smallBlob {
		data, err = f.Store.ReadBlob(ctx, want.Blob, want.Size)
	} else {
		err = f.Store.CopyBlob(ctx, want.Blob, want.Size, r.Scratch.Dir().Root(), file)
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, store.ErrMissing):
		return errNotAtHand
	case errors.Is(err, store.ErrDamaged), errors.Is(err, store.ErrUnavailable):
		f.Warn(err)
		return errNotAtHand
	case err != nil:
		return f.Cooker.InUserTerms(err, r.Scratch, k.Task)
	}
	made, err := f.Cooker.SumCopy(ctx, r.Scratch, i, data)
	if err != nil {
		return f.Cooker.InUserTerms(err, r.Scratch, k.Task)
	}
	made.Blob = want.Blob
	r.Made[i] = made
	return nil
}

// Keep stores a result, and reports whether the store has it. A failure only means that later
// runs may have to cook again.
func (f *Finder) Keep(ctx context.Context, r cookone.Ready, probe *profile.Worker) bool {
	if !f.Stores(r.Task.Action) {
		return false
	}
	defer probe.Begin("cook/run/store", "").End()
	if err := f.keepAll(ctx, r); err != nil {
		if ctx.Err() == nil {
			f.Warn(err)
		}
		return false
	}
	return true
}

// keepAll puts the blobs of a result into the store, then its records.
func (f *Finder) keepAll(ctx context.Context, r cookone.Ready) error {
	if r.Kept {
		return nil
	}
	made := cookone.Stored(r.Made)
	for i, file := range r.Scratch.Files() {
		if err := f.storeBlob(ctx, r.Scratch.Dir(), file, made[i]); err != nil {
			return err
		}
	}
	return f.putRecords(r.Task.Action, r.Deps, store.Result{Artifacts: made, CookTime: r.CookTime, Warnings: r.Warnings, Facts: r.Facts})
}

// putRecords puts a result and its read set into the store.
func (f *Finder) putRecords(a *plan.Action, deps []index.Dep, r store.Result) error {
	if reads := readSetOf(deps); len(reads) > 0 {
		if err := f.Store.AddReadSet(a.ID, reads); err != nil {
			return err
		}
	}
	return f.Store.PutResult(plan.ResultID(a.ID, deps), r)
}

func (f *Finder) storeBlob(ctx context.Context, in *confine.Dir, name string, a store.Artifact) error {
	file, err := in.OpenFile(name)
	if err != nil {
		return err
	}
	defer file.Close()
	return f.Store.PutBlob(ctx, file, a.Blob, a.Size)
}
