// Package process publishes figures of the running process as gauges and counters: memory,
// processor time, page faults, open files, threads, goroutines and garbage collections.
//
//	defer process.Publish(set).Close()
//
// Reading does not stop the program: the runtime's figures come from runtime/metrics, the
// system's on Linux from /proc and getrusage, elsewhere from getrusage as far as it goes.
// Figures that a system does not report are not published. Reading takes about 13 microseconds
// on Linux and does not allocate there.
package process

import (
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"

	"github.com/assetcook/assetcook/profile/counters"
)

// Unknown is a figure that the system does not report.
const Unknown = -1

// Figures are those of a process at one moment, read one after the other. Those that are
// sums count since the process started.
type Figures struct {
	RSS         int64 // bytes of physical memory, mapped files included
	PeakRSS     int64 // the most of them at once
	Heap        int64 // bytes of Go objects, those that are dead and not yet collected included
	Goroutines  int64
	Threads     int64
	OpenFiles   int64         // descriptors, those of the Reader included
	GCs         int64         // completed collections
	GCPause     time.Duration // sum of the pauses in which collections stopped the program
	MinorFaults int64         // page faults that needed no input
	MajorFaults int64         // page faults that waited for input
	User        time.Duration // processor time in the program
	System      time.Duration // processor time in the system on behalf of it
}

// A Reader reads the figures of the process. Its methods may be called from any number
// of goroutines.
type Reader struct {
	mu      sync.Mutex
	system  system
	samples [3]metrics.Sample
	gc      debug.GCStats
	gcs     int64 // when gc was read
	peak    int64
}

// Open returns a reader, which on Linux keeps two files open. Call Close when done. There
// is no error: what cannot be opened is Unknown.
func Open() *Reader {
	r := &Reader{gcs: Unknown}
	r.samples[0].Name = "/memory/classes/heap/objects:bytes"
	r.samples[1].Name = "/sched/goroutines:goroutines"
	r.samples[2].Name = "/gc/cycles/total:gc-cycles"
	r.system.open()
	return r
}

// Close closes the reader's files, after which their figures are Unknown.
func (r *Reader) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.system.close()
}

// Read returns the present figures.
func (r *Reader) Read() Figures {
	r.mu.Lock()
	defer r.mu.Unlock()
	f := Figures{RSS: Unknown, PeakRSS: Unknown, Threads: Unknown, OpenFiles: Unknown, MinorFaults: Unknown,
		MajorFaults: Unknown, User: Unknown, System: Unknown}
	r.system.read(&f)
	if f.PeakRSS != Unknown {
		// The system does not count exactly, and may report less than before.
		r.peak = max(r.peak, f.PeakRSS, f.RSS)
		f.PeakRSS = r.peak
	}
	metrics.Read(r.samples[:])
	f.Heap, f.Goroutines, f.GCs = value(&r.samples[0]), value(&r.samples[1]), value(&r.samples[2])
	if f.GCs != r.gcs {
		debug.ReadGCStats(&r.gc) // copies the last 256 pauses; stops nothing
		r.gcs = f.GCs
	}
	f.GCPause = r.gc.PauseTotal
	return f
}

func value(s *metrics.Sample) int64 {
	if s.Value.Kind() != metrics.KindUint64 {
		return Unknown // of a later runtime
	}
	return int64(s.Value.Uint64())
}

// A Source publishes the figures of the process in a set. A nil *Source publishes
// nothing.
type Source struct {
	reader *Reader
	polls  *counters.Source
}

// Publish makes a source of the set that sets the gauges
//
//	process/rss_bytes process/rss_peak_bytes process/heap_bytes
//	process/goroutines process/threads process/open_files
//
// to the present figures and adds to the counters
//
//	process/gc/cycles process/gc/pause_ns
//	process/faults/minor process/faults/major
//	process/cpu/user_ns process/cpu/system_ns
//
// what has happened since Publish. It is polled as [counters.Set.Source] says. For a nil
// set it returns nil.
func Publish(set *counters.Set) *Source {
	if set == nil {
		return nil
	}
	s := &Source{reader: Open()}
	first := s.reader.Read()
	levels, sums := first.levels(), first.sums()
	var gauges [len(levels)]*counters.Gauge
	for i, name := range levelNames {
		if levels[i] != Unknown {
			gauges[i] = set.Gauge(name)
			gauges[i].Set(float64(levels[i]))
		}
	}
	var counts [len(sums)]*counters.Counter
	for i, name := range sumNames {
		if sums[i] != Unknown {
			counts[i] = set.Counter(name)
		}
	}
	s.polls = set.Source(func() {
		f := s.reader.Read()
		for i, level := range f.levels() {
			if level != Unknown {
				gauges[i].Set(float64(level))
			}
		}
		for i, sum := range f.sums() {
			if sum > sums[i] && sums[i] != Unknown {
				counts[i].Add(sum - sums[i])
				sums[i] = sum
			}
		}
	})
	return s
}

// Close ends the publishing; gauges and counters keep their values.
func (s *Source) Close() {
	if s != nil {
		s.polls.Close()
		s.reader.Close()
	}
}

var (
	levelNames = [...]string{"process/rss_bytes", "process/rss_peak_bytes", "process/heap_bytes",
		"process/goroutines", "process/threads", "process/open_files"}
	sumNames = [...]string{"process/gc/cycles", "process/gc/pause_ns", "process/faults/minor",
		"process/faults/major", "process/cpu/user_ns", "process/cpu/system_ns"}
)

// levels returns the figures in the order of levelNames.
func (f *Figures) levels() [len(levelNames)]int64 {
	return [...]int64{f.RSS, f.PeakRSS, f.Heap, f.Goroutines, f.Threads, f.OpenFiles}
}

// sums returns the figures in the order of sumNames.
func (f *Figures) sums() [len(sumNames)]int64 {
	return [...]int64{f.GCs, int64(f.GCPause), f.MinorFaults, f.MajorFaults, int64(f.User), int64(f.System)}
}
