package verify

import (
	"context"
	"errors"
	"fmt"

	"github.com/assetcook/assetcook/cook/internal/execute"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/remote"
	"github.com/assetcook/assetcook/cook/internal/session"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/internal/pathname"
)

// errNotReached says that a server that was to be asked was not.
var errNotReached = errors.New("remote: the server was not reached, so nothing was compared with it")

// openRemote returns a client of the server whose results are compared, nil for none. It asks
// as a run does, but waits for the server as long as that takes, and gives nothing.
func openRemote(ctx context.Context, s *session.Session, r *reporter, opt remote.Options) *remote.Client {
	if opt.URL == "" {
		return nil
	}
	opt.Read, opt.Upload = true, false
	opt.Args = append(opt.Args, "-patient")
	return remote.New(ctx, opt, s.OpenStore(), r.note)
}

// closeRemote ends the questions. Its error says that the server answered none.
func closeRemote(ctx context.Context, c *remote.Client, asked bool) error {
	if stats := c.Close(ctx); c != nil && asked && stats.Requests == 0 && ctx.Err() == nil {
		return errNotReached
	}
	return nil
}

// checkShared reports where the results that runs would take from the server are others than
// cooking again gave. What the server does not have is no difference.
func (w *worker) checkShared(ctx context.Context, a *plan.Action, steps []execute.Step) {
	for _, step := range steps {
		for _, s := range w.again.Shared(ctx, w.remote, step) {
			w.compared.Add(1)
			for _, text := range sharedDifferences(s) {
				origin := s.Result.Origin
				w.report.found(Finding{
					Kind: RemoteDiffers, Path: a.Path, Target: a.Target, Output: text.output, Origin: &origin,
					Text: fmt.Sprintf("%s; from %s", text.says, remote.Describe(origin, s.Result.CookTime)),
				})
			}
		}
	}
}

// A sharedDifference is an artifact that is another one on the server.
type sharedDifference struct{ output, says string }

func sharedDifferences(s execute.Shared) (all []sharedDifference) {
	if there, now := len(s.Result.Artifacts), len(s.Now); there != now {
		return []sharedDifference{{"", fmt.Sprintf("the server has %d artifacts, and a new cook gives %d", there, now)}}
	}
	for i, there := range s.Result.Artifacts {
		if now := s.Now[i]; there != now {
			all = append(all, sharedDifference{s.Outputs[i], fmt.Sprintf("%s differs on the server: it has %s, and a new cook gives %s",
				pathname.Show(s.Outputs[i]), content(there), content(now))})
		}
	}
	return all
}

func content(a store.Artifact) string { return fmt.Sprintf("%s (%d bytes)", a.Blob, a.Size) }
