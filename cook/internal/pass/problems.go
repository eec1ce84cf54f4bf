package pass

import (
	"errors"
	"maps"
	"slices"

	"github.com/assetcook/assetcook/cook/internal/execute"
	"github.com/assetcook/assetcook/cook/internal/scan"
)

// warn reports what is wrong with a path that is no asset, or keeps one from being an asset. A
// strict run fails by it.
func (s *Session) warn(path string, err error) {
	outcome := execute.Warned
	if s.Mode.Strict {
		outcome = execute.Error
	}
	s.Observer.Event(execute.Event{Path: path, Outcome: outcome, Err: err})
}

// WarnOfProblems reports what of a tree is left out though the run goes on.
func (s *Session) WarnOfProblems(problems []scan.Problem) {
	for _, p := range problems {
		if !p.Fatal() {
			s.warn(p.Path, errors.New(p.Reason()))
		}
	}
}

// warnOfNewProblems is WarnOfProblems without what the last run has reported. A run that is to
// do everything, or nothing, reports all. Folders with problems are listed by each run that
// sees to the whole tree, so that all of them are known then; narrow says that this one
// does not.
func (s *Session) warnOfNewProblems(d *Delta, narrow bool) {
	var current []scan.Problem
	for _, p := range d.Tree.Problems {
		if !p.Fatal() {
			current = append(current, p)
		}
	}
	if s.Mode.DryRun {
		s.WarnOfProblems(current)
		return
	}
	narrow = narrow || !s.Scope.whole()
	if len(current) == 0 && (narrow || len(d.Tree.Folders) == 0) {
		return // a no-op run has nothing to ask
	}
	var noted map[string]bool
	if len(current) > 0 {
		noted = s.State.Noted()
	}
	lines := make([]string, len(current))
	var fresh []scan.Problem
	for i, p := range current {
		if lines[i] = p.Error(); !noted[lines[i]] || s.Mode.Force || s.Mode.IgnoreStamps || s.Mode.Strict {
			fresh = append(fresh, p)
		}
	}
	s.WarnOfProblems(fresh)
	if narrow {
		lines = slices.AppendSeq(lines, maps.Keys(noted))
	}
	if err := s.State.SetNoted(lines); err != nil {
		s.Observer.Note(err.Error())
	}
}
