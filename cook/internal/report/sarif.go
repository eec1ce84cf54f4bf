package report

import (
	"encoding/json"
	"io"
	"path/filepath"
	"strings"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/internal/frontend"
	"github.com/assetcook/assetcook/internal/pathname"
	"github.com/assetcook/assetcook/internal/version"
)

// SARIF is an observer that collects failures, warnings and differences for code hosts. The format
// is SARIF 2.1.0, the Static Analysis Results Interchange Format of OASIS.
type SARIF struct {
	cook.Observers

	dir     string // the asset directory, relative to the working directory
	results []sarifResult
}

// NewSARIF returns an observer for a run. dir is the asset directory as the user wrote it.
func NewSARIF(dir string) *SARIF { return &SARIF{dir: dir, results: []sarifResult{}} }

// sarifRules are the kinds of results, which SARIF calls rules.
var sarifRules = []sarifRule{
	{"failed", sarifText{"An asset cannot be cooked."}},
	{"warned", sarifText{"An asset or a rule looks like a mistake."}},
	{"difference", sarifText{"An output is not what a cook from scratch would make."}},
	{"error", sarifText{"The run as a whole failed."}},
}

type sarifRule struct {
	ID               string    `json:"id"`
	ShortDescription sarifText `json:"shortDescription"`
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifResult struct {
	RuleID    string            `json:"ruleId"`
	Level     frontend.Severity `json:"level"`
	Message   sarifText         `json:"message"`
	Locations []sarifLocation   `json:"locations,omitempty"`
}

type sarifLocation struct {
	PhysicalLocation sarifPlace `json:"physicalLocation"`
}

type sarifPlace struct {
	ArtifactLocation sarifFile    `json:"artifactLocation"`
	Region           *sarifRegion `json:"region,omitempty"`
}

type sarifFile struct {
	URI string `json:"uri"`
}

type sarifRegion struct {
	StartLine   int `json:"startLine"`
	StartColumn int `json:"startColumn"` // column, counted in bytes
}

// Event adds a failure or a warning.
func (s *SARIF) Event(e cook.Event) {
	d := frontend.Diagnostic{}
	switch e.Outcome {
	case cook.Failed, cook.Error, cook.Warned:
		d = diagnose(s.dir, &e)
	default:
		return
	}
	rule := "failed"
	if e.Outcome == cook.Warned {
		rule = "warned"
	}
	s.addDiagnostic(rule, &d)
}

// Finding adds a difference that a verification found.
func (s *SARIF) Finding(f cook.Finding) {
	d := diagnoseFinding(s.dir, &f)
	s.addDiagnostic("difference", &d)
}

// Wrong adds the error that ended or prevented a run.
func (s *SARIF) Wrong(err error) {
	for _, one := range frontend.Listed(err) {
		d := frontend.Diagnostic{Program: program, Severity: frontend.Err, Text: one.Error()}
		if at, ok := frontend.PlaceOf(one); ok {
			d = frontend.DiagnosePlaced(at, frontend.Err)
		}
		s.addDiagnostic("error", &d)
	}
}

func (s *SARIF) addDiagnostic(rule string, d *frontend.Diagnostic) {
	text := d.Text
	if d.Target != "" {
		text = "[" + d.Target + "] " + text
	}
	r := sarifResult{RuleID: rule, Level: d.Severity, Message: sarifText{strings.ToValidUTF8(pathname.Escape(text), "\ufffd")}}
	if d.File != "" {
		place := sarifPlace{ArtifactLocation: sarifFile{uri(d.File)}}
		if d.Line > 0 {
			place.Region = &sarifRegion{d.Line, max(d.Column, 1)}
		}
		r.Locations = []sarifLocation{{place}}
	}
	s.results = append(s.results, r)
}

// uri returns the URI of a file, relative to the working directory unless the name is absolute.
func uri(file string) string {
	if filepath.IsAbs(file) {
		return frontend.FileURL(file)
	}
	escaped := frontend.EscapePath(filepath.ToSlash(file))
	if first, _, _ := strings.Cut(escaped, "/"); strings.Contains(first, ":") {
		return "./" + escaped // otherwise a colon could end a URI scheme
	}
	return escaped
}

// WriteTo writes all results.
func (s *SARIF) WriteTo(w io.Writer) (int64, error) {
	type driver struct {
		Name           string      `json:"name"`
		Version        string      `json:"version,omitempty"`
		InformationURI string      `json:"informationUri"`
		Rules          []sarifRule `json:"rules"`
	}
	type tool struct {
		Driver driver `json:"driver"`
	}
	type run struct {
		Tool    tool          `json:"tool"`
		Results []sarifResult `json:"results"`
	}
	log := struct {
		Schema  string `json:"$schema"`
		Version string `json:"version"`
		Runs    []run  `json:"runs"`
	}{
		"https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json", "2.1.0",
		[]run{{tool{driver{Name: program, Version: version.Read().Version, InformationURI: "https://github.com/assetcook/assetcook", Rules: sarifRules}}, s.results}},
	}
	data, err := json.MarshalIndent(log, "", " ")
	if err != nil {
		return 0, err
	}
	n, err := w.Write(append(data, '\n'))
	return int64(n), err
}
