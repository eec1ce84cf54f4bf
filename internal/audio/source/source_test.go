package source

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/assetcook/assetcook/internal/audio/pcm"
	"github.com/assetcook/assetcook/internal/audio/wav"
	"github.com/assetcook/assetcook/internal/fileformat"
)

// encode returns the clip as a WAV file.
func encode(t testing.TB, c *pcm.Clip, coding wav.Coding) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := wav.Encode(t.Context(), &b, c, wav.Options{Coding: coding}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func read(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile("../" + name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// firstPage returns the first page of an Ogg file. Its checksum is invalid, but the decoder
// verifies it only when it reads the second page.
func firstPage(packet string) []byte {
	p := append([]byte("OggS\x00\x02"), make([]byte, 20)...)
	return append(append(p, 1, byte(len(packet))), packet...)
}

func TestAllFormatsAreDecoded(t *testing.T) {
	ramp := &pcm.Clip{Rate: 8000, Channels: 2, Samples: []float32{0, 0.25, -0.5, 0.75, 1, -1}}
	for _, c := range []struct {
		name string
		data []byte
		want Info // Memory is 0 here; the test compares it separately
	}{
		{"wav", encode(t, ramp, wav.Float32), Info{WAV, "32-bit float", 32, 8000, 2, 3, 0}},
		{"flac", read(t, "flac/testdata/tri24.flac"), Info{FLAC, "FLAC with 24 bits", 24, 96000, 2, 1500, 0}},
		{"flac with ID3", append([]byte("ID3\x03\x00\x00\x00\x00\x00\x02ab"), read(t, "flac/testdata/tri8.flac")...),
			Info{FLAC, "FLAC with 8 bits", 8, 8000, 1, 1200, 0}},
		{"mp3", read(t, "mp3/testdata/stereo.mp3"), Info{MP3, "MP3", 0, 44100, 2, 9000, 0}},
		{"mp3 with ID3", append([]byte("ID3\x03\x00\x00\x00\x00\x00\x02ab"), read(t, "mp3/testdata/mono22.mp3")...),
			Info{MP3, "MP3", 0, 22050, 1, 7000, 0}},
		{"ogg", read(t, "vorbis/testdata/loop.ogg"), Info{Vorbis, "Ogg Vorbis", 0, 22050, 1, 7000, 0}},
	} {
		clip, info, err := Decode(t.Context(), c.data)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if info.Memory < int64(4*len(clip.Samples)) {
			t.Errorf("%s: Memory says %d, samples take %d", c.name, info.Memory, 4*len(clip.Samples))
		}
		info.Memory = 0
		if info != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, info, c.want)
		}
		if clip.Rate != info.Rate || clip.Channels != info.Channels || int64(clip.Frames()) != info.Frames {
			t.Errorf("%s: the clip has %d Hz, %d channels, %d frames", c.name, clip.Rate, clip.Channels, clip.Frames())
		}
		if kind, err := Identify(c.data); err != nil || kind != c.want.Kind {
			t.Errorf("%s: identified as %s, %v", c.name, kind, err)
		}
		if len(c.want.Kind.Extensions()) == 0 {
			t.Errorf("%s has no extension", c.want.Kind)
		}
	}
}

func TestOtherFormatsAreRefused(t *testing.T) {
	silent := func(channels int) *pcm.Clip {
		return &pcm.Clip{Rate: 8000, Channels: channels, Samples: make([]float32, 4*channels)}
	}
	loud := silent(1)
	loud.Samples[2] = 2 << 20
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"empty", nil, "the file is empty"},
		{"text", []byte("hello"), "not WAV, FLAC, MP3 or Ogg Vorbis"},
		{"LFS pointer", []byte("version https://git-lfs.github.com/spec/v1\n"), "not WAV"},
		{"AIFF", []byte("FORM\x00\x00\x00\x00AIFF"), "AIFF"},
		{"QOA", []byte("qoaf\x00\x00\x00\x00"), "QOA"},
		{"MP4", []byte("\x00\x00\x00\x20ftypM4A "), "MP4"},
		{"MIDI", []byte("MThd\x00\x00\x00\x06"), "the file is a MIDI file, not WAV, FLAC, MP3 or Ogg Vorbis; render it to WAV, or rename it to .mid to copy it"},
		{"MIDI in RIFF", []byte("RIFF\x24\x00\x00\x00RMIDdata"), "a MIDI file"},
		{"AVI", []byte("RIFF\x24\x00\x00\x00AVI LIST"), "an AVI video"},
		{"Opus", firstPage("OpusHead\x01\x02"), "Ogg Opus"},
		{"Speex", firstPage("Speex   "), "neither a Vorbis nor an Opus"},
		{"torn Ogg", []byte("OggS\x00"), "neither a Vorbis nor an Opus"},
		{"torn Vorbis", firstPage("\x01vorbis"), "damaged"},
		{"no frames", encode(t, &pcm.Clip{Rate: 8000, Channels: 1}, wav.PCM16), "no sound"},
		{"nine channels", encode(t, silent(9), wav.PCM16), "9 channels"},
		{"louder than anything", encode(t, loud, wav.Float32), "frame 2 has the invalid sample"},
		{"WAV header alone", []byte("RIFF\x00\x00\x00\x00WAVE"), ""},
	} {
		if _, _, err := Decode(t.Context(), c.data); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want an error with %q", c.name, err, c.want)
		}
	}
	if _, err := Probe(firstPage("OpusHead"), 1000); !errors.Is(err, ErrOpus) {
		t.Errorf("Opus: %v", err)
	}
}

// TestHeadIsTooShortForLengthsAtTheEnd expects ErrShortHead only for formats that store the length
// at the end or not at all.
func TestHeadIsTooShortForLengthsAtTheEnd(t *testing.T) {
	for name, short := range map[string]bool{
		"flac/testdata/tri16.flac":   false,
		"mp3/testdata/stereo.mp3":    true,
		"vorbis/testdata/loop.ogg":   true,
		"vorbis/testdata/stereo.ogg": true,
	} {
		data := read(t, name)
		_, err := Probe(data[:4000], int64(len(data)))
		if errors.Is(err, fileformat.ErrShortHead) != short || err != nil && !short {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := Probe(data, int64(len(data))); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzDecode changes bytes of files of every kind.
func FuzzDecode(f *testing.F) {
	f.Add(encode(f, &pcm.Clip{Rate: 8000, Channels: 2, Samples: make([]float32, 100)}, wav.PCM16))
	for _, name := range []string{"flac/testdata/tri8.flac", "mp3/testdata/mono22.mp3", "vorbis/testdata/stereo.ogg"} {
		f.Add(read(f, name))
	}
	f.Add(binary.LittleEndian.AppendUint32([]byte("RIFF"), 0xffffffff))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, info, err := Decode(t.Context(), data)
		if err != nil {
			return
		}
		if c.Frames() < 1 || c.Rate < 1 || c.Channels < 1 || c.Channels > MaxChannels || int64(c.Frames()) > info.Frames {
			t.Errorf("%d Hz, %d channels, %d frames of %d", c.Rate, c.Channels, c.Frames(), info.Frames)
		}
		for _, l := range c.Loops {
			if l.Start < 0 || l.Start >= l.End || l.End > int64(c.Frames()) {
				t.Errorf("a loop %+v in %d frames", l, c.Frames())
			}
		}
		for _, v := range c.Samples {
			if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
				t.Fatalf("a sample of %v", v)
			}
		}
	})
}
