// Package vorbiscomment reads Vorbis comments, the tags of Ogg Vorbis and FLAC (Vorbis I
// specification, section 5), and interprets comments that define loops.
package vorbiscomment

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/assetcook/assetcook/internal/audio/pcm"
)

// A List maps keys in upper case to comments. If a key occurs several times, the first comment is
// used.
type List map[string]string

// Read parses a block of comments, without the framing that a codec adds.
func Read(block []byte) (List, error) {
	short := errors.New("the Vorbis comments are cut off")
	next := func() ([]byte, bool) {
		if len(block) < 4 {
			return nil, false
		}
		n := binary.LittleEndian.Uint32(block)
		if int64(n) > int64(len(block)-4) {
			return nil, false
		}
		text := block[4 : 4+n]
		block = block[4+n:]
		return text, true
	}
	if _, ok := next(); !ok || len(block) < 4 { // skip the vendor string
		return nil, short
	}
	count := binary.LittleEndian.Uint32(block)
	block = block[4:]
	list := List{}
	for range count {
		text, ok := next()
		if !ok {
			return nil, short
		}
		key, value, _ := strings.Cut(string(text), "=")
		key = strings.ToUpper(key)
		if _, ok := list[key]; !ok {
			list[key] = value
		}
	}
	return list, nil
}

// AddLoop adds the loop that the comments define, if any, to a clip. If the comments set a playback
// gain, AddLoop adds a note to the clip's Lost.
func (l List) AddLoop(clip *pcm.Clip) error {
	for _, key := range []string{"REPLAYGAIN_TRACK_GAIN", "REPLAYGAIN_ALBUM_GAIN", "R128_TRACK_GAIN", "R128_ALBUM_GAIN"} {
		if _, ok := l[key]; ok {
			clip.Lose("the gain of its tags (" + key + ")")
			break
		}
	}
	loop, err := l.Loop(clip.Rate, int64(clip.Frames()))
	if err == nil && loop != nil {
		clip.AddLoop(*loop)
	}
	return err
}

// Loop returns the endless loop that the comments LOOPSTART and LOOPLENGTH or LOOPEND define, or
// nil if there is none. The sound has the given rate and number of frames. LOOPEND is the first
// frame after the loop, and may be beyond the sound. Without LOOPSTART the loop starts with the
// sound; without LOOPLENGTH and LOOPEND it ends with the sound. A dash or an underscore may follow
// LOOP. Values are frames, or times such as 0:12.5.
func (l List) Loop(rate int, frames int64) (*pcm.Loop, error) {
	start, given1, err1 := l.commentPosition("START", rate)
	length, given2, err2 := l.commentPosition("LENGTH", rate)
	end, given3, err3 := l.commentPosition("END", rate)
	if err := errors.Join(err1, err2, err3); err != nil || !given1 && !given2 && !given3 {
		return nil, err
	}
	switch {
	case length > 0:
		end = start + length
	case end == 0:
		end = frames
	}
	return &pcm.Loop{Start: start, End: end}, nil
}

// commentPosition returns the value of a comment in frames.
func (l List) commentPosition(of string, rate int) (frames int64, given bool, err error) {
	for _, key := range []string{"LOOP" + of, "LOOP_" + of, "LOOP-" + of} {
		text, ok := l[key]
		if !ok {
			continue
		}
		if frames, ok = parsePosition(strings.TrimSpace(text), rate); !ok {
			return 0, true, fmt.Errorf("comment %s=%.40q: want a number of frames, or a time such as 1:02.5", key, text)
		}
		return frames, true, nil
	}
	return 0, false, nil
}

// mostFrames exceeds the length of any file, but is small enough that sums do not overflow.
const mostFrames = 1 << 48

// parsePosition parses a number of frames, or hours, minutes and seconds separated by colons.
func parsePosition(text string, rate int) (int64, bool) {
	parts := strings.Split(text, ":")
	if len(parts) == 1 {
		n, err := strconv.ParseInt(text, 10, 64)
		return n, err == nil && n >= 0 && n <= mostFrames
	}
	last := len(parts) - 1
	whole, fraction, _ := strings.Cut(parts[last], ".")
	parts[last] = whole
	seconds := uint64(0)
	for i, p := range parts {
		n, err := strconv.ParseUint(p, 10, 20)
		if err != nil || i > 0 && n >= 60 {
			return 0, false
		}
		seconds = 60*seconds + n
	}
	const digits = 9
	if len(parts) > 3 || len(fraction) > digits {
		return 0, false
	}
	billionths, err := strconv.ParseUint(fraction+strings.Repeat("0", digits-len(fraction)), 10, 32)
	return int64(seconds*uint64(rate) + (billionths*uint64(rate)+5e8)/1e9), err == nil
}
