package vorbis

import (
	"bytes"
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/assetcook/assetcook/internal/audio/ogg"
	"github.com/assetcook/assetcook/internal/audio/pcm"
	"github.com/assetcook/assetcook/internal/countdown"
	"github.com/jfreymuth/oggvorbis"
)

// The files in testdata were made with oggenc of vorbis-tools 1.4.2 from the sound of burst:
// stereo.ogg with -q 1, loop.ogg with -q 5 -c LOOPSTART=1000 -c LOOPEND=6000, surround.ogg with -q
// 3.
var files = []struct {
	name                   string
	rate, channels, frames int
	hash                   uint64
	snr                    float64
}{
	{"stereo.ogg", 44100, 2, 9000, 0x6ef5f0c101371d29, 8},
	{"loop.ogg", 22050, 1, 7000, 0xf4b56038fa64db74, 12},
	{"surround.ogg", 48000, 6, 3000, 0xba299443ba87604e, 8},
}

// burst returns decaying tones with a different pitch in each channel.
func burst(frame, channel int) float64 {
	t := float64(frame % 3000)
	v := 12000 * math.Exp(-t/700) * math.Sin(float64(frame)*(0.05+0.03*float64(channel)))
	return math.Trunc(v) / (1 << 15)
}

func read(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func decode(t testing.TB, data []byte) *pcm.Clip {
	t.Helper()
	c, err := Decode(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// snr returns the signal-to-noise ratio of got in dB, where want is the signal.
func snr(want, got func(i int) float64, n int) float64 {
	var signal, noise float64
	for i := range n {
		d := want(i) - got(i)
		signal, noise = signal+want(i)*want(i), noise+d*d
	}
	return 10 * math.Log10(signal/noise)
}

// TestOriginalSoundIsDecoded compares decoded sound with the original: its length, and its samples
// in every channel. All processors must compute the same bits; the hashes were computed on amd64.
func TestOriginalSoundIsDecoded(t *testing.T) {
	for _, f := range files {
		c := decode(t, read(t, f.name))
		if c.Rate != f.rate || c.Channels != f.channels || c.Frames() != f.frames {
			t.Errorf("%s: %d Hz, %d channels, %d frames", f.name, c.Rate, c.Channels, c.Frames())
			continue
		}
		for ch := range c.Channels {
			if ch == 3 && c.Channels == 6 {
				continue // the encoder drops high frequencies of the LFE channel
			}
			s := snr(func(i int) float64 { return burst(i, ch) },
				func(i int) float64 { return float64(c.Samples[i*c.Channels+ch]) }, c.Frames())
			if s < f.snr {
				t.Errorf("%s, channel %d: %.1f dB, want %.1f", f.name, ch, s, f.snr)
			}
		}
		h := fnv.New64a()
		for _, v := range c.Samples {
			b := math.Float32bits(v)
			h.Write([]byte{byte(b), byte(b >> 8), byte(b >> 16), byte(b >> 24)})
		}
		if got := h.Sum64(); got != f.hash {
			t.Errorf("%s: hash %#x, want %#x", f.name, got, f.hash)
		}
	}
}

// TestAgainstLibrary expects the samples of another decoder, within the precision of float32. That
// decoder does not read surround.ogg, which ffmpeg and oggdec read.
func TestAgainstLibrary(t *testing.T) {
	for _, f := range files[:2] {
		data := read(t, f.name)
		c := decode(t, data)
		want, format, err := oggvorbis.ReadAll(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		if format.Channels != c.Channels || len(want) != len(c.Samples) {
			t.Errorf("%s: %d samples, want %d", f.name, len(c.Samples), len(want))
			continue
		}
		s := snr(func(i int) float64 { return float64(want[i]) },
			func(i int) float64 { return float64(c.Samples[i]) }, len(want))
		if s < 115 {
			t.Errorf("%s: differs by %.1f dB", f.name, s)
		}
	}
}

func TestCommentsMakeALoop(t *testing.T) {
	c := decode(t, read(t, "loop.ogg"))
	if want := (pcm.Loop{Start: 1000, End: 6000}); len(c.Loops) != 1 || c.Loops[0] != want {
		t.Errorf("%+v, want %+v", c.Loops, want)
	}
	if c := decode(t, read(t, "stereo.ogg")); c.Loops != nil {
		t.Errorf("unexpected loops %+v", c.Loops)
	}
}

// packets returns the headers and the audio packets of a file.
func packets(t testing.TB, name string) [][]byte {
	t.Helper()
	r, err := ogg.NewReader(read(t, name), []byte("\x01"+signature))
	if err != nil {
		t.Fatal(err)
	}
	var all [][]byte
	for {
		p, err := r.Next()
		if err != nil {
			return all
		}
		all = append(all, p.Data)
	}
}

func TestVorbisDecodingStopsWithContext(t *testing.T) {
	data := read(t, "stereo.ogg")
	n := len(packets(t, "stereo.ogg")) - 3
	if _, err := Decode(countdown.New(t.Context(), n), data); err != context.Canceled {
		t.Error(err)
	}
	if _, err := Decode(countdown.New(t.Context(), n+1), data); err != nil {
		t.Error(err)
	}
}

func BenchmarkDecode(b *testing.B) {
	data := read(b, "stereo.ogg")
	for b.Loop() {
		decode(b, data)
	}
}

func ExampleDecode() {
	data, err := os.ReadFile("testdata/loop.ogg")
	if err != nil {
		fmt.Println(err)
		return
	}
	c, err := Decode(context.Background(), data)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(c.Rate, c.Channels, c.Frames(), c.Loops)
	// Output: 22050 1 7000 [{1000 6000 0 false}]
}
