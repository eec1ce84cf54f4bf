package audio

import (
	"context"
	"fmt"
	"io"
	"math"

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

// A sound is a prepared clip, with the results of the steps.
type sound struct {
	*pcm.Clip
	source   source.Info
	trimmed  int64   // frames
	loudness float64 // LUFS before the gain; only with a target
	gain     float64 // dB
	limited  bool    // the peak limited the gain
	dropped  []pcm.Loop
}

// prepareSound decodes the source and does all steps before encoding.
func (o *Audio) prepareSound(ctx context.Context, job *recipe.Job) (*sound, error) {
	data, err := job.Source()
	if err != nil {
		return nil, err
	}
	return o.prepareFile(ctx, job, data)
}

// prepareFile prepares the content of any file.
func (o *Audio) prepareFile(ctx context.Context, job *recipe.Job, data []byte) (*sound, error) {
	c, info, err := o.decodeSource(ctx, job, data)
	if err != nil {
		return nil, err
	}
	s := &sound{Clip: c, source: info}
	switch {
	case o.Loops == "drop":
		s.dropped, c.Loops = c.Loops, nil
	case len(c.Loops) > 0 && o.Format == "qoa":
		return nil, fmt.Errorf(`the sound loops from frame %d to %d, which QOA cannot tell: set loops = "drop" or another format`,
			c.Loops[0].Start, c.Loops[0].End)
	}
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
func (o *Audio) outputRate(of int) int {
	switch {
	case o.Format == "opus":
		return opus.Rate
	case o.Rate != 0:
		return o.Rate
	}
	return of
}

// mixChannels mixes to the requested channels.
func (o *Audio) mixChannels(ctx context.Context, c *pcm.Clip) error {
	switch o.Channels {
	case "mono":
		return c.Mix(ctx, 1)
	case "stereo":
		return c.Mix(ctx, 2)
	}
	return nil
}

// looks is the number of samples between two checks of the context.
const looks = 1 << 18

// trimSilence cuts off silence below the threshold at both ends, except frames of loops, and
// returns the number of frames removed. A clip that never exceeds the threshold is unchanged.
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

// normalizeLoudness brings the sound to the requested loudness, limited by the peak. Silence is
// unchanged.
func (o *Audio) normalizeLoudness(ctx context.Context, s *sound) error {
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
// limits it. It is 0 for silence.
func (o *Audio) gain(integrated, peak float64) (gain float64, limited bool, err error) {
	if math.IsInf(integrated, -1) || math.IsInf(peak, -1) {
		return 0, false, nil
	}
	gain = o.Loudness - integrated
	if room := o.Peak - peak; gain > room {
		gain, limited = room, true
	}
	if math.IsNaN(gain) || math.IsInf(gain, 0) || math.IsNaN(peak) {
		return 0, false, fmt.Errorf("the sound measures %v LUFS with a peak of %v dBTP, from which no gain follows; set loudness to 0", integrated, peak)
	}
	return gain, limited, nil
}

// encodeSound writes the sound in the format of the options.
func (o *Audio) encodeSound(ctx context.Context, w io.Writer, s *sound) error {
	switch o.Format {
	case "auto", "adpcm", "pcm", "float":
		return wav.Encode(ctx, w, s.Clip, wav.Options{Coding: o.coding(s), Dither: o.Dither})
	case "qoa":
		return qoa.Encode(ctx, w, s.Clip)
	case "opus":
		return opus.Encode(ctx, w, s.Clip, opus.Options{Bitrate: 1000 * o.Bitrate, SourceRate: s.source.Rate})
	}
	return fmt.Errorf("format %q is not known", o.Format)
}

// coding returns the coding of the WAV file for the sound.
func (o *Audio) coding(s *sound) wav.Coding {
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

// outputBits returns the bits of a sample. With format auto, a sound of 8 bits keeps them if no
// step has changed its samples.
func (o *Audio) outputBits(s *sound) int {
	same := s.source.Rate == s.Rate && s.source.Channels == s.Channels && s.gain == 0
	if o.Format == "auto" && o.Bits == defaultBits && same && s.source.Coding == wav.PCM8.String() {
		return 8
	}
	return o.Bits
}
