package opus

import (
	"errors"
	"fmt"

	libopus "github.com/tphakala/go-opus/opus"
)

// A stream encodes one channel or two of a clip. A packet of a file has a packet of
// each of its streams.
type stream struct {
	encoder
	channels []int // of the clip
	samples  []int16
	packet   []byte
}

// encoder is the part of the library that a stream needs.
type encoder interface {
	Encode(samples []int16, packet []byte) (int, error)
	PreSkip() int
}

// maxPacket is the size in bytes of the largest packet of one stream (RFC 6716, 3.4).
const maxPacket = 1275

// newStreams returns the streams of a file, pairs first. They share the bits so that
// a pair has half as many again as a single channel.
func newStreams(channels int, o Options) ([]*stream, error) {
	l := layouts()[channels]
	total := o.Bitrate
	if total == 0 {
		total = DefaultBitrate(channels)
	}
	var list []*stream
	decoded := 0 // channels of the streams before
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
		s.encoder, err = libopus.NewEncoder(libopus.EncoderConfig{
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

// append encodes the samples that were taken and appends the packet. All packets but
// the last one of several tell their own length (RFC 6716, appendix B).
func (s *stream) append(to []byte, last bool) ([]byte, error) {
	n, err := s.encode()
	if err != nil {
		return nil, err
	}
	packet := s.packet[:n]
	if last {
		return append(to, packet...), nil
	}
	if packet[0]&3 != 0 {
		return nil, fmt.Errorf("the encoder gave a packet of several frames")
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

// encode makes the stream's packet. The library is young: should it panic, that is an
// error of this sound, not the end of the program.
func (s *stream) encode() (n int, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the encoder failed: %v", r)
		}
	}()
	n, err = s.Encode(s.samples, s.packet)
	if err == nil && n == 0 {
		err = errors.New("the encoder gave no packet")
	}
	return n, err
}
