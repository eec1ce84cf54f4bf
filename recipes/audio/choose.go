package audio

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/audio/pcm"
	"github.com/assetcook/assetcook/internal/audio/wav"
)

// leastSNR is the minimum signal-to-noise ratio, in decibels, for ADPCM in format auto. Below it,
// the noise in clicks and quiet sounds is easy to hear.
const leastSNR = 25

// A form is the encoding that format auto chooses for a sound.
type form struct {
	adpcm  []byte // the content of a WAV file with IMA ADPCM; nil for PCM
	reason string // line that cook why prints; "" if there was no choice
}

// chooseForm chooses between PCM and ADPCM. It measures the loss of the encoded sound.
func (o *audioOptions) chooseForm(ctx context.Context, s *sound) (form, error) {
	pcmSize := wav.Size(int64(s.Frames()), s.Rate, s.Channels, 0, o.coding(s))
	switch {
	case o.Format != "auto" || !o.Lossy:
		return form{}, nil
	case o.Bits != defaultBits || o.Dither:
		return form{reason: "pcm: the options bits and dither are set, which apply only to pcm"}, nil
	case len(s.Loops) > 0:
		return form{reason: "pcm, because the sound loops, and players would also repeat the padding of adpcm"}, nil
	case s.Channels > wav.MaxIMAChannels:
		return form{reason: fmt.Sprintf("pcm: adpcm supports at most %d channels", wav.MaxIMAChannels)}, nil
	case pcmSize <= wav.Size(int64(s.Frames()), s.Rate, s.Channels, 0, wav.IMA):
		return form{reason: "pcm: an adpcm file would not be smaller"}, nil
	}
	var loss wav.Loss
	var file bytes.Buffer
	if err := wav.Encode(ctx, &file, s.Clip, wav.Options{Coding: wav.IMA, Loss: &loss}); err != nil {
		return form{}, err
	}
	switch snr := loss.SNR(); {
	case snr < leastSNR:
		return form{reason: fmt.Sprintf("pcm: the signal-to-noise ratio of adpcm would be %.1f dB, less than %d", snr, leastSNR)}, nil
	case math.IsInf(snr, 1):
		return form{file.Bytes(), "adpcm: the sound loses nothing"}, nil
	default:
		return form{file.Bytes(), fmt.Sprintf("adpcm: the signal-to-noise ratio is %.1f dB, at least %d", snr, leastSNR)}, nil
	}
}

// dropLoops drops the loops that Ogg Opus cannot hold, and warns about each. Ogg Opus can hold one
// endless loop.
func dropLoops(job *recipe.Job, c *pcm.Clip) {
	kept := c.Loops[:0]
	for _, l := range c.Loops {
		switch {
		case l.PingPong:
			job.Warn("the ping-pong loop from frame %d to %d is left out, because Ogg Opus does not support such loops; write PCM (format = \"pcm\")", l.Start, l.End)
		case l.Count != 0:
			job.Warn("the loop from frame %d to %d is left out, because it ends after %d times, and Ogg Opus supports only endless loops; write PCM (format = \"pcm\")", l.Start, l.End, l.Count)
		case len(kept) == 1:
			job.Warn("the loop from frame %d to %d is left out, because Ogg Opus supports only one loop; write PCM (format = \"pcm\")", l.Start, l.End)
		default:
			kept = append(kept, l)
		}
	}
	c.Loops = kept
}

// musicDirs are lower-case names of directories that hold music.
var musicDirs = []string{"music", "musics", "musik", "musica", "musique", "bgm", "ost", "soundtrack", "soundtracks", "songs"}

// hintOfMusic implements Recipe.Hinted. It returns 0 for a path below a music directory.
func hintOfMusic(path string) int {
	for {
		dir, rest, ok := strings.Cut(path, "/")
		if !ok {
			return -1
		}
		if slices.ContainsFunc(musicDirs, func(name string) bool { return strings.EqualFold(name, dir) }) {
			return 0
		}
		path = rest
	}
}
