package pass

import (
	"errors"
	"maps"
	"slices"

	"github.com/assetcook/assetcook/cook/internal/execute"
	"github.com/assetcook/assetcook/cook/internal/scan"
)

// warn reports a problem with a path that is not an asset, or cannot become one because of the
// problem. It fails a strict run.
func (s *Session) warn(path string, err error) {
	outcome := execute.Warned
	if s.Mode.Strict {
		outcome = execute.Error
	}
	s.Observer.Event(execute.Event{Path: path, Outcome: outcome, Err: err})
}

// WarnOfProblems reports the paths that a run leaves out without failing.
func (s *Session) WarnOfProblems(problems []scan.Problem) {
	for _, p := range problems {
		if !p.Fatal() {
			s.warn(p.Path, errors.New(p.Reason()))
		}
	}
}

// warnOfNewProblems is WarnOfProblems without the problems that the last run reported. Forced,
// strict and dry runs report all problems. Each run over the whole tree lists every folder with
// problems, so it knows all of them; narrow means that this run does not.
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
