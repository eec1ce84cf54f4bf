package audio

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/audio/loudness"
	"github.com/assetcook/assetcook/internal/audio/resample"
	"github.com/assetcook/assetcook/internal/audio/source"
	"github.com/assetcook/assetcook/internal/audio/wav"
)

// estimateMemory implements Traits.Estimate.
func (o *audioOptions) estimateMemory(head []byte, size int64) (int64, error) {
	info, err := o.probeSource(head, size)
	if errors.Is(err, source.ErrOpus) && o.leavesOpus() {
		return fixedMemory + size, nil
	}
	if err != nil {
		return 0, err
	}
	return o.cookMemory(info, size), nil
}

// probeSource describes a source, and refuses a source that cannot be cooked with the options.
func (o *audioOptions) probeSource(head []byte, size int64) (source.Info, error) {
	info, err := source.Probe(head, size)
	if err == nil && o.Loudness != 0 {
		err = loudness.CheckRate(o.outputRate(info.Rate))
	}
	return info, err
}

// These sizes were measured. fixedMemory is for buffers and tables, encoderMemory for an encoder.
const (
	fixedMemory   = 2 << 20
	encoderMemory = 1 << 20
)

// cookMemory returns the maximum number of bytes that Cook holds at once. It is the maximum over
// three stages: decoding, mixing and resampling. Decoding needs memory for the file. Mixing and
// resampling need the sound before and after the step. All later steps count as part of resampling.
func (o *audioOptions) cookMemory(info source.Info, size int64) int64 {
	clip := func(channels int) int64 { return 4 * info.Frames * int64(channels) }
	channels := info.Channels
	mixing := int64(0)
	switch o.Channels {
	case "mono":
		channels = 1 // mixing works in place
	case "stereo":
		if channels = 2; info.Channels == 1 {
			mixing = clip(1) + clip(2)
		}
	}
	// Mixing down in place does not free the memory of the other channels.
	held := max(clip(info.Channels), clip(channels))
	measuring := int64(0)
	if o.Loudness != 0 {
		measuring = loudness.Memory(info.Frames, info.Rate)
	}
	encoded := int64(0)
	if o.Format == "auto" && o.Lossy { // memory for the ADPCM file, in a growing buffer
		encoded = info.Frames * int64(channels)
	}
	resampling := resample.Memory(info.Frames, channels, info.Rate, o.outputRate(info.Rate))
	return fixedMemory + max(size+info.Memory, mixing, held+resampling+measuring+encoded+encoderMemory)
}

// explainResult describes the output and the reasons, one per line. It decodes and measures the
// source, but writes nothing.
func (o *audioOptions) explainResult(ctx context.Context, job *recipe.Job) ([]string, error) {
	head, err := readSourceHead(job)
	if err != nil {
		return nil, err
	}
	if kind, err := source.Identify(head); err != nil {
		return nil, err
	} else if kind == source.Opus && o.leavesOpus() {
		return []string{"opus: the source is Ogg Opus already and is copied"}, nil
	}
	s, err := o.prepareSound(ctx, job)
	if err != nil {
		return nil, err
	}
	chosen, err := o.chooseForm(ctx, s)
	if err != nil {
		return nil, err
	}
	lines := []string{
		fmt.Sprintf("source: %s, %s", s.source.Coding, describeShape(s.source.Rate, s.source.Channels, s.source.Frames)),
		o.resultLine(s, chosen.adpcm != nil),
	}
	if chosen.reason != "" {
		lines = append(lines, chosen.reason)
	}
	if s.limited {
		lines = append(lines, fmt.Sprintf("gain: %+.1f dB, limited so that the peak stays below %.1f dBTP", s.gain, o.Peak))
	}
	if peak := magnitude(s.Samples); peak > 1 && s.source.Bits == 0 && o.Format != "float" {
		lines = append(lines, fmt.Sprintf("clipped: the sound peaks at %+.1f dBFS; set loudness to bring it down", 20*math.Log10(peak)))
	}
	for _, l := range s.Loops {
		lines = append(lines, fmt.Sprintf("loop: frames %d to %d", l.Start, l.End))
	}
	if o.Format == "adpcm" || chosen.adpcm != nil {
		lines = append(lines, "players: browsers, LÖVE and SDL_mixer cannot play IMA ADPCM; SDL also plays the padding of the last block")
	}
	return lines, nil
}

// resultLine returns the line that describes the output.
func (o *audioOptions) resultLine(s *sound, adpcm bool) string {
	format := o.Format
	if adpcm {
		format = "adpcm"
	} else if o.integers() {
		format = fmt.Sprintf("pcm of %d bits", o.outputBits(s))
	}
	parts := []string{format + ": " + describeShape(s.Rate, s.Channels, int64(s.Frames()))}
	if s.trimmed > 0 {
		parts = append(parts, fmt.Sprintf("%.2f s of silence cut off", float64(s.trimmed)/float64(s.source.Rate)))
	}
	switch {
	case o.Loudness == 0:
	case math.IsInf(s.loudness, -1):
		parts = append(parts, "the sound is silent, so it gets no gain")
	default:
		parts = append(parts, fmt.Sprintf("loudness %.1f LUFS, gain %+.1f dB", s.loudness, s.gain))
	}
	return strings.Join(parts, ", ")
}

func describeShape(rate, channels int, frames int64) string {
	plural := "s"
	if channels == 1 {
		plural = ""
	}
	return fmt.Sprintf("%d Hz, %d channel%s, %.2f s", rate, channels, plural, float64(frames)/float64(rate))
}

func magnitude(samples []float32) float64 {
	top := float32(0)
	for _, v := range samples {
		top = max(top, v, -v)
	}
	return float64(top)
}

// lintSource returns likely mistakes in a source, one per line. Examples are an extension that does
// not match the content, a truncated file, or a file that is not worth cooking.
func (o *audioOptions) lintSource(path string, head []byte, size int64) []string {
	kind, err := source.Identify(head)
	if err != nil {
		return []string{err.Error()}
	}
	var lines []string
	if ext := recipe.Ext(path); !slices.Contains(kind.Extensions(), ext) {
		lines = append(lines, fmt.Sprintf("the content of the file is %s, but the extension is %q; rename it to %s", kind, ext, kind.Extensions()[0]))
	}
	if kind == source.WAV {
		if n := wav.Missing(head, size); n > 0 {
			lines = append(lines, fmt.Sprintf("the header declares %d more bytes than the file has, so loops may be missing; copy or export the file again", n))
		}
	}
	if kind == source.Opus && !o.leavesOpus() {
		lines = append(lines, source.ErrOpus.Error())
	}
	return lines
}
