package report

import (
	"errors"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/internal/frontend"
)

// A Finder is an observer that also receives the findings of a verification.
type Finder interface {
	// Finding receives a finding. Only one goroutine at a time calls Finding or a method of
	// cook.Observer.
	Finding(cook.Finding)
}

// Find passes a finding on to each observer that is a Finder.
func Find(all cook.Observers, f cook.Finding) {
	for _, o := range all {
		if o, ok := o.(Finder); ok {
			o.Finding(f)
		}
	}
}

// Finding prints a difference, or only counts it.
func (t *Text) Finding(f cook.Finding) {
	d := diagnoseFinding(t.Dir, &f)
	t.printOrKeep(&t.found, f.Path, &d, t.printFound)
}

// diagnoseFinding returns the diagnostic for a difference. dir is the asset directory.
func diagnoseFinding(dir string, f *cook.Finding) frontend.Diagnostic {
	d := frontend.Diagnostic{Program: program, File: f.Path, Severity: frontend.Err, Target: f.Target, Text: f.Text}
	if f.Warning {
		d.Severity = frontend.Warning
	}
	if aboutSource(f) {
		d.File = FromWorkingDir(dir, f.Path)
	}
	return d
}

// aboutSource reports whether a difference is about a source.
func aboutSource(f *cook.Finding) bool {
	switch f.Kind {
	case "state damaged", "store damaged", "extra file":
		return false
	}
	return true
}

// Finding writes a difference as a record.
func (j *JSON) Finding(f cook.Finding) {
	d := diagnoseFinding(j.Dir, &f)
	rec := Record{
		Event: "difference", Severity: string(d.Severity), Path: f.Path, PathBase64: UnlessUTF8(f.Path), Target: f.Target, Recipe: f.Recipe,
		Text: f.Text, Finding: &f,
	}
	if aboutSource(&f) {
		rec.File = d.File
	}
	if f.Output != "" {
		rec.Outputs = []string{f.Output}
	}
	j.writeJSONRecord(rec)
}

// Verified writes the last record of a verification.
func (j *JSON) Verified(v *cook.Verified) { j.writeJSONRecord(Record{Event: "verified", Verified: v}) }

// program stands for the file name in diagnostics that belong to no file.
const program = "cook"

// diagnose returns the diagnostic for a failure or warning. dir is the asset directory as the user
// named it.
func diagnose(dir string, e *cook.Event) frontend.Diagnostic {
	d := frontend.Diagnostic{Program: program, Severity: frontend.Err, Target: e.Target}
	if e.Outcome == cook.Warned {
		d.Severity = frontend.Warning
	}
	d.File = FromWorkingDir(dir, e.Path)
	var at frontend.Placed
	if errors.As(e.Err, &at) {
		if file, _, _ := at.Place(); file != "" {
			return frontend.DiagnosePlaced(at, d.Severity)
		}
	}
	d.Line, d.Column, d.Text = CutPlace(e.Err.Error())
	return d
}

// FromWorkingDir returns the path of a source relative to the working directory.
func FromWorkingDir(dir, source string) string {
	if source == "" || dir == "" {
		return source
	}
	return path.Join(filepath.ToSlash(dir), source)
}

// CutPlace removes "LINE:COLUMN: " from the beginning of a recipe's message about a source.
func CutPlace(text string) (line, column int, rest string) {
	first, after, _ := strings.Cut(text, ":")
	second, rest, ok := strings.Cut(after, ": ")
	line, errLine := strconv.Atoi(first)
	column, errColumn := strconv.Atoi(second)
	if !ok || errLine != nil || errColumn != nil || line < 1 || column < 1 {
		return 0, 0, text
	}
	return line, column, rest
}
