package query

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/cli/internal/cmdline"
	"github.com/assetcook/assetcook/cook/internal/explain"
	"github.com/assetcook/assetcook/cook/internal/remote"
	"github.com/assetcook/assetcook/cook/internal/remote/process"
	"github.com/assetcook/assetcook/cook/internal/remote/share"
	"github.com/assetcook/assetcook/cook/internal/report"
	"github.com/assetcook/assetcook/cook/internal/rules"
	"github.com/assetcook/assetcook/cook/internal/session"
	"github.com/assetcook/assetcook/cook/internal/snapshot"
	"github.com/assetcook/assetcook/cook/internal/survey"
	"github.com/assetcook/assetcook/internal/frontend"
	"github.com/assetcook/assetcook/internal/pathname"
)

// runAgainst compares the keys of assets with another side.
func (r *whyOptions) runAgainst(ctx context.Context, c *cmdline.Call, paths []string) int {
	out, err := survey.OutputFolder(r.project.Dir, r.project.Out)
	if err != nil {
		return c.Fail(ctx, err)
	}
	side, err := r.openSide(ctx, c, out)
	if err != nil {
		return c.Fail(ctx, err)
	}
	defer side.Close()
	opt := r.questionOptions()
	lines := report.NewJSON(c.Stdout)
	for _, path := range paths {
		all, err := r.compareAsset(ctx, opt, side, path)
		if err != nil {
			return c.Fail(ctx, err)
		}
		for i := range all {
			if r.json {
				lines.Comparison(&all[i])
			} else {
				report.WriteComparison(c.Stdout, &all[i])
			}
		}
	}
	return frontend.OK
}

// openSide opens the side that -against names. out is the output directory here.
func (r *whyOptions) openSide(ctx context.Context, c *cmdline.Call, out string) (*explain.Side, error) {
	ref, isSnapshot := strings.CutPrefix(r.against, "snapshot:")
	if !isSnapshot {
		return explain.OpenSide(out, r.against)
	}
	if r.remote.URL == "" {
		return nil, &cook.ConfigError{Err: cmdline.ErrNoServer}
	}
	opt, err := remote.OptionsOf(rules.Remote(r.remote))
	if err != nil {
		return nil, &cook.ConfigError{Err: err}
	}
	carrier, err := process.OpenCarrier(ctx, opt.Args, nil, c.Warn)
	if err != nil {
		return nil, err
	}
	defer carrier.Close()
	g := snapshot.Getter{Carrier: carrier, Name: share.SnapshotName{Ref: ref}}
	if len(r.project.Targets) == 1 {
		g.Name.Target = r.project.Targets[0]
	}
	x, err := g.ReadIndex(ctx)
	if errors.Is(err, share.ErrNoSnapshot) && g.Name.Target != "" { // a snapshot of all targets has this one, too
		g.Name.Target = ""
		x, err = g.ReadIndex(ctx)
	}
	if err != nil {
		return nil, err
	}
	name := "the snapshot " + pathname.Show(ref)
	return explain.OfIndex(name, x, func(err error) error { return fmt.Errorf("%s: %w", name, err) }), nil
}

// questionOptions returns the options of the session that answers about one asset.
func (r *whyOptions) questionOptions() session.Options {
	opt := placeOptions(&r.project)
	opt.Checksum, opt.Observer = r.project.Checksum, r.options.Observer
	opt.Mode.DryRun, opt.Mode.IgnoreStamps, opt.Mode.OutputsByFolder = true, r.options.IgnoreTimestamps, r.options.OutputsByFolder
	opt.Limits.Workers = r.options.Workers
	return opt
}

func (r *whyOptions) compareAsset(ctx context.Context, opt session.Options, side *explain.Side, path string) ([]explain.Comparison, error) {
	if r.several(path) != "" {
		return nil, &cook.ConfigError{Err: fmt.Errorf("%s: -against compares single assets; name a file", pathname.Show(path))}
	}
	answer, err := explain.AskAbout(ctx, opt, path)
	if errors.Is(err, cook.ErrNoAsset) {
		err = &cook.ConfigError{Err: err}
	}
	if err != nil {
		return nil, err
	}
	defer answer.Close()
	return answer.Against(ctx, side)
}
