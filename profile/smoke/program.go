package smoke

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/assetcook/assetcook/internal/smokerun"
	"github.com/assetcook/assetcook/internal/sysmem"
	"github.com/assetcook/assetcook/internal/version"
	"github.com/assetcook/assetcook/profile/counters"
)

// A Run measures this process as one step of a smoke run. A nil *Run measures nothing. One
// goroutine at a time may use it.
type Run struct {
	file   string
	set    *counters.Set
	last   map[string]float64   // value of each figure at the end of the last frame
	frames map[string][]float64 // value in each frame, by figure
	count  int
	sample smokerun.Sample
}

// Started reports whether "cook smoke" started this process.
func Started() bool { return os.Getenv(smokerun.SampleVariable) != "" }

// Start begins measuring this process if "cook smoke" started it. Otherwise it returns nil. The
// set's counters become exact figures, but names that end in "/ns" are times, like timers. Floats
// and gauges become levels, which are compared if every execution has the same value. Figures of
// package process are shown but not compared.
//
// From then on, the set's sources are polled at the end of each frame, however long they take (see
// [counters.Set.PollAlways]). The set may be nil.
func Start(set *counters.Set) *Run {
	if !Started() {
		return nil
	}
	set.PollAlways()
	r := &Run{file: os.Getenv(smokerun.SampleVariable), set: set, frames: map[string][]float64{}}
	r.sample.Build = thisBuild()
	r.last = map[string]float64{}
	for _, f := range r.readFigures() {
		r.last[f.Name] = f.Value
	}
	return r
}

// Frame ends a frame, which is a repeated unit of the program's work. The first frame begins at
// Start.
func (r *Run) Frame() {
	if r == nil {
		return
	}
	r.count++
	for _, f := range r.readFigures() {
		value := f.Value
		if f.Class != smokerun.LevelClass || f.Name == smokerun.HeapObjects || f.Name == smokerun.HeapBytes || f.Name == smokerun.GCCycles {
			value -= r.last[f.Name]
		}
		r.last[f.Name] = f.Value
		r.frames[f.Name] = append(r.frames[f.Name], value)
	}
}

// Exact adds a figure that must be the same in every run of the same sources.
func (r *Run) Exact(name string, value int64) { r.addFigure(name, smokerun.Exact, float64(value)) }

// Level adds a figure, such as peak memory or the depth of a queue. It is compared if it is the
// same in every execution, and growth is a failure.
func (r *Run) Level(name string, value float64) { r.addFigure(name, smokerun.LevelClass, value) }

func (r *Run) addFigure(name string, class smokerun.Class, value float64) {
	if r != nil {
		r.sample.Step.Figures = append(r.sample.Step.Figures, smokerun.Figure{Name: name, Class: class, Value: value})
	}
}

// Item adds an item that the program made or inspected, such as a file. Its state describes the
// result, for example by a digest, and is compared exactly.
func (r *Run) Item(name, state string, took time.Duration) {
	if r != nil {
		r.sample.Step.Items = append(r.sample.Step.Items, smokerun.Item{Name: name, State: state, NS: float64(took)})
	}
}

// Finish writes the measurements. The process should end soon afterwards, because its whole run
// time counts.
func (r *Run) Finish() error {
	if r == nil {
		return nil
	}
	step := &r.sample.Step
	figures := r.readFigures() // The figures are read first, because the code below allocates a lot.
	step.Frames = r.count
	for _, f := range figures {
		if values := r.frames[f.Name]; len(values) > 0 && f.Class != smokerun.SiteClass {
			frames := counters.Summarize(values)
			f.Peak, f.Spikes = frames.High.Value, frames.Spikes.Longest
		}
		step.Figures = append(step.Figures, f)
	}
	step.Figures = append(step.Figures, allocations()...)
	step.Sort()
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

// readFigures returns the current figures. It uses ReadMemStats, which stops the program briefly.
// Package runtime/metrics would not stop the program, but takes 0.1 ms at the start of every
// process, even if the process is not measured.
func (r *Run) readFigures() []smokerun.Figure {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	figures := []smokerun.Figure{
		{Name: smokerun.HeapObjects, Class: smokerun.LevelClass, Value: float64(m.Mallocs)},
		{Name: smokerun.HeapBytes, Class: smokerun.LevelClass, Value: float64(m.TotalAlloc)},
		{Name: smokerun.GCCycles, Class: smokerun.LevelClass, Value: float64(m.NumGC)},
	}
	figures = append(figures, smokerun.Figure{Name: smokerun.PeakRSS, Class: smokerun.LevelClass, Value: float64(sysmem.PeakRSS())})
	for _, s := range r.set.Snapshot() {
		switch {
		case strings.HasPrefix(s.Name, smokerun.ProcessPrefix):
			figures = append(figures, smokerun.Figure{Name: s.Name, Class: smokerun.LevelClass, Value: s.Value()})
		case s.Kind == counters.KindTimer:
			figures = append(figures,
				smokerun.Figure{Name: s.Name + "/calls", Class: smokerun.Exact, Value: float64(s.Timer.Calls)},
				smokerun.Figure{Name: s.Name, Class: smokerun.TimeClass, Value: float64(s.Timer.Own)})
		case s.Kind == counters.KindCounter && strings.HasSuffix(s.Name, "/ns"):
			figures = append(figures, smokerun.Figure{Name: s.Name, Class: smokerun.TimeClass, Value: s.Value()})
		case s.Kind == counters.KindCounter:
			figures = append(figures, smokerun.Figure{Name: s.Name, Class: smokerun.Exact, Value: s.Value()})
		default:
			figures = append(figures, smokerun.Figure{Name: s.Name, Class: smokerun.LevelClass, Value: s.Value()})
		}
	}
	return figures
}

// siteLimit is the maximum number of functions listed for a step. Functions with fewer allocations
// are omitted.
const siteLimit = 50

// allocations returns the allocations of the program's functions, in total and by function. It
// returns none unless every allocation is in the profile. It also returns none with the race
// detector, which makes sync.Pool drop a quarter of its items at random.
func allocations() []smokerun.Figure {
	if runtime.MemProfileRate != 1 || raceDetector {
		return nil
	}
	debug.SetGCPercent(100)
	runtime.GC() // An allocation appears in the profile after two collection cycles.
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
	var sites []smokerun.Figure
	for name, sum := range sums {
		if sum > 0 {
			sites = append(sites, smokerun.Figure{Name: "site/" + name, Class: smokerun.SiteClass, Value: sum})
		}
	}
	return append(smokerun.Most(sites, siteLimit), smokerun.Figure{Name: smokerun.AllocatedBytes, Class: smokerun.AllocationsClass, Value: bytes},
		smokerun.Figure{Name: smokerun.AllocatedObjects, Class: smokerun.AllocationsClass, Value: objects})
}

// allocatingFunction returns the innermost function of a stack that is not in the runtime, and
// reports whether there is one.
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

// thisBuild describes the program that runs in this process.
func thisBuild() smokerun.Build {
	from := version.Read()
	return smokerun.Build{Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH, Commit: from.Commit, Modified: from.Modified}
}
