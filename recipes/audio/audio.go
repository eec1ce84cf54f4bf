// Package audio is the recipe that converts sounds for games.
//
// It reads WAV (PCM of 8 to 32 bits, float, ADPCM and more), FLAC, MP3 and Ogg Vorbis. It detects
// the format by the content, not the name. It writes
//
//	auto    pcm with 16 bits, which every browser and engine plays, or with 8 bits
//	        for sources of 8 bits that no option changes; adpcm where lossy allows it
//	        and a measurement shows little loss (choose.go)
//	adpcm   WAV with IMA ADPCM: a quarter of the size of 16 bits, very cheap to
//	        decode; browsers, LÖVE and SDL_mixer refuse it
//	pcm     WAV with integers of 8 to 32 bits
//	float   WAV with 32-bit floats, which may exceed full scale
//	qoa     Quite OK Audio: a fifth of the size of 16 bits; better than ADPCM and as
//	        cheap to decode
//	opus    Ogg Opus: by far the smallest, for music and speech; expensive to decode
//
// # Steps
//
// The steps run in this order: mix the channels, cut off silence at both ends, convert the sample
// rate, set the gain. The gain gives the sound the requested loudness without exceeding the peak.
// Without options, none of these steps runs, and "pcm" keeps 16-bit samples unchanged. See packages
// resample and loudness for the methods.
//
// Loops are kept. They come from the smpl chunk of WAV, or from LOOPSTART with LOOPLENGTH or
// LOOPEND in Vorbis comments, FLAC comments and ID3 tags. A loop that cannot be kept causes a
// warning. QOA cannot store loops.
//
// # Same bytes
//
// The output is byte for byte the same on every processor.
//
// # Many sounds in one file
//
// The recipe "sounds" joins the sounds of a list into one file (sounds.go, soundlist.go). It
// prepares each sound as described here.
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

// audioOptions are the options of the recipe.
type audioOptions struct {
	Format   string  `toml:"format" enum:"auto,adpcm,pcm,float,qoa,opus" doc:"output format: auto chooses pcm or adpcm by a measurement; WAV with integers (pcm), IMA ADPCM (which browsers, LÖVE and SDL_mixer refuse) or floats; QOA; Ogg Opus"`
	Lossy    bool    `toml:"lossy" doc:"with format auto, write IMA ADPCM for sounds that do not loop and keep at least 25 dB of signal to noise; set false for engines that cannot play ADPCM"`
	Bits     int     `toml:"bits" min:"8" max:"32" doc:"bits of a sample with format auto or pcm: 8, 16, 24 or 32"`
	Dither   bool    `toml:"dither" doc:"with format auto or pcm, add noise of two quantization steps to mask the rounding of quiet sounds"`
	Rate     int     `toml:"rate" min:"0" max:"384000" doc:"frames per second; 0 keeps the source's rate; opus always has 48000"`
	Channels string  `toml:"channels" enum:"keep,mono,stereo" doc:"keep the channels, mix down to mono, or convert to stereo"`
	Loudness float64 `toml:"loudness" min:"-70" max:"0" doc:"target for integrated loudness in LUFS (EBU R 128), such as -16; 0 does not change it"`
	Peak     float64 `toml:"peak" min:"-20" max:"0" doc:"highest true peak in dBTP after the gain of loudness; sounds with higher peaks get less gain"`
	Trim     float64 `toml:"trim" min:"-120" max:"0" doc:"cut off silence below this level in dBFS at both ends, such as -60; 0 cuts nothing; loops are never cut"`
	Loops    string  `toml:"loops" enum:"keep,drop" doc:"keep or drop loop points"`
	Bitrate  int     `toml:"bitrate" min:"0" max:"2048" doc:"kbit/s of opus for all channels; 0 chooses 64 for mono, 96 for stereo; for speech below 40 per channel, a command rule with opusenc sounds better"`
}

// Defaults of options that depend on other options.
const (
	defaultBits = 16
	defaultPeak = -1
)

// Recipe returns the recipe "audio".
func Recipe() recipe.Recipe {
	return recipe.Recipe{
		Name: "audio", Version: 4, Extensions: []string{".flac", ".wav"},
		Hints: []recipe.Hint{{Key: "format", Value: "opus"}}, Hinted: hintOfMusic,
		Formats: append(source.Foreign(), []recipe.Format{
			{Name: "a WAV sound", Extensions: []string{".wav", ".wave"}, Magic: []string{"RIFF....WAVE", "RIFX....WAVE", "RF64....WAVE"}},
			{Name: "an Ogg stream", Extensions: []string{".ogg", ".oga", ".ogv", ".opus"}, Magic: []string{"OggS"}, Verify: source.Verify},
			{Name: "a FLAC sound", Extensions: []string{".flac"}, Magic: []string{"fLaC"}},
			{Name: "a sound with an ID3 tag", Extensions: []string{".mp3", ".mp2", ".aac", ".flac", ".tta"}, Magic: []string{"ID3"}, Loose: true, Verify: source.Verify},
		}...),
		New: func() recipe.Cooker {
			return &audioOptions{Format: "auto", Lossy: true, Bits: defaultBits, Channels: "keep", Peak: defaultPeak, Loops: "keep"}
		},
		Traits: func(c recipe.Cooker) recipe.Traits {
			o := c.(*audioOptions)
			return recipe.Traits{Check: o.checkOptions, Estimate: o.estimateMemory, Lint: o.lintSource, Explain: o.explainResult}
		},
	}
}

// Outputs implements recipe.Cooker. The output of a WAV file keeps its name. So if horn.flac is
// beside horn.wav, it needs a rule with another output name.
func (o *audioOptions) Outputs() []string {
	switch o.Format {
	case "qoa":
		return []string{"{stem}.qoa"}
	case "opus":
		return []string{"{stem}.opus"}
	}
	return []string{"{stem}.wav"}
}

// checkOptions implements Traits.Check.
func (o *audioOptions) checkOptions() error {
	switch o.Bits {
	case 8, 16, 24, 32:
	default:
		return &recipe.OptionError{Key: "bits", Got: fmt.Sprint(o.Bits), Want: "8, 16, 24 or 32"}
	}
	switch {
	case o.Format == "opus" && o.Rate != 0 && o.Rate != opus.Rate:
		return &recipe.OptionError{Key: "rate", Got: fmt.Sprint(o.Rate), Want: `0 or 48000, the only rate of format "opus"`}
	case o.Rate != 0 && o.Rate < minRate:
		return &recipe.OptionError{Key: "rate", Got: fmt.Sprint(o.Rate), Want: fmt.Sprintf("0 or at least %d", minRate)}
	case o.Rate != 0 && o.Rate < loudness.MinRate && o.Loudness != 0:
		return &recipe.OptionError{Key: "rate", Got: fmt.Sprint(o.Rate), Want: fmt.Sprintf("0 or at least %d with loudness, which cannot be measured at lower rates", loudness.MinRate)}
	case o.Bits != defaultBits && !o.integers():
		return &recipe.OptionError{Key: "bits", Got: fmt.Sprint(o.Bits), Want: fmt.Sprintf(`%d, unless format = "auto" or "pcm"`, defaultBits)}
	case o.Peak != defaultPeak && o.Loudness == 0:
		return &recipe.OptionError{Key: "peak", Got: fmt.Sprint(o.Peak), Want: fmt.Sprintf("%d, unless loudness is set", defaultPeak)}
	case o.Bitrate != 0 && o.Format != "opus":
		return &recipe.OptionError{Key: "bitrate", Got: fmt.Sprint(o.Bitrate), Want: `0, unless format = "opus"`}
	case o.Dither && (!o.integers() || o.Bits == 32):
		return &recipe.OptionError{Key: "dither", Got: "true", Want: `false, unless format = "auto" or "pcm" with 8 to 24 bits`}
	}
	return nil
}

// integers reports whether the output is an integer WAV file.
func (o *audioOptions) integers() bool { return o.Format == "auto" || o.Format == "pcm" }

// Cook implements recipe.Cooker.
func (o *audioOptions) Cook(ctx context.Context, job *recipe.Job) error {
	head, err := readSourceHead(job)
	if err != nil {
		return err
	}
	if kind, err := source.Identify(head); err != nil {
		return err
	} else if kind == source.Opus && o.leavesOpus() {
		return copyOpus(ctx, job)
	}
	s, err := o.prepareSound(ctx, job)
	if err != nil {
		return err
	}
	defer job.Step("encode")()
	chosen, err := o.chooseForm(ctx, s)
	if err != nil {
		return err
	}
	if chosen.adpcm != nil {
		return job.Write(0, chosen.adpcm)
	}
	if o.roundsSamples(s) {
		job.Note("%s", noteRounded)
	}
	out, err := job.Create(0)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(out, 64<<10)
	if err = o.encodeSound(ctx, w, s); err == nil {
		err = w.Flush()
	}
	return errors.Join(err, out.Close())
}

// leavesOpus reports whether the options allow copying an Ogg Opus source unchanged.
func (o *audioOptions) leavesOpus() bool {
	return o.Format == "opus" && o.Channels == "keep" && o.Loudness == 0 && o.Trim == 0 && o.Loops == "keep" && o.Bitrate == 0
}

// copyOpus copies an Ogg Opus source after checking its pages.
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

func readSourceHead(job *recipe.Job) ([]byte, error) {
	f, err := job.Open()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, recipe.HeadSize))
}

// decodeSource decodes a file of any supported format.
func (o *audioOptions) decodeSource(ctx context.Context, job *recipe.Job, data []byte) (*pcm.Clip, source.Info, error) {
	defer job.Step("decode")()
	if _, err := o.probeSource(data, int64(len(data))); err != nil {
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
