package cli

import (
	"context"
	"flag"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/internal/report"
	"github.com/assetcook/assetcook/cook/internal/survey"
	"github.com/assetcook/assetcook/internal/human"
	"github.com/assetcook/assetcook/internal/pathname"
)

const depsText = `usage: cook deps -dir assets [flags] PATH ...

Lists the files that assets read besides their sources, and those that they looked for and
that are not there, in the last run. A path may be that of an output.

Example:
	cook deps -dir assets models/kart.gltf
`

const usesText = `usage: cook uses -dir assets [flags] PATH ...

Lists the assets that read files, or looked for them, in the last run. Of an output, it
names the asset that it was made of.

Example:
	cook uses -dir assets textures/wood.png
`

func (r *queryRun) depsFlags() *flag.FlagSet {
	fs := r.start("deps", depsText)
	fs.BoolVar(&r.json, "json", false, "print each asset as one line of JSON")
	return fs
}

func (r *queryRun) usesFlags() *flag.FlagSet {
	fs := r.start("uses", usesText)
	fs.BoolVar(&r.json, "json", false, "print each file as one line of JSON")
	return fs
}

func runDeps(ctx context.Context, _ func(), args []string, stdout, stderr io.Writer) int {
	var r queryRun
	return query(ctx, &r, r.depsFlags(), args, stdout, stderr, true, r.deps)
}

// A filesJSON is a file with others that it is about.
type filesJSON struct {
	Path       string   `json:"path"`
	PathBase64 string   `json:"path_base64,omitempty"`
	Target     string   `json:"target,omitempty"`
	Reads      []string `json:"reads,omitempty"`
	Missing    []string `json:"missing,omitempty"`
	Takes      []string `json:"takes,omitempty"`
	MadeOf     string   `json:"made_of,omitempty"`
	UsedBy     []string `json:"used_by,omitempty"`

	Again int           `json:"assets,omitempty"`  // that an edit cooks again
	Took  time.Duration `json:"cook_ns,omitempty"` // by all of them, last time
}

func (r *queryRun) deps(paths []string, w io.Writer) error {
	for _, given := range paths {
		found, err := r.findAsset(given)
		if err != nil {
			return err
		}
		switch {
		case found.Name == "":
			return r.unknown(given, found.Known)
		case len(found.Assets) == 0:
			return &cook.ConfigError{Err: fmt.Errorf("%s: is no asset; cook uses names those that read it", pathname.Show(given))}
		}
		err = r.each(w, found.Assets, func(a *survey.Asset) (record any, lines []string) {
			rec := filesJSON{Path: a.Path, PathBase64: report.UnlessUTF8(a.Path), Target: a.Target, Missing: a.Missing, Takes: a.Takes}
			for _, d := range a.Dependencies {
				if slices.Contains(a.Missing, d) {
					lines = append(lines, pathname.Show(d)+" (is not there)")
				} else {
					rec.Reads = append(rec.Reads, d)
					lines = append(lines, pathname.Show(d))
				}
			}
			for _, o := range a.Takes {
				lines = append(lines, pathname.Show(o)+" (cooked)")
			}
			return rec, lines
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func runUses(ctx context.Context, _ func(), args []string, stdout, stderr io.Writer) int {
	var r queryRun
	return query(ctx, &r, r.usesFlags(), args, stdout, stderr, true, r.uses)
}

func (r *queryRun) uses(paths []string, w io.Writer) error {
	for _, given := range paths {
		found, err := r.findAsset(given)
		if err != nil {
			return err
		}
		if found.Name == "" {
			return r.unknown(given, found.Known)
		}
		rec := filesJSON{Path: found.Name, UsedBy: found.Users, Again: found.Again.Assets, Took: found.Again.Took}
		if found.Output != "" {
			rec.MadeOf, rec.Path = found.Name, given
		}
		rec.PathBase64 = report.UnlessUTF8(rec.Path)
		if r.json {
			err := eachJSON(w, []filesJSON{rec}, func(f *filesJSON) any { return f })
			if err != nil {
				return err
			}
			continue
		}
		fmt.Fprintf(w, "%s", pathname.Show(rec.Path))
		if rec.MadeOf != "" {
			fmt.Fprintf(w, ": made of %s", pathname.Show(rec.MadeOf))
		} else if rec.UsedBy == nil {
			fmt.Fprint(w, ": read by no other asset")
		}
		fmt.Fprintln(w)
		for _, p := range rec.UsedBy {
			fmt.Fprintf(w, "  %s\n", pathname.Show(p))
		}
		fmt.Fprintf(w, "an edit cooks %s again, which took %s last time\n", human.Count(rec.Again, "asset"), human.Duration(rec.Took))
	}
	return nil
}
