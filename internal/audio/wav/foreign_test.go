package wav

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"os"
	"testing"

	"github.com/assetcook/assetcook/internal/audio/pcm"
)

// The files in testdata were written by ffmpeg 5.1 (ff_) and SoX 14.4 (sox_) from the sound of
// source, bit-exact and without dither.

// source returns 24-bit sound: two triangle waves with noise, and a jump from one end of the scale
// to the other.
func source() []int32 {
	seed, samples := uint32(7), make([]int32, 2*611)
	for i := range samples {
		seed = seed*1664525 + 1013904223
		frame, c := int32(i/2), int32(i%2)
		triangle := frame*(37+c*11)%800 - 400
		samples[i] = max(triangle, -triangle)*14000 - 2800000 + int32(seed)>>12
		switch {
		case frame == 300 || frame == 302:
			samples[i] = -1 << 23
		case frame == 301 || frame == 303:
			samples[i] = 1<<23 - 1
		}
	}
	return samples
}

func load(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name + ".wav")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func decode(t testing.TB, data []byte) (*pcm.Clip, Info) {
	t.Helper()
	clip, info, err := Decode(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	if int64(clip.Frames()) != info.Frames || clip.Channels != info.Channels || clip.Rate != info.Rate {
		t.Errorf("%d frames of %d channels at %d Hz, but Info is %v", clip.Frames(), clip.Channels, clip.Rate, info)
	}
	return clip, info
}

// TestForeignPCM expects the samples that the files store.
func TestForeignPCM(t *testing.T) {
	exact := func(v int32) float64 { return float64(v) / (1 << 23) }
	for _, c := range []struct {
		name   string
		coding Coding
		want   func(v int32) float64
	}{
		{"ff_u8", PCM8, func(v int32) float64 { return float64(v>>16) / (1 << 7) }},
		{"ff_s16le", PCM16, func(v int32) float64 { return float64(v>>8) / (1 << 15) }},
		{"ff_pipe", PCM16, func(v int32) float64 { return float64(v>>8) / (1 << 15) }},
		{"sox_pipe", PCM16, func(v int32) float64 { return float64(min((v+128)>>8, 32767)) / (1 << 15) }},
		{"ff_s24le", PCM24, exact},
		{"sox_s24", PCM24, exact},
		{"ff_s32le", PCM32, exact},
		{"ff_f32le", Float32, exact},
		{"ff_f64le", Float64, exact},
	} {
		t.Run(c.name, func(t *testing.T) {
			clip, info := decode(t, load(t, c.name))
			if want := (Info{c.coding, 11025, 2, 611}); info != want {
				t.Errorf("%+v, want %+v", info, want)
			}
			for i, v := range source() {
				if got := float64(clip.Samples[i]); got != c.want(v) {
					t.Fatalf("sample %d: %v, want %v", i, got, c.want(v))
				}
			}
		})
	}
}

// TestForeignCompressed decodes IMA to the same samples as SoX, and Microsoft ADPCM to the same
// samples as ffmpeg. ffmpeg rounds IMA, and SoX rounds Microsoft ADPCM, differently from the
// standard.
func TestForeignCompressed(t *testing.T) {
	for _, c := range []struct {
		name   string
		coding Coding
		frames int64
		sum    string
	}{
		{"ff_alaw", ALaw, 611, "2bdf41c4449898a8"},
		{"ff_mulaw", MuLaw, 611, "fafde2fb23efd91b"},
		{"ff_ima", IMA, 1017, "e44b07fc6683f1e0"},
		{"sox_ima", IMA, 611, "5a22ad673d922e01"},
		{"ff_ms", MS, 1012, "c5d15620ac90c2b1"},
		{"sox_ms", MS, 611, "555b978760201d09"},
	} {
		t.Run(c.name, func(t *testing.T) {
			clip, info := decode(t, load(t, c.name))
			if want := (Info{c.coding, 11025, 2, c.frames}); info != want {
				t.Errorf("%+v, want %+v", info, want)
			}
			h := sha256.New()
			for _, x := range clip.Samples {
				binary.Write(h, binary.LittleEndian, int16(x*(1<<15)))
			}
			if got := fmt.Sprintf("%.8x", h.Sum(nil)); got != c.sum {
				t.Errorf("sum %s, want %s", got, c.sum)
			}
		})
	}
}

// TestG711 checks all codes of G.711. The largest samples have the published values, the steps
// increase, and negative codes mirror positive ones.
func TestG711(t *testing.T) {
	for _, c := range []struct {
		name        string
		expand      func(byte) int16
		above       byte // code of the first step above zero
		below       byte
		least, most int16
	}{
		{"A-law", alaw, 0xd5, 0x55, 8, 32256},
		{"mu-law", mulaw, 0xff, 0x7f, 0, 32124},
	} {
		before := int16(-1)
		for step := range byte(128) {
			up, down := c.expand(step^c.above), c.expand(step^c.below)
			if up <= before || up != -down {
				t.Errorf("%s, step %d: %d and %d after %d", c.name, step, up, down, before)
			}
			before = up
		}
		if least := c.expand(c.above); least != c.least || before != c.most {
			t.Errorf("%s goes from %d to %d, want %d to %d", c.name, least, before, c.least, c.most)
		}
	}
}
