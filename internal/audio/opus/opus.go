// Package opus writes Ogg Opus files (RFC 7845): the smallest format for long sounds that every
// browser, phone and engine plays.
//
// The library github.com/tphakala/go-opus encodes packets of 20 ms; this package writes the
// container, with exact positions, and the packets for more than two channels. Decoding returns the
// same number of frames at the same positions: the header declares the encoder's delay as pre-skip,
// and the last page declares where the sound ends within the last packet.
//
// # Loops
//
// The format has no loops. By convention the comments LOOPSTART and LOOPLENGTH, in frames at 48
// kHz, define a section to repeat forever; engines for role-playing games read them. Only one loop
// is possible, forwards and without a count.
//
// # Deterministic output
//
// The library computes in integers, like the fixed-point build of the standard's reference, so that
// all machines write the same bytes.
//
// It only implements the mode for music and general sound (CELT). For speech below about 40 kbit/s
// per channel, opusenc has better modes.
package opus

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/assetcook/assetcook/internal/audio/ogg"
	"github.com/assetcook/assetcook/internal/audio/pcm"
	libopus "github.com/tphakala/go-opus/opus"
)

// Rate is the only supported rate, in frames per second. Other clips must be resampled first.
const Rate = 48000

// Limits of [Options].
const (
	MaxChannels = 8
	MinBitrate  = 6_000 // bits per second and channel
	MaxBitrate  = 256_000
)

// Options are the options of Encode.
type Options struct {
	// Bitrate is the average in bits per second for all channels together; 0 means DefaultBitrate.
	Bitrate int
	// SourceRate is the rate before resampling, which is stored in the header for information. 0
	// means 48000.
	SourceRate int
}

// DefaultBitrate returns a bit rate that is transparent for most sounds: 64 kbit/s for mono and 96
// kbit/s for stereo. For more channels it is the sum over the pairs and single channels of the
// layout.
func DefaultBitrate(channels int) int {
	l := layouts()[min(max(channels, 0), MaxChannels)]
	return 64_000*l.streams + 32_000*l.coupled
}

// Check returns an error if the format does not support the clip or the options.
func Check(clip *pcm.Clip, o Options) error {
	frames := int64(clip.Frames())
	switch {
	case clip.Rate != Rate:
		return fmt.Errorf("opus: the rate is %d Hz, want %d; resample the sound", clip.Rate, Rate)
	case clip.Channels < 1 || clip.Channels > MaxChannels:
		return fmt.Errorf("opus: the sound has %d channels, want 1 to %d", clip.Channels, MaxChannels)
	case o.Bitrate != 0 && (o.Bitrate < MinBitrate*clip.Channels || o.Bitrate > MaxBitrate*clip.Channels):
		return fmt.Errorf("opus: the bit rate is %d bits a second, want %d to %d for %d channels", o.Bitrate,
			MinBitrate*clip.Channels, MaxBitrate*clip.Channels, clip.Channels)
	case o.SourceRate < 0 || int64(o.SourceRate) > 1<<32-1:
		return fmt.Errorf("opus: the source rate of %d Hz is invalid", o.SourceRate)
	case len(clip.Loops) > 1:
		return fmt.Errorf("opus: the sound has %d loops, but the format holds only one; drop the others or write WAV", len(clip.Loops))
	}
	for _, l := range clip.Loops {
		switch {
		case l.PingPong:
			return errors.New("opus: the format cannot hold a ping-pong loop; drop the loop or write WAV")
		case l.Count != 0:
			return fmt.Errorf("opus: a loop is played %d times, but the format holds only endless loops; drop the loop or write WAV", l.Count)
		case l.Start < 0 || l.Start >= l.End || l.End > frames:
			return fmt.Errorf("opus: a loop goes from frame %d to %d, but the sound has only %d frames; set the loop again", l.Start, l.End, frames)
		}
	}
	return nil
}

// packetFrames is the number of frames in a packet of 20 ms.
const packetFrames = Rate / 50

// Encode writes a clip, with channels in WAV order, as an Ogg Opus file. Samples beyond full scale
// are clipped; NaN is an error. Encode writes nothing if Check returns an error.
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

	end := preSkip + clip.Frames() // input frames needed for the whole output
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
			if buf, err = s.appendPacket(buf, i == len(streams)-1); err != nil {
				return fmt.Errorf("opus: frame %d: %w", at, err)
			}
		}
		if err := p.Packet(buf, int64(min(at+packetFrames, end))); err != nil {
			return err
		}
	}
	return p.Close()
}

// serial computes a serial number from the content, so that the output is reproducible. Chained
// streams most likely get different numbers.
func serial(head, tags []byte, frames int) uint32 {
	return ogg.Serial(binary.LittleEndian.AppendUint64(slices.Concat(head, tags), uint64(frames)))
}

// fillPacket copies the samples of the stream's next packet from the clip. at is the index of the
// first frame. After the clip's end it adds silence.
func (s *stream) fillPacket(clip *pcm.Clip, at int) error {
	s.samples = s.samples[:0]
	for i := at; i < at+packetFrames; i++ {
		for _, c := range s.channels {
			x := float32(0)
			if i < clip.Frames() {
				x = clip.Samples[i*clip.Channels+c]
			}
			if x != x {
				return fmt.Errorf("opus: the sample of frame %d is not a number; export the sound again", i)
			}
			x = float32(math.RoundToEven(float64(min(max(x, -1), 1)) * (1 << 15)))
			s.samples = append(s.samples, int16(min(x, 1<<15-1)))
		}
	}
	return nil
}

// vendor is the name of the writer in the comments. It has no version, so that a new release does
// not change files.
const vendor = "assetcook"

// identification returns the OpusHead packet.
func identification(channels, preSkip, sourceRate int) []byte {
	le, l := binary.LittleEndian, layouts()[channels]
	p := append([]byte("OpusHead"), 1, byte(channels))
	p = le.AppendUint16(p, uint16(preSkip))
	p = le.AppendUint32(p, uint32(sourceRate))
	p = append(p, 0, 0) // output gain is 0
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

// A stream encodes one or two channels of a clip. A packet of the file contains one packet of each
// stream.
type stream struct {
	packetEncoder
	channels []int // channels of the clip
	samples  []int16
	packet   []byte
}

// packetEncoder is the part of the library's encoder that a stream needs.
type packetEncoder interface {
	Encode(samples []int16, packet []byte) (int, error)
	PreSkip() int
}

// maxPacket is the size in bytes of the largest packet of one stream (RFC 6716, 3.4).
const maxPacket = 1275

// newStreams returns the streams of a file, pairs first. A pair gets one and a half times the bits
// of a single channel.
func newStreams(channels int, o Options) ([]*stream, error) {
	l := layouts()[channels]
	total := o.Bitrate
	if total == 0 {
		total = DefaultBitrate(channels)
	}
	var list []*stream
	decoded := 0 // number of decoded channels in previous streams
	for i := range l.streams {
		s := &stream{packet: make([]byte, maxPacket)}
		width, share := 1, 2
		if i < l.coupled {
			width, share = 2, 3
		}
		for range width {
			s.channels = append(s.channels, l.clipChannel(decoded))
			decoded++
		}
		var err error
		s.packetEncoder, err = libopus.NewEncoder(libopus.EncoderConfig{
			SampleRate: Rate, Channels: width,
			Bitrate:        total * share / (2*l.streams + l.coupled),
			ConstrainedVBR: true,
		})
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, nil
}

// appendPacket encodes the stream's samples and appends the packet. The packet of every stream
// except the last includes its own length (RFC 6716, appendix B).
func (s *stream) appendPacket(to []byte, last bool) ([]byte, error) {
	n, err := s.encodePacket()
	if err != nil {
		return nil, err
	}
	packet := s.packet[:n]
	if last {
		return append(to, packet...), nil
	}
	if packet[0]&3 != 0 {
		return nil, fmt.Errorf("the encoder returned a packet of several frames")
	}
	to = append(to, packet[0])
	size := n - 1
	if size < 252 {
		to = append(to, byte(size))
	} else {
		to = append(to, byte(252+size&3), byte((size-252)>>2))
	}
	return append(to, packet[1:]...), nil
}

// encodePacket encodes the stream's packet. The library is young, so a panic is returned as an
// error and does not end the program.
func (s *stream) encodePacket() (n int, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the encoder panicked: %v", r)
		}
	}()
	n, err = s.Encode(s.samples, s.packet)
	if err == nil && n == 0 {
		err = errors.New("the encoder returned no packet")
	}
	return n, err
}

// A layout assigns channels to streams (RFC 7845, 5.1.1.2).
type layout struct {
	streams, coupled int
	mapping          []byte // decoded channel for each channel in Vorbis order
	order            []int  // channel of the clip for each channel in Vorbis order
}

// layouts returns the layouts of mapping families 0 and 1 by number of channels. A clip has its
// channels in WAV order: FL FR FC LFE BL BR BC SL SR. Ogg orders the front channels from left to
// right, then the back channels, and then the LFE.
func layouts() [MaxChannels + 1]layout {
	return [...]layout{
		1: {1, 0, []byte{0}, []int{0}},
		2: {1, 1, []byte{0, 1}, []int{0, 1}},
		3: {2, 1, []byte{0, 2, 1}, []int{0, 2, 1}},
		4: {2, 2, []byte{0, 1, 2, 3}, []int{0, 1, 2, 3}},
		5: {3, 2, []byte{0, 4, 1, 2, 3}, []int{0, 2, 1, 3, 4}},
		6: {4, 2, []byte{0, 4, 1, 2, 3, 5}, []int{0, 2, 1, 4, 5, 3}},
		7: {4, 3, []byte{0, 4, 1, 2, 3, 5, 6}, []int{0, 2, 1, 5, 6, 4, 3}},
		8: {5, 3, []byte{0, 6, 1, 2, 3, 4, 5, 7}, []int{0, 2, 1, 6, 7, 4, 5, 3}},
	}
}

// clipChannel returns the clip's channel for decoded channel n.
func (l *layout) clipChannel(n int) int {
	return l.order[bytes.IndexByte(l.mapping, byte(n))]
}
