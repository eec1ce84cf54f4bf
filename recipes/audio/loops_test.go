package audio

import (
	"encoding/binary"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf16"

	"pgregory.net/rapid"

	"github.com/assetcook/assetcook/cook/recipe/recipetest"
	"github.com/assetcook/assetcook/internal/audio/pcm"
	"github.com/assetcook/assetcook/internal/audio/wav"
)

func words(list ...uint32) string {
	var b []byte
	for _, x := range list {
		b = binary.LittleEndian.AppendUint32(b, x)
	}
	return string(b)
}

func chunk(id, body string) string {
	return id + words(uint32(len(body))) + body + strings.Repeat("\x00", len(body)%2)
}

// withChunks appends chunks to a WAV file.
func withChunks(file []byte, chunks string) []byte {
	file = append(slices.Clone(file), chunks...)
	binary.LittleEndian.PutUint32(file[4:], uint32(len(file)-8))
	return file
}

// withBlock inserts a metadata block after the first block of a FLAC file.
func withBlock(file []byte, kind byte, body string) []byte {
	const first = 4 + 4 + 34
	head := []byte{kind, byte(len(body) >> 16), byte(len(body) >> 8), byte(len(body))}
	return slices.Concat(file[:first], head, []byte(body), file[first:])
}

// comments returns the content of a metadata block with Vorbis comments.
func comments(list ...string) string {
	b := words(0, uint32(len(list)))
	for _, c := range list {
		b += words(uint32(len(c))) + c
	}
	return b
}

// id3 returns an ID3v2 tag with user-defined texts of the form name=value.
func id3(version, encoding byte, texts ...string) []byte {
	text := func(s string) (b []byte) {
		switch encoding {
		case 1: // UTF-16 text begins with a byte order mark
			b = []byte{0xff, 0xfe}
			for _, c := range utf16.Encode([]rune(s)) {
				b = binary.LittleEndian.AppendUint16(b, c)
			}
			return append(b, 0, 0)
		case 2:
			for _, c := range utf16.Encode([]rune(s)) {
				b = binary.BigEndian.AppendUint16(b, c)
			}
			return append(b, 0, 0)
		}
		return append([]byte(s), 0)
	}
	var body []byte
	for _, t := range texts {
		name, value, _ := strings.Cut(t, "=")
		frame := slices.Concat([]byte{encoding}, text(name), text(value))
		n := len(frame)
		switch version {
		case 2:
			body = append(body, 'T', 'X', 'X', byte(n>>16), byte(n>>8), byte(n))
		case 3:
			body = append(binary.BigEndian.AppendUint32(append(body, "TXXX"...), uint32(n)), 0, 0)
		case 4:
			body = append(body, 'T', 'X', 'X', 'X', 0, 0, byte(n>>7), byte(n&0x7f), 0, 0)
		}
		body = append(body, frame...)
	}
	body = append(body, make([]byte, 10)...)
	return slices.Concat([]byte{'I', 'D', '3', version, 0, 0, 0, 0, byte(len(body) >> 7), byte(len(body) & 0x7f)}, body)
}

func readFile(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile("../../internal/audio/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// For every form of loop in a source, cooking with default options must keep the loop or warn.
func TestLoopsAreKeptOrWarnedOf(t *testing.T) {
	flac, mp3 := readFile(t, "flac/testdata/tri16.flac"), readFile(t, "mp3/testdata/stereo.mp3") // the sounds have 2500 and 9000 frames
	plain := file(t, chord(8000, 1, 2500), wav.PCM16)
	rapid.Check(t, func(rt *rapid.T) {
		frame := rapid.Uint32Range(0, 3000)
		start, end := frame.Draw(rt, "start"), frame.Draw(rt, "end") // end is the first frame after the loop
		kind := rapid.Uint32Range(0, 3).Draw(rt, "kind")
		count := rapid.Uint32Range(0, 5).Draw(rt, "count")
		way := rapid.SampledFrom([]string{"smpl", "region", "points", "flac smpl", "flac comments", "mp3"}).Draw(rt, "way")
		smpl := func(loops ...string) string {
			return words(0, 0, 125000, 60, 0, 0, 0, uint32(len(loops)), 0) + strings.Join(loops, "")
		}
		loop, second := words(7, kind, start, end-1, 0, count), words(8, 0, 1, 1, 0, 0)
		names := []string{fmt.Sprintf("LOOPSTART=%d", start), fmt.Sprintf("LOOPEND=%d", end)}
		if end > start && rapid.Bool().Draw(rt, "length") {
			names[1] = fmt.Sprintf("LoopLength=%d", end-start)
		}
		cue := func(points ...uint32) string {
			body := words(uint32(len(points)))
			for i, p := range points {
				body += words(uint32(i), 0) + "data" + words(0, 0, p)
			}
			return chunk("cue ", body)
		}
		plainKind, last := kind == 0 && count == 0, uint32(2500)
		var data []byte
		var extra []pcm.Loop
		switch way {
		case "smpl":
			if end == 0 {
				return // the source's loop form cannot hold this value
			}
			data, plainKind = withChunks(plain, chunk("smpl", smpl(loop, second))), true
			extra = []pcm.Loop{{Start: 1, End: 2}}
		case "flac smpl":
			if end == 0 {
				return
			}
			data, plainKind = withBlock(flac, 2, "riff"+chunk("smpl", smpl(loop))), true
		case "region":
			if end <= start {
				return
			}
			data = withChunks(plain, cue(start)+chunk("LIST", "adtl"+chunk("labl", words(0)+"the loop\x00")+
				chunk("ltxt", words(0, end-start)+"rgn "+words(0, 0))))
		case "points":
			data = withChunks(plain, cue(start, end)+chunk("LIST", "adtl"+chunk("labl", words(0)+"loop start\x00")+chunk("labl", words(1)+"Loop_End")))
		case "flac comments":
			data = withBlock(flac, 4, comments(names...))
		case "mp3":
			last = 9000
			version, encoding := byte(rapid.IntRange(2, 4).Draw(rt, "version")), byte(rapid.IntRange(0, 3).Draw(rt, "encoding"))
			data = append(id3(version, encoding, append([]string{"artist=x"}, names...)...), mp3...)
		}
		want := pcm.Loop{Start: int64(start), End: int64(min(end, last))}
		if end == 0 && !strings.Contains(way, "smpl") && way != "points" {
			want.End = int64(last)
		}
		if plainKind && strings.Contains(way, "smpl") {
			want.Count, want.PingPong = int(count), kind == 1
		}

		r := recipetest.Cook(t, Recipe(), options(nil), fstest.MapFS{"a": {Data: data}}, "", "a")
		if r.Err != nil {
			rt.Fatal(r.Err)
		}
		got, _, err := wav.Decode(t.Context(), r.Outputs[0])
		if err != nil {
			rt.Fatal(err)
		}
		// The recipe drops loops of kind 2 or more, even if the second loop has the same frames.
		usual := kind < 2 || !strings.Contains(way, "smpl")
		kept := usual && slices.Contains(got.Loops, want)
		if !kept && len(r.Warned) == 0 {
			rt.Errorf("%s: loops %v, want %v or a warning", way, got.Loops, want)
		}
		if usual && want.Start < want.End && !kept {
			rt.Errorf("%s: loops %v, want %v; %q", way, got.Loops, want, r.Warned)
		}
		if whole := end <= last+1 && want.Start < want.End; kept && whole && len(r.Warned) > 0 {
			rt.Errorf("%s: kept, but with warning %q", way, r.Warned)
		}
		for _, l := range extra {
			if !slices.Contains(got.Loops, l) {
				rt.Errorf("%s: loops %v without %v", way, got.Loops, l)
			}
		}
	})
}

// Players can only repeat a whole sound of an audio sprite. So the loop points of a sound are
// dropped with a warning, unless the rule says that players repeat the sound.
func TestSoundsWarnOfLoops(t *testing.T) {
	looped := chord(48000, 1, 30000)
	looped.Loops = []pcm.Loop{{Start: 100, End: 20000}}
	for _, c := range []struct {
		loop []string
		want string
	}{
		{nil, "/ui/s/hum.wav loops from frame 100 to 20000, but players repeat only whole sounds of a sprite file; name"},
		{[]string{"hum"}, ""},
	} {
		tree := soundTree(t, "s/*.wav\n")
		tree["ui/s/hum.wav"] = &fstest.MapFile{Data: file(t, looped, wav.PCM16)}
		r := cookSounds(t, soundOptions(func(o *soundsOptions) { o.Loop = c.loop }), tree)
		if got := strings.Join(r.Warned, "|"); r.Err != nil || (got == "") != (c.want == "") || !strings.HasPrefix(got, c.want) {
			t.Errorf("%v, %q, want %q", r.Err, got, c.want)
		}
	}
}

func TestDroppedLoopsGiveNoWarning(t *testing.T) {
	data := withChunks(file(t, chord(8000, 1, 100), wav.PCM16), chunk("smpl", "short"))
	for loops, want := range map[string]int{"keep": 1, "drop": 0} {
		r := recipetest.Cook(t, Recipe(), options(func(o *audioOptions) { o.Loops = loops }), fstest.MapFS{"a": {Data: data}}, "", "a")
		if r.Err != nil || len(r.Warned) != want {
			t.Errorf("%s: %v, %q", loops, r.Err, r.Warned)
		}
	}
}
