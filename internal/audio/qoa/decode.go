package qoa

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/assetcook/assetcook/internal/audio/pcm"
)

// Decode decodes a QOA file. A file of a streaming encoder, with a length of 0 in its header, is
// read to its end. A clip takes at most ten times the memory of data.
//
// Torn frames, changes of channels or rate, and short frames before the last one are errors.
//
// Viewers and tests decode QOA.
func Decode(ctx context.Context, data []byte) (*pcm.Clip, error) {
	clip, frames, err := measure(data)
	if err != nil {
		return nil, err
	}
	clip.Samples = make([]float32, frames*clip.Channels)
	d := decoder{channels: clip.Channels, dequant: &lookup().dequant}
	data = data[fileHeader:]
	for to := clip.Samples; len(to) > 0; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		n := min(frameSamples*clip.Channels, len(to))
		d.frame(to[:n], data)
		to, data = to[n:], data[frameSize(n/clip.Channels, clip.Channels):]
	}
	return clip, nil
}

// measure checks everything in a file except the sound, before anything is allocated. It returns
// the clip without its samples.
func measure(data []byte) (clip *pcm.Clip, frames int, err error) {
	if len(data) < fileHeader || string(data[:4]) != magic {
		return nil, 0, errors.New("qoa: not a QOA file, which must start with \"qoaf\"")
	}
	claimed := int(min(int64(binary.BigEndian.Uint32(data[4:])), 1<<31-1))
	streaming := claimed == 0
	for at := fileHeader; streaming && at < len(data) || frames < claimed; {
		if len(data)-at < frameHeader {
			return nil, 0, fmt.Errorf("qoa: byte %d: the file ends before sample %d of %d; it is cut short", at, frames, claimed)
		}
		word := binary.BigEndian.Uint64(data[at:])
		channels, rate := int(word>>56), int(word>>32&MaxRate)
		samples, size := int(word>>16&0xffff), int(word&0xffff)
		if clip == nil {
			clip = &pcm.Clip{Rate: rate, Channels: channels}
		}
		last := samples == claimed-frames || streaming && at+size == len(data)
		switch {
		case channels < 1 || channels > MaxChannels:
			err = fmt.Errorf("%d channels, want 1 to %d", channels, MaxChannels)
		case rate == 0:
			err = errors.New("a sample rate of 0")
		case channels != clip.Channels || rate != clip.Rate:
			err = fmt.Errorf("%d channels at %d Hz after %d at %d; convert all parts to the same format", channels, rate, clip.Channels, clip.Rate)
		case samples < 1 || samples > frameSamples:
			err = fmt.Errorf("a frame of %d samples, want 1 to %d", samples, frameSamples)
		case !streaming && samples > claimed-frames:
			err = fmt.Errorf("%d samples, but by the file header only %d are left", samples, claimed-frames)
		case samples < frameSamples && !last:
			err = fmt.Errorf("a frame of %d samples; all except the last have %d", samples, frameSamples)
		case size != frameSize(samples, channels):
			err = fmt.Errorf("a frame of %d bytes, but %d samples take %d", size, samples, frameSize(samples, channels))
		case size > len(data)-at:
			err = fmt.Errorf("a frame of %d bytes, but only %d are left; the file is cut short", size, len(data)-at)
		}
		if err != nil {
			return nil, 0, fmt.Errorf("qoa: byte %d: %w", at, err)
		}
		frames += samples
		at += size
	}
	if clip == nil {
		return nil, 0, errors.New("qoa: the file has no frame")
	}
	if int64(frames)*int64(clip.Channels) > math.MaxInt/4 {
		return nil, 0, fmt.Errorf("qoa: %d frames do not fit in the memory of this machine", frames)
	}
	return clip, frames, nil
}

type decoder struct {
	channels   int
	dequant    *[16][8]int32
	predictors [MaxChannels]predictor
}

// frame decodes the frame at the start of data, which measure has checked.
func (d *decoder) frame(to []float32, data []byte) {
	data = data[frameHeader:]
	for c := range d.channels {
		d.predictors[c].load(data)
		data = data[stateSize:]
	}
	for len(to) > 0 {
		n := min(sliceLen*d.channels, len(to))
		for c := range d.channels {
			slice := binary.BigEndian.Uint64(data)
			data = data[sliceSize:]
			values, p := &d.dequant[slice>>60], &d.predictors[c]
			slice <<= 4
			for i := c; i < n; i += d.channels {
				residual := values[slice>>61]
				slice <<= 3
				sample := clamp16(p.predict() + residual)
				p.update(sample, residual)
				to[i] = float32(sample) / (1 << 15)
			}
		}
		to = to[n:]
	}
}
