package wav

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/assetcook/assetcook/internal/audio/pcm"
)

// chunk returns a chunk with its padding.
func chunk(id, body string) string {
	p := binary.LittleEndian.AppendUint32([]byte(id), uint32(len(body)))
	return string(p) + body + strings.Repeat("\x00", len(body)%2)
}

func riff(chunks ...string) []byte {
	body := "WAVE" + strings.Join(chunks, "")
	return []byte(strings.TrimSuffix(chunk("RIFF", body), strings.Repeat("\x00", len(body)%2)))
}

// words returns numbers as 32-bit little-endian integers.
func words(list ...uint32) string {
	var p []byte
	for _, w := range list {
		p = binary.LittleEndian.AppendUint32(p, w)
	}
	return string(p)
}

// mono8 and mono16 are fmt chunks for one channel at 8000 Hz, with 8 and 16 bits.
var (
	mono8  = chunk("fmt ", words(1<<16|1, 8000, 8000, 8<<16|1))
	mono16 = chunk("fmt ", words(1<<16|1, 8000, 16000, 16<<16|2))
)

func TestUnusualFilesAreDecoded(t *testing.T) {
	three := chunk("data", "\x80\xc0\x40")
	unpadded := strings.TrimSuffix(three, "\x00")
	info := chunk("LIST", "INFOx")
	claim := func(file []byte, at int, size uint32) []byte {
		binary.LittleEndian.PutUint32(file[at:], size)
		return file
	}
	const size = 12 + 24 + 4 // offset of the size of the data chunk
	long := func(ds64 string, n uint32) []byte {
		file := riff(ds64, mono8, "data"+words(n)+"\x80\xc0\x40", "\x00", info)
		copy(file, "RF64\xff\xff\xff\xff")
		return file
	}
	for _, c := range []struct {
		name string
		file []byte
		want string // expected bytes of 8-bit sound
	}{
		{"plain", riff(mono8, three), "\x80\xc0\x40"},
		{"chunks between", riff(info, mono8, info, three, info), "\x80\xc0\x40"},
		{"data before format", riff(three, info, mono8), "\x80\xc0\x40"},
		{"no padding after data", riff(unpadded, mono8), "\x80\xc0\x40"},
		{"no padding before data", riff(mono8, strings.TrimSuffix(chunk("LIST", "INFOxyz"), "\x00"), three), "\x80\xc0\x40"},
		{"two data chunks", riff(mono8, three, chunk("data", "zz")), "\x80\xc0\x40"},
		{"two formats", riff(mono8, mono16, three), "\x80\xc0\x40"},
		{"empty", riff(mono8, chunk("data", "")), ""},
		{"empty before another chunk", riff(mono8, chunk("data", ""), info), ""},
		{"streamed, all unknown", claim(claim(riff(mono8, unpadded), size, unknownSize), 4, unknownSize), "\x80\xc0\x40"},
		{"streamed, all zero", claim(claim(riff(mono8, unpadded), size, 0), 4, 0), "\x80\xc0\x40"},
		{"streamed, unknown and zero", claim(claim(riff(mono8, unpadded), size, 0), 4, unknownSize), "\x80\xc0\x40"},
		{"streamed, only the header counted", claim(claim(riff(mono8, unpadded), size, 0), 4, size+4-8), "\x80\xc0\x40"},
		{"streamed, 2 GiB", claim(claim(riff(mono8, unpadded), size, 1<<31), 4, 1<<31+36), "\x80\xc0\x40"},
		{"the RIFF header counts itself", claim(riff(mono8, unpadded), 4, size+4+3), "\x80\xc0\x40"},
		{"a tag that is no chunk", append(riff(mono8, three), "TAG of an MP3"...), "\x80\xc0\x40"},
		{"streamed, very long", claim(claim(riff(mono8, unpadded), size, 0x7ffff000), 4, 0x7ffff024), "\x80\xc0\x40"},
		{"RF64", long(chunk("ds64", words(0, 0, 3, 0, 3, 0, 0)), unknownSize), "\x80\xc0\x40"},
		{"RF64, size in place", long(chunk("ds64", words(0, 0, 9, 0, 9, 0, 0)), 3), "\x80\xc0\x40"},
	} {
		clip, info, err := Decode(t.Context(), c.file)
		if err != nil || info.Coding != PCM8 {
			t.Errorf("%s: %v, %v", c.name, info.Coding, err)
			continue
		}
		var got []byte
		for _, x := range clip.Samples {
			got = append(got, byte(x*128+128))
		}
		if string(got) != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		if probed, err := Probe(c.file, int64(len(c.file))); err != nil || probed != info {
			t.Errorf("%s: Probe says %+v, %v", c.name, probed, err)
		}
	}
	// An incomplete frame at the end is dropped.
	if clip, _ := decode(t, riff(mono16, chunk("data", "\x00\x40\x00\xc0\x01"))); !slices.Equal(clip.Samples, []float32{.5, -.5}) {
		t.Errorf("a torn frame: %v", clip.Samples)
	}
}

// TestFormats decodes formats that a file can declare in several ways.
func TestFormats(t *testing.T) {
	extensible := func(tag, bits, valid, block uint32, guid string) string {
		return chunk("fmt ", words(1<<16|0xfffe, 8000, 0, bits<<16|block, valid<<16|22, 4)+string(byte(tag))+"\x00"+guid)
	}
	for _, c := range []struct {
		name, format, data string
		want               float32
	}{
		{"extensible PCM", extensible(1, 16, 16, 2, subFormat), "\x00\x40", .5},
		{"20 bits in 24", extensible(1, 24, 20, 3, subFormat), "\x00\x00\xc0", -.5},
		{"24 bits in 32", extensible(1, 32, 24, 4, subFormat), "\x00\x00\x00\x40", .5},
		{"extensible float", extensible(3, 32, 32, 4, subFormat), words(math.Float32bits(.25)), .25},
		{"12 bits, plain", chunk("fmt ", words(1<<16|1, 8000, 0, 12<<16|2)), "\x00\x40", .5},
		{"no bits", chunk("fmt ", words(1<<16|1, 8000, 0, 0<<16|2)), "\x00\x40", .5},
	} {
		clip, _ := decode(t, riff(c.format, chunk("data", c.data)))
		if len(clip.Samples) != 1 || clip.Samples[0] != c.want {
			t.Errorf("%s: %v, want %v", c.name, clip.Samples, c.want)
		}
	}
}

// TestBlockMayHoldFewerFrames reduces the declared number of frames per block. Declaring more
// frames than fit has no effect.
func TestBlockMayHoldFewerFrames(t *testing.T) {
	for claim, want := range map[uint32]int{0: 18, 1: 2, 5: 10, 9: 18, 65535: 18} {
		format := chunk("fmt ", words(1<<16|0x11, 8000, 0, 4<<16|8, claim<<16|2))
		if clip, _ := decode(t, riff(format, chunk("data", strings.Repeat("\x00", 16)))); clip.Frames() != want {
			t.Errorf("two blocks of %d: %d frames, want %d", claim, clip.Frames(), want)
		}
	}
	// An incomplete block has fewer frames.
	torn := load(t, "sox_ima")[:60+8+12]
	binary.LittleEndian.PutUint32(torn[56:], 8+12)
	binary.LittleEndian.PutUint32(torn[4:], uint32(len(torn)-8))
	clip, _ := decode(t, torn)
	if clip.Frames() != 9 {
		t.Errorf("a torn block: %d frames, want 9", clip.Frames())
	}
}

// TestCutFilesAreErrors truncates files before, in and after the sound, where loops are. It expects
// an error, unless the remaining chunks are valid.
func TestCutFilesAreErrors(t *testing.T) {
	for name, file := range map[string][]byte{
		"PCM":        riff(mono8, chunk("data", strings.Repeat("\x80", 1000))),
		"with loops": riff(mono16, chunk("data", strings.Repeat("\x80", 1000)), smpl(1, [6]uint32{0, 0, 10, 90})),
		"ADPCM":      load(t, "sox_ima"),
	} {
		if _, _, err := Decode(t.Context(), file); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for n := range file {
			if string(file[n:min(n+4, len(file))]) == "smpl" {
				continue // Missing detects this damage; the remaining file is valid
			}
			if _, _, err := Decode(t.Context(), file[:n]); err == nil {
				t.Fatalf("%s: the first %d of %d bytes pass for a whole file", name, n, len(file))
			}
		}
	}
	sound := riff(mono8, chunk("data", strings.Repeat("\x80", 1000)))
	loops := riff(mono8, chunk("data", "\x80\x80"), smpl(1, [6]uint32{0, 0, 0, 1}))
	for _, c := range []struct {
		name string
		file []byte
		want string
	}{
		{"a tenth of the sound", sound[:len(sound)-900], "wav: the file is cut short: 900 of 1000 bytes of sound are missing; copy or export it again"},
		{"part of the loops", loops[:len(loops)-24], `wav: the file is cut short: 24 of 60 bytes of its "smpl" chunk are missing; copy or export it again`},
		{"within a header", loops[:len(loops)-61], "wav: the file is cut short, within the header of a chunk; copy or export it again"},
	} {
		if _, _, err := Decode(t.Context(), c.file); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
	if lost := loops[:len(loops)-68]; Missing(lost, int64(len(lost))) != 68 || Missing(loops, int64(len(loops))) != 0 {
		t.Errorf("Missing reports %d bytes of the chunk after the sound", Missing(lost, int64(len(lost))))
	}
	// Probe receives only the start of the file, and reports that sound is missing.
	if _, err := Probe(sound[:100], 144); err == nil || !strings.Contains(err.Error(), "900 of 1000 bytes") {
		t.Errorf("Probe: %v", err)
	}
}

func TestBadWAVIsRefused(t *testing.T) {
	data := chunk("data", "\x80\x80\x80\x80\x80\x80\x80\x80")
	format := func(tag, channels, rate, block, bits uint32, more ...uint32) string {
		return chunk("fmt ", words(append([]uint32{channels<<16 | tag, rate, 0, bits<<16 | block}, more...)...))
	}
	ima := load(t, "ff_ima")
	ima[60+2] = 89
	ms := load(t, "ff_ms")
	ms[bytes.Index(ms, []byte("data"))+8] = 7
	for _, c := range []struct {
		name string
		file []byte
		want string
	}{
		{"nothing", nil, "ends within its first 12 bytes"},
		{"something else", []byte("Oggs, but longer"), `must start with "RIFF"`},
		{"big-endian", []byte("RIFX\x00\x00\x00\x00WAVE"), "RIFX"},
		{"an AVI", []byte("RIFF\x00\x00\x00\x00AVI "), `has the kind "AVI ", want "WAVE"`},
		{"no chunks", riff(), `"fmt " chunk is missing`},
		{"no data", riff(mono8), `"data" chunk is missing`},
		{"no format", riff(data), `"fmt " chunk is missing`},
		{"many chunks", riff(strings.Repeat(chunk("junk", ""), 10_001)), "more than 10000 chunks"},
		{"short format", riff(chunk("fmt ", "\x01\x00\x01\x00"), data), `the "fmt " chunk has 4 bytes`},
		{"no channels", riff(format(1, 0, 8000, 1, 8), data), "the file has 0 channels, want 1 to 64"},
		{"many channels", riff(format(1, 65, 8000, 65, 8), data), "the file has 65 channels, want 1 to 64"},
		{"no rate", riff(format(1, 1, 0, 1, 8), data), "0 frames a second"},
		{"absurd rate", riff(format(1, 1, 1<<32-1, 1, 8), data), "4294967295 frames a second"},
		{"wide PCM", riff(format(1, 1, 8000, 8, 64), data), "PCM has samples of 64 bits in frames of 8 bytes for"},
		{"PCM of more bits than bytes", riff(format(1, 1, 8000, 2, 24), data), "PCM has samples of 24 bits in frames of 2 bytes for"},
		{"PCM without bytes", riff(format(1, 2, 8000, 0, 8), data), "PCM has samples of 8 bits in frames of 0 bytes for 2 channels, want 1 to 32 bits"},
		{"PCM with odd frames", riff(format(1, 2, 8000, 3, 8), data), "in frames of 3 bytes for 2 channels"},
		{"float of 16", riff(format(3, 1, 8000, 2, 16), data), "32-bit float with samples of 16 bits, frames of"},
		{"float in wrong frames", riff(format(3, 1, 8000, 8, 32), data), "32-bit float with samples of 32 bits, frames of 8 bytes and"},
		{"A-law of 16", riff(format(6, 1, 8000, 2, 16), data), "A-law with samples of 16 bits, frames of"},
		{"IMA of 3", riff(format(0x11, 1, 8000, 256, 3), data), "IMA ADPCM has 3 bits per sample, want 4; export the file again"},
		{"IMA without sound", riff(format(0x11, 2, 8000, 8, 4), data), "too small for 2 channels"},
		{"IMA without blocks", riff(format(0x11, 2, 8000, 0, 4), data), "too small for 2 channels"},
		{"MS without blocks", riff(format(2, 2, 8000, 13, 4), data), "too small for 2 channels"},
		{"MS without its predictors", riff(format(2, 1, 8000, 256, 4, 0, 0x7fff), data), "32767 predictors"},
		{"MP3", riff(format(0x55, 1, 8000, 1, 0), data), "MP3 in a WAV file is not supported"},
		{"unknown", riff(format(0x1234, 1, 8000, 1, 8), data), "coding 0x1234 is not supported"},
		{"extensible without GUID", riff(format(0xfffe, 1, 8000, 1, 8), data), "extensible format has an unknown subformat"},
		{"NaN", riff(format(3, 1, 8000, 4, 32), chunk("data", words(0, math.Float32bits(float32(math.NaN()))))), "frame 1 has the invalid sample NaN"},
		{"infinite", riff(format(3, 2, 8000, 8, 32), chunk("data", words(0, 0, 0, math.Float32bits(float32(math.Inf(-1)))))), "frame 1 has the invalid sample -Inf"},
		{"too large for 32 bits", riff(format(3, 1, 8000, 8, 64), chunk("data", words(0, 0x7f000000))), "frame 0 has the invalid sample +Inf"},
		{"IMA index", ima, "block 0: an IMA ADPCM block has step index 89, want 0 to"},
		{"MS predictor", ms, "block 0: a Microsoft ADPCM block uses predictor 7, but the file has 7 predictors; the file is damaged, so export it again"},
	} {
		if _, _, err := Decode(t.Context(), c.file); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// TestClaimsCostNothing expects Probe to limit the declared length by the size of the file.
func TestClaimsCostNothing(t *testing.T) {
	file := riff(mono8, "data"+words(0xfffffff0)+"\x80")
	if info, err := Probe(file, int64(len(file))); err != nil || info.Frames != 1 {
		t.Errorf("%+v, %v", info, err)
	}
	if info, err := Probe(file, 1<<40); err != nil || info.Frames != 0xfffffff0 {
		t.Errorf("for a file of that size: %+v, %v", info, err)
	}
}

func smpl(count uint32, loops ...[6]uint32) string {
	body := words(0, 0, 125000, 60, 0, 0, 0, count, 0)
	for _, l := range loops {
		body += words(l[:]...)
	}
	return chunk("smpl", body)
}

// cueFile builds a file with the given number of frames and one region.
func cueFile(frames int, label string, start, length uint32) []byte {
	return riff(mono8, chunk("data", strings.Repeat("\x80", frames)),
		chunk("cue ", words(1, 7, 0)+"data"+words(0, 0, start)),
		chunk("LIST", "adtl"+chunk("labl", words(7)+label+"\x00")+chunk("ltxt", words(7, length)+"rgn "+words(0, 0))))
}

func TestLoops(t *testing.T) {
	data := chunk("data", strings.Repeat("\x80", 10))
	for _, c := range []struct {
		name string
		file []byte
		want []pcm.Loop
	}{
		{"none", riff(mono8, data), nil},
		{"forward", riff(mono8, data, smpl(1, [6]uint32{0, 0, 2, 5, 0, 0})), []pcm.Loop{{Start: 2, End: 6}}},
		{"before the data", riff(mono8, smpl(1, [6]uint32{0, 0, 2, 5, 0, 3}), data), []pcm.Loop{{Start: 2, End: 6, Count: 3}}},
		{"ping-pong, then forward", riff(mono8, data, smpl(2, [6]uint32{0, 1, 0, 9, 0, 0}, [6]uint32{9, 0, 1, 1, 0, 0})),
			[]pcm.Loop{{Start: 0, End: 10, PingPong: true}, {Start: 1, End: 2}}},
		{"backwards", riff(mono8, data, smpl(1, [6]uint32{0, 2, 2, 5, 0, 0})), nil},
		{"end beyond", riff(mono8, data, smpl(1, [6]uint32{0, 0, 2, 10, 0, 0})), []pcm.Loop{{Start: 2, End: 10}}},
		{"all beyond", riff(mono8, data, smpl(1, [6]uint32{0, 0, 10, 12, 0, 0})), nil},
		{"inside out", riff(mono8, data, smpl(1, [6]uint32{0, 0, 6, 5, 0, 0})), nil},
		{"claims more", riff(mono8, data, smpl(1<<32-1, [6]uint32{0, 0, 2, 5, 0, 0})), []pcm.Loop{{Start: 2, End: 6}}},
		{"claims fewer", riff(mono8, data, smpl(0, [6]uint32{0, 0, 2, 5, 0, 0})), nil},
		{"torn", riff(mono8, data, chunk("smpl", words(0, 0, 0))), nil},
		{"region", cueFile(10, "My LOOP", 2, 5), []pcm.Loop{{Start: 2, End: 7}}},
		{"region beyond", cueFile(10, "loop", 2, 1<<32-1), []pcm.Loop{{Start: 2, End: 10}}},
		{"region of another name", cueFile(10, "intro", 2, 5), nil},
		{"point", cueFile(10, "loop", 2, 0), nil},
		{"region beside a smpl chunk of none", riff(mono8, smpl(0), string(cueFile(10, "loop", 2, 5)[12:])), []pcm.Loop{{Start: 2, End: 7}}},
		{"smpl chunk of none beside another", riff(mono8, smpl(0), smpl(1, [6]uint32{0, 0, 2, 5}), data), []pcm.Loop{{Start: 2, End: 6}}},
		{"lengths and names in two lists", riff(mono8, data, chunk("cue ", words(1, 7, 0)+"data"+words(0, 0, 2)),
			chunk("LIST", "adtl"+chunk("ltxt", words(7, 5)+"rgn "+words(0, 0))), chunk("LIST", "adtl"+chunk("labl", words(7)+"loop\x00"))),
			[]pcm.Loop{{Start: 2, End: 7}}},
		{"a name in the ltxt chunk", riff(mono8, data, chunk("cue ", words(1, 7, 0)+"data"+words(0, 0, 2)),
			chunk("LIST", "adtl"+chunk("ltxt", words(7, 5)+"rgn "+words(0, 0)+"Loop A"))), []pcm.Loop{{Start: 2, End: 7}}},
		{"start and end", riff(mono8, data, chunk("cue ", words(2, 1, 0)+"data"+words(0, 0, 8, 2, 0)+"data"+words(0, 0, 3)),
			chunk("LIST", "adtl"+chunk("labl", words(1)+"Loop End")+chunk("labl", words(2)+"LoopStart\x00"))), []pcm.Loop{{Start: 3, End: 8}}},
		{"smpl wins", riff(mono8, smpl(1, [6]uint32{0, 0, 1, 1, 0, 0}), string(cueFile(10, "loop", 2, 5)[12:])), []pcm.Loop{{Start: 1, End: 2}}},
	} {
		if clip, _ := decode(t, c.file); !slices.Equal(clip.Loops, c.want) {
			t.Errorf("%s: %+v, want %+v", c.name, clip.Loops, c.want)
		}
	}
}

// TestLostLoopsGiveWarnings expects that each loop of a file is kept or mentioned in a warning.
func TestLostLoopsGiveWarnings(t *testing.T) {
	data := chunk("data", strings.Repeat("\x80", 10))
	for _, c := range []struct {
		name string
		file []byte
		want string
	}{
		{"forward", riff(mono8, data, smpl(1, [6]uint32{0, 0, 2, 9, 0, 0})), ""},
		{"one frame beyond", riff(mono8, data, smpl(1, [6]uint32{0, 0, 2, 10, 0, 0})), ""},
		{"a sampler's note alone", riff(mono8, data, smpl(0)), ""},
		{"a sampler's own bytes", riff(mono8, data, chunk("smpl", words(0, 0, 125000, 60, 0, 0, 0, 0, 24)+strings.Repeat("x", 24))), ""},
		{"backwards", riff(mono8, data, smpl(1, [6]uint32{0, 2, 2, 5, 0, 0})), "has type 2 (2 is backward) and is left out"},
		{"end beyond", riff(mono8, data, smpl(1, [6]uint32{0, 0, 2, 50, 0, 0})), "from frame 2 to 51 now ends with the sound, at frame 10"},
		{"all beyond", riff(mono8, data, smpl(1, [6]uint32{0, 0, 10, 12, 0, 0})), "from frame 10 to 13 is left out, because the sound has only 10 frames"},
		{"inside out", riff(mono8, data, smpl(1, [6]uint32{0, 0, 6, 4, 0, 0})), "from frame 6 to 5 is left out"},
		{"claims more", riff(mono8, data, smpl(2, [6]uint32{0, 0, 2, 5, 0, 0})), "claims 2 loops but has 1"},
		{"claims fewer", riff(mono8, data, smpl(0, [6]uint32{0, 0, 2, 5, 0, 0})), "claims no loops but has data for 1"},
		{"torn", riff(mono8, data, chunk("smpl", words(0, 0, 0))), "has only 12 of 36 bytes"},
		{"region of another name", cueFile(10, "intro", 2, 5), ""},
		{"point", cueFile(10, "loop", 2, 0), `the marker "loop" at frame 2 has no length, so it is not a loop`},
		{"start alone", cueFile(10, "loop start", 2, 0), "start and end markers, at frame 2"},
		{"DLS", riff(mono8, data, chunk("wsmp", words(20, 60, 0, 0, 1, 16, 0, 2, 5))), "wsmp chunk are not supported"},
		{"play list", riff(mono8, data, chunk("plst", words(1, 7, 5, 3))), "plst chunk) are not supported"},
		{"play list of parts played once", riff(mono8, data, chunk("plst", words(1, 7, 5, 1))), ""},
	} {
		clip, _ := decode(t, c.file)
		if got := strings.Join(clip.Warnings, "|"); (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
