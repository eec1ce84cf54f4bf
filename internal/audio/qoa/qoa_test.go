package qoa

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/assetcook/assetcook/internal/audio/pcm"
	"github.com/assetcook/assetcook/internal/countdown"
	"pgregory.net/rapid"
)

// sound makes 16-bit noise with varying loudness and low-pass filtering. The noise has jumps
// between the ends of the scale, so it exercises all scale factors and the clamps. All arithmetic
// uses integers.
func sound(rate, channels, frames int) *pcm.Clip {
	clip := &pcm.Clip{Rate: rate, Channels: channels, Samples: make([]float32, frames*channels)}
	seed, level := uint32(1), make([]int32, channels)
	for i := range clip.Samples {
		seed = seed*1664525 + 1013904223
		c, at := i%channels, i/channels
		loud := uint(at / 700 % 16) // number of low bits removed from the noise
		noise := int32(seed) >> (16 + loud)
		level[c] += (noise - level[c]) >> (at / 1100 % 4)
		x := level[c]
		if at%3001 < 40 {
			x = 32767 - 65535*int32(at/10%2)
		}
		clip.Samples[i] = float32(x) / (1 << 15)
	}
	return clip
}

func encode(t testing.TB, clip *pcm.Clip) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Encode(t.Context(), &b, clip); err != nil {
		t.Fatal(err)
	}
	if want := size(int64(clip.Frames()), clip.Channels); int64(b.Len()) != want {
		t.Errorf("%d bytes, Size says %d", b.Len(), want)
	}
	return b.Bytes()
}

// The reference encoder (qoa.h of phoboslab/qoa) writes the same bytes and decodes them to the same
// samples. The hashes were computed with it.
func TestReferenceWritesTheSameBytes(t *testing.T) {
	for _, c := range []struct {
		rate, channels, frames int
		file, samples          string
	}{
		{44100, 1, 11111, "17efc8629ed6d411", "19be65bae8b19c43"},
		{48000, 2, 10240, "ae816188dbd020f8", "576157f5fb2fa9ff"},
		{22050, 6, 5121, "49c66647033c2b54", "89b9ae1ec48f5a89"},
	} {
		t.Run(fmt.Sprint(c.channels), func(t *testing.T) {
			file := encode(t, sound(c.rate, c.channels, c.frames))
			if got := fmt.Sprintf("%x", sha256.Sum256(file)); got[:16] != c.file {
				t.Errorf("the file's sum is %.16s, the reference writes %s", got, c.file)
			}
			clip, err := Decode(t.Context(), file)
			if err != nil {
				t.Fatal(err)
			}
			if clip.Rate != c.rate || clip.Channels != c.channels || clip.Frames() != c.frames {
				t.Errorf("%d frames of %d channels at %d Hz", clip.Frames(), clip.Channels, clip.Rate)
			}
			var raw []byte
			for _, x := range clip.Samples {
				raw = binary.LittleEndian.AppendUint16(raw, uint16(int16(x*(1<<15))))
			}
			if got := fmt.Sprintf("%x", sha256.Sum256(raw)); got[:16] != c.samples {
				t.Errorf("the samples' sum is %.16s, the reference decodes %s", got, c.samples)
			}
		})
	}
}

func TestFileWithoutLengthIsReadToItsEnd(t *testing.T) {
	file := encode(t, sound(8000, 2, 6000))
	want, err := Decode(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	copy(file[4:], "\x00\x00\x00\x00")
	got, err := Decode(t.Context(), file)
	if err != nil || !slices.Equal(got.Samples, want.Samples) {
		t.Errorf("error %v, or the samples differ", err)
	}
	if _, err := Decode(t.Context(), file[:len(file)-1]); err == nil {
		t.Error("a torn stream was taken")
	}
	short := file[fileHeader+frameSize(frameSamples, 2):]
	if _, err := Decode(t.Context(), slices.Concat(file[:fileHeader], short, short)); err == nil {
		t.Error("a stream with a short frame in its middle was taken")
	}
}

// TestSearchIsExhaustive compares the optimized search with a simple one, which tries all scale
// factors upwards from the previous one.
func TestSearchIsExhaustive(t *testing.T) {
	e := encoder{tables: lookup()}
	rapid.Check(t, func(rt *rapid.T) {
		seed := rapid.Uint32().Draw(rt, "seed")
		quiet := rapid.IntRange(0, 15).Draw(rt, "quiet") // number of low bits removed from the noise
		s := state{predictor: newPredictor(), scale: rapid.IntRange(0, 15).Draw(rt, "scale")}
		heavy := rapid.Int32Range(0, 30_000).Draw(rt, "heavy")
		for i := range s.weights { // large weights add a penalty
			s.weights[i] += heavy * int32(1-i&1*2)
		}
		length := rapid.IntRange(1, sliceLen).Draw(rt, "length")
		for range rapid.IntRange(1, 100).Draw(rt, "slices") {
			samples := make([]int32, length) // a small number of samples makes equal errors common
			for i := range samples {
				seed = seed*1664525 + 1013904223
				samples[i] = int32(seed) >> (16 + quiet)
			}
			want, after := plainSlice(s, samples)
			want <<= 3 * (sliceLen - length)
			if got := e.encodeSlice(&s, samples); got != want || s != after {
				rt.Fatalf("%016x and %v, want %016x and %v", got, s, want, after)
			}
		}
	})
}

func plainSlice(s state, samples []int32) (code uint64, after state) {
	t, least := lookup(), uint64(math.MaxUint64)
	for turn := range 16 {
		scale := (s.scale + turn) % 16
		try, word, rank := state{s.predictor, scale}, uint64(scale), uint64(0)
		for _, sample := range samples {
			predicted := try.predictSample()
			residual := sample - predicted
			q := (residual*t.reciprocal[scale] + 1<<15) >> 16
			q += int32(cmp.Compare(residual, 0) - cmp.Compare(q, 0))
			st := t.steps[scale][min(max(q, -8), 8)+8]
			got, heavy := clampInt16(predicted+st.value), int64(0)
			for _, w := range try.weights {
				heavy += int64(w) * int64(w)
			}
			heavy = max(heavy>>18-0x8ff, 0)
			rank += uint64(int64(sample-got)*int64(sample-got) + heavy*heavy)
			try.adaptWeights(got, st.value)
			word = word<<3 | uint64(st.code)
		}
		if rank < least {
			least, code, after = rank, word, try
		}
	}
	return code, after
}

func TestSilenceStaysAlmostSilent(t *testing.T) {
	clip, err := Decode(t.Context(), encode(t, &pcm.Clip{Rate: 8000, Channels: 3, Samples: make([]float32, 3*6000)}))
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range clip.Samples {
		if x < -2./(1<<15) || x > 2./(1<<15) {
			t.Fatalf("sample %d is %v", i, x)
		}
	}
}

// TestDecodingMayStartAtAnyFrame checks that the state at the start of a frame is complete, even if
// weights exceed 16 bits.
func TestDecodingMayStartAtAnyFrame(t *testing.T) {
	s := state{predictor: predictor{weights: [4]int32{40000, -40000, 5, -5}, history: [4]int32{-32768, 32767, 1, -1}}}
	var raw [stateSize]byte
	s.putState(raw[:])
	var p predictor
	p.loadState(raw[:])
	if p != s.predictor || p.weights != [4]int32{32767, -32768, 5, -5} {
		t.Errorf("the encoder continues with %v, the decoder with %v", s.predictor, p)
	}
	file := encode(t, sound(8000, 1, 3*frameSamples))
	whole, err := Decode(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	size := frameSize(frameSamples, 1)
	tail := slices.Concat([]byte("qoaf\x00\x00\x00\x00"), file[fileHeader+2*size:])
	part, err := Decode(t.Context(), tail)
	if err != nil || !slices.Equal(part.Samples, whole.Samples[2*frameSamples:]) {
		t.Errorf("error %v, or the samples differ", err)
	}
}

func TestRounding(t *testing.T) {
	nan := float32(math.NaN())
	for x, want := range map[float32]int32{
		0: 0, 1: 32767, -1: -32768, 7: 32767, -7: -32768, nan: 0,
		float32(math.Inf(1)): 32767, float32(math.Inf(-1)): -32768,
		1.5 / 32768: 2, 2.5 / 32768: 2, -1.5 / 32768: -2, 32766.6 / 32768: 32767, -32767.4 / 32768: -32767,
	} {
		if got := roundInt16(x); got != want {
			t.Errorf("%v became %d, want %d", x, got, want)
		}
	}
}

func TestUnfitClipsAreRefused(t *testing.T) {
	for _, c := range []struct {
		clip pcm.Clip
		want string
	}{
		{pcm.Clip{Rate: 8000, Channels: 1}, "the sound is empty"},
		{pcm.Clip{Rate: 8000, Samples: make([]float32, 1)}, "the sound has 0 channels, want 1 to 8"},
		{pcm.Clip{Rate: 8000, Channels: 9, Samples: make([]float32, 9)}, "the sound has 9 channels, want 1 to 8"},
		{pcm.Clip{Channels: 1, Samples: make([]float32, 1)}, "0 Hz, want 1 to 16777215"},
		{pcm.Clip{Rate: 1 << 24, Channels: 1, Samples: make([]float32, 1)}, "16777216 Hz"},
	} {
		var b bytes.Buffer
		err := Encode(t.Context(), &b, &c.clip)
		if err == nil || !strings.Contains(err.Error(), c.want) || b.Len() != 0 {
			t.Errorf("%v and %d bytes, want %q and none", err, b.Len(), c.want)
		}
	}
}

func TestBadQOAIsRefused(t *testing.T) {
	good := encode(t, sound(8000, 2, 6000))
	second := fileHeader + frameSize(frameSamples, 2)
	change := func(at int, to ...byte) []byte {
		bad := bytes.Clone(good)
		copy(bad[at:], to)
		return bad
	}
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"empty", nil, "not a QOA file"},
		{"other magic", change(0, 'Q'), "not a QOA file"},
		{"no frame", good[:8], "ends before sample 0 of 6000"},
		{"no frame, no length", []byte("qoaf\x00\x00\x00\x00"), "the file has no frame"},
		{"torn frame header", good[:second+7], "ends before sample 5120 of 6000"},
		{"torn frame", good[:len(good)-1], "the file is cut short"},
		{"long claim", change(4, 0xff, 0xff, 0xff, 0xff), "a frame has 880 samples, but all frames except the last must have 5120; export the file again"},
		{"short claim", change(4, 0, 0, 0x14, 1), "a frame has 880 samples, but the file header allows only 1 more; export the file again"},
		{"longer than claimed", change(4, 0, 0, 0, 9), "a frame has 5120 samples, but the file header allows only 9 more; export the file again"},
		{"no channel", change(8, 0), "a frame has 0 channels, want 1 to 8"},
		{"many channels", change(8, 9), "a frame has 9 channels, want 1 to 8"},
		{"no rate", change(9, 0, 0, 0), "the sample rate of a frame is 0; export the file again"},
		{"other channels", change(second, 1), "a frame has 1 channels at 8000 Hz, the frames before it have 2 at 8000 Hz; convert all parts to the same format"},
		{"other rate", change(second+1, 0, 0x1f, 0x41), "a frame has 2 channels at 8001 Hz, the frames before it have 2 at 8000 Hz; convert all parts to the same format"},
		{"the sound is empty", change(12, 0, 0), "a frame has 0 samples, want 1 to"},
		{"many samples", change(12, 0xff, 0xff), "a frame has 65535 samples, want 1 to"},
		{"frame size", change(14, 0, 8), "a frame has 8 bytes, but its 5120 samples need 4136; export the file again"},
	} {
		if _, err := Decode(t.Context(), c.data); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// Encoding and decoding check the context once for each frame.
func TestQOAStopsWithContext(t *testing.T) {
	clip := sound(8000, 1, 4*frameSamples)
	var b bytes.Buffer
	err := Encode(countdown.New(t.Context(), 2), &b, clip)
	if want := fileHeader + 2*frameSize(frameSamples, 1); !errors.Is(err, context.Canceled) || b.Len() != want {
		t.Errorf("%v after %d bytes, want %d", err, b.Len(), want)
	}
	file := encode(t, clip)
	if _, err := Decode(countdown.New(t.Context(), 3), file); !errors.Is(err, context.Canceled) {
		t.Errorf("decoding: %v", err)
	}
	if _, err := Decode(countdown.New(t.Context(), 4), file); err != nil {
		t.Errorf("decoding checks the context more than once a frame: %v", err)
	}
}

// FuzzDecode decodes any bytes and expects an error, or a clip that is not too large for the file's
// size. The clip is encoded again.
func FuzzDecode(f *testing.F) {
	f.Add(encode(f, sound(8000, 1, 30)))
	f.Add(encode(f, sound(8000, 2, 5141)))
	f.Add([]byte("qoaf\xff\xff\xff\xff\x01\x00\x00\x01\x00\x01\x00\x20" + strings.Repeat("\x7f\xff", 12)))
	f.Add([]byte("qoaf\x00\x00\x00\x00\x01\x00\x00\x01\x00\x01\x00\x20" + strings.Repeat("\x7f\xff", 12)))
	f.Fuzz(func(t *testing.T, data []byte) {
		clip, err := Decode(t.Context(), data)
		if err != nil {
			return
		}
		if n := len(clip.Samples); 4*n > 10*len(data) || n != clip.Frames()*clip.Channels {
			t.Fatalf("%d samples of %d bytes", n, len(data))
		}
		if again, err := Decode(t.Context(), encode(t, clip)); err != nil || again.Frames() != clip.Frames() {
			t.Fatalf("encoded again: %v", err)
		}
	})
}

func BenchmarkEncode(b *testing.B) {
	clip := sound(44100, 2, 44100)
	b.SetBytes(int64(2 * len(clip.Samples)))
	for b.Loop() {
		encode(b, clip)
	}
}

func BenchmarkDecode(b *testing.B) {
	file := encode(b, sound(44100, 2, 44100))
	b.SetBytes(4 * 44100)
	for b.Loop() {
		if _, err := Decode(b.Context(), file); err != nil {
			b.Fatal(err)
		}
	}
}

// size returns how many bytes Encode writes for a clip with the given number of frames.
func size(frames int64, channels int) int64 {
	blocks := (frames + frameSamples - 1) / frameSamples
	slices := (frames + sliceLen - 1) / sliceLen
	return fileHeader + blocks*frameHeader + int64(channels)*(blocks*stateSize+slices*sliceSize)
}
