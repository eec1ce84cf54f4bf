package audio

import (
	"bytes"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/assetcook/assetcook/cook/recipe/recipetest"
	"github.com/assetcook/assetcook/internal/audio/pcm"
	"github.com/assetcook/assetcook/internal/audio/wav"
)

func explain(t *testing.T, o *audioOptions, data []byte) []string {
	t.Helper()
	lines, _ := recipetest.Explain(t, Recipe(), o, fstest.MapFS{"a": {Data: data}}, "a")
	return lines
}

func TestExplainNamesFormatAndSteps(t *testing.T) {
	in := chord(44100, 2, 44100)
	in.Samples = append(make([]float32, 2*4410), in.Samples...)
	in.Loops = []pcm.Loop{{Start: 10000, End: 20000}}
	loud := &pcm.Clip{Rate: 8000, Channels: 1, Samples: []float32{0, 2, 0}}
	for _, c := range []struct {
		set  func(o *audioOptions)
		clip *pcm.Clip
		want string
	}{
		{nil, in, "source: 32-bit float, 44100 Hz, 2 channels, 1.10 s|pcm of 16 bits: 44100 Hz, 2 channels, 1.10 s|loop: frames 10000 to 20000"},
		{func(o *audioOptions) {
			o.Format, o.Trim, o.Loudness, o.Channels, o.Rate, o.Loops = "pcm", -60, -20, "mono", 22050, "drop"
		}, in,
			"source: 32-bit float, 44100 Hz, 2 channels, 1.10 s|pcm of 16 bits: 22050 Hz, 1 channel, 1.00 s, 0.10 s of silence cut off, loudness -26.0 LUFS, gain +6.0 dB"},
		{func(o *audioOptions) { o.Loudness, o.Peak = -1, -3 }, in,
			"source: 32-bit float, 44100 Hz, 2 channels, 1.10 s|pcm of 16 bits: 44100 Hz, 2 channels, 1.10 s, loudness -20.4 LUFS, gain +15.4 dB|" +
				"gain: +15.4 dB, limited so that the peak stays below -3.0 dBTP|loop: frames 10000 to 20000"},
		{nil, loud, "source: 32-bit float, 8000 Hz, 1 channel, 0.00 s|pcm of 16 bits: 8000 Hz, 1 channel, 0.00 s"},
		{func(o *audioOptions) { o.Loudness = -16 }, &pcm.Clip{Rate: 8000, Channels: 1, Samples: make([]float32, 8000)},
			"source: 32-bit float, 8000 Hz, 1 channel, 1.00 s|pcm of 16 bits: 8000 Hz, 1 channel, 1.00 s, the sound is silent, so it gets no gain"},
		{nil, chord(48000, 6, 48000), "source: 32-bit float, 48000 Hz, 6 channels, 1.00 s|" +
			"pcm of 16 bits: 48000 Hz, 6 channels, 1.00 s"},
		{func(o *audioOptions) { o.Format = "adpcm" }, loud, "source: 32-bit float, 8000 Hz, 1 channel, 0.00 s|adpcm: 8000 Hz, 1 channel, 0.00 s|" +
			"players: browsers, LÖVE and SDL_mixer cannot play IMA ADPCM; SDL also plays the padding of the last block"},
		{func(o *audioOptions) { o.Channels = "stereo" }, chord(48000, 6, 48000),
			"source: 32-bit float, 48000 Hz, 6 channels, 1.00 s|pcm of 16 bits: 48000 Hz, 2 channels, 1.00 s"},
	} {
		o := options(c.set)
		o.Lossy = false
		if got := strings.Join(explain(t, o, file(t, c.clip, wav.Float32)), "|"); got != c.want {
			t.Errorf("have %s\nwant %s", got, c.want)
		}
	}
}

func TestLintFindsLikelyMistakes(t *testing.T) {
	data := file(t, chord(8000, 1, 100), wav.PCM16)
	lost := bytes.Clone(data)
	lost[5]++
	opus := append(append([]byte("OggS\x00\x02"), make([]byte, 20)...), "\x01\x08OpusHead"...)
	for _, c := range []struct {
		path string
		head []byte
		want string
	}{
		{"a/b.wav", data, ""},
		{"a/B.WAV", data, ""},
		{"a/b.wav", lost, "the header declares 256 more bytes than the file has, so loops may be missing; copy or export the file again"},
		{"a/b.wav", data[:100], ""}, // cooking returns an error for this source
		{"a/b.mp3", data, `the content of the file is WAV, but the extension is ".mp3"; rename it to .wav`},
		{"a/b", data, `the content of the file is WAV, but the extension is ""; rename it to .wav`},
		{"a/b.wav", nil, "the file is empty"},
		{"a/b.opus", opus, "the file is already Ogg Opus, and"},
	} {
		got := strings.Join(options(nil).lintSource(c.path, c.head, int64(len(c.head))), "|")
		if (got == "") != (c.want == "") || !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %q, want %q", c.path, got, c.want)
		}
	}
}
