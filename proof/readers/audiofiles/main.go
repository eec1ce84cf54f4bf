// Command audiofiles writes sounds in every audio format that this module can write. Other programs
// read them, and audiofiles measures how much their results differ. See audio.sh beside it.
//
//	audiofiles write DIR             write X.raw, X-*.wav, X.qoa and X.opus for each sound X
//	audiofiles ima WAV TO            convert a WAV file to IMA ADPCM
//	audiofiles compare WANT GOT DB   fail unless GOT has the length of WANT and a signal-to-noise ratio of DB
//
// Raw files contain interleaved 16-bit little-endian samples. The name X starts with the sample
// rate and the number of channels: 22050-2.
package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"

	"github.com/assetcook/assetcook/internal/audio/opus"
	"github.com/assetcook/assetcook/internal/audio/pcm"
	"github.com/assetcook/assetcook/internal/audio/qoa"
	"github.com/assetcook/assetcook/internal/audio/wav"
)

func main() {
	var err error
	switch {
	case len(os.Args) == 3 && os.Args[1] == "write":
		err = writeAudioFiles(os.Args[2])
	case len(os.Args) == 4 && os.Args[1] == "ima":
		err = ima(os.Args[2], os.Args[3])
	case len(os.Args) == 5 && os.Args[1] == "compare":
		err = compare(os.Args[2], os.Args[3], os.Args[4])
	default:
		err = fmt.Errorf("usage: audiofiles write DIR | ima WAV TO | compare WANT GOT DB")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "audiofiles:", err)
		os.Exit(1)
	}
}

func writeAudioFiles(dir string) error {
	for _, clip := range []*pcm.Clip{
		sound(8000, 1, 8001), sound(11025, 2, 611), sound(22050, 2, 30_000), sound(44100, 1, 88_200),
		sound(44100, 2, 100_003), sound(48000, 1, 48_000), sound(48000, 2, 96_123), sound(48000, 6, 24_001), sound(48000, 8, 24_000),
	} {
		clip.Loops = []pcm.Loop{{Start: 100, End: int64(clip.Frames()) - 100}}
		name := filepath.Join(dir, fmt.Sprintf("%d-%d", clip.Rate, clip.Channels))
		if err := os.WriteFile(name+".raw", raw(clip), 0o666); err != nil {
			return err
		}
		for suffix, coding := range map[string]wav.Coding{
			"-8": wav.PCM8, "-16": wav.PCM16, "-24": wav.PCM24, "-32": wav.PCM32, "-float": wav.Float32, "-ima": wav.IMA,
		} {
			if coding == wav.IMA && clip.Channels > wav.MaxIMAChannels {
				continue
			}
			var b bytes.Buffer
			if err := wav.Encode(context.Background(), &b, clip, wav.Options{Coding: coding}); err != nil {
				return err
			}
			if err := os.WriteFile(name+suffix+".wav", b.Bytes(), 0o666); err != nil {
				return err
			}
		}
		var b bytes.Buffer
		if err := qoa.Encode(context.Background(), &b, clip); err != nil {
			return err
		}
		if err := os.WriteFile(name+".qoa", b.Bytes(), 0o666); err != nil {
			return err
		}
		if clip.Rate != opus.Rate {
			continue
		}
		b.Reset()
		if err := opus.Encode(context.Background(), &b, clip, opus.Options{}); err != nil {
			return err
		}
		if err := os.WriteFile(name+".opus", b.Bytes(), 0o666); err != nil {
			return err
		}
	}
	return nil
}

func ima(from, to string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	clip, _, err := wav.Decode(context.Background(), data)
	if err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	var b bytes.Buffer
	if err := wav.Encode(context.Background(), &b, clip, wav.Options{Coding: wav.IMA}); err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	return os.WriteFile(to, b.Bytes(), 0o666)
}

// sound returns notes that fade in and out, different ones in each channel, with a little noise.
func sound(rate, channels, frames int) *pcm.Clip {
	clip := &pcm.Clip{Rate: rate, Channels: channels}
	seed := uint32(1)
	for i := range frames {
		note, fade := float64(i*8/rate%13), 1-float64(i*8%rate)/float64(rate)
		for c := range channels {
			pitch := 110 * math.Exp2((note+float64(4*c))/12)
			phase := 2 * math.Pi * pitch * float64(i) / float64(rate)
			seed = seed*1664525 + 1013904223
			noise := float64(int32(seed)) / (1 << 31)
			x := 0.3*fade*(math.Sin(phase)+0.4*math.Sin(3*phase)) + 0.003*noise
			clip.Samples = append(clip.Samples, float32(math.RoundToEven(x*(1<<15))/(1<<15)))
		}
	}
	return clip
}

func raw(clip *pcm.Clip) []byte {
	var to []byte
	for _, x := range clip.Samples {
		to = binary.LittleEndian.AppendUint16(to, uint16(int16(x*(1<<15))))
	}
	return to
}

// compare prints the signal-to-noise ratio of got, and returns an error if it is below least.
func compare(want, got, least string) error {
	a, err := os.ReadFile(want)
	if err != nil {
		return err
	}
	b, err := os.ReadFile(got)
	if err != nil {
		return err
	}
	limit, err := strconv.ParseFloat(least, 64)
	if err != nil {
		return err
	}
	if len(a) != len(b) {
		return fmt.Errorf("%s: %d bytes, want %d", got, len(b), len(a))
	}
	signal, miss := 0., 1e-9
	for i := 0; i+1 < len(a); i += 2 {
		x := float64(int16(binary.LittleEndian.Uint16(a[i:])))
		y := float64(int16(binary.LittleEndian.Uint16(b[i:])))
		signal += x * x
		miss += (x - y) * (x - y)
	}
	ratio := 10 * math.Log10(signal/miss)
	fmt.Printf("%.2f\n", ratio)
	if ratio < limit {
		return fmt.Errorf("%s: %.2f dB, want %v", got, ratio, limit)
	}
	return nil
}
