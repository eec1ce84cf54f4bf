package wav

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/assetcook/assetcook/internal/audio/pcm"
	"github.com/assetcook/assetcook/internal/countdown"
	"github.com/assetcook/assetcook/internal/fileformat"
	"pgregory.net/rapid"
)

func sound(rate, channels int) *pcm.Clip {
	clip := &pcm.Clip{Rate: rate, Channels: channels}
	for _, v := range source() {
		clip.Samples = append(clip.Samples, float32(v)/(1<<23))
	}
	clip.Samples = clip.Samples[:len(clip.Samples)/channels*channels]
	return clip
}

func encode(t testing.TB, clip *pcm.Clip, o Options) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Encode(t.Context(), &b, clip, o); err != nil {
		t.Fatal(err)
	}
	if want := Size(int64(clip.Frames()), clip.Rate, clip.Channels, len(clip.Loops), o.Coding); int64(b.Len()) != want {
		t.Errorf("%v: %d bytes, Size says %d", o.Coding, b.Len(), want)
	}
	if riff := binary.LittleEndian.Uint32(b.Bytes()[4:]); int(riff) != b.Len()-8 {
		t.Errorf("%v: %d bytes, but the RIFF header has %d", o.Coding, b.Len(), riff+8)
	}
	return b.Bytes()
}

var written = []Coding{PCM8, PCM16, PCM24, PCM32, Float32}

// TestRoundTrip expects loops, and samples that the coding represents exactly, to be unchanged
// after encoding and decoding.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		coding := rapid.SampledFrom(written).Draw(rt, "coding")
		clip := &pcm.Clip{Rate: rapid.IntRange(1, MaxRate).Draw(rt, "rate"), Channels: rapid.IntRange(1, 9).Draw(rt, "channels")}
		frames := rapid.IntRange(0, 9).Draw(rt, "frames")
		bits := min(8*coding.sampleBytes(), 24)
		for range frames * clip.Channels {
			v := rapid.Int32Range(-1<<(bits-1), 1<<(bits-1)-1).Draw(rt, "v")
			clip.Samples = append(clip.Samples, float32(v)/float32(int64(1)<<(bits-1)))
		}
		for range rapid.IntRange(0, min(frames, 2)).Draw(rt, "loops") {
			start := rapid.Int64Range(0, int64(frames)-1).Draw(rt, "start")
			clip.Loops = append(clip.Loops, pcm.Loop{
				Start: start, End: rapid.Int64Range(start+1, int64(frames)).Draw(rt, "end"),
				Count: rapid.IntRange(0, 1<<31-1).Draw(rt, "count"), PingPong: rapid.Bool().Draw(rt, "ping-pong"),
			})
		}
		file := encode(t, clip, Options{Coding: coding})
		got, info := decode(t, file)
		if want := (Info{coding, clip.Rate, clip.Channels, int64(frames)}); info != want {
			rt.Fatalf("%+v, want %+v", info, want)
		}
		if !slices.Equal(got.Samples, clip.Samples) || !slices.Equal(got.Loops, clip.Loops) {
			rt.Fatalf("%v became %v", clip, got)
		}
		if probed, err := Probe(file, int64(len(file))); err != nil || probed != info {
			rt.Fatalf("Probe says %v, %v", probed, err)
		}
	})
}

// TestGolden expects the same bytes on all machines. TestRoundTrip verifies PCM and floats; IMA
// depends on the encoder's search.
func TestGolden(t *testing.T) {
	for _, c := range []struct {
		channels int
		o        Options
		sum      string
	}{
		{2, Options{Coding: PCM8, Dither: true}, "2fe1cf0c31622f90"},
		{2, Options{Coding: PCM16, Dither: true}, "4ff8c698ea14635c"},
		{2, Options{Coding: PCM24, Dither: true}, "43e164ad4b711d84"},
		{3, Options{Coding: Float32}, "9ef54ca6092c7c0a"},
		{1, Options{Coding: IMA}, "9ea113f1493b8ebd"},
		{2, Options{Coding: IMA}, "e0f34c9ce12b99bc"},
	} {
		clip := sound(22050, c.channels)
		clip.Loops = []pcm.Loop{{Start: 10, End: 77}}
		file := encode(t, clip, c.o)
		if got := fmt.Sprintf("%.8x", sha256.Sum256(file)); got[:16] != c.sum {
			t.Errorf("%v, %d channels: sum %.16s, want %s", c.o.Coding, c.channels, got, c.sum)
		}
		if got, _ := decode(t, file); !slices.Equal(got.Loops, clip.Loops) || got.Frames() != clip.Frames() {
			t.Errorf("%v: %d frames with loops %v", c.o.Coding, got.Frames(), got.Loops)
		}
	}
}

// Programs that ignore the fact chunk play the last block of ADPCM to its end. If a loop ends with
// the sound, the block continues with the start of the loop.
func TestLastBlockContinuesWithTheLoop(t *testing.T) {
	clip := &pcm.Clip{Rate: 22050, Channels: 2}
	for i := range 500 {
		clip.Samples = append(clip.Samples, float32(i)/1000, float32(-i)/1000)
	}
	const frames = 500
	clip.Loops = []pcm.Loop{{Start: 300, End: frames}}
	file := encode(t, clip, Options{Coding: IMA})
	at := bytes.Index(file, []byte("fact"))
	binary.LittleEndian.PutUint32(file[at+8:], 0) // 0 means that the length is unknown
	got, _ := decode(t, file)
	if got.Frames() <= frames {
		t.Fatalf("%d frames of %d: the last block is not filled", got.Frames(), frames)
	}
	for i := frames; i < got.Frames(); i++ {
		want := clip.Samples[2*(300+(i-frames)%200)]
		if d := got.Samples[2*i] - want; i%200 > 120 && (d > 0.02 || d < -0.02) {
			t.Fatalf("frame %d is %v, want about %v", i, got.Samples[2*i], want)
		}
	}
}

// TestRounding expects samples to be rounded to nearest and clipped.
func TestRounding(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	for _, c := range []struct {
		x    float32
		bits int
		want int32
	}{
		{0.5, 8, 64}, {1, 8, 127}, {-1, 8, -128}, {1.5 / 128, 8, 2}, {2.5 / 128, 8, 2}, {-1.5 / 128, 8, -2},
		{1, 16, 32767}, {-7, 16, -32768}, {32766.6 / 32768, 16, 32767}, {inf, 16, 32767}, {-inf, 16, -32768}, {nan, 16, 0},
		{1, 24, 1<<23 - 1}, {1, 32, math.MaxInt32}, {-1, 32, math.MinInt32}, {0.25, 32, 1 << 29},
	} {
		if got := roundSample(c.x, c.bits); got != c.want {
			t.Errorf("%v to %d bits: %d, want %d", c.x, c.bits, got, c.want)
		}
	}
}

// TestChannelsHaveUsualSpeakers checks that every channel has one speaker, that left and right come
// in pairs, and that six or more channels include an LFE.
func TestChannelsHaveUsualSpeakers(t *testing.T) {
	for channels := 3; channels <= 8; channels++ {
		p := usualSpeakers(channels)
		pairs := p>>0&1 == p>>1&1 && p>>4&1 == p>>5&1 && p>>9&1 == p>>10&1
		if bits.OnesCount32(p) != channels || !pairs || p>>3&1 == 1 != (channels >= 6) || p>>2&1 == 1 != (channels != 4) {
			t.Errorf("%d channels: %b", channels, p)
		}
	}
	if usualSpeakers(9) != 0 {
		t.Error("nine channels have places")
	}
}

// TestChannelMask tests files with more than two channels. The mask must list the usual speakers,
// or be unusable. The back pair and the side pair are equivalent if only one of them is present.
// Mono and stereo may have any mask.
func TestChannelMask(t *testing.T) {
	const kept = ""
	for _, c := range []struct {
		channels int
		mask     uint32
		want     string
	}{
		{1, 0x4, kept}, {1, 0x1, kept}, {1, 0x8, kept}, {2, 0x3, kept}, {2, 0x600, kept}, {2, 0xc, kept},
		{3, 0x7, kept}, {4, 0x33, kept}, {4, 0x603, kept}, {5, 0x37, kept}, {5, 0x607, kept},
		{6, 0x3f, kept}, {6, 0x60f, kept}, {7, 0x70f, kept}, {8, 0x63f, kept}, {9, 0x1ff, kept},
		{3, 0, kept}, {3, 0x3, kept}, {3, 0xf, kept}, {6, 0xffffffff, kept},
		{3, 0xb, "wav: a sound of 3 channels for the speakers FL FR LFE is not supported; export it for FL FR FC, or as stereo"},
		{4, 0x107, "FL FR FC BC is not supported; export it for FL FR BL BR"},
		{5, 0xf | 1<<31, "FL FR FC LFE 0x80000000 is"},
		{6, 0x633, "FL FR BL BR SL SR is"},
		{7, 0x13f, "FL FR FC LFE BL BR BC is"},
		{8, 0xff, "FL FR FC LFE BL BR FLC FRC is not supported; export it for FL FR FC LFE BL BR SL SR"},
	} {
		clip := &pcm.Clip{Rate: 8000, Channels: max(c.channels, 3), Samples: make([]float32, 72*c.channels)}
		file := encode(t, clip, Options{Coding: PCM16})
		le := binary.LittleEndian
		le.PutUint16(file[22:], uint16(c.channels))
		le.PutUint16(file[32:], uint16(2*c.channels))
		le.PutUint32(file[40:], c.mask)
		_, info, err := Decode(t.Context(), file)
		_, probed := Probe(file, int64(len(file)))
		if c.want == kept {
			if err != nil || probed != nil || info.Channels != c.channels {
				t.Errorf("%d channels for %#x: %v, %v, %v", c.channels, c.mask, info, err, probed)
			}
			continue
		}
		for _, err := range []error{err, probed} {
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%d channels for %#x: %v, want %s", c.channels, c.mask, err, c.want)
			}
		}
	}
}

// TestDitherKeepsTheMean checks that dither keeps the mean of a constant and is reproducible. The
// error must not exceed one and a half steps.
func TestDitherKeepsTheMean(t *testing.T) {
	const x, n = 0.3 / 128, 100_000
	clip := &pcm.Clip{Rate: 8000, Channels: 1, Samples: slices.Repeat([]float32{x}, n)}
	file := encode(t, clip, Options{Coding: PCM8, Dither: true})
	if !bytes.Equal(file, encode(t, clip, Options{Coding: PCM8, Dither: true})) {
		t.Error("two runs differ")
	}
	got, _ := decode(t, file)
	sum := 0.
	for _, y := range got.Samples {
		sum += float64(y) * 128
		if d := math.Abs(float64(y-x)) * 128; d > 1.5 {
			t.Fatalf("%v became %v", x, y)
		}
	}
	if mean := sum / n; math.Abs(mean-0.3) > 0.01 {
		t.Errorf("the mean is %v steps, want 0.3", mean)
	}
	full := &pcm.Clip{Rate: 8000, Channels: 1, Samples: slices.Repeat([]float32{1, -1}, 1000)}
	got, _ = decode(t, encode(t, full, Options{Coding: PCM8, Dither: true}))
	for i, y := range got.Samples {
		if d := math.Abs(float64(y - full.Samples[i])); d > 3./128 {
			t.Fatalf("%v became %v", full.Samples[i], y)
		}
	}
}

// All functions check the context about once for each piece of samples.
func TestWAVStopsWithContext(t *testing.T) {
	clip := &pcm.Clip{Rate: 44100, Channels: 1, Samples: make([]float32, 4*piece)}
	for _, coding := range append(written, IMA) {
		file := encode(t, clip, Options{Coding: coding})
		var b bytes.Buffer
		if err := Encode(countdown.New(t.Context(), 3), &b, clip, Options{Coding: coding}); !errors.Is(err, context.Canceled) || b.Len() >= len(file) {
			t.Errorf("encoding %v: %v after %d of %d bytes", coding, err, b.Len(), len(file))
		}
		if _, _, err := Decode(countdown.New(t.Context(), 3), file); !errors.Is(err, context.Canceled) {
			t.Errorf("decoding %v: %v", coding, err)
		}
		if _, _, err := Decode(countdown.New(t.Context(), 5), file); err != nil {
			t.Errorf("decoding %v checks the context more often: %v", coding, err)
		}
	}
}

func TestClipsThatDoNotFitAreRefused(t *testing.T) {
	ok := pcm.Clip{Rate: 8000, Channels: 1, Samples: make([]float32, 10)}
	with := func(f func(c *pcm.Clip)) *pcm.Clip { c := ok; f(&c); return &c }
	looped := func(l pcm.Loop) *pcm.Clip { return with(func(c *pcm.Clip) { c.Loops = []pcm.Loop{l} }) }
	for _, c := range []struct {
		clip   *pcm.Clip
		coding Coding
		want   string
	}{
		{&ok, 0, "cook cannot write coding"},
		{&ok, Float64, "cannot write coding 64-bit float"},
		{&ok, MS, "cannot write coding Microsoft ADPCM"},
		{with(func(c *pcm.Clip) { c.Channels = 0 }), PCM16, "the sound has 0 channels, want 1 to 64"},
		{with(func(c *pcm.Clip) { c.Channels = 65 }), PCM16, "the sound has 65 channels, want 1 to 64"},
		{with(func(c *pcm.Clip) { c.Channels = 3 }), IMA, "3 channels, but players of IMA ADPCM support at most 2"},
		{with(func(c *pcm.Clip) { c.Rate = 0 }), PCM16, "0 frames a second"},
		{with(func(c *pcm.Clip) { c.Loops = make([]pcm.Loop, 1001) }), PCM16, "1001 loops, want at most 1000"},
		{looped(pcm.Loop{Start: -1, End: 4}), PCM16, "a loop goes from frame -1 to 4, but the sound has only 10 frames"},
		{looped(pcm.Loop{Start: 4, End: 4}), PCM16, "a loop goes from frame 4 to 4"},
		{looped(pcm.Loop{Start: 4, End: 11}), PCM16, "a loop goes from frame 4 to 11"},
		{looped(pcm.Loop{Start: 4, End: 9, Count: -1}), PCM16, "a loop goes from frame 4"},
	} {
		var b bytes.Buffer
		err := Encode(t.Context(), &b, c.clip, Options{Coding: c.coding})
		if err == nil || !strings.Contains(err.Error(), c.want) || b.Len() != 0 {
			t.Errorf("%v after %d bytes, want %q", err, b.Len(), c.want)
		}
	}
}

// FuzzDecode decodes any bytes and expects an error, or a clip that is not too large for the file's
// size. Encoding and decoding must preserve the clip. Probe must accept every file that Decode
// accepts.
func FuzzDecode(f *testing.F) {
	for _, name := range []string{"ff_u8", "sox_s24", "ff_f32le", "ff_f64le", "ff_mulaw", "ff_alaw", "sox_ima", "sox_ms", "ff_pipe"} {
		data := load(f, name)
		f.Add(data[:min(len(data), 400)])
	}
	clip := sound(8000, 3)
	clip.Samples = clip.Samples[:30]
	clip.Loops = []pcm.Loop{{Start: 1, End: 9}}
	f.Add(encode(f, clip, Options{Coding: PCM24}))
	f.Add(cueFile(10, "Loop", 2, 5))
	f.Fuzz(func(t *testing.T, data []byte) {
		_, probed := Probe(data, int64(len(data)))
		clip, info, err := Decode(t.Context(), data)
		if err != nil {
			return
		}
		if probed != nil {
			t.Fatalf("decoded, but Probe says %v", probed)
		}
		if n := len(clip.Samples); n > 2*len(data) || n != clip.Channels*int(info.Frames) {
			t.Fatalf("%d samples of %d bytes", n, len(data))
		}
		again, _, err := Decode(t.Context(), encode(t, clip, Options{Coding: Float32}))
		if err != nil || !slices.Equal(again.Samples, clip.Samples) || !reflect.DeepEqual(again.Loops, clip.Loops) {
			t.Fatalf("written and read again: %v", err)
		}
	})
}

func TestShortHeadAsksForMore(t *testing.T) {
	clip := sound(8000, 2)
	clip.Loops = []pcm.Loop{{Start: 1, End: 9}}
	file := encode(t, clip, Options{Coding: IMA})
	want, err := Probe(file, int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	enough := 0
	for n := 12; n <= len(file); n++ {
		got, err := Probe(file[:n], int64(len(file)))
		switch {
		case err == nil && got == want:
			enough++
		case !errors.Is(err, fileformat.ErrShortHead):
			t.Errorf("%d bytes: %+v, %v", n, got, err)
		case enough > 0:
			t.Errorf("%d bytes are not enough, but fewer were", n)
		}
	}
	// Probe needs the file up to the header of the data chunk, which follows fmt and fact.
	if data := 12 + 28 + 12 + 8; enough != len(file)-data+1 {
		t.Errorf("%d heads of %d were enough, want all from %d", enough, len(file), data)
	}
}

// BenchmarkTenSeconds measures ten seconds of stereo. B/op shows that Decode allocates little more
// than the clip, and Encode almost nothing.
func BenchmarkTenSeconds(b *testing.B) {
	base := sound(44100, 2)
	clip := &pcm.Clip{Rate: 44100, Channels: 2}
	for len(clip.Samples) < 2*441_000 {
		clip.Samples = append(clip.Samples, base.Samples...)
	}
	for _, coding := range []Coding{PCM16, PCM24, Float32, IMA} {
		o := Options{Coding: coding}
		b.Run(fmt.Sprintf("encode/%v", coding), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := Encode(b.Context(), io.Discard, clip, o); err != nil {
					b.Fatal(err)
				}
			}
		})
		file := encode(b, clip, o)
		b.Run(fmt.Sprintf("decode/%v", coding), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := Decode(b.Context(), file); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
