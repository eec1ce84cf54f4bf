// Package process publishes figures of the running process as gauges and counters: memory,
// processor time, page faults, open files, threads, goroutines and garbage collections.
//
//	defer process.Publish(set)()
//
// Reading does not stop the program. The runtime's figures come from package runtime/metrics. The
// system's figures come from /proc and getrusage on Linux, and from getrusage on other systems.
// Figures that a system does not report are not published. On Linux, reading takes about 13
// microseconds and does not allocate.
package process

import (
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"

	"github.com/assetcook/assetcook/profile/counters"
)

// unknown is the value of a figure that the system does not report.
const unknown = -1

// figures holds values of the process, which are read one after another. Sums are measured from the
// start of the process.
type figures struct {
	RSS         int64 // bytes of physical memory, including mapped files
	PeakRSS     int64 // highest RSS so far
	Heap        int64 // bytes of Go objects, including uncollected garbage
	Goroutines  int64
	Threads     int64
	OpenFiles   int64         // number of open file descriptors, including the reader's own
	GCs         int64         // number of completed garbage collections
	GCPause     time.Duration // total time that garbage collections stopped the program
	MinorFaults int64         // number of page faults that needed no disk access
	MajorFaults int64         // number of page faults that waited for the disk
	User        time.Duration // processor time spent in the program
	System      time.Duration // processor time that the kernel spent for the program
}

// A reader reads the figures of the process. Its methods may be called from any number
// of goroutines.
type reader struct {
	mu      sync.Mutex
	system  system
	samples [3]metrics.Sample
	gc      debug.GCStats
	gcs     int64 // number of collections at the time when the pauses were last read
	peak    int64
}

// openReader returns a reader. On Linux, the reader keeps two files open. If a file cannot be
// opened, its figures are unknown.
func openReader() *reader {
	r := &reader{gcs: unknown}
	r.samples[0].Name = "/memory/classes/heap/objects:bytes"
	r.samples[1].Name = "/sched/goroutines:goroutines"
	r.samples[2].Name = "/gc/cycles/total:gc-cycles"
	r.system.open()
	return r
}

// closeFiles closes the reader's files. Their figures are then unknown.
func (r *reader) closeFiles() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.system.close()
}

// readAll returns the current figures.
func (r *reader) readAll() figures {
	r.mu.Lock()
	defer r.mu.Unlock()
	f := figures{RSS: unknown, PeakRSS: unknown, Threads: unknown, OpenFiles: unknown, MinorFaults: unknown,
		MajorFaults: unknown, User: unknown, System: unknown}
	r.system.read(&f)
	if f.PeakRSS != unknown {
		// The kernel's counts are approximate, so a peak may be lower than an earlier peak.
		r.peak = max(r.peak, f.PeakRSS, f.RSS)
		f.PeakRSS = r.peak
	}
	metrics.Read(r.samples[:])
	f.Heap, f.Goroutines, f.GCs = value(&r.samples[0]), value(&r.samples[1]), value(&r.samples[2])
	if f.GCs != r.gcs {
		debug.ReadGCStats(&r.gc) // ReadGCStats copies the last 256 pauses, and does not stop the program.
		r.gcs = f.GCs
	}
	f.GCPause = r.gc.PauseTotal
	return f
}

func value(s *metrics.Sample) int64 {
	if s.Value.Kind() != metrics.KindUint64 {
		return unknown // A later runtime may report another kind of value.
	}
	return int64(s.Value.Uint64())
}

// Publish publishes the figures in the set, until the returned function is called. It sets the
// gauges
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
// The set polls the figures as [counters.Set.Source] describes. After publishing ends, the gauges
// and counters keep their values.
func Publish(set *counters.Set) (stop func()) {
	if set == nil {
		return func() {}
	}
	r := openReader()
	first := r.readAll()
	levels, sums := first.levels(), first.sums()
	var gauges [len(levels)]*counters.Gauge
	for i, name := range levelNames {
		if levels[i] != unknown {
			gauges[i] = set.Gauge(name)
			gauges[i].Set(float64(levels[i]))
		}
	}
	var counts [len(sums)]*counters.Counter
	for i, name := range sumNames {
		if sums[i] != unknown {
			counts[i] = set.Counter(name)
		}
	}
	polls := set.Source(func() {
		f := r.readAll()
		for i, level := range f.levels() {
			if level != unknown {
				gauges[i].Set(float64(level))
			}
		}
		for i, sum := range f.sums() {
			if sum > sums[i] && sums[i] != unknown {
				counts[i].Add(sum - sums[i])
				sums[i] = sum
			}
		}
	})
	return func() {
		polls.Close()
		r.closeFiles()
	}
}

var (
	levelNames = [...]string{"process/rss_bytes", "process/rss_peak_bytes", "process/heap_bytes",
		"process/goroutines", "process/threads", "process/open_files"}
	sumNames = [...]string{"process/gc/cycles", "process/gc/pause_ns", "process/faults/minor",
		"process/faults/major", "process/cpu/user_ns", "process/cpu/system_ns"}
)

// levels returns the figures that levelNames lists, in that order.
func (f *figures) levels() [len(levelNames)]int64 {
	return [...]int64{f.RSS, f.PeakRSS, f.Heap, f.Goroutines, f.Threads, f.OpenFiles}
}

// sums returns the figures that sumNames lists, in that order.
func (f *figures) sums() [len(sumNames)]int64 {
	return [...]int64{f.GCs, int64(f.GCPause), f.MinorFaults, f.MajorFaults, int64(f.User), int64(f.System)}
}
