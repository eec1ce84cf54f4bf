package atlas

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/image/source"
	"github.com/assetcook/assetcook/internal/pathname"
	"github.com/assetcook/assetcook/internal/plaintext"
)

// listed returns the files that the source names, sorted: a pattern a line, as Job.Glob takes
// it, or a folder with a slash behind, for all pictures in and below it. A line that begins with
// "!" takes files out that lines before it have named. Empty lines and those that begin with "#"
// say nothing.
func listed(job *recipe.Job) ([]string, error) {
	text, err := job.Source()
	if err != nil {
		return nil, err
	}
	lines, err := plaintext.List(text)
	if err != nil {
		return nil, err
	}
	files := map[string]bool{}
	for number, line := range lines {
		pattern, without := strings.CutPrefix(line, "!")
		if strings.HasSuffix(pattern, "/") {
			pattern += "**/*" + pictures
		}
		if without {
			err = takeOut(job, files, pattern)
		} else {
			err = add(job, files, pattern)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
	}
	if len(files) == 0 {
		return nil, errors.New("it names no pictures; write a pattern such as sprites/*.png in each line")
	}
	return slices.Sorted(maps.Keys(files)), nil
}

// pictures is a pattern for the extensions of all formats.
var pictures = "{" + strings.Join(source.TextureExtensions(), ",") + "}"

func add(job *recipe.Job, files map[string]bool, pattern string) error {
	found, err := job.Glob(pattern)
	if err == nil && len(found) == 0 {
		job.Warn("nothing matches %s", pathname.Show(pattern))
	}
	for _, name := range found {
		files[name] = true
	}
	return err
}

// takeOut removes the files that match a pattern, whichever way they were named.
func takeOut(job *recipe.Job, files map[string]bool, pattern string) error {
	full, err := recipe.Resolve(job.Path(), pattern)
	if err != nil {
		return err
	}
	if !doublestar.ValidatePattern(full) {
		return fmt.Errorf("pattern %s: not valid", pathname.Show(pattern))
	}
	for name := range files {
		at, err := recipe.Resolve(job.Path(), name)
		if err != nil {
			return err
		}
		if doublestar.MatchUnvalidated(full, at) {
			delete(files, name)
		}
	}
	return nil
}

// nameOf returns what a sprite is called that was named so.
func (o *Atlas) nameOf(file string) string {
	name := strings.TrimPrefix(file, "/")
	if o.Name == "path" {
		return name
	}
	name = strings.TrimSuffix(name, name[len(name)-len(recipe.Ext(name)):])
	name = strings.TrimSuffix(name, ninePatch)
	if o.Name == "base" {
		name = name[strings.LastIndexByte(name, '/')+1:]
	}
	return name
}
