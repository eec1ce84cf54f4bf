package process

import (
	"runtime"
	"testing"
	"time"

	"github.com/assetcook/assetcook/profile/counters"
)

func TestParseStatus(t *testing.T) {
	none := figures{RSS: unknown, PeakRSS: unknown, Threads: unknown}
	for _, tt := range []struct {
		status             string
		rss, peak, threads int64
	}{
		{"Name:\tx\nVmPeak:\t 9 kB\nVmHWM:\t    1234 kB\nVmRSS:\t    1000 kB\nThreads:\t7\n", 1000 << 10, 1234 << 10, 7},
		{"VmRSS:\t1 kB", 1 << 10, unknown, unknown},
		{"", unknown, unknown, unknown},
		{"VmRSS:\t1000 MB\nVmHWM:\nThreads:\tmany\n", unknown, unknown, unknown},
		{"VmRSS:\t9223372036854775807 kB\nVmHWM:\t-1 kB\nThreads:\t7 kB\n", unknown, unknown, unknown},
		{"VmRSS\n:\n\n:1 kB", unknown, unknown, unknown},
	} {
		f := none
		if parseStatus([]byte(tt.status), &f); f.RSS != tt.rss || f.PeakRSS != tt.peak || f.Threads != tt.threads {
			t.Errorf("%q: %+v", tt.status, f)
		}
	}
}

func FuzzParseStatus(f *testing.F) {
	f.Add([]byte("VmHWM:\t    1234 kB\nVmRSS:\t    1000 kB\nThreads:\t7\n"))
	f.Fuzz(func(t *testing.T, status []byte) {
		var got figures
		parseStatus(status, &got)
		if got.RSS < unknown || got.PeakRSS < unknown || got.Threads < unknown {
			t.Errorf("%+v", got)
		}
	})
}

// If the system supports both ways to count open files, they must agree.
func TestOpenFilesAgree(t *testing.T) {
	r := openReader()
	defer r.closeFiles()
	if size, entries := r.system.openFiles(), r.system.countEntries(); size != entries || size < 2 {
		t.Errorf("the size says %d open files, the entries say %d", size, entries)
	}
	for what, b := range map[string][]byte{"torn": make([]byte, 17), "of length 0": make([]byte, 100)} {
		if n := countRecords(b); n != 0 {
			t.Errorf("%s: %d records", what, n)
		}
	}
}

// Polling must not allocate, even just after a garbage collection.
func TestPollingAllocatesNothing(t *testing.T) {
	set := counters.New(counters.Options{})
	r := openReader()
	defer r.closeFiles()
	runtime.GC()
	r.readAll()
	collected := func() {
		r.gcs = unknown // This makes readAll read the pauses, as after a new collection.
		r.readAll()
	}
	if n := testing.AllocsPerRun(20, collected); n != 0 {
		t.Errorf("%v allocations in reading", n)
	}
	defer Publish(set)()
	if n := testing.AllocsPerRun(20, func() { set.PushFrame(time.Time{}) }); n != 0 {
		t.Errorf("%v allocations in a frame", n)
	}
}
