package recipes_test

import (
	"encoding/binary"
	"math"
	"os"
	"strings"
)

// u32 returns numbers as RIFF stores them.
func u32(list ...uint32) string {
	var b []byte
	for _, x := range list {
		b = binary.LittleEndian.AppendUint32(b, x)
	}
	return string(b)
}

// riffChunk returns a chunk of a RIFF file.
func riffChunk(id, body string) string {
	return id + u32(uint32(len(body))) + body + strings.Repeat("\x00", len(body)%2)
}

// wavFile returns a WAV file of 100 frames. samples holds the bytes of one sample.
func wavFile(tag, bits, channels int, samples func(i int) string, chunks ...string) string {
	le := binary.LittleEndian
	block := channels * bits / 8
	format := le.AppendUint16(nil, uint16(tag))
	format = le.AppendUint16(format, uint16(channels))
	format = le.AppendUint32(format, 22050)
	format = le.AppendUint32(format, uint32(22050*block))
	format = le.AppendUint16(le.AppendUint16(format, uint16(block)), uint16(bits))
	var data strings.Builder
	for i := range 100 * channels {
		data.WriteString(samples(i))
	}
	body := "WAVE" + riffChunk("fmt ", string(format)) + riffChunk("data", data.String()) + strings.Join(chunks, "")
	return "RIFF" + u32(uint32(len(body))) + body
}

func sample16(i int) string { return string([]byte{byte(i), byte(i)}) }

// tone16 returns a 16-bit WAV file with additional chunks.
func tone16(chunks ...string) string { return wavFile(1, 16, 1, sample16, chunks...) }

// smplChunk returns a smpl chunk with a root note. It has a loop if end is not 0.
func smplChunk(note, end uint32) string {
	if end == 0 {
		return riffChunk("smpl", u32(0, 0, 45351, note, 0, 0, 0, 0, 0))
	}
	return riffChunk("smpl", u32(0, 0, 45351, note, 0, 0, 0, 1, 0)+u32(0, 0, 10, end, 0, 0))
}

// flacWith returns a FLAC file with an additional metadata block.
func flacWith(kind byte, body string) string {
	file := soundSample("flac/testdata/tri16.flac")
	const first = 4 + 4 + 34
	return file[:first] + string([]byte{kind, byte(len(body) >> 16), byte(len(body) >> 8), byte(len(body))}) + body + file[first:]
}

// vorbisComments returns the content of a block of Vorbis comments.
func vorbisComments(list ...string) string {
	b := u32(0, uint32(len(list)))
	for _, c := range list {
		b += u32(uint32(len(c))) + c
	}
	return b
}

// mp3With returns an MP3 file with an ID3v2.3 tag that has one user-defined text.
func mp3With(name, value string) string {
	text := "\x00" + name + "\x00" + value + "\x00"
	frame := "TXXX" + string(binary.BigEndian.AppendUint32(nil, uint32(len(text)))) + "\x00\x00" + text
	return "ID3\x03\x00\x00\x00\x00\x00" + string([]byte{byte(len(frame))}) + frame + soundSample("mp3/testdata/stereo.mp3")
}

func soundSample(name string) string {
	data, err := os.ReadFile("../internal/audio/" + name)
	if err != nil {
		panic(err)
	}
	return string(data)
}

func float32Sample(value float32) func(int) string {
	return func(int) string { return u32(math.Float32bits(value)) }
}

func init() {
	const byRule = `recipe = "audio"`
	speakers := strings.Replace(wavFile(0xfffe, 16, 3, sample16), "fmt \x10\x00\x00\x00", "fmt \x28\x00\x00\x00", 1)
	const formatEnd = 12 + 8 + 16
	speakers = speakers[:formatEnd] + "\x16\x00\x10\x00" + u32(0x0b) + "\x01\x00\x00\x00\x00\x00\x10\x00\x80\x00\x00\xaa\x00\x38\x9b\x71" + speakers[formatEnd:]
	parts := []sourcePart{
		{part: "WAV: loops (chunk `smpl`)", fate: kept, why: "as a chunk `smpl`; QOA refuses them; Opus keeps one endless loop as comments, with a warning about others", name: "a.wav", source: tone16(smplChunk(60, 50)), has: "smpl"},
		{part: "WAV: loops that run backwards", fate: warned, name: "a.wav", source: tone16(riffChunk("smpl", u32(0, 0, 45351, 60, 0, 0, 0, 1, 0)+u32(0, 2, 10, 50, 0, 0))), has: "use forward or ping-pong loops"},
		{part: "WAV: root note and fraction (`smpl`)", fate: warned, why: "60 is usual", name: "a.wav", source: tone16(smplChunk(57, 0)), has: "root note of a sampler (chunk smpl)"},
		{part: "WAV: regions and pairs of markers with \"loop\" in their labels (`cue `, `adtl`)", fate: kept, why: "as loops", name: "a.wav", source: tone16(riffChunk("cue ", u32(1, 7, 0)+"data"+u32(0, 0, 5)), riffChunk("LIST", "adtl"+riffChunk("ltxt", u32(7, 40)+"rgn "+u32(0, 0))+riffChunk("labl", u32(7)+"loop\x00"))), has: "smpl"},
		{part: "WAV: other markers (`cue `)", fate: warned, name: "a.wav", source: tone16(riffChunk("cue ", u32(1, 7, 0)+"data"+u32(0, 0, 5))), has: "markers (chunk cue)"},
		{part: "WAV: repeats of the play list (`plst`)", fate: warned, name: "a.wav", source: tone16(riffChunk("plst", u32(1, 7, 10, 3))), has: "play list"},
		{part: "WAV: loops of `wsmp`", fate: warned, name: "a.wav", source: tone16(riffChunk("wsmp", u32(20, 60, 0, 0, 1)+u32(16, 0, 0, 50))), has: "wsmp"},
		{part: "WAV: root note, tuning and gain (`inst`)", fate: warned, name: "a.wav", source: tone16(riffChunk("inst", "\x39\x00\x00\x00\x7f\x01\x7f")), has: "chunk inst"},
		{part: "WAV: tempo (`acid`)", fate: warned, why: "unless the chunk says that the sound plays once", name: "a.wav", source: tone16(riffChunk("acid", u32(0, 60, 0, 4, 0x40004)+u32(math.Float32bits(120)))), has: "the tempo (chunk acid)"},
		{part: "WAV: names, rights and production (`LIST` `INFO`, `id3 `, `bext`, `iXML`, `axml`, `cart`, `DISP`)", fate: noMeaning, name: "a.wav", source: tone16(riffChunk("LIST", "INFO"+riffChunk("INAM", "name\x00")), riffChunk("bext", strings.Repeat("\x00", 602)), riffChunk("iXML", "<BWFXML/>"), riffChunk("cart", "0101"))},
		{part: "WAV: padding and peaks (`JUNK`, `PAD `, `PEAK`, `fact`)", fate: noMeaning, name: "a.wav", source: tone16(riffChunk("JUNK", "xxxx"), riffChunk("PEAK", u32(1, 0, 0, 0)))},
		{part: "more than two channels", fate: kept, why: "in PCM and Opus, for the usual speakers", name: "a.wav", source: wavFile(1, 16, 4, sample16), has: "\xfe\xff\x04\x00"},
		{part: "WAV: a mask of other speakers, for three channels and more", fate: refused, name: "a.wav", source: speakers, has: "speakers FL FR LFE"},
		{part: "rate", fate: kept, why: "unless `rate` is set; Opus always has 48000", name: "a.wav", source: tone16(), has: "\x22\x56\x00\x00"},
		{part: "8 bits", fate: kept, why: "with `format = \"auto\"`", name: "a.wav", source: wavFile(1, 8, 1, func(i int) string { return string([]byte{byte(i)}) }), has: "\x01\x00\x08\x00data"},
		{part: "more than 16 bits, if a sample needs them", fate: noted, name: "a.wav", source: wavFile(1, 24, 1, func(i int) string { return string([]byte{byte(i), 0, 0}) }), has: "rounded to 16 bits"},
		{part: "samples above full scale", fate: warned, why: "they are clipped, except with `format = \"float\"`; decoders of MP3 and Vorbis make some", name: "a.wav", source: wavFile(3, 32, 1, float32Sample(2)), has: "the sound peaks at +6.0 dBFS"},
		{part: "invalid samples (NaN, infinite)", fate: refused, name: "a.wav", source: wavFile(3, 32, 1, float32Sample(float32(math.Inf(1)))), has: "invalid sample"},
		{part: "FLAC: loops in comments", fate: kept, name: "a.flac", source: flacWith(4, vorbisComments("LOOPSTART=10", "LOOPEND=50")), has: "smpl"},
		{part: "FLAC, Vorbis and MP3: gain of tags (`REPLAYGAIN_*`, `R128_*`)", fate: warned, why: "`loudness` sets the gain", name: "a.flac", source: flacWith(4, vorbisComments("REPLAYGAIN_TRACK_GAIN=-6.0 dB")), has: "the gain of its tags (REPLAYGAIN_TRACK_GAIN)"},
		{part: "FLAC: other comments, pictures, seek tables, tracks of a disc", fate: noMeaning, name: "a.flac", source: flacWith(4, vorbisComments("ARTIST=nobody"))},
		{part: "FLAC: chunks of RIFF (`--keep-foreign-metadata`)", fate: kept, why: "loops as in WAV", name: "a.flac", source: flacWith(2, "riff"+smplChunk(60, 50)), has: "smpl"},
		{part: "Vorbis: loops in comments, if a rule cooks the file", fate: kept, name: "a.ogg", source: soundSample("vorbis/testdata/loop.ogg"), rule: byRule, has: "smpl"},
		{part: "MP3: loops in ID3 tags, if a rule cooks the file", fate: kept, name: "a.mp3", source: mp3With("LOOPSTART", "10"), rule: byRule, has: "smpl"},
		{part: "MP3: gain in ID3 tags (`TXXX`)", fate: warned, name: "a.mp3", source: mp3With("REPLAYGAIN_TRACK_GAIN", "-6"), rule: byRule, has: "the gain of its tags"},
		{part: "MP3: other frames of ID3, APE and lyrics tags", fate: noMeaning, name: "a.mp3", source: mp3With("ARTIST", "nobody"), rule: byRule},
	}
	for i := range parts {
		parts[i].kind = "sounds"
	}
	sourceParts = append(sourceParts, parts)
}
