package query

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"time"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/cli/internal/cmdline"
	"github.com/assetcook/assetcook/cook/internal/survey"
	"github.com/assetcook/assetcook/internal/frontend"
	"github.com/assetcook/assetcook/internal/human"
	"github.com/assetcook/assetcook/internal/pathname"
	"github.com/assetcook/assetcook/internal/texttable"
)

const cacheText = `usage: cook cache [flags]

Shows the content of the store: contents (blobs), names of files that recipes read (reads) and
results, with the times of last use. With -dir, or in a project, it also shows the size of
each recipe's outputs in the store, and how often the last runs found results there. Changes
nothing.

Example:
	cook cache -dir assets
`

// Cache is the verb "cook cache".
var Cache = cmdline.Verb{
	Name: "cache", Synopsis: "cache [flags]", Summary: "show the content of the store", Text: cacheText,
	New: cmdline.HandlerOf((*cacheOptions).cacheFlags, (*cacheOptions).runCache),
}

type cacheOptions struct {
	project cook.Project
	json    bool
}

func (r *cacheOptions) cacheFlags(fs *flag.FlagSet) {
	cmdline.FolderFlags(fs, &r.project)
	fs.BoolVar(&r.json, "json", false, "print one line of JSON")
}

type cacheReport struct {
	Dir     string       `json:"dir"`
	Kinds   []cacheKind  `json:"kinds"`
	Recipes []cacheShare `json:"recipes,omitempty"`
	Runs    int          `json:"runs,omitempty"`     // number of runs that had work to do
	Found   int64        `json:"restored,omitempty"` // number of results that these runs restored from the store
	Cooked  int64        `json:"cooked,omitempty"`   // number of results that these runs cooked
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

func (r *cacheOptions) runCache(ctx context.Context, c *cmdline.Call, words []string) int {
	if len(words) > 0 {
		return c.Wrong("cache takes no arguments, have %q", words)
	}
	held, err := r.readCacheReport(ctx)
	if errors.Is(err, fs.ErrNotExist) {
		err = &cook.ConfigError{Err: err}
	}
	if err != nil {
		return c.Fail(ctx, err)
	}
	if r.json {
		json.NewEncoder(c.Stdout).Encode(held)
	} else {
		held.writeCacheReport(c.Stdout)
	}
	return frontend.OK
}

// readCacheReport reads the store, and the project's history if there is one.
func (r *cacheOptions) readCacheReport(ctx context.Context) (*cacheReport, error) {
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
	held := &cacheReport{Dir: s.Dir}
	for _, k := range s.Kinds {
		held.Kinds = append(held.Kinds, cacheKind{k.Kind, k.Files, k.Bytes, k.Oldest, k.Newest})
	}
	for _, share := range s.Recipes {
		held.Recipes = append(held.Recipes, cacheShare(share))
	}
	if out == "" {
		return held, nil
	}
	runs, err := survey.Runs(out)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	held.Runs = len(runs)
	for i := range runs {
		held.Found += runs[i].Counts["cook/restore/count"]
		held.Cooked += runs[i].Counts["cook/cook/count"]
	}
	return held, nil
}

func (c *cacheReport) writeCacheReport(w io.Writer) {
	fmt.Fprintf(w, "store: %s\n", pathname.Show(c.Dir))
	t := texttable.New(w, texttable.RightThenName)
	t.Row("files", "bytes", "oldest use", "newest use", "kind")
	files, bytes := 0, int64(0)
	day := func(at time.Time) string {
		if at.IsZero() {
			return ""
		}
		return at.UTC().Format(time.DateOnly)
	}
	for _, k := range c.Kinds {
		t.Row(k.Files, human.Bytes(k.Bytes), day(k.Oldest), day(k.Newest), k.Kind)
		files, bytes = files+k.Files, bytes+k.Bytes
	}
	t.Row(files, human.Bytes(bytes), "", "", "all")
	t.Flush()
	if len(c.Recipes) > 0 {
		fmt.Fprintln(w, "outputs of this project in the store:")
		t := texttable.New(w, texttable.RightThenName)
		for _, r := range c.Recipes {
			t.Row(r.Files, human.Bytes(r.Bytes), r.Recipe)
		}
		t.Flush()
	}
	if c.Runs > 0 {
		fmt.Fprintf(w, "%s with work: %d results from the store, %d cooked\n", human.Count(c.Runs, "run"), c.Found, c.Cooked)
	}
}
