package session

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook/internal/glob"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/rules"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/internal/pathname"
)

// A Scope is the part of the tree to bring up to date, with the targets.
type Scope struct {
	Targets  []string // empty means the unnamed target; "all" sets All
	All      bool     // every target that the rules declare
	Patterns []string // globs on sources, as in rules; empty means everything
	Source   string   // if not "", only this source

	chosen glob.List // Patterns compiled
}

// compileScope returns the scope with compiled patterns and sorted targets.
func (s Scope) compileScope() (Scope, error) {
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

// Asked returns the targets as the user gave them.
func (s *Scope) Asked() []string {
	if s.All {
		return []string{rules.AllTargets}
	}
	return s.Targets
}

// Among returns the targets in scope, given all that the rules declare.
func (s *Scope) Among(declared []string) []string {
	switch {
	case !s.All:
		return s.Targets
	case len(declared) == 0:
		return []string{""}
	}
	return declared
}

// Whole reports whether the scope leaves no source out.
func (s *Scope) Whole() bool { return len(s.Patterns) == 0 && s.Source == "" }

// Has reports whether a source is in scope.
func (s *Scope) Has(p string) bool {
	switch {
	case s.Source != "":
		return p == s.Source
	case len(s.Patterns) == 0:
		return true
	}
	return s.chosen.Match(p, path.Base(p))
}

// Prefix returns the common prefix of all sources in scope.
func (s *Scope) Prefix() string {
	if s.Source != "" {
		return s.Source
	}
	return s.chosen.Prefix()
}

// CheckPatterns returns an error for a pattern that matches neither a listed source nor a
// source of the last run, since it is probably misspelt.
func (s *Scope) CheckPatterns(entries []scan.Entry, last *index.Index) error {
	for _, pattern := range s.Patterns {
		var alone glob.List
		if err := alone.Add(strings.TrimPrefix(filepath.ToSlash(pattern), "!")); err != nil {
			return &ConfigError{err}
		}
		found := slices.ContainsFunc(entries, func(e scan.Entry) bool { return alone.Match(e.Path, path.Base(e.Path)) })
		if !found {
			for row := range last.Results().Rows(alone.Prefix()) {
				p := row.Path()
				if found = alone.Match(p, path.Base(p)); found {
					break
				}
			}
		}
		if !found {
			return Configf("no asset matches %s", pathname.Show(pattern))
		}
	}
	return nil
}
