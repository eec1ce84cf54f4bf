package pass

import (
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook/internal/glob"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/restat"
	"github.com/assetcook/assetcook/cook/internal/rules"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/internal/dependency"
	"github.com/assetcook/assetcook/internal/pathname"
)

// A Scope says what of the tree to bring up to date.
type Scope struct {
	Targets  []string // none is the one without a name; rules.AllTargets makes it All
	All      bool     // all that are declared: Targets are these once rules or index have told them
	Patterns []string // globs on sources, as in rules; none is everything
	Source   string   // if not "", nothing but this source

	chosen glob.List // Patterns compiled
}

// compiled returns the scope with its patterns compiled and its targets in order.
func (s Scope) compiled() (Scope, error) {
	if s.All = s.All || slices.Contains(s.Targets, rules.AllTargets); s.All || len(s.Targets) == 0 {
		s.Targets = []string{""}
	}
	s.Targets = slices.Compact(slices.Sorted(slices.Values(s.Targets)))
	s.chosen = glob.List{}
	for _, pattern := range s.Patterns {
		if err := s.chosen.Add(filepath.ToSlash(pattern)); err != nil {
			return s, &ConfigError{err}
		}
	}
	return s, nil
}

// Asked are the targets as they were asked for.
func (s *Scope) Asked() []string {
	if s.All {
		return []string{rules.AllTargets}
	}
	return s.Targets
}

// whole reports whether nothing is left out.
func (s *Scope) whole() bool { return len(s.Patterns) == 0 && s.Source == "" }

// has reports whether a source is to be brought up to date.
func (s *Scope) has(p string) bool {
	switch {
	case s.Source != "":
		return p == s.Source
	case len(s.Patterns) == 0:
		return true
	}
	return s.chosen.Match(p, path.Base(p))
}

// prefix is what all sources to be brought up to date start with.
func (s *Scope) prefix() string {
	if s.Source != "" {
		return s.Source
	}
	return s.chosen.Prefix()
}

// leaveOut takes out of the delta what the patterns leave out. The index keeps what it
// knows of that, and the old stamps of folders, so that a run over everything finds it.
// It needs a full scan if a source that is left out depends on what changed: the index
// cannot know a file anew for some of its dependents only; or if a source came with its
// folder.
func (f *finder) leaveOut() error {
	d := f.delta
	if err := f.s.Scope.checkPatterns(d.Tree.Entries, f.last); err != nil {
		return err
	}
	if len(f.rules) > 0 {
		return errNeedFullScan
	}
	out := func(path string) bool { return !f.s.inScope(path) }
	apart := true
	f.last.Dependents(d.Changed, func(path string) { apart = apart && !out(path) })
	if !apart {
		return errNeedFullScan
	}
	maps.DeleteFunc(f.now, func(path string, _ *scan.Entry) bool { return out(path) })
	for path, e := range f.now {
		if _, known := f.last.FindFolder(parent(path)); e != nil && !known {
			return errNeedFullScan // the index is to get the folder as well, by its real name
		}
	}
	maps.DeleteFunc(d.Changed, func(on dependency.Dependency, _ bool) bool { return out(on.Path) })
	outFile := func(ref index.Ref, role index.Role) bool {
		switch role {
		case index.Asset:
			return out(f.last.Path(ref))
		case index.Made:
			return out(f.last.Source(ref))
		}
		return false
	}
	d.Found.Files = slices.DeleteFunc(d.Found.Files, func(file restat.File) bool { return outFile(file.Ref, file.Role) })
	d.Found.Reread = slices.DeleteFunc(d.Found.Reread, func(ref index.Ref) bool { return outFile(ref, f.last.Node(ref).Role) })
	d.Tree.Folders, d.Stale.Folders, d.Found.OutFolders = nil, nil, nil
	return nil
}

// checkPatterns refuses a pattern that means nothing, now or when last cooked: it is misspelt.
func (s *Scope) checkPatterns(entries []scan.Entry, last *index.Index) error {
	for _, pattern := range s.Patterns {
		var alone glob.List
		if err := alone.Add(strings.TrimPrefix(filepath.ToSlash(pattern), "!")); err != nil {
			return &ConfigError{err}
		}
		found := slices.ContainsFunc(entries, func(e scan.Entry) bool { return alone.Match(e.Path, path.Base(e.Path)) })
		if !found {
			for row := range last.Rows(alone.Prefix()) {
				p := row.Path()
				if found = alone.Match(p, path.Base(p)); found {
					break
				}
			}
		}
		if !found {
			return configError("no asset matches %s", pathname.Show(pattern))
		}
	}
	return nil
}
