// Package audio is the recipe that turns sound into what games play.
//
// It reads WAV (PCM of 8 to 32 bits, float, ADPCM and more), FLAC, MP3 and Ogg
// Vorbis; what a file holds decides, not what it is called. It writes
//
//	auto    pcm with 16 bits, which every browser and engine plays; with 8 bits
//	        for sources of 8 bits that no option changes
//	adpcm   WAV with IMA ADPCM: a quarter of the size of 16 bits, very cheap to
//	        decode; browsers, LÖVE and SDL_mixer refuse it
//	pcm     WAV with whole numbers of 8 to 32 bits: as it is
//	float   WAV with 32-bit floats, which may be above full scale
//	qoa     Quite OK Audio: a fifth of 16 bits, better than ADPCM, as cheap
//	opus    Ogg Opus: the smallest by far, for music and speech; decoding costs
//
// # What is done, in this order
//
// Channels are mixed, silence at both ends is cut off, the rate is converted,
// and the gain is set so that the sound is as loud as asked for without passing
// the peak. Without options nothing of this happens, and 16 bits in are the same
// 16 bits out of "pcm". See packages resample and loudness for the methods.
//
// Loops go along: the smpl chunk of WAV, and LOOPSTART with LOOPLENGTH or
// LOOPEND of Vorbis and FLAC comments and ID3 tags, become the loops of the
// output. A loop that cannot be kept gives a warning. QOA cannot hold loops, and warns.
//
// # Same bytes
//
// All of it gives the same bytes on every processor.
//
// # Many sounds in one
//
// The recipe "sounds" joins sounds that a list names (sounds.go, soundlist.go); each is prepared
// as here.
package audio

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/audio/loudness"
	"github.com/assetcook/assetcook/internal/audio/ogg"
	"github.com/assetcook/assetcook/internal/audio/opus"
	"github.com/assetcook/assetcook/internal/audio/pcm"
	"github.com/assetcook/assetcook/internal/audio/source"
)

// Audio holds the options of the recipe.
type Audio struct {
	Format   string  `toml:"format" enum:"auto,adpcm,pcm,float,qoa,opus" doc:"what is written: WAV with whole numbers (auto, pcm), IMA ADPCM (which browsers, LÖVE and SDL_mixer refuse) or floats; QOA; Ogg Opus"`
	Bits     int     `toml:"bits" min:"8" max:"32" doc:"bits of a sample with format auto or pcm: 8, 16, 24 or 32"`
	Dither   bool    `toml:"dither" doc:"with format auto or pcm, hide what rounding does to quiet sounds behind noise of two steps"`
	Rate     int     `toml:"rate" min:"0" max:"384000" doc:"frames a second; 0 keeps those of the source; opus always has 48000"`
	Channels string  `toml:"channels" enum:"keep,mono,stereo" doc:"mix down, or make two channels of one"`
	Loudness float64 `toml:"loudness" min:"-70" max:"0" doc:"integrated loudness in LUFS (EBU R 128) to bring the sound to, such as -16; 0 leaves it as it is"`
	Peak     float64 `toml:"peak" min:"-20" max:"0" doc:"true peak in dBTP that the gain for loudness may reach; sounds with higher ones stay quieter"`
	Trim     float64 `toml:"trim" min:"-120" max:"0" doc:"cut off what is below so many dBFS at both ends, such as -60; 0 cuts nothing; loops are never cut"`
	Loops    string  `toml:"loops" enum:"keep,drop" doc:"what becomes of loop points"`
	Bitrate  int     `toml:"bitrate" min:"0" max:"2048" doc:"kbit/s of opus, for all channels together; 0 chooses 64 for mono, 96 for stereo; speech of less than 40 a channel sounds better by a command rule with opusenc"`
}

// Defaults of options that have an effect only with others.
const (
	defaultBits = 16
	defaultPeak = -1
)

// Recipe returns the recipe "audio".
func Recipe() recipe.Recipe {
	return recipe.Recipe{
		Name: "audio", Version: 3, Extensions: []string{".flac", ".wav"},
		Formats: []recipe.Format{
			{Name: "a WAV sound", Extensions: []string{".wav", ".wave"}, Magic: []string{"RIFF....WAVE", "RIFX....WAVE", "RF64....WAVE"}},
			{Name: "an Ogg stream", Extensions: []string{".ogg", ".oga", ".ogv", ".opus"}, Magic: []string{"OggS"}},
			{Name: "a FLAC sound", Extensions: []string{".flac"}, Magic: []string{"fLaC"}},
			{Name: "a sound with an ID3 tag", Extensions: []string{".mp3", ".mp2", ".aac", ".flac", ".tta"}, Magic: []string{"ID3"}, Loose: true},
		},
		New: func() recipe.Cooker {
			return &Audio{Format: "auto", Bits: defaultBits, Channels: "keep", Peak: defaultPeak, Loops: "keep"}
		},
	}
}

// Outputs implements recipe.Cooker. What has been a WAV file keeps its name; a
// horn.flac beside a horn.wav needs another one by a rule.
func (o *Audio) Outputs() []string {
	switch o.Format {
	case "qoa":
		return []string{"{stem}.qoa"}
	case "opus":
		return []string{"{stem}.opus"}
	}
	return []string{"{stem}.wav"}
}

// Check implements recipe.Checker.
func (o *Audio) Check() error {
	switch o.Bits {
	case 8, 16, 24, 32:
	default:
		return &recipe.OptionError{Key: "bits", Got: fmt.Sprint(o.Bits), Want: "8, 16, 24 or 32"}
	}
	switch {
	case o.Format == "opus" && o.Rate != 0 && o.Rate != opus.Rate:
		return &recipe.OptionError{Key: "rate", Got: fmt.Sprint(o.Rate), Want: `0 or 48000 with format "opus", which has no other`}
	case o.Rate != 0 && o.Rate < minRate:
		return &recipe.OptionError{Key: "rate", Got: fmt.Sprint(o.Rate), Want: fmt.Sprintf("0 or at least %d", minRate)}
	case o.Rate != 0 && o.Rate < loudness.MinRate && o.Loudness != 0:
		return &recipe.OptionError{Key: "rate", Got: fmt.Sprint(o.Rate), Want: fmt.Sprintf("0 or at least %d with loudness, which cannot be measured of less", loudness.MinRate)}
	case o.Bits != defaultBits && !o.integers():
		return &recipe.OptionError{Key: "bits", Got: fmt.Sprint(o.Bits), Want: fmt.Sprintf(`%d but with format "auto" or "pcm"`, defaultBits)}
	case o.Peak != defaultPeak && o.Loudness == 0:
		return &recipe.OptionError{Key: "peak", Got: fmt.Sprint(o.Peak), Want: fmt.Sprintf("%d but with loudness", defaultPeak)}
	case o.Bitrate != 0 && o.Format != "opus":
		return &recipe.OptionError{Key: "bitrate", Got: fmt.Sprint(o.Bitrate), Want: `0 but with format "opus"`}
	case o.Dither && (!o.integers() || o.Bits == 32):
		return &recipe.OptionError{Key: "dither", Got: "true", Want: `false but with format "auto" or "pcm" of 8 to 24 bits`}
	}
	return nil
}

// integers reports whether the output is a WAV file of whole numbers.
func (o *Audio) integers() bool { return o.Format == "auto" || o.Format == "pcm" }

// Cook implements recipe.Cooker.
func (o *Audio) Cook(ctx context.Context, job *recipe.Job) error {
	head, err := readHead(job)
	if err != nil {
		return err
	}
	if kind, err := source.Identify(head); err != nil {
		return err
	} else if kind == source.Opus && o.leavesOpus() {
		return copyOpus(ctx, job)
	}
	s, err := o.prepare(ctx, job)
	if err != nil {
		return err
	}
	out, err := job.Create(0)
	if err != nil {
		return err
	}
	defer job.Step("encode")()
	w := bufio.NewWriterSize(out, 64<<10)
	if err = o.encode(ctx, w, s); err == nil {
		err = w.Flush()
	}
	return errors.Join(err, out.Close())
}

// leavesOpus says whether an Ogg Opus file is already what is asked for.
func (o *Audio) leavesOpus() bool {
	return o.Format == "opus" && o.Channels == "keep" && o.Loudness == 0 && o.Trim == 0 && o.Loops == "keep" && o.Bitrate == 0
}

// copyOpus copies an Ogg Opus source, once its pages are found whole.
func copyOpus(ctx context.Context, job *recipe.Job) error {
	defer job.Step("copy")()
	data, err := job.Source()
	if err != nil {
		return err
	}
	packets, err := ogg.NewReader(data, []byte("OpusHead"))
	for err == nil {
		if err := ctx.Err(); err != nil {
			return err
		}
		_, err = packets.Next()
	}
	if err != io.EOF {
		return err
	}
	return job.Write(0, data)
}

func readHead(job *recipe.Job) ([]byte, error) {
	f, err := job.Open()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, recipe.HeadSize))
}

// decode decodes a file.
func (o *Audio) decode(ctx context.Context, job *recipe.Job, data []byte) (*pcm.Clip, source.Info, error) {
	defer job.Step("decode")()
	if _, err := o.probe(data, int64(len(data))); err != nil {
		return nil, source.Info{}, err
	}
	c, info, err := source.Decode(ctx, data)
	if err != nil {
		return nil, info, err
	}
	job.Hold("decoded sound", 4*len(c.Samples))
	if o.Loops == "keep" {
		for _, w := range c.Warnings {
			job.Warn("%s", w)
		}
	}
	return c, info, nil
}
