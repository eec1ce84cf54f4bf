// Package source decodes the audio formats that the audio recipe supports: WAV, FLAC, MP3 and Ogg
// Vorbis. It detects the format from the content of a file, not from its name.
//
// The decoders return the same samples on every processor. They limit allocations by the size of
// the file. Damage is an error; nothing is guessed.
package source

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

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

// Decode supports these kinds except Opus, which it refuses.
const (
	WAV    Kind = "WAV"
	FLAC   Kind = "FLAC"
	MP3    Kind = "MP3"
	Vorbis Kind = "Ogg Vorbis"
	Opus   Kind = "Ogg Opus"
)

// Extensions returns the usual extensions for files of a kind.
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

// Info describes a sound file.
type Info struct {
	Kind     Kind
	Coding   string // sample format for messages, such as "16-bit PCM"
	Bits     int    // bits per stored sample; 0 for lossy formats
	Rate     int
	Channels int
	Frames   int64 // upper bound on the number of frames
	// Memory is an upper bound on the bytes that Decode holds, excluding the file.
	Memory int64
}

// ErrOpus is the error of Probe and Decode for Ogg Opus.
var ErrOpus = errors.New("the file is already Ogg Opus, and encoding it again would lose quality; cook the original recording, or copy the file by a rule with recipe = \"copy\"")

// MaxChannels is the maximum number of channels.
const MaxChannels = 8

// Identify returns a file's kind, based on its first bytes. The error names other formats that it
// recognizes.
func Identify(head []byte) (Kind, error) {
	starts := func(s string) bool { return bytes.HasPrefix(head, []byte(s)) }
	switch {
	case len(head) == 0:
		return "", errors.New("the file is empty")
	case isWAV(head):
		return WAV, nil
	case starts("fLaC"):
		return FLAC, nil
	case starts("OggS"):
		return identifyOgg(head)
	case starts("ID3"):
		// Some programs put an ID3 tag before FLAC data, although such tags are meant for MP3.
		if _, err := flac.Probe(head, math.MaxInt32); err == nil {
			return FLAC, nil
		}
		return MP3, nil
	case starts("qoaf"):
		return "", errors.New("the file is QOA, which needs no cooking; cook the original recording, or copy the file by a rule with recipe = \"copy\"")
	case mp3.Is(head):
		return MP3, nil
	}
	for _, f := range foreign {
		if f.Starts(head) > 0 {
			return "", fmt.Errorf("the file is %s, not WAV, FLAC, MP3 or Ogg Vorbis; %s", f.Name, foreignRemedy(f))
		}
	}
	return "", errors.New("the file is not WAV, FLAC, MP3 or Ogg Vorbis; export the sound in one of these formats")
}

// Foreign returns formats of sounds and music that no decoder reads.
func Foreign() []fileformat.Format { return slices.Clone(foreign) }

// foreign lists the formats that Identify can name but no decoder reads.
var foreign = []fileformat.Format{
	{Name: "a MIDI file", Extensions: []string{".mid", ".midi", ".rmi", ".kar"}, Magic: []string{"MThd", "RIFF....RMID"}},
	{Name: "an AIFF sound", Extensions: []string{".aif", ".aiff", ".aifc"}, Magic: []string{"FORM....AIFF", "FORM....AIFC"}},
	{Name: "an MP4 file", Extensions: []string{".mp4", ".m4a", ".m4v", ".mov", ".3gp"}, Magic: []string{"....ftypM4A", "....ftypmp4", "....ftypiso", "....ftypqt"}, Loose: true},
	{Name: "a Windows Media file", Extensions: []string{".wma", ".wmv", ".asf"}, Magic: []string{"\x30\x26\xb2\x75\x8e\x66\xcf\x11"}},
	{Name: "a WavPack sound", Extensions: []string{".wv"}, Magic: []string{"wvpk"}},
	{Name: "a Monkey's Audio sound", Extensions: []string{".ape"}, Magic: []string{"MAC "}},
	{Name: "a Core Audio file", Extensions: []string{".caf"}, Magic: []string{"caff"}},
	{Name: "a Wave64 sound", Extensions: []string{".w64"}, Magic: []string{"riff\x2e\x91\xcf\x11"}},
	{Name: "an AMR sound", Extensions: []string{".amr"}, Magic: []string{"#!AMR"}},
	{Name: "a tracker module", Extensions: []string{".xm", ".it", ".s3m", ".mod"}, Magic: []string{"Extended Module: ", "IMPM"}, Loose: true},
	{Name: "a Creative Voice file", Extensions: []string{".voc"}, Magic: []string{"Creative Voice File\x1a"}},
	{Name: "an AVI video", Extensions: []string{".avi"}, Magic: []string{"RIFF....AVI "}},
	{Name: "a Matroska or WebM file", Extensions: []string{".webm", ".mkv", ".mka"}, Magic: []string{"\x1a\x45\xdf\xa3"}},
	{Name: "a ZIP archive", Extensions: []string{".zip", ".pk3", ".jar"}, Magic: []string{"PK\x03\x04"}, Loose: true},
}

// foreignRemedy returns advice on how to convert a file of a foreign format.
func foreignRemedy(f fileformat.Format) string {
	switch f.Name {
	case "a MIDI file", "a tracker module":
		return fmt.Sprintf("render it to WAV, or rename it to %s to copy it", f.Extensions[0])
	case "a ZIP archive":
		return "extract it"
	}
	return "save the sound as WAV or FLAC"
}

// isWAV reports whether a file has a RIFF header and is not of another known RIFF format.
func isWAV(head []byte) bool {
	if !bytes.HasPrefix(head, []byte("RIFF")) && !bytes.HasPrefix(head, []byte("RF64")) {
		return false
	}
	return !slices.ContainsFunc(foreign, func(f fileformat.Format) bool { return f.Starts(head) > 0 })
}

// identifyOgg looks for a known stream among the streams at the start of the file.
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

// Probe describes a file of the given size that starts with head. If head is too short, the error
// is fileformat.ErrShortHead.
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
			info.Coding, info.Bits = w.Coding.String(), w.Coding.Bits()
			info.Rate, info.Channels, info.Frames = w.Rate, w.Channels, w.Frames
			info.Memory = 4*w.Frames*int64(w.Channels) + 1<<20
		}
	case FLAC:
		var f flac.Info
		if f, err = flac.Probe(head, size); err == nil {
			info.Coding, info.Bits = fmt.Sprintf("FLAC with %d bits", f.Bits), f.Bits
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
		if int64(len(head)) < size { // only the last page states the length
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
		return Info{}, fmt.Errorf("the sound has %d channels, but at most %d are supported; mix it down", info.Channels, MaxChannels)
	}
	return info, nil
}

// Decode decodes a whole file. The clip has at least one frame. All samples are finite, but they
// may exceed 1. Loops are within the clip.
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
		return nil, Info{}, errors.New("the file has no sound; export it again")
	}
	if err := finite(ctx, c); err != nil {
		return nil, Info{}, err
	}
	return c, info, nil
}

// loudest limits the magnitude of samples, so that later computations do not overflow.
const loudest = 1 << 20

func finite(ctx context.Context, c *pcm.Clip) error {
	for i, v := range c.Samples {
		if i%(1<<20) == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		if !(v < loudest && v > -loudest) {
			return fmt.Errorf("frame %d has the invalid sample %v; the file is damaged, so export it again", i/c.Channels, v)
		}
	}
	return nil
}
