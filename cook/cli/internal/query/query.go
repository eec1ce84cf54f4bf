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

// loadAssets returns the assets of the last run that match the patterns, without their Inputs. Without
// patterns, it returns all assets.
func (r *lastRun) loadAssets(patterns []string) (list []survey.Asset, err error) {
	err = r.eachAsset(survey.EachWithoutInputs, patterns, func(a *survey.Asset) bool {
		list = append(list, *a)
		return true
	})
	return list, err
}

// eachAsset calls do with each asset of the last run that matches the patterns, in order, until do
// returns false. Without patterns, all assets match. each is [survey.Each] or
// [survey.EachWithoutInputs].
func (r *lastRun) eachAsset(each func(out string, do func(*survey.Asset) bool) error, patterns []string, do func(*survey.Asset) bool) error {
	out, err := survey.OutputFolder(r.project.Dir, r.project.Out)
	if err != nil {
		return err
	}
	chosen, err := patternList(patterns)
	if err != nil {
		return err
	}
	idOf, err := r.idLookup()
	if err != nil {
		return err
	}
	found := false
	err = each(out, func(a *survey.Asset) bool {
		if chosen.Len() > 0 && !chosen.Match(a.Path, path.Base(a.Path)) {
			return true
		}
		found = true
		a.ID = idOf(a.Path)
		return do(a)
	})
	if err == nil && !found && chosen.Len() > 0 {
		err = &cook.ConfigError{Err: fmt.Errorf("no asset matches %s", pathname.Show(strings.Join(patterns, " ")))}
	}
	return err
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

// idLookup returns a function that returns the ID of an asset, or "" if the project does not use IDs.
func (r *lastRun) idLookup() (func(path string) string, error) {
	if !r.project.IDs || r.project.Dir == "" {
		return func(string) string { return "" }, nil
	}
	set, err := ids.Load(filepath.Join(r.project.Dir, scan.IDsName))
	if err != nil {
		return nil, &cook.ConfigError{Err: err}
	}
	return func(path string) string { return set.ID(path).String() }, nil
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
