package verify

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/assetcook/assetcook/cook/internal/execute"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/session"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/internal/human"
	"github.com/assetcook/assetcook/internal/pathname"
	"github.com/assetcook/assetcook/profile"
)

// A FindingKind is a kind of difference. Its text is part of the JSON output.
type FindingKind string

const (
	OutputMissing   FindingKind = "output missing"
	OutputDamaged   FindingKind = "output damaged"     // another content than was cooked
	OutputMode      FindingKind = "output mode"        // other permissions than cook gave it
	ExtraFile       FindingKind = "extra file"         // of the output folder, made by nothing
	StateDamaged    FindingKind = "state damaged"      // index or manifest
	StoreDamaged    FindingKind = "store damaged"      // a blob or a record; costs time, not truth
	NotUpToDate     FindingKind = "not up to date"     // a cook would have work to do
	NotReproducible FindingKind = "not reproducible"   // a new cook gave something else
	HiddenRead      FindingKind = "hidden read"        // a file that was read is no dependency
	HiddenAbsence   FindingKind = "hidden absence"     // nor is that a file is not there
	HiddenListing   FindingKind = "hidden listing"     // nor what a folder holds, or that it is there
	RemoteDiffers   FindingKind = "remote differs"     // a result on the server is not what a new cook gave
	Unreadable      FindingKind = "cannot be verified" // something could not be read
)

// A Finding is one difference between what is there and what should be.
type Finding struct {
	Kind FindingKind `json:"kind"`
	// Path is the source, Target its target; if no one source is concerned, Path
	// is the file in the output folder or the store.
	Path    string   `json:"-"`
	Target  string   `json:"-"`
	Targets []string `json:"-"`                // to cook again as a remedy; none for the unnamed target
	Output  string   `json:"-"`                // the artifact concerned, if any
	Recipe  string   `json:"-"`                // if it is the cause
	Inputs  []string `json:"inputs,omitempty"` // files that should be dependencies
	// Warning marks a possible cause of differences. It is not counted.
	Warning bool `json:"-"`
	// Bytes is the first difference of two artifacts; nil if unknown.
	Bytes *ByteDifference `json:"bytes,omitempty"`
	// Origin is the origin of a result on the server that differs.
	Origin *store.Origin `json:"origin,omitempty"`
	// Text says what is wrong and what to do, without the path. Output of a program
	// follows on lines of its own.
	Text string `json:"-"`
}

// String returns the finding as one line for people, and output of a program below it.
func (f Finding) String() string {
	name := pathname.Show(f.Path)
	if f.Target != "" {
		name += " [" + f.Target + "]"
	}
	text := strings.TrimRight(pathname.Escape(f.Text), "\n")
	return name + ": " + strings.ReplaceAll(text, "\n", "\n  | ")
}

// A ByteDifference is the first place in which two artifacts differ.
type ByteDifference struct {
	Offset int64 `json:"offset"` // from 0
	Was    int   `json:"was"`    // the byte in the output folder, -1 for its end
	Now    int   `json:"now"`    // the byte in the new artifact, -1 for its end
}

// String is the place as people are shown it.
func (d ByteDifference) String() string {
	show := func(b int) string {
		if b < 0 {
			return "the end"
		}
		return fmt.Sprintf("0x%02x", b)
	}
	return fmt.Sprintf("offset %d (%s, now %s)", d.Offset, show(d.Was), show(d.Now))
}

// Sum is what verifying amounts to. An asset cooked for two targets counts twice.
type Sum struct {
	Outputs     int           `json:"outputs"`          // looked at
	Bytes       int64         `json:"bytes"`            // read of them
	Blobs       int           `json:"blobs"`            // of the store, found intact
	Again       int           `json:"again"`            // assets cooked again
	Shared      int           `json:"shared,omitempty"` // results of the server that were compared with them
	Assets      int           `json:"assets"`
	Seed        uint64        `json:"seed"` // draws the same sample again
	Differences int           `json:"differences"`
	Took        time.Duration `json:"took_ns"`
}

// String returns the last line of verifying. Its form is fixed, for scripts.
func (s Sum) String() string {
	return fmt.Sprintf("verified %s (%s) and %s, cooked %d of %s again: %s in %s",
		human.Count(s.Outputs, "output"), human.Bytes(s.Bytes), human.Count(s.Blobs, "blob"),
		s.Again, human.Count(s.Assets, "asset"), human.Count(s.Differences, "difference"), human.Duration(s.Took))
}

// A reporter counts differences, warnings aside, and calls Found and the observer one at a time.
type reporter struct {
	mu          sync.Mutex
	onFinding   func(Finding) // nil for none
	observer    session.Observer
	differences int
	files       int   // read
	bytes       int64 // of them
	noted       map[*plan.Method]bool
	row         *profile.Worker // nil if nothing is measured
	span        profile.Span    // of the stage
}

func (r *reporter) found(f Finding) {
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

func (r *reporter) event(e execute.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.observer.Event(e)
}

// noteOnce notes something of a method, once.
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

// note passes on what is no difference.
func (r *reporter) note(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.observer.Note(text)
}

// reading reports files that were read.
func (r *reporter) reading(files, of int, bytes int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.files, r.bytes = r.files+files, r.bytes+bytes
	r.observer.Reading(r.files, of, r.bytes)
}

// stage begins a stage. No other goroutine is at work then.
func (r *reporter) stage(name string) {
	r.observer.Stage(name)
	r.span.End()
	r.span = r.row.Begin("cook/stage/"+name, "")
}

func (r *reporter) closeReport() {
	r.span.End()
	r.row.Release()
}
