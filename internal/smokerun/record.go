package smokerun

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/assetcook/assetcook/internal/atomicfile"
)

// formatVersion is the version of the record format. Records of other versions cannot be compared.
const formatVersion = 1

// maxRecord is the maximum size of a record file in bytes.
const maxRecord = 256 << 20

// A Class determines how a figure is compared.
type Class string

// A comparison fails if a figure of the first four classes, or a steady level, has changed. The
// other classes only explain changes.
const (
	Exact             Class = "exact"        // equal in all runs with the same sources
	AllocationsClass  Class = "allocations"  // number of allocated objects or bytes
	instructionsClass Class = "instructions" // instructions executed in user mode
	CPUClass          Class = "cpu"          // processor time in nanoseconds

	TimeClass     Class = "time"     // duration of a timer in nanoseconds
	SiteClass     Class = "site"     // bytes allocated by one function
	codeClass     Class = "code"     // instructions executed by one function
	LevelClass    Class = "level"    // memory, number of open files and similar quantities
	UnsteadyClass Class = "unsteady" // a figure that should be exact but differs between runs

	budgetClass Class = "budget" // class of a [Change] whose figure exceeds its budget
)

// SampleVariable is the environment variable with the name of the process's sample file.
const SampleVariable = "ASSETCOOK_SMOKE_SAMPLE"

// A Sample is the result of one process.
type Sample struct {
	Build Build `json:"build"`
	Step  Step  `json:"step"`
}

// These are names of figures that every step has. Allocated counts the allocations of the program's
// functions. Heap also includes the allocations of the Go runtime, which vary.
const (
	AllocatedObjects = "allocated/objects"
	AllocatedBytes   = "allocated/bytes"
	HeapObjects      = "heap/objects"
	HeapBytes        = "heap/bytes"
	CPUTime          = "cpu/ns"
	instructionCount = "cpu/instructions"
	PeakRSS          = "memory/peak_rss"
	GCCycles         = "memory/gc_cycles"
)

// ProcessPrefix is the prefix of the names that package process publishes.
const ProcessPrefix = "process/"

// ofProcess reports whether a level describes the Go runtime or the operating system.
func ofProcess(name string) bool {
	return name == HeapObjects || name == HeapBytes || name == GCCycles || name == PeakRSS || strings.HasPrefix(name, ProcessPrefix)
}

// Most returns the n figures with the highest values.
func Most(figures []Figure, n int) []Figure {
	slices.SortFunc(figures, func(a, b Figure) int {
		return cmp.Or(cmp.Compare(b.Value, a.Value), strings.Compare(a.Name, b.Name))
	})
	return figures[:min(n, len(figures))]
}

// A Record holds the work and resource usage of one build in a run of a suite.
type Record struct {
	Format  int       `json:"format"`
	Suite   string    `json:"suite"`
	Sum     string    `json:"sum"` // Sum identifies the suite and its inputs
	At      time.Time `json:"at"`
	Build   Build     `json:"build"`
	Machine Machine   `json:"machine"`
	Steps   []Step    `json:"steps"`
}

// A Build identifies the measured program.
type Build struct {
	Commit   string `json:"commit,omitempty"`
	Modified bool   `json:"modified,omitempty"` // built with uncommitted changes
	Go       string `json:"go"`
	OS       string `json:"os"`
	Arch     string `json:"arch"`
}

// String returns the abbreviated commit hash.
func (b Build) String() string {
	switch {
	case b.Commit == "":
		return "unknown commit"
	case b.Modified:
		return b.Commit[:min(12, len(b.Commit))] + "+changes"
	}
	return b.Commit[:min(12, len(b.Commit))]
}

// sameKind reports whether two builds have the same Go version, system and architecture. Their
// allocations and instructions are comparable only in this case.
func (b Build) sameKind(c Build) bool { return b.Go == c.Go && b.OS == c.OS && b.Arch == c.Arch }

// A Machine identifies the machine that measured a record.
type Machine struct {
	Name  string `json:"name"` // name of the processor model
	Cores int    `json:"cores"`
}

// A Step holds the measured figures of one step.
type Step struct {
	Name    string   `json:"name"`
	Frames  int      `json:"frames,omitempty"`
	Figures []Figure `json:"figures"` // sorted by name
	Items   []Item   `json:"items,omitempty"`
	// Budgets maps names of figures to their maximum values.
	Budgets map[string]float64 `json:"budgets,omitempty"`
}

// A Figure is one measured quantity of a step.
type Figure struct {
	Name   string    `json:"name"`
	Class  Class     `json:"class"`
	Value  float64   `json:"value"`            // median over the executions
	Values []float64 `json:"values,omitempty"` // the value of each execution; empty if all are equal

	// Peak is the highest value of a frame in one execution. Spikes is the length of the longest
	// run of frames whose value exceeds twice the median.
	Peak   float64 `json:"peak,omitempty"`
	Spikes int     `json:"spikes,omitempty"`

	// Steady marks a level whose value, Peak and Spikes are equal in all executions that measure
	// exact figures. Loose marks an exact figure whose values per frame differ between executions.
	Steady bool `json:"steady,omitempty"`
	Loose  bool `json:"loose,omitempty"`
}

// These suffixes in changes and budgets select Peak or Spikes of a figure.
const (
	peakSuffix   = "/peak"
	spikesSuffix = "/spikes"
)

// asked returns the figure that a budget's name refers to, and the value that the budget limits.
func (s *Step) asked(name string) (f Figure, value float64, ok bool) {
	if f, ok = s.Figure(name); ok {
		return f, f.Value, true
	}
	if stem, found := strings.CutSuffix(name, peakSuffix); found {
		f, ok = s.Figure(stem)
		return f, f.Peak, ok
	}
	if stem, found := strings.CutSuffix(name, spikesSuffix); found {
		f, ok = s.Figure(stem)
		return f, float64(f.Spikes), ok
	}
	return f, 0, false
}

// An Item is an object that a step created or inspected, such as an asset.
type Item struct {
	Name  string  `json:"name"`
	State string  `json:"state"`        // description of the result, which is compared exactly
	NS    float64 `json:"ns,omitempty"` // duration of the work on the item
}

func (r *Record) step(name string) *Step {
	if i := slices.IndexFunc(r.Steps, func(s Step) bool { return s.Name == name }); i >= 0 {
		return &r.Steps[i]
	}
	return nil
}

// Figure returns the figure with the given name, and reports whether it exists.
func (s *Step) Figure(name string) (Figure, bool) {
	i, ok := slices.BinarySearchFunc(s.Figures, name, func(f Figure, name string) int { return strings.Compare(f.Name, name) })
	if !ok {
		return Figure{}, false
	}
	return s.Figures[i], true
}

// Sort sorts the figures and items by name.
func (s *Step) Sort() {
	slices.SortFunc(s.Figures, func(a, b Figure) int { return strings.Compare(a.Name, b.Name) })
	slices.SortFunc(s.Items, func(a, b Item) int { return strings.Compare(a.Name, b.Name) })
}

// OnlyExact returns a copy of the record with only the exact figures and items. These are valid on
// any machine.
func (r *Record) OnlyExact() *Record {
	only := *r
	only.Steps = slices.Clone(r.Steps)
	for i := range only.Steps {
		s := &only.Steps[i]
		s.Figures = slices.DeleteFunc(slices.Clone(s.Figures), func(f Figure) bool { return f.Class != Exact })
		s.Items = slices.Clone(s.Items)
		for j := range s.Items {
			s.Items[j].NS = 0
		}
	}
	return &only
}

// oneLine reformats indented JSON so that each figure and item takes one line. JSON strings contain
// no newlines.
var oneLine = strings.NewReplacer("\n\t\t\t\t\t\t", " ", "\n\t\t\t\t\t", " ", "\n\t\t\t\t}", " }")

// WriteFile writes the record to a file atomically.
func (r *Record) WriteFile(name string) error {
	return atomicfile.Write(name, 0o666, func(w io.Writer) error {
		text, err := json.MarshalIndent(r, "", "\t")
		if err == nil {
			_, err = oneLine.WriteString(w, string(text)+"\n")
		}
		return err
	})
}

// ReadFile reads a record from a file.
func ReadFile(name string) (*Record, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxRecord+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxRecord {
		return nil, fmt.Errorf("%s is larger than %d bytes, so it is not a record of a smoke run", name, maxRecord)
	}
	r, err := parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return r, nil
}

// errFormat is the error for a record with another format version.
var errFormat = errors.New("another version of cook wrote the record; measure again to write a new one")

// parse parses a record, and checks the properties that comparisons rely on.
func parse(text []byte) (*Record, error) {
	r := new(Record)
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("the file is not a record of a smoke run: %w", err)
	}
	if r.Format != formatVersion {
		return nil, fmt.Errorf("%w (format %d, want %d)", errFormat, r.Format, formatVersion)
	}
	names := map[string]bool{}
	for i := range r.Steps {
		s := &r.Steps[i]
		if names[s.Name] {
			return nil, fmt.Errorf("the record is damaged: two steps are called %q", s.Name)
		}
		names[s.Name] = true
		s.Sort()
		for j := range s.Figures {
			if j > 0 && s.Figures[j].Name == s.Figures[j-1].Name {
				return nil, fmt.Errorf("the record is damaged: step %q has two figures %q", s.Name, s.Figures[j].Name)
			}
		}
	}
	return r, nil
}
