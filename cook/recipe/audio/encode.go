package audio

import (
	"context"
	"fmt"
	"io"

	"github.com/assetcook/assetcook/cook/recipe/audio/opus"
	"github.com/assetcook/assetcook/cook/recipe/audio/qoa"
	"github.com/assetcook/assetcook/cook/recipe/audio/wav"
)

// encode writes the sound.
func (o *Audio) encode(ctx context.Context, w io.Writer, s *sound) error {
	switch o.Format {
	case "adpcm", "pcm", "float":
		return wav.Encode(ctx, w, s.Clip, wav.Options{Coding: o.coding(), Dither: o.Dither})
	case "qoa":
		return qoa.Encode(ctx, w, s.Clip)
	case "opus":
		return opus.Encode(ctx, w, s.Clip, o.opus(s))
	}
	return fmt.Errorf("format %q is not known", o.Format)
}

// coding returns what the samples of a WAV file are.
func (o *Audio) coding() wav.Coding {
	if o.Format == "float" {
		return wav.Float32
	}
	if o.Format == "adpcm" {
		return wav.IMA
	}
	switch o.Bits {
	case 8:
		return wav.PCM8
	case 24:
		return wav.PCM24
	case 32:
		return wav.PCM32
	}
	return wav.PCM16
}

// opusComplexity is the encoder's best.
const opusComplexity = 10

func (o *Audio) opus(s *sound) opus.Options {
	options := opus.Options{
		Bitrate: 1000 * o.Bitrate, Complexity: opusComplexity, SourceRate: s.source.Rate,
	}
	if o.Speech {
		options.Application = opus.Voice
	}
	return options
}
