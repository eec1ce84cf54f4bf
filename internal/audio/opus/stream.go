package opus

import (
	"bytes"
	"errors"
	"fmt"

	libopus "github.com/tphakala/go-opus/opus"
)

// A stream encodes one or two channels of a clip. A packet of a file has a packet of each stream.
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

// newStreams returns the streams of a file, pairs first. A pair gets one and a half times the bits
// of a single channel.
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

// append encodes the stream's samples and appends the packet. Of several packets, all except the
// last contain their own length (RFC 6716, appendix B).
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

// encode encodes the stream's packet. The library is young: its panics become errors of the sound,
// and do not end the program.
func (s *stream) encode() (n int, err error) {
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

// A layout says how channels are distributed to streams (RFC 7845, 5.1.1.2).
type layout struct {
	streams, coupled int
	mapping          []byte // decoded channel, by channel in Vorbis's order
	order            []int  // channel of the clip, by channel in Vorbis's order
}

// layouts returns the layouts of mapping families 0 and 1, by the number of channels. A clip has
// its channels in the order of WAV files, as far as they exist: FL FR FC LFE BL BR BC SL SR. Ogg
// has them from left to right, then the back, with the LFE last.
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

// clipChannel returns the clip's channel for the n-th decoded channel.
func (l *layout) clipChannel(n int) int {
	return l.order[bytes.IndexByte(l.mapping, byte(n))]
}
