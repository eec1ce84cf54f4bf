package audio

import (
	"context"
	"fmt"
	"io"

	"github.com/assetcook/assetcook/internal/audio/opus"
	"github.com/assetcook/assetcook/internal/audio/qoa"
	"github.com/assetcook/assetcook/internal/audio/wav"
)

// format returns what is written of a sound of so many channels.
func (o *Audio) format(channels int) string {
	switch {
	case o.Format != "auto":
		return o.Format
	case channels <= wav.MaxIMAChannels:
		return "adpcm"
	}
	return "pcm"
}

// encode writes the sound.
func (o *Audio) encode(ctx context.Context, w io.Writer, s *sound) error {
	switch format := o.format(s.Channels); format {
	case "adpcm", "pcm", "float":
		return wav.Encode(ctx, w, s.Clip, wav.Options{Coding: o.coding(format), Dither: o.Dither})
	case "qoa":
		return qoa.Encode(ctx, w, s.Clip)
	case "opus":
		return opus.Encode(ctx, w, s.Clip, opus.Options{Bitrate: 1000 * o.Bitrate, SourceRate: s.source.Rate})
	}
	return fmt.Errorf("format %q is not known", o.Format)
}

// coding returns what the samples of a WAV file are.
func (o *Audio) coding(format string) wav.Coding {
	switch format {
	case "float":
		return wav.Float32
	case "adpcm":
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
