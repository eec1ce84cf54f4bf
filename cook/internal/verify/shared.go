package verify

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/assetcook/assetcook/cook/internal/cookone"
	"github.com/assetcook/assetcook/cook/internal/lookup"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/remote"
	"github.com/assetcook/assetcook/cook/internal/session"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/internal/pathname"
)

// errNotReached says that the server answered no question.
var errNotReached = errors.New("remote: the server was not reached, so nothing was compared with it")

// openRemote returns a client of the server whose results are compared, nil for none. The
// client asks as a run does, but waits as long as the server takes, and uploads nothing.
func openRemote(ctx context.Context, s *session.Session, r *reporter, opt remote.Options) *remote.Client {
	if opt.URL == "" {
		return nil
	}
	opt.Read, opt.Upload = true, false
	opt.Args = append(opt.Args, "-patient")
	return remote.New(ctx, opt, s.OpenStore(), r.note)
}

// closeRemote closes the client. The error says that the server answered no question.
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
				w.report.found(Finding{
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
