package verify

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/assetcook/assetcook/cook/internal/bulk"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/session"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/internal/parallel"
)

// openStore opens the store, nil if there is none, or none that can be used, which was
// noted.
func openStore(s *session.Session) *store.Store {
	if !store.Exists(s.Place.Cache) {
		return nil
	}
	return s.OpenStore()
}

// checkStore reports the records and blobs that are damaged among those from which this
// tree would be restored, and returns how many blobs are intact. What the store does not
// have is no difference: it may be trimmed at any time. After the index was lost no
// records are known.
func (r *reader) checkStore(ctx context.Context, report *reporter, lost bool) (intact int, err error) {
	if r.store == nil {
		return 0, nil
	}
	if !lost {
		if err := r.checkRecords(ctx, report); err != nil {
			return 0, err
		}
	}
	for _, b := range r.sortedBlobs() {
		if b.err == nil {
			intact++
		} else {
			reportStore(report, b.action, b.err)
		}
	}
	return intact, ctx.Err()
}

// mayBeStored reports whether the store may have the result of an action.
func (r *reader) mayBeStored(a *index.Action) bool {
	kept := plan.AnyRecipe(a.Method, func(name string) bool {
		recipe, known := r.s.Basis.Recipes.Lookup(name)
		return !known || !recipe.Cheap
	})
	return a.State == index.Done && kept
}

// A record is a result that the store may have, and what was found.
type record struct {
	action *index.Action
	id     store.ResultID
	sets   error // of the read sets
	result error
	differ bool // from what the index knows
}

// checkRecords reads what the store knows of the actions.
func (r *reader) checkRecords(ctx context.Context, report *reporter) error {
	var records []record
	for i := range r.before {
		if a := &r.before[i].Action; r.mayBeStored(a) && r.wants(a) {
			records = append(records, record{action: a})
		}
	}
	if err := r.readRecords(ctx, records); err != nil {
		return err
	}
	for i := range records {
		a := records[i].action
		for _, err := range []error{records[i].sets, records[i].result} {
			if err != nil {
				reportStore(report, a, err)
			}
		}
		if records[i].differ {
			// Two cooks of the same inputs have made different things of them.
			recipe := plan.RecipeOf(a.Method)
			report.found(Finding{Kind: NotReproducible, Path: a.Path, Target: a.Target, Recipe: recipe,
				Text: fmt.Sprintf("the store has another result of the same inputs: the recipe %q is not deterministic", recipe)})
		}
	}
	return nil
}

// readRecords reads the files of one folder of the store after each other.
func (r *reader) readRecords(ctx context.Context, records []record) error {
	const batch = 256
	err := parallel.Each(ctx, r.s.Limits.Workers, (len(records)+batch-1)/batch, func(_, n int) error {
		for i := n * batch; i < min((n+1)*batch, len(records)); i++ {
			records[i].id = plan.ResultID(records[i].action.ID, records[i].action.Deps)
		}
		return nil
	})
	if err != nil {
		return err
	}
	var folders [256][]int32
	for i := range records {
		b := records[i].id[0]
		folders[b] = append(folders[b], int32(i))
	}
	order := slices.Concat(folders[:]...)
	tree := bulk.OpenFolder(r.store.Root())
	defer tree.Close()
	runs := bulk.Runs(len(order), func(i, j int) bool { return records[order[i]].id[0] == records[order[j]].id[0] }, func(int) int64 { return 0 })
	return bulk.Each(ctx, r.s.Limits.Workers, r.summer, runs, func(w *bulk.Worker, run bulk.Run) error {
		for _, i := range order[run.First:run.Last] {
			if err := ctx.Err(); err != nil {
				return err
			}
			records[i].readRecord(w, &tree, r.store)
		}
		return nil
	})
}

func (e *record) readRecord(w *bulk.Worker, tree *bulk.Tree, opened *store.Store) {
	a := e.action
	if len(a.Deps) > 0 {
		_, e.sets = opened.ReadSets(a.ID)
	}
	data, stamp, err := w.Bytes(tree, store.ResultFile(e.id))
	var result store.Result
	if err == nil {
		result, err = store.ParseResult(e.id, data)
	}
	if err == nil {
		opened.UsedResult(e.id, stamp.MTime)
	} else if result, e.result = opened.Result(e.id); e.result != nil {
		return
	}
	e.differ = !slices.EqualFunc(a.Made, result.Artifacts, func(m index.Artifact, s store.Artifact) bool {
		return s == store.Artifact{Blob: m.Blob, Size: m.Stamp.Size}
	})
}

// storedOf are the artifacts of an action as the store has them.
func storedOf(a *index.Action) []store.Artifact {
	list := make([]store.Artifact, len(a.Made))
	for i, m := range a.Made {
		list[i] = store.Artifact{Blob: m.Blob, Size: m.Stamp.Size}
	}
	return list
}

// reportStore reports an entry that is damaged or cannot be read.
func reportStore(r *reporter, a *index.Action, err error) {
	if errors.Is(err, store.ErrMissing) {
		return
	}
	f := Finding{Kind: StoreDamaged, Path: a.Path, Target: a.Target, Text: fmt.Sprintf("store: %v", err)}
	var kept *fs.PathError // if it could not be removed
	if errors.Is(err, store.ErrDamaged) && !errors.As(err, &kept) {
		f.Text += "; it is removed, and cooked anew when it is needed"
	}
	r.found(f)
}
