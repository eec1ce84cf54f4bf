package survey

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/rules"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/confine"
	"github.com/assetcook/assetcook/internal/jobs"
	"github.com/assetcook/assetcook/internal/recipeset"
)

// A Reading has everything that a job needs to read files for a query about a source.
type Reading struct {
	Assets   *confine.Dir
	Recipes  *recipeset.Set
	Checksum hashing.Func
	Clock    *scan.Clock
}

// NewJob returns a job for a query. The recipe can read a source of size bytes and its
// dependencies, but cannot write.
func NewJob(ctx context.Context, r Reading, by recipe.Recipe, path string, size int64) *recipe.Job {
	read := contents.New(contents.Options{
		Assets: r.Assets, Known: index.Empty().Files(), Checksum: r.Checksum, Unsettled: true, Workers: 1, Clock: r.Clock, Extracts: r.Recipes.Extract,
	})
	return jobs.New(by, jobs.Env{
		Path: path, Assets: r.Assets.Name(),
		Open:    func(p string) (fs.File, error) { return r.Assets.OpenFile(p) },
		Stat:    r.Assets.Stat,
		List:    func(listing recipe.Dependency) ([]string, bool, error) { return read.List(ctx, listing) },
		IsLink:  func(p string) (bool, error) { return read.IsLink(ctx, p) },
		Extract: read.Extract,
	}, size)
}

// ErrOtherRecipe is the error for a method whose recipe this program does not have, or has in
// another version.
var ErrOtherRecipe = errors.New("the asset was cooked by a recipe that this program does not have")

// Cooker returns the recipe of a method, and a cooker of this recipe with all options set.
func (m *Method) Cooker(from *recipeset.Set) (recipe.Recipe, recipe.Cooker, error) {
	r, ok := from.Lookup(m.Recipe)
	if !ok || m.Options["recipe version"] != strconv.Itoa(r.Version) {
		return r, nil, ErrOtherRecipe
	}
	for key := range m.Options {
		if strings.HasPrefix(key, "recipe"+rules.Of) {
			return r, nil, errors.New("the asset was cooked in several steps")
		}
	}
	c := r.New()
	for _, f := range recipeset.Fields(c) {
		text, ok := m.Options[f.Key]
		if !ok || text == f.Value {
			continue
		}
		if err := recipeset.SetOption(c, f.Key, tomlValue(text)); err != nil {
			return r, nil, fmt.Errorf("option %s: %w", f.Key, err)
		}
	}
	for _, f := range recipeset.Fields(c) {
		if text, ok := m.Options[f.Key]; ok && text != f.Value {
			return r, nil, fmt.Errorf("option %s = %s cannot be read back", f.Key, text)
		}
	}
	return r, c, nil
}

// tomlValue parses the value of a [recipeset.Field] in the same way as a value in a rule. A value
// of unknown form, such as a table, remains a text. Only options with text or time values accept
// it.
func tomlValue(text string) any {
	if list, ok := strings.CutPrefix(text, "["); ok {
		all := []any{}
		for quoted, err := strconv.QuotedPrefix(list); err == nil; quoted, err = strconv.QuotedPrefix(list) {
			s, _ := strconv.Unquote(quoted)
			all, list = append(all, s), strings.TrimPrefix(list[len(quoted):], ", ")
		}
		return all
	}
	if s, err := strconv.Unquote(text); err == nil {
		return s
	}
	if text == "true" || text == "false" {
		return text == "true"
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n
	}
	if x, err := strconv.ParseFloat(text, 64); err == nil {
		return x
	}
	return text
}
