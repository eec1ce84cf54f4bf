package opus

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/thesyncim/gopus"

	"github.com/assetcook/assetcook/cook/recipe/audio/pcm"
)

// packetFrames is what a packet holds: 20 ms.
const packetFrames = Rate / 50

// Encode writes a clip, whose channels are in the order of WAV files, as an Ogg
// Opus file. Samples beyond full scale are clipped; NaN is an error. Nothing is
// written if Check refuses the clip.
func Encode(ctx context.Context, w io.Writer, clip *pcm.Clip, o Options) error {
	if err := Check(clip, o); err != nil {
		return err
	}
	enc, err := newEncoder(clip.Channels, o)
	if err != nil {
		return fmt.Errorf("opus: %w", err)
	}
	sourceRate := o.SourceRate
	if sourceRate == 0 {
		sourceRate = Rate
	}
	preSkip := enc.Lookahead()
	head, tags := identification(clip.Channels, preSkip, sourceRate), comments(clip.Loops, o.Loudness)
	p := pager{w: w, serial: serial(head, tags, clip.Frames())}
	for _, packet := range [][]byte{head, tags} {
		if err := p.packet(packet, 0); err != nil {
			return err
		}
		if err := p.flush(0); err != nil {
			return err
		}
	}

	frames := clip.Frames()
	end := preSkip + frames // what has to be put in for all to come out
	samples := make([]float32, packetFrames*clip.Channels)
	l := layouts()[clip.Channels]
	buf := make([]byte, min(streamPacket*l.streams, maxPacket))
	for at := 0; at < end; at += packetFrames {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := take(samples, clip, at, l.order); err != nil {
			return err
		}
		n, err := packet(enc, samples, buf)
		if err != nil {
			return fmt.Errorf("opus: frame %d: %w", at, err)
		}
		if err := p.packet(buf[:n], int64(min(at+packetFrames, end))); err != nil {
			return err
		}
	}
	return p.flush(lastPage)
}

const (
	// streamPacket is the size in bytes of the largest packet of one stream, with
	// what a packet of several adds to it (RFC 6716, 3.4 and appendix B).
	streamPacket = 1275 + 7
	// maxPacket is the most that a packet may have: the library computes the bits
	// a second that it would give in an int, which may have 32 bits. It is 2.1
	// Mbit/s, of interest for eight channels only.
	maxPacket = (1<<31 - 1) / (8 * Rate)
)

// serial tells streams that are put behind each other apart, as far as one can
// without chance.
func serial(head, tags []byte, frames int) uint32 {
	crc := checksum()
	sum := crc.Update(crc.Checksum(head), tags)
	return crc.Update(sum, binary.LittleEndian.AppendUint64(nil, uint64(frames)))
}

// take fills a packet's samples from a frame of the clip on, with silence beyond
// its end. Order says which of the clip's channels comes where.
func take(to []float32, clip *pcm.Clip, at int, order []int) error {
	frames := clip.Frames()
	for i := range packetFrames {
		for c, from := range order {
			x := float32(0)
			if at+i < frames {
				x = clip.Samples[(at+i)*clip.Channels+from]
			}
			if x != x {
				return fmt.Errorf("opus: frame %d is NaN, which is no sound", at+i)
			}
			to[i*clip.Channels+c] = min(max(x, -1), 1)
		}
	}
	return nil
}

// encoder is what gopus's encoders for one stream and for several have in common.
type encoder interface {
	Encode(samples []float32, packet []byte) (int, error)
	Lookahead() int
	SetBitrate(int) error
	SetComplexity(int) error
}

func newEncoder(channels int, o Options) (encoder, error) {
	application := gopus.ApplicationAudio
	if o.Application == Voice {
		application = gopus.ApplicationVoIP
	}
	var enc encoder
	var err error
	if channels <= 2 {
		enc, err = gopus.NewEncoder(gopus.EncoderConfig{SampleRate: Rate, Channels: channels, Application: application})
	} else {
		l := layouts()[channels]
		enc, err = gopus.NewMultistreamEncoder(Rate, channels, l.streams, l.coupled, l.mapping, application)
	}
	if err != nil {
		return nil, err
	}
	bitrate := o.Bitrate
	if bitrate == 0 {
		bitrate = DefaultBitrate(channels)
	}
	if err := enc.SetBitrate(bitrate); err != nil {
		return nil, err
	}
	return enc, enc.SetComplexity(o.Complexity)
}

// packet encodes a packet. The library is young: should it panic, that is an error
// of this sound, not the end of the program.
func packet(enc encoder, samples []float32, to []byte) (n int, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the encoder failed: %v", r)
		}
	}()
	n, err = enc.Encode(samples, to)
	if err == nil && n == 0 {
		err = fmt.Errorf("the encoder gave no packet")
	}
	return n, err
}
