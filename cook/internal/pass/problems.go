package pass

import (
	"maps"
	"slices"

	"github.com/assetcook/assetcook/cook/internal/scan"
)

// NoteProblems reports what of a tree is left out though the run goes on: a line for
// each kind of problem.
func (s *Session) NoteProblems(tree *scan.Tree) { s.noteProblems(tree.Problems) }

func (s *Session) noteProblems(problems []scan.Problem) {
	byKind := map[scan.Kind]*tally{}
	var kinds []scan.Kind // in the order in which they were met
	for _, p := range problems {
		if p.Fatal() {
			continue
		}
		if byKind[p.Kind] == nil {
			byKind[p.Kind] = new(tally)
			kinds = append(kinds, p.Kind)
		}
		byKind[p.Kind].add(p.Error())
	}
	for _, kind := range kinds {
		s.Observer.Note(byKind[kind].String())
	}
}

// noteNewProblems is NoteProblems without what the last run has reported. A run that is to
// do everything, or nothing, reports all. Folders with problems are listed by each run that
// sees to the whole tree, so that all of them are known then; narrow says that this one
// does not.
func (s *Session) noteNewProblems(d *Delta, narrow bool) {
	var current []scan.Problem
	for _, p := range d.Tree.Problems {
		if !p.Fatal() {
			current = append(current, p)
		}
	}
	if s.Mode.DryRun {
		s.noteProblems(current)
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
	s.noteProblems(fresh)
	if narrow {
		lines = slices.AppendSeq(lines, maps.Keys(noted))
	}
	if err := s.State.SetNoted(lines); err != nil {
		s.Observer.Note(err.Error())
	}
}
