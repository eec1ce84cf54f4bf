// Package overview reports on an output directory: its artifacts and their sizes, the last cook and
// its bottleneck, losses of textures, growth, and changes between runs. A report is a list of
// tables, written as JSON, as CSV, or as a page of HTML with charts: one file of at most [MaxBytes]
// that loads nothing else and works without scripts.
//
//	r := overview.New(overview.Input{Out: out, Assets: assets, Runs: runs, Now: now})
//	err := r.WriteHTML(w)
//
// # How it works
//
// Package survey reads index and history, and [Measure] compares textures with their sources. New
// makes tables from both. Nothing is added up anywhere else, so all forms of a report agree. Each
// part of the page has a budget of bytes; where a table has more rows than fit, the last row is the
// sum of the others.
//
// Names of files may have any bytes: they are shown as in messages (package pathname), and escaped
// where they are written.
package overview

import (
	"time"

	"github.com/assetcook/assetcook/cook/internal/stats"
	"github.com/assetcook/assetcook/cook/internal/survey"
)

// An Input is the data of a report.
type Input struct {
	Out      string // the output directory
	Assets   []survey.Asset
	Runs     []stats.Past // oldest first
	Textures []Texture    // compared textures
	Unlooked int          // textures that were not compared
	Now      time.Time
}

// A Report has all tables about an output directory.
type Report struct {
	Out    string
	Made   time.Time
	Glance []Sentence // frequent questions with their answers
	Tables []*Table

	in     *Input
	users  map[string][]string // result of survey.Users
	recipe map[string]int      // color of each recipe
	last   *stats.Past         // the latest run, nil if the history has none
	series []Series
}

// A Sentence answers a question.
type Sentence struct {
	Question, Answer string
	See              string // key of the table with details
}

// New makes a report.
func New(in Input) *Report {
	r := &Report{Out: in.Out, Made: in.Now, in: &in, users: survey.Users(in.Assets), recipe: map[string]int{}}
	if n := len(in.Runs); n > 0 {
		r.last = &in.Runs[n-1]
	}
	r.series = series(in.Runs)
	assets := assetsTable(r)
	recipes, folders := groupTables(r)
	r.Tables = []*Table{
		keyTable(r), reasonsTable(r), againTable(r), workersTable(r), stagesTable(r), recipes, folders, r.top("slowest", assets), r.top("largest", assets),
		texturesTable(r), growthSinceRun(r), growthSinceDay(r), warningsTable(r), failuresTable(r), stepsTable(r), runsTable(r), assets,
	}
	r.glance()
	return r
}

// ofLast reports whether the latest run worked on an asset.
func (r *Report) ofLast(a *survey.Asset) bool { return r.last != nil && a.Last.At.Equal(r.last.At) }
