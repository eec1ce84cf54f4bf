// Package process publishes figures of the running process as gauges and counters: memory,
// processor time, page faults, open files, threads, goroutines and garbage collections.
//
//	defer process.Publish(set).Close()
//
// Reading does not stop the program. The runtime's figures come from runtime/metrics. The
// system's figures come from /proc and getrusage on Linux, and from getrusage elsewhere. Figures
// that a system does not report are not published. On Linux, reading takes about 13 microseconds
// and does not allocate.
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

// Figures describe the process at one moment, read one after the other. Sums count from the start
// of the process.
type Figures struct {
	RSS         int64 // bytes of physical memory, mapped files included
	PeakRSS     int64 // highest RSS so far
	Heap        int64 // bytes of Go objects, uncollected garbage included
	Goroutines  int64
	Threads     int64
	OpenFiles   int64         // file descriptors, including the Reader's own
	GCs         int64         // completed collections
	GCPause     time.Duration // sum of the pauses in which collections stopped the program
	MinorFaults int64         // page faults that needed no input
	MajorFaults int64         // page faults that waited for input
	User        time.Duration // processor time in the program
	System      time.Duration // processor time in the kernel for the program
}

// A Reader reads the figures of the process. Its methods may be called from any number
// of goroutines.
type Reader struct {
	mu      sync.Mutex
	system  system
	samples [3]metrics.Sample
	gc      debug.GCStats
	gcs     int64 // number of collections when gc was read
	peak    int64
}

// Open returns a reader, which keeps two files open on Linux. Call Close when done. Open returns
// no error: figures from a file that does not open are Unknown.
func Open() *Reader {
	r := &Reader{gcs: Unknown}
	r.samples[0].Name = "/memory/classes/heap/objects:bytes"
	r.samples[1].Name = "/sched/goroutines:goroutines"
	r.samples[2].Name = "/gc/cycles/total:gc-cycles"
	r.system.open()
	return r
}

// Close closes the reader's files. Their figures are Unknown from then on.
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
		// The kernel's counts are approximate: a peak may be lower than an earlier one.
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
		return Unknown // a later runtime may report another kind
	}
	return int64(s.Value.Uint64())
}

// A Source publishes the figures of the process in a set. A nil *Source publishes
// nothing.
type Source struct {
	reader *Reader
	polls  *counters.Source
}

// Publish publishes the figures in the set. It sets the gauges
//
//	process/rss_bytes process/rss_peak_bytes process/heap_bytes
//	process/goroutines process/threads process/open_files
//
// to the current figures. It adds the growth since Publish to the counters
//
//	process/gc/cycles process/gc/pause_ns
//	process/faults/minor process/faults/major
//	process/cpu/user_ns process/cpu/system_ns
//
// The set polls the source as [counters.Set.Source] says. Publish returns nil for a nil set.
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

// Close stops publishing; gauges and counters keep their values.
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
