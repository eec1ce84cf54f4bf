package opus

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/assetcook/assetcook/internal/audio/ogg"
	"github.com/assetcook/assetcook/internal/audio/pcm"
)

// packetFrames is the length of a packet: 20 ms.
const packetFrames = Rate / 50

// Encode writes a clip, with channels in the order of WAV files, as an Ogg Opus file. Samples
// beyond full scale are clipped; NaN is an error. Encode writes nothing if Check refuses the clip.
func Encode(ctx context.Context, w io.Writer, clip *pcm.Clip, o Options) error {
	if err := Check(clip, o); err != nil {
		return err
	}
	streams, err := newStreams(clip.Channels, o)
	if err != nil {
		return fmt.Errorf("opus: %w", err)
	}
	sourceRate := o.SourceRate
	if sourceRate == 0 {
		sourceRate = Rate
	}
	preSkip := streams[0].PreSkip()
	head, tags := identification(clip.Channels, preSkip, sourceRate), comments(clip.Loops)
	p := ogg.NewWriter(w, serial(head, tags, clip.Frames()))
	for _, packet := range [][]byte{head, tags} {
		if err := p.Packet(packet, 0); err != nil {
			return err
		}
		if err := p.Flush(); err != nil {
			return err
		}
	}

	end := preSkip + clip.Frames() // input needed for the whole output
	var buf []byte
	for at := 0; at < end; at += packetFrames {
		if err := ctx.Err(); err != nil {
			return err
		}
		buf = buf[:0]
		for i, s := range streams {
			if err := s.fillPacket(clip, at); err != nil {
				return err
			}
			if buf, err = s.append(buf, i == len(streams)-1); err != nil {
				return fmt.Errorf("opus: frame %d: %w", at, err)
			}
		}
		if err := p.Packet(buf, int64(min(at+packetFrames, end))); err != nil {
			return err
		}
	}
	return p.Close()
}

// serial computes a serial number from the content, which distinguishes chained streams as well as
// possible without randomness.
func serial(head, tags []byte, frames int) uint32 {
	return ogg.Serial(binary.LittleEndian.AppendUint64(slices.Concat(head, tags), uint64(frames)))
}

// fillPacket fills the samples of the stream's packet, from frame at of the clip on, with silence
// after its end.
func (s *stream) fillPacket(clip *pcm.Clip, at int) error {
	s.samples = s.samples[:0]
	for i := at; i < at+packetFrames; i++ {
		for _, c := range s.channels {
			x := float32(0)
			if i < clip.Frames() {
				x = clip.Samples[i*clip.Channels+c]
			}
			if x != x {
				return fmt.Errorf("opus: frame %d is NaN", i)
			}
			x = float32(math.RoundToEven(float64(min(max(x, -1), 1)) * (1 << 15)))
			s.samples = append(s.samples, int16(min(x, 1<<15-1)))
		}
	}
	return nil
}

// vendor names the writer in the comments. It has no version, so that a new release does not change
// files.
const vendor = "assetcook"

// identification returns the OpusHead packet.
func identification(channels, preSkip, sourceRate int) []byte {
	le, l := binary.LittleEndian, layouts()[channels]
	p := append([]byte("OpusHead"), 1, byte(channels))
	p = le.AppendUint16(p, uint16(preSkip))
	p = le.AppendUint32(p, uint32(sourceRate))
	p = append(p, 0, 0) // no gain
	if channels <= 2 {
		return append(p, 0)
	}
	return append(append(p, 1, byte(l.streams), byte(l.coupled)), l.mapping...)
}

// comments returns the OpusTags packet.
func comments(loops []pcm.Loop) []byte {
	var list []string
	for _, l := range loops {
		list = append(list,
			"LOOPSTART="+strconv.FormatInt(l.Start, 10),
			"LOOPLENGTH="+strconv.FormatInt(l.End-l.Start, 10))
	}
	le := binary.LittleEndian
	p := append(le.AppendUint32([]byte("OpusTags"), uint32(len(vendor))), vendor...)
	p = le.AppendUint32(p, uint32(len(list)))
	for _, s := range list {
		p = append(le.AppendUint32(p, uint32(len(s))), s...)
	}
	return p
}
