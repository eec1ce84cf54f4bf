package audio

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/assetcook/assetcook/cook/recipe/recipetest"
	"github.com/assetcook/assetcook/internal/audio/adpcm"
	"github.com/assetcook/assetcook/internal/audio/pcm"
	"github.com/assetcook/assetcook/internal/audio/qoa"
	"github.com/assetcook/assetcook/internal/audio/wav"
)

func soundOptions(set func(o *soundsOptions)) *soundsOptions {
	o := SoundsRecipe().New().(*soundsOptions)
	if set != nil {
		set(o)
	}
	return o
}

// sprites has the fields of the JSON that howler.js reads.
type sprites struct {
	Src    []string
	Sprite map[string][]any
}

func soundTree(t testing.TB, list string) fstest.MapFS {
	return fstest.MapFS{
		"ui/all.sounds":   {Data: []byte(list)},
		"ui/s/click.wav":  {Data: file(t, chord(48000, 2, 4801), wav.PCM16)},
		"ui/s/hum.wav":    {Data: file(t, chord(48000, 1, 30000), wav.PCM16)},
		"ui/s/x/beep.WAV": {Data: file(t, chord(22050, 1, 2205), wav.PCM16)},
		"ui/s/note.txt":   {Data: []byte("no sound")},
	}
}

func cookSounds(t testing.TB, o *soundsOptions, tree fstest.MapFS) recipetest.Result {
	t.Helper()
	return recipetest.Cook(t, SoundsRecipe(), o, tree, "", "ui/all.sounds")
}

// Every sound must be at its position in the JSON. The format must be able to seek to the position.
// Silence must separate the sounds.
func TestSoundsAreAtTheirPositionsInTheJSON(t *testing.T) {
	for _, tc := range []struct {
		format string
		rate   int
		unit   int
		snr    float64
	}{
		{"pcm", 48000, 48, math.Inf(1)},
		{"pcm", 44100, 441, 20},
		{"adpcm", 48000, adpcm.IMAFrames(adpcm.IMABlockSize(48000, 2), 2), 25},
		{"qoa", 48000, 5120, 25},
	} {
		o := soundOptions(func(o *soundsOptions) { o.Format, o.Rate, o.Gap, o.Loop = tc.format, tc.rate, 0.2, []string{"h*"} })
		res := cookSounds(t, o, soundTree(t, "s/*.wav\ns/x/*.WAV\n"))
		if res.Err != nil {
			t.Fatal(res.Err)
		}
		var s sprites
		if err := json.Unmarshal(res.Outputs[listOutput], &s); err != nil {
			t.Fatal(err)
		}
		var whole *pcm.Clip
		var err error
		if tc.format == "qoa" {
			whole, err = qoa.Decode(t.Context(), res.Outputs[soundOutput])
		} else {
			whole, _, err = wav.Decode(t.Context(), res.Outputs[soundOutput])
		}
		if err != nil || whole.Rate != tc.rate || whole.Channels != 2 {
			t.Fatal(err)
		}
		name := map[string]string{"pcm": "all.wav", "adpcm": "all.wav", "qoa": "all.qoa"}[tc.format]
		if !slices.Equal(s.Src, []string{name}) || len(s.Sprite) != 3 {
			t.Errorf("%s: %+v", tc.format, s)
		}
		end := 0
		for _, c := range []struct {
			name   string
			source *pcm.Clip
			loop   bool
		}{{"beep", chord(22050, 1, 2205), false}, {"click", chord(48000, 2, 4801), false}, {"hum", chord(48000, 1, 30000), true}} {
			place := s.Sprite[c.name]
			if len(place) != 2+len(map[bool]string{true: "x"}[c.loop]) || c.loop && place[2] != true {
				t.Fatalf("%s: %s is %v", tc.format, c.name, place)
			}
			start := int(math.Round(place[0].(float64) / 1000 * float64(tc.rate)))
			frames := int(math.Round(place[1].(float64) / 1000 * float64(tc.rate)))
			if start%tc.unit != 0 || tc.format == "pcm" && place[0] != math.Trunc(place[0].(float64)) {
				t.Errorf("%s: %s starts at frame %d, %v ms", tc.format, c.name, start, place[0])
			}
			if end > 0 && start < end+tc.rate/5 {
				t.Errorf("%s: %s starts %d frames after the last", tc.format, c.name, start-end)
			}
			for i := 2 * end; i < 2*start && tc.format == "pcm"; i++ {
				if whole.Samples[i] != 0 {
					t.Fatalf("%s: no silence at %d before %s", tc.format, i/2, c.name)
				}
			}
			end = start + frames
			if want := int(math.Round(float64(c.source.Frames()) * float64(tc.rate) / float64(c.source.Rate))); max(frames-want, want-frames) > 1 {
				t.Errorf("%s: %s has %d frames, want %d", tc.format, c.name, frames, want)
			}
			if c.source.Rate != tc.rate {
				continue // other tests check resampling
			}
			want := &pcm.Clip{Rate: c.source.Rate, Channels: c.source.Channels, Samples: slices.Clone(c.source.Samples)}
			if err := want.Mix(t.Context(), 2); err != nil {
				t.Fatal(err)
			}
			got := &pcm.Clip{Channels: 2, Samples: whole.Samples[2*start : 2*end]}
			if r := snr(want, got); r < tc.snr {
				t.Errorf("%s: %s: %.1f dB", tc.format, c.name, r)
			}
		}
		if whole.Frames() < end+tc.rate/5 {
			t.Errorf("%s: no silence at the end", tc.format)
		}
	}
}

func TestSoundListNamesFiles(t *testing.T) {
	names := func(list string, set func(o *soundsOptions)) (string, recipetest.Result) {
		t.Helper()
		res := cookSounds(t, soundOptions(set), soundTree(t, list))
		var s sprites
		if res.Err == nil {
			if err := json.Unmarshal(res.Outputs[listOutput], &s); err != nil {
				t.Fatal(err)
			}
		}
		var list2 []string
		for n := range s.Sprite {
			list2 = append(list2, n)
		}
		slices.Sort(list2)
		return strings.Join(list2, " "), res
	}
	for _, tc := range []struct {
		list string
		set  func(o *soundsOptions)
		want string
	}{
		{"s/", nil, "click hum"},
		{"# all\n/ui/s/*.wav\n\n!s/h*\n", nil, "click"},
		{"!s/h*\ns/*.wav\n", nil, "click hum"},
		{"s/*.wav\n../ui/s/hum.wav\n/ui/s/hum.wav", nil, "click hum"},
		{"s/**/*.{wav,WAV}", func(o *soundsOptions) { o.Name = "stem" }, "s/click s/hum s/x/beep"},
		{"s/**/*.{wav,WAV}", func(o *soundsOptions) { o.Name = "path" }, "s/click.wav s/hum.wav s/x/beep.WAV"},
	} {
		if got, res := names(tc.list, tc.set); got != tc.want || res.Err != nil {
			t.Errorf("%q: %q, %v, want %q", tc.list, got, res.Err, tc.want)
		}
	}
	_, res := names("s/click.wav\nnone/*.wav\n", func(o *soundsOptions) { o.Loop = []string{"bang"} })
	if want := []string{"no sound matches the pattern none/*.wav", "loop: the list has no sound called bang; correct the name"}; !slices.Equal(res.Warned, want) {
		t.Errorf("%q", res.Warned)
	}
	tree := soundTree(t, "s/**/*.wav")
	tree["ui/s/y/hum.wav"] = tree["ui/s/hum.wav"]
	if res := cookSounds(t, soundOptions(nil), tree); res.Err == nil || res.Err.Error() != "/ui/s/hum.wav and /ui/s/y/hum.wav are both called hum; rename one, or choose other names with the option name" {
		t.Error(res.Err)
	}
	for list, want := range map[string]string{
		"":                 "the source names no sounds",
		"s/*.wav\n!s/*":    "the source names no sounds",
		"s/note.txt":       "/ui/s/note.txt: ",
		"s/[":              "line 1: pattern",
		"#\n../../*.wav":   "line 2: ",
		"a\xff":            "not UTF-8",
		"s/*.wav\n/s\x00b": "line 2: ",
	} {
		if res := cookSounds(t, soundOptions(nil), soundTree(t, list)); res.Err == nil || !strings.Contains(res.Err.Error(), want) {
			t.Errorf("%q: %v, want %q", list, res.Err, want)
		}
	}
}

// Each source is too long, or not a sound. The error must come before memory is allocated for it.
func TestHostileSoundsAreRefusedEarly(t *testing.T) {
	long := file(t, chord(48000, 1, 48000), wav.PCM16)
	lying := slices.Clone(long)
	for i := range 4 {
		lying[24+i] = []byte{0, 0, 0, 1}[i] // the header claims a rate of 16 M frames per second
	}
	for _, tc := range []struct {
		name, want string
		data       []byte
	}{
		{"too long", "the sounds last more than 1 seconds", long},
		{"empty", "the file is empty", nil},
		{"no sound", "/ui/s/hum.wav: ", []byte("GIF89a.............................")},
		{"cut off", "", long[:30]},
		{"a rate that is none", "", lying},
	} {
		tree := soundTree(t, "s/hum.wav")
		tree["ui/s/hum.wav"] = &fstest.MapFile{Data: tc.data}
		res := cookSounds(t, soundOptions(func(o *soundsOptions) { o.Longest = 1 }), tree)
		if res.Err == nil || !strings.Contains(res.Err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", tc.name, res.Err, tc.want)
		}
	}
	huge := soundTree(t, "s/hum.wav")
	huge["ui/s/hum.wav"] = &fstest.MapFile{Data: append(long, make([]byte, 70<<20)...)}
	if res := cookSounds(t, soundOptions(func(o *soundsOptions) { o.Longest = 1 }), huge); res.Err == nil || !strings.Contains(res.Err.Error(), "too many for a file") {
		t.Error(res.Err)
	}
	if _, err := soundOptions(nil).estimateMemory(nil, maxSoundList+1); err == nil {
		t.Error("a huge list is accepted")
	}
}

func TestPhaserLayoutHasSeconds(t *testing.T) {
	res := cookSounds(t, soundOptions(func(o *soundsOptions) { o.Data, o.Loop = "phaser", []string{"hum"} }), soundTree(t, "s/"))
	const want = `{
 "resources": [
  "all.opus"
 ],
 "spritemap": {
  "click": {
   "start": 0,
   "end": 0.10002083333333334,
   "loop": false
  },
  "hum": {
   "start": 0.62,
   "end": 1.245,
   "loop": true
  }
 }
}
`
	if res.Err != nil || string(res.Outputs[listOutput]) != want {
		t.Errorf("%v\n%s", res.Err, res.Outputs[listOutput])
	}
	if !strings.HasPrefix(string(res.Outputs[soundOutput]), "OggS") {
		t.Error("no Ogg")
	}
}

func TestWrongOptionOfSoundsIsNamed(t *testing.T) {
	recipetest.Check(t, SoundsRecipe(), map[string]any{
		"format": "pcm", "data": "phaser", "name": "path", "loop": []any{"a"}, "gap": 1.0, "longest": int64(9), "rate": int64(44100),
		"channels": "mono", "loudness": -16.0, "peak": -2.0, "trim": -60.0, "bitrate": int64(64),
	})
	for want, set := range map[string]func(o *soundsOptions){
		"rate":    func(o *soundsOptions) { o.Rate = 44100 },
		"loop":    func(o *soundsOptions) { o.Loop = []string{"["} },
		"bitrate": func(o *soundsOptions) { o.Format, o.Bitrate = "pcm", 64 },
		"peak":    func(o *soundsOptions) { o.Peak = -3 },
	} {
		if err := soundOptions(set).checkOptions(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	for format, want := range map[string]string{"opus": "{stem}.opus", "pcm": "{stem}.wav", "adpcm": "{stem}.wav", "qoa": "{stem}.qoa"} {
		if got := soundOptions(func(o *soundsOptions) { o.Format = format }).Outputs(); !slices.Equal(got, []string{"{stem}.json", want}) {
			t.Errorf("%s: %q", format, got)
		}
	}
}

func TestSoundsStayBelowTheEstimate(t *testing.T) {
	tree := soundTree(t, "s/*.wav\nlong.wav")
	tree["ui/long.wav"] = &fstest.MapFile{Data: file(t, chord(48000, 1, 48000*26), wav.PCM16)}
	for _, format := range []string{"pcm", "qoa", "adpcm"} {
		o := soundOptions(func(o *soundsOptions) { o.Format, o.Longest = format, 30 })
		want, err := o.estimateMemory(nil, 20)
		if err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		res := cookSounds(t, o, tree)
		runtime.ReadMemStats(&after)
		if res.Err != nil {
			t.Fatal(res.Err)
		}
		if got := int64(after.TotalAlloc - before.TotalAlloc); got > want {
			t.Errorf("%s: allocates %d, estimated %d", format, got, want)
		}
	}
}

// The bytes must be the same on every machine. If these hashes change, the recipe's version must be
// raised.
func TestJoinedSoundsHaveGoldenBytes(t *testing.T) {
	o := soundOptions(func(o *soundsOptions) { o.Format, o.Loudness, o.Trim, o.Rate = "pcm", -20, -70, 44100 })
	res := cookSounds(t, o, soundTree(t, "s/**/*.{wav,WAV}"))
	if res.Err != nil {
		t.Fatal(res.Err)
	}
	h := fnv.New64a()
	h.Write(slices.Concat(res.Outputs...))
	const want = "4e01a1c16f839876"
	if got := fmt.Sprintf("%x", h.Sum64()); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestCanceledJoinEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	res := recipetest.CookContext(ctx, t, SoundsRecipe(), soundOptions(nil), soundTree(t, "s/"), "", "ui/all.sounds")
	if !errors.Is(res.Err, context.Canceled) {
		t.Error(res.Err)
	}
}
