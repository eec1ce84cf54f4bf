package vorbis

import (
	"bytes"
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/assetcook/assetcook/crcslice8"
	"github.com/assetcook/assetcook/internal/audio/ogg"
	"github.com/assetcook/assetcook/internal/audio/pcm"
	"github.com/jfreymuth/oggvorbis"
)

// The files in testdata were made with oggenc of vorbis-tools 1.4.2 from the
// sound of burst: stereo.ogg with -q 1, loop.ogg with -q 5 -c LOOPSTART=1000 -c
// LOOPEND=6000, surround.ogg with -q 3.
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

// burst returns decaying tones, of another pitch in each channel.
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

// snr returns how far, in dB, the difference of two sounds is below the first.
func snr(want, got func(i int) float64, n int) float64 {
	var signal, noise float64
	for i := range n {
		d := want(i) - got(i)
		signal, noise = signal+want(i)*want(i), noise+d*d
	}
	return 10 * math.Log10(signal/noise)
}

// What comes out has the length of what oggenc was given, sounds like it, in the
// right channels, and has the same bits on every processor. The hashes were made
// on amd64.
func TestDecode(t *testing.T) {
	for _, f := range files {
		c := decode(t, read(t, f.name))
		if c.Rate != f.rate || c.Channels != f.channels || c.Frames() != f.frames {
			t.Errorf("%s: %d Hz, %d channels, %d frames", f.name, c.Rate, c.Channels, c.Frames())
			continue
		}
		for ch := range c.Channels {
			if ch == 3 && c.Channels == 6 {
				continue // the encoder leaves the highs of the low-frequency channel out
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

// An independent decoder gives the same within the precision of float32. (It
// refuses surround.ogg, which ffmpeg and oggdec read.)
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

func TestLoop(t *testing.T) {
	c := decode(t, read(t, "loop.ogg"))
	if want := (pcm.Loop{Start: 1000, End: 6000}); len(c.Loops) != 1 || c.Loops[0] != want {
		t.Errorf("%+v, want %+v", c.Loops, want)
	}
	if c := decode(t, read(t, "stereo.ogg")); c.Loops != nil {
		t.Errorf("loops %+v from nowhere", c.Loops)
	}
}

// repage writes the packets of a file anew, with positions of our choice for
// each page of one packet.
func repage(t *testing.T, data []byte, position func(packet int, last bool, was int64) int64) []byte {
	t.Helper()
	r, err := ogg.NewReader(data, []byte("\x01"+signature))
	if err != nil {
		t.Fatal(err)
	}
	var packets []ogg.Packet
	for {
		p, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		packets = append(packets, p)
	}
	var out []byte
	crc := crcslice8.New(crcslice8.Model{Name: "CRC-32/OGG", Poly: 0x04c11db7})
	for i, p := range packets {
		last := i == len(packets)-1
		flags := byte(0)
		if i == 0 {
			flags = 2
		}
		if last {
			flags |= 4
		}
		granule := position(i, last, p.Granule)
		page := append([]byte("OggS\x00"), flags)
		for k := range 8 {
			page = append(page, byte(granule>>(8*k)))
		}
		page = append(page, 1, 0, 0, 0, byte(i), byte(i>>8), 0, 0, 0, 0, 0, 0, byte(len(p.Data)/255+1))
		page = append(page, bytes.Repeat([]byte{255}, len(p.Data)/255)...)
		page = append(append(page, byte(len(p.Data)%255)), p.Data...)
		sum := crc.Checksum(page)
		for k := range 4 {
			page[22+k] = byte(sum >> (8 * k))
		}
		out = append(out, page...)
	}
	return out
}

// Positions cut the start and the end (appendix A.2).
func TestPositions(t *testing.T) {
	data := read(t, "loop.ogg")
	whole := decode(t, data).Samples
	only := func(first int, start, end int64) []byte {
		return repage(t, data, func(packet int, last bool, _ int64) int64 {
			switch {
			case last:
				return end
			case packet == first:
				return start
			case packet < 3:
				return 0
			}
			return ogg.NoPosition
		})
	}
	// Packet 3 gives nothing, packet 4 the first block: of how many frames?
	_, d, _, err := open(data, false)
	if err != nil {
		t.Fatal(err)
	}
	d.start()
	all := packets(t, "loop.ogg")
	n := int64(len(d.decode(all[4], d.decode(all[3], nil))))
	for _, c := range []struct {
		name       string
		start, end int64
		want       []float32
	}{
		{"from 0", n, 7000, whole},
		{"cut at the end", n, 6500, whole[:6500]},
		{"starts before 0", n - 50, 6500, whole[50:6550]},
		{"from a longer stream", n + 1000, 7500, whole[:6500]},
	} {
		got := decode(t, only(4, c.start, c.end)).Samples
		if len(got) != len(c.want) {
			t.Errorf("%s: %d frames, want %d", c.name, len(got), len(c.want))
			continue
		}
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("%s: frame %d differs", c.name, i)
				break
			}
		}
	}
	// A position that is off says nothing about the end if a later page is right
	// again: Adobe Audition starts at 1.
	odd := repage(t, data, func(packet int, last bool, was int64) int64 {
		switch {
		case last:
			return n + 6000
		case packet == 3:
			return 1
		case packet == 4:
			return n
		case packet < 3:
			return 0
		}
		return ogg.NoPosition
	})
	if got := decode(t, odd).Samples; int64(len(got)) != n+6000 || !slices.Equal(got, whole[:n+6000]) {
		t.Errorf("from 1: %d frames, want %d", len(got), n+6000)
	}
	// The first positions may lie before the start of the sound.
	var total []float32
	_, d, _, err = open(data, false)
	if err != nil {
		t.Fatal(err)
	}
	d.start()
	early := repage(t, data, func(packet int, last bool, was int64) int64 {
		switch {
		case last:
			return 3000
		case packet < 3:
			return 0
		}
		total = d.decode(all[packet], total)
		return int64(len(total)) - 4000
	})
	if got := decode(t, early).Samples; !slices.Equal(got, whole[4000:7000]) {
		t.Errorf("from -4000: %d frames, want 3000", len(got))
	}
	// Positions that claim next to nothing do not let a long sound through.
	if _, err := Decode(t.Context(), only(4, n, 10)); err == nil || !strings.Contains(err.Error(), "more sound") {
		t.Errorf("7000 frames where 10 should be: %v", err)
	}
}

func TestMemory(t *testing.T) {
	for _, f := range files {
		data := read(t, f.name)
		i, err := Probe(data)
		if err != nil {
			t.Fatal(err)
		}
		if i.Rate != f.rate || i.Channels != f.channels || i.Frames != int64(f.frames) {
			t.Errorf("%s: %+v", f.name, i)
		}
		// What is allocated in all, garbage included, is not far from it.
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		decode(t, data)
		runtime.ReadMemStats(&after)
		allocated := int64(after.TotalAlloc - before.TotalAlloc)
		if m := i.Memory(); m < allocated/2 || m < int64(4*f.frames*f.channels) || m > 4*allocated {
			t.Errorf("%s: Memory says %d, %d are allocated", f.name, m, allocated)
		}
	}
	// A last position of 2^60 is not believed.
	huge := repage(t, read(t, "loop.ogg"), func(_ int, last bool, was int64) int64 {
		if last {
			return 1 << 60
		}
		return was
	})
	if i, err := Probe(huge); err != nil || i.Frames > 100_000 {
		t.Errorf("%d frames, %v", i.Frames, err)
	}
}

// A header of a hundred bytes that stands for megabytes of tables is looked at
// without making them.
func TestProbingMakesNoTables(t *testing.T) {
	var acc uint64
	var n uint
	setup := []byte("\x05" + signature)
	put := func(v uint64, width uint) {
		for acc, n = acc|v<<n, n+width; n >= 8; acc, n = acc>>8, n-8 {
			setup = append(setup, byte(acc))
		}
	}
	put(0, 8) // one codebook
	put(0x564342, 24)
	put(8, 16)
	put(1<<17, 24)
	put(1, 1)      // ordered:
	put(17-1, 5)   // words of 17 bits
	put(1<<17, 18) // have all entries
	put(1, 4)      // vectors on a lattice of 4 steps
	put(0, 32)
	put(0, 32)
	put(0, 4)
	put(0, 1)
	put(0, 4)
	setup = append(setup, make([]byte, 20)...)
	for probing, most := range map[bool]uint64{true: 1 << 20, false: 1 << 30} {
		d := &decoder{channels: 2, block: [2]int{256, 2048}, probing: probing}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := d.readSetup(setup)
		runtime.ReadMemStats(&after)
		if d.entries != 1<<17 || d.values != 1<<20 || err == nil {
			t.Errorf("%d entries, %d values, %v", d.entries, d.values, err)
		}
		if allocated := after.TotalAlloc - before.TotalAlloc; allocated > most || allocated < most>>7 {
			t.Errorf("probing %v: %d bytes are allocated", probing, allocated)
		}
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

func TestRefuses(t *testing.T) {
	all := packets(t, "stereo.ogg")
	id := func(at int, b ...byte) []byte {
		p := bytes.Clone(all[0])
		copy(p[at:], b)
		return p
	}
	for _, c := range []struct {
		name   string
		packet []byte
		want   string
	}{
		{"version", id(7, 1), "version 1"},
		{"no channels", id(11, 0), "0 channels"},
		{"255 channels", id(11, 255), "255 channels"},
		{"0 Hz", id(12, 0, 0, 0, 0), "0 Hz"},
		{"2^31 Hz", id(12, 0, 0, 0, 0x80), "Hz"},
		{"blocks the wrong way round", id(28, 0x8b), "2^11 and 2^8"},
		{"blocks of 32", id(28, 0xb5), "2^5"},
		{"no framing bit", id(29, 0), "cut off"},
		{"short", all[0][:29], "cut off"},
		{"another header", all[1], "header 1"},
	} {
		if err := new(decoder).readIdentification(c.packet); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want an error with %q", c.name, err, c.want)
		}
	}
	// A setup header that is cut off anywhere, or says that it has the largest of
	// all codebooks, is refused.
	for n := 0; n < len(all[2])-1; n += 1 + len(all[2])/500 {
		d := new(decoder)
		if err := d.readIdentification(all[0]); err != nil {
			t.Fatal(err)
		}
		if err := d.readSetup(all[2][:n]); err == nil {
			t.Errorf("setup of %d bytes: no error", n)
		}
	}
	large := bytes.Clone(all[2][:40])
	copy(large[11:], []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0})
	d := &decoder{channels: 2, block: [2]int{256, 2048}}
	if err := d.readSetup(large); err == nil || !strings.Contains(err.Error(), "impossible size") {
		t.Errorf("2^24 entries of 2^16 dimensions: %v", err)
	}
}

func TestCodewords(t *testing.T) {
	for _, c := range []struct {
		name    string
		lengths []uint8
		err     string
	}{
		{"of the specification", []uint8{2, 4, 4, 4, 4, 2, 3, 3}, ""},
		{"one entry", []uint8{0, 1, 0}, ""},
		{"one entry of five bits", []uint8{5}, ""},
		{"none", []uint8{0, 0}, ""},
		{"full at 32 bits", append(func() (l []uint8) {
			for i := uint8(1); i <= 31; i++ {
				l = append(l, i)
			}
			return l
		}(), 32, 32), ""},
		{"too many", []uint8{1, 1, 1}, "more words"},
		{"too few", []uint8{1, 2}, "gap"},
	} {
		_, err := newPrefixCode(c.lengths)
		if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	// Section 3.2.1 prints the words of the first: 00 0100 0101 0110 0111 10 110 111.
	words := []string{"00", "0100", "0101", "0110", "0111", "10", "110", "111"}
	code, err := newPrefixCode([]uint8{2, 4, 4, 4, 4, 2, 3, 3})
	if err != nil {
		t.Fatal(err)
	}
	book := &codebook{code: code}
	for entry, word := range words {
		b := byte(0)
		for i, bit := range word {
			b |= byte(bit-'0') << i
		}
		r := &bitReader{data: []byte{b}}
		if got := book.entry(r); got != entry || r.n != 8-uint(len(word)) {
			t.Errorf("%s: entry %d and %d bits left", word, got, r.n)
		}
	}
	// Words longer than the table of the first ten bits.
	var lengths []uint8
	for i := uint8(1); i <= 20; i++ {
		lengths = append(lengths, i)
	}
	code, err = newPrefixCode(append(lengths, 20))
	if err != nil {
		t.Fatal(err)
	}
	book = &codebook{code: code}
	for entry := range 21 {
		ones := uint64(1)<<min(entry, 20) - 1 // the word is so many ones, and a zero but for the last
		r := &bitReader{data: []byte{byte(ones), byte(ones >> 8), byte(ones >> 16), 0}}
		if got := book.entry(r); got != entry {
			t.Errorf("%d ones: entry %d", entry, got)
		}
	}
}

func TestTransform(t *testing.T) {
	for _, m := range []int{32, 64, 1024, 4096} {
		spectrum := make([]float32, m)
		for i := range spectrum {
			spectrum[i] = float32(i*7919%256)/128 - 1
		}
		left, right := make([]float64, m), make([]float64, m)
		newTransform(m).inverse(spectrum, left, right)
		for n := 0; n < 2*m; n += 1 + m/100 {
			want := 0.0
			for k, x := range spectrum {
				phase := (2*n + 1 + m) * (2*k + 1) % (8 * m) // of pi/4m
				want += float64(x) * math.Cos(math.Pi/float64(4*m)*float64(phase))
			}
			got := append(left[:m:m], right...)[n]
			if math.Abs(got-want) > 1e-9 {
				t.Errorf("%d lines, sample %d: %v, want %v", m, n, got, want)
			}
		}
	}
}

// The table as section 10.1 prints it, in places.
func TestFloorGains(t *testing.T) {
	for i, want := range map[int]float64{
		0: 1.0649863e-07, 1: 1.1341951e-07, 2: 1.2079015e-07, 253: 0.88168307, 254: 0.9389798, 255: 1,
	} {
		if got := float64(floorGains()[i]); math.Abs(got/want-1) > 1e-7 {
			t.Errorf("%d: %v, want %v", i, got, want)
		}
	}
}

// Floor type 0 against the formula as section 6.2.3 has it.
func TestFloor0(t *testing.T) {
	for _, order := range []int{1, 2, 7, 8} {
		f := &floor0{order: order, bits: 6, offset: 100, places: 40}
		for size, n := range []int{64, 512} {
			for i := range n {
				f.placesOf[size] = append(f.placesOf[size], i*40/n)
			}
		}
		c := &curve{amplitude: 37}
		var angles []float64
		for i := range order {
			angles = append(angles, math.Pi*(float64(i)+0.7)/float64(order+1))
			c.cosines = append(c.cosines, math.Cos(angles[i]))
		}
		spectrum := make([]float32, 512)
		for i := range spectrum {
			spectrum[i] = 1
		}
		f.apply(c, spectrum)
		for i, got := range spectrum {
			w := math.Pi * float64(i*40/512) / 40
			p, q := (1-math.Cos(w))/2, (1+math.Cos(w))/2
			if order%2 == 1 {
				p, q = math.Sin(w)*math.Sin(w), 0.25
			}
			for j, a := range angles {
				v := 4 * (math.Cos(a) - math.Cos(w)) * (math.Cos(a) - math.Cos(w))
				if j%2 == 1 {
					p *= v
				} else {
					q *= v
				}
			}
			want := math.Exp(0.11512925 * (37*100/(63*math.Sqrt(p+q)) - 100))
			if math.Abs(float64(got)/want-1) > 1e-5 {
				t.Errorf("order %d, line %d: %v, want %v", order, i, got, want)
				break
			}
		}
	}
}

// countdown is a context that is over after so many looks.
type countdown struct {
	context.Context
	left int
}

func (c *countdown) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// A packet lies between two looks.
func TestCancel(t *testing.T) {
	data := read(t, "stereo.ogg")
	n := len(packets(t, "stereo.ogg")) - 3
	if _, err := Decode(&countdown{t.Context(), n}, data); err != context.Canceled {
		t.Error(err)
	}
	if _, err := Decode(&countdown{t.Context(), n + 1}, data); err != nil {
		t.Error(err)
	}
}

// FuzzPackets has no checksums in its way.
func FuzzPackets(f *testing.F) {
	for _, file := range files {
		all := packets(f, file.name)
		f.Add(all[0], all[2], all[4])
	}
	f.Fuzz(func(t *testing.T, id, setup, packet []byte) {
		d := new(decoder)
		if d.readIdentification(id) != nil || d.readSetup(setup) != nil {
			return
		}
		d.start()
		out := d.decode(packet, nil)
		out = d.decode(packet, out)
		if len(out) > d.block[1]/2*d.channels {
			t.Errorf("%d samples of one block", len(out))
		}
	})
}

func FuzzDecode(f *testing.F) {
	for _, file := range files {
		f.Add(read(f, file.name))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Decode(t.Context(), data)
		if err == nil && len(c.Samples)%c.Channels != 0 {
			t.Errorf("%d samples of %d channels", len(c.Samples), c.Channels)
		}
	})
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
