// Package qoa reads and writes the Quite OK Audio format, version 1.0
// (https://qoaformat.org/qoa-specification.pdf): 16-bit sound at 3.2 bits per sample, fast enough
// to decode during playback.
//
// A file is an eight-byte header followed by frames of up to 5120 samples per channel. A frame
// holds the state of its predictors, so that decoding may start at any frame, and slices of 20
// samples that share a scale factor. All integers are big-endian.
//
// # Encoder
//
// [Encode] tries all 16 scale factors on every slice and selects the one with the smallest squared
// error. It writes the same bytes as the reference encoder, in less time. It uses only integer
// arithmetic, so every machine writes the same bytes.
//
// The format has neither loops nor text: [pcm.Clip.Loops] is not written.
package qoa

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/assetcook/assetcook/internal/audio/pcm"
)

// Limits of the format. For 1 to 8 channels, the speakers are: mono; L R; L R C; FL FR BL BR; FL FR
// C BL BR; FL FR C LFE BL BR; FL FR C LFE B SL SR; FL FR C LFE BL BR SL SR.
const (
	MaxChannels = 8
	MaxRate     = 1<<24 - 1
	MaxFrames   = 1<<32 - 1
)

const (
	magic        = "qoaf"
	fileHeader   = 8
	frameHeader  = 8
	stateSize    = 16 // size in bytes of a predictor's history and weights
	sliceSize    = 8
	sliceLen     = 20
	frameSlices  = 256
	frameSamples = frameSlices * sliceLen
)

func frameSize(samples, channels int) int {
	slices := (samples + sliceLen - 1) / sliceLen
	return frameHeader + channels*(stateSize+slices*sliceSize)
}

// Check returns an error if the format cannot represent the clip.
func Check(clip *pcm.Clip) error {
	frames := clip.Frames()
	switch {
	case clip.Channels < 1 || clip.Channels > MaxChannels:
		return fmt.Errorf("qoa: the sound has %d channels, want 1 to %d", clip.Channels, MaxChannels)
	case clip.Rate < 1 || clip.Rate > MaxRate:
		return fmt.Errorf("qoa: the rate is %d Hz, want 1 to %d", clip.Rate, MaxRate)
	case frames == 0:
		return errors.New("qoa: the sound is empty, which the format cannot store; add samples or remove the file")
	case int64(frames) > MaxFrames:
		return fmt.Errorf("qoa: the sound has %d frames, but the format holds at most %d; cut the sound", frames, int64(MaxFrames))
	}
	return nil
}

// Decode decodes a QOA file. A file of a streaming encoder, whose header has a length of 0, is
// decoded to its end. A clip takes at most ten times the memory of data.
//
// Truncated frames, changes of the number of channels or of the rate, and short frames before the
// last frame are errors.
//
// Only viewers and tests decode QOA.
func Decode(ctx context.Context, data []byte) (*pcm.Clip, error) {
	clip, frames, err := measureFrames(data)
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
		d.decodeSlices(to[:n], data)
		to, data = to[n:], data[frameSize(n/clip.Channels, clip.Channels):]
	}
	return clip, nil
}

// measureFrames checks everything in a file except the samples, before anything is allocated. It
// returns the clip without its samples.
func measureFrames(data []byte) (clip *pcm.Clip, frames int, err error) {
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
			err = fmt.Errorf("a frame has %d channels, want 1 to %d", channels, MaxChannels)
		case rate == 0:
			err = errors.New("the sample rate of a frame is 0; export the file again")
		case channels != clip.Channels || rate != clip.Rate:
			err = fmt.Errorf("a frame has %d channels at %d Hz, the frames before it have %d at %d Hz; convert all parts to the same format", channels, rate, clip.Channels, clip.Rate)
		case samples < 1 || samples > frameSamples:
			err = fmt.Errorf("a frame has %d samples, want 1 to %d", samples, frameSamples)
		case !streaming && samples > claimed-frames:
			err = fmt.Errorf("a frame has %d samples, but the file header allows only %d more; export the file again", samples, claimed-frames)
		case samples < frameSamples && !last:
			err = fmt.Errorf("a frame has %d samples, but all frames except the last must have %d; export the file again", samples, frameSamples)
		case size != frameSize(samples, channels):
			err = fmt.Errorf("a frame has %d bytes, but its %d samples need %d; export the file again", size, samples, frameSize(samples, channels))
		case size > len(data)-at:
			err = fmt.Errorf("a frame has %d bytes, but only %d are left; the file is cut short", size, len(data)-at)
		}
		if err != nil {
			return nil, 0, fmt.Errorf("qoa: byte %d: %w", at, err)
		}
		frames += samples
		at += size
	}
	if clip == nil {
		return nil, 0, errors.New("qoa: the file has no frame; export it again")
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

// decodeSlices decodes the frame at the start of data, which measureFrames must have checked.
func (d *decoder) decodeSlices(to []float32, data []byte) {
	data = data[frameHeader:]
	for c := range d.channels {
		d.predictors[c].loadState(data)
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
				sample := clampInt16(p.predictSample() + residual)
				p.adaptWeights(sample, residual)
				to[i] = float32(sample) / (1 << 15)
			}
		}
		to = to[n:]
	}
}

// A predictor is the sign-sign LMS filter of the specification: it predicts the next sample from
// the last four and adapts to the sign of each error. Arithmetic wraps at 32 bits, because weights
// in a file may be chosen to overflow.
type predictor struct {
	history, weights [4]int32 // state of the filter; the last entry belongs to the most recent sample
}

// newPredictor returns a predictor with the initial weights that the specification recommends,
// which extrapolate linearly.
func newPredictor() predictor {
	return predictor{weights: [4]int32{0, 0, -1 << 13, 1 << 14}}
}

func (p *predictor) predictSample() int32 {
	return (p.weights[0]*p.history[0] + p.weights[1]*p.history[1] +
		p.weights[2]*p.history[2] + p.weights[3]*p.history[3]) >> 13
}

func (p *predictor) adaptWeights(sample, residual int32) {
	delta := residual >> 4
	for i, h := range p.history {
		sign := h >> 31
		p.weights[i] += delta ^ sign - sign
	}
	p.history = [4]int32{p.history[1], p.history[2], p.history[3], sample}
}

// putState writes the state at the start of a frame. Weights that no longer fit in 16 bits are
// clamped in the state as well, so that encoder and decoder continue with the same weights.
func (p *predictor) putState(to []byte) {
	for i := range p.history {
		p.weights[i] = min(max(p.weights[i], math.MinInt16), math.MaxInt16)
		binary.BigEndian.PutUint16(to[2*i:], uint16(p.history[i]))
		binary.BigEndian.PutUint16(to[8+2*i:], uint16(p.weights[i]))
	}
}

func (p *predictor) loadState(from []byte) {
	for i := range p.history {
		p.history[i] = int32(int16(binary.BigEndian.Uint16(from[2*i:])))
		p.weights[i] = int32(int16(binary.BigEndian.Uint16(from[8+2*i:])))
	}
}

func clampInt16(x int32) int32 { return min(max(x, math.MinInt16), math.MaxInt16) }

// tables holds the tables that depend on the scale factor.
type tables struct {
	dequant    [16][8]int32 // decoded value of each code
	reciprocal [16]int32    // 2^16 / scale factor, rounded up
	steps      [16][32]step // entry q+8 has the step for quotient q; 32 entries avoid a bounds check
}

// A step holds the code for a quotient from -8 to 8, and its decoded value.
type step struct {
	code  uint32
	value int32
}

var lookup = sync.OnceValue(func() *tables {
	// Scale factor s is (s+1)^2.75, rounded.
	scales := [16]int32{1, 7, 21, 45, 84, 138, 211, 304, 421, 562, 731, 928, 1157, 1419, 1715, 2048}
	// These are the values of codes 0, 2, 4 and 6, in quarters of the scale factor. Odd codes have
	// the negated values.
	quarters := [4]int32{3, 10, 18, 28}
	// These are the codes of each magnitude, without sign. No code means zero.
	magnitude := [9]uint32{0, 0, 2, 2, 4, 4, 6, 6, 6}

	t := new(tables)
	for s, scale := range scales {
		t.reciprocal[s] = (1<<16 + scale - 1) / scale
		for i, q := range quarters {
			value := (scale*q + 2) / 4
			t.dequant[s][2*i], t.dequant[s][2*i+1] = value, -value
		}
		for q := int32(-8); q <= 8; q++ {
			code := magnitude[max(q, -q)]
			if q < 0 {
				code++
			}
			t.steps[s][q+8] = step{code, t.dequant[s][code]}
		}
	}
	return t
})
