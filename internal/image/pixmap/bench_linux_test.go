package pixmap

import (
	"syscall"
	"testing"
	"time"
)

// cpuTime returns the CPU time of this process on all cores. Other load on the machine hardly
// changes it.
func cpuTime(b *testing.B) time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		b.Fatal(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// BenchmarkMipsInCopies reports the time for computing all levels of an image, divided by the time
// for copying the image. The image has 4096 x 4096 pixels; a copy reads and writes 64 MiB. One run
// measures both alternately.
func BenchmarkMipsInCopies(b *testing.B) {
	for _, bench := range []struct {
		name string
		fill func(*Map)
	}{
		{"opaque", photo},
		{"foliage", foliage},
	} {
		b.Run(bench.name, func(b *testing.B) {
			m := New(4096, 4096, Bits8)
			bench.fill(m)
			other := make([]byte, len(m.Pix8))
			copy(other, m.Pix8)
			var copies, mips time.Duration
			for b.Loop() {
				start := cpuTime(b)
				for range 4 { // single copies are too short to measure
					copy(other, m.Pix8)
				}
				copied := cpuTime(b)
				if _, err := Mips(b.Context(), m, MipOptions{}); err != nil {
					b.Fatal(err)
				}
				copies += (copied - start) / 4
				mips += cpuTime(b) - copied
			}
			b.ReportMetric(float64(copies.Microseconds())/float64(b.N)/1000, "copy-ms")
			b.ReportMetric(float64(mips.Microseconds())/float64(b.N)/1000, "mips-ms")
			b.ReportMetric(float64(mips)/float64(copies), "copies")
			b.ReportMetric(0, "ns/op")
		})
	}
}
