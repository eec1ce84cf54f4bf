// Package vorbiscomment reads Vorbis comments, the tags of Ogg Vorbis and FLAC
// (Vorbis I specification, section 5), and finds loops in them.
package vorbiscomment

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/assetcook/assetcook/internal/audio/pcm"
)

// A List holds comments by key, in upper case. Of several with one key it has
// the first.
type List map[string]string

// Read reads comments without the framing that codecs put around them.
func Read(block []byte) (List, error) {
	short := errors.New("the comments are cut off")
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
	if _, ok := next(); !ok || len(block) < 4 { // the vendor
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

// Loop returns the loop that the comments LOOPSTART and LOOPLENGTH or LOOPEND
// tell of, in frames, as many game engines have them: for ever, LOOPEND being
// the first frame behind it. Without a length and an end its End is 0, which
// stands for the end of the sound. There is none without LOOPSTART.
func (l List) Loop() (*pcm.Loop, error) {
	if _, ok := l["LOOPSTART"]; !ok {
		return nil, nil
	}
	start, err1 := l.number("LOOPSTART")
	length, err2 := l.number("LOOPLENGTH")
	end, err3 := l.number("LOOPEND")
	if err := errors.Join(err1, err2, err3); err != nil {
		return nil, err
	}
	if length > 0 {
		end = start + length
	}
	return &pcm.Loop{Start: start, End: end}, nil
}

// Close returns a loop of Loop for a sound of so many frames.
func Close(l pcm.Loop, frames int64) pcm.Loop {
	if l.End == 0 {
		l.End = frames
	}
	return l
}

func (l List) number(key string) (int64, error) {
	text, ok := l[key]
	if !ok {
		return 0, nil
	}
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	if err != nil || n < 0 || n > 1<<48 {
		return 0, fmt.Errorf("comment %s=%.40q: want a number of frames", key, text)
	}
	return n, nil
}
