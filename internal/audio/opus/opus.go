// Package opus writes Ogg Opus files (RFC 7845): the smallest form of long sounds, which every
// browser, phone and engine plays.
//
// The library github.com/tphakala/go-opus encodes packets of 20 ms; this package writes the
// container, with its exact times, and the packets of more than two channels. Decoding returns the
// same number of frames in the same places: the header has the encoder's delay as pre-skip, and the
// last page the end of the sound within the last packet.
//
// # Loops
//
// The format has none. By convention the comments LOOPSTART and LOOPLENGTH, in frames of 48 kHz,
// define a part to repeat for ever; engines for role playing games read them. Only one loop is
// possible, forwards and without a count.
//
// # Same bytes
//
// The library computes in integers, like the fixed-point build of the standard's reference, so that
// all machines write the same bytes.
//
// It only has the mode for music and general sound (CELT). For speech below about 40 kbit/s a
// channel, opusenc has better modes.
package opus

import (
	"errors"
	"fmt"

	"github.com/assetcook/assetcook/internal/audio/pcm"
)

// Rate is the only supported rate, in frames a second. Other sounds must be resampled before.
const Rate = 48000

// Limits of the options.
const (
	MaxChannels = 8
	MinBitrate  = 6_000 // a channel
	MaxBitrate  = 256_000
)

// Options are the options of Encode.
type Options struct {
	// Bitrate is the average in bits a second of all channels together; 0 means DefaultBitrate.
	Bitrate int
	// SourceRate is the rate of the sound before resampling, for the header. Only programs that
	// describe files use it. 0 means 48000.
	SourceRate int
}

// DefaultBitrate returns a bit rate that is transparent for most sounds: 64 kbit/s for mono, 96
// kbit/s for a stereo pair, and the sum for more channels.
func DefaultBitrate(channels int) int {
	l := layouts()[min(max(channels, 0), MaxChannels)]
	return 64_000*l.streams + 32_000*l.coupled
}

// Check returns an error if the format cannot hold the clip or the options.
func Check(clip *pcm.Clip, o Options) error {
	frames := int64(clip.Frames())
	switch {
	case clip.Rate != Rate:
		return fmt.Errorf("opus: %d Hz, want %d; resample the sound", clip.Rate, Rate)
	case clip.Channels < 1 || clip.Channels > MaxChannels:
		return fmt.Errorf("opus: %d channels, want 1 to %d", clip.Channels, MaxChannels)
	case o.Bitrate != 0 && (o.Bitrate < MinBitrate*clip.Channels || o.Bitrate > MaxBitrate*clip.Channels):
		return fmt.Errorf("opus: %d bits a second, want %d to %d for %d channels", o.Bitrate,
			MinBitrate*clip.Channels, MaxBitrate*clip.Channels, clip.Channels)
	case o.SourceRate < 0 || int64(o.SourceRate) > 1<<32-1:
		return fmt.Errorf("opus: a source rate of %d Hz", o.SourceRate)
	case len(clip.Loops) > 1:
		return fmt.Errorf("opus: %d loops, but the format holds only one; drop the others or write WAV", len(clip.Loops))
	}
	for _, l := range clip.Loops {
		switch {
		case l.PingPong:
			return errors.New("opus: a loop that goes forwards and backwards; drop it or write WAV")
		case l.Count != 0:
			return fmt.Errorf("opus: a loop that is played %d times, but only endless ones are possible; drop it or write WAV", l.Count)
		case l.Start < 0 || l.Start >= l.End || l.End > frames:
			return fmt.Errorf("opus: a loop from frame %d to %d in a sound of %d", l.Start, l.End, frames)
		}
	}
	return nil
}
