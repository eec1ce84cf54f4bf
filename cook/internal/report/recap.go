package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/internal/frontend"
	"github.com/assetcook/assetcook/internal/human"
)

const (
	mostRecalled = 3  // failures
	recallAfter  = 15 // lines since the first failure
)

// A recap remembers the first failures of a run, and the number of lines since.
type recap struct {
	first  []frontend.Diagnostic
	failed int
	lines  int
}

func (r *recap) recapDiagnostic(d *frontend.Diagnostic) {
	r.lines++
	if d.Severity != frontend.Err {
		return
	}
	if r.failed++; r.failed == 1 {
		r.lines = 0
	}
	if len(r.first) < mostRecalled {
		short := *d
		short.Text, _, _ = strings.Cut(short.Text, "\n")
		r.first = append(r.first, short)
	}
}

// Recap repeats the first failures if many lines were printed since.
func (t *Text) Recap(w io.Writer) {
	if t.recap.lines < recallAfter || t.recap.failed == 0 {
		return
	}
	fmt.Fprintf(w, "cook: the first of %s:\n", human.Count(t.recap.failed, "failure"))
	for i := range t.recap.first {
		fmt.Fprint(w, t.Style.Format(&t.recap.first[i]))
	}
}

// WriteBehind prints the stale targets, and the command that cooks them.
func WriteBehind(w io.Writer, s *cook.Summary) {
	named := slices.DeleteFunc(slices.Clone(s.Behind), func(t string) bool { return t == "" })
	switch {
	case len(named) > 0:
		fmt.Fprintf(w, "stale: the outputs of target %s; cook them with -target %s\n", strings.Join(named, ", "), strings.Join(named, ","))
	case len(s.Behind) > 0:
		fmt.Fprintln(w, "stale: the outputs without a target; cook them without -target")
	}
}
