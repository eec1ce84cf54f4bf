package cook_test

import (
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"syscall"
	"testing"

	"github.com/assetcook/assetcook/internal/proof/oracle"
	"github.com/assetcook/assetcook/profile"
	"github.com/assetcook/assetcook/profile/counters"
	"github.com/assetcook/assetcook/profile/events"
	"github.com/assetcook/assetcook/profile/memory"
)

// BenchmarkMeasured reports how much CPU time measurements cost. It cooks testdata/assets
// alternately without and with all measurements. It collects garbage only between runs. Otherwise
// the memory of the measurements would change the times of collections, and distort the result.
func BenchmarkMeasured(b *testing.B) {
	dir := b.TempDir()
	opt := oracle.Run{
		Dir: filepath.Join("..", "testdata", "assets"), Out: filepath.Join(dir, "out"), Cache: filepath.Join(dir, "cache"), Force: true,
	}
	once := func(p profile.Probe) float64 {
		opt.Probe = p
		if err := os.RemoveAll(opt.Out); err != nil {
			b.Fatal(err)
		}
		runtime.GC()
		before := processorTime(b)
		if s, err := opt.Cook(b.Context()); err != nil || s.Failed.Assets > 0 {
			b.Fatal(s.String(), err)
		}
		if err := p.Events.Close(); err != nil {
			b.Fatal(err)
		}
		return processorTime(b) - before
	}
	off := func() float64 { return once(profile.Probe{}) }
	on := func() float64 {
		return once(profile.Probe{
			Counters: counters.New(counters.Options{Max: 256}),
			Events:   events.New(io.Discard, events.Options{}),
			Memory:   memory.New(memory.Options{Live: 1}),
		})
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	off()
	var ratios []float64
	for b.Loop() {
		a, z := off(), on()
		ratios = append(ratios, z/a)
		z, a = on(), off()
		ratios = append(ratios, z/a)
	}
	slices.Sort(ratios)
	b.ReportMetric(ratios[len(ratios)/2], "median-on/off")
}

func processorTime(tb testing.TB) float64 {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		tb.Fatal(err)
	}
	seconds := func(t syscall.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)/1e6 }
	return seconds(r.Utime) + seconds(r.Stime)
}
