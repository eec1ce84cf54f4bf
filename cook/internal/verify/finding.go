package verify

import (
	"fmt"
	"sync"
	"time"

	"github.com/assetcook/assetcook/cook/internal/execute"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/session"
	"github.com/assetcook/assetcook/cook/internal/store"
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
	Kind FindingKind
	// Path is the source, Target its target; if no one source is concerned, Path
	// is the file in the output folder or the store.
	Path    string
	Target  string
	Targets []string // to cook again to put it right
	Output  string   // the artifact concerned, if one is
	Recipe  string   // set if it is to blame
	Inputs  []string // paths of what is no dependency though it should be
	// Warning says that nothing differs, and what could make it so.
	Warning bool
	// Bytes says where two artifacts first differ; nil if that is not known.
	Bytes *ByteDifference
	// Origin is where a result on the server came from, if that differs.
	Origin *store.Origin
	// Text says what is wrong and what to do, without the path. What a program
	// printed follows on lines of its own.
	Text string
}

// A ByteDifference is the first place in which two artifacts differ.
type ByteDifference struct {
	Offset int64 // from 0
	Was    int   // the byte in the output folder, -1 for its end
	Now    int   // the byte in the new artifact, -1 for its end
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
	Outputs int   // looked at
	Bytes   int64 // of them, read
	Blobs   int   // of the store, found intact
	Again   int   // assets cooked again
	Shared  int   // results of the server that were compared with them
	Assets  int
	// Seed draws the same sample again.
	Seed        uint64
	Differences int
	Took        time.Duration
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
	to, ok := r.observer.(interface {
		Reading(files, of int, bytes int64)
	})
	if !ok {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.files, r.bytes = r.files+files, r.bytes+bytes
	to.Reading(r.files, of, r.bytes)
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
