package inspect

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assetcook/assetcook/internal/audio/opus"
	"github.com/assetcook/assetcook/internal/audio/pcm"
	"github.com/assetcook/assetcook/internal/audio/qoa"
	"github.com/assetcook/assetcook/internal/audio/wav"
	"pgregory.net/rapid"
)

// tone makes a sine of half of full scale, each channel an octave above the previous channel.
func tone(rate, channels, frames int) *pcm.Clip {
	c := &pcm.Clip{Rate: rate, Channels: channels, Samples: make([]float32, frames*channels)}
	for i := range c.Samples {
		hertz := float64(int(220) << (i % channels))
		c.Samples[i] = float32(0.5 * math.Sin(2*math.Pi*hertz*float64(i/channels)/float64(rate)))
	}
	return c
}

func asWAV(t testing.TB, c *pcm.Clip, coding wav.Coding) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := wav.Encode(t.Context(), &b, c, wav.Options{Coding: coding}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func asQOA(t testing.TB, c *pcm.Clip) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := qoa.Encode(t.Context(), &b, c); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func asOpus(t testing.TB, c *pcm.Clip) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := opus.Encode(t.Context(), &b, c, opus.Options{}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func audioFile(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile("../../../internal/audio/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestSoundKinds looks at a file of every kind that the audio recipe reads or writes.
func TestSoundKinds(t *testing.T) {
	looped := tone(48000, 2, 48000)
	looped.Loops = []pcm.Loop{{Start: 480, End: 24000}}
	loops := []soundLoop{{Start: 480, End: 24000}}
	tests := []struct {
		name           string
		data           []byte
		kind, coding   string
		rate, channels int
		frames         int64
		loops          []soundLoop
	}{
		{"adpcm", asWAV(t, looped, wav.IMA), "WAV", "IMA ADPCM", 48000, 2, 48000, loops},
		{"8 bits", asWAV(t, looped, wav.PCM8), "WAV", "8-bit PCM", 48000, 2, 48000, loops},
		{"16 bits", asWAV(t, looped, wav.PCM16), "WAV", "16-bit PCM", 48000, 2, 48000, loops},
		{"24 bits", asWAV(t, looped, wav.PCM24), "WAV", "24-bit PCM", 48000, 2, 48000, loops},
		{"32 bits", asWAV(t, looped, wav.PCM32), "WAV", "32-bit PCM", 48000, 2, 48000, loops},
		{"float", asWAV(t, looped, wav.Float32), "WAV", "32-bit float", 48000, 2, 48000, loops},
		{"8 channels", asWAV(t, tone(44100, 8, 44100), wav.PCM16), "WAV", "16-bit PCM", 44100, 8, 44100, nil},
		{"qoa", asQOA(t, tone(44100, 2, 44100)), "QOA", "QOA", 44100, 2, 44100, nil},
		{"opus", asOpus(t, looped), "Ogg Opus", "Opus", 48000, 2, 48000, loops},
		{"opus of 6 channels", asOpus(t, tone(48000, 6, 5000)), "Ogg Opus", "Opus", 48000, 6, 5000, nil},
		{"flac", audioFile(t, "flac/testdata/tri24.flac"), "FLAC", "FLAC with 24 bits", 96000, 2, 1500, nil},
		{"mp3", audioFile(t, "mp3/testdata/stereo.mp3"), "MP3", "MP3", 44100, 2, 9000, nil},
		{"vorbis", audioFile(t, "vorbis/testdata/stereo.ogg"), "Ogg Vorbis", "Ogg Vorbis", 44100, 2, 9000, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, err := soundOf(t.Context(), tt.data)
			if err != nil {
				t.Fatal(err)
			}
			f := s.Format
			if f.Kind != tt.kind || f.Coding != tt.coding || f.Rate != tt.rate || f.Channels != tt.channels || f.Frames != tt.frames || !slices.Equal(f.Loops, tt.loops) {
				t.Errorf("format %+v", f)
			}
			seconds := float64(tt.frames) / float64(tt.rate)
			if f.Bytes != len(tt.data) || f.Seconds != seconds || math.Abs(f.BitRate*seconds-8*float64(len(tt.data))) > 1 {
				t.Errorf("%d bytes, %v s, %v bit/s", f.Bytes, f.Seconds, f.BitRate)
			}
			if s.Clip.Bytes != len(s.clip) || s.Clip.Why != "" || s.Clip.Seconds != seconds {
				t.Errorf("clip %+v of %d bytes", s.Clip, len(s.clip))
			}
			text, err := json.Marshal(s)
			if err != nil || bytes.Contains(text, []byte(`"loops":null`)) {
				t.Errorf("header %s, %v", text, err)
			}
			if tt.kind == "Ogg Opus" {
				if !bytes.Equal(s.clip, tt.data) || s.Clip.Type != "audio/ogg" || s.Peaks.Why == "" || s.Loudness.Integrated.Why == "" {
					t.Errorf("%+v", s)
				}
				return
			}
			if want := int(min(4096, tt.frames)); s.Peaks.Columns != want || len(s.peaks) != 8*want*tt.channels {
				t.Errorf("%d columns in %d bytes, want %d", s.Peaks.Columns, len(s.peaks), want)
			}
			clip, info, err := wav.Decode(t.Context(), s.clip)
			if err != nil {
				t.Fatal(err)
			}
			if info.Coding != wav.PCM16 || info.Frames != tt.frames || clip.Rate != tt.rate || clip.Channels != tt.channels {
				t.Errorf("clip %+v", info)
			}
		})
	}
}

func TestSoundLoudness(t *testing.T) {
	// A sine of 997 Hz at full scale in one channel is -3.01 LUFS (BS.1770-4).
	sine := &pcm.Clip{Rate: 48000, Channels: 1, Samples: make([]float32, 4*48000)}
	for i := range sine.Samples {
		sine.Samples[i] = float32(math.Sin(2 * math.Pi * 997 * float64(i) / 48000))
	}
	cut := func(seconds float64, rate int) *pcm.Clip {
		return &pcm.Clip{Rate: rate, Channels: 1, Samples: sine.Samples[:int(seconds*48000)]}
	}
	tests := []struct {
		name string
		clip *pcm.Clip
		want [4]string // figures, or part of the reason for a missing figure
	}{
		{"4 s", sine, [4]string{"-3.0", "-3.0", "-3.0", "0.0"}},
		{"of just 3 s", cut(3, 48000), [4]string{"-3.0", "-3.0", "-3.0", "0.0"}},
		{"1 s", cut(1, 48000), [4]string{"-3.0", "-3.0", "shorter than 3000 ms", "0.0"}},
		{"of just 400 ms", cut(0.4, 48000), [4]string{"-3.0", "-3.0", "shorter than 3000 ms", "0.9"}},
		{"0.1 s", cut(0.1, 48000), [4]string{"-3.0", "shorter than 400 ms", "shorter than 3000 ms", "0.0"}},
		{"silence", &pcm.Clip{Rate: 48000, Channels: 2, Samples: make([]float32, 2*3*48000)},
			[4]string{"no part of the sound is louder than -70 LUFS", "silent", "silent", "silent"}},
		{"low rate", cut(1, 3999), [4]string{"too low", "too low", "too low", "0.0"}},
	}
	for _, tt := range tests {
		s, err := soundOf(t.Context(), asWAV(t, tt.clip, wav.Float32))
		if err != nil {
			t.Fatal(err)
		}
		l := s.Loudness
		for i, f := range []figure{l.Integrated, l.Momentary, l.ShortTerm, l.TruePeak} {
			got := f.Why
			if f.Value != nil {
				got = strings.Replace(fmt.Sprintf("%.1f", *f.Value), "-0.0", "0.0", 1)
			}
			if f.Value != nil && f.Why != "" || !strings.Contains(got, tt.want[i]) {
				t.Errorf("%s: figure %d is %q, want %q", tt.name, i, got, tt.want[i])
			}
		}
	}
}

// TestPeaksLaw compares the peaks with a scan of all samples.
func TestPeaksLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		channels := rapid.IntRange(1, 8).Draw(t, "channels")
		frames := rapid.IntRange(1, 300).Draw(t, "frames")
		columns := rapid.IntRange(1, frames).Draw(t, "columns")
		c := &pcm.Clip{Rate: 8000, Channels: channels, Samples: rapid.SliceOfN(rapid.Float32Range(-2, 2), frames*channels, frames*channels).Draw(t, "samples")}
		peaks, err := peaksOf(t.Context(), c, columns)
		if err != nil {
			t.Fatal(err)
		}
		if len(peaks) != 8*columns*channels {
			t.Fatalf("%d bytes", len(peaks))
		}
		low, high := make([]float32, columns*channels), make([]float32, columns*channels)
		for i := range low {
			low[i], high[i] = 9, -9
		}
		for i, v := range c.Samples {
			column := columns - 1
			for column*frames/columns > i/channels {
				column--
			}
			at := i%channels*columns + column
			low[at], high[at] = min(low[at], v), max(high[at], v)
		}
		for i := range low {
			gotLow := math.Float32frombits(binary.LittleEndian.Uint32(peaks[8*i:]))
			gotHigh := math.Float32frombits(binary.LittleEndian.Uint32(peaks[8*i+4:]))
			if gotLow != low[i] || gotHigh != high[i] {
				t.Fatalf("column %d: %v to %v, want %v to %v", i, gotLow, gotHigh, low[i], high[i])
			}
		}
	})
}

func TestSoundLimits(t *testing.T) {
	file := asWAV(t, tone(8000, 2, 24000), wav.PCM16)
	full := soundLimits{memory: 1 << 30, clip: 1 << 30, length: time.Hour, columns: 16}
	short, small, poor := full, full, full
	short.length, small.clip, poor.memory = time.Second, 4*2000, 1<<10
	for _, tt := range []struct {
		name    string
		limits  soundLimits
		columns int
		seconds float64
		why     string
	}{
		{"all", full, 16, 3, ""},
		{"short", short, 16, 1, "only the first 1 s are played"},
		{"small", small, 16, 0.25, "only the first 0.25 s are played"},
		{"little memory", poor, 0, 0, "the sound needs 1 MiB once decoded"},
	} {
		s, err := tt.limits.readSoundWithin(t.Context(), file)
		if err != nil {
			t.Fatal(err)
		}
		if s.Peaks.Columns != tt.columns || s.Clip.Seconds != tt.seconds || !strings.Contains(s.Clip.Why, tt.why) || (tt.why == "") != (s.Clip.Why == "") {
			t.Errorf("%s: %+v, %+v", tt.name, s.Peaks, s.Clip)
		}
		if s.Format.Frames != 24000 || s.Format.Seconds != 3 {
			t.Errorf("%s: %+v", tt.name, s.Format)
		}
	}
}

// TestSoundOpusStart cuts an Opus file at the end of a page. The result is a valid Opus file.
func TestSoundOpusStart(t *testing.T) {
	file := asOpus(t, tone(48000, 1, 5*48000))
	s, err := soundLimits{memory: 1 << 30, length: 2 * time.Second}.readSoundWithin(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(file, s.clip) || s.Clip.Bytes != len(s.clip) || s.Clip.Seconds != 2 || !strings.Contains(s.Clip.Why, "first 2 s") {
		t.Errorf("%+v of %d bytes", s.Clip, len(file))
	}
	start, err := soundOf(t.Context(), s.clip)
	if err != nil {
		t.Fatal(err)
	}
	if start.Format.Seconds < 2 || start.Format.Seconds > 3.5 {
		t.Errorf("%v s are left", start.Format.Seconds)
	}
}

// TestSoundOpusLength damages the position of the last page, which gives the length.
func TestSoundOpusLength(t *testing.T) {
	file := asOpus(t, tone(48000, 1, 20000))
	granule := file[bytes.LastIndex(file, []byte("OggS"))+6:][:8]
	for position, want := range map[uint64]string{1 << 40: "the file is damaged", 1<<63 - 1: "the file is damaged", 0: "", 1 << 63: ""} {
		binary.LittleEndian.PutUint64(granule, position)
		s, err := soundOf(t.Context(), file)
		switch {
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("position %d: %+v, %v", position, s, err)
		case want == "" && err != nil:
			t.Errorf("position %d: %v", position, err)
		case want == "" && (s.Format.Frames < 0 || s.Format.Frames > 20000):
			t.Errorf("position %d: %d frames", position, s.Format.Frames)
		}
	}
}

func TestSoundCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if s, err := soundOf(ctx, asWAV(t, tone(8000, 1, 8000), wav.PCM16)); err == nil {
		t.Errorf("%+v", s)
	}
}

// TestSoundDamage reads files that are cut off at each byte, and files with one changed bit.
func TestSoundDamage(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long, and starts no goroutines")
	}
	looped := tone(48000, 1, 700)
	looped.Loops = []pcm.Loop{{Start: 48, End: 600}}
	for name, whole := range map[string][]byte{
		"adpcm": asWAV(t, looped, wav.IMA), "float": asWAV(t, tone(8000, 3, 40), wav.Float32),
		"qoa": asQOA(t, tone(8000, 2, 100)), "opus": asOpus(t, looped),
		"flac": audioFile(t, "flac/testdata/tri8.flac"), "mp3": audioFile(t, "mp3/testdata/mono22.mp3")[:2000],
		"vorbis": audioFile(t, "vorbis/testdata/loop.ogg"),
	} {
		t.Run(name, func(t *testing.T) {
			look := func(data []byte) {
				s, err := soundOf(t.Context(), data)
				if err != nil {
					if text := err.Error(); strings.ContainsAny(text, "\n\r") || text == "" {
						t.Fatalf("error %q", text)
					}
					return
				}
				if len(s.clip) > len(data)+1<<20 || len(s.peaks) > 8*8*4096 {
					t.Fatalf("%d bytes became %d and %d", len(data), len(s.peaks), len(s.clip))
				}
				if _, err := json.Marshal(s); err != nil {
					t.Fatal(err)
				}
			}
			for n := range whole {
				look(whole[:n])
			}
			for i := range whole[:min(len(whole), 400)] {
				for bit := range 8 {
					damaged := bytes.Clone(whole)
					damaged[i] ^= 1 << bit
					look(damaged)
				}
			}
		})
	}
}
