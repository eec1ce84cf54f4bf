package cook

import (
	"context"

	"github.com/assetcook/assetcook/cook/internal/watch"
	"github.com/assetcook/assetcook/profile"
)

// WatchOptions choose how a watcher cooks, as CookOptions do.
type WatchOptions struct {
	Strict          bool
	StopOnFailure   bool
	OutputsByFolder bool
	Limits          Limits
	Probe           profile.Probe
	Observer        Observer
	// Round is called after the first round, and after each round that had work to do or ended
	// otherwise than the round before.
	Round func(Round)
}

// A Round is one pass of a watcher over the project.
type Round struct {
	Summary Summary
	Err     error
	// Rules is the error of the present rules, if the round used earlier ones.
	Rules error
	// Directories is the number of watched directories. 0 means that the system cannot watch, and that
	// the watcher looks at the tree from time to time.
	Folders int
}

// Watch cooks, and cooks again after each change, until ctx ends. It returns the error of ctx, or of
// the first round if that could not begin.
//
// Meanwhile Cook, with the same options, asks the watcher instead of looking at the tree. The Observer
// sees the stage "wait" between two rounds.
func Watch(ctx context.Context, p Project, opt WatchOptions) error {
	o := p.options()
	o.Mode.Strict, o.Mode.StopOnFailure, o.Mode.OutputsByFolder = opt.Strict, opt.StopOnFailure, opt.OutputsByFolder
	o.Limits, o.Probe, o.Observer = opt.Limits, opt.Probe, opt.Observer
	o.Place.Remote = p.Remote
	return asPublic(watch.Run(ctx, o, func(r watch.Round) {
		if opt.Round != nil {
			opt.Round(Round{summarize(&r.Done.Stats, r.Done.Took), asPublic(r.Err), asPublic(r.Rules), r.Folders})
		}
	}))
}
