package verify

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/assetcook/assetcook/cook/internal/bulk"
	"github.com/assetcook/assetcook/cook/internal/cookone"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/lookup"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/remote"
	"github.com/assetcook/assetcook/cook/internal/session"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/internal/parallel"
	"github.com/assetcook/assetcook/internal/pathname"
)

// openStore opens the store. It returns nil without a store, or for an unusable store, which
// was noted.
func openStore(s *session.Session) *store.Store {
	if !store.Exists(s.Place.Cache) {
		return nil
	}
	return s.OpenStore()
}

// checkStore reports damaged records and blobs that would restore this tree, and returns the
// number of intact blobs. A missing entry is no difference, because the store may be trimmed
// at any time. If the index was lost, no records are known.
func (r *reader) checkStore(ctx context.Context, report *reporter, lost bool) (intact int, err error) {
	if r.store == nil {
		return 0, nil
	}
	if !lost {
		if err := r.checkStoredRecords(ctx, report); err != nil {
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

// A record is a result that the store may have.
type record struct {
	action *index.Action
	id     store.ResultID
	sets   error // error of reading the read sets
	result error // error of reading the result
	differ bool  // set if the record differs from the index
}

// checkStoredRecords reads the records of the actions.
func (r *reader) checkStoredRecords(ctx context.Context, report *reporter) error {
	var records []record
	for i := range r.before {
		if a := &r.before[i].Action; r.mayBeStored(a) && r.isInScope(a) {
			records = append(records, record{action: a})
		}
	}
	if err := r.readStoredRecords(ctx, records); err != nil {
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
			// Two cooks of the same inputs made different artifacts.
			recipe := plan.RecipeOf(a.Method)
			report.reportFinding(Finding{Kind: NotReproducible, Path: a.Path, Target: a.Target, Recipe: recipe,
				Text: fmt.Sprintf("the store has another result of the same inputs: the recipe %q is not deterministic", recipe)})
		}
	}
	return nil
}

// readStoredRecords reads the records, directory by directory of the store.
func (r *reader) readStoredRecords(ctx context.Context, records []record) error {
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
			records[i].readStoredRecord(w, &tree, r.store)
		}
		return nil
	})
}

// readStoredRecord reads a record, and compares it with the index.
func (e *record) readStoredRecord(w *bulk.Worker, tree *bulk.Tree, opened *store.Store) {
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

// storedOf returns the artifacts of an action as the store names them.
func storedOf(a *index.Action) []store.Artifact {
	list := make([]store.Artifact, len(a.Made))
	for i, m := range a.Made {
		list[i] = store.Artifact{Blob: m.Blob, Size: m.Stamp.Size}
	}
	return list
}

// reportStore reports a damaged or unreadable entry.
func reportStore(r *reporter, a *index.Action, err error) {
	if errors.Is(err, store.ErrMissing) {
		return
	}
	f := Finding{Kind: StoreDamaged, Path: a.Path, Target: a.Target, Text: fmt.Sprintf("store: %v", err)}
	var kept *fs.PathError // if it could not be removed
	if errors.Is(err, store.ErrDamaged) && !errors.As(err, &kept) {
		f.Text += "; it is removed, and cooked anew when it is needed"
	}
	r.reportFinding(f)
}

// errNotReached is the error of a server that answered no question.
var errNotReached = errors.New("remote: the server was not reached, so nothing was compared with it")

// openSharedClient returns a client of the server whose results are compared, nil for none. The
// client asks as a run does, but waits as long as the server takes, and uploads nothing.
func openSharedClient(ctx context.Context, s *session.Session, r *reporter, opt remote.Options) *remote.Client {
	if opt.URL == "" {
		return nil
	}
	opt.Read, opt.Upload = true, false
	opt.Args = append(opt.Args, "-patient")
	return remote.New(ctx, opt, s.OpenStore(), r.noteLine)
}

// closeRemote closes the client. The error is errNotReached if the server answered no question.
func closeRemote(ctx context.Context, c *remote.Client, asked bool) error {
	if stats := c.Close(ctx); c != nil && asked && stats.Requests == 0 && ctx.Err() == nil {
		return errNotReached
	}
	return nil
}

// checkShared reports the results that a run would take from the server, and that differ from
// cooking again. A result that the server does not have is no difference.
func (w *worker) checkShared(ctx context.Context, a *plan.Action, steps []cookone.Step) {
	for _, step := range steps {
		for _, there := range sharedResults(ctx, w.remote, w.again.Cooker(), step) {
			w.compared.Add(1)
			for _, text := range sharedDifferences(step, there) {
				origin := there.Origin
				w.report.reportFinding(Finding{
					Kind: RemoteDiffers, Path: a.Path, Target: a.Target, Output: text.output, Origin: &origin,
					Text: fmt.Sprintf("%s; from %s", text.says, remote.Describe(origin, there.CookTime)),
				})
			}
		}
	}
}

// sharedTime is the longest time to wait for an answer. serve-remote gives up sooner.
const sharedTime = time.Minute

// sharedResults returns the results of a server for a step: for the dependencies that the
// server names, for the dependencies of cooking again, and for the dependencies of the last
// run. An action that is not shared has none.
func sharedResults(ctx context.Context, server *remote.Client, cooker *cookone.Cooker, s cookone.Step) (all []store.Result) {
	t := s.Task
	if t.Action.Method.Choice.Cheap() {
		return nil
	}
	id, err := t.Action.Identify(plan.NewKey(), t.Action.Source, cooker.FileOf(ctx))
	if err != nil {
		return nil
	}
	t.Action = t.Action.Identified(id)
	first := server.Look(ctx, lookup.KeyOf(t.Action, nil), t.Action.Path, sharedTime)
	sets := append(first.ReadSets, lookup.NamesOf(s.Deps), nil)
	if t.Action.Last != nil { // a step of a chain has none
		sets = append(sets, lookup.NamesOf(t.Action.Last.Deps))
	}
	seen := map[store.ResultID]bool{}
	for _, set := range sets {
		deps, err := cooker.Dependencies(ctx, t, set)
		k := lookup.KeyOf(t.Action, deps)
		if err != nil || seen[k.Result] {
			continue
		}
		seen[k.Result] = true
		found := first
		if k.Reads {
			found = server.Look(ctx, k, t.Action.Path, sharedTime)
		}
		if found.Result != nil {
			all = append(all, *found.Result)
		}
	}
	return all
}

// A sharedDifference is an artifact that differs on the server.
type sharedDifference struct{ output, says string }

// sharedDifferences compares a result of the server with a step that was cooked again.
func sharedDifferences(s cookone.Step, r store.Result) (all []sharedDifference) {
	if there, now := len(r.Artifacts), len(s.Made); there != now {
		return []sharedDifference{{"", fmt.Sprintf("the server has %d artifacts, and a new cook gives %d", there, now)}}
	}
	for i, there := range r.Artifacts {
		if now, output := s.Made[i], s.Task.Action.Outputs[i]; there != now {
			all = append(all, sharedDifference{output, fmt.Sprintf("%s differs on the server: it has %s, and a new cook gives %s",
				pathname.Show(output), describeBlob(there), describeBlob(now))})
		}
	}
	return all
}

func describeBlob(a store.Artifact) string { return fmt.Sprintf("%s (%d bytes)", a.Blob, a.Size) }
