package audio

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/cook/recipe/recipetest"
	"github.com/assetcook/assetcook/internal/audio/loudness"
	"github.com/assetcook/assetcook/internal/audio/ogg"
	"github.com/assetcook/assetcook/internal/audio/pcm"
	"github.com/assetcook/assetcook/internal/audio/qoa"
	"github.com/assetcook/assetcook/internal/audio/wav"
	"github.com/assetcook/assetcook/internal/countdown"
	"github.com/assetcook/assetcook/internal/detmath"
)

// chord makes a clip of 16-bit samples: two tones in each channel, at a tenth of full scale.
func chord(rate, channels, frames int) *pcm.Clip {
	c := &pcm.Clip{Rate: rate, Channels: channels}
	for i := range frames {
		for ch := range channels {
			t := float64(i) / float64(rate)
			v := 0.1*detmath.SinPi(2*440*float64(ch+1)*t) + 0.02*detmath.SinPi(2*1234*t)
			c.Samples = append(c.Samples, float32(math.Round(v*(1<<15))/(1<<15)))
		}
	}
	return c
}

// file makes a WAV file.
func file(t testing.TB, c *pcm.Clip, coding wav.Coding) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := wav.Encode(t.Context(), &b, c, wav.Options{Coding: coding}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// options returns the defaults, changed by set.
func options(set func(o *Audio)) *Audio {
	o := Recipe().New().(*Audio)
	if set != nil {
		set(o)
	}
	return o
}

// cook cooks a source and returns the artifact.
func cook(t testing.TB, o *Audio, data []byte) ([]byte, error) {
	t.Helper()
	r := recipetest.Cook(t, Recipe(), o, fstest.MapFS{"a/sound": {Data: data}}, "", "a/sound")
	return r.Outputs[0], r.Err
}

// cookWAV cooks a clip into a WAV file and reads that back.
func cookWAV(t testing.TB, o *Audio, c *pcm.Clip) (*pcm.Clip, wav.Info) {
	t.Helper()
	out, err := cook(t, o, file(t, c, wav.Float32))
	if err != nil {
		t.Fatal(err)
	}
	got, info, err := wav.Decode(t.Context(), out)
	if err != nil {
		t.Fatal(err)
	}
	return got, info
}

func snr(want, got *pcm.Clip) float64 {
	var signal, noise float64
	for i, w := range want.Samples {
		d := float64(w) - float64(got.Samples[i])
		signal, noise = signal+float64(w)*float64(w), noise+d*d
	}
	return 10 * math.Log10(signal/noise)
}

// Every coding of WAV can be read back: the rate, channels, length and loop are the same, and the
// sound is as exact as the coding allows.
func TestEveryCodingOfWAVIsReadBack(t *testing.T) {
	in := chord(44100, 2, 5000)
	in.Loops = []pcm.Loop{{Start: 100, End: 4000}}
	for _, c := range []struct {
		set    func(o *Audio)
		coding wav.Coding
		snr    float64
	}{
		{nil, wav.PCM16, math.Inf(1)},
		{func(o *Audio) { o.Bits = 24 }, wav.PCM24, math.Inf(1)},
		{func(o *Audio) { o.Format = "adpcm" }, wav.IMA, 30},
		{func(o *Audio) { o.Format = "pcm" }, wav.PCM16, math.Inf(1)},
		{func(o *Audio) { o.Format, o.Bits = "pcm", 8 }, wav.PCM8, 25},
		{func(o *Audio) { o.Format, o.Bits, o.Dither = "pcm", 8, true }, wav.PCM8, 20},
		{func(o *Audio) { o.Format, o.Bits = "pcm", 24 }, wav.PCM24, math.Inf(1)},
		{func(o *Audio) { o.Format, o.Bits = "pcm", 32 }, wav.PCM32, math.Inf(1)},
		{func(o *Audio) { o.Format = "float" }, wav.Float32, math.Inf(1)},
	} {
		got, info := cookWAV(t, options(c.set), in)
		if info.Coding != c.coding || got.Rate != 44100 || got.Channels != 2 || got.Frames() != 5000 {
			t.Errorf("%v: %+v, %d frames", c.coding, info, got.Frames())
			continue
		}
		if len(got.Loops) != 1 || got.Loops[0] != in.Loops[0] {
			t.Errorf("%v: loops %+v", c.coding, got.Loops)
		}
		if s := snr(in, got); s < c.snr {
			t.Errorf("%v: %.1f dB, want %.1f", c.coding, s, c.snr)
		}
	}
}

// By default a sound becomes PCM, which every player reads. Browsers refuse IMA ADPCM, so a
// rule has to ask for it.
func TestDefaultIsPCM(t *testing.T) {
	for channels := 1; channels <= 8; channels++ {
		in := chord(48000, channels, 2000)
		if got, info := cookWAV(t, options(nil), in); info.Coding != wav.PCM16 || got.Channels != channels || got.Frames() != 2000 {
			t.Errorf("%d channels: %+v", channels, info)
		}
	}
	asked := options(func(o *Audio) { o.Format = "adpcm" })
	if _, err := cook(t, asked, file(t, chord(48000, 6, 2000), wav.PCM16)); err == nil || !strings.Contains(err.Error(), "write PCM or mix down") {
		t.Error(err)
	}
}

// A sound of 8 bits does not double its size, and keeps every sample, unless a step changes the
// samples.
func TestEightBitsStay(t *testing.T) {
	data := file(t, chord(8000, 2, 2000), wav.PCM8)
	want, _, err := wav.Decode(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		set    func(o *Audio)
		coding wav.Coding
	}{
		{nil, wav.PCM8},
		{func(o *Audio) { o.Format = "pcm" }, wav.PCM16},
		{func(o *Audio) { o.Channels = "mono" }, wav.PCM16},
		{func(o *Audio) { o.Rate = 11025 }, wav.PCM16},
		{func(o *Audio) { o.Loudness = -20 }, wav.PCM16},
	} {
		out, err := cook(t, options(c.set), data)
		if err != nil {
			t.Fatal(err)
		}
		got, info, err := wav.Decode(t.Context(), out)
		if err != nil || info.Coding != c.coding {
			t.Errorf("%v, %v, want %v", info.Coding, err, c.coding)
		}
		if c.set == nil && (got.Channels != 2 || snr(want, got) != math.Inf(1) || len(out) > len(data)) {
			t.Errorf("%d bytes of %d, %.1f dB", len(out), len(data), snr(want, got))
		}
	}
}

func TestQOADecodesToNearlyTheSound(t *testing.T) {
	in := chord(44100, 2, 6000)
	out, err := cook(t, options(func(o *Audio) { o.Format = "qoa" }), file(t, in, wav.PCM16))
	if err != nil {
		t.Fatal(err)
	}
	got, err := qoa.Decode(t.Context(), out)
	if err != nil {
		t.Fatal(err)
	}
	if got.Rate != 44100 || got.Channels != 2 || got.Frames() != 6000 || snr(in, got) < 35 {
		t.Errorf("%d Hz, %d channels, %d frames, %.1f dB", got.Rate, got.Channels, got.Frames(), snr(in, got))
	}
}

// QOA cannot store loops.
func TestQOARefusesLoops(t *testing.T) {
	in := chord(8000, 1, 1000)
	in.Loops = []pcm.Loop{{Start: 10, End: 900}}
	data := file(t, in, wav.PCM16)
	_, err := cook(t, options(func(o *Audio) { o.Format = "qoa" }), data)
	if want := `the sound loops from frame 10 to 900, which QOA cannot tell: set loops = "drop" or another format`; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if _, err = cook(t, options(func(o *Audio) { o.Format, o.Loops = "qoa", "drop" }), data); err != nil {
		t.Error(err)
	}
}

// Ogg Opus keeps the number of frames, converted to 48 kHz: the position of the last page less
// the pre-skip of the header.
func TestOpusKeepsTheNumberOfFrames(t *testing.T) {
	in := chord(44100, 1, 4410)
	in.Loops = []pcm.Loop{{Start: 441, End: 4410}}
	out, err := cook(t, options(func(o *Audio) { o.Format, o.Bitrate = "opus", 24 }), file(t, in, wav.PCM16))
	if err != nil {
		t.Fatal(err)
	}
	r, err := ogg.NewReader(out, []byte("OpusHead"))
	if err != nil {
		t.Fatal(err)
	}
	extent, err := r.Measure()
	if err != nil {
		t.Fatal(err)
	}
	head, err := r.Next()
	if err != nil {
		t.Fatal(err)
	}
	skip := int64(head.Data[10]) | int64(head.Data[11])<<8
	rate := int(head.Data[12]) | int(head.Data[13])<<8 | int(head.Data[14])<<16
	if extent.Granule-skip != 4800 || rate != 44100 {
		t.Errorf("%d frames, source rate %d", extent.Granule-skip, rate)
	}
	tags, err := r.Next()
	if err != nil || !bytes.Contains(tags.Data, []byte("LOOPSTART=480")) || !bytes.Contains(tags.Data, []byte("LOOPLENGTH=4320")) {
		t.Errorf("tags %q, %v", tags.Data, err)
	}

	// An Opus source is copied without options, and refused otherwise.
	same, err := cook(t, options(func(o *Audio) { o.Format = "opus" }), out)
	if err != nil || !bytes.Equal(same, out) {
		t.Errorf("Opus to Opus: %v", err)
	}
	if n, err := options(func(o *Audio) { o.Format = "opus" }).estimateMemory(out, int64(len(out))); err != nil || n <= 0 {
		t.Errorf("estimate %d, %v", n, err)
	}
	if _, err := cook(t, options(func(o *Audio) { o.Format = "opus" }), out[:len(out)-1]); err == nil || !strings.Contains(err.Error(), "cut off") {
		t.Errorf("torn Opus: %v", err)
	}
	for _, set := range []func(o *Audio){
		nil,
		func(o *Audio) { o.Format, o.Channels = "opus", "stereo" },
		func(o *Audio) { o.Format, o.Loudness = "opus", -16 },
		func(o *Audio) { o.Format, o.Trim = "opus", -60 },
		func(o *Audio) { o.Format, o.Loops = "opus", "drop" },
		func(o *Audio) { o.Format, o.Bitrate = "opus", 32 },
	} {
		if _, err := cook(t, options(set), out); err == nil || !strings.Contains(err.Error(), "Ogg Opus") {
			t.Errorf("%v, want a refusal", err)
		}
	}
}

// Every kind of source can be read.
func TestEverySourceIsRead(t *testing.T) {
	for name, frames := range map[string]int{
		"../../internal/audio/flac/testdata/tri24.flac": 1500, "../../internal/audio/mp3/testdata/stereo.mp3": 9000, "../../internal/audio/vorbis/testdata/loop.ogg": 7000,
	} {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		out, err := cook(t, options(func(o *Audio) { o.Format = "pcm" }), data)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got, _, err := wav.Decode(t.Context(), out)
		if err != nil || got.Frames() != frames {
			t.Errorf("%s: %d frames, want %d, %v", name, got.Frames(), frames, err)
		}
		if strings.HasSuffix(name, "loop.ogg") && (len(got.Loops) != 1 || got.Loops[0] != pcm.Loop{Start: 1000, End: 6000}) {
			t.Errorf("%s: loops %+v", name, got.Loops)
		}
	}
}

func TestRateIsConverted(t *testing.T) {
	in := chord(44100, 1, 44100)
	in.Loops = []pcm.Loop{{Start: 441, End: 44100}}
	got, _ := cookWAV(t, options(func(o *Audio) { o.Format, o.Rate = "float", 22050 }), in)
	if got.Rate != 22050 || got.Frames() != 22050 || got.Loops[0] != (pcm.Loop{Start: 221, End: 22050}) {
		t.Errorf("%d Hz, %d frames, loop %+v", got.Rate, got.Frames(), got.Loops)
	}
	// The tones keep their positions.
	want := chord(22050, 1, 22050)
	for i := 200; i < 22050-200; i++ {
		if math.Abs(float64(got.Samples[i]-want.Samples[i])) > 5e-5 { // the input is rounded to 16 bits
			t.Errorf("frame %d: %v, want %v", i, got.Samples[i], want.Samples[i])
			break
		}
	}
}

func TestChannelsAreMixed(t *testing.T) {
	in := &pcm.Clip{Rate: 8000, Channels: 2, Samples: []float32{0.5, -0.25, 0.25, 0.25}}
	got, _ := cookWAV(t, options(func(o *Audio) { o.Format, o.Channels = "float", "mono" }), in)
	if fmt.Sprint(got.Channels, got.Samples) != "1 [0.125 0.25]" {
		t.Error(got.Channels, got.Samples)
	}
	got, _ = cookWAV(t, options(func(o *Audio) { o.Format, o.Channels = "float", "stereo" }), got)
	if fmt.Sprint(got.Channels, got.Samples) != "2 [0.125 0.125 0.25 0.25]" {
		t.Error(got.Channels, got.Samples)
	}
}

func TestSilenceIsCutOffExceptInLoops(t *testing.T) {
	for _, c := range []struct {
		name  string
		loop  []pcm.Loop
		in    []float32 // two channels
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
		got, _ := cookWAV(t, options(func(o *Audio) { o.Format, o.Trim = "float", -26 }), in)
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
	target := func(l, peak float64) *Audio {
		return options(func(o *Audio) { o.Format, o.Loudness, o.Peak = "float", l, peak })
	}
	in := chord(44100, 2, 44100)
	for _, l := range []float64{-16, -30} {
		got, _ := cookWAV(t, target(l, -1), in)
		if now, _ := measure(got); math.Abs(now-l) > 0.01 {
			t.Errorf("%.2f LUFS, want %.2f", now, l)
		}
	}
	// If the peak limits the gain, the peak is reached.
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

// If the rate is too low for measuring, the error comes before decoding: the samples of the first
// source are not numbers.
func TestLoudnessOfLowRatesIsRefused(t *testing.T) {
	const want = "2000 Hz is too low a rate to measure loudness; set rate"
	low := chord(2000, 1, 2000)
	low.Samples[0] = float32(math.NaN())
	data := file(t, low, wav.Float32)
	for _, format := range []string{"adpcm", "pcm", "float", "qoa"} {
		o := options(func(o *Audio) { o.Format, o.Loudness = format, -16 })
		if _, err := cook(t, o, data); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", format, err, want)
		}
		if n, err := o.estimateMemory(data, int64(len(data))); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: an estimate of %d, %v, want %s", format, n, err, want)
		}
	}
	low.Samples[0] = 0
	for _, set := range []func(o *Audio){
		func(o *Audio) { o.Loudness = 0 },
		func(o *Audio) { o.Rate = 8000 },
		func(o *Audio) { o.Format = "opus" },
	} {
		o := options(func(o *Audio) { o.Loudness = -20 })
		set(o)
		data := file(t, low, wav.PCM16)
		if _, err := o.estimateMemory(data, int64(len(data))); err != nil {
			t.Error(err)
		}
		if out, err := cook(t, o, data); err != nil || len(out) < 1000 {
			t.Errorf("%d bytes, %v", len(out), err)
		}
	}
	got, _ := cookWAV(t, options(func(o *Audio) { o.Format, o.Rate, o.Loudness = "float", 8000, -20 }), low)
	if l, err := loudness.Integrated(t.Context(), got); err != nil || math.Abs(l+20) > 0.01 {
		t.Errorf("%.2f LUFS, %v, want -20", l, err)
	}
}

// Invalid measurements give no gain.
func TestInvalidMeasurementsGiveNoGain(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	o := options(func(o *Audio) { o.Loudness, o.Peak = -16, -1 })
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

// The shortest sounds and loops remain at the lowest rates.
func TestShortestSoundsRemain(t *testing.T) {
	two := &pcm.Clip{Rate: 48000, Channels: 1, Samples: []float32{0.5, 0.25}}
	for _, format := range []string{"adpcm", "pcm", "float"} {
		got, _ := cookWAV(t, options(func(o *Audio) { o.Format, o.Rate = format, 8000 }), two)
		if got.Frames() != 1 {
			t.Errorf("%s: %d frames", format, got.Frames())
		}
	}
	out, err := cook(t, options(func(o *Audio) { o.Format, o.Rate = "qoa", 8000 }), file(t, two, wav.PCM16))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := qoa.Decode(t.Context(), out); err != nil || got.Frames() != 1 {
		t.Errorf("qoa: %+v, %v", got, err)
	}
	looped := chord(48000, 2, 48000)
	looped.Loops = []pcm.Loop{{Start: 1000, End: 1001}}
	got, _ := cookWAV(t, options(func(o *Audio) { o.Rate = 8000 }), looped)
	if fmt.Sprint(got.Loops) != "[{167 168 0 false}]" {
		t.Errorf("loops %v", got.Loops)
	}
}

// Channels for unusual speakers are refused.
func TestUnusualSpeakersAreRefused(t *testing.T) {
	data := file(t, chord(48000, 3, 1000), wav.PCM16)
	data[40] = 0x0b // left, right, low frequencies
	for _, channels := range []string{"keep", "mono", "stereo"} {
		o := options(func(o *Audio) { o.Format, o.Channels = "pcm", channels })
		if _, err := cook(t, o, data); err == nil || !strings.Contains(err.Error(), "speakers FL FR LFE") {
			t.Errorf("%s: %v", channels, err)
		}
	}
}

func TestWrongOptionIsNamed(t *testing.T) {
	recipetest.Check(t, Recipe(), map[string]any{
		"format": "qoa", "bits": int64(8), "dither": true, "rate": int64(22050), "channels": "mono", "loudness": -16.0,
		"peak": -2.0, "trim": -60.0, "loops": "drop", "bitrate": int64(64),
	})
	if err := options(nil).checkOptions(); err != nil {
		t.Errorf("the defaults: %v", err)
	}
	for _, c := range []struct {
		set  func(o *Audio)
		want string
	}{
		{func(o *Audio) { o.Format, o.Bits = "pcm", 12 }, "bits: want 8, 16, 24 or 32, have 12"},
		{func(o *Audio) { o.Format, o.Rate = "opus", 44100 }, `rate: want 0 or 48000 with format "opus", which has no other, have 44100`},
		{func(o *Audio) { o.Rate = 999 }, "rate: want 0 or at least 1000, have 999"},
		{func(o *Audio) { o.Bitrate = 64 }, `bitrate: want 0, unless format = "opus", have 64`},
		{func(o *Audio) { o.Format, o.Dither = "qoa", true }, `dither: want false, unless format = "auto" or "pcm" with 8 to 24 bits, have true`},
		{func(o *Audio) { o.Format, o.Bits = "adpcm", 24 }, `bits: want 16, unless format = "auto" or "pcm", have 24`},
		{func(o *Audio) { o.Format, o.Bits = "float", 32 }, `bits: want 16, unless format = "auto" or "pcm", have 32`},
		{func(o *Audio) { o.Peak = -2 }, "peak: want -1, unless loudness is set, have -2"},
		{func(o *Audio) { o.Peak = 0 }, "peak: want -1, unless loudness is set, have 0"},
		{func(o *Audio) { o.Rate, o.Loudness = 3999, -16 }, "rate: want 0 or at least 4000 with loudness, which cannot be measured of less, have 3999"},
		{func(o *Audio) { o.Format, o.Bits, o.Dither = "pcm", 32, true }, `dither: want false, unless format = "auto" or "pcm" with 8 to 24 bits, have true`},
	} {
		var wrong *recipe.OptionError
		if err := options(c.set).checkOptions(); !errors.As(err, &wrong) || wrong.Error() != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	for _, set := range []func(o *Audio){
		func(o *Audio) { o.Format, o.Rate, o.Bitrate = "opus", 48000, 96 },
		func(o *Audio) { o.Format, o.Bits, o.Dither = "pcm", 8, true },
		func(o *Audio) { o.Bits, o.Dither = 24, true },
		func(o *Audio) { o.Rate = 1000 },
		func(o *Audio) { o.Rate, o.Loudness, o.Peak = 4000, -16, -2 },
	} {
		if err := options(set).checkOptions(); err != nil {
			t.Error(err)
		}
	}
	for format, want := range map[string]string{
		"auto": "{stem}.wav", "adpcm": "{stem}.wav", "pcm": "{stem}.wav", "float": "{stem}.wav", "qoa": "{stem}.qoa", "opus": "{stem}.opus",
	} {
		if got := options(func(o *Audio) { o.Format = format }).Outputs(); len(got) != 1 || got[0] != want {
			t.Errorf("%s: %v", format, got)
		}
	}
}

// Sounds have the same bytes on all machines, except for encoders, which have their own tests.
// The hashes were made on amd64.
func TestSoundsHaveGoldenBytes(t *testing.T) {
	ogg, err := os.ReadFile("../../internal/audio/vorbis/testdata/stereo.ogg")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		set  func(o *Audio)
		want uint64
	}{
		{"all steps", func(o *Audio) { o.Rate, o.Channels, o.Loudness, o.Trim = 24000, "mono", -16, -50 }, 0x67f8323d55d5cc9b},
		{"an odd ratio", func(o *Audio) { o.Rate = 47999 }, 0x3c5f0726b9f3bd8},
		{"loudness", func(o *Audio) { o.Loudness = -20 }, 0x830617e646c6b13e},
	} {
		o := options(c.set)
		o.Format = "float"
		out, err := cook(t, o, ogg)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		h := fnv.New64a()
		h.Write(out)
		if got := h.Sum64(); got != c.want {
			t.Errorf("%s: hash %#x, want %#x", c.name, got, c.want)
		}
	}
}

// Cooking can be canceled at any point.
func TestCanceledCookEnds(t *testing.T) {
	data, err := os.ReadFile("../../internal/audio/vorbis/testdata/stereo.ogg")
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range []string{"auto", "adpcm", "pcm", "float", "qoa", "opus"} {
		o := options(func(o *Audio) {
			o.Format, o.Channels, o.Trim, o.Loudness = format, "mono", -50, -20
			if format != "opus" {
				o.Rate = 48000
			}
		})
		run := func(looks int) error {
			return recipetest.CookContext(countdown.New(t.Context(), looks), t, Recipe(), o,
				fstest.MapFS{"a": {Data: data}}, "", "a").Err
		}
		const most = 1 << 20
		count := countdown.New(t.Context(), most)
		if r := recipetest.CookContext(count, t, Recipe(), o, fstest.MapFS{"a": {Data: data}}, "", "a"); r.Err != nil {
			t.Fatal(r.Err)
		}
		looks := most - count.Left
		if looks < 100 {
			t.Errorf("%s: only %d looks", format, looks)
		}
		for _, n := range []int{0, 1, looks / 4, looks / 2, looks * 3 / 4, looks - 2, looks - 1} {
			if err := run(n); !errors.Is(err, context.Canceled) {
				t.Errorf("%s, after %d of %d looks: %v", format, n, looks, err)
			}
		}
	}
}

func TestBadInputIsRefused(t *testing.T) {
	good := file(t, chord(8000, 1, 1000), wav.PCM16)
	for _, c := range []struct {
		name string
		set  func(o *Audio)
		data []byte
		want string
	}{
		{"empty", nil, nil, "empty"},
		{"text", nil, []byte("not a sound"), "none of WAV"},
		{"half a FLAC", nil, []byte("fLaC\x00\x00\x00\x22"), "FLAC"},
		{"no sound", nil, file(t, &pcm.Clip{Rate: 8000, Channels: 1}, wav.PCM16), "no sound"},
		{"a rate that cannot be converted", func(o *Audio) { o.Rate = 8000 }, file(t, chord(500, 1, 1000), wav.PCM16), "500 Hz"},
		{"a format that is not known", func(o *Audio) { o.Format = "mp3" }, good, "not known"},
	} {
		if _, err := cook(t, options(c.set), c.data); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want an error with %q", c.name, err, c.want)
		}
	}
}
