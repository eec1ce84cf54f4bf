package flac

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/assetcook/assetcook/internal/audio/pcm"
	"github.com/assetcook/assetcook/internal/countdown"
)

// triangle is the sound of the files in testdata, made by flac 1.4.2 (pipe.flac by ffmpeg):
// triangle waves of rising frequency, in integers.
func triangle(frame, channel, bits int) int64 {
	i := int64(frame)
	p := (i*i/int64(40+10*channel) + i*37) % 4096
	t := max(p-2048, 2048-p) - 1024
	return t * (1<<(bits-1) - 1) >> 10 * 3 >> 2
}

// turns is the sound of turns.flac, which has two channels. flac stores some blocks as left and
// difference, some as right and difference, and some as mean and difference.
func turns(frame, channel int) int64 {
	common, little := triangle(frame, 0, 16), triangle(frame*3+1, 1, 16)>>7
	switch part := frame / 256 % 3; {
	case part == 2 && channel == 1:
		return common - little
	case part == 2, part == 1 && channel == 0, part == 0 && channel == 1:
		return common + little
	}
	return common
}

func read(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestSamplesAreExact(t *testing.T) {
	for _, c := range []struct {
		name                         string
		rate, channels, bits, frames int
		shift                        int // left shift of the expected samples
	}{
		{"tri8.flac", 8000, 1, 8, 1200, 0},
		{"tri16.flac", 44100, 2, 16, 2500, 0},
		{"tri16fast.flac", 44100, 2, 16, 2500, 0},
		{"big.flac", 44100, 2, 16, 2500, 0},
		{"pipe.flac", 44100, 2, 16, 2500, 0}, // file without a length in its header
		{"tri20w.flac", 48000, 1, 24, 1000, 4},
		{"tri24.flac", 96000, 2, 24, 1500, 0},
		{"tri32.flac", 48000, 1, 32, 1000, 0},
		{"tri6ch.flac", 48000, 6, 16, 600, 0},
		{"turns.flac", 44100, 2, 16, 3072, 0},
	} {
		got, err := Decode(t.Context(), read(t, c.name))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got.Rate != c.rate || got.Channels != c.channels || got.Frames() != c.frames || got.Loops != nil {
			t.Errorf("%s: %d Hz, %d channels, %d frames, loops %v", c.name, got.Rate, got.Channels, got.Frames(), got.Loops)
			continue
		}
		for i, v := range got.Samples {
			whole := triangle(i/c.channels, i%c.channels, c.bits-c.shift) << c.shift
			if c.name == "turns.flac" {
				whole = turns(i/2, i%2)
			}
			want := float64(whole) / float64(int64(1)<<(c.bits-1))
			if v != float32(want) {
				t.Errorf("%s: sample %d is %v, want %v", c.name, i, v, float32(want))
				break
			}
		}
	}
}

func TestLoopsAreRead(t *testing.T) {
	got, err := Decode(t.Context(), read(t, "loop.flac"))
	if err != nil {
		t.Fatal(err)
	}
	if want := (pcm.Loop{Start: 100, End: 2000}); len(got.Loops) != 1 || got.Loops[0] != want {
		t.Errorf("loops %+v, want %+v", got.Loops, want)
	}
}

func TestID3TagsAreSkipped(t *testing.T) {
	data := read(t, "tri8.flac")
	tag := append([]byte("ID3\x03\x00\x00\x00\x00\x01\x05"), make([]byte, 0x85)...)
	for name, d := range map[string][]byte{
		"in front":            append(bytes.Clone(tag), data...),
		"behind":              append(bytes.Clone(data), "TAG..."...),
		"behind, no length":   append(bytes.Clone(read(t, "pipe.flac")), "TAG..."...),
		"in front and longer": append(bytes.Clone(tag), data...)[:len(tag)+100],
	} {
		_, err := Decode(t.Context(), d)
		if cut := strings.Contains(name, "longer"); (err != nil) != cut {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Decode(t.Context(), tag[:50]); err == nil {
		t.Error("a tag alone")
	}
}

// TestEveryWrongByteIsDetected changes each byte of a file and expects an error. Exceptions are
// block sizes, frame sizes and the vendor's name, which do not affect the sound.
func TestEveryWrongByteIsDetected(t *testing.T) {
	data := read(t, "tri8.flac")
	if _, err := Decode(t.Context(), data); err != nil {
		t.Fatal(err)
	}
	frames, _, err := readMetadataBlocks(data)
	if err != nil {
		t.Fatal(err)
	}
	free := func(i int) bool { return i >= 8 && i < 18 || i >= 8+streamInfo && i < frames }
	for i := range data {
		d := bytes.Clone(data)
		d[i] ^= 0x41
		got, err := Decode(t.Context(), d)
		if err == nil && !free(i) {
			t.Errorf("byte %d: no error, %d frames", i, got.Frames())
		}
	}
	for n := range data {
		if _, err := Decode(t.Context(), data[:n]); err == nil {
			t.Errorf("cut to %d bytes: no error", n)
		}
	}
}

func TestBadFLACIsRefused(t *testing.T) {
	data := read(t, "tri8.flac")
	change := func(at int, b ...byte) []byte {
		d := bytes.Clone(data)
		copy(d[at:], b)
		return d
	}
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"nothing", nil, "the file has no FLAC header; export it again"},
		{"2^36 frames", change(8+13, data[8+13]|0x0f, 0xff, 0xff, 0xff, 0xff), "more than"},
		{"more frames than there are", change(8+17, 0xff), "ends after 1200"},
		{"fewer frames than there are", change(8+16, 1, 0), "more FLAC frames"},
		{"0 Hz", change(8+10, 0, 0, data[8+12]&0x0f), "0 Hz"},
		{"other channels", change(8+12, data[8+12]|2), "a frame has 1 channels of 8 bits at 8000 Hz, the frames before it have 2 of 8 bits at 8000 Hz; split the file"},
		{"another rate in mid-stream", rateOf(read(t, "turns.flac"), 5, 10), "a frame has 2 channels of 16 bits at 48000 Hz, the frames before it have 2 of 16 bits at 44100 Hz; split the file"},
		{"another MD5", change(8+18, ^data[8+18]), "MD5"},
	} {
		if _, err := Decode(t.Context(), c.data); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want an error with %q", c.name, err, c.want)
		}
	}
}

// rateOf changes the rate in the header of the n-th frame, and updates the checksums.
func rateOf(file []byte, n int, code byte) []byte {
	file = bytes.Clone(file)
	var starts []int
	for i := 8 + streamInfo; i+6 < len(file); i++ {
		// This is the header of a frame with a fixed block size, a one-byte frame number and a
		// correct checksum.
		if file[i] == 0xff && file[i+1] == 0xf8 && checksum8(file[i:i+5]) == file[i+5] {
			starts = append(starts, i)
		}
	}
	starts = append(starts, len(file))
	frame := file[starts[n]:starts[n+1]]
	frame[2] = frame[2]&0xf0 | code
	frame[5] = checksum8(frame[:5])
	binary.BigEndian.PutUint16(frame[len(frame)-2:], checksum16(frame[:len(frame)-2]))
	return file
}

// The header of a file of a hundred bytes may declare hours of sound, because silence takes few
// bytes. Decode must not allocate memory for the declared length.
func TestClaimedLengthIsNotAllocated(t *testing.T) {
	for _, name := range []string{"tri8.flac", "tri16.flac", "pipe.flac", "tri6ch.flac"} {
		data := read(t, name)
		i, err := Probe(data, int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		got, err := Decode(t.Context(), data)
		if err != nil {
			t.Fatal(err)
		}
		if need := int64(4 * len(got.Samples)); i.Memory() < need {
			t.Errorf("%s: Memory is %d, but the samples take %d", name, i.Memory(), need)
		}
		if i.Most() < int64(got.Frames()) {
			t.Errorf("%s: Most is %d, but the clip has %d", name, i.Most(), got.Frames())
		}
	}
	claim := bytes.Clone(read(t, "tri8.flac"))
	binary.BigEndian.PutUint32(claim[8+14:], 3_000_000)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := Decode(t.Context(), claim); err == nil {
		t.Error("three million frames in 500 bytes")
	}
	runtime.ReadMemStats(&after)
	allocated := after.TotalAlloc - before.TotalAlloc
	if allocated > 2<<20 {
		t.Errorf("allocated %d bytes for a claimed length", allocated)
	}
}

func TestFLACDecodingStopsWithContext(t *testing.T) {
	data := read(t, "tri24.flac")
	if _, err := Decode(countdown.New(t.Context(), 0), data); err != context.Canceled {
		t.Error(err)
	}
	if _, err := Decode(countdown.New(t.Context(), 3), data); err != nil {
		t.Error(err)
	}
}

func FuzzDecode(f *testing.F) {
	for _, name := range []string{"tri8.flac", "tri20w.flac", "tri32.flac", "tri6ch.flac", "loop.flac"} {
		data := read(f, name)
		f.Add(data[:min(len(data), 2000)])
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Decode(t.Context(), data)
		if err == nil && len(c.Samples)%c.Channels != 0 {
			t.Errorf("%d samples of %d channels", len(c.Samples), c.Channels)
		}
	})
}

// FuzzSubframe fuzzes subframes directly, without checksums.
func FuzzSubframe(f *testing.F) {
	data := read(f, "tri20w.flac")
	f.Add(data[100:], uint8(16))
	f.Add([]byte{0x10, 0, 0, 0xff, 0xff}, uint8(33))
	f.Fuzz(func(t *testing.T, data []byte, width uint8) {
		to := make([]int64, 300)
		_ = readSubframe(&bitReader{data: data}, to, uint(width%33)+1)
	})
}

func ExampleDecode() {
	data, err := os.ReadFile("testdata/tri24.flac")
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
	// Output: 96000 2 1500
}
