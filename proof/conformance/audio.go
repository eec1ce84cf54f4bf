package main

import (
	"context"
	"crypto/md5"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/assetcook/assetcook/internal/audio/source"
)

// A sound has decoded, interleaved samples; 1.0 is full scale. The rate or the number of channels
// is 0 if it is unknown.
type sound struct {
	rate, channels int
	samples        []float32
}

// A soundTolerance is the allowed difference of a sound from its reference, as fractions of full
// scale.
type soundTolerance struct {
	most, rms float64
	clips     bool // the reference is clipped to full scale
	tail      int  // number of frames that the reference may lack at its end
}

const step16 = 1.0 / (1 << 15) // one step of 16-bit samples

var (
	// The output of oggdec and the reference files of minimp3 are rounded to 16 bits.
	vorbisTolerance = soundTolerance{most: 1.01 * step16, rms: step16, clips: true}
	// For full accuracy, ISO/IEC 11172-4 allows half of these differences. The rounding of the
	// reference adds the other half. The suite's references often lack the last frame.
	mp3Tolerance = soundTolerance{most: 2 * step16, rms: 2 * step16 / 3.4641, clips: true, tail: 1152}
	// Our decoders' samples are accurate to 24 bits.
	exactTolerance = soundTolerance{most: 1.0 / (1 << 24), rms: 1}
)

// soundsDiffer describes how a sound differs from the reference; "" if it does not.
func (s sound) soundsDiffer(want sound, t soundTolerance) string {
	switch {
	case want.rate != 0 && s.rate != want.rate:
		return fmt.Sprintf("rate: %d, want %d", s.rate, want.rate)
	case want.channels != 0 && s.channels != want.channels:
		return fmt.Sprintf("channels: %d, want %d", s.channels, want.channels)
	case len(s.samples) < len(want.samples), len(s.samples) > len(want.samples)+t.tail*s.channels:
		return fmt.Sprintf("length: %d samples, want %d", len(s.samples), len(want.samples))
	}
	most, sum, first := 0.0, 0.0, -1
	for i, w := range want.samples {
		v := float64(s.samples[i])
		if t.clips {
			v = min(max(v, -1), 1-step16)
		}
		d := math.Abs(v - float64(w))
		if d > t.most && first < 0 {
			first = i
		}
		most = max(most, d)
		sum += d * d
	}
	rms := math.Sqrt(sum / max(1, float64(len(want.samples))))
	if most > t.most || rms > t.rms {
		return fmt.Sprintf("samples differ by up to %.3g of full scale, %.3g rms, from sample %d of %d on", most, rms, first, len(s.samples))
	}
	return ""
}

// decodeWithOurs decodes a file with our decoders.
func decodeWithOurs(ctx context.Context, file string) (sound, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return sound{}, err
	}
	clip, _, err := source.Decode(ctx, data)
	if err != nil {
		return sound{}, err
	}
	return sound{clip.Rate, clip.Channels, clip.Samples}, nil
}

// soundTrial compares a file with the output of a program, which is a WAV file. If the program
// fails or prints a complaint, the file may be rejected.
func soundTrial(dir, row, name string, t soundTolerance, program []string) trial {
	return trial{row: row, file: name, run: func(ctx context.Context) (outcome, error) {
		file := filepath.Join(dir, name)
		ref := runProgram(ctx, program, file)
		if ref.missing != nil {
			return outcome{}, ref.missing
		}
		want, err := readWAV(ref.out)
		complaint := ref.complaintWith(err)
		o := outcome{}
		if complaint != "" || strings.Contains("/"+name, "/fuzz/") {
			o.expect = mayRefuse
		}
		got, err := decodeWithOurs(ctx, file)
		if o.refusal = err; err == nil {
			o.difference = got.soundsDiffer(want, t)
		}
		if o.difference != "" && complaint != "" {
			o.difference, o.noReference = "", "reference: "+complaint
		}
		return o, nil
	}}
}

var (
	ffmpegSound = []string{"ffmpeg", "-nostdin", "-v", "warning", "-i", "FILE", "-map", "0:a:0", "-bitexact", "-c:a", "pcm_f32le", "-f", "wav", "-"}
	oggdec      = []string{"oggdec", "-Q", "-b", "16", "-o", "-", "FILE"}
)

// sounds returns the trials for the sounds below a directory. Each sound is compared with the
// output of a program.
func sounds(below string) func(dir string) ([]trial, error) {
	return func(dir string) ([]trial, error) {
		names, err := files(dir, below, ".wav", ".ogg", ".oga")
		var list []trial
		for _, name := range names {
			if strings.HasSuffix(strings.ToLower(name), ".wav") {
				list = append(list, soundTrial(dir, "WAV", name, exactTolerance, ffmpegSound))
			} else {
				list = append(list, soundTrial(dir, "Ogg Vorbis", name, vorbisTolerance, oggdec))
			}
		}
		return list, err
	}
}

// minimp3 compares each sound with the .pcm file beside it, which contains 16-bit samples.
func minimp3(dir string) ([]trial, error) {
	names, err := files(dir, "vectors", ".bit", ".mp3")
	var list []trial
	for _, name := range names {
		base := filepath.Base(name)
		row, expect := "MP3", mustAccept
		switch {
		case strings.HasPrefix(base, "l1-"), strings.HasPrefix(base, "l2-"), strings.HasPrefix(base, "ILL"):
			row, expect = "MPEG Layer I and II", mayRefuse // layers I and II are not MP3
		case strings.Contains(base, "nonstandard"), filepath.Ext(base) != ".bit":
			row, expect = "MP3, nonstandard", mayRefuse
		}
		list = append(list, trial{row: row, file: name, run: func(ctx context.Context) (outcome, error) {
			o := outcome{expect: expect}
			file := filepath.Join(dir, name)
			pcm, err := os.ReadFile(strings.TrimSuffix(file, filepath.Ext(file)) + ".pcm")
			if err != nil {
				o.expect, o.noReference = mayRefuse, "the suite has no samples for this file"
			}
			got, err := decodeWithOurs(ctx, file)
			if o.refusal = err; err == nil && o.noReference == "" {
				o.difference = got.soundsDiffer(sound{samples: samples16(pcm)}, mp3Tolerance)
			}
			return o, nil
		}})
	}
	return list, err
}

// flacFiles compares the samples with the MD5 sum that each file contains.
func flacFiles(dir string) ([]trial, error) {
	names, err := files(dir, ".", ".flac")
	var list []trial
	for _, name := range names {
		group, _, _ := strings.Cut(name, "/")
		expect := mayRefuse // the suite's README allows refusal of uncommon and faulty files
		if group == "subset" {
			expect = mustAccept
		}
		list = append(list, trial{row: "FLAC, " + group, file: name, run: func(ctx context.Context) (outcome, error) {
			data, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				return outcome{}, err
			}
			o := outcome{expect: expect}
			got, err := decodeWithOurs(ctx, filepath.Join(dir, name))
			if o.refusal = err; err == nil {
				o.difference, o.noReference = compareMD5(data, got)
			}
			return o, nil
		}})
	}
	return list, err
}

func compareMD5(flac []byte, got sound) (difference, noReference string) {
	const length = 4 + 4 + 34 // the magic number, a block header, and STREAMINFO
	if len(flac) < length || string(flac[:4]) != "fLaC" || flac[4]&0x7F != 0 {
		return "", "no STREAMINFO at the start"
	}
	bits := int(binary.BigEndian.Uint16(flac[20:])>>4&0x1F) + 1
	want := flac[26:length]
	switch {
	case string(want) == string(make([]byte, md5.Size)):
		return "", "no MD5 in STREAMINFO"
	case bits > 24:
		return "", "more than 24 bits, which our samples round"
	}
	var raw []byte
	for _, v := range got.samples {
		n := uint32(int32(math.Round(float64(v) * float64(int(1)<<(bits-1)))))
		raw = append(raw, []byte{byte(n), byte(n >> 8), byte(n >> 16)}[:(bits+7)/8]...)
	}
	if sum := md5.Sum(raw); string(sum[:]) != string(want) {
		return fmt.Sprintf("MD5 of the samples: %s, want %s", hex.EncodeToString(sum[:]), hex.EncodeToString(want)), ""
	}
	return "", ""
}

func samples16(pcm []byte) []float32 {
	list := make([]float32, len(pcm)/2)
	for i := range list {
		list[i] = float32(int16(binary.LittleEndian.Uint16(pcm[2*i:]))) * step16
	}
	return list
}

// readWAV reads the output of the programs: 16-bit integers or 32-bit floats, to the end of the
// file. It ignores the declared size of the samples: a program that writes to a pipe cannot correct
// the size, and oggdec declares an estimate.
func readWAV(b []byte) (sound, error) {
	var s sound
	bits := 0
	for at := 12; at+8 <= len(b); {
		name, body := string(b[at:at+4]), b[at+8:]
		if name != "data" {
			body = body[:min(uint64(len(body)), uint64(binary.LittleEndian.Uint32(b[at+4:])))]
		}
		at += 8 + len(body) + len(body)&1
		switch {
		case name == "fmt " && len(body) >= 16:
			s.channels, s.rate = int(binary.LittleEndian.Uint16(body[2:])), int(binary.LittleEndian.Uint32(body[4:]))
			bits = int(binary.LittleEndian.Uint16(body[14:]))
		case name == "data" && bits == 16:
			s.samples = samples16(body)
			return s, nil
		case name == "data" && bits == 32:
			for ; len(body) >= 4; body = body[4:] {
				s.samples = append(s.samples, math.Float32frombits(binary.LittleEndian.Uint32(body)))
			}
			return s, nil
		}
	}
	return s, errors.New("no samples in the WAV file")
}
