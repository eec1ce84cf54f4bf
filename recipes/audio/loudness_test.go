package audio

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/assetcook/assetcook/internal/audio/loudness"
	"github.com/assetcook/assetcook/internal/audio/pcm"
	"github.com/assetcook/assetcook/internal/audio/qoa"
	"github.com/assetcook/assetcook/internal/audio/wav"
)

func TestSilenceIsCutOffExceptInLoops(t *testing.T) {
	for _, c := range []struct {
		name  string
		loop  []pcm.Loop
		in    []float32
		want  []float32
		loops string
	}{
		{"both ends", nil, []float32{0, 0, 0.01, 0, 0, 0.5, 0, 0, -0.5, 0, 0, 0.009}, []float32{0, 0.5, 0, 0, -0.5, 0}, "[]"},
		{"nothing to cut", nil, []float32{0.5, 0, 0, 0.5}, []float32{0.5, 0, 0, 0.5}, "[]"},
		{"silence stays", nil, []float32{0, 0, 0.01, 0}, []float32{0, 0, 0.01, 0}, "[]"},
		{"a loop moves", []pcm.Loop{{Start: 2, End: 3}}, []float32{0, 0, 0, 0, 0.5, 0, 0, 0.5, 0, 0}, []float32{0.5, 0, 0, 0.5}, "[{0 1 0 false}]"},
		{"a loop is not cut", []pcm.Loop{{Start: 1, End: 5}}, []float32{0, 0, 0, 0, 0.5, 0, 0, 0.5, 0, 0}, []float32{0, 0, 0.5, 0, 0, 0.5, 0, 0}, "[{0 4 0 false}]"},
	} {
		in := &pcm.Clip{Rate: 8000, Channels: 2, Samples: c.in, Loops: c.loop}
		got, _ := cookWAV(t, options(func(o *audioOptions) { o.Format, o.Trim = "float", -26 }), in)
		if fmt.Sprint(got.Samples) != fmt.Sprint(c.want) || fmt.Sprint(got.Loops) != c.loops {
			t.Errorf("%s: %v, loops %v", c.name, got.Samples, got.Loops)
		}
	}
}

func TestLoudnessIsReachedWithinThePeak(t *testing.T) {
	measure := func(c *pcm.Clip) (float64, float64) {
		r, err := loudness.Measure(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		p, err := loudness.TruePeak(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		return r.Integrated, p
	}
	target := func(l, peak float64) *audioOptions {
		return options(func(o *audioOptions) { o.Format, o.Loudness, o.Peak = "float", l, peak })
	}
	in := chord(44100, 2, 44100)
	for _, l := range []float64{-16, -30} {
		got, _ := cookWAV(t, target(l, -1), in)
		if now, _ := measure(got); math.Abs(now-l) > 0.01 {
			t.Errorf("%.2f LUFS, want %.2f", now, l)
		}
	}
	// If the peak limits the gain, the output must reach the peak.
	in.Samples[40000] = 0.9
	got, _ := cookWAV(t, target(-16, -3), in)
	if now, peak := measure(got); now > -17 || math.Abs(peak+3) > 0.01 {
		t.Errorf("%.2f LUFS, peak %.2f dBTP, want a peak of -3", now, peak)
	}
	silent := &pcm.Clip{Rate: 8000, Channels: 1, Samples: make([]float32, 8000)}
	if got, _ := cookWAV(t, target(-16, -1), silent); magnitude(got.Samples) != 0 {
		t.Error("silence is not silent any more")
	}
}

// The source has a rate too low for measuring, and a NaN, which decoding would refuse. The error
// must be about the rate, because the rate is checked first.
func TestLoudnessOfLowRatesIsRefused(t *testing.T) {
	const want = "a sample rate of 2000 Hz is too low to measure loudness; set rate"
	low := chord(2000, 1, 2000)
	low.Samples[0] = float32(math.NaN())
	data := file(t, low, wav.Float32)
	for _, format := range []string{"adpcm", "pcm", "float", "qoa"} {
		o := options(func(o *audioOptions) { o.Format, o.Loudness = format, -16 })
		if _, err := cook(t, o, data); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", format, err, want)
		}
		if n, err := o.estimateMemory(data, int64(len(data))); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: an estimate of %d, %v, want %s", format, n, err, want)
		}
	}
	low.Samples[0] = 0
	for _, set := range []func(o *audioOptions){
		func(o *audioOptions) { o.Loudness = 0 },
		func(o *audioOptions) { o.Rate = 8000 },
		func(o *audioOptions) { o.Format = "opus" },
	} {
		o := options(func(o *audioOptions) { o.Loudness = -20 })
		set(o)
		data := file(t, low, wav.PCM16)
		if _, err := o.estimateMemory(data, int64(len(data))); err != nil {
			t.Error(err)
		}
		if out, err := cook(t, o, data); err != nil || len(out) < 1000 {
			t.Errorf("%d bytes, %v", len(out), err)
		}
	}
	got, _ := cookWAV(t, options(func(o *audioOptions) { o.Format, o.Rate, o.Loudness = "float", 8000, -20 }), low)
	if l, err := loudness.Integrated(t.Context(), got); err != nil || math.Abs(l+20) > 0.01 {
		t.Errorf("%.2f LUFS, %v, want -20", l, err)
	}
}

func TestInvalidMeasurementsGiveNoGain(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	o := options(func(o *audioOptions) { o.Loudness, o.Peak = -16, -1 })
	for _, c := range []struct {
		integrated, peak float64
		gain             float64
		limited, refused bool
	}{
		{-20, -10, 4, false, false},
		{-20, -3, 2, true, false},
		{-10, 3, -6, false, false},
		{-inf, -20, 0, false, false},
		{-20, -inf, 0, false, false},
		{inf, -10, 0, false, true},
		{-20, inf, 0, false, true},
		{nan, -10, 0, false, true},
		{-20, nan, 0, false, true},
	} {
		gain, limited, err := o.gain(c.integrated, c.peak)
		if gain != c.gain || limited != c.limited || (err != nil) != c.refused {
			t.Errorf("%v LUFS, %v dBTP: %v, %v, %v", c.integrated, c.peak, gain, limited, err)
		}
	}
}

// The shortest sounds and loops must not vanish at the lowest rates.
func TestShortestSoundsRemain(t *testing.T) {
	two := &pcm.Clip{Rate: 48000, Channels: 1, Samples: []float32{0.5, 0.25}}
	for _, format := range []string{"adpcm", "pcm", "float"} {
		got, _ := cookWAV(t, options(func(o *audioOptions) { o.Format, o.Rate = format, 8000 }), two)
		if got.Frames() != 1 {
			t.Errorf("%s: %d frames", format, got.Frames())
		}
	}
	out, err := cook(t, options(func(o *audioOptions) { o.Format, o.Rate = "qoa", 8000 }), file(t, two, wav.PCM16))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := qoa.Decode(t.Context(), out); err != nil || got.Frames() != 1 {
		t.Errorf("qoa: %+v, %v", got, err)
	}
	looped := chord(48000, 2, 48000)
	looped.Loops = []pcm.Loop{{Start: 1000, End: 1001}}
	got, _ := cookWAV(t, options(func(o *audioOptions) { o.Rate = 8000 }), looped)
	if fmt.Sprint(got.Loops) != "[{167 168 0 false}]" {
		t.Errorf("loops %v", got.Loops)
	}
}
