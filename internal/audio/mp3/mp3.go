// Package mp3 decodes MPEG 1, 2 and 2.5 Layer III (ISO/IEC 11172-3 and 13818-3; section numbers in
// this package refer to the former).
//
// All frames are checked before anything is decoded, so a file that is not MP3, or not a single
// stream, is an error. The encoder's delay and padding are cut off, so that loops have no gap.
// Samples are not clipped: they may be above 1.
//
// The package exists because the library hajimehoshi/go-mp3 (archived in 2023) decodes joint stereo
// of MPEG 2 wrong, keeps delay and padding, and returns 16 bits. Samples are the same on every
// processor: this package computes in float64, rounds every product before adding it, and takes its
// sines and powers from package detmath.
package mp3

import (
	"context"
	"fmt"

	"github.com/assetcook/assetcook/internal/audio/pcm"
)

// Info describes a file by its frames.
type Info struct {
	Rate     int
	Channels int
	Frames   int64 // of sound, without known delay and padding
}

// decoderDelay is the delay of every decoder, besides the delay that the file declares: 528 samples
// of the filters and one.
const decoderDelay = 529

// Is reports whether a file that starts with head is likely to be MPEG audio.
func Is(head []byte) bool {
	_, _, ok := firstFrame(head)
	return ok
}

// Probe checks the frames of a whole file.
func Probe(data []byte) (Info, error) {
	l, err := findFrames(data)
	if err != nil {
		return Info{}, err
	}
	first, last := l.bounds()
	return Info{Rate: l.first.rate(), Channels: l.first.channels(), Frames: last - first}, nil
}

// Memory returns the most bytes that Decode holds, without the file.
func (i Info) Memory() int64 {
	const state = 1 << 20 // tables, and state between frames
	return 4*i.Frames*int64(i.Channels) + state
}

// bounds returns the range of decoded samples that are sound.
func (l *layout) bounds() (first, last int64) {
	last = int64(l.frames) * int64(l.first.samples())
	if !l.trim {
		return 0, last
	}
	first = min(last, int64(l.delay)+decoderDelay)
	return first, max(first, last-max(0, int64(l.padding)-decoderDelay))
}

// Decode decodes a file. Delay and padding are cut off if a LAME header declares them. Frames that
// need data of missing frames, as at the start of a piece of a longer file, are silent.
// User-defined texts of ID3v2 tags may define a loop; see vorbiscomment.List.
func Decode(ctx context.Context, data []byte) (*pcm.Clip, error) {
	l, err := findFrames(data)
	if err != nil {
		return nil, err
	}
	first, last := l.bounds()
	channels := l.first.channels()
	c := &pcm.Clip{Rate: l.first.rate(), Channels: channels}
	c.Samples = make([]float32, 0, (last-first)*int64(channels))
	d := newDecoder(l.first)
	position := int64(0)
	for at := l.start; at < l.end; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		h, _ := headerAt(data, at)
		n := d.decode(h, data[at:at+h.size()])
		for i := range n {
			if p := position + int64(i); p < first || p >= last {
				continue
			}
			for ch := range channels {
				c.Samples = append(c.Samples, float32(d.pcm[ch][i]))
			}
		}
		position += int64(n)
		at += h.size()
	}
	if err := userTexts(data).AddLoop(c); err != nil {
		return nil, fmt.Errorf("MP3: %w", err)
	}
	return c, nil
}
