package smoke

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/assetcook/assetcook/internal/sysmem"
	"github.com/assetcook/assetcook/internal/version"
	"github.com/assetcook/assetcook/profile/counters"
)

// sampleVariable is the environment variable that names the file for a process's sample.
const sampleVariable = "ASSETCOOK_SMOKE_SAMPLE"

// Names of the figures of every step. Allocated counts allocations of the program's functions;
// heap also includes the Go runtime's own, which vary.
const (
	allocatedObjects = "allocated/objects"
	AllocatedBytes   = "allocated/bytes"
	heapObjects      = "heap/objects"
	heapBytes        = "heap/bytes"
	CPUTime          = "cpu/ns"
	instructionCount = "cpu/instructions"
	peakRSS          = "memory/peak_rss"
	gcCycles         = "memory/gc_cycles"
)

// A Run measures this process as one step of a smoke run. A nil *Run measures nothing. One
// goroutine at a time may use it.
type Run struct {
	file   string
	set    *counters.Set
	last   map[string]float64   // value of each figure at the last frame's end
	frames map[string][]float64 // value of each figure in each frame
	count  int
	sample sample
}

// A sample is the result of one process.
type sample struct {
	Build Build `json:"build"`
	Step  Step  `json:"step"`
}

// Started reports whether this process was started by a [Runner].
func Started() bool { return os.Getenv(sampleVariable) != "" }

// Start begins measuring this process if a [Runner] started it; otherwise it returns nil. The
// set's counters become exact figures, except names that end in "/ns", which are times, as timers
// are. Floats and gauges become levels, which are compared if every execution has the same value;
// figures of package process only explain.
//
// From then on the set's sources are polled at the end of each frame, however long they take (see
// [counters.Set.PollAlways]). set may be nil.
func Start(set *counters.Set) *Run {
	if !Started() {
		return nil
	}
	set.PollAlways()
	r := &Run{file: os.Getenv(sampleVariable), set: set, frames: map[string][]float64{}}
	r.sample.Build = thisBuild()
	r.last = map[string]float64{}
	for _, f := range r.readFigures() {
		r.last[f.Name] = f.Value
	}
	return r
}

// Frame ends a frame: a repeated unit of the program's work. The first begins at Start.
func (r *Run) Frame() {
	if r == nil {
		return
	}
	r.count++
	for _, f := range r.readFigures() {
		value := f.Value
		if f.Class != levelClass || f.Name == heapObjects || f.Name == heapBytes || f.Name == gcCycles {
			value -= r.last[f.Name]
		}
		r.last[f.Name] = f.Value
		r.frames[f.Name] = append(r.frames[f.Name], value)
	}
}

// Exact adds a figure that must be the same in every run of the same sources.
func (r *Run) Exact(name string, value int64) { r.addFigure(name, Exact, float64(value)) }

// Level adds a figure that is compared if it is the same in every execution, such as peak memory
// or the depth of a queue. Growth is a reason to fail.
func (r *Run) Level(name string, value float64) { r.addFigure(name, levelClass, value) }

func (r *Run) addFigure(name string, class Class, value float64) {
	if r != nil {
		r.sample.Step.Figures = append(r.sample.Step.Figures, Figure{Name: name, Class: class, Value: value})
	}
}

// Item adds a thing that was made or inspected. State describes the result, such as a digest, and
// is compared exactly.
func (r *Run) Item(name, state string, took time.Duration) {
	if r != nil {
		r.sample.Step.Items = append(r.sample.Step.Items, Item{Name: name, State: state, NS: float64(took)})
	}
}

// Finish writes the measurements. The process should end soon after, because its whole run time
// counts.
func (r *Run) Finish() error {
	if r == nil {
		return nil
	}
	step := &r.sample.Step
	figures := r.readFigures() // before this function allocates much
	step.Frames = r.count
	for _, f := range figures {
		if values := r.frames[f.Name]; len(values) > 0 && f.Class != siteClass {
			frames := counters.Summarize(values)
			f.Peak, f.Spikes = frames.High.Value, frames.Spikes.Longest
		}
		step.Figures = append(step.Figures, f)
	}
	step.Figures = append(step.Figures, allocations()...)
	step.sort()
	for i := 1; i < len(step.Figures); i++ {
		if name := step.Figures[i].Name; name == step.Figures[i-1].Name {
			return fmt.Errorf("smoke run: two figures are called %q", name)
		}
	}
	text, err := json.Marshal(&r.sample)
	if err != nil {
		return fmt.Errorf("smoke run: %w", err)
	}
	return os.WriteFile(r.file, text, 0o666)
}

// readFigures returns the current figures. It uses ReadMemStats, which stops the program briefly:
// package runtime/metrics would not, but takes 0.1 ms at the start of every process, measured or
// not.
func (r *Run) readFigures() []Figure {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	figures := []Figure{
		{Name: heapObjects, Class: levelClass, Value: float64(m.Mallocs)},
		{Name: heapBytes, Class: levelClass, Value: float64(m.TotalAlloc)},
		{Name: gcCycles, Class: levelClass, Value: float64(m.NumGC)},
	}
	figures = append(figures, Figure{Name: peakRSS, Class: levelClass, Value: float64(sysmem.PeakRSS())})
	for _, s := range r.set.Snapshot() {
		switch {
		case strings.HasPrefix(s.Name, processPrefix):
			figures = append(figures, Figure{Name: s.Name, Class: levelClass, Value: s.Value()})
		case s.Kind == counters.KindTimer:
			figures = append(figures,
				Figure{Name: s.Name + "/calls", Class: Exact, Value: float64(s.Timer.Calls)},
				Figure{Name: s.Name, Class: timeClass, Value: float64(s.Timer.Own)})
		case s.Kind == counters.KindCounter && strings.HasSuffix(s.Name, "/ns"):
			figures = append(figures, Figure{Name: s.Name, Class: timeClass, Value: s.Value()})
		case s.Kind == counters.KindCounter:
			figures = append(figures, Figure{Name: s.Name, Class: Exact, Value: s.Value()})
		default:
			figures = append(figures, Figure{Name: s.Name, Class: levelClass, Value: s.Value()})
		}
	}
	return figures
}

// siteLimit is how many functions a step lists, by most allocations.
const siteLimit = 50

// allocations returns the allocations of the program's functions, in total and each, if every
// allocation is in the profile. With the race detector it returns none: then a sync.Pool randomly
// drops a quarter of its items.
func allocations() []Figure {
	if runtime.MemProfileRate != 1 || raceDetector {
		return nil
	}
	debug.SetGCPercent(100)
	runtime.GC() // an allocation appears in the profile after two cycles
	runtime.GC()
	var records []runtime.MemProfileRecord
	for n, ok := runtime.MemProfile(nil, true); !ok; {
		records = make([]runtime.MemProfileRecord, n+64)
		if n, ok = runtime.MemProfile(records, true); ok {
			records = records[:n]
		}
	}
	bytes, objects := 0.0, 0.0
	sums := map[string]float64{}
	for i := range records {
		if name, ok := allocatingFunction(records[i].Stack()); ok {
			sums[name] += float64(records[i].AllocBytes)
			bytes += float64(records[i].AllocBytes)
			objects += float64(records[i].AllocObjects)
		}
	}
	var sites []Figure
	for name, sum := range sums {
		if sum > 0 {
			sites = append(sites, Figure{Name: "site/" + name, Class: siteClass, Value: sum})
		}
	}
	return append(most(sites, siteLimit), Figure{Name: AllocatedBytes, Class: allocationsClass, Value: bytes},
		Figure{Name: allocatedObjects, Class: allocationsClass, Value: objects})
}

// ofProcess reports whether a level depends on the Go runtime or the system.
func ofProcess(name string) bool {
	return name == heapObjects || name == heapBytes || name == gcCycles || name == peakRSS || strings.HasPrefix(name, processPrefix)
}

// processPrefix is the prefix of names published by package process.
const processPrefix = "process/"

// most returns the n highest figures.
func most(figures []Figure, n int) []Figure {
	slices.SortFunc(figures, func(a, b Figure) int {
		if a.Value != b.Value {
			return int(max(-1, min(1, b.Value-a.Value)))
		}
		return strings.Compare(a.Name, b.Name)
	})
	return figures[:min(n, len(figures))]
}

// allocatingFunction returns the innermost function on a stack outside the runtime, and whether
// there is one.
func allocatingFunction(stack []uintptr) (name string, ok bool) {
	frames := runtime.CallersFrames(stack)
	for {
		frame, more := frames.Next()
		if f := frame.Function; f != "" && !strings.HasPrefix(f, "runtime.") && !strings.HasPrefix(f, "internal/runtime/") {
			return f, true
		}
		if !more {
			return "", false
		}
	}
}

// thisBuild describes the program of this process.
func thisBuild() Build {
	from := version.Read()
	return Build{Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH, Commit: from.Commit, Modified: from.Modified}
}
