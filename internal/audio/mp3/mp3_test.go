package mp3

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gomp3 "github.com/hajimehoshi/go-mp3"

	"github.com/assetcook/assetcook/internal/countdown"
)

func read(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// burst is the sound of the files in testdata, made by LAME 3.100:
//
//	stereo.mp3  -b 128
//	notag.mp3   -b 128 -t
//	joint.mp3   -m j -b 160
//	mono22.mp3  -b 64
//	low.mp3     at 11025 Hz, which is MPEG 2.5
//
// The main data of some frames in reservoir.mp3, a file of another sound, starts as far before the
// frame as the format allows.
func burst(frame, channel int) float64 {
	t := float64(frame % 3000)
	v := 12000 * math.Exp(-t/700) * math.Sin(float64(frame)*(0.05+0.03*float64(channel)))
	return math.Trunc(v) / (1 << 15)
}

// TestDelayAndPaddingAreCutOff expects the same position and length as before encoding. If a file
// does not declare its delay and padding, both are kept.
func TestDelayAndPaddingAreCutOff(t *testing.T) {
	for _, c := range []struct {
		name                          string
		rate, channels, frames, delay int
		sound                         int
	}{
		{"stereo.mp3", 44100, 2, 9000, 0, 9000},
		{"joint.mp3", 44100, 2, 9000, 0, 9000},
		{"mono22.mp3", 22050, 1, 7000, 0, 7000},
		// The encoder's delay of 576 samples and the decoder's delay of 529 samples remain. The
		// length is a multiple of 1152.
		{"notag.mp3", 44100, 2, 10368, 576 + 529, 9000},
	} {
		got, err := Decode(t.Context(), read(t, c.name))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got.Rate != c.rate || got.Channels != c.channels || got.Frames() != c.frames {
			t.Errorf("%s: %d Hz, %d channels, %d frames", c.name, got.Rate, got.Channels, got.Frames())
			continue
		}
		for ch := range c.channels {
			best, at := 0.0, 0
			for shift := -3; shift <= 3; shift++ {
				var signal, noise float64
				for i := 10; i < c.sound-10; i++ {
					want := burst(i, ch)
					d := want - float64(got.Samples[(i+c.delay+shift)*c.channels+ch])
					signal, noise = signal+want*want, noise+d*d
				}
				if signal/noise > best {
					best, at = signal/noise, shift
				}
			}
			if at != 0 || 10*math.Log10(best) < 10 {
				t.Errorf("%s, channel %d: best match %d frames late, at %.1f dB", c.name, ch, at, 10*math.Log10(best))
			}
		}
		info, err := Probe(read(t, c.name))
		if want := (Info{c.rate, c.channels, int64(c.frames)}); err != nil || info != want {
			t.Errorf("%s: Probe says %+v, %v", c.name, info, err)
		}
		if info.Memory() < int64(4*len(got.Samples)) {
			t.Errorf("%s: Memory says %d", c.name, info.Memory())
		}
	}
}

// All processors must compute the same bits. The hashes were computed on amd64.
func TestGolden(t *testing.T) {
	for name, want := range map[string]uint64{
		"stereo.mp3": 0xc5e5bec57a5adc22, "joint.mp3": 0x739e10014f38a54d, "mono22.mp3": 0x8d83f16d3e257a09, "low.mp3": 0x1306289aec3a03c2,
	} {
		c, err := Decode(t.Context(), read(t, name))
		if err != nil {
			t.Fatal(err)
		}
		h := fnv.New64a()
		for _, v := range c.Samples {
			b := math.Float32bits(v)
			h.Write([]byte{byte(b), byte(b >> 8), byte(b >> 16), byte(b >> 24)})
		}
		if got := h.Sum64(); got != want {
			t.Errorf("%s: hash %#x, want %#x", name, got, want)
		}
	}
}

// TestAgainstLibrary expects the samples of another decoder, to 16 bits. That decoder does not read
// MPEG 2.5.
func TestAgainstLibrary(t *testing.T) {
	for _, name := range []string{"stereo.mp3", "joint.mp3", "mono22.mp3", "notag.mp3", "reservoir.mp3"} {
		data := read(t, name)
		l, err := findFrames(data)
		if err != nil {
			t.Fatal(err)
		}
		dec, err := gomp3.NewDecoder(bytes.NewReader(data[l.start:l.end]))
		if err != nil {
			t.Fatal(err)
		}
		want, err := io.ReadAll(dec)
		if err != nil {
			t.Fatal(err)
		}
		c, err := Decode(t.Context(), data)
		if err != nil {
			t.Fatal(err)
		}
		first, _ := l.soundBounds()
		var signal, noise float64
		for i := range c.Frames() {
			for ch := range c.Channels {
				w := float64(int16(binary.LittleEndian.Uint16(want[4*(int(first)+i)+2*ch:]))) / (1 << 15)
				d := w - float64(c.Samples[i*c.Channels+ch])
				signal, noise = signal+w*w, noise+d*d
			}
		}
		if s := 10 * math.Log10(signal/noise); s < 65 {
			t.Errorf("%s: differs by %.1f dB", name, s)
		}
	}
}

// TestPieceStartsSilent decodes a part from the middle of a file. After three frames, it expects
// the same samples as in the whole file.
func TestPieceStartsSilent(t *testing.T) {
	data := read(t, "notag.mp3")
	whole, err := Decode(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	h, _ := headerAt(data, 0)
	cut := h.frameBytes()
	for range 2 {
		next, _ := headerAt(data, cut)
		cut += next.frameBytes()
	}
	piece, err := Decode(t.Context(), data[cut:])
	if err != nil || piece.Frames() != whole.Frames()-3*1152 {
		t.Fatalf("%d frames, %v", piece.Frames(), err)
	}
	const settled = 3 * 1152
	for i := settled; i < piece.Frames(); i++ {
		if piece.Samples[2*i] != whole.Samples[2*(i+3*1152)] {
			t.Fatalf("frame %d: %v, want %v", i, piece.Samples[2*i], whole.Samples[2*(i+3*1152)])
		}
	}
}

// TestTagsAndJunkAreSkipped adds tags, junk or a truncated last frame to a file, and expects the
// same length.
func TestTagsAndJunkAreSkipped(t *testing.T) {
	data := read(t, "stereo.mp3")
	id3 := append([]byte("ID3\x04\x00\x00\x00\x00\x02\x01"), bytes.Repeat([]byte{0xff}, 0x101)...)
	for name, d := range map[string][]byte{
		"ID3 in front":     append(bytes.Clone(id3), data...),
		"two of them":      append(append(bytes.Clone(id3), id3...), data...),
		"ID3v1 behind":     append(bytes.Clone(data), append([]byte("TAG"), make([]byte, 125)...)...),
		"APE behind":       append(bytes.Clone(data), "APETAGEX and so on"...),
		"junk in front":    append(bytes.Repeat([]byte{0x55}, 999), data...),
		"zeros behind":     append(bytes.Clone(data), make([]byte, 5000)...),
		"half a frame too": append(bytes.Clone(data), data[len(data)-417:len(data)-100]...),
	} {
		if c, err := Decode(t.Context(), d); err != nil || c.Frames() != 9000 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestReservedEmphasisIsIgnored(t *testing.T) {
	data := read(t, "stereo.mp3")
	want, err := Decode(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	odd := bytes.Clone(data)
	for at, n := 0, 0; ; n++ {
		h, ok := headerAt(data, at)
		if !ok {
			break
		}
		if n%3 == 2 {
			odd[at+3] = odd[at+3]&^3 | 2
		}
		at += h.frameBytes()
	}
	if got, err := Decode(t.Context(), odd); err != nil || !slices.Equal(got.Samples, want.Samples) {
		t.Error(err)
	}
}

func TestBadMP3IsRefused(t *testing.T) {
	data := read(t, "stereo.mp3")
	var at []int // offsets of all frames
	for i := 0; i < len(data); {
		h, ok := headerAt(data, i)
		if !ok {
			t.Fatalf("no frame at %d", i)
		}
		at = append(at, i)
		i += h.frameBytes()
	}
	change := func(at int, mask, value byte) []byte {
		d := bytes.Clone(data)
		d[at] = d[at]&^mask | value
		return d
	}
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"nothing", nil, "the file has no MP3 frames; export it again"},
		{"text", []byte("this is not a sound at all"), "the file has no MP3 frames; export it again"},
		{"layer II", change(1, 6, 4), "layer I or II"},
		{"free format", change(2, 0xf0, 0), "free bit rate"},
		{"only the first frame", data[:at[1]], "has no sound"},
		{"another rate later", change(at[3]+2, 0x0c, 4), "than the first frame"},
		{"mono later", change(at[3]+3, 0xc0, 0xc0), "than the first frame"},
		{"a hole", append(append(bytes.Clone(data[:at[5]]), 1, 2, 3, 4, 5), data[at[5]:]...), "damaged"},
		{"cut short", data[:len(data)*3/4], "the file ends after 6 of 9 MP3 frames; copy it again"},
		{"an ID3 tag longer than the file", []byte("ID3\x04\x00\x00\x7f\x7f\x7f\x7f"), "the file has no MP3 frames; export it again"},
	} {
		if _, err := Decode(t.Context(), c.data); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want an error with %q", c.name, err, c.want)
		}
	}
}

func TestHeader(t *testing.T) {
	for _, c := range []struct {
		bytes                     string
		valid                     bool
		rate, samples, size, side int
	}{
		{"\xff\xfb\x90\x00", true, 44100, 1152, 417, 32},
		{"\xff\xfb\x92\x00", true, 44100, 1152, 418, 32},
		{"\xff\xfb\xe4\xc0", true, 48000, 1152, 960, 17},
		{"\xff\xf3\x40\xc4", true, 22050, 576, 104, 9},
		{"\xff\xf3\x48\x00", true, 16000, 576, 144, 17},
		{"\xff\xfb\xf0\x00", false, 0, 0, 0, 0}, // invalid bit rate 15
		{"\xff\xfb\x9c\x00", false, 0, 0, 0, 0}, // invalid rate code 3
		{"\xff\xeb\x90\x00", false, 0, 0, 0, 0}, // invalid version code 1
		{"\xff\xf9\x90\x00", false, 0, 0, 0, 0}, // invalid layer code 0
		{"\xfe\xfb\x90\x00", false, 0, 0, 0, 0}, // invalid sync bits
	} {
		h := header(binary.BigEndian.Uint32([]byte(c.bytes)))
		if h.isFrameHeader() != c.valid {
			t.Errorf("%x: valid %v", c.bytes, h.isFrameHeader())
		}
		if c.valid && (h.sampleRate() != c.rate || h.samplesPerFrame() != c.samples || h.frameBytes() != c.size || h.sideInfo() != c.side) {
			t.Errorf("%x: %d Hz, %d samples, %d bytes, side info of %d", c.bytes, h.sampleRate(), h.samplesPerFrame(), h.frameBytes(), h.sideInfo())
		}
	}
}

func TestMP3DecodingStopsWithContext(t *testing.T) {
	data := read(t, "notag.mp3")
	if _, err := Decode(countdown.New(t.Context(), 8), data); err != context.Canceled {
		t.Error(err)
	}
	if _, err := Decode(countdown.New(t.Context(), 9), data); err != nil {
		t.Error(err)
	}
}

func FuzzDecode(f *testing.F) {
	for _, name := range []string{"stereo.mp3", "mono22.mp3", "notag.mp3"} {
		f.Add(read(f, name))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Decode(t.Context(), data)
		if err == nil && len(c.Samples)%c.Channels != 0 {
			t.Errorf("%d samples of %d channels", len(c.Samples), c.Channels)
		}
	})
}

func ExampleDecode() {
	data, err := os.ReadFile("testdata/stereo.mp3")
	if err != nil {
		fmt.Println(err)
		return
	}
	c, err := Decode(context.Background(), data)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(c.Rate, c.Channels, c.Frames())
	// Output: 44100 2 9000
}
