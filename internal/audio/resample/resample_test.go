package resample

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"testing"

	"github.com/assetcook/assetcook/internal/audio/pcm"
	"github.com/assetcook/assetcook/internal/countdown"
	"github.com/assetcook/assetcook/internal/detmath"
	"pgregory.net/rapid"
)

// sine makes a mono clip of a tone whose phase is 0 at time 0.
func sine(rate, frames int, hz, amplitude float64) *pcm.Clip {
	c := &pcm.Clip{Rate: rate, Channels: 1, Samples: make([]float32, frames)}
	for i := range c.Samples {
		c.Samples[i] = float32(amplitude * detmath.SinPi(2*hz*float64(i)/float64(rate)))
	}
	return c
}

func convert(t testing.TB, c *pcm.Clip, rate int) *pcm.Clip {
	t.Helper()
	out, err := Clip(t.Context(), c, rate)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// level returns the power of x, in decibels relative to a full-scale sine.
func level(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v * v
	}
	return 10 * math.Log10(2*sum/float64(len(x)))
}

// length returns the number of input frames that last as long as 2000 frames at the lower rate.
func length(from, to int) int { return 2000 * from / min(from, to) }

// middle returns the samples of a clip after conversion, without both ends, where the filter
// extends beyond the clip. from is the rate before the conversion.
func middle(c *pcm.Clip, from int) []float64 {
	var x []float64
	margin := (int(math.Ceil(halfWidth)) + 10) * c.Rate / min(from, c.Rate)
	for i := margin; i < c.Frames()-margin; i++ {
		x = append(x, float64(c.Samples[i]))
	}
	return x
}

var ratios = []struct{ from, to int }{
	{44100, 48000}, {48000, 44100}, {44100, 22050}, {22050, 44100}, {44100, 8000}, {8000, 48000},
	{96000, 44100}, {11025, 48000}, {44100, 47999}, {48000, 16001}, {192000, 48000}, {32000, 44100},
}

// tones returns the sum of sines with the given frequencies and the same amplitude.
func tones(rate, frames int, amplitude float64, hz []float64) *pcm.Clip {
	sum := &pcm.Clip{Rate: rate, Channels: 1, Samples: make([]float32, frames)}
	for _, f := range hz {
		for i, v := range sine(rate, frames, f, amplitude).Samples {
			sum.Samples[i] += v
		}
	}
	return sum
}

// TestPassbandIsKept converts tones in the passband. It expects the tones that sine makes at the
// other rate, without delay, loss or distortion.
func TestPassbandIsKept(t *testing.T) {
	for _, r := range ratios {
		nyquist := float64(min(r.from, r.to)) / 2
		hz := []float64{0.01 * nyquist, 0.3 * nyquist, 0.6 * nyquist, 0.8 * nyquist}
		// A relative error of 0.001 dB is a difference of -78.8 dB.
		for limit, hz := range map[float64][]float64{-100: hz, -79: {0.905 * nyquist}} {
			got := convert(t, tones(r.from, length(r.from, r.to), 0.2, hz), r.to)
			a, b := middle(got, r.from), middle(tones(r.to, got.Frames(), 0.2, hz), r.from)
			signal := level(b)
			for i := range a {
				a[i] -= b[i]
			}
			if l := level(a) - signal; l > limit {
				t.Errorf("%d to %d: differs by %.1f dB, want %.0f", r.from, r.to, l, limit)
			}
		}
	}
}

// TestStopbandIsAttenuated expects tones that are too high for the lower rate to be attenuated by
// 100 dB.
func TestStopbandIsAttenuated(t *testing.T) {
	for _, r := range ratios {
		if r.to >= r.from {
			continue
		}
		nyquist := float64(r.to) / 2
		var hz []float64
		for step := range 12 {
			hz = append(hz, nyquist+float64(step)/12*(float64(r.from)/2-nyquist)*0.999)
		}
		in := tones(r.from, length(r.from, r.to), 0.08, hz)
		if l := level(middle(convert(t, in, r.to), r.from)) - level(middle(in, r.from)); l > -100 {
			t.Errorf("%d to %d: aliases of %.1f dB", r.from, r.to, l)
		}
	}
}

// TestImagesAreAttenuated expects images to be 100 dB below the tones after upsampling.
func TestImagesAreAttenuated(t *testing.T) {
	for _, r := range ratios {
		if r.to <= r.from {
			continue
		}
		var hz []float64
		for _, part := range []float64{0.03, 0.51, 0.83, 0.98} {
			hz = append(hz, part*float64(r.from)/2)
		}
		in := tones(r.from, length(r.from, r.to), 0.2, hz)
		x := middle(convert(t, in, r.to), r.from)
		for range 12 { // repeated rounds improve the fit, because the other tones are removed
			for _, f := range hz {
				removeTone(x, f/float64(r.to))
			}
		}
		if l := level(x) - level(middle(in, r.from)); l > -100 {
			t.Errorf("%d to %d: images of %.1f dB", r.from, r.to, l)
		}
	}
}

// removeTone fits a tone of the given cycles per sample, and subtracts it.
func removeTone(x []float64, cycles float64) {
	// These sums belong to the normal equations for a*sin + b*cos.
	var ss, sc, cc, xs, xc float64
	for i, v := range x {
		s, c := math.Sincos(2 * math.Pi * cycles * float64(i))
		ss, sc, cc = ss+s*s, sc+s*c, cc+c*c
		xs, xc = xs+v*s, xc+v*c
	}
	det := ss*cc - sc*sc
	a, b := (xs*cc-xc*sc)/det, (xc*ss-xs*sc)/det
	for i := range x {
		s, c := math.Sincos(2 * math.Pi * cycles * float64(i))
		x[i] -= a*s + b*c
	}
}

func TestConstantStaysConstant(t *testing.T) {
	for _, r := range ratios {
		c := &pcm.Clip{Rate: r.from, Channels: 1, Samples: make([]float32, length(r.from, r.to))}
		for i := range c.Samples {
			c.Samples[i] = 0.5
		}
		for _, v := range middle(convert(t, c, r.to), r.from) {
			if math.Abs(v-0.5) > 1e-7 {
				t.Errorf("%d to %d: %v", r.from, r.to, v)
				break
			}
		}
	}
}

func TestChannelsAreIndependent(t *testing.T) {
	const n = 3000
	c := &pcm.Clip{Rate: 44100, Channels: 3, Samples: make([]float32, 3*n)}
	for i := range n {
		c.Samples[3*i+1] = float32(i%7) / 7
	}
	mono := &pcm.Clip{Rate: 44100, Channels: 1, Samples: make([]float32, n)}
	for i := range n {
		mono.Samples[i] = float32(i%7) / 7
	}
	a, b := convert(t, c, 48000), convert(t, mono, 48000)
	if a.Frames() != b.Frames() {
		t.Fatalf("%d frames, want %d", a.Frames(), b.Frames())
	}
	for i := range b.Samples {
		if got := [3]float32(a.Samples[3*i:]); got != [3]float32{0, b.Samples[i], 0} {
			t.Fatalf("frame %d: %v, want %v between zeros", i, got, b.Samples[i])
		}
	}
}

func TestLengthAndLoops(t *testing.T) {
	for _, c := range []struct {
		frames   int64
		from, to int
		want     int64
	}{
		{0, 44100, 48000, 0},
		{1, 44100, 48000, 1},
		{1, 48000, 1000, 0},
		{24, 48000, 1000, 1}, // half a frame is rounded up
		{23, 48000, 1000, 0},
		{44100, 44100, 48000, 48000},
		{1 << 40, 1000, 384000, 384 << 40},
	} {
		if got := Frames(c.frames, c.from, c.to); got != c.want {
			t.Errorf("Frames(%d, %d, %d) = %d, want %d", c.frames, c.from, c.to, got, c.want)
		}
	}
	in := &pcm.Clip{Rate: 22050, Channels: 1, Samples: make([]float32, 1000),
		Loops: []pcm.Loop{{Start: 101, End: 1000, Count: 3, PingPong: true}}}
	out := convert(t, in, 11025)
	if want := (pcm.Loop{Start: 51, End: 500, Count: 3, PingPong: true}); out.Frames() != 500 || out.Loops[0] != want {
		t.Errorf("%d frames, loop %+v, want 500 and %+v", out.Frames(), out.Loops[0], want)
	}
	if in.Loops[0].Start != 101 {
		t.Error("the input's loops have changed")
	}
}

// TestShortClipsKeepAFrame expects every clip and every loop to keep at least one frame, unless it
// is empty.
func TestShortClipsKeepAFrame(t *testing.T) {
	for _, c := range []struct {
		frames   int
		in, want pcm.Loop
	}{
		{1, pcm.Loop{End: 1}, pcm.Loop{End: 1}},
		{2, pcm.Loop{Start: 1, End: 2}, pcm.Loop{End: 1}},
		{48000, pcm.Loop{Start: 1000, End: 1001, Count: 2}, pcm.Loop{Start: 167, End: 168, Count: 2}},
		{48000, pcm.Loop{Start: 47999, End: 48000}, pcm.Loop{Start: 7999, End: 8000}},
		{48000, pcm.Loop{Start: 5, End: 5}, pcm.Loop{Start: 1, End: 1}}, // an empty loop stays empty
	} {
		in := &pcm.Clip{Rate: 48000, Channels: 2, Samples: make([]float32, 2*c.frames), Loops: []pcm.Loop{c.in}}
		out := convert(t, in, 8000)
		if want := max(1, c.frames/6); out.Frames() != want || out.Loops[0] != c.want {
			t.Errorf("%d frames, loop %+v: became %d and %+v, want %d and %+v", c.frames, c.in, out.Frames(), out.Loops[0], want, c.want)
		}
	}
	if out := convert(t, &pcm.Clip{Rate: 48000, Channels: 2}, 8000); out.Frames() != 0 {
		t.Errorf("%d frames of an empty clip", out.Frames())
	}
}

func TestSameRateIsTheClipItself(t *testing.T) {
	c := sine(500, 10, 1, 1)
	if out := convert(t, c, 500); out != c {
		t.Error("another clip")
	}
}

func TestExtremeRatesAreRefused(t *testing.T) {
	for _, r := range [][2]int{{999, 48000}, {48000, 999}, {384001, 48000}, {48000, 384001}, {0, 48000}, {-1, 48000}} {
		if _, err := Clip(t.Context(), &pcm.Clip{Rate: r[0], Channels: 1}, r[1]); err == nil {
			t.Errorf("%d to %d: no error", r[0], r[1])
		}
	}
}

// The context is checked once for each row of the filter bank, and once for each block of a
// channel.
func TestResamplingStopsWithContext(t *testing.T) {
	in := sine(44100, 44100, 100, 1)
	const rows, blocks = 161, 24 // number of filter rows for 44100 to 48000 Hz; number of blocks of 2048 frames in one second
	for _, looks := range []int{0, 50, rows, rows + blocks - 1} {
		if _, err := Clip(countdown.New(t.Context(), looks), in, 48000); err != context.Canceled {
			t.Errorf("after %d checks: %v", looks, err)
		}
	}
	if _, err := Clip(countdown.New(t.Context(), rows+blocks), in, 48000); err != nil {
		t.Error(err)
	}
}

// TestLongFilterStopsWithContext uses a filter of 69000 taps. A block then has only 60 frames.
func TestLongFilterStopsWithContext(t *testing.T) {
	in := &pcm.Clip{Rate: MaxRate, Channels: 1, Samples: make([]float32, 100*384)}
	if _, err := Clip(countdown.New(t.Context(), 2+1), in, MinRate); err != context.Canceled {
		t.Error(err)
	}
	if _, err := Clip(countdown.New(t.Context(), 2+2), in, MinRate); err != nil {
		t.Error(err)
	}
}

// TestAnyRatio checks the length and the memory at random ratios and lengths, and that the
// amplitude does not grow.
func TestAnyRatio(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		// Rates that are multiples of 100 keep the filter banks small and the test fast.
		from := 100 * rapid.IntRange(10, 500).Draw(t, "from")
		to := 100 * rapid.IntRange(10, 500).Draw(t, "to")
		n := rapid.IntRange(0, 300).Draw(t, "frames")
		in := sine(from, n, float64(min(from, to))/8, 1)
		if n > 0 {
			start := rapid.IntRange(0, n-1).Draw(t, "start")
			in.Loops = []pcm.Loop{{Start: int64(start), End: int64(rapid.IntRange(start+1, n).Draw(t, "end"))}}
		}
		out, err := Clip(context.Background(), in, to)
		if err != nil {
			t.Fatal(err)
		}
		if want := max(Frames(int64(n), from, to), int64(min(n, 1))); int64(out.Frames()) != want {
			t.Fatalf("%d frames, want %d", out.Frames(), want)
		}
		for _, l := range out.Loops {
			if l.Start < 0 || l.Start >= l.End || l.End > int64(out.Frames()) {
				t.Fatalf("a loop from %d to %d in %d frames", l.Start, l.End, out.Frames())
			}
		}
		for _, v := range out.Samples {
			if !(v < 1.3 && v > -1.3) {
				t.Fatalf("a sample of %v", v)
			}
		}
	})
}

func TestMemory(t *testing.T) {
	for _, r := range ratios {
		in, out := lowestTerms(r.from, r.to)
		b, err := newBank(t.Context(), in, out)
		if err != nil {
			t.Fatal(err)
		}
		need := 8*int64(len(b.weights)) + 4*2*Frames(1000, r.from, r.to)
		if got := Memory(1000, 2, r.from, r.to); got < need || got > need+need/4+1<<20 {
			t.Errorf("%d to %d: Memory is %d, but %d are needed", r.from, r.to, got, need)
		}
	}
	if Memory(1000, 2, 48000, 48000) != 0 {
		t.Error("memory for nothing")
	}
}

// All processors must compute the same bits, with and without interpolation. The hashes were
// computed on amd64.
func TestGolden(t *testing.T) {
	for _, c := range []struct {
		from, to int
		want     uint64
	}{
		{44100, 48000, 0x8d99648c199fbf26},
		{44100, 16001, 0x6497a288432e6b8e},
	} {
		h := fnv.New64a()
		for _, v := range convert(t, sine(c.from, 5000, 1234.5, 0.7), c.to).Samples {
			b := math.Float32bits(v)
			h.Write([]byte{byte(b), byte(b >> 8), byte(b >> 16), byte(b >> 24)})
		}
		if got := h.Sum64(); got != c.want {
			t.Errorf("%d to %d: hash %#x, want %#x", c.from, c.to, got, c.want)
		}
	}
}

func BenchmarkClip(b *testing.B) {
	in := sine(44100, 44100, 440, 0.5)
	for b.Loop() {
		convert(b, in, 48000)
	}
}

func ExampleClip() {
	c := &pcm.Clip{Rate: 44100, Channels: 2, Samples: make([]float32, 2*44100)}
	out, err := Clip(context.Background(), c, 48000)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(out.Rate, out.Frames())
	// Output: 48000 48000
}
