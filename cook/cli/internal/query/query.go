// Package query holds the verbs of cook that answer queries and change nothing. Most of them read
// only the state of the last run, and take no lock.
package query

import (
	"context"
	"flag"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/cli/internal/cmdline"
	"github.com/assetcook/assetcook/cook/internal/glob"
	"github.com/assetcook/assetcook/cook/internal/ids"
	"github.com/assetcook/assetcook/cook/internal/report"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/cook/internal/survey"
	"github.com/assetcook/assetcook/internal/frontend"
	"github.com/assetcook/assetcook/internal/nearest"
	"github.com/assetcook/assetcook/internal/pathname"
)

// A lastRun is the state that a project's last run left, with the options of a query.
type lastRun struct {
	project cook.Project
	json    bool
}

// queryHandler returns a New function for a query without flags of its own. asJSON is the usage
// text of -json.
func queryHandler(verb, asJSON string, ofPaths bool, print func(r *lastRun, words []string, w io.Writer) error) func() cmdline.Handler {
	return cmdline.HandlerOf(func(r *lastRun, fs *flag.FlagSet) {
		cmdline.PlaceFlags(fs, &r.project)
		fs.BoolVar(&r.json, "json", false, asJSON)
	}, func(r *lastRun, ctx context.Context, c *cmdline.Call, words []string) int {
		return r.answerQuery(ctx, c, verb, ofPaths, words, func(words []string, w io.Writer) error { return print(r, words, w) })
	})
}

// answerQuery answers a query and returns the exit status. A query about paths needs at least
// one path.
func (r *lastRun) answerQuery(ctx context.Context, c *cmdline.Call, verb string, ofPaths bool, words []string, print func(words []string, w io.Writer) error) int {
	if r.project.Dir == "" && r.project.Out == "" || ofPaths && len(words) == 0 {
		what := "an asset directory"
		if ofPaths {
			what += " and a path"
		}
		return c.Wrong("want %s; see cook help %s", what, verb)
	}
	if err := print(words, c.Stdout); err != nil {
		return c.Fail(ctx, err)
	}
	return frontend.OK
}

// loadAssets returns the assets of the last run that match the patterns. Without patterns, it
// returns all assets.
func (r *lastRun) loadAssets(patterns []string) ([]survey.Asset, error) {
	out, err := survey.OutputFolder(r.project.Dir, r.project.Out)
	if err != nil {
		return nil, err
	}
	chosen, err := patternList(patterns)
	if err != nil {
		return nil, err
	}
	list, err := survey.List(out)
	if err != nil {
		return nil, err
	}
	if err := r.fillIDs(list); err != nil {
		return nil, err
	}
	if chosen.Len() == 0 {
		return list, nil
	}
	list = slices.DeleteFunc(list, func(a survey.Asset) bool { return !chosen.Match(a.Path, path.Base(a.Path)) })
	if len(list) == 0 {
		return nil, &cook.ConfigError{Err: fmt.Errorf("no asset matches %s", pathname.Show(strings.Join(patterns, " ")))}
	}
	return list, nil
}

// patternList compiles the patterns on a command line.
func patternList(patterns []string) (*glob.List, error) {
	var chosen glob.List
	for _, p := range patterns {
		if err := chosen.Add(filepath.ToSlash(p)); err != nil {
			return nil, &cook.ConfigError{Err: err}
		}
	}
	return &chosen, nil
}

// fillIDs fills in the IDs of assets, if the project uses IDs.
func (r *lastRun) fillIDs(list []survey.Asset) error {
	if !r.project.IDs || r.project.Dir == "" {
		return nil
	}
	set, err := ids.Load(filepath.Join(r.project.Dir, scan.IDsName))
	if err != nil {
		return &cook.ConfigError{Err: err}
	}
	for i := range list {
		list[i].ID = set.ID(list[i].Path).String()
	}
	return nil
}

// eachJSON prints each item as a line of JSON.
func eachJSON[T any](w io.Writer, list []T, record func(*T) any) error {
	lines := report.NewJSON(w)
	defer lines.Flush()
	for i := range list {
		if err := lines.Line(record(&list[i])); err != nil {
			return err
		}
	}
	return nil
}

// findAsset finds an asset by a path relative to the asset directory, the output directory or the
// working directory.
func (r *lastRun) findAsset(given string) (survey.Found, error) {
	out, err := survey.OutputFolder(r.project.Dir, r.project.Out)
	if err != nil {
		return survey.Found{}, err
	}
	names := []string{path.Clean(filepath.ToSlash(given))}
	for _, dir := range []string{r.project.Dir, out} {
		if rel, ok := cmdline.Below(dir, given); ok && dir != "" {
			names = append(names, rel)
		}
	}
	return survey.Find(out, names)
}

// unknownAsset returns the error for a path that the last run did not find.
func (r *lastRun) unknownAsset(given string, known []string) error {
	end := ""
	if w := nearest.Word(path.Clean(filepath.ToSlash(given)), known); w != "" {
		end = fmt.Sprintf("; did you mean %s?", pathname.Show(w))
	}
	return &cook.ConfigError{Err: fmt.Errorf("the last run found no file %s%s", pathname.Show(given), end)}
}
