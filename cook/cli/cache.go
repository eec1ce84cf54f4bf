package cli

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"text/tabwriter"
	"time"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/internal/survey"
	"github.com/assetcook/assetcook/internal/human"
	"github.com/assetcook/assetcook/internal/pathname"
)

const cacheText = `usage: cook cache [flags]

Shows what the store of results holds: contents (blobs), what recipes have read (reads) and
what came of it (results), with the times of last use. With -dir, or in a project, it also
shows how much of it each recipe's outputs take, and how often the last runs into the output
folder found what they needed there. Changes nothing.

Example:
	cook cache -dir assets
`

// A cacheRun is a command line of cook cache.
type cacheRun struct {
	project cook.Project
	json    bool
}

func (r *cacheRun) flags() *flag.FlagSet {
	fs := newFlags("cache", cacheText)
	folderFlags(fs, &r.project)
	fs.BoolVar(&r.json, "json", false, "print one line of JSON")
	return fs
}

// A cacheReport is what cook cache shows.
type cacheReport struct {
	Dir     string       `json:"dir"`
	Kinds   []cacheKind  `json:"kinds"`
	Recipes []cacheShare `json:"recipes,omitempty"`
	Runs    int          `json:"runs,omitempty"`     // that did something
	Found   int64        `json:"restored,omitempty"` // results that these took from the store
	Cooked  int64        `json:"cooked,omitempty"`   // and those that they made
}

type cacheKind struct {
	Kind   string    `json:"kind"`
	Files  int       `json:"files"`
	Bytes  int64     `json:"bytes"`
	Oldest time.Time `json:"oldest_use,omitzero"`
	Newest time.Time `json:"newest_use,omitzero"`
}

type cacheShare struct {
	Recipe string `json:"recipe"`
	Files  int    `json:"files"`
	Bytes  int64  `json:"bytes"`
}

func runCache(ctx context.Context, _ func(), args []string, stdout, stderr io.Writer) int {
	var r cacheRun
	words, code, ok := parse(r.flags(), args, stdout, stderr)
	if !ok {
		return code
	}
	if len(words) > 0 {
		wrong(stderr, "cache takes no words, have %q", words)
		return exitUsage
	}
	report, err := r.report(ctx)
	if errors.Is(err, fs.ErrNotExist) {
		err = &cook.ConfigError{Err: err}
	}
	if err != nil {
		return fail(ctx, stderr, err)
	}
	if r.json {
		json.NewEncoder(stdout).Encode(report)
	} else {
		report.writeCacheReport(stdout)
	}
	return exitOK
}

func (r *cacheRun) report(ctx context.Context) (*cacheReport, error) {
	out := ""
	if r.project.Dir != "" || r.project.Out != "" {
		var err error
		if out, err = survey.OutputFolder(r.project.Dir, r.project.Out); err != nil {
			return nil, err
		}
	}
	s, err := survey.ReadStore(ctx, r.project.Cache, out)
	if err != nil {
		return nil, err
	}
	report := &cacheReport{Dir: s.Dir}
	for _, k := range s.Kinds {
		report.Kinds = append(report.Kinds, cacheKind{k.Kind, k.Files, k.Bytes, k.Oldest, k.Newest})
	}
	for _, share := range s.Recipes {
		report.Recipes = append(report.Recipes, cacheShare(share))
	}
	if out == "" {
		return report, nil
	}
	runs, err := survey.Runs(out)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	report.Runs = len(runs)
	for i := range runs {
		report.Found += runs[i].Counts["cook/restore/count"]
		report.Cooked += runs[i].Counts["cook/cook/count"]
	}
	return report, nil
}

func (c *cacheReport) writeCacheReport(w io.Writer) {
	fmt.Fprintf(w, "store: %s\n", pathname.Show(c.Dir))
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "files\tbytes\toldest use\tnewest use\t  kind")
	files, bytes := 0, int64(0)
	day := func(at time.Time) string {
		if at.IsZero() {
			return ""
		}
		return at.UTC().Format(time.DateOnly)
	}
	for _, k := range c.Kinds {
		fmt.Fprintf(t, "%d\t%s\t%s\t%s\t  %s\n", k.Files, human.Bytes(k.Bytes), day(k.Oldest), day(k.Newest), k.Kind)
		files, bytes = files+k.Files, bytes+k.Bytes
	}
	fmt.Fprintf(t, "%d\t%s\t\t\t  all\n", files, human.Bytes(bytes))
	t.Flush()
	if len(c.Recipes) > 0 {
		fmt.Fprintln(w, "outputs of this project that are in it:")
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
		for _, r := range c.Recipes {
			fmt.Fprintf(t, "%d\t%s\t  %s\n", r.Files, human.Bytes(r.Bytes), r.Recipe)
		}
		t.Flush()
	}
	if c.Runs > 0 {
		fmt.Fprintf(w, "%s that did something: %d results found in it, %d cooked\n", human.Count(c.Runs, "run"), c.Found, c.Cooked)
	}
}
