// Package qoa reads and writes the Quite OK Audio format, version 1.0
// (https://qoaformat.org/qoa-specification.pdf): 16-bit sound at 3.2 bits a sample, cheap enough to
// decode during playback.
//
// A file is an eight-byte header and frames of up to 5120 samples a channel. A frame holds the
// state of its predictors, so that decoding may start at any frame, and slices of 20 samples that
// share a scale factor. All is big-endian.
//
// # Encoder
//
// [Encode] tries all 16 scale factors on every slice and keeps the one with the least squared
// error. It writes the same bytes as the reference encoder, in less time. It uses only integer
// arithmetic, so every machine writes the same bytes.
//
// The format has neither loops nor text: [pcm.Clip.Loops] is not written.
package qoa

import (
	"errors"
	"fmt"

	"github.com/assetcook/assetcook/internal/audio/pcm"
)

// Limits of the format. The channels have these speakers: mono; L R; L R C; FL FR BL BR; FL FR C BL
// BR; FL FR C LFE BL BR; FL FR C LFE B SL SR; FL FR C LFE BL BR SL SR.
const (
	MaxChannels = 8
	MaxRate     = 1<<24 - 1
	MaxFrames   = 1<<32 - 1
)

const (
	magic        = "qoaf"
	fileHeader   = 8
	frameHeader  = 8
	stateSize    = 16 // a predictor's history and weights
	sliceSize    = 8
	sliceLen     = 20
	frameSlices  = 256
	frameSamples = frameSlices * sliceLen
)

func frameSize(samples, channels int) int {
	slices := (samples + sliceLen - 1) / sliceLen
	return frameHeader + channels*(stateSize+slices*sliceSize)
}

// Check returns an error if the format cannot hold the clip.
func Check(clip *pcm.Clip) error {
	frames := clip.Frames()
	switch {
	case clip.Channels < 1 || clip.Channels > MaxChannels:
		return fmt.Errorf("qoa: %d channels, want 1 to %d", clip.Channels, MaxChannels)
	case clip.Rate < 1 || clip.Rate > MaxRate:
		return fmt.Errorf("qoa: %d Hz, want 1 to %d", clip.Rate, MaxRate)
	case frames == 0:
		return errors.New("qoa: no samples; the format cannot hold a sound of no length")
	case int64(frames) > MaxFrames:
		return fmt.Errorf("qoa: %d frames, the format ends at %d; cut the sound", frames, int64(MaxFrames))
	}
	return nil
}
