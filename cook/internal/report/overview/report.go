// Package overview reports on an output folder: what was made and how large it is, what the
// last cook did and what bounded it, what textures lost, what grew, and how runs have
// changed. A report is a list of tables, written as JSON, as CSV, or as a page of HTML
// with charts: one file of at most [MaxBytes] that asks for nothing else and works without
// scripts.
//
//	r := overview.New(overview.Input{Out: out, Assets: assets, Runs: runs, Now: now})
//	err := r.WriteHTML(w)
//
// # How it works
//
// Package survey reads index and history, [Measure] compares textures with their sources.
// New makes tables of that, and nothing is added up anywhere else, so that all forms of a
// report agree. Each part of the page has a budget of bytes; where a table has more rows
// than fit, the last one is the sum of the others.
//
// Names of files are any bytes: they are shown as messages show them (package pathname)
// and escaped where they are written.
package overview

import (
	"time"

	"github.com/assetcook/assetcook/cook/internal/stats"
	"github.com/assetcook/assetcook/cook/internal/survey"
)

// An Input is what a report is about.
type Input struct {
	Out      string // the output folder
	Assets   []survey.Asset
	Runs     []stats.Past // oldest first
	Textures []Texture    // those that were looked at
	Unlooked int          // textures that were not
	Now      time.Time
}

// A Report is what there is to say about an output folder.
type Report struct {
	Out    string
	Made   time.Time
	Glance []Sentence // the questions that are asked most, and their answers
	Tables []*Table

	in     *Input
	users  map[string][]string // sources that read a file, by its path
	recipe map[string]int      // color of each recipe
	last   *stats.Past         // the latest run, nil if the history has none
	series []Series
}

// A Sentence answers a question.
type Sentence struct {
	Question, Answer string
	See              string // key of the table that says more
}

// New makes a report.
func New(in Input) *Report {
	r := &Report{Out: in.Out, Made: in.Now, in: &in, users: map[string][]string{}, recipe: map[string]int{}}
	if n := len(in.Runs); n > 0 {
		r.last = &in.Runs[n-1]
	}
	for i := range in.Assets {
		a := &in.Assets[i]
		for _, d := range a.Dependencies {
			if list := r.users[d]; len(list) == 0 || list[len(list)-1] != a.Path {
				r.users[d] = append(list, a.Path)
			}
		}
	}
	r.series = series(in.Runs)
	assets := r.assets()
	recipes, folders := r.groups()
	r.Tables = []*Table{
		r.key(), r.reasons(), r.again(), r.workers(), r.stages(), recipes, folders, r.top("slowest", assets), r.top("largest", assets),
		r.textures(), r.growthSinceRun(), r.growthSinceDay(), r.warnings(), r.failures(), r.steps(), r.runs(), assets,
	}
	r.glance()
	return r
}

// ofLast reports whether an asset was worked on by the latest run.
func (r *Report) ofLast(a *survey.Asset) bool { return r.last != nil && a.Last.At.Equal(r.last.At) }
