package mp3

import (
	"bufio"
	"fmt"
	"io"
)

// Verify checks that each frame of a file follows the previous one, and that the file has as many
// frames as its Xing, Info or VBRI header states. It returns the number of seconds before the first
// damage. It holds some kilobytes at a time, and decodes nothing. Kinds of MPEG audio that Decode
// refuses are not checked.
func Verify(r io.ReaderAt, size int64) (whole float64, err error) {
	start, err := endOfTags(r, size)
	if err != nil {
		return 0, err
	}
	head := make([]byte, min(size-start, searched))
	if _, err := r.ReadAt(head, start); err != nil && err != io.EOF {
		return 0, err
	}
	at, first, ok := firstFrame(head)
	if !ok {
		return 0, fmt.Errorf("no MP3 frame starts in the first %d bytes", len(head))
	}
	if first.layerCode() != 1 || first.frameBytes() == 0 {
		return 0, nil
	}
	l := layout{first: first}
	info := l.readInfo(head[at:min(len(head), at+first.frameBytes())])
	frames, err := countFrames(io.NewSectionReader(r, start+int64(at), size), first)
	if info {
		frames = max(0, frames-1)
	}
	whole = float64(frames) * float64(first.samplesPerFrame()) / float64(first.sampleRate())
	// Some encoders count the frame with this header, too.
	if err == nil && frames < int64(l.declared)-1 {
		err = fmt.Errorf("the file has %d of %d MP3 frames", frames, l.declared)
	}
	return whole, err
}

// endOfTags returns the end of the ID3v2 tags at the start of a file.
func endOfTags(r io.ReaderAt, size int64) (at int64, err error) {
	var tag [10]byte
	for size-at >= int64(len(tag)) {
		if _, err := r.ReadAt(tag[:], at); err != nil {
			return at, err
		}
		if string(tag[:3]) != "ID3" {
			break
		}
		end := at + int64(len(tag)) + int64(synchsafe(tag[6:]))
		if end > size {
			return at, fmt.Errorf("the file is cut off within its ID3 tag")
		}
		at = end
	}
	return at, nil
}

// countFrames counts the complete frames from the start of r. It returns an error if another frame
// follows data that is not a frame.
func countFrames(r io.Reader, first header) (frames int64, err error) {
	buffered := bufio.NewReaderSize(r, searched)
	for at := int64(0); ; frames++ {
		data, _ := buffered.Peek(4)
		h, ok := headerAt(data, 0)
		if !ok || !h.canFollow(first) || h.frameBytes() == 0 {
			rest, err := buffered.Peek(searched)
			if err != nil && err != io.EOF {
				return frames, err
			}
			if !endsHere(rest) {
				if _, g, found := firstFrame(rest); found && g.canFollow(first) {
					return frames, fmt.Errorf("no MP3 frame starts at byte %d", at)
				}
			}
			return frames, nil
		}
		n, err := buffered.Discard(h.frameBytes())
		if err != nil && err != io.EOF {
			return frames, err
		}
		if n < h.frameBytes() {
			return frames, nil // a truncated last frame is common and ignored
		}
		at += int64(n)
	}
}
