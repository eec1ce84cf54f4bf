package opus

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/assetcook/assetcook/internal/audio/ogg"
	"github.com/assetcook/assetcook/internal/audio/pcm"
	"github.com/assetcook/assetcook/internal/countdown"
	"github.com/thesyncim/gopus"
)

func encode(t testing.TB, clip *pcm.Clip, o Options) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Encode(t.Context(), &b, clip, o); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// page is an Ogg page (RFC 3533).
type page struct {
	flags   byte
	granule int64
	serial  uint32
	number  uint32
	packets [][]byte
}

// pages parses a file and checks the rules for every page.
func pages(t testing.TB, file []byte) []page {
	t.Helper()
	var list []page
	for len(file) > 0 {
		if len(file) < 27 || string(file[:5]) != "OggS\x00" {
			t.Fatalf("page %d does not start like a page", len(list))
		}
		le := binary.LittleEndian
		p := page{file[5], int64(le.Uint64(file[6:])), le.Uint32(file[14:]), le.Uint32(file[18:]), nil}
		head, sum := 27+int(file[26]), le.Uint32(file[22:])
		lacing, size := file[27:head], 0
		for _, n := range lacing {
			size += int(n)
		}
		whole := bytes.Clone(file[:head+size])
		copy(whole[22:], "\x00\x00\x00\x00")
		if got := plainCRC(whole); got != sum {
			t.Errorf("page %d: checksum %08x, want %08x", len(list), sum, got)
		}
		body := file[head : head+size]
		var packet []byte
		for _, n := range lacing {
			packet, body = append(packet, body[:n]...), body[n:]
			if n < 255 {
				p.packets, packet = append(p.packets, packet), nil
			}
		}
		if packet != nil {
			t.Errorf("page %d ends within a packet", len(list))
		}
		list, file = append(list, p), file[head+size:]
	}
	for i, p := range list {
		want := byte(0)
		if i == 0 {
			want |= 2
		}
		if i == len(list)-1 {
			want |= 4
		}
		if p.flags != want || p.number != uint32(i) || p.serial != list[0].serial {
			t.Errorf("page %d of %d: flags %d, number %d, serial %d", i, len(list), p.flags, p.number, p.serial)
		}
	}
	return list
}

// plainCRC computes the CRC bit by bit, as RFC 3533 defines it.
func plainCRC(p []byte) uint32 {
	crc := uint32(0)
	for _, b := range p {
		crc ^= uint32(b) << 24
		for range 8 {
			crc = crc<<1 ^ 0x04c11db7&-(crc>>31)
		}
	}
	return crc
}

// play decodes a file as specified by RFC 7845 and returns the samples in Ogg's channel order.
func play(t testing.TB, file []byte) []float32 {
	t.Helper()
	list := pages(t, file)
	head := list[0].packets[0]
	channels, preSkip := int(head[9]), int(binary.LittleEndian.Uint16(head[10:]))
	var dec interface {
		Decode([]byte, []float32) (int, error)
	}
	var err error
	if head[18] == 0 {
		dec, err = gopus.NewDecoder(gopus.DefaultDecoderConfig(Rate, channels))
	} else {
		dec, err = gopus.NewMultistreamDecoder(Rate, channels, int(head[19]), int(head[20]), head[21:])
	}
	if err != nil {
		t.Fatal(err)
	}
	var samples []float32
	total := 0
	for i, p := range list[2:] {
		for _, packet := range p.packets {
			out := make([]float32, 5760*channels)
			n, err := dec.Decode(packet, out)
			if err != nil {
				t.Fatal(err)
			}
			samples = append(samples, out[:n*channels]...)
			total += n
		}
		if last := i == len(list)-3; p.granule != int64(total) && !last || p.granule > int64(total) || p.granule <= int64(total-packetFrames) {
			t.Errorf("page %d ends at %d, its packets at %d", i+2, p.granule, total)
		}
	}
	return samples[preSkip*channels : int(list[len(list)-1].granule)*channels]
}

// sines returns a clip with two different notes on each channel.
func sines(channels, frames int) *pcm.Clip {
	clip := &pcm.Clip{Rate: Rate, Channels: channels}
	for i := range frames {
		for c := range channels {
			low := math.Sin(float64(i) * float64(c+1) * 0.011)
			high := math.Sin(float64(i) * float64(c+2) * 0.023)
			clip.Samples = append(clip.Samples, float32(low+high)/4)
		}
	}
	return clip
}

func ratio(want, got []float32) float64 {
	signal, miss := 0., 1e-12
	for i, x := range want {
		signal += float64(x) * float64(x)
		miss += (float64(x) - float64(got[i])) * (float64(x) - float64(got[i]))
	}
	return 10 * math.Log10(signal/miss)
}

// Decoded sound must have exactly the length and position of the original. A shift by one frame
// would reduce the signal-to-noise ratio of the high notes to 15 dB.
func TestDecodedSoundKeepsLengthAndPlace(t *testing.T) {
	for _, frames := range []int{1, 647, 648, 649, 960, 50*960 - 312, 50*960 - 311, 50_000} {
		for _, channels := range []int{1, 2} {
			clip := sines(channels, frames)
			got := play(t, encode(t, clip, Options{Bitrate: 96_000 * channels}))
			if len(got) != len(clip.Samples) {
				t.Fatalf("%d samples, want %d", len(got), len(clip.Samples))
			}
			if r := ratio(clip.Samples, got); frames > 40_000 && r < 28 {
				t.Errorf("%d frames of %d channels: %.1f dB", frames, channels, r)
			}
		}
	}
	empty := &pcm.Clip{Rate: Rate, Channels: 1}
	if got := play(t, encode(t, empty, Options{})); len(got) != 0 {
		t.Errorf("%d samples of nothing", len(got))
	}
}

// Channels are written in Ogg's order: front from left to right, the back, and the LFE last.
func TestChannelsAreInOggOrder(t *testing.T) {
	for channels, order := range map[int]string{
		3: "FL FC FR", 4: "FL FR BL BR", 5: "FL FC FR BL BR", 6: "FL FC FR BL BR LFE",
		7: "FL FC FR SL SR BC LFE", 8: "FL FC FR SL SR BL BR LFE",
	} {
		wav := strings.Fields(map[int]string{
			3: "FL FR FC", 4: "FL FR BL BR", 5: "FL FR FC BL BR", 6: "FL FR FC LFE BL BR",
			7: "FL FR FC LFE BC SL SR", 8: "FL FR FC LFE BL BR SL SR",
		}[channels])
		clip := sines(channels, 9600)
		got := play(t, encode(t, clip, Options{}))
		for at, name := range strings.Fields(order) {
			from := slices.Index(wav, name)
			best, most := -1, 0.
			for c := range channels {
				product := 0.
				for i := 0; i < len(got); i += channels {
					product += float64(got[i+at]) * float64(clip.Samples[i+c])
				}
				if product > most {
					best, most = c, product
				}
			}
			if best != from {
				t.Errorf("%d channels: %s is input channel %d, want %d", channels, name, best, from)
			}
		}
	}
}

func TestHeaders(t *testing.T) {
	clip := sines(2, 1000)
	clip.Loops = []pcm.Loop{{Start: 100, End: 900}}
	list := pages(t, encode(t, clip, Options{SourceRate: 44100}))
	head := "OpusHead\x01\x02\x38\x01\x44\xac\x00\x00\x00\x00\x00" // the pre-skip is 312
	if got := list[0].packets; len(got) != 1 || string(got[0]) != head || list[0].granule != 0 {
		t.Errorf("%q", got)
	}
	tags := "OpusTags\x09\x00\x00\x00assetcook\x02\x00\x00\x00\x0d\x00\x00\x00LOOPSTART=100" +
		"\x0e\x00\x00\x00LOOPLENGTH=800"
	if got := list[1].packets; len(got) != 1 || string(got[0]) != tags || list[1].granule != 0 {
		t.Errorf("%q", got)
	}
	six := pages(t, encode(t, sines(6, 10), Options{}))[0].packets[0]
	if want := "\x00\x00\x01\x04\x02\x00\x04\x01\x02\x03\x05"; string(six[16:]) != want || six[9] != 6 {
		t.Errorf("%q, want it to end in %q", six, want)
	}
	if got := string(comments(nil)); got != "OpusTags\x09\x00\x00\x00assetcook\x00\x00\x00\x00" {
		t.Errorf("%q", got)
	}
}

// TestPages writes packets of many sizes. Sizes that are multiples of 255 need one more lacing
// value. Some numbers of segments or packets fill a page.
func TestPages(t *testing.T) {
	var b bytes.Buffer
	p := ogg.NewWriter(&b, 9)
	var want [][]byte
	for i, size := range []int{0, 1, 254, 255, 256, 509, 510, 511, 60_000, 6000, 65_024} {
		want = append(want, bytes.Repeat([]byte{byte(i)}, size))
	}
	for range 120 {
		want = append(want, []byte("x"))
	}
	for i, packet := range want {
		if err := p.Packet(packet, int64(i+1)); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	var got [][]byte
	for _, page := range pages(t, b.Bytes()) {
		got = append(got, page.packets...)
		if page.granule != int64(len(got)) || len(page.packets) > 50 {
			t.Errorf("page %d: %d packets, ends at %d, want %d", page.number, len(page.packets), page.granule, len(got))
		}
	}
	if !slices.EqualFunc(got, want, bytes.Equal) {
		t.Errorf("%d packets, want %d, or others", len(got), len(want))
	}
	if got := fmt.Sprintf("%.8x", sha256.Sum256(b.Bytes())); got != "38362a5c5a7b9f5f" {
		t.Errorf("sum %s, want the sum of pages that opusdec could read", got)
	}
}

// All processors must write the same bytes. The hash was computed on amd64. If it changes,
// increment the version of the recipe.
func TestGolden(t *testing.T) {
	sum := sha256.New()
	for _, channels := range []int{1, 2, 6} {
		for _, rate := range []int{0, 16_000 * channels, 128_000 * channels} {
			sum.Write(encode(t, probe(channels), Options{Bitrate: rate}))
		}
	}
	if got := fmt.Sprintf("%.8x", sum.Sum(nil)); got != "f87e8b98ce379334" {
		t.Errorf("the encoded probe has the sum %s", got)
	}
}

// TestEncodingIsReproducible also checks that different sounds have different serial numbers.
func TestEncodingIsReproducible(t *testing.T) {
	clip := probe(2)
	a := encode(t, clip, Options{})
	if !bytes.Equal(a, encode(t, clip, Options{})) {
		t.Error("two runs differ")
	}
	short := *clip
	short.Samples = short.Samples[2:]
	if b := encode(t, &short, Options{}); pages(t, a)[0].serial == pages(t, b)[0].serial {
		t.Error("a shorter sound has the same serial")
	}
}

// TestSilenceAndExtremeOptionsAreEncoded must also pass on 32-bit systems.
func TestSilenceAndExtremeOptionsAreEncoded(t *testing.T) {
	for channels := 1; channels <= MaxChannels; channels++ {
		silence := &pcm.Clip{Rate: Rate, Channels: channels, Samples: make([]float32, 5000*channels)}
		loud := probe(channels)
		loud.Samples = loud.Samples[:5000*channels]
		for _, o := range []Options{
			{Bitrate: MinBitrate * channels},
			{Bitrate: MaxBitrate * channels},
		} {
			for _, clip := range []*pcm.Clip{silence, loud} {
				if got := play(t, encode(t, clip, o)); len(got) != len(clip.Samples) {
					t.Errorf("%d channels, %+v: %d samples", channels, o, len(got))
				}
			}
		}
	}
}

// A higher bit rate must give a better sound and a larger file. The default bit rate for stereo is
// 96 kbit/s.
func TestBitrate(t *testing.T) {
	clip := probe(2)
	before, size := 0., 0
	for _, rate := range []int{24_000, 64_000, 128_000, 320_000} {
		file := encode(t, clip, Options{Bitrate: rate})
		r := ratio(clip.Samples, play(t, file))
		if r <= before || len(file) <= size {
			t.Errorf("%d bits a second: %.1f dB in %d bytes, after %.1f in %d", rate, r, len(file), before, size)
		}
		if got := 16 * len(file); got < rate*2/3 || got > rate*3/2 {
			t.Errorf("%d bits a second: half a second takes %d bytes", rate, len(file))
		}
		before, size = r, len(file)
	}
	if !bytes.Equal(encode(t, clip, Options{}), encode(t, clip, Options{Bitrate: 96_000})) {
		t.Error("the default for stereo is not 96000")
	}
}

func TestBadClipsAreRefused(t *testing.T) {
	nan := float32(math.NaN())
	loop := func(l ...pcm.Loop) pcm.Clip {
		return pcm.Clip{Rate: Rate, Channels: 1, Samples: make([]float32, 10), Loops: l}
	}
	for _, c := range []struct {
		clip pcm.Clip
		o    Options
		want string
	}{
		{pcm.Clip{Rate: 44100, Channels: 1}, Options{}, "44100 Hz, want 48000; resample"},
		{pcm.Clip{Rate: Rate}, Options{}, "0 channels"},
		{pcm.Clip{Rate: Rate, Channels: 9}, Options{}, "the sound has 9 channels, want 1 to 8"},
		{loop(), Options{Bitrate: 5999}, "5999 bits a second, want 6000 to 256000 for 1"},
		{loop(), Options{Bitrate: 256_001}, "256001 bits a second"},
		{loop(), Options{SourceRate: -1}, "source rate of -1"},
		{loop(pcm.Loop{End: 1}, pcm.Loop{End: 2}), Options{}, "2 loops, but the format holds only one"},
		{loop(pcm.Loop{End: 1, PingPong: true}), Options{}, "a ping-pong loop"},
		{loop(pcm.Loop{End: 1, Count: 3}), Options{}, "played 3 times"},
		{loop(pcm.Loop{Start: 3, End: 3}), Options{}, "from frame 3 to 3"},
		{loop(pcm.Loop{Start: -1, End: 3}), Options{}, "from frame -1 to 3"},
		{loop(pcm.Loop{Start: 3, End: 11}), Options{}, "from frame 3 to 11, but the sound has only 10 frames"},
		{pcm.Clip{Rate: Rate, Channels: 2, Samples: []float32{0, 0, 0, nan}}, Options{}, "frame 1 is not a number"},
	} {
		err := Encode(t.Context(), new(bytes.Buffer), &c.clip, c.o)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
	// Encode must clip samples beyond full scale, even infinity.
	loud := pcm.Clip{Rate: Rate, Channels: 1, Samples: slices.Repeat([]float32{float32(math.Inf(1)), -1e30}, 1000)}
	full := pcm.Clip{Rate: Rate, Channels: 1, Samples: slices.Repeat([]float32{1, -1}, 1000)}
	if !bytes.Equal(encode(t, &loud, Options{}), encode(t, &full, Options{})) {
		t.Error("loud samples are not clipped")
	}
}

func TestEncodingStopsWithContext(t *testing.T) {
	clip := sines(1, 9*packetFrames)
	var b bytes.Buffer
	if err := Encode(countdown.New(t.Context(), 9), &b, clip, Options{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if list := b.Len(); list == 0 || list > 200 {
		t.Errorf("%d bytes, want only the two headers", list)
	}
	if err := Encode(countdown.New(t.Context(), 10), &b, clip, Options{}); err != nil {
		t.Error(err)
	}
}

type broken struct{ packetEncoder }

func (broken) Encode([]int16, []byte) (int, error) { panic("index out of range") }

type mute struct{ packetEncoder }

func (mute) Encode([]int16, []byte) (int, error) { return 0, nil }

type several struct{ packetEncoder }

func (several) Encode(_ []int16, packet []byte) (int, error) { packet[0] = 1; return 9, nil }

func TestLibraryFailuresAreErrors(t *testing.T) {
	for want, e := range map[string]packetEncoder{
		"index out of range": broken{}, "no packet": mute{}, "several frames": several{},
	} {
		s := &stream{packetEncoder: e, packet: make([]byte, maxPacket)}
		if _, err := s.appendPacket(nil, false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func BenchmarkEncode(b *testing.B) {
	clip := probe(2)
	for b.Loop() {
		encode(b, clip, Options{})
	}
}

// probe returns half a second of rising notes with some noise. It uses integer arithmetic.
func probe(channels int) *pcm.Clip {
	clip := &pcm.Clip{Rate: Rate, Channels: channels, Samples: make([]float32, Rate/2*channels)}
	seed, phase := uint32(1), uint32(0)
	for i := range clip.Samples {
		frame, c := i/channels, i%channels
		seed = seed*1664525 + 1013904223
		noise := int32(seed) >> (17 + frame/3000%6)
		if c == 0 {
			phase += uint32(20_000_000 + 5_000_000*(frame/4000))
		}
		note := int32(phase*uint32(1+c)) >> 16
		note = max(note, -note) - 1<<14
		clip.Samples[i] = float32(note+noise) / (1 << 16)
	}
	return clip
}
