package query

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/cli/internal/cmdline"
	"github.com/assetcook/assetcook/cook/internal/report"
	"github.com/assetcook/assetcook/cook/internal/survey"
	"github.com/assetcook/assetcook/internal/human"
	"github.com/assetcook/assetcook/internal/pathname"
)

const depsText = `usage: cook deps -dir assets [flags] PATH ...

Lists the files that assets read besides their sources in the last run, and the absent files
that they looked for. A path may name an output.

Example:
	cook deps -dir assets models/kart.gltf
`

// Deps is the verb "cook deps".
var Deps = cmdline.Verb{
	Name: "deps", Synopsis: "deps -dir assets [flags] PATH ...", Summary: "list the files that an asset reads", Text: depsText,
	Takes: cmdline.Argument{Files: true},
	New:   queryHandler("deps", "print each asset as one line of JSON", true, (*lastRun).deps),
}

// A filesJSON is a file and its related files, as printed by cook deps -json and cook uses -json.
type filesJSON struct {
	Path       string   `json:"path"`
	PathBase64 string   `json:"path_base64,omitempty"`
	Target     string   `json:"target,omitempty"`
	Reads      []string `json:"reads,omitempty"`
	Missing    []string `json:"missing,omitempty"`
	Takes      []string `json:"takes,omitempty"`
	MadeOf     string   `json:"made_of,omitempty"`
	UsedBy     []string `json:"used_by,omitempty"`

	Again int           `json:"assets,omitempty"`  // number of assets that an edit of the file would cook again
	Took  time.Duration `json:"cook_ns,omitempty"` // total time of the last cooks of these assets
}

func (r *lastRun) deps(paths []string, w io.Writer) error {
	for _, given := range paths {
		found, err := r.findAsset(given)
		if err != nil {
			return err
		}
		switch {
		case found.Name == "":
			return r.unknownAsset(given, found.Known)
		case len(found.Assets) == 0:
			return &cook.ConfigError{Err: fmt.Errorf("%s is not an asset; cook uses lists the assets that read this file", pathname.Show(given))}
		}
		err = r.printEachAsset(w, found.Assets, func(a *survey.Asset) (record any, lines []string) {
			rec := filesJSON{Path: a.Path, PathBase64: report.UnlessUTF8(a.Path), Target: a.Target, Missing: a.Missing, Takes: a.Takes}
			for _, d := range a.Dependencies {
				if slices.Contains(a.Missing, d) {
					lines = append(lines, pathname.Show(d)+" (absent)")
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

// printEachAsset prints lines about each asset, either below its name or as JSON.
func (r *lastRun) printEachAsset(w io.Writer, list []survey.Asset, say func(*survey.Asset) (record any, lines []string)) error {
	if r.json {
		return eachJSON(w, list, func(a *survey.Asset) any { record, _ := say(a); return record })
	}
	for i := range list {
		a := &list[i]
		_, lines := say(a)
		name := pathname.Show(a.Path)
		if a.Target != "" {
			name += " [" + pathname.Show(a.Target) + "]"
		}
		if len(lines) == 0 {
			fmt.Fprintf(w, "%s: reads only its source\n", name)
			continue
		}
		fmt.Fprintf(w, "%s\n", name)
		for _, line := range lines {
			fmt.Fprintf(w, "  %s\n", line)
		}
	}
	return nil
}

const usesText = `usage: cook uses -dir assets [flags] PATH ...

Lists the assets that read files, or looked for them, in the last run. For an output,
it prints the asset that made it.

Example:
	cook uses -dir assets textures/wood.png
`

// Uses is the verb "cook uses".
var Uses = cmdline.Verb{
	Name: "uses", Synopsis: "uses -dir assets [flags] PATH ...", Summary: "list the assets that read a file", Text: usesText,
	Takes: cmdline.Argument{Files: true},
	New:   queryHandler("uses", "print each file as one line of JSON", true, (*lastRun).printUses),
}

// printUses prints the assets that read each given path.
func (r *lastRun) printUses(paths []string, w io.Writer) error {
	for _, given := range paths {
		found, err := r.findAsset(given)
		if err != nil {
			return err
		}
		if found.Name == "" {
			return r.unknownAsset(given, found.Known)
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
