package query

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/cli/internal/cmdline"
	"github.com/assetcook/assetcook/cook/internal/report"
	"github.com/assetcook/assetcook/cook/internal/survey"
	"github.com/assetcook/assetcook/internal/frontend"
)

const whyText = `usage: cook why -dir assets [flags] PATH ...

Explains what the next cook would do with an asset and why, what the last one did, and which
rules, options and inputs decide that. For a directory or a pattern, it prints one line per
asset; for images, the line has the role, its evidence and the format that the last cook chose.
With -against, it names each part of the key that differs from another output directory, such as
one of a colleague or of CI, or from an earlier run: its ID, or the number that cook history
prints. snapshot:REF is the run that published a snapshot on the server of -remote. Changes
nothing.

Example:
	cook why -dir assets textures/wood.png
	cook why -dir assets 'ui/*.png'
	cook why -dir assets -against /mnt/ci/cooked textures/wood.png
	cook why -dir assets -against snapshot:game/main textures/wood.png
`

// Why is the verb "cook why".
var Why = cmdline.Verb{
	Name: "why", Synopsis: "why -dir assets [flags] PATH", Summary: "explain what happens to one asset", Text: whyText,
	Takes: cmdline.Argument{Files: true},
	New:   cmdline.HandlerOf((*whyOptions).whyFlags, (*whyOptions).runWhy),
}

type whyOptions struct {
	project cook.Project
	options cook.WhyOptions
	against string
	remote  cook.Remote // server of snapshots; other questions ask no server
	json    bool
	verbose bool
}

func (r *whyOptions) whyFlags(fs *flag.FlagSet) {
	cmdline.FolderFlags(fs, &r.project)
	cmdline.RuleFlags(fs, &r.project, cmdline.TargetsToCook)
	cmdline.ChangeFlags(fs, &r.project, &r.options.IgnoreTimestamps, &r.options.OutputsByFolder)
	cmdline.WorkerFlag(fs, &r.options.Workers)
	fs.StringVar(&r.against, "against", "", "name the parts of the key that differ from an output `directory`, a run or snapshot:REF")
	cmdline.RemoteFlags(fs, &r.remote)
	fs.BoolVar(&r.json, "json", false, "print each explanation as one line of JSON")
	fs.BoolVar(&r.verbose, "v", false, "also print options with their default values")
}

func (r *whyOptions) runWhy(ctx context.Context, c *cmdline.Call, paths []string) int {
	r.project.Recipes = c.Recipes
	if r.project.Dir == "" || len(paths) == 0 {
		return c.Wrong("want an asset directory and a path; try: cook why -dir assets textures/wood.png")
	}
	r.options.Observer = c.Notes(r.project.Dir)
	if r.against != "" {
		return r.runAgainst(ctx, c, paths)
	}
	for _, path := range paths {
		if pattern := r.several(path); pattern != "" {
			if err := r.explainEach(ctx, c, pattern); err != nil {
				return c.Fail(ctx, err)
			}
			continue
		}
		all, err := cook.Why(ctx, r.project, path, r.options)
		if errors.Is(err, cook.ErrNoAsset) {
			err = &cook.ConfigError{Err: err}
		}
		if err != nil {
			return c.Fail(ctx, err)
		}
		for i := range all {
			all[i].Err = cmdline.AddFlags(all[i].Err)
			if r.json {
				report.NewJSON(c.Stdout).Explanation(&all[i])
			} else {
				report.WriteExplanation(c.Stdout, &all[i], r.verbose)
			}
		}
	}
	return frontend.OK
}

// several returns the pattern for a word that is a pattern or names a directory. It returns "" for
// the path of a file.
func (r *whyOptions) several(word string) string {
	for _, name := range []string{filepath.Join(r.project.Dir, word), word} {
		if info, err := os.Stat(name); err == nil {
			if info.IsDir() {
				return cmdline.AsPattern(r.project.Dir, word, false)
			}
			return ""
		}
	}
	if strings.ContainsAny(word, "*?[{") {
		return word
	}
	return ""
}

// explainEach prints, for each matching asset, a line about its next cook. It then prints totals.
func (r *whyOptions) explainEach(ctx context.Context, c *cmdline.Call, pattern string) error {
	opt := cook.CookOptions{
		DryRun: true, EveryAsset: true, Patterns: []string{pattern},
		IgnoreTimestamps: r.options.IgnoreTimestamps, OutputsByFolder: r.options.OutputsByFolder, Limits: cook.Limits{Workers: r.options.Workers},
	}
	facts := r.imageFacts(pattern)
	lines := report.NewJSON(c.Stdout)
	lines.DryRun, lines.Dir, lines.Facts = true, r.project.Dir, facts
	if r.json {
		opt.Observer = cmdline.Flagging(lines)
	} else {
		opt.Observer = cmdline.Flagging(&report.Reasons{Out: c.Stdout, Facts: facts, Text: report.Text{Out: io.Discard, Err: c.Stderr, Dir: r.project.Dir, Style: c.Style()}})
	}
	summary, err := cook.Cook(ctx, r.project, opt)
	if err != nil {
		return err
	}
	if r.json {
		lines.Flush()
	} else {
		fmt.Fprintf(c.Stdout, "cook: %s\n", summary)
	}
	return nil
}

// imageFacts returns the decisions about matching images in the last run. It returns none before
// the first run, or if the store has trimmed them.
func (r *whyOptions) imageFacts(pattern string) report.ImageFacts {
	last := lastRun{project: r.project}
	list, err := last.loadAssets([]string{pattern})
	if err != nil {
		return nil
	}
	out, err := survey.OutputFolder(r.project.Dir, r.project.Out)
	if err != nil || survey.Recall(out, r.project.Cache, list) != nil {
		return nil
	}
	facts := report.ImageFacts{}
	for i := range list {
		if f := list[i].Last.Facts; f.Format != "" {
			facts[[2]string{list[i].Path, list[i].Target}] = report.ImageFact{Role: list[i].Role(), Evidence: f.Evidence, Format: f.Format, Mips: f.Levels}
		}
	}
	return facts
}
