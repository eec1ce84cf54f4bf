package query

import (
	"context"
	"flag"
	"fmt"
	"io"

	"github.com/assetcook/assetcook/cook/cli/internal/cmdline"
	"github.com/assetcook/assetcook/cook/internal/report"
	"github.com/assetcook/assetcook/internal/human"
	"github.com/assetcook/assetcook/internal/pathname"
)

const usesText = `usage: cook uses -dir assets [flags] PATH ...

Lists the assets that read files, or looked for them, in the last run. Of an output, it
names the asset that it was made of.

Example:
	cook uses -dir assets textures/wood.png
`

// Uses is "cook uses".
var Uses = cmdline.Verb{
	Name: "uses", Synopsis: "uses -dir assets [flags] PATH ...", Summary: "list the assets that read a file", Text: usesText,
	Takes: cmdline.Argument{Files: true},
	New: func() cmdline.Handler {
		r := new(usesOptions)
		return cmdline.Handler{Flags: r.usesFlags, Run: r.runUses}
	},
}

// usesOptions are the options of a command line of cook uses.
type usesOptions struct {
	lastRun
	json bool
}

func (r *usesOptions) usesFlags(fs *flag.FlagSet) {
	cmdline.PlaceFlags(fs, &r.project)
	fs.BoolVar(&r.json, "json", false, "print each file as one line of JSON")
}

func (r *usesOptions) runUses(ctx context.Context, c *cmdline.Call, words []string) int {
	return r.answer(ctx, c, "uses", true, words, r.uses)
}

// uses prints the assets that read each path.
func (r *usesOptions) uses(paths []string, w io.Writer) error {
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
