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

// openStore opens the store. If there is no store, it returns nil. If the store is unusable, it
// returns nil and prints a note.
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
	return a.State == index.Done && lookup.StoresMethod(a.Method, r.s.Basis.Recipes)
}

// A record is a result that the store may contain.
type record struct {
	action *index.Action
	id     store.ResultID
	sets   error // error from reading the read sets
	result error // error from reading the result
	differ bool  // set if the record differs from the index
}

// checkStoredRecords reads the records of the actions.
func (r *reader) checkStoredRecords(ctx context.Context, report *reporter) error {
	var records []record
	for i := range r.before {
		if a := r.before[i].Action; r.mayBeStored(a) && r.isInScope(a) {
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
			// The store has different artifacts for the same inputs.
			recipe := plan.RecipeOf(a.Method)
			report.reportFinding(Finding{Kind: NotReproducible, Path: a.Path, Target: a.Target, Recipe: recipe,
				Text: fmt.Sprintf("the store has another result of the same inputs: the recipe %q is not deterministic", recipe)})
		}
	}
	return nil
}

// readStoredRecords reads the records, one directory of the store after the other.
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
	e.differ = !plan.IsLinked(a) && !slices.Equal(cookone.Stored(a.Made), result.Artifacts)
}

// reportStore reports a damaged or unreadable entry.
func reportStore(r *reporter, a *index.Action, err error) {
	if errors.Is(err, store.ErrMissing) {
		return
	}
	f := Finding{Kind: StoreDamaged, Path: a.Path, Target: a.Target, Text: fmt.Sprintf("store: %v", err)}
	var kept *fs.PathError // set if the entry could not be removed
	if errors.Is(err, store.ErrDamaged) && !errors.As(err, &kept) {
		f.Text += "; the entry is removed, and cooked again when it is needed"
	}
	r.reportFinding(f)
}

// errNotReached reports that a server answered no request.
var errNotReached = errors.New("remote: the server was not reached, so nothing was compared with its results")

// openSharedClient returns a client for the server whose results are compared, or nil if there is
// no server. The client sends the same requests as a run. It waits as long as the server takes, and
// uploads nothing.
func openSharedClient(ctx context.Context, s *session.Session, r *reporter, opt remote.Options) *remote.Client {
	if opt.URL == "" {
		return nil
	}
	opt.Read, opt.Upload = true, false
	opt.Args = append(opt.Args, "-patient")
	return remote.New(ctx, opt, s.OpenStore(), r.noteLine)
}

// closeRemote closes the client. The error is errNotReached if the server answered no request.
func closeRemote(ctx context.Context, c *remote.Client, asked bool) error {
	if stats := c.Close(ctx); c != nil && asked && stats.Requests == 0 && ctx.Err() == nil {
		return errNotReached
	}
	return nil
}

// checkShared reports results of the server that differ from the result of cooking again. It checks
// the results that a run would use. A result that the server does not have is not a difference.
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

// sharedTime is the longest time to wait for an answer. The command serve-remote has a shorter
// limit.
const sharedTime = time.Minute

// sharedResults returns the results of a server for a step. It looks them up by three sets of
// dependencies: the server's read sets, the dependencies found by cooking again, and the dependencies
// of the last run. If results of the action are not shared, it returns none.
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
	if t.Action.Last != nil { // a step of a chain has no recorded dependencies
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

// A sharedDifference is an artifact that differs between the server's result and the new one.
type sharedDifference struct{ output, says string }

// sharedDifferences compares a result of the server with the result of cooking the step again.
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
