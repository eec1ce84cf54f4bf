package audio

import (
	"math"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/assetcook/assetcook/cook/recipe/recipetest"
	"github.com/assetcook/assetcook/internal/audio/pcm"
	"github.com/assetcook/assetcook/internal/audio/wav"
)

// noise returns a clip of noise, which ADPCM cannot predict.
func noise(frames int) *pcm.Clip {
	c := &pcm.Clip{Rate: 22050, Channels: 1, Samples: make([]float32, frames)}
	seed := uint32(1)
	for i := range c.Samples {
		seed = seed*1664525 + 1013904223
		c.Samples[i] = float32(int32(seed)>>16) / (1 << 16)
	}
	return c
}

// Format auto must store a sound as ADPCM only if the signal-to-noise ratio of the stored sound is
// at least 25 dB. cook why must print the measured ratio.
func TestAutoMeasuresTheLoss(t *testing.T) {
	looped := chord(44100, 1, 20000)
	looped.Loops = []pcm.Loop{{Start: 100, End: 20000}}
	silent := &pcm.Clip{Rate: 44100, Channels: 1, Samples: make([]float32, 20000)}
	for _, c := range []struct {
		name   string
		clip   *pcm.Clip
		set    func(o *audioOptions)
		coding wav.Coding
		reason string
	}{
		{"a chord", chord(44100, 1, 20000), nil, wav.IMA, "adpcm: the signal-to-noise ratio is 4"},
		{"silence", silent, nil, wav.IMA, "adpcm: the sound loses nothing"},
		{"noise", noise(20000), nil, wav.PCM16, "pcm: the signal-to-noise ratio of adpcm would be 1"},
		{"a loop", looped, nil, wav.PCM16, "pcm, because the sound loops, "},
		{"a dropped loop", looped, func(o *audioOptions) { o.Loops = "drop" }, wav.IMA, "adpcm: the signal-to-noise ratio is 4"},
		{"a click", chord(44100, 1, 100), nil, wav.PCM16, "pcm: an adpcm file would not be smaller"},
		{"six channels", chord(44100, 6, 2000), nil, wav.PCM16, "pcm: adpcm supports at most 2 channels"},
		{"24 bits", chord(44100, 1, 20000), func(o *audioOptions) { o.Bits = 24 }, wav.PCM24, "pcm: the options bits and dither"},
		{"dither", chord(44100, 1, 20000), func(o *audioOptions) { o.Dither = true }, wav.PCM16, "pcm: the options bits and dither"},
		{"an engine without ADPCM", chord(44100, 1, 20000), withoutLoss, wav.PCM16, ""},
	} {
		o := options(c.set)
		got, info := cookWAV(t, o, c.clip)
		if info.Coding != c.coding || got.Frames() != c.clip.Frames() {
			t.Errorf("%s: %v, %d frames", c.name, info.Coding, got.Frames())
		}
		if ratio := snr(c.clip, got); ratio < leastSNR {
			t.Errorf("%s: %.1f dB", c.name, ratio)
		}
		lines := explain(t, o, file(t, c.clip, wav.Float32))
		has := slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, c.reason) })
		if c.reason == "" {
			has = !slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, "pcm: ") || strings.HasPrefix(l, "adpcm: it") })
		}
		if !has {
			t.Errorf("%s: %q, want %q", c.name, lines, c.reason)
		}
	}
}

// The loss that format auto measures must equal the loss after decoding the file.
func TestMeasuredLossIsHeard(t *testing.T) {
	in := chord(44100, 2, 20000)
	var loss wav.Loss
	var file strings.Builder
	if err := wav.Encode(t.Context(), &file, in, wav.Options{Coding: wav.IMA, Loss: &loss}); err != nil {
		t.Fatal(err)
	}
	got, _, err := wav.Decode(t.Context(), []byte(file.String()))
	if err != nil || math.Abs(loss.SNR()-snr(in, got)) > 0.01 {
		t.Errorf("%v: %v dB measured, %v dB heard", err, loss.SNR(), snr(in, got))
	}
}

func TestMusicBecomesOpus(t *testing.T) {
	for path, want := range map[string]int{
		"music/a.wav": 0, "data/Music/boss/a.flac": 0, "x/bgm/a.wav": 0, "music.wav": -1, "sounds/music.wav": -1,
		"musical/a.wav": -1, "a.wav": -1, "ui/a.wav": -1,
	} {
		if got := hintOfMusic(path); got != want {
			t.Errorf("%s: %d, want %d", path, got, want)
		}
	}
	if n := testing.AllocsPerRun(10, func() { hintOfMusic("data/Sounds/boss/a.flac") }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// Opus can hold one endless loop. Music with other loops must be cooked, with a warning about each.
func TestOpusWarnsOfLoopsThatItCannotHold(t *testing.T) {
	in := chord(48000, 1, 20000)
	in.Loops = []pcm.Loop{{Start: 1, End: 5000, PingPong: true}, {Start: 2, End: 6000, Count: 3}, {Start: 3, End: 7000}, {Start: 4, End: 8000}}
	o := options(func(o *audioOptions) { o.Format = "opus" })
	r := recipetest.Cook(t, Recipe(), o, fstest.MapFS{"a": {Data: file(t, in, wav.PCM16)}}, "", "a")
	if r.Err != nil || len(r.Warned) != 3 || !strings.Contains(string(r.Outputs[0]), "LOOPSTART=3") {
		t.Errorf("%v: %q", r.Err, r.Warned)
	}
}
