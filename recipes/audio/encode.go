package audio

import (
	"context"
	"fmt"
	"io"

	"github.com/assetcook/assetcook/internal/audio/opus"
	"github.com/assetcook/assetcook/internal/audio/qoa"
	"github.com/assetcook/assetcook/internal/audio/wav"
)

// encode writes the sound in the format of the options.
func (o *Audio) encode(ctx context.Context, w io.Writer, s *sound) error {
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
	switch o.bits(s) {
	case 8:
		return wav.PCM8
	case 24:
		return wav.PCM24
	case 32:
		return wav.PCM32
	}
	return wav.PCM16
}

// bits returns the bits of a sample. With format auto, a sound of 8 bits keeps them if no
// step has changed its samples.
func (o *Audio) bits(s *sound) int {
	same := s.source.Rate == s.Rate && s.source.Channels == s.Channels && s.gain == 0
	if o.Format == "auto" && o.Bits == defaultBits && same && s.source.Coding == wav.PCM8.String() {
		return 8
	}
	return o.Bits
}
