package opus

import "bytes"

// A layout is how channels are spread over streams (RFC 7845, 5.1.1.2).
type layout struct {
	streams, coupled int
	mapping          []byte // for each channel of Vorbis's order its decoded channel
	order            []int  // for each channel of Vorbis's order that of a clip
}

// layouts are those of mapping families 0 and 1, by the number of channels. A clip
// has its channels in the order of WAV files: FL FR FC LFE BL BR BC SL SR, those
// that there are. Ogg has them from left to right, then the back, the LFE last.
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

// clipChannel returns which channel of a clip is the n-th that a decoder makes.
func (l *layout) clipChannel(n int) int {
	return l.order[bytes.IndexByte(l.mapping, byte(n))]
}
