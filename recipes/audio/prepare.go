package audio

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/audio/loudness"
	"github.com/assetcook/assetcook/internal/audio/opus"
	"github.com/assetcook/assetcook/internal/audio/pcm"
	"github.com/assetcook/assetcook/internal/audio/qoa"
	"github.com/assetcook/assetcook/internal/audio/resample"
	"github.com/assetcook/assetcook/internal/audio/source"
	"github.com/assetcook/assetcook/internal/audio/wav"
	"github.com/assetcook/assetcook/internal/detmath"
)

const minRate = resample.MinRate

// A sound is a prepared clip, with the results of each step.
type sound struct {
	*pcm.Clip
	source   source.Info
	trimmed  int64   // number of frames that were cut off
	loudness float64 // LUFS before the gain; set only if a loudness is requested
	gain     float64 // gain in dB
	limited  bool    // whether the gain was reduced to respect the peak
	dropped  []pcm.Loop
}

// prepareSound decodes the source and runs all steps before encoding.
func (o *audioOptions) prepareSound(ctx context.Context, job *recipe.Job) (*sound, error) {
	data, err := job.Source()
	if err != nil {
		return nil, err
	}
	s, err := o.prepareFile(ctx, job, data)
	if err == nil && len(s.Lost) > 0 {
		job.Warn("the cooked sound loses %s; keep the source for programs that read it", strings.Join(s.Lost, ", "))
	}
	if err == nil && o.Format != "float" && s.source.Bits > 0 {
		if peak := magnitude(s.Samples); peak > aboveFull {
			job.Warn("the sound peaks at %+.1f dBFS, and samples above 0 dBFS are clipped; set loudness to lower the level, or format = \"float\"", 20*math.Log10(peak))
		}
	}
	return s, err
}

// aboveFull is the largest sample value that rounding alone can cause.
const aboveFull = 1 + 1.0/(1<<15)

// prepareFile decodes and prepares the content of any file.
func (o *audioOptions) prepareFile(ctx context.Context, job *recipe.Job, data []byte) (*sound, error) {
	c, info, err := o.decodeSource(ctx, job, data)
	if err != nil {
		return nil, err
	}
	s := &sound{Clip: c, source: info}
	switch {
	case o.Loops == "drop":
		s.dropped, c.Loops = c.Loops, nil
	case len(c.Loops) > 0 && o.Format == "qoa":
		return nil, fmt.Errorf(`the sound loops from frame %d to %d, and QOA cannot store loops; set loops = "drop" or another format`,
			c.Loops[0].Start, c.Loops[0].End)
	case o.Format == "opus":
		dropLoops(job, c)
	}
	lost := c.Lost
	if err := o.mixChannels(ctx, c); err != nil {
		return nil, err
	}
	if o.Trim < 0 {
		if s.trimmed, err = trimSilence(ctx, c, float32(detmath.Gain(o.Trim))); err != nil {
			return nil, err
		}
	}
	step := job.Step("resample")
	s.Clip, err = resample.Clip(ctx, c, o.outputRate(c.Rate))
	step()
	if err != nil {
		return nil, err
	}
	s.Lost = lost
	if s.Clip != c {
		job.Hold("decoded sound", 4*len(s.Samples))
	}
	if o.Loudness != 0 {
		defer job.Step("normalize")()
		err = o.normalizeLoudness(ctx, s)
	}
	return s, err
}

// outputRate returns the output rate for a source with the given rate.
func (o *audioOptions) outputRate(of int) int {
	switch {
	case o.Format == "opus":
		return opus.Rate
	case o.Rate != 0:
		return o.Rate
	}
	return of
}

// mixChannels mixes the clip to the requested channels.
func (o *audioOptions) mixChannels(ctx context.Context, c *pcm.Clip) error {
	switch o.Channels {
	case "mono":
		return c.Mix(ctx, 1)
	case "stereo":
		return c.Mix(ctx, 2)
	}
	return nil
}

// looks is the number of samples that are processed between checks of the context.
const looks = 1 << 18

// trimSilence cuts off frames below the threshold at both ends, but keeps frames of loops. It
// returns the number of frames that it cut off. A clip that never exceeds the threshold is
// unchanged.
func trimSilence(ctx context.Context, c *pcm.Clip, threshold float32) (int64, error) {
	first, last := -1, -1
	for i, v := range c.Samples {
		if i%looks == 0 {
			if err := ctx.Err(); err != nil {
				return 0, err
			}
		}
		if v > threshold || v < -threshold {
			if last = i / c.Channels; first < 0 {
				first = last
			}
		}
	}
	if first < 0 {
		return 0, nil
	}
	from, until := int64(first), int64(last)+1
	for _, l := range c.Loops {
		from, until = min(from, l.Start), max(until, l.End)
	}
	frames := int64(c.Frames())
	c.Samples = c.Samples[from*int64(c.Channels) : until*int64(c.Channels)]
	for i := range c.Loops {
		c.Loops[i].Start -= from
		c.Loops[i].End -= from
	}
	return frames - (until - from), nil
}

// normalizeLoudness applies the gain for the requested loudness, limited by the peak. Silence is
// unchanged.
func (o *audioOptions) normalizeLoudness(ctx context.Context, s *sound) error {
	var err error
	if s.loudness, err = loudness.Integrated(ctx, s.Clip); err != nil {
		return err
	}
	peak, err := loudness.TruePeak(ctx, s.Clip)
	if err != nil {
		return err
	}
	s.gain, s.limited, err = o.gain(s.loudness, peak)
	if err != nil || s.gain == 0 {
		return err
	}
	factor := float32(detmath.Gain(s.gain))
	for i := range s.Samples {
		if i%looks == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		s.Samples[i] *= factor
	}
	return nil
}

// gain returns the gain in dB for a sound with the given loudness and peak, and whether the peak
// limits it. The gain is 0 for silence.
func (o *audioOptions) gain(integrated, peak float64) (gain float64, limited bool, err error) {
	if math.IsInf(integrated, -1) || math.IsInf(peak, -1) {
		return 0, false, nil
	}
	gain = o.Loudness - integrated
	if room := o.Peak - peak; gain > room {
		gain, limited = room, true
	}
	if math.IsNaN(gain) || math.IsInf(gain, 0) || math.IsNaN(peak) {
		return 0, false, fmt.Errorf("cook cannot compute a gain for a sound of %v LUFS with a peak of %v dBTP; set loudness to 0", integrated, peak)
	}
	return gain, limited, nil
}

// encodeSound writes the sound in the format that the options select.
func (o *audioOptions) encodeSound(ctx context.Context, w io.Writer, s *sound) error {
	switch o.Format {
	case "auto", "adpcm", "pcm", "float":
		return wav.Encode(ctx, w, s.Clip, wav.Options{Coding: o.coding(s), Dither: o.Dither})
	case "qoa":
		return qoa.Encode(ctx, w, s.Clip)
	case "opus":
		return opus.Encode(ctx, w, s.Clip, opus.Options{Bitrate: 1000 * o.Bitrate, SourceRate: s.source.Rate})
	}
	return fmt.Errorf("the format %q is unknown", o.Format)
}

// coding returns the WAV coding for a sound.
func (o *audioOptions) coding(s *sound) wav.Coding {
	switch o.Format {
	case "float":
		return wav.Float32
	case "adpcm":
		return wav.IMA
	}
	switch o.outputBits(s) {
	case 8:
		return wav.PCM8
	case 24:
		return wav.PCM24
	case 32:
		return wav.PCM32
	}
	return wav.PCM16
}

// noteRounded is the note of a run that rounds the samples of at least one source.
const noteRounded = `sounds: sources of more than 16 bits are rounded to 16 bits, which every engine plays; write bits = 24 in a rule to keep more, or dither = true to hide the rounding`

// roundsSamples reports whether the output has 16 bits by default, although the source has finer
// samples.
func (o *audioOptions) roundsSamples(s *sound) bool {
	if !o.integers() || o.Dither || o.outputBits(s) != defaultBits || s.source.Bits <= defaultBits {
		return false
	}
	return slices.ContainsFunc(s.Samples, func(v float32) bool {
		v *= 1 << (defaultBits - 1)
		return v != float32(math.Trunc(float64(v)))
	})
}

// outputBits returns the bits per sample. With format auto, an 8-bit sound keeps 8 bits if no
// step has changed its samples.
func (o *audioOptions) outputBits(s *sound) int {
	same := s.source.Rate == s.Rate && s.source.Channels == s.Channels && s.gain == 0
	if o.Format == "auto" && o.Bits == defaultBits && same && s.source.Coding == wav.PCM8.String() {
		return 8
	}
	return o.Bits
}
