package cook

import (
	"context"

	"github.com/assetcook/assetcook/cook/internal/watch"
	"github.com/assetcook/assetcook/profile"
)

// WatchOptions say how a watcher cooks; the fields are those of CookOptions.
type WatchOptions struct {
	Strict          bool
	StopOnFailure   bool
	OutputsByFolder bool
	Limits          Limits
	Probe           profile.Probe
	Observer        Observer
	// Round is called after the first round and after every one that found work to do
	// or ended otherwise than the one before.
	Round func(Round)
}

// A Round is one time that a watcher brought the output folder up to date.
type Round struct {
	Summary Summary
	Err     error
	// Rules is what is wrong with the rules, if the round followed those of before.
	Rules error
	// Folders is how many folders are watched; 0 means that none can be and that the
	// tree is looked at from time to time.
	Folders int
}

// Watch cooks, and cooks again whenever something changed, until ctx ends; it returns
// the context's error, or that of the first round if that could not even begin.
//
// Meanwhile Cook, with the same options, asks the watcher instead of looking at the tree
// itself.
func Watch(ctx context.Context, p Project, opt WatchOptions) error {
	o := p.options()
	o.Mode.Strict, o.Mode.StopOnFailure, o.Mode.OutputsByFolder = opt.Strict, opt.StopOnFailure, opt.OutputsByFolder
	o.Limits, o.Probe, o.Observer = opt.Limits, opt.Probe, opt.Observer
	o.Remote = p.Remote
	return asPublic(watch.Run(ctx, o, func(r watch.Round) {
		if opt.Round != nil {
			opt.Round(Round{summarize(&r.Done.Tally, r.Done.Took), asPublic(r.Err), asPublic(r.Rules), r.Folders})
		}
	}))
}

// StageWait is the stage of a watcher between two rounds.
const StageWait = watch.StageWait
