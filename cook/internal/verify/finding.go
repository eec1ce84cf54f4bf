package verify

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/assetcook/assetcook/cook/internal/execute"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/cook/internal/session"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/internal/human"
	"github.com/assetcook/assetcook/internal/pathname"
	"github.com/assetcook/assetcook/profile"
)

// A FindingKind is a kind of difference. The JSON output contains its text.
type FindingKind string

const (
	OutputMissing   FindingKind = "output missing"
	OutputDamaged   FindingKind = "output damaged"     // the content differs from the cooked content
	OutputMode      FindingKind = "output mode"        // the permissions differ from the recorded permissions
	ExtraFile       FindingKind = "extra file"         // no action makes this file
	StateDamaged    FindingKind = "state damaged"      // the index or the manifest is wrong
	StoreDamaged    FindingKind = "store damaged"      // a blob or record is damaged, which only costs time
	NotUpToDate     FindingKind = "not up to date"     // a cook would have work to do
	NotReproducible FindingKind = "not reproducible"   // a new cook makes a different artifact
	HiddenRead      FindingKind = "hidden read"        // the recipe read a file that is not a dependency
	HiddenAbsence   FindingKind = "hidden absence"     // the recipe looked for an absent file that is not a dependency
	HiddenListing   FindingKind = "hidden listing"     // the recipe listed a directory that is not a dependency
	RemoteDiffers   FindingKind = "remote differs"     // a result on the server differs from a new cook
	Unreadable      FindingKind = "cannot be verified" // a file could not be read
)

// A Finding is one difference between the present state and a cook from scratch.
type Finding struct {
	Kind FindingKind `json:"kind"`
	// Path is the source and Target its target. If a finding does not concern a single source,
	// Path is the file in the output directory or the store.
	Path    string   `json:"-"`
	Target  string   `json:"-"`
	Targets []string `json:"-"`                // targets to cook as a remedy; empty for the unnamed target
	Output  string   `json:"-"`                // the artifact concerned, if any
	Recipe  string   `json:"-"`                // the recipe, if it is the cause
	Inputs  []string `json:"inputs,omitempty"` // files that should be dependencies
	// Warning marks a possible cause of differences. Warnings are not counted.
	Warning bool `json:"-"`
	// Bytes is the first difference of two artifacts; nil if unknown.
	Bytes *ByteDifference `json:"bytes,omitempty"`
	// Origin is the origin of the server's result that differs.
	Origin *store.Origin `json:"origin,omitempty"`
	// Text is the problem and its remedy, without the path. Output of a program
	// follows on lines of its own.
	Text string `json:"-"`
}

// String returns the finding as one line for people, with output of a program below it.
func (f Finding) String() string {
	name := pathname.Show(f.Path)
	if f.Target != "" {
		name += " [" + f.Target + "]"
	}
	text := strings.TrimRight(pathname.Escape(f.Text), "\n")
	return name + ": " + strings.ReplaceAll(text, "\n", "\n  | ")
}

// A ByteDifference is the first difference of two artifacts.
type ByteDifference struct {
	Offset int64 `json:"offset"` // offset of the first differing byte, from 0
	Was    int   `json:"was"`    // the byte in the output directory; -1 past the end of the file
	Now    int   `json:"now"`    // the byte in the new artifact; -1 past the end of the file
}

// String describes the difference for people.
func (d ByteDifference) String() string {
	show := func(b int) string {
		if b < 0 {
			return "the end"
		}
		return fmt.Sprintf("0x%02x", b)
	}
	return fmt.Sprintf("offset %d (%s, now %s)", d.Offset, show(d.Was), show(d.Now))
}

// Sum holds the totals of a verification. An asset that was cooked for two targets counts twice.
type Sum struct {
	Outputs     int           `json:"outputs"`          // number of files looked at
	Bytes       int64         `json:"bytes"`            // number of bytes read of these files
	Blobs       int           `json:"blobs"`            // number of intact blobs of the store
	Again       int           `json:"again"`            // number of assets cooked again
	Shared      int           `json:"shared,omitempty"` // number of results of the server that were compared
	Assets      int           `json:"assets"`
	Seed        uint64        `json:"seed"` // seed that chooses the same sample again
	Differences int           `json:"differences"`
	Took        time.Duration `json:"took_ns"`
}

// String returns the last line of a verification's output. Its form is fixed, for scripts.
func (s Sum) String() string {
	return fmt.Sprintf("verified %s (%s) and %s, cooked %d of %s again: %s in %s",
		human.Count(s.Outputs, "output"), human.Bytes(s.Bytes), human.Count(s.Blobs, "blob"),
		s.Again, human.Count(s.Assets, "asset"), human.Count(s.Differences, "difference"), human.Duration(s.Took))
}

// A reporter counts differences, except warnings. It calls Found and the observer from one
// goroutine at a time.
type reporter struct {
	mu          sync.Mutex
	onFinding   func(Finding) // may be nil
	observer    session.Observer
	differences int
	expected    int   // number of files to read
	files       int   // number of files read
	bytes       int64 // number of bytes read from these files
	noted       map[*plan.Method]bool
	row         *profile.Worker // nil if nothing is measured
	span        profile.Span
}

// reportFinding reports a finding.
func (r *reporter) reportFinding(f Finding) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !f.Warning {
		r.differences++
	}
	if f.Targets == nil && f.Target != "" {
		f.Targets = []string{f.Target}
	}
	if r.onFinding != nil {
		r.onFinding(f)
	}
}

// reportCookEvent reports an event.
func (r *reporter) reportCookEvent(e execute.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.observer.Event(e)
}

// noteOnce prints a line about a method, but only once.
func (r *reporter) noteOnce(m *plan.Method, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.noted[m] {
		return
	}
	if r.noted == nil {
		r.noted = map[*plan.Method]bool{}
	}
	r.noted[m] = true
	r.observer.Note(text)
}

// noteLine prints a line that is not a finding.
func (r *reporter) noteLine(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.observer.Note(text)
}

// expect adds to the number of files to read. files may be negative.
func (r *reporter) expect(files int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.expected += files
}

// reading adds to the number of files read, and reports the sums.
func (r *reporter) reading(files int, bytes int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.files, r.bytes = r.files+files, r.bytes+bytes
	r.observer.Reading(r.files, r.expected, r.bytes)
}

// reportProblems reports the files and directories that cannot be read.
func (r *reporter) reportProblems(problems []scan.Problem) {
	for _, p := range problems {
		if p.Fatal() {
			r.reportFinding(Finding{Kind: Unreadable, Path: p.Path, Text: p.Reason()})
		}
	}
}

// stage begins a stage. No other goroutine may run meanwhile.
func (r *reporter) stage(name string) {
	if name == "scan" {
		r.expected, r.files, r.bytes = 0, 0, 0
	}
	r.observer.Stage(name)
	r.span.End()
	r.span = r.row.Begin("cook/stage/"+name, "")
}

func (r *reporter) closeReport() {
	r.span.End()
	r.row.Release()
}
