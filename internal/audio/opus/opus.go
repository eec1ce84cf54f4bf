// Package opus writes Ogg Opus files (RFC 7845): the smallest form of long sounds,
// which every browser, phone and engine plays.
//
// Packets of 20 ms are made by github.com/tphakala/go-opus; the container, with its
// exact times, and the packets of more than two channels are ours. A player gets back as many frames as went in, at the same
// places: the encoder's delay is in the header as pre-skip, and the last page
// says where the sound ends within the last packet.
//
// # Loops
//
// The format has none. By custom a LOOPSTART and a LOOPLENGTH comment, in frames
// of 48 kHz, say what part to play again for ever; engines for role playing games
// read them. One loop fits, forwards and without a count.
//
// # Same bytes
//
// The library computes in whole numbers, as the standard's reference does where it is
// built for fixed point, so that a sound becomes the same bytes on every machine.
//
// It has the mode for music and sound alone (CELT). For speech of less than about 40
// kbit/s a channel, opusenc has better ones.
package opus

import (
	"errors"
	"fmt"

	"github.com/assetcook/assetcook/internal/audio/pcm"
)

// Rate is the only rate that is written, in frames a second. Sounds of others have
// to be resampled before.
const Rate = 48000

// Limits of the options.
const (
	MaxChannels = 8
	MinBitrate  = 6_000 // a channel
	MaxBitrate  = 256_000
)

// Options say how Encode writes.
type Options struct {
	// Bitrate is in bits a second for all channels together, on average; 0 is
	// DefaultBitrate.
	Bitrate int
	// SourceRate is the rate that the sound had before it was resampled, for the
	// header, where nothing but programs that describe files read it; 0 is 48000.
	SourceRate int
}

// DefaultBitrate returns what is transparent for most sounds: 64 kbit/s for mono,
// 96 kbit/s for a stereo pair, in sum for more channels.
func DefaultBitrate(channels int) int {
	l := layouts()[min(max(channels, 0), MaxChannels)]
	return 64_000*l.streams + 32_000*l.coupled
}

// Check returns an error if the clip or the options do not fit the format.
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
		return fmt.Errorf("opus: %d loops, there is room for one; drop the others or write WAV", len(clip.Loops))
	}
	for _, l := range clip.Loops {
		switch {
		case l.PingPong:
			return errors.New("opus: a loop that goes forwards and backwards; drop it or write WAV")
		case l.Count != 0:
			return fmt.Errorf("opus: a loop that is played %d times, only endless ones fit; drop it or write WAV", l.Count)
		case l.Start < 0 || l.Start >= l.End || l.End > frames:
			return fmt.Errorf("opus: a loop from frame %d to %d in a sound of %d", l.Start, l.End, frames)
		}
	}
	return nil
}
