// Package mp3 decodes MPEG 1, 2 and 2.5 Layer III (ISO/IEC 11172-3 and 13818-3;
// section numbers in this package are those of the former).
//
// It goes through the frames before anything is decoded, so that what is no MP3,
// or not one, is an error, and cuts off what the encoder put around the sound, so
// that loops have no gap. Samples are not clipped: they may be above 1.
//
// It is written here because the library for it (hajimehoshi/go-mp3, archived in
// 2023) decodes joint stereo of MPEG 2 wrong, keeps delay and padding, and gives 16
// bits. Samples are the same on every processor: this package works in float64,
// rounds every product that is added to something, and takes its sines and powers
// from package detmath.
package mp3

import (
	"context"
	"fmt"

	"github.com/assetcook/assetcook/internal/audio/pcm"
)

// Info is what a file's frames say.
type Info struct {
	Rate     int
	Channels int
	Frames   int64 // of sound, without delay and padding where the file tells them
}

// decoderDelay is how much later than in the encoder's input every decoder has
// the sound, besides the delay that the file tells: 528 samples of the filters
// and one.
const decoderDelay = 529

// Is says whether a file that starts with head is likely to be MPEG audio.
func Is(head []byte) bool {
	_, _, ok := firstFrame(head)
	return ok
}

// Probe goes through the frames of a whole file.
func Probe(data []byte) (Info, error) {
	l, err := findFrames(data)
	if err != nil {
		return Info{}, err
	}
	first, last := l.bounds()
	return Info{Rate: l.first.rate(), Channels: l.first.channels(), Frames: last - first}, nil
}

// Memory returns the most bytes that Decode holds besides the file.
func (i Info) Memory() int64 {
	const state = 1 << 20 // tables, and what is kept from frame to frame
	return 4*i.Frames*int64(i.Channels) + state
}

// bounds returns which of the decoded samples are sound.
func (l *layout) bounds() (first, last int64) {
	last = int64(l.frames) * int64(l.first.samples())
	if !l.trim {
		return 0, last
	}
	first = min(last, int64(l.delay)+decoderDelay)
	return first, max(first, last-max(0, int64(l.padding)-decoderDelay))
}

// Decode decodes a file. Delay and padding are cut off if a LAME header tells
// them. Frames that need data of frames which are not there, as at the start of a
// piece of a longer file, are silent. User-defined texts of ID3v2 tags may make a loop; see
// vorbiscomment.List.
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
