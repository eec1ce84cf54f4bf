package source

import (
	"context"
	"encoding/binary"
	"errors"

	"github.com/assetcook/assetcook/internal/image/pixmap"
)

// The library does not read animations (WebP Container Specification, "Animation"). The first frame
// is copied from its ANMF chunk to a separate file. After decoding, it is drawn on the transparent
// canvas.

// anmfHeader is the size of the fields before the chunks of a frame: position, size, duration and
// flags.
const anmfHeader = 16

// uint24 returns the first three bytes as a number.
func uint24(b []byte) int { return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 }

// webpFrames returns the frames of an animation, or none if the file holds no animation. The canvas
// is transparent: like browsers, webpFrames ignores the background color.
func webpFrames(data []byte, h *header) (all storedAnimation, err error) {
	if isAnimatedWebP(data) {
		all.plays, err = eachWebPFrame(data, func(f storedFrame) error { return all.addFrame(f, h) })
	}
	return all, err
}

// eachWebPFrame calls the function visit for each frame of an animation, and returns the number of
// plays.
func eachWebPFrame(data []byte, visit func(storedFrame) error) (plays int, err error) {
	chunks, count := webpChunks{data: data[12:]}, 0
	for {
		name, length, body, ok := chunks.nextRIFFChunk()
		switch {
		case !ok && count == 0:
			return 0, errors.New("the animation has no frame; export it again")
		case !ok:
			return plays, nil
		case name == "ANIM" && len(body) >= 6:
			plays = int(binary.LittleEndian.Uint16(body[4:]))
		case name != "ANMF":
		case length < anmfHeader || int64(len(body)) < length:
			return 0, errors.New("a frame of the animation is cut off; copy or export the file again")
		default:
			w, h, flags := 1+uint24(body[6:]), 1+uint24(body[9:]), body[15]
			f := storedFrame{
				x: 2 * uint24(body), y: 2 * uint24(body[3:]), w: w, h: h, over: flags&2 == 0, milliseconds: shownMilliseconds(uint24(body[12:])),
				still: func() []byte { return stillWebP(body[anmfHeader:], w, h) },
			}
			if flags&1 != 0 {
				f.disposal = clearFrame
			}
			count++
			if err := visit(f); err != nil {
				return 0, err
			}
		}
	}
}

// stillWebP returns a file with the chunks of a frame. If there are two chunks, alpha and colors,
// it adds a header.
func stillWebP(chunks []byte, w, h int) []byte {
	file := []byte("RIFF____WEBP")
	if len(chunks) >= 4 && string(chunks[:4]) == "ALPH" {
		const alpha = 1 << 4
		file = append(file, "VP8X\x0a\x00\x00\x00"...)
		file = append(file, alpha, 0, 0, 0, byte(w-1), byte((w-1)>>8), byte((w-1)>>16), byte(h-1), byte((h-1)>>8), byte((h-1)>>16))
	}
	file = append(file, chunks...)
	binary.LittleEndian.PutUint32(file[4:], uint32(len(file)-8))
	return file
}

// decodeAnimatedWebP decodes the first frame and draws it on the canvas of header h.
func decodeAnimatedWebP(ctx context.Context, data []byte, h *header) (*pixmap.Map, error) {
	var first storedAnimation
	h.frames = 0
	_, err := eachWebPFrame(data, func(f storedFrame) error {
		if h.frames++; h.frames > 1 {
			return nil
		}
		return first.addFrame(f, h)
	})
	if err != nil {
		return nil, err
	}
	f := first.frames[0]
	m, err := decodeStillWebP(ctx, f.still(), &header{w: f.w, h: f.h})
	if err != nil || f.w == h.w && f.h == h.h {
		return m, err
	}
	canvas := pixmap.New(h.w, h.h, pixmap.Bits8)
	drawFrame(canvas, f.x, f.y, m, false)
	return canvas, nil
}
