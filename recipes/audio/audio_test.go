package audio

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/cook/recipe/recipetest"
	"github.com/assetcook/assetcook/internal/audio/ogg"
	"github.com/assetcook/assetcook/internal/audio/pcm"
	"github.com/assetcook/assetcook/internal/audio/qoa"
	"github.com/assetcook/assetcook/internal/audio/wav"
	"github.com/assetcook/assetcook/internal/countdown"
	"github.com/assetcook/assetcook/internal/detmath"
	"github.com/assetcook/assetcook/internal/jobs"
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
func options(set func(o *audioOptions)) *audioOptions {
	o := Recipe().New().(*audioOptions)
	if set != nil {
		set(o)
	}
	return o
}

func withoutLoss(o *audioOptions) { o.Lossy = false }

// cook cooks a source and returns the artifact.
func cook(t testing.TB, o *audioOptions, data []byte) ([]byte, error) {
	t.Helper()
	r := recipetest.Cook(t, Recipe(), o, fstest.MapFS{"a/sound": {Data: data}}, "", "a/sound")
	return r.Outputs[0], r.Err
}

// cookWAV cooks a clip into a WAV file and reads that file.
func cookWAV(t testing.TB, o *audioOptions, c *pcm.Clip) (*pcm.Clip, wav.Info) {
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

// For every WAV coding, the test reads the output. The rate, channels, length and loop must be
// unchanged, and the samples as exact as the coding allows.
func TestEveryCodingOfWAVIsReadBack(t *testing.T) {
	in := chord(44100, 2, 5000)
	in.Loops = []pcm.Loop{{Start: 100, End: 4000}}
	for _, c := range []struct {
		set    func(o *audioOptions)
		coding wav.Coding
		snr    float64
	}{
		{nil, wav.PCM16, math.Inf(1)},
		{func(o *audioOptions) { o.Bits = 24 }, wav.PCM24, math.Inf(1)},
		{func(o *audioOptions) { o.Format = "adpcm" }, wav.IMA, 30},
		{func(o *audioOptions) { o.Format = "pcm" }, wav.PCM16, math.Inf(1)},
		{func(o *audioOptions) { o.Format, o.Bits = "pcm", 8 }, wav.PCM8, 25},
		{func(o *audioOptions) { o.Format, o.Bits, o.Dither = "pcm", 8, true }, wav.PCM8, 20},
		{func(o *audioOptions) { o.Format, o.Bits = "pcm", 24 }, wav.PCM24, math.Inf(1)},
		{func(o *audioOptions) { o.Format, o.Bits = "pcm", 32 }, wav.PCM32, math.Inf(1)},
		{func(o *audioOptions) { o.Format = "float" }, wav.Float32, math.Inf(1)},
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

// Without the option lossy, a sound must become PCM, which every player reads. Browsers refuse IMA
// ADPCM.
func TestSoundsWithoutLossArePCM(t *testing.T) {
	for channels := 1; channels <= 8; channels++ {
		in := chord(48000, channels, 2000)
		if got, info := cookWAV(t, options(withoutLoss), in); info.Coding != wav.PCM16 || got.Channels != channels || got.Frames() != 2000 {
			t.Errorf("%d channels: %+v", channels, info)
		}
	}
	asked := options(func(o *audioOptions) { o.Format = "adpcm" })
	if _, err := cook(t, asked, file(t, chord(48000, 6, 2000), wav.PCM16)); err == nil || !strings.Contains(err.Error(), "write PCM or mix down") {
		t.Error(err)
	}
}

// An 8-bit sound must not double its size. It must keep every sample, unless a step changes the
// samples.
func TestEightBitsStay(t *testing.T) {
	data := file(t, chord(8000, 2, 2000), wav.PCM8)
	want, _, err := wav.Decode(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		set    func(o *audioOptions)
		coding wav.Coding
	}{
		{nil, wav.PCM8},
		{func(o *audioOptions) { o.Format = "pcm" }, wav.PCM16},
		{func(o *audioOptions) { o.Channels = "mono" }, wav.PCM16},
		{func(o *audioOptions) { o.Rate = 11025 }, wav.PCM16},
		{func(o *audioOptions) { o.Loudness = -20 }, wav.PCM16},
	} {
		o := options(c.set)
		o.Lossy = false
		out, err := cook(t, o, data)
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
	out, err := cook(t, options(func(o *audioOptions) { o.Format = "qoa" }), file(t, in, wav.PCM16))
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

func TestQOARefusesLoops(t *testing.T) {
	in := chord(8000, 1, 1000)
	in.Loops = []pcm.Loop{{Start: 10, End: 900}}
	data := file(t, in, wav.PCM16)
	_, err := cook(t, options(func(o *audioOptions) { o.Format = "qoa" }), data)
	if want := `the sound loops from frame 10 to 900, and QOA cannot store loops; set loops = "drop" or another format`; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if _, err = cook(t, options(func(o *audioOptions) { o.Format, o.Loops = "qoa", "drop" }), data); err != nil {
		t.Error(err)
	}
}

// Ogg Opus must keep the number of frames, converted to 48 kHz. That number is the position of the
// last page minus the pre-skip of the header.
func TestOpusKeepsTheNumberOfFrames(t *testing.T) {
	in := chord(44100, 1, 4410)
	in.Loops = []pcm.Loop{{Start: 441, End: 4410}}
	out, err := cook(t, options(func(o *audioOptions) { o.Format, o.Bitrate = "opus", 24 }), file(t, in, wav.PCM16))
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

	// An Opus source must be copied if no option changes the sound, and refused otherwise.
	same, err := cook(t, options(func(o *audioOptions) { o.Format = "opus" }), out)
	if err != nil || !bytes.Equal(same, out) {
		t.Errorf("Opus to Opus: %v", err)
	}
	if n, err := options(func(o *audioOptions) { o.Format = "opus" }).estimateMemory(out, int64(len(out))); err != nil || n <= 0 {
		t.Errorf("estimate %d, %v", n, err)
	}
	if _, err := cook(t, options(func(o *audioOptions) { o.Format = "opus" }), out[:len(out)-1]); err == nil || !strings.Contains(err.Error(), "cut off") {
		t.Errorf("torn Opus: %v", err)
	}
	for _, set := range []func(o *audioOptions){
		nil,
		func(o *audioOptions) { o.Format, o.Channels = "opus", "stereo" },
		func(o *audioOptions) { o.Format, o.Loudness = "opus", -16 },
		func(o *audioOptions) { o.Format, o.Trim = "opus", -60 },
		func(o *audioOptions) { o.Format, o.Loops = "opus", "drop" },
		func(o *audioOptions) { o.Format, o.Bitrate = "opus", 32 },
	} {
		if _, err := cook(t, options(set), out); err == nil || !strings.Contains(err.Error(), "Ogg Opus") {
			t.Errorf("%v, want a refusal", err)
		}
	}
}

func TestEverySourceIsRead(t *testing.T) {
	for name, frames := range map[string]int{
		"../../internal/audio/flac/testdata/tri24.flac": 1500, "../../internal/audio/mp3/testdata/stereo.mp3": 9000, "../../internal/audio/vorbis/testdata/loop.ogg": 7000,
	} {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		out, err := cook(t, options(func(o *audioOptions) { o.Format = "pcm" }), data)
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
	got, _ := cookWAV(t, options(func(o *audioOptions) { o.Format, o.Rate = "float", 22050 }), in)
	if got.Rate != 22050 || got.Frames() != 22050 || got.Loops[0] != (pcm.Loop{Start: 221, End: 22050}) {
		t.Errorf("%d Hz, %d frames, loop %+v", got.Rate, got.Frames(), got.Loops)
	}
	// The tones must not move in time.
	want := chord(22050, 1, 22050)
	for i := 200; i < 22050-200; i++ {
		if math.Abs(float64(got.Samples[i]-want.Samples[i])) > 5e-5 { // the input is rounded to 16 bits, hence the tolerance
			t.Errorf("frame %d: %v, want %v", i, got.Samples[i], want.Samples[i])
			break
		}
	}
}

func TestChannelsAreMixed(t *testing.T) {
	in := &pcm.Clip{Rate: 8000, Channels: 2, Samples: []float32{0.5, -0.25, 0.25, 0.25}}
	got, _ := cookWAV(t, options(func(o *audioOptions) { o.Format, o.Channels = "float", "mono" }), in)
	if fmt.Sprint(got.Channels, got.Samples) != "1 [0.125 0.25]" {
		t.Error(got.Channels, got.Samples)
	}
	got, _ = cookWAV(t, options(func(o *audioOptions) { o.Format, o.Channels = "float", "stereo" }), got)
	if fmt.Sprint(got.Channels, got.Samples) != "2 [0.125 0.125 0.25 0.25]" {
		t.Error(got.Channels, got.Samples)
	}
}

func TestUnusualSpeakersAreRefused(t *testing.T) {
	data := file(t, chord(48000, 3, 1000), wav.PCM16)
	data[40] = 0x0b // speakers left, right, and low frequencies
	for _, channels := range []string{"keep", "mono", "stereo"} {
		o := options(func(o *audioOptions) { o.Format, o.Channels = "pcm", channels })
		if _, err := cook(t, o, data); err == nil || !strings.Contains(err.Error(), "speakers FL FR LFE") {
			t.Errorf("%s: %v", channels, err)
		}
	}
}

func TestWrongOptionIsNamed(t *testing.T) {
	recipetest.Check(t, Recipe(), map[string]any{
		"format": "qoa", "lossy": false, "bits": int64(8), "dither": true, "rate": int64(22050), "channels": "mono", "loudness": -16.0,
		"peak": -2.0, "trim": -60.0, "loops": "drop", "bitrate": int64(64),
	})
	if err := options(nil).checkOptions(); err != nil {
		t.Errorf("the defaults: %v", err)
	}
	for _, c := range []struct {
		set  func(o *audioOptions)
		want string
	}{
		{func(o *audioOptions) { o.Format, o.Bits = "pcm", 12 }, "bits: want 8, 16, 24 or 32, have 12"},
		{func(o *audioOptions) { o.Format, o.Rate = "opus", 44100 }, `rate: want 0 or 48000, the only rate of format "opus", have 44100`},
		{func(o *audioOptions) { o.Rate = 999 }, "rate: want 0 or at least 1000, have 999"},
		{func(o *audioOptions) { o.Bitrate = 64 }, `bitrate: want 0, unless format = "opus", have 64`},
		{func(o *audioOptions) { o.Format, o.Dither = "qoa", true }, `dither: want false, unless format = "auto" or "pcm" with 8 to 24 bits, have true`},
		{func(o *audioOptions) { o.Format, o.Bits = "adpcm", 24 }, `bits: want 16, unless format = "auto" or "pcm", have 24`},
		{func(o *audioOptions) { o.Format, o.Bits = "float", 32 }, `bits: want 16, unless format = "auto" or "pcm", have 32`},
		{func(o *audioOptions) { o.Peak = -2 }, "peak: want -1, unless loudness is set, have -2"},
		{func(o *audioOptions) { o.Peak = 0 }, "peak: want -1, unless loudness is set, have 0"},
		{func(o *audioOptions) { o.Rate, o.Loudness = 3999, -16 }, "rate: want 0 or at least 4000 with loudness, which cannot be measured at lower rates, have 3999"},
		{func(o *audioOptions) { o.Format, o.Bits, o.Dither = "pcm", 32, true }, `dither: want false, unless format = "auto" or "pcm" with 8 to 24 bits, have true`},
	} {
		var wrong *recipe.OptionError
		if err := options(c.set).checkOptions(); !errors.As(err, &wrong) || wrong.Error() != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	for _, set := range []func(o *audioOptions){
		func(o *audioOptions) { o.Format, o.Rate, o.Bitrate = "opus", 48000, 96 },
		func(o *audioOptions) { o.Format, o.Bits, o.Dither = "pcm", 8, true },
		func(o *audioOptions) { o.Bits, o.Dither = 24, true },
		func(o *audioOptions) { o.Rate = 1000 },
		func(o *audioOptions) { o.Rate, o.Loudness, o.Peak = 4000, -16, -2 },
	} {
		if err := options(set).checkOptions(); err != nil {
			t.Error(err)
		}
	}
	for format, want := range map[string]string{
		"auto": "{stem}.wav", "adpcm": "{stem}.wav", "pcm": "{stem}.wav", "float": "{stem}.wav", "qoa": "{stem}.qoa", "opus": "{stem}.opus",
	} {
		if got := options(func(o *audioOptions) { o.Format = format }).Outputs(); len(got) != 1 || got[0] != want {
			t.Errorf("%s: %v", format, got)
		}
	}
}

// The bytes of a sound must be the same on all machines. The hashes were made on amd64. The
// encoders have their own tests.
func TestSoundsHaveGoldenBytes(t *testing.T) {
	ogg, err := os.ReadFile("../../internal/audio/vorbis/testdata/stereo.ogg")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		set  func(o *audioOptions)
		want uint64
	}{
		{"all steps", func(o *audioOptions) { o.Rate, o.Channels, o.Loudness, o.Trim = 24000, "mono", -16, -50 }, 0x67f8323d55d5cc9b},
		{"an odd ratio", func(o *audioOptions) { o.Rate = 47999 }, 0x3c5f0726b9f3bd8},
		{"loudness", func(o *audioOptions) { o.Loudness = -20 }, 0x830617e646c6b13e},
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

func TestCanceledCookEnds(t *testing.T) {
	data, err := os.ReadFile("../../internal/audio/vorbis/testdata/stereo.ogg")
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range []string{"auto", "adpcm", "pcm", "float", "qoa", "opus"} {
		o := options(func(o *audioOptions) {
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
				t.Errorf("%s, canceled after %d of %d checks of the context: %v", format, n, looks, err)
			}
		}
	}
}

func TestBadInputIsRefused(t *testing.T) {
	good := file(t, chord(8000, 1, 1000), wav.PCM16)
	for _, c := range []struct {
		name string
		set  func(o *audioOptions)
		data []byte
		want string
	}{
		{"empty", nil, nil, "empty"},
		{"text", nil, []byte("not a sound"), "not WAV"},
		{"half a FLAC", nil, []byte("fLaC\x00\x00\x00\x22"), "FLAC"},
		{"no sound", nil, file(t, &pcm.Clip{Rate: 8000, Channels: 1}, wav.PCM16), "no sound"},
		{"a rate that cannot be converted", func(o *audioOptions) { o.Rate = 8000 }, file(t, chord(500, 1, 1000), wav.PCM16), "500 Hz"},
		{"a format that is not known", func(o *audioOptions) { o.Format = "mp3" }, good, "is unknown"},
	} {
		if _, err := cook(t, options(c.set), c.data); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want an error with %q", c.name, err, c.want)
		}
	}
}

// A run must note once that it rounds samples. It needs no note if the samples of the source fit in
// 16 bits, or if the options set the bits.
func TestRoundedSourcesAreNoted(t *testing.T) {
	coarse := chord(8000, 1, 100)
	fine := chord(8000, 1, 100)
	for i := range fine.Samples {
		fine.Samples[i] += 1.0 / (1 << 20)
	}
	for name, c := range map[string]struct {
		clip   *pcm.Clip
		coding wav.Coding
		set    func(o *audioOptions)
		noted  bool
	}{
		"16 bits":                {fine, wav.PCM16, nil, false},
		"16 bits, another rate":  {coarse, wav.PCM16, func(o *audioOptions) { o.Rate = 44100 }, false},
		"24 bits":                {fine, wav.PCM24, nil, true},
		"24 bits for an engine":  {fine, wav.PCM24, func(o *audioOptions) { o.Format = "pcm" }, true},
		"32 bits":                {fine, wav.PCM32, nil, true},
		"floats":                 {fine, wav.Float32, nil, true},
		"16 of 24 bits":          {coarse, wav.PCM24, nil, false},
		"16 of 24 bits, rate":    {coarse, wav.PCM24, func(o *audioOptions) { o.Rate, o.Lossy = 44100, false }, true},
		"24 bits as ADPCM":       {fine, wav.PCM24, func(o *audioOptions) { o.Rate = 44100 }, false},
		"24 bits that are kept":  {fine, wav.PCM24, func(o *audioOptions) { o.Bits = 24 }, false},
		"24 bits with dither":    {fine, wav.PCM24, func(o *audioOptions) { o.Dither = true }, false},
		"24 bits for 8":          {fine, wav.PCM24, func(o *audioOptions) { o.Bits = 8 }, false},
		"24 bits as Opus":        {fine, wav.PCM24, func(o *audioOptions) { o.Format = "opus" }, false},
		"floats that are floats": {fine, wav.Float32, func(o *audioOptions) { o.Format = "float" }, false},
	} {
		data, out := file(t, c.clip, c.coding), filepath.Join(t.TempDir(), "a")
		var notes []string
		env := jobs.Env{
			Path: "a.wav", Outputs: []string{out},
			Open:   func(string) (fs.File, error) { return fstest.MapFS{"a.wav": {Data: data}}.Open("a.wav") },
			Create: func(int) (*os.File, error) { return os.Create(out) },
			Note:   func(line string) { notes = append(notes, line) },
		}
		if err := options(c.set).Cook(t.Context(), jobs.New(Recipe(), env, int64(len(data)))); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var want []string
		if c.noted {
			want = []string{noteRounded}
		}
		if !slices.Equal(notes, want) {
			t.Errorf("%s: noted %q, want %q", name, notes, want)
		}
	}
}
