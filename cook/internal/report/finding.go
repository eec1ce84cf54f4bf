package report

import (
	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/internal/frontend"
)

// A Finder is an observer that also prints the findings of a verification.
type Finder interface {
	// One goroutine at a time calls Finding and the methods of cook.Observer.
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

// Finding prints a difference, or counts it by cause.
func (t *Text) Finding(f cook.Finding) {
	d := diagnoseFinding(t.Dir, &f)
	t.show(&t.found, f.Path, &d, t.printFound)
}

// diagnoseFinding returns the diagnostic of a difference. dir is the asset directory.
func diagnoseFinding(dir string, f *cook.Finding) frontend.Diagnostic {
	d := frontend.Diagnostic{Program: program, File: f.Path, Severity: frontend.Err, Target: f.Target, Text: f.Text}
	if f.Warning {
		d.Severity = frontend.Warning
	}
	if aboutSource(f) {
		d.File = fromWorkingDir(dir, f.Path)
	}
	return d
}

// aboutSource reports whether a difference names a source.
func aboutSource(f *cook.Finding) bool {
	switch f.Kind {
	case "state damaged", "store damaged", "extra file":
		return false
	}
	return true
}

// Finding writes a record.
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
	j.encode(rec)
}

// Verified writes the last record of a verification.
func (j *JSON) Verified(v *cook.Verified) { j.encode(Record{Event: "verified", Verified: v}) }
