package mp3

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// A header is the first four bytes of a frame (ISO/IEC 11172-3, 2.4.1.3).
type header uint32

func (h header) versionCode() int { return int(h >> 19 & 3) } // 3 is MPEG 1, 2 is MPEG 2, 0 is MPEG 2.5
func (h header) layerCode() int   { return int(h >> 17 & 3) } // 1 is Layer III
func (h header) mono() bool       { return h>>6&3 == 3 }

func (h header) channelCount() int {
	if h.mono() {
		return 1
	}
	return 2
}

// isFrameHeader reports whether h can be the header of a frame of any layer.
func (h header) isFrameHeader() bool {
	return h>>21 == 0x7ff && h.versionCode() != 1 && h.layerCode() != 0 && h>>12&15 != 15 && h>>10&3 != 3
}

// looksLikeFirst reports whether h is likely to be the header of a stream's first frame. A reserved
// emphasis is harmless within a stream, but at the start of a file it is most likely a coincidence.
func (h header) looksLikeFirst() bool { return h.isFrameHeader() && h&3 != 2 }

// canFollow reports whether frames with headers h and g can belong to one stream.
func (h header) canFollow(g header) bool {
	const version, layer, rate = 3 << 19, 3 << 17, 3 << 10
	return (h^g)&(version|layer|rate) == 0 && h.mono() == g.mono()
}

func (h header) sampleRate() int {
	rate := [3]int{44100, 48000, 32000}[h>>10&3]
	switch h.versionCode() {
	case 2:
		rate /= 2
	case 0:
		rate /= 4
	}
	return rate
}

// samplesPerFrame returns the number of samples per channel in a Layer III frame.
func (h header) samplesPerFrame() int {
	if h.versionCode() == 3 {
		return 1152
	}
	return 576
}

// kilobits are the bit rates of Layer III in kbit/s, for MPEG 1 and MPEG 2.
var kilobits = [2][15]int{
	{0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320},
	{0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160},
}

// frameBytes returns a frame's length in bytes. It returns 0 for the free format, whose header does
// not determine the length.
func (h header) frameBytes() int {
	table := 0
	if h.versionCode() != 3 {
		table = 1
	}
	bits := kilobits[table][h>>12&15]
	if bits == 0 {
		return 0
	}
	return h.samplesPerFrame()/8*bits*1000/h.sampleRate() + int(h>>9&1)
}

// sideInfo returns the number of bytes between the header and the main data.
func (h header) sideInfo() int {
	switch {
	case h.versionCode() == 3 && !h.mono():
		return 32
	case h.versionCode() != 3 && h.mono():
		return 9
	}
	return 17
}

func headerAt(data []byte, at int) (header, bool) {
	if at < 0 || at+4 > len(data) {
		return 0, false
	}
	h := header(binary.BigEndian.Uint32(data[at:]))
	return h, h.isFrameHeader()
}

// searched is how many bytes after the tags firstFrame searches for a frame.
const searched = 64 << 10

// firstFrame returns the start of the frames: the first header after the tags that is followed by a
// matching header, or by the end of the file.
func firstFrame(data []byte) (int, header, bool) {
	start := skipTags(data)
	for at := start; at < min(len(data)-4, start+searched); at++ {
		h, ok := headerAt(data, at)
		if !ok || !h.looksLikeFirst() {
			continue
		}
		if h.layerCode() != 1 || h.frameBytes() == 0 {
			if at == start { // the caller checks a single frame at the start
				return at, h, true
			}
			continue
		}
		next, ok := headerAt(data, at+h.frameBytes())
		if at+h.frameBytes() == len(data) || ok && next.canFollow(h) {
			return at, h, true
		}
	}
	return 0, 0, false
}

// skipTags returns the end of the ID3v2 tags at the start.
func skipTags(data []byte) int {
	at := 0
	for len(data)-at >= 10 && string(data[at:at+3]) == "ID3" {
		size := synchsafe(data[at+6 : at+10])
		if at+10+size > len(data) {
			break
		}
		at += 10 + size
	}
	return at
}

// A layout describes where the audio frames of a file are.
type layout struct {
	first    header
	start    int // offset of the first audio frame in the file
	end      int // offset of the end of the last complete frame
	frames   int
	declared int // frames according to the Xing, Info or VBRI header; 0 if unknown
	// The encoder's delay and padding in samples; zero unless trim is set.
	trim           bool
	delay, padding int
}

// findFrames finds all frames, which must directly follow each other.
func findFrames(data []byte) (layout, error) {
	at, h, ok := firstFrame(data)
	if !ok {
		return layout{}, errors.New("the file has no MP3 frames; export it again")
	}
	switch {
	case h.layerCode() != 1:
		return layout{}, errors.New("MPEG audio of layer I or II is not supported, only layer III (MP3); save the sound in another format")
	case h.frameBytes() == 0:
		return layout{}, errors.New("MP3 of free bit rate is not supported; save the sound with a fixed or variable bit rate")
	}
	l := layout{first: h, start: at, end: at}
	if l.readInfo(data[at:min(len(data), at+h.frameBytes())]) {
		l.start = min(len(data), at+h.frameBytes())
		l.end = l.start
	}
	for at = l.end; ; {
		g, ok := headerAt(data, at)
		if !ok {
			break
		}
		if !g.canFollow(h) || g.frameBytes() == 0 {
			return l, fmt.Errorf("byte %d: this MP3 frame has another rate, layer or channel count than the first frame; split the file", at)
		}
		if at+g.frameBytes() > len(data) {
			break // a truncated last frame is common and ignored
		}
		at += g.frameBytes()
		l.end = at
		l.frames++
	}
	if l.frames == 0 {
		return l, errors.New("the MP3 file has no sound; export it again")
	}
	if rest := data[l.end:]; !endsHere(rest) {
		if i, g, ok := firstFrame(rest); ok && g.canFollow(h) {
			return l, fmt.Errorf("byte %d: %d bytes belong to no MP3 frame; the file is damaged, so export it again", l.end, i)
		}
	}
	// Some encoders count the frame with the Xing or Info header, too.
	if l.trim && l.frames < l.declared-1 {
		return l, fmt.Errorf("the file ends after %d of %d MP3 frames; copy it again", l.frames, l.declared)
	}
	return l, nil
}

// endsHere reports whether a known kind of tag follows the last frame.
func endsHere(rest []byte) bool {
	for _, tag := range []string{"TAG", "APETAGEX", "LYRICSBEGIN", "ID3"} {
		if bytes.HasPrefix(rest, []byte(tag)) {
			return true
		}
	}
	return len(rest) < 4
}

// readInfo reports whether the first frame only describes the stream (Xing, Info and VBRI headers).
// It reads delay and padding from its LAME extension (gabriel.mp3-tech.org/mp3infotag.html).
func (l *layout) readInfo(frame []byte) bool {
	if len(frame) >= 4+32+4 && string(frame[4+32:4+32+4]) == "VBRI" {
		return true
	}
	at := 4 + l.first.sideInfo()
	if len(frame) < at+8 {
		return false
	}
	if id := string(frame[at : at+4]); id != "Xing" && id != "Info" {
		return false
	}
	flags := binary.BigEndian.Uint32(frame[at+4:])
	at += 8
	if flags&1 != 0 && len(frame) >= at+4 {
		l.declared = int(min(binary.BigEndian.Uint32(frame[at:]), math.MaxInt32))
	}
	for bit, size := range []int{4, 4, 100, 4} { // sizes of the frame count, byte count, seek table and quality
		if flags&(1<<bit) != 0 {
			at += size
		}
	}
	if len(frame) >= at+24 && frame[at] >= ' ' {
		b := frame[at+21:]
		l.delay, l.padding = int(b[0])<<4|int(b[1])>>4, int(b[1]&15)<<8|int(b[2])
		l.trim = l.delay != 0 || l.padding != 0
	}
	return true
}
