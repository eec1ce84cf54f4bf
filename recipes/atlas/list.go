package atlas

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/assetcook/assetcook/cook/manifest"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/image/source"
	"github.com/assetcook/assetcook/internal/pathname"
	"github.com/assetcook/assetcook/internal/plaintext"
)

// A file is an image file in the list.
type file struct {
	name string // path as written in the source
	// made is the artifact of another asset; nil for a file in the asset directory.
	made *manifest.Output
}

// listedImages returns the files of the list, sorted. Each line is a pattern of Job.Glob, or a
// directory with a slash at the end. A directory stands for all images below it. A line that begins
// with "!" excludes files of earlier lines. Empty lines and lines that begin with "#" are ignored.
func (o *atlasOptions) listedImages(job *recipe.Job) ([]file, error) {
	lines, err := parseList(job)
	if err != nil {
		return nil, err
	}
	made, err := o.chosenArtifacts(job, lines)
	if err != nil {
		return nil, err
	}
	files := map[string]*manifest.Output{}
	for _, l := range lines {
		if l.without {
			takeOut(job, files, l.full)
		} else if err := addMadeFiles(job, files, l, made); err != nil {
			return nil, fmt.Errorf("line %d: %w", l.number, err)
		}
	}
	if len(files) == 0 {
		return nil, errors.New("the source names no images; write one pattern such as sprites/*.png per line")
	}
	var list []file
	for _, name := range slices.Sorted(maps.Keys(files)) {
		list = append(list, file{name, files[name]})
	}
	return list, nil
}

// isList reports whether a file that begins with head is a list of images.
func isList(head []byte) bool {
	return plaintext.IsList(head, func(line string) bool { return slices.Contains(source.TextureExtensions(), recipe.Ext(line)) })
}

// A line is one line of the list.
type line struct {
	number  int
	pattern string
	full    string // pattern relative to the root of the asset tree
	without bool
}

// parseList parses the source.
func parseList(job *recipe.Job) (list []line, err error) {
	text, err := job.Source()
	if err != nil {
		return nil, err
	}
	lines, err := plaintext.List(text)
	if err != nil {
		return nil, err
	}
	for number, text := range lines {
		l := line{number: number}
		l.pattern, l.without = strings.CutPrefix(text, "!")
		if strings.HasSuffix(l.pattern, "/") {
			l.pattern += "**/*" + imageExtensions
		}
		at, err := recipe.Dependency{Path: l.pattern}.Resolve(marks.Replace(job.Path()))
		l.full = at.Path
		if err == nil && !doublestar.ValidatePattern(l.full) {
			err = fmt.Errorf("pattern %s is invalid", pathname.Show(l.pattern))
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		list = append(list, l)
	}
	return list, nil
}

// marks escapes characters in a path that would be special in a pattern.
var marks = strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`, "]", `\]`, "{", `\{`, "}", `\}`)

// imageExtensions matches the extensions of all image formats.
var imageExtensions = "{" + strings.Join(source.TextureExtensions(), ",") + "}"

// chosenArtifacts returns the artifacts that the lines select.
func (o *atlasOptions) chosenArtifacts(job *recipe.Job, lines []line) (list []manifest.Output, err error) {
	if !o.Artifacts {
		return nil, nil
	}
	var patterns []string
	for _, l := range lines {
		pattern := "/" + l.full
		if l.without {
			pattern = "!" + pattern
		}
		patterns = append(patterns, pattern)
	}
	assets, err := job.Artifacts(patterns...)
	for _, a := range assets {
		list = append(list, a.Outputs...)
	}
	return list, err
}

// addMadeFiles adds the artifacts that a line names.
func addMadeFiles(job *recipe.Job, files map[string]*manifest.Output, l line, made []manifest.Output) error {
	found, err := job.Glob(l.pattern)
	for _, name := range found {
		files[name] = nil
	}
	for i, m := range made {
		if !doublestar.MatchUnvalidated(l.full, m.Path) {
			continue
		}
		name := "/" + m.Path
		if !strings.HasPrefix(l.pattern, "/") {
			name = pathname.Relative(path.Dir(job.Path()), m.Path)
		}
		found = append(found, name)
		files[name] = &made[i]
	}
	if err == nil && len(found) == 0 {
		job.Warn("no image matches the pattern %s", pathname.Show(l.pattern))
	}
	return err
}

// takeOut removes the files that match a pattern, no matter which line added them.
func takeOut(job *recipe.Job, files map[string]*manifest.Output, full string) {
	for name := range files {
		at, err := recipe.Dependency{Path: name}.Resolve(job.Path())
		if err == nil && doublestar.MatchUnvalidated(full, at.Path) {
			delete(files, name)
		}
	}
}

// spriteName returns the name of a file's sprite.
func (o *atlasOptions) spriteName(file string) string {
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
