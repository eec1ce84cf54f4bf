package inspect

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/assetcook/assetcook/internal/audio/loudness"
	"github.com/assetcook/assetcook/internal/audio/ogg"
	"github.com/assetcook/assetcook/internal/audio/opus"
	"github.com/assetcook/assetcook/internal/audio/pcm"
	"github.com/assetcook/assetcook/internal/audio/qoa"
	"github.com/assetcook/assetcook/internal/audio/source"
	"github.com/assetcook/assetcook/internal/audio/vorbiscomment"
	"github.com/assetcook/assetcook/internal/audio/wav"
)

// A sound is the response that sound.js shows: a header, followed by the peaks and the clip; see
// soundParts.
type sound struct {
	Format   soundFormat   `json:"format"`
	Loudness soundLoudness `json:"loudness"`
	Peaks    soundPeaks    `json:"peaks"`
	Clip     soundClip     `json:"clip"`

	peaks, clip []byte
}

// A soundFormat describes the format of a sound file.
type soundFormat struct {
	Kind     string      `json:"kind"`   // the container: "WAV"
	Coding   string      `json:"coding"` // how samples are stored: "16-bit PCM"
	Rate     int         `json:"rate"`   // frames per second
	Channels int         `json:"channels"`
	Frames   int64       `json:"frames"`
	Seconds  float64     `json:"seconds"`
	Bytes    int         `json:"bytes"`
	BitRate  float64     `json:"bitRate"` // bits a second, of the whole file
	Loops    []soundLoop `json:"loops"`
}

// A soundLoop is the JSON form of a pcm.Loop.
type soundLoop struct {
	Start    int64 `json:"start"`
	End      int64 `json:"end"`   // number of the first frame after the loop
	Count    int   `json:"count"` // number of repetitions; 0 for an endless loop
	PingPong bool  `json:"pingPong"`
}

// soundPeaks describe the first part: for each column of each channel, the lowest and the highest
// sample as two little-endian float32. Column i of n covers the frames from i*Frames/n up to
// (i+1)*Frames/n.
type soundPeaks struct {
	Columns int    `json:"columns"`
	Why     string `json:"why,omitempty"` // reason why there are no peaks
}

// A soundClip describes the second part: a sound file that a browser can decode.
type soundClip struct {
	Type    string  `json:"type,omitempty"` // media type: "audio/wav"
	Bytes   int     `json:"bytes"`
	Seconds float64 `json:"seconds"`
	Why     string  `json:"why,omitempty"` // reason why the clip is cut or missing
}

// soundParts returns the bytes that follow the header.
func (s *sound) soundParts() [][]byte { return [][]byte{s.peaks, s.clip} }

func (p *project) answerSound(ctx context.Context, f *file) (any, [][]byte, error) {
	data, _, err := p.readAssetFile(f)
	if err != nil {
		return nil, nil, err
	}
	s, err := soundOf(ctx, data)
	if err != nil {
		return nil, nil, err
	}
	return s, s.soundParts(), nil
}

// soundOf describes a sound file of any format that the audio recipe reads or writes.
func soundOf(ctx context.Context, data []byte) (*sound, error) {
	return soundLimits{memory: 640 << 20, clip: 128 << 20, length: 10 * time.Minute, columns: 4096}.readSoundWithin(ctx, data)
}

// soundLimits limit the work on a file.
type soundLimits struct {
	memory  int64 // memory in bytes for decoding
	clip    int64 // size of the clip in bytes
	length  time.Duration
	columns int
}

func (l soundLimits) readSoundWithin(ctx context.Context, data []byte) (*sound, error) {
	format, memory, err := probeSound(data)
	if errors.Is(err, source.ErrOpus) {
		return l.readOpus(data)
	}
	if err != nil {
		return nil, err
	}
	if memory > l.memory {
		format.fillDerived(len(data))
		why := fmt.Sprintf("the sound needs %d MiB once decoded, the limit is %d", memory>>20, l.memory>>20)
		return &sound{Format: format, Loudness: unmeasured(why), Peaks: soundPeaks{Why: why}, Clip: soundClip{Why: why}}, nil
	}
	var c *pcm.Clip
	if format.Kind == kindQOA {
		c, err = qoa.Decode(ctx, data)
	} else {
		c, _, err = source.Decode(ctx, data)
	}
	if err != nil {
		return nil, err
	}
	format.Rate, format.Channels, format.Frames = c.Rate, c.Channels, int64(c.Frames())
	for _, loop := range c.Loops {
		format.Loops = append(format.Loops, soundLoop(loop))
	}
	format.fillDerived(len(data))
	s := &sound{Format: format}
	if s.Loudness, err = loudnessOf(ctx, c); err != nil {
		return nil, err
	}
	if s.peaks, err = peaksOf(ctx, c, min(l.columns, c.Frames())); err != nil {
		return nil, err
	}
	s.Peaks.Columns = len(s.peaks) / (peakSize * c.Channels)
	s.Clip, s.clip, err = l.clipOf(ctx, c)
	return s, err
}

const kindQOA = "QOA"

// probeSound describes a file without decoding it, and returns how much memory decoding would take.
func probeSound(data []byte) (f soundFormat, memory int64, err error) {
	if bytes.HasPrefix(data, []byte("qoaf")) {
		f = soundFormat{Kind: kindQOA, Coding: kindQOA}
		if len(data) >= 16 { // enough for the headers of the file and of the first frame
			f.Frames = int64(binary.BigEndian.Uint32(data[4:]))
			f.Channels, f.Rate = int(data[8]), int(binary.BigEndian.Uint32(data[8:])&qoa.MaxRate)
		}
		return f, 10 * int64(len(data)), nil
	}
	info, err := source.Probe(data, int64(len(data)))
	if err != nil {
		return f, 0, err
	}
	f = soundFormat{Kind: string(info.Kind), Coding: info.Coding, Rate: info.Rate, Channels: info.Channels, Frames: info.Frames}
	return f, info.Memory, nil
}

// fillDerived computes the fields that depend on other fields and the size of the file.
func (f *soundFormat) fillDerived(size int) {
	f.Bytes = size
	if f.Rate > 0 && f.Frames > 0 {
		f.Seconds = float64(f.Frames) / float64(f.Rate)
		f.BitRate = 8 * float64(size) / f.Seconds
	}
	if f.Loops == nil {
		f.Loops = []soundLoop{} // empty list, so that JSON has [] and not null
	}
}

const peakSize = 8

// looks is the number of samples between checks of the context.
const looks = 1 << 18

// peaksOf returns the lowest and highest samples of a clip for each column. The clip must have at
// least as many frames as columns.
func peaksOf(ctx context.Context, c *pcm.Clip, columns int) ([]byte, error) {
	frames := int64(c.Frames())
	peaks := make([]byte, 0, peakSize*columns*c.Channels)
	left := looks
	for ch := range c.Channels {
		for i := range int64(columns) {
			from, to := int(i*frames/int64(columns)), int((i+1)*frames/int64(columns))
			low, high := float32(math.Inf(1)), float32(math.Inf(-1))
			for frame := from; frame < to; frame++ {
				v := c.Samples[frame*c.Channels+ch]
				low, high = min(low, v), max(high, v)
				if left--; left == 0 {
					left = looks
					if err := ctx.Err(); err != nil {
						return nil, err
					}
				}
			}
			peaks = binary.LittleEndian.AppendUint32(peaks, math.Float32bits(low))
			peaks = binary.LittleEndian.AppendUint32(peaks, math.Float32bits(high))
		}
	}
	return peaks, nil
}

// clipOf returns the start of a clip as a 16-bit WAV file.
func (l soundLimits) clipOf(ctx context.Context, c *pcm.Clip) (soundClip, []byte, error) {
	if c.Rate > wav.MaxRate {
		return soundClip{Why: fmt.Sprintf("browsers cannot play a sample rate of %d Hz", c.Rate)}, nil, nil
	}
	frames := min(int64(c.Frames()), int64(l.length/time.Second)*int64(c.Rate), l.clip/int64(2*c.Channels))
	head := soundClip{Type: "audio/wav", Seconds: float64(frames) / float64(c.Rate)}
	if frames < int64(c.Frames()) {
		head.Why = fmt.Sprintf("only the first %.3g s are played", head.Seconds)
	}
	start := &pcm.Clip{Rate: c.Rate, Channels: c.Channels, Samples: c.Samples[:frames*int64(c.Channels)]}
	var file bytes.Buffer
	file.Grow(int(wav.Size(frames, c.Rate, c.Channels, 0, wav.PCM16)))
	if err := wav.Encode(ctx, &file, start, wav.Options{Coding: wav.PCM16}); err != nil {
		return head, nil, err
	}
	head.Bytes = file.Len()
	return head, file.Bytes(), nil
}

// A soundLoudness holds the loudness figures of a sound.
type soundLoudness struct {
	Integrated figure `json:"integrated"` // integrated loudness in LUFS
	Momentary  figure `json:"momentary"`  // LUFS of the loudest 400 ms
	ShortTerm  figure `json:"shortTerm"`  // LUFS of the loudest 3 s
	TruePeak   figure `json:"truePeak"`   // true peak in dBTP
}

// A figure is a number, or the reason why the number is missing.
type figure struct {
	Value *float64 `json:"value"`
	Why   string   `json:"why,omitempty"`
}

// figureOf returns the figure for a value. If the value is infinite or NaN, it returns the reason
// why.
func figureOf(v float64, why string) figure {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return figure{Why: why}
	}
	return figure{Value: &v}
}

func unmeasured(why string) soundLoudness {
	f := figure{Why: why}
	return soundLoudness{f, f, f, f}
}

// loudnessOf measures the loudness of a clip. The only possible error is the error of ctx.
func loudnessOf(ctx context.Context, c *pcm.Clip) (soundLoudness, error) {
	l := unmeasured(fmt.Sprintf("a rate of %d Hz is too low to measure loudness; the minimum is %d Hz", c.Rate, loudness.MinRate))
	if c.Rate >= loudness.MinRate {
		r, err := loudness.Measure(ctx, c)
		if err != nil {
			return l, err
		}
		// The lengths are compared in integers. With floats, rounding could misjudge a sound that
		// is exactly as long as the window.
		silent := "no part of the sound is louder than -70 LUFS"
		ifLong := func(ms int64) string {
			if int64(c.Frames())*1000 < ms*int64(c.Rate) {
				return fmt.Sprintf("the sound is shorter than %d ms", ms)
			}
			return "the sound is silent"
		}
		l.Integrated = figureOf(r.Integrated, silent)
		l.Momentary = figureOf(r.MaxMomentary, ifLong(400))
		l.ShortTerm = figureOf(r.MaxShortTerm, ifLong(3000))
	}
	peak, err := loudness.TruePeak(ctx, c)
	l.TruePeak = figureOf(peak, "the sound is silent")
	return l, err
}

// maxOpusPacket is the number of frames, at 48 kHz, in the longest packet (RFC 6716, 2.1.4).
const maxOpusPacket = 5760

// readOpus describes an Ogg Opus file (RFC 7845). This module does not decode Opus, but browsers
// do: the clip is the file itself, or its first pages.
func (l soundLimits) readOpus(data []byte) (*sound, error) {
	r, err := ogg.NewReader(data, []byte("OpusHead"))
	if err != nil {
		return nil, err
	}
	head, err := r.Next()
	if err != nil {
		return nil, fmt.Errorf("the Opus header: %w", err)
	}
	if len(head.Data) < 19 || head.Data[9] == 0 {
		return nil, errors.New("the Opus header is damaged")
	}
	tags, err := r.Next()
	if err != nil {
		return nil, fmt.Errorf("the Opus comments: %w", err)
	}
	extent, err := r.Measure()
	if err != nil {
		return nil, err
	}
	skip := int64(binary.LittleEndian.Uint16(head.Data[10:]))
	if extent.Granule > extent.Packets*maxOpusPacket {
		return nil, fmt.Errorf("the file is damaged: its last page ends at frame %d, but it has only %d packets", extent.Granule, extent.Packets)
	}
	f := soundFormat{
		Kind: string(source.Opus), Coding: "Opus", Rate: opus.Rate, Channels: int(head.Data[9]),
		Frames: max(0, extent.Granule-skip),
	}
	if f.Loops, err = opusLoops(tags.Data, f.Frames); err != nil {
		return nil, err
	}
	f.fillDerived(len(data))
	why := "the browser decodes Opus, so its loudness is not measured"
	s := &sound{Format: f, Loudness: unmeasured(why), Peaks: soundPeaks{Why: why}, clip: data}
	s.Clip = soundClip{Type: "audio/ogg", Seconds: f.Seconds}
	most := min(int64(l.length/time.Second)*opus.Rate, l.memory/int64(4*f.Channels))
	if f.Frames > most {
		s.clip, s.Clip.Seconds = opusStart(data, skip+most), float64(most)/opus.Rate
		s.Clip.Why = fmt.Sprintf("only the first %.3g s are played", s.Clip.Seconds)
	}
	s.Clip.Bytes = len(s.clip)
	return s, nil
}

// opusStart returns the first pages of a file, up to and including the first page that ends at
// position or later.
func opusStart(data []byte, position int64) []byte {
	for at := 0; ; {
		p, next, err := ogg.ReadPage(data, at)
		if err != nil {
			return data[:at]
		}
		if at = next; p.Granule >= position {
			return data[:at]
		}
	}
}

// opusLoops returns the loop in the comments of a sound with the given number of frames, if there
// is one.
func opusLoops(packet []byte, frames int64) ([]soundLoop, error) {
	block, ok := bytes.CutPrefix(packet, []byte("OpusTags"))
	if !ok {
		return nil, errors.New("the Opus comments are damaged")
	}
	list, err := vorbiscomment.Read(block)
	if err != nil {
		return nil, err
	}
	loop, err := list.Loop(opus.Rate, frames)
	if err != nil || loop == nil {
		return nil, err
	}
	l := soundLoop(*loop)
	if l.End = min(l.End, frames); l.Start >= l.End {
		return nil, nil
	}
	return []soundLoop{l}, nil
}
