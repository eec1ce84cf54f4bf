package inspect

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/assetcook/assetcook/internal/audio/ogg"
	"github.com/assetcook/assetcook/internal/audio/opus"
	"github.com/assetcook/assetcook/internal/audio/source"
	"github.com/assetcook/assetcook/internal/audio/vorbiscomment"
)

// maxOpusPacket is how many frames of 48 kHz the longest packet has (RFC 6716, 2.1.4).
const maxOpusPacket = 5760

// readOpus describes an Ogg Opus file (RFC 7845). Browsers decode it, this module does
// not: the clip is the file itself, or its first pages.
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
		return nil, fmt.Errorf("the file ends at frame %d by its last page, but has %d packets; it is damaged", extent.Granule, extent.Packets)
	}
	f := soundFormat{
		Kind: string(source.Opus), Coding: "Opus", Rate: opus.Rate, Channels: int(head.Data[9]),
		Frames: max(0, extent.Granule-skip),
	}
	if f.Loops, err = opusLoops(tags.Data, f.Frames); err != nil {
		return nil, err
	}
	f.measure(len(data))
	why := "Opus is decoded by the browser, which does not measure it"
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

// opusStart returns the pages of a file that has been read, up to the first that ends at
// a position or after it.
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

// opusLoops returns the loop in the comments of a sound with the given frames, if it has one.
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
