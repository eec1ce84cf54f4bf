package execute

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/remote"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/dependency"
)

// lookUp finds an action's result without cooking: in the index if only the artifacts
// were lost or moved, else in the store, which alone has the text of warnings. In one that is
// not found it notes the artifacts that results depend on and that are still to be made.
func (w *worker) lookUp(ctx context.Context, a planned) (known, bool) {
	switch {
	case a.Moved != nil && !a.Moved.Warned:
		return a.knownFrom(&a.Moved.Action, w.relocate(ctx, a.Path, a.Moved.Deps)), true
	case a.Last != nil && a.Last.State == index.Done && !a.Stale && !a.Last.Warned && len(a.Last.Made) == len(a.Outputs):
		return a.knownFrom(&a.Last.Action, a.Last.Deps), true
	case !a.inStore(w.Store):
		return known{planned: a}, false
	}
	defer w.probe.Begin("cook/run/look_up", "").End()
	sets, err := w.Store.ReadSets(a.ID)
	if err != nil {
		w.warnOfStore(err)
	}
	k, ok := w.lookUpBy(ctx, a, sets, w.storedResult)
	if ok || !w.remote.Reads() {
		return k, ok
	}
	return w.lookUpRemote(ctx, a, sets)
}

// lookUpBy finds the result of an action for what the names of its read sets hold now.
func (w *worker) lookUpBy(ctx context.Context, a planned, sets []store.ReadSet, result func(context.Context, remote.Key) (store.Result, bool)) (known, bool) {
	// Most recipes read nothing but their source. They have no read set on record, and
	// the empty one is theirs.
	for _, set := range append(slices.Clip(sets), nil) {
		for _, d := range a.asked() {
			set = append(set[:len(set):len(set)], d.On.Named(d.Name))
		}
		slices.SortFunc(set, dependency.Compare)
		deps, err := w.digest(ctx, a, slices.Compact(set))
		var wait *waitError
		if errors.As(err, &wait) {
			a.open = append(a.open[:len(a.open):len(a.open)], wait)
		}
		if err != nil {
			continue
		}
		r, ok := result(ctx, keyOf(a, deps))
		if ok && len(r.Artifacts) == len(a.Outputs) {
			return known{planned: a, deps: deps, made: r.Artifacts, cookTime: r.CookTime, warnings: r.Warnings, origin: r.Origin}, true
		}
	}
	return known{planned: a}, false
}

// keyOf returns the key of the result that an action has with some dependencies.
func keyOf(a planned, deps []index.Dep) remote.Key {
	return remote.Key{Action: a.ID, Result: plan.ResultID(a.ID, deps), Reads: len(readsOf(deps)) > 0}
}

// storedResult is a result of the store.
func (w *worker) storedResult(_ context.Context, k remote.Key) (store.Result, bool) {
	r, err := w.Store.Result(k.Result)
	if err != nil && !errors.Is(err, store.ErrMissing) {
		w.warnOfStore(err)
	}
	return r, err == nil
}

// lookUpRemote finds an action's result on the server that others share, by what it read
// here or there. An action that is no step of a chain asks, and waits without a worker.
func (w *worker) lookUpRemote(ctx context.Context, a planned, sets []store.ReadSet) (known, bool) {
	worth := w.remote.worths.worthOf(a)
	var asks []remote.Key
	look := func(k remote.Key) (known remote.Known) {
		if a.chain == nil && !w.remote.Expects(k) {
			asks = append(asks, k)
			return known
		}
		return w.remote.Look(ctx, k, string(a.Path), worth)
	}
	first := look(keyOf(a, nil))
	for _, set := range first.ReadSets {
		if !slices.ContainsFunc(sets, func(s store.ReadSet) bool { return slices.Equal(s, set) }) {
			sets = append(sets, set)
		}
	}
	found, ok := w.lookUpBy(ctx, a, sets, func(ctx context.Context, k remote.Key) (store.Result, bool) {
		if k.Reads { // what was read elsewhere may have a result here
			if r, ok := w.storedResult(ctx, k); ok {
				return r, true
			}
			first = look(k)
		}
		if first.Result == nil {
			return store.Result{}, false
		}
		w.remote.worths.noteCookTime(a, first.Result.CookTime)
		return *first.Result, true
	})
	if found.shared = ok; !ok {
		found.asks = asks
	}
	return found, ok
}

func (a planned) knownFrom(row *index.Action, deps []index.Dep) known {
	return known{planned: a, deps: deps, made: stored(row.Made), cookTime: row.CookTime}
}

// relocate gives dependencies the paths that their names have from a new place.
func (r *runner) relocate(ctx context.Context, source string, deps []index.Dep) []index.Dep {
	moved, _ := r.digest(ctx, planned{Action: &plan.Action{Path: source}}, namesOf(deps)) // plan has seen that all resolve
	return moved
}

// digest finds the content behind names as the source of an action means them.
func (c *cooker) digest(ctx context.Context, a planned, names store.ReadSet) ([]index.Dep, error) {
	var deps []index.Dep
	for _, asked := range names {
		at, err := asked.Resolve(a.Path)
		if err != nil {
			return nil, err
		}
		if wait := a.waitsFor(at); wait != nil {
			return nil, wait
		}
		f, made := a.chain.has(at)
		if !made {
			f = c.Contents.At(ctx, at)
		}
		if f.How == contents.Unreadable {
			return nil, f.Err
		}
		deps = append(deps, plan.Dependency(asked.Path, at, f))
	}
	return deps, nil
}

// errNotAtHand says that the content of a known result is not available.
var errNotAtHand = errors.New("not in the store any more")

// atHand reports whether fetch would find a known result's content.
func (r *runner) atHand(k known) bool {
	if k.Moved != nil || k.Method.Cheap() { // made again
		return true
	}
	for _, m := range k.made {
		if r.Store == nil || !r.Store.HasBlob(m.Blob, m.Size) {
			return false
		}
	}
	return true
}

// fetch brings the content of a known result from wherever it lies: all of it, or the
// error wraps errNotAtHand.
func (w *worker) fetch(ctx context.Context, k known) (ready, error) {
	defer w.probe.Begin("cook/run/fetch", "").End()
	r := ready{planned: k.planned, deps: k.deps, cookTime: k.cookTime, warnings: k.warnings, scratch: w.newScratch(k.Outputs),
		made: make([]index.Artifact, len(k.made)), inPlace: make([]bool, len(k.made))}
	for i := range k.made {
		if err := w.fetchOne(ctx, k, &r, i); err != nil {
			r.scratch.remove()
			return ready{}, err
		}
	}
	if k.shared {
		w.record(k) // what of it is not in place has come to the store
	}
	return r, nil
}

func (w *worker) fetchOne(ctx context.Context, k known, r *ready, i int) error {
	want, file := k.made[i], r.scratch.files[i]
	if k.Last != nil && i < len(k.Last.Outputs) {
		o := &k.Last.Outputs[i]
		if o.State == contents.Intact && o.Artifact.Path == k.Outputs[i] && o.Artifact.Blob == want.Blob {
			r.made[i], r.inPlace[i] = asFound(o), true
			return nil
		}
	}
	if k.Moved != nil && w.takeBack(&k.Moved.Outputs[i], w.inOut(file)) {
		old := &k.Moved.Outputs[i]
		r.made[i] = old.Artifact
		r.made[i].Stamp = old.Stamp
		return nil
	}
	if !k.inStore(w.Store) {
		return errNotAtHand
	}
	if w.remote.Client != nil && !w.Store.HasBlob(want.Blob, want.Size) && !w.remote.Fetch(ctx, keyOf(k.planned, k.deps), k.cookTime) {
		return errNotAtHand
	}
	err := w.Store.CopyBlob(ctx, want.Blob, want.Size, w.outputs.tmp.Root(), file)
	switch {
	case errors.Is(err, store.ErrMissing):
		return errNotAtHand
	case errors.Is(err, store.ErrDamaged), errors.Is(err, store.ErrUnavailable):
		w.warnOfStore(err)
		return errNotAtHand
	case err != nil:
		return w.inUserTerms(err, r.scratch, k.planned)
	}
	made, ok := w.sumQuickly(r.scratch, i, hashing.WantSum)
	if !ok {
		info, err := w.outputs.tmp.Root().Lstat(file)
		if err != nil {
			return err
		}
		sum, err := w.sumAlone(ctx, w.outputs.tmp, file, hashing.WantSum)
		if err != nil {
			return err
		}
		made = artifact(scan.StampOf(info), sum)
	}
	made.Blob = want.Blob
	r.made[i] = made
	return nil
}

// takeBack makes a scratch file of an artifact that was set aside, if it still has its
// content.
func (w *worker) takeBack(old *contents.Output, file string) bool {
	aside, ok := w.outputs.trash[old.Artifact.Path]
	return ok && (old.Settled || contents.Holds(context.Background(), w.summer, w.Out, aside, &old.Artifact)) && w.Out.Root().Rename(aside, file) == nil
}

// record puts a result into the store whose blobs have just come there from elsewhere.
func (w *worker) record(k known) {
	if err := w.putRecords(k.planned, k.deps, store.Result{Artifacts: k.made, CookTime: k.cookTime, Warnings: k.warnings, Origin: k.origin}); err != nil {
		w.warnOfStore(err)
	}
}

// keep puts a result into the store, and from there it goes to the server that others
// share. Failing to do so costs time later and nothing else.
func (w *worker) keep(ctx context.Context, r ready) {
	if !r.inStore(w.Store) {
		return
	}
	defer w.probe.Begin("cook/run/store", "").End()
	if err := w.keepAll(ctx, r); err == nil {
		keys := []remote.Key{keyOf(r.planned, r.deps)}
		if keys[0].Reads {
			keys = append(keys, keyOf(r.planned, nil))
		}
		w.remote.Keep(string(r.Path), keys...)
		if w.remote.Client != nil {
			w.remote.worths.noteCookTime(r.planned, r.cookTime)
		}
	} else if ctx.Err() == nil {
		w.warnOfStore(err)
	}
}

func (w *worker) keepAll(ctx context.Context, r ready) error {
	if r.kept {
		return nil
	}
	made := stored(r.made)
	for i, file := range r.scratch.files {
		if err := w.putBlob(ctx, file, made[i]); err != nil {
			return err
		}
	}
	return w.putRecords(r.planned, r.deps, store.Result{Artifacts: made, CookTime: r.cookTime, Warnings: r.warnings})
}

// putRecords records a result in the store, and what was read for it.
func (w *worker) putRecords(a planned, deps []index.Dep, r store.Result) error {
	if reads := readsOf(deps); len(reads) > 0 {
		if err := w.Store.AddReadSet(a.ID, reads); err != nil {
			return err
		}
	}
	return w.Store.PutResult(plan.ResultID(a.ID, deps), r)
}

func (w *worker) putBlob(ctx context.Context, file string, a store.Artifact) error {
	f, err := w.outputs.tmp.OpenFile(file)
	if err != nil {
		return err
	}
	defer f.Close()
	return w.Store.PutBlob(ctx, f, a.Blob, a.Size)
}

// warnOfStore reports once that the store is in trouble.
func (r *runner) warnOfStore(err error) {
	r.reporting.store.Do(func() {
		r.reporting.Lock()
		defer r.reporting.Unlock()
		r.Warn("store: " + strings.TrimPrefix(err.Error(), "store: "))
	})
}
