package source

import (
	"context"
	"encoding/binary"
	"fmt"
	stdimage "image"
	"math"

	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/image/pixmap"
)

// An Animation holds all frames of a file, as viewers show them. Each frame is drawn on the canvas
// after the previous frame.
type Animation struct {
	// Images are the different images, in the order of their first frames.
	Images []*pixmap.Map
	Frames []Frame
	// Plays is the number of times that the animation plays; 0 means forever.
	Plays int
}

// A Frame is one step of an animation.
type Frame struct {
	Image        int // index in Animation.Images
	Milliseconds int // 0 if the file is not an animation
}

const (
	// maxFrames limits the number of frames.
	maxFrames = 1 << 14
	// maxFramePixels limits the total number of pixels of all frames, so that a small file cannot
	// take minutes.
	maxFramePixels = 1 << 32
)

// An ImagesError is the error for an animation with more different images than the limit.
type ImagesError struct {
	Frames int // number of frames in the file
	Limit  int // maximum number of different images
}

// Error implements error.
func (e *ImagesError) Error() string {
	return fmt.Sprintf("the %d frames have more than %d different images; save the animation as several files", e.Frames, e.Limit)
}

// DecodeAnimation decodes all frames of a GIF, an animated PNG or an animated WebP file. Other
// files have one frame. If colors is true, it applies the gamma as Decode does. It returns an
// ImagesError if there are more than limit different images.
func DecodeAnimation(ctx context.Context, data []byte, ext string, maxSide, limit int, colors bool) (Animation, Info, error) {
	f, err := identifyFormat(data, ext)
	if err != nil {
		return Animation{}, Info{}, err
	}
	h, err := f.inspectHeader(data, int64(len(data)), maxSide)
	if err != nil {
		return Animation{}, Info{}, err
	}
	steps, err := f.storedFrames(data, &h)
	if err != nil {
		return Animation{}, Info{}, explainDecodeError(ctx, f.name, err)
	}
	if len(steps.frames) == 0 {
		decode := DecodeData
		if colors {
			decode = Decode
		}
		m, info, err := decode(ctx, data, ext, maxSide)
		return Animation{Images: []*pixmap.Map{m}, Frames: []Frame{{}}, Plays: 1}, info, err
	}
	h.frames = len(steps.frames)
	a, err := f.composeFrames(ctx, steps, &h, limit)
	if err != nil {
		return Animation{}, Info{}, err
	}
	info := h.describeHeader(f)
	for i, m := range a.Images {
		if m, err = upright(ctx, m, h.orientation); err == nil && colors && info.Gamma != 0 {
			err = convertToSRGB(ctx, m, info.Gamma)
		}
		if err != nil {
			return Animation{}, Info{}, err
		}
		a.Images[i] = m
	}
	return a, info, nil
}

// CountFrames returns the number of frames that DecodeAnimation finds in a whole file. It returns 1
// for files that DecodeAnimation refuses.
func CountFrames(data []byte) int {
	f, err := identifyFormat(data, "")
	if err != nil {
		return 1
	}
	h, err := f.inspectHeader(data, int64(len(data)), math.MaxInt32)
	if err != nil {
		return 1
	}
	all, err := f.storedFrames(data, &h)
	if err != nil {
		return 1
	}
	return max(1, len(all.frames))
}

// storedAnimation holds the frames of a file before they are decoded.
type storedAnimation struct {
	frames []storedFrame
	plays  int
}

// A storedFrame is a frame as it is stored, which covers a part of the canvas.
type storedFrame struct {
	x, y, w, h   int
	over         bool // true to blend with the canvas, false to replace its pixels
	disposal     disposal
	milliseconds int
	still        func() []byte // returns the frame as a file of the same format
}

// A disposal says how a frame's pixels change before the next frame is drawn.
type disposal uint8

const (
	leaveFrame   disposal = iota
	clearFrame            // makes the frame's rectangle transparent
	restoreFrame          // restores the canvas to its state before the frame
)

// addFrame adds a frame after checking its position and the limits.
func (s *storedAnimation) addFrame(f storedFrame, h *header) error {
	n := len(s.frames) + 1
	switch {
	case f.w < 1 || f.h < 1:
		return fmt.Errorf("frame %d of the animation has no pixels; export it again", n)
	case f.w > h.w || f.h > h.h || f.x > h.w-f.w || f.y > h.h-f.h:
		return fmt.Errorf("frame %d, %d x %d pixels at %d, %d, does not fit on the canvas of %d x %d; export the animation again", n, f.w, f.h, f.x, f.y, h.w, h.h)
	case n > maxFrames:
		return fmt.Errorf("the animation has more than %d frames; save it as several files", maxFrames)
	case int64(n)*h.pixelCountOf() > maxFramePixels:
		return fmt.Errorf("the frames of %d x %d pixels have more than %d pixels together; save the animation smaller, or as several files", h.w, h.h, int64(maxFramePixels))
	}
	s.frames = append(s.frames, f)
	return nil
}

// shownMilliseconds returns how long browsers show a frame. For frames of 10 milliseconds or less,
// this is 100.
func shownMilliseconds(stored int) int {
	if stored <= 10 {
		return 100
	}
	return stored
}

// IsAnimation reports whether DecodeAnimation reads all frames of a format's files.
func IsAnimation(format string) bool { return format == "GIF" || format == "PNG" || format == "WebP" }

// storedFrames finds the frames of an animation. It returns no frames for other files.
func (f format) storedFrames(data []byte, h *header) (storedAnimation, error) {
	switch f.name {
	case "GIF":
		return gifFrames(data, h)
	case "PNG":
		return pngFrames(data, h)
	case "WebP":
		return webpFrames(data, h)
	}
	return storedAnimation{}, nil
}

// composeFrames draws the frames on a canvas, and keeps a copy of the canvas after each frame.
func (f format) composeFrames(ctx context.Context, steps storedAnimation, h *header, limit int) (Animation, error) {
	a := Animation{Plays: steps.plays}
	canvas := pixmap.New(h.w, h.h, h.depth)
	known := map[hashing.Digest]int{}
	for i, step := range steps.frames {
		m, err := f.decodeStoredFrame(ctx, step, h)
		if err != nil {
			return Animation{}, fmt.Errorf("frame %d: %w", i+1, err)
		}
		var before *pixmap.Map
		if step.disposal == restoreFrame {
			before = pixmap.New(step.w, step.h, h.depth)
			pixmap.CopyRect(before, 0, 0, canvas, stdimage.Rect(step.x, step.y, step.x+step.w, step.y+step.h))
		}
		drawFrame(canvas, step.x, step.y, m, step.over)
		id := digestOfPixels(canvas)
		which, ok := known[id]
		if !ok {
			if which = len(a.Images); which == limit {
				return Animation{}, &ImagesError{Frames: len(steps.frames), Limit: limit}
			}
			known[id] = which
			image := pixmap.New(h.w, h.h, h.depth)
			copy(image.Pix8, canvas.Pix8)
			copy(image.Pix16, canvas.Pix16)
			a.Images = append(a.Images, image)
		}
		a.Frames = append(a.Frames, Frame{which, step.milliseconds})
		switch step.disposal {
		case clearFrame:
			drawFrame(canvas, step.x, step.y, pixmap.New(step.w, step.h, h.depth), false)
		case restoreFrame:
			drawFrame(canvas, step.x, step.y, before, false)
		}
	}
	return a, nil
}

// decodeStoredFrame decodes a frame as a separate file.
func (f format) decodeStoredFrame(ctx context.Context, step storedFrame, h *header) (*pixmap.Map, error) {
	still := step.still()
	head, err := f.inspectHeader(still, int64(len(still)), max(h.w, h.h))
	if err != nil {
		return nil, err
	}
	if head.w != step.w || head.h != step.h || head.depth != h.depth {
		return nil, fmt.Errorf("the header of the frame says %d x %d pixels, but its data has %d x %d; export the animation again", step.w, step.h, head.w, head.h)
	}
	head.orientation = 1
	return f.decodeUpright(ctx, still, &head)
}

// drawFrame draws m on a part of the canvas. It either blends with the canvas or replaces its
// pixels.
func drawFrame(canvas *pixmap.Map, x, y int, m *pixmap.Map, over bool) {
	if !over {
		pixmap.CopyRect(canvas, x, y, m, stdimage.Rect(0, 0, m.W, m.H))
		return
	}
	for row := range m.H {
		d, s, n := 4*((y+row)*canvas.W+x), 4*row*m.W, 4*m.W
		if canvas.Pix16 != nil {
			blendRow(canvas.Pix16[d:d+n], m.Pix16[s:s+n])
		} else {
			blendRow(canvas.Pix8[d:d+n], m.Pix8[s:s+n])
		}
	}
}

// blendRow blends a row of pixels over another row. Like browsers, it blends stored values, which
// are not linear light.
func blendRow[T uint8 | uint16](below, above []T) {
	full := uint64(^T(0))
	for i := 0; i < len(above); i += 4 {
		b, s := below[i:i+4], above[i:i+4]
		switch alpha := uint64(s[3]); alpha {
		case 0:
		case full:
			copy(b, s)
		default:
			own, rest := alpha*full, (full-alpha)*uint64(b[3])
			sum := own + rest
			for c := range 3 {
				b[c] = T((uint64(s[c])*own + uint64(b[c])*rest + sum/2) / sum)
			}
			b[3] = T((sum + full/2) / full)
		}
	}
}

// digestOfPixels identifies the pixels of a map.
func digestOfPixels(m *pixmap.Map) hashing.Digest {
	if m.Pix8 != nil {
		return hashing.DigestOf(m.Pix8)
	}
	bytes := make([]byte, 0, 2*len(m.Pix16))
	for _, v := range m.Pix16 {
		bytes = binary.LittleEndian.AppendUint16(bytes, v)
	}
	return hashing.DigestOf(bytes)
}

// AnimationMemory returns an upper bound on the bytes that DecodeAnimation holds in addition to the
// images it returns. i describes a file that Decode can read with the given memory.
func AnimationMemory(i Info) int64 {
	canvas := 4 * int64(i.W) * int64(i.H) * map[pixmap.Depth]int64{pixmap.Bits8: 1, pixmap.Bits16: 2, pixmap.Float: 4}[i.Depth]
	// This covers the canvas, a saved copy, the digest's bytes and a decoder for a frame larger
	// than the first.
	const list = maxFrames * 512
	return i.Memory + 5*canvas + list
}
