// Package source decodes the formats of sound that the audio recipe supports: WAV, FLAC, MP3 and
// Ogg Vorbis. The content of a file decides its format, not its name.
//
// The decoders give the same samples on every processor. They allocate no more than the size of the
// file justifies, and never guess: damage is an error.
package source

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/assetcook/assetcook/internal/audio/flac"
	"github.com/assetcook/assetcook/internal/audio/mp3"
	"github.com/assetcook/assetcook/internal/audio/ogg"
	"github.com/assetcook/assetcook/internal/audio/pcm"
	"github.com/assetcook/assetcook/internal/audio/vorbis"
	"github.com/assetcook/assetcook/internal/audio/wav"
	"github.com/assetcook/assetcook/internal/fileformat"
)

// A Kind is a file format.
type Kind string

// The kinds. Opus is only recognized: Decode refuses it.
const (
	WAV    Kind = "WAV"
	FLAC   Kind = "FLAC"
	MP3    Kind = "MP3"
	Vorbis Kind = "Ogg Vorbis"
	Opus   Kind = "Ogg Opus"
)

// Extensions returns the usual extensions of a kind's files.
func (k Kind) Extensions() []string {
	switch k {
	case WAV:
		return []string{".wav", ".wave"}
	case FLAC:
		return []string{".flac", ".fla"}
	case MP3:
		return []string{".mp3"}
	case Vorbis:
		return []string{".ogg", ".oga"}
	case Opus:
		return []string{".opus", ".ogg"}
	}
	return nil
}

// Info describes a file.
type Info struct {
	Kind     Kind
	Coding   string // the format of samples for messages: "16-bit PCM"
	Rate     int
	Channels int
	Frames   int64 // the most that the file can have
	// Memory is the most bytes that Decode holds, without the file.
	Memory int64
}

// ErrOpus is the error of Probe and Decode for Ogg Opus.
var ErrOpus = errors.New("the file is Ogg Opus, which is as small as sound gets and only loses when it is coded again: cook the original recording, or copy it by a rule with recipe = \"copy\"")

// MaxChannels is the most channels that are supported.
const MaxChannels = 8

// Identify returns a file's kind from its first bytes. The error names other formats that it
// recognizes.
func Identify(head []byte) (Kind, error) {
	starts := func(s string) bool { return bytes.HasPrefix(head, []byte(s)) }
	switch {
	case len(head) == 0:
		return "", errors.New("the file is empty")
	case starts("RIFF") || starts("RF64"):
		return WAV, nil
	case starts("fLaC"):
		return FLAC, nil
	case starts("OggS"):
		return identifyOgg(head)
	case starts("ID3"):
		// Some programs put this tag of MP3 files before FLAC.
		if _, err := flac.Probe(head, math.MaxInt32); err == nil {
			return FLAC, nil
		}
		return MP3, nil
	case starts("FORM"):
		return "", errors.New("the file is AIFF, which is not supported; save it as WAV or FLAC")
	case starts("qoaf"):
		return "", errors.New("the file is QOA, which is cooked already: cook the original recording, or copy it by a rule with recipe = \"copy\"")
	case len(head) >= 8 && string(head[4:8]) == "ftyp":
		return "", errors.New("the file is MP4 or M4A, which is not supported; save the sound as WAV or FLAC")
	case mp3.Is(head):
		return MP3, nil
	}
	return "", errors.New("the file is none of WAV, FLAC, MP3 and Ogg Vorbis")
}

// identifyOgg looks for a known stream among those at the start of the file.
func identifyOgg(head []byte) (Kind, error) {
	for at := 0; ; {
		p, next, err := ogg.ReadPage(head, at)
		switch {
		case err != nil || !p.First:
			return "", errors.New("the Ogg file has neither a Vorbis nor an Opus stream; save the sound as Ogg Vorbis, WAV or FLAC")
		case bytes.HasPrefix(p.Body, []byte("\x01vorbis")):
			return Vorbis, nil
		case bytes.HasPrefix(p.Body, []byte("OpusHead")):
			return Opus, nil
		}
		at = next
	}
}

// Probe describes a file of the given size that starts with head. If head is too short to tell, the
// error is fileformat.ErrShortHead.
func Probe(head []byte, size int64) (Info, error) {
	kind, err := Identify(head)
	if err != nil {
		return Info{}, err
	}
	info := Info{Kind: kind, Coding: string(kind)}
	switch kind {
	case WAV:
		var w wav.Info
		if w, err = wav.Probe(head, size); err == nil {
			info.Coding = w.Coding.String()
			info.Rate, info.Channels, info.Frames = w.Rate, w.Channels, w.Frames
			info.Memory = 4*w.Frames*int64(w.Channels) + 1<<20
		}
	case FLAC:
		var f flac.Info
		if f, err = flac.Probe(head, size); err == nil {
			info.Coding = fmt.Sprintf("FLAC of %d bits", f.Bits)
			info.Rate, info.Channels, info.Frames, info.Memory = f.Rate, f.Channels, f.Most(), f.Memory()
		}
	case MP3:
		if int64(len(head)) < size {
			return Info{}, fileformat.ErrShortHead
		}
		var m mp3.Info
		if m, err = mp3.Probe(head); err == nil {
			info.Rate, info.Channels, info.Frames, info.Memory = m.Rate, m.Channels, m.Frames, m.Memory()
		}
	case Vorbis:
		if int64(len(head)) < size { // the length is in the last page
			return Info{}, fileformat.ErrShortHead
		}
		var v vorbis.Info
		if v, err = vorbis.Probe(head); err == nil {
			info.Rate, info.Channels, info.Frames, info.Memory = v.Rate, v.Channels, v.Frames, v.Memory()
		}
	case Opus:
		err = ErrOpus
	}
	if err != nil {
		return Info{}, err
	}
	if info.Channels > MaxChannels {
		return Info{}, fmt.Errorf("%d channels, at most %d are supported", info.Channels, MaxChannels)
	}
	return info, nil
}

// Decode decodes a whole file. The clip has at least one frame. All samples are finite, and may be
// above 1. Loops are within the clip.
func Decode(ctx context.Context, data []byte) (*pcm.Clip, Info, error) {
	info, err := Probe(data, int64(len(data)))
	if err != nil {
		return nil, Info{}, err
	}
	var c *pcm.Clip
	switch info.Kind {
	case WAV:
		c, _, err = wav.Decode(ctx, data)
	case FLAC:
		c, err = flac.Decode(ctx, data)
	case MP3:
		c, err = mp3.Decode(ctx, data)
	case Vorbis:
		c, err = vorbis.Decode(ctx, data)
	}
	if err != nil {
		return nil, Info{}, err
	}
	if c.Frames() == 0 {
		return nil, Info{}, errors.New("the file has no sound")
	}
	if err := finite(ctx, c); err != nil {
		return nil, Info{}, err
	}
	return c, info, nil
}

// loudest is louder than any sound, and low enough that no later stage reaches infinity.
const loudest = 1 << 20

func finite(ctx context.Context, c *pcm.Clip) error {
	for i, v := range c.Samples {
		if i%(1<<20) == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		if !(v < loudest && v > -loudest) {
			return fmt.Errorf("frame %d: invalid sample %v; the file is damaged", i/c.Channels, v)
		}
	}
	return nil
}
