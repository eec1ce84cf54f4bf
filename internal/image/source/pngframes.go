package source

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
)

// An animated PNG has frames in chunks fcTL (position, duration, drawing) and fdAT (pixels, as in
// IDAT after a number). Each frame is copied to a separate file ("PNG Specification, Third
// Edition", section 11.3.4).

// pngFrames returns the frames of an animated PNG, or none if the file holds no animation.
func pngFrames(data []byte, h *header) (all storedAnimation, err error) {
	acTL := readPNGChunks(data).acTL
	if len(acTL) != 8 {
		return all, nil
	}
	announced := binary.BigEndian.Uint32(acTL)
	all.plays = int(binary.BigEndian.Uint32(acTL[4:]))
	r := pngFrameReader{data: data, header: h, all: &all}
	for at := 8; at < len(data) && err == nil && !r.ended; {
		at, err = r.readAnimationChunk(at)
	}
	switch {
	case err != nil:
		return all, err
	case !r.ended:
		return all, truncated("PNG", errors.New("the IEND chunk is missing"))
	case r.fcTL != nil:
		err = r.endFrame()
	}
	if err == nil && (announced == 0 || len(all.frames) != int(announced)) {
		err = fmt.Errorf("the animation declares %d frames but has %d; export it again", announced, len(all.frames))
	}
	return all, err
}

// A pngFrameReader collects the chunks of frames.
type pngFrameReader struct {
	data   []byte
	header *header
	all    *storedAnimation
	shared []byte   // PLTE and tRNS, which the pixels of all frames need
	number uint32   // expected number of the next chunk fcTL or fdAT
	fcTL   []byte   // body of the current frame's chunk; nil before the first frame
	pixels [][]byte // compressed pixels of the current frame
	ended  bool     // true if the chunk IEND was read
}

// readAnimationChunk reads the chunk at a position, and returns the position of the next chunk.
func (r *pngFrameReader) readAnimationChunk(at int) (int, error) {
	if len(r.data)-at < 12 {
		return 0, truncated("PNG", errors.New("a PNG chunk is cut off; copy or export the file again"))
	}
	length := int64(binary.BigEndian.Uint32(r.data[at:]))
	end := int64(at) + 12 + length
	if end > int64(len(r.data)) {
		return 0, truncated("PNG", errors.New("a PNG chunk is cut off; copy or export the file again"))
	}
	chunk := r.data[at:end]
	name, body := string(chunk[4:8]), chunk[8:8+length]
	if name == "fcTL" || name == "fdAT" || name == "IDAT" {
		if crc32.ChecksumIEEE(chunk[4:8+length]) != binary.BigEndian.Uint32(chunk[8+length:]) {
			return 0, fmt.Errorf("the checksum of a chunk %s is wrong; copy or export the file again", name)
		}
	}
	if name == "fcTL" || name == "fdAT" {
		if length < 4 || binary.BigEndian.Uint32(body) != r.number {
			return 0, errors.New("the chunks of the animation have wrong sequence numbers; export it again")
		}
		r.number++
	}
	switch name {
	case "PLTE", "tRNS":
		r.shared = append(r.shared, chunk...)
	case "fcTL":
		if length != 26 {
			return 0, errors.New("an fcTL chunk has a wrong size; export the animation again")
		}
		if r.fcTL != nil {
			if err := r.endFrame(); err != nil {
				return 0, err
			}
		}
		r.fcTL = body
	case "IDAT":
		if r.fcTL != nil { // the image is a frame only if it follows fcTL
			r.pixels = append(r.pixels, body)
		}
	case "fdAT":
		if r.fcTL == nil {
			return 0, errors.New("an fdAT chunk is before the first frame; export the animation again")
		}
		r.pixels = append(r.pixels, body[4:])
	case "IEND":
		r.ended = true
	}
	return int(end), nil
}

// endFrame adds the current frame to the animation.
func (r *pngFrameReader) endFrame() error {
	b, be := r.fcTL, binary.BigEndian
	w, h, x, y := be.Uint32(b[4:]), be.Uint32(b[8:]), be.Uint32(b[12:]), be.Uint32(b[16:])
	if max(w, h, x, y) >= 1<<31 || b[24] > 2 || b[25] > 1 || len(r.pixels) == 0 {
		return fmt.Errorf("frame %d of the animation is damaged; export it again", len(r.all.frames)+1)
	}
	pixels, shared := slices.Clone(r.pixels), r.shared
	f := storedFrame{
		x: int(x), y: int(y), w: int(w), h: int(h), over: b[25] == 1,
		milliseconds: shownMilliseconds(pngDelay(be.Uint16(b[20:]), be.Uint16(b[22:]))),
		still:        func() []byte { return stillPNG(r.data, b[4:12], shared, pixels) },
	}
	switch {
	case b[24] == 2 && len(r.all.frames) > 0:
		f.disposal = restoreFrame
	case b[24] != 0:
		f.disposal = clearFrame
	}
	r.pixels = r.pixels[:0]
	return r.all.addFrame(f, r.header)
}

// pngDelay converts a fraction of a second to milliseconds. A denominator of 0 means 100.
func pngDelay(numerator, denominator uint16) int {
	if denominator == 0 {
		denominator = 100
	}
	return (2000*int(numerator) + int(denominator)) / (2 * int(denominator))
}

// stillPNG returns a frame as a separate file. The file has the header of data with another size,
// the chunks that all frames share, and the pixels.
func stillPNG(data, size, shared []byte, pixels [][]byte) []byte {
	head := slices.Concat(size, data[24:29])
	file := appendPNGChunk(slices.Clone(data[:8]), "IHDR", head)
	file = appendPNGChunk(append(file, shared...), "IDAT", pixels...)
	return appendPNGChunk(file, "IEND")
}

// appendPNGChunk appends a chunk. The body consists of the given parts.
func appendPNGChunk(file []byte, name string, parts ...[]byte) []byte {
	length := 0
	for _, part := range parts {
		length += len(part)
	}
	file = binary.BigEndian.AppendUint32(file, uint32(length))
	start := len(file)
	file = append(file, name...)
	for _, part := range parts {
		file = append(file, part...)
	}
	return binary.BigEndian.AppendUint32(file, crc32.ChecksumIEEE(file[start:]))
}
