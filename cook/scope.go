package cook

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/assetcook/assetcook/cook/scan"
	"github.com/assetcook/assetcook/internal/pathname"
)

// inScope reports whether the run is to bring a source up to date.
func (k *kitchen) inScope(p string) bool {
	switch {
	case k.only != "":
		return p == k.only
	case len(k.Patterns) == 0:
		return true
	}
	return slices.ContainsFunc(k.Patterns, func(pattern string) bool { return matches(pattern, p) })
}

// matches reports whether a pattern of the command line means a source.
func matches(pattern, p string) bool {
	pattern = strings.Trim(path.Clean(filepath.ToSlash(pattern)), "/")
	subject := p
	if !strings.Contains(pattern, "/") {
		subject = path.Base(p)
	}
	ok, _ := doublestar.Match(pattern, subject)
	return ok || p == pattern || strings.HasPrefix(p, pattern+"/") || pattern == "."
}

// checkPatterns refuses a pattern that means nothing, now or when last cooked:
// it is misspelt.
func (k *kitchen) checkPatterns(entries []scan.Entry) error {
	for _, pattern := range k.Patterns {
		found := slices.ContainsFunc(entries, func(e scan.Entry) bool { return matches(pattern, e.Path) })
		for i := 0; i < k.last.Actions() && !found; i++ {
			found = matches(pattern, k.last.ActionPath(i))
		}
		if !found {
			return configError("no asset matches %s", pathname.Show(pattern))
		}
	}
	return nil
}
