package recipe

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/assetcook/assetcook/internal/dependency"
)

// Glob returns the sorted names of the files that match a pattern. In a pattern, *, ?, [a-z] and
// {a,b} match parts of one name, and ** matches any number of directories. Names that begin with a
// dot match only patterns that begin with a dot. Glob does not follow links to directories. The
// names can be passed to Read, OpenDep and Depend.
//
// The list of names is a dependency, but the contents are not. The source is cooked again when a
// matching file is added or removed.
func (j *Job) Glob(pattern string) ([]string, error) {
	switch {
	case !doublestar.ValidatePattern(pattern) || strings.IndexByte(pattern, 0) >= 0:
		return nil, fmt.Errorf("pattern %.200q is invalid", pattern)
	}
	parts := strings.Split(strings.TrimPrefix(path.Clean(pattern), "/"), "/")
	for _, part := range parts {
		if !validPart(part) {
			return nil, fmt.Errorf("pattern %.200q: alternatives such as {a,b} cannot contain a slash", pattern)
		}
	}
	if parts[len(parts)-1] == "**" {
		parts = append(parts, "*")
	}
	folder := "."
	if strings.HasPrefix(pattern, "/") {
		folder = "/"
	}
	g := globWalk{job: j}
	err := g.walkParts(folder, parts)
	slices.Sort(g.found)
	return slices.Compact(g.found), err
}

func validPart(part string) bool {
	return doublestar.ValidatePattern(part) && strings.Count(part, "{") == strings.Count(part, "}")
}

// A globWalk finds the files that match a pattern, and records listings as dependencies of a job.
type globWalk struct {
	job   *Job
	found []string
}

// walkParts finds the files below a directory that match the elements of a pattern.
func (g *globWalk) walkParts(folder string, parts []string) error {
	part, rest := parts[0], parts[1:]
	switch {
	case part == "**" && rest[0] == "**":
		return g.walkParts(folder, rest)
	case part == "**":
		if err := g.walkParts(folder, rest); err != nil {
			return err
		}
		return g.eachMatch(folder, "*", true, func(sub string) error { return g.walkParts(sub, parts) })
	case len(rest) > 0 && (!isPattern(part) || part == ".."):
		return g.walkParts(path.Join(folder, part), rest)
	case len(rest) > 0:
		return g.eachMatch(folder, part, true, func(sub string) error { return g.walkParts(sub, rest) })
	}
	return g.eachMatch(folder, part, false, func(file string) error {
		g.found = append(g.found, file)
		return nil
	})
}

// eachMatch calls do for each matching name in a directory, and records the listing as a
// dependency.
func (g *globWalk) eachMatch(folder, pattern string, ofFolders bool, do func(name string) error) error {
	at, err := dependency.OfNames(folder, pattern, ofFolders).Resolve(g.job.env.Path)
	if err != nil {
		return err
	}
	names, err := g.job.listNames(folder, at)
	if err != nil {
		return err
	}
	for _, n := range names {
		if err := do(path.Join(folder, n)); err != nil {
			return err
		}
	}
	return nil
}

// listNames returns the names in a directory that match a pattern, and records the listing as a
// dependency.
func (j *Job) listNames(folder string, at Dependency) ([]string, error) {
	if j.env.List == nil {
		return nil, errors.New("this job cannot list directories")
	}
	names, found, err := j.env.List(at)
	if err == nil {
		j.recordDependency(folder, at, found)
	}
	return names, err
}

func isPattern(name string) bool { return strings.ContainsAny(name, `*?[{\\`) }
