package cli

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
	"github.com/assetcook/assetcook/cook/internal/glob"
	"github.com/assetcook/assetcook/cook/internal/report"
	"github.com/assetcook/assetcook/cook/internal/survey"
	"github.com/assetcook/assetcook/internal/nearest"
	"github.com/assetcook/assetcook/internal/pathname"
)

// A queryRun is a command line of list, deps, uses, size or graph. They answer from what the
// last run left: they look neither at the assets nor at their outputs, take no lock and
// change nothing.
type queryRun struct {
	project cook.Project
	json    bool
	sort    string
	columns columnList
	lines   int
	by      string
}

func (r *queryRun) start(verb, text string) *flag.FlagSet {
	fs := newFlags(verb, text)
	placeFlags(fs, &r.project)
	return fs
}

// assets returns what the last run left of the assets that patterns choose.
func (r *queryRun) assets(patterns []string) ([]survey.Asset, error) {
	out, err := survey.OutputFolder(r.project.Dir, r.project.Out)
	if err != nil {
		return nil, err
	}
	var chosen glob.List
	for _, p := range patterns {
		if err := chosen.Add(filepath.ToSlash(p)); err != nil {
			return nil, &cook.ConfigError{Err: err}
		}
	}
	list, err := survey.List(out)
	if err != nil {
		return nil, err
	}
	if err := r.identify(list); err != nil {
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

// query parses a command line and answers it. A verb that takes paths needs one.
func query(ctx context.Context, r *queryRun, fs *flag.FlagSet, args []string, stdout, stderr io.Writer, needs bool, answer func(words []string, w io.Writer) error) int {
	words, code, ok := parse(fs, args, stdout, stderr)
	if !ok {
		return code
	}
	verb := strings.TrimPrefix(fs.Name(), "cook ")
	if r.project.Dir == "" && r.project.Out == "" || needs && len(words) == 0 {
		what := "an asset folder"
		if needs {
			what += " and a path"
		}
		wrong(stderr, "want %s; see cook help %s", what, verb)
		return exitUsage
	}
	if err := answer(words, stdout); err != nil {
		return fail(ctx, stderr, err)
	}
	return exitOK
}

// eachJSON prints a line of JSON for each item.
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

// each prints what there is to say of each asset, as JSON or below its name.
func (r *queryRun) each(w io.Writer, list []survey.Asset, say func(*survey.Asset) (record any, lines []string)) error {
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
			fmt.Fprintf(w, "%s: nothing else\n", name)
			continue
		}
		fmt.Fprintf(w, "%s\n", name)
		for _, line := range lines {
			fmt.Fprintf(w, "  %s\n", line)
		}
	}
	return nil
}

// findAsset finds an asset by a typed path: a path in the asset or output folder, as it is or from
// the working directory.
func (r *queryRun) findAsset(given string) (survey.Found, error) {
	out, err := survey.OutputFolder(r.project.Dir, r.project.Out)
	if err != nil {
		return survey.Found{}, err
	}
	names := []string{path.Clean(filepath.ToSlash(given))}
	for _, dir := range []string{r.project.Dir, out} {
		if rel, ok := below(dir, given); ok && dir != "" {
			names = append(names, rel)
		}
	}
	return survey.Find(out, names)
}

// unknown is the error for a path that the last run knew nothing of.
func (r *queryRun) unknown(given string, known []string) error {
	end := ""
	if w := nearest.Word(path.Clean(filepath.ToSlash(given)), known); w != "" {
		end = fmt.Sprintf("; did you mean %s?", pathname.Show(w))
	}
	return &cook.ConfigError{Err: fmt.Errorf("%s: the last run knew no such file%s", pathname.Show(given), end)}
}
