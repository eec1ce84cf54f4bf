package wav

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/assetcook/assetcook/internal/audio/adpcm"
	"github.com/assetcook/assetcook/internal/audio/pcm"
)

// Options are the options of Encode.
type Options struct {
	// Coding is PCM8, PCM16, PCM24, PCM32, Float32 or IMA.
	Coding Coding
	// Dither adds deterministic triangular noise of two quantization steps before a sample is
	// rounded to 8, 16 or 24 bits. It turns the distortion of quiet sounds into hiss. Do not use it
	// for samples that the coding represents exactly, because it changes them.
	Dither bool
	// Loss receives the loss of IMA encoding. If Loss is nil, the loss is not measured.
	Loss *Loss
}

// Encode writes a clip with its loops. Samples beyond full scale are clipped and NaN becomes
// silence, except in Float32, which preserves them. Encode writes nothing if the format cannot
// represent the coding or the clip.
//
// The chunks are fmt, fact (IMA and Float32), data and smpl (with loops), in this order, because
// many loaders of games stop after the data. PCM with more than two channels uses the extensible
// format with the usual speakers. IMA ADPCM uses blocks of adpcm.IMABlockSize. If a loop ends at
// the end of the clip, the last block is filled with the start of the loop, otherwise with the last
// sample.
func Encode(ctx context.Context, w io.Writer, clip *pcm.Clip, o Options) error {
	if err := checkClip(clip, o); err != nil {
		return err
	}
	size := encodedDataSize(int64(clip.Frames()), clip.Rate, clip.Channels, o.Coding)
	head, tail := header(clip, o.Coding, size), make([]byte, 0, size&1)
	tail = tail[:size&1]
	if len(clip.Loops) > 0 {
		tail = appendSmpl(tail, clip.Rate, clip.Loops)
	}
	if _, err := w.Write(head); err != nil {
		return err
	}
	var err error
	if o.Coding == IMA {
		err = writeIMA(ctx, w, clip, o.Loss)
	} else {
		err = writeSamples(ctx, w, clip, o)
	}
	if err != nil {
		return err
	}
	_, err = w.Write(tail)
	return err
}

// Size returns how many bytes Encode writes for a clip with the given numbers of frames and loops.
func Size(frames int64, rate, channels, loops int, coding Coding) int64 {
	clip := &pcm.Clip{Rate: rate, Channels: channels}
	size := encodedDataSize(frames, rate, channels, coding)
	return int64(len(header(clip, coding, 0))) + size + size&1 + smplSize(loops)
}

func smplSize(loops int) int64 {
	if loops == 0 {
		return 0
	}
	return chunkHeader + smplHeader + smplLoop*int64(loops)
}

func encodedDataSize(frames int64, rate, channels int, coding Coding) int64 {
	if coding != IMA {
		return frames * int64(channels*coding.sampleBytes())
	}
	block := adpcm.IMABlockSize(rate, channels)
	n := int64(adpcm.IMAFrames(block, channels))
	return (frames + n - 1) / n * int64(block)
}

func checkClip(clip *pcm.Clip, o Options) error {
	switch {
	case o.Coding != IMA && (o.Coding < PCM8 || o.Coding > Float32):
		return fmt.Errorf("wav: cook cannot write coding %v", o.Coding)
	case clip.Channels < 1 || clip.Channels > MaxChannels:
		return fmt.Errorf("wav: the sound has %d channels, want 1 to %d", clip.Channels, MaxChannels)
	case o.Coding == IMA && clip.Channels > MaxIMAChannels:
		return fmt.Errorf("wav: the sound has %d channels, but players of IMA ADPCM support at most %d; write PCM or mix down", clip.Channels, MaxIMAChannels)
	case clip.Rate < 1 || clip.Rate > MaxRate:
		return fmt.Errorf("wav: the rate is %d frames a second, want 1 to %d", clip.Rate, MaxRate)
	case len(clip.Loops) > maxLoops:
		return fmt.Errorf("wav: the sound has %d loops, want at most %d; remove loops", len(clip.Loops), maxLoops)
	}
	frames := int64(clip.Frames())
	for _, loop := range clip.Loops {
		if loop.Start < 0 || loop.Start >= loop.End || loop.End > frames || loop.Count < 0 {
			return fmt.Errorf("wav: a loop goes from frame %d to %d, but the sound has only %d frames; set the loop again", loop.Start, loop.End, frames)
		}
	}
	if Size(frames, clip.Rate, clip.Channels, len(clip.Loops), o.Coding) > unknownSize {
		return errors.New("wav: the sound is longer than the 4 GiB of a WAV file; cut it or use fewer bits")
	}
	return nil
}

// header returns the bytes of the file that precede the samples.
func header(clip *pcm.Clip, coding Coding, dataSize int64) []byte {
	le := binary.LittleEndian
	tag, bits, block := tagPCM, 8*coding.sampleBytes(), clip.Channels*coding.sampleBytes()
	perSecond := clip.Rate * block
	var extra []byte
	switch {
	case coding == IMA:
		tag, bits, block = tagIMA, 4, adpcm.IMABlockSize(clip.Rate, clip.Channels)
		frames := adpcm.IMAFrames(block, clip.Channels)
		perSecond = int(int64(clip.Rate) * int64(block) / int64(frames))
		extra = le.AppendUint16([]byte{2, 0}, uint16(frames))
	case clip.Channels > 2:
		if coding == Float32 {
			tag = tagFloat
		}
		extra = le.AppendUint16([]byte{22, 0}, uint16(bits))
		extra = le.AppendUint32(extra, usualSpeakers(clip.Channels))
		extra = append(le.AppendUint16(extra, uint16(tag)), subFormat...)
		tag = tagExtensible
	case coding == Float32:
		tag, extra = tagFloat, []byte{0, 0}
	}
	h := append([]byte("RIFF"), 0, 0, 0, 0)
	h = append(h, "WAVEfmt "...)
	h = le.AppendUint32(h, uint32(16+len(extra)))
	h = le.AppendUint16(h, uint16(tag))
	h = le.AppendUint16(h, uint16(clip.Channels))
	h = le.AppendUint32(h, uint32(clip.Rate))
	h = le.AppendUint32(h, uint32(perSecond))
	h = le.AppendUint16(h, uint16(block))
	h = append(le.AppendUint16(h, uint16(bits)), extra...)
	if coding == IMA || coding == Float32 {
		h = le.AppendUint32(append(h, "fact"...), 4)
		h = le.AppendUint32(h, uint32(clip.Frames()))
	}
	h = le.AppendUint32(append(h, "data"...), uint32(dataSize))
	le.PutUint32(h[4:], uint32(int64(len(h))-chunkHeader+dataSize+dataSize&1+smplSize(len(clip.Loops))))
	return h
}

func writeSamples(ctx context.Context, w io.Writer, clip *pcm.Clip, o Options) error {
	q := quantiser{coding: o.Coding, dither: o.Dither}
	var buf []byte
	for rest := clip.Samples[:clip.Frames()*clip.Channels]; len(rest) > 0; {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := min(piece, len(rest))
		buf = q.appendSample(buf[:0], rest[:n])
		if _, err := w.Write(buf); err != nil {
			return err
		}
		rest = rest[n:]
	}
	return nil
}

func writeIMA(ctx context.Context, w io.Writer, clip *pcm.Clip, loss *Loss) error {
	e := adpcm.NewIMAEncoder(adpcm.IMABlockSize(clip.Rate, clip.Channels), clip.Channels)
	samples := make([]int16, e.Frames()*clip.Channels)
	var buf []byte
	for rest := clip.Samples[:clip.Frames()*clip.Channels]; len(rest) > 0; {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := min(len(samples), len(rest))
		for i, x := range rest[:n] {
			samples[i] = int16(roundSample(x, 16))
		}
		rest = rest[n:]
		sound := samples[:n]
		if len(rest) == 0 {
			n += continueLoop(samples, n, clip)
		}
		buf = e.Append(buf[:0], samples[:n])
		if loss != nil {
			if err := loss.addBlock(sound, buf, clip.Channels); err != nil {
				return err
			}
		}
		if _, err := w.Write(buf); err != nil {
			return err
		}
	}
	return nil
}

// continueLoop fills the last block, after n samples, with the start of a loop that ends at the
// clip's end, if there is one. It returns the number of samples that are set. Programs that ignore
// the fact chunk play these samples.
func continueLoop(samples []int16, n int, clip *pcm.Clip) int {
	end := int64(clip.Frames())
	at := slices.IndexFunc(clip.Loops, func(l pcm.Loop) bool { return l.End == end && !l.PingPong })
	if at < 0 {
		return 0
	}
	repeated := clip.Samples[clip.Loops[at].Start*int64(clip.Channels) : end*int64(clip.Channels)]
	for i := range samples[n:] {
		samples[n+i] = int16(roundSample(repeated[i%len(repeated)], 16))
	}
	return len(samples) - n
}

// A quantiser converts samples to a file's coding.
type quantiser struct {
	coding Coding
	dither bool
	seed   uint64
}

func (q *quantiser) appendSample(to []byte, samples []float32) []byte {
	bits := 8 * q.coding.sampleBytes()
	dither := q.dither && q.coding <= PCM24
	for _, x := range samples {
		if q.coding == Float32 {
			to = binary.LittleEndian.AppendUint32(to, math.Float32bits(x))
			continue
		}
		var v int32
		if dither {
			v = q.noisy(x, bits)
		} else {
			v = roundSample(x, bits)
		}
		switch q.coding {
		case PCM8:
			to = append(to, byte(v+128))
		case PCM16:
			to = append(to, byte(v), byte(v>>8))
		case PCM24:
			to = append(to, byte(v), byte(v>>8), byte(v>>16))
		case PCM32:
			to = append(to, byte(v), byte(v>>8), byte(v>>16), byte(v>>24))
		}
	}
	return to
}

// roundSample converts a sample to an integer of the given number of bits, rounded to nearest, ties
// to even, and clipped; NaN becomes 0.
func roundSample(x float32, bits int) int32 {
	full := float64(int64(1) << (bits - 1))
	return toInteger(float64(x)*full, full)
}

// noisy is like roundSample, but first adds the difference of two random numbers between 0 and 1.
func (q *quantiser) noisy(x float32, bits int) int32 {
	// SplitMix64 (Steele, Lea, Flood 2014), using 32 bits for each random number.
	q.seed += 0x9e3779b97f4a7c15
	z := q.seed
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	z ^= z >> 31
	noise := float64(float64(int64(z>>32)-int64(z&0xffffffff)) / (1 << 32))
	full := float64(int64(1) << (bits - 1))
	return toInteger(float64(float64(x)*full)+noise, full)
}

func toInteger(v, full float64) int32 {
	switch {
	case v != v:
		return 0
	case v >= full-1:
		return int32(full - 1)
	case v <= -full:
		return int32(-full)
	}
	return int32(math.RoundToEven(v))
}
