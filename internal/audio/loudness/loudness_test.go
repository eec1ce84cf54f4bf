package loudness

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"testing"

	"github.com/assetcook/assetcook/internal/audio/pcm"
	"github.com/assetcook/assetcook/internal/countdown"
	"github.com/assetcook/assetcook/internal/detmath"
)

// A tone is part of a test signal of EBU Tech 3341: a sine of 1 kHz, with its own level on each
// channel.
type tone struct {
	seconds float64
	dBFS    []float64 // peak level per channel, or one for all; empty is silence
}

func signal(rate, channels int, tones ...tone) *pcm.Clip {
	c := &pcm.Clip{Rate: rate, Channels: channels}
	second := make([]float64, rate)
	for i := range second {
		second[i] = detmath.SinPi(2 * 1000 * float64(i) / float64(rate))
	}
	for _, part := range tones {
		gains := make([]float64, channels)
		for ch := range gains {
			if len(part.dBFS) > 0 {
				gains[ch] = detmath.Gain(part.dBFS[min(ch, len(part.dBFS)-1)])
			}
		}
		for i := range int(math.Round(part.seconds * float64(rate))) {
			for _, gain := range gains {
				c.Samples = append(c.Samples, float32(gain*second[i%rate]))
			}
		}
	}
	return c
}

func at(seconds float64, dBFS ...float64) tone { return tone{seconds, dBFS} }

func measure(t testing.TB, c *pcm.Clip) Result {
	t.Helper()
	r, err := Measure(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func within(t *testing.T, what string, got, want, below, above float64) {
	t.Helper()
	if !(got >= want-below && got <= want+above) {
		t.Errorf("%s: %.3f, want %.1f -%.1f +%.1f", what, got, want, below, above)
	}
}

func repeat(n int, parts ...tone) []tone {
	var all []tone
	for range n {
		all = append(all, parts...)
	}
	return all
}

// TestEBUTech3341 measures the synthetic signals of EBU Tech 3341 (2016), table 1, and expects the
// published results.
func TestEBUTech3341(t *testing.T) {
	for _, rate := range []int{48000, 44100, 32000} {
		for _, c := range []struct {
			number   int
			channels int
			tones    []tone
			want     float64
		}{
			{1, 2, []tone{at(20, -23)}, -23},
			{2, 2, []tone{at(20, -33)}, -33},
			{3, 2, []tone{at(10, -36), at(60, -23), at(10, -36)}, -23},
			{4, 2, []tone{at(10, -72), at(10, -36), at(60, -23), at(10, -36), at(10, -72)}, -23},
			{5, 2, []tone{at(20, -26), at(20.1, -20), at(20, -26)}, -23},
			{6, 5, []tone{at(20, -28, -28, -24, -30, -30)}, -23},
		} {
			if rate != 48000 && c.number != 1 {
				continue // other rates differ only in the weighting, so case 1 is enough
			}
			got := measure(t, signal(rate, c.channels, c.tones...))
			within(t, fmt.Sprintf("case %d at %d Hz: integrated", c.number, rate), got.Integrated, c.want, 0.1, 0.1)
		}
	}
	got := measure(t, signal(48000, 2, repeat(5, at(1.34, -20), at(1.66, -30))...))
	within(t, "case 9: short-term", got.MaxShortTerm, -23, 0.1, 0.1)
	got = measure(t, signal(48000, 2, repeat(25, at(0.18, -20), at(0.22, -30))...))
	within(t, "case 12: momentary", got.MaxMomentary, -23, 0.1, 0.1)
	for i := range 20 {
		if i%5 == 0 { // only every fifth segment of case 10
			got = measure(t, signal(48000, 2, at(0.15*float64(i)), at(3, -23), at(1)))
			within(t, fmt.Sprintf("case 10, segment %d: short-term", i), got.MaxShortTerm, -23, 0.1, 0.1)
		}
		if i%3 == 1 {
			got = measure(t, signal(48000, 2, at(0.02*float64(i)), at(0.4, -23), at(1)))
			within(t, fmt.Sprintf("case 13, segment %d: momentary", i), got.MaxMomentary, -23, 0.1, 0.1)
		}
	}
}

// TestTruePeakEBUTech3341 measures tones with peaks between the samples: EBU Tech 3341, table 1,
// cases 15 to 19. It expects the published true peaks within the published tolerance.
func TestTruePeakEBUTech3341(t *testing.T) {
	for _, c := range []struct {
		number    int
		divisor   float64 // the rate divided by the tone's frequency
		degrees   float64
		amplitude float64
		want      float64
	}{
		{15, 4, 0, 0.5, -6},
		{16, 4, 45, 0.5, -6},
		{17, 6, 60, 0.5, -6},
		{18, 8, 67.5, 0.5, -6},
		{19, 4, 45, 1.41, 3},
	} {
		s := &pcm.Clip{Rate: 48000, Channels: 2}
		for i := range 48000 {
			v := float32(c.amplitude * detmath.SinPi(2*float64(i)/c.divisor+c.degrees/180))
			s.Samples = append(s.Samples, v, v)
		}
		// A tone that starts at full level would ring. The standard's files fade in, so the tone
		// does too.
		for i := range 200 {
			fade := float32(i) / 200
			s.Samples[i] *= fade
			s.Samples[len(s.Samples)-1-i] *= fade
		}
		got, err := TruePeak(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		within(t, fmt.Sprintf("case %d", c.number), got, c.want, 0.4, 0.2)
	}
}

// TestWeightingOfTheStandard compares the coefficients at 48 kHz with ITU-R BS.1770-4, tables 1 and
// 2.
func TestWeightingOfTheStandard(t *testing.T) {
	shelf, high := weighting(48000)
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"shelf b0", shelf.b0, 1.53512485958697},
		{"shelf b1", shelf.b1, -2.69169618940638},
		{"shelf b2", shelf.b2, 1.19839281085285},
		{"shelf a1", shelf.a1, -1.69065929318241},
		{"shelf a2", shelf.a2, 0.73248077421585},
		{"high-pass a1", high.a1, -1.99004745483398},
		{"high-pass a2", high.a2, 0.99007225036621},
	} {
		if math.Abs(c.got-c.want) > 1e-11 {
			t.Errorf("%s = %.14f, want %.14f", c.name, c.got, c.want)
		}
	}
}

// TestTruePeakFilters checks that the interpolation filters pass a constant within 0.25 dB, and
// that reach is an upper bound for their gain.
func TestTruePeakFilters(t *testing.T) {
	for p, taps := range phases {
		sum, size := 0.0, 0.0
		for _, h := range taps {
			sum += h / 8192
			size += math.Abs(h) / 8192
		}
		if math.Abs(sum-1) > 0.028 || size > reach {
			t.Errorf("phase %d sums to %v, magnitudes to %v", p, sum, size)
		}
	}
}

func TestSkippingQuietPlacesKeepsTruePeak(t *testing.T) {
	state := uint32(1)
	for round := range 20 {
		c := &pcm.Clip{Rate: 44100, Channels: 1}
		for i := range 400 {
			state = state*1664525 + 1013904223
			v := float32(int32(state)) / (1 << 31)
			c.Samples = append(c.Samples, v*v*v*float32((i*round)%400)/400)
		}
		got, err := TruePeak(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		want := 0.0
		for i := -12; i < len(c.Samples)+12; i++ {
			for p := range phases {
				sum := 0.0
				for k, h := range phases[p] {
					if j := i - k; j >= 0 && j < len(c.Samples) {
						sum += h * float64(c.Samples[j]) / 8192
					}
				}
				want = max(want, math.Abs(sum))
			}
		}
		for _, v := range c.Samples {
			want = max(want, math.Abs(float64(v)))
		}
		if math.Abs(got-detmath.Decibels(want)) > 1e-9 && !(math.IsInf(got, -1) && want == 0) {
			t.Errorf("round %d: %v, want %v", round, got, detmath.Decibels(want))
		}
	}
}

func TestSilenceAndShortClips(t *testing.T) {
	inf := math.Inf(-1)
	for _, c := range []struct {
		name string
		clip *pcm.Clip
		want Result
	}{
		{"nothing", &pcm.Clip{Rate: 48000, Channels: 2}, Result{inf, inf, inf}},
		{"no channels", &pcm.Clip{Rate: 48000}, Result{inf, inf, inf}},
		{"silence", signal(48000, 1, at(2)), Result{inf, inf, inf}},
		{"below the gate", signal(48000, 1, at(2, -75)), Result{inf, -78, inf}},
		{"short silence", signal(48000, 1, at(0.1)), Result{inf, inf, inf}},
	} {
		got := measure(t, c.clip)
		if got.Integrated != c.want.Integrated || math.Abs(got.MaxMomentary-c.want.MaxMomentary) > 0.1 || got.MaxShortTerm != c.want.MaxShortTerm {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	// A short sound is as loud as a long one.
	for _, seconds := range []float64{0.1, 0.2, 0.395, 0.4, 5} {
		got := measure(t, signal(44100, 2, at(seconds, -20)))
		within(t, fmt.Sprint(seconds, " s"), got.Integrated, -20, 0.1, 0.1)
	}
	if p, err := TruePeak(t.Context(), signal(48000, 1, at(0.1))); p != inf || err != nil {
		t.Errorf("silence peaks at %v, %v", p, err)
	}
	// A mono clip counts as one loudspeaker.
	within(t, "mono", measure(t, signal(48000, 1, at(2, -20))).Integrated, -23, 0.1, 0.1)
	// The low-frequency channel is not measured.
	within(t, "LFE", measure(t, signal(48000, 6, at(2, -20, -20, -300, 0, -300, -300))).Integrated, -20, 0.1, 0.1)
}

// looksOf returns how often the function work checks its context. It also cancels the context at
// some of these checks, and expects the function to stop.
func looksOf(t *testing.T, work func(ctx context.Context) error) int {
	t.Helper()
	const most = 1 << 20
	count := countdown.New(t.Context(), most)
	if err := work(count); err != nil {
		t.Fatal(err)
	}
	n := most - count.Left
	for _, at := range []int{0, n / 3, n * 9 / 10, n - 1} {
		if err := work(countdown.New(t.Context(), at)); err != context.Canceled {
			t.Errorf("after %d of %d checks: %v", at, n, err)
		}
	}
	return n
}

func TestMeasuringStopsWithContext(t *testing.T) {
	c := signal(MinRate, 2, at(60, -20))
	const frames, slices = 60 * MinRate, 60 * slicesPerSecond
	integrated := looksOf(t, func(ctx context.Context) error { _, err := Integrated(ctx, c); return err })
	if samples := 2 * frames / looks; integrated < samples {
		t.Errorf("Integrated checks the context %d times, want %d", integrated, samples)
	}
	all := looksOf(t, func(ctx context.Context) error { _, err := Measure(ctx, c); return err })
	if windows := slices * (momentary + shortTerm) / looks; all-integrated < windows*9/10 {
		t.Errorf("the windows check the context %d times, want %d", all-integrated, windows)
	}
	// The gates are tested with the power of half an hour of sound, without its samples.
	power := make([]float64, 1800*slicesPerSecond)
	for i := range power {
		power[i] = 1
	}
	gates := looksOf(t, func(ctx context.Context) error {
		_, err := (&meter{watch: watch{ctx: ctx}, slices: power, perSlice: 1}).integrated()
		return err
	})
	if want := len(power) / hop * (momentary + 2*logarithm) / looks; gates < want {
		t.Errorf("the gates check the context %d times, want %d", gates, want)
	}
	// TruePeak checks the context once in the search for the largest sample. It checks once more
	// for each channel in the search for the peak between samples.
	for seconds, want := range map[float64]int{5: 8 + 2*4, 0.5: 1 + 2} {
		c := signal(48000, 2, at(seconds, -20))
		if n := looksOf(t, func(ctx context.Context) error { _, err := TruePeak(ctx, c); return err }); n != want {
			t.Errorf("%v s: TruePeak checks the context %d times, want %d", seconds, n, want)
		}
	}
}

// TestLowRatesAreRefused expects an error for rates that cannot represent the corner frequency of
// the weighting.
func TestLowRatesAreRefused(t *testing.T) {
	for _, rate := range []int{-1, 0, 1, 999, 3363, 3365, MinRate - 1} {
		c := &pcm.Clip{Rate: rate, Channels: 1, Samples: make([]float32, 100)}
		want := fmt.Sprintf("a sample rate of %d Hz is too low to measure loudness; set rate to 4000 or more, or loudness to 0", rate)
		if _, err := Measure(t.Context(), c); err == nil || err.Error() != want {
			t.Errorf("Measure: %v, want %s", err, want)
		}
		if _, err := Integrated(t.Context(), c); err == nil || err.Error() != want {
			t.Errorf("Integrated: %v, want %s", err, want)
		}
	}
	for _, rate := range []int{MinRate, MinRate + 1, 5000, 8000} {
		within(t, fmt.Sprint(rate, " Hz"), measure(t, signal(rate, 2, at(5, -20))).Integrated, -20, 0.2, 0.2)
	}
}

// TestIntegratedAgreesWithMeasure also checks the estimate of Memory.
func TestIntegratedAgreesWithMeasure(t *testing.T) {
	for _, seconds := range []float64{0, 0.1, 0.4, 3.7} {
		c := signal(44100, 2, at(seconds, -20), at(seconds, -27))
		got, err := Integrated(t.Context(), c)
		if want := measure(t, c).Integrated; got != want || err != nil {
			t.Errorf("%v s: %v, %v, want %v", seconds, got, err, want)
		}
	}
	c := signal(MinRate, 1, at(100, -20))
	slices := int64(100 * slicesPerSecond)
	if got := Memory(int64(c.Frames()), c.Rate); got < 8*slices+8*slices/hop || got > 9*slices {
		t.Errorf("Memory is %d for %d slices", got, slices)
	}
}

// All processors must compute the same bits. The hash was computed on amd64.
func TestGolden(t *testing.T) {
	h := fnv.New64a()
	for _, rate := range []int{8000, 22050, 44100, 48000, 96000} {
		c := signal(rate, 2, at(1, -20, -7), at(1, -33, -40), at(2, -18))
		r := measure(t, c)
		p, err := TruePeak(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range []float64{r.Integrated, r.MaxMomentary, r.MaxShortTerm, p} {
			fmt.Fprintf(h, "%x\n", math.Float64bits(x))
		}
	}
	const want = 0x261b8caec32de865
	if got := h.Sum64(); got != want {
		t.Errorf("hash %#x, want %#x", got, uint64(want))
	}
}

func ExampleMeasure() {
	c := &pcm.Clip{Rate: 48000, Channels: 2}
	for i := range 48000 {
		v := float32(0.1 * detmath.SinPi(2*997*float64(i)/48000))
		c.Samples = append(c.Samples, v, v)
	}
	r, err := Measure(context.Background(), c)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.1f LUFS\n", r.Integrated)
	// Output: -20.0 LUFS
}
