// Package source reads pictures, whatever format they are in, into a
// pixmap.Map.
//
// It reads PNG, JPEG, GIF (the first frame), BMP, TIFF (the first page), WebP,
// TGA, QOI, Radiance HDR, OpenEXR, PSD and Aseprite (the first frame). What a file holds decides, not what it is called;
// only TGA, which has no magic number, needs its extension.
//
// # Pixels
//
// Eight-bit pixels are taken over bit for bit, also the color under an alpha
// of 0. Sixteen-bit ones stay as they are, premultiplied ones are divided by
// their alpha, Radiance and OpenEXR files and floats of TIFF become linear light. A picture that is
// stored lying down is turned upright, as its EXIF or TIFF orientation says.
//
// # Colors
//
// Colors are taken to be sRGB. A PNG whose gAMA chunk says otherwise is
// converted, unless a chunk that counts more (cICP, iCCP, sRGB) stands there as
// well. Other color spaces are not converted: Info.Profile names them, so that
// somebody can be told.
//
// # Hostile files
//
// Nothing is decoded before the header was judged: a picture is refused if a
// side is longer than the caller allows, or if the file is too short for the
// pixels that it claims even if it were packed as tightly as its format
// permits. Decoders that panic are caught.
//
// # Damage
//
// What is truncated or damaged is refused, as far as the format lets it show; JPEG
// files are checked for damage that package image/jpeg passes over. What a file leaves
// open, and damage that harms no pixel, is in Info.Notes.
//
// All arithmetic is on integers, or on floats in a way that no compiler or
// processor rounds differently: the same file gives the same pixels everywhere.
package source

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/assetcook/assetcook/internal/fileformat"
	"github.com/assetcook/assetcook/internal/image/pixmap"
)

// Info is what is known of a picture besides its pixels. Probe fills it as far
// as the head of the file tells; Decode fills it whole.
type Info struct {
	// Format is the name of the file's format: "PNG", "JPEG", "GIF", "BMP",
	// "TIFF", "WebP", "TGA", "QOI", "HDR", "EXR"
	// "PSD" or "Aseprite".
	Format string
	// W and H are the size in pixels of the picture that Decode returns, which
	// is upright.
	W, H int
	// Depth is how the map that Decode returns holds its pixels.
	Depth pixmap.Depth
	// Memory is the most bytes that Decode holds at once, the result included
	// and the file's own bytes not.
	Memory int64

	// Bits is how many bits the file stores for a channel of a pixel or, where
	// there is a palette, for a pixel.
	Bits int
	// Orientation is how the stored picture was turned: 1 (not at all) to 8, as
	// EXIF counts.
	Orientation int
	// Gamma is 100000 times the exponent of a gAMA chunk that was applied to
	// reach sRGB; 0 if there was nothing to do.
	Gamma int
	// Profile names a color space that is not sRGB and that was not applied,
	// in words for people. It is empty for sRGB and for files that say nothing.
	Profile string
	// Frames is the number of pictures in the file if it is known to be more than one. Only the
	// first is decoded. For some formats only Decode sets Frames.
	Frames int
	// Notes say what was decided where the file leaves it open, a line each.
	Notes []string
}

// Errors that Probe and Decode wrap.
var (
	// ErrFormat is said of a file that is no picture of a known format.
	ErrFormat = errors.New("not a PNG, JPEG, GIF, BMP, TIFF, WebP, TGA, QOI, HDR, EXR, PSD or Aseprite image")
	// ErrTruncated is said of a file that ends before its picture does.
	ErrTruncated = errors.New("file is truncated; copy or export it again")
)

// TextureExtensions lists the usual extensions of the formats, in order. Files of these
// are cooked to textures by default, and models name what they are cooked to. Those of
// Photoshop and Aseprite are not: they are work files, most often beside what was exported from them.
func TextureExtensions() []string {
	return []string{".bmp", ".exr", ".gif", ".hdr", ".jpeg", ".jpg", ".png", ".qoi", ".tga", ".tif", ".tiff", ".webp"}
}

// Fits says whether files of the picture's format may have the extension, which
// is in lower case with its dot.
func (i Info) Fits(ext string) bool {
	for _, f := range formats() {
		if f.name == i.Format {
			return f.Has(ext)
		}
	}
	return false
}

// Probe reads the header of a picture whose file is size bytes long and starts
// with head. The extension is in lower case with its dot; it matters for TGA
// only. A side of more than maxSide pixels is refused, as is whatever else
// Decode would refuse on account of its header. The error is
// fileformat.ErrShortHead if head is less than the file and does not tell.
func Probe(head []byte, ext string, size int64, maxSide int) (Info, error) {
	f, err := identify(head, ext)
	if err != nil {
		return Info{}, err
	}
	h, err := f.inspect(head, size, maxSide)
	if err != nil {
		return Info{}, err
	}
	return h.info(f), nil
}

// Decode decodes a whole file. It refuses what Probe refuses, and what turns
// out to be damaged. A context that is cancelled ends it early.
func Decode(ctx context.Context, data []byte, ext string, maxSide int) (*pixmap.Map, Info, error) {
	m, info, err := DecodeData(ctx, data, ext, maxSide)
	if err != nil || info.Gamma == 0 {
		return m, info, err
	}
	return m, info, toSRGB(ctx, m, info.Gamma)
}

// DecodeData is Decode for a picture whose numbers are not colors but data, as
// those of a normal map or a mask are: it leaves them as stored, whatever
// Info.Gamma says.
func DecodeData(ctx context.Context, data []byte, ext string, maxSide int) (*pixmap.Map, Info, error) {
	return decode(ctx, data, ext, maxSide, true)
}

// DecodeStored is DecodeData for a texture of a glTF, which also ignores the orientation. glTF 2.0
// requires loaders to ignore gamma and color profiles, and most also ignore Exif data.
func DecodeStored(ctx context.Context, data []byte, ext string, maxSide int) (*pixmap.Map, Info, error) {
	return decode(ctx, data, ext, maxSide, false)
}

func decode(ctx context.Context, data []byte, ext string, maxSide int, turns bool) (*pixmap.Map, Info, error) {
	f, err := identify(data, ext)
	if err != nil {
		return nil, Info{}, err
	}
	h, err := f.inspect(data, int64(len(data)), maxSide)
	if err != nil {
		return nil, Info{}, err
	}
	orientation := max(1, h.orientation)
	if !turns {
		h.orientation = 1
	}
	m, err := f.pixels(ctx, data, &h)
	if err != nil {
		return nil, Info{}, err
	}
	info := h.info(f)
	info.Orientation = orientation
	return m, info, nil
}

// A header is what the first bytes of a file say.
type header struct {
	w, h  int // as stored
	depth pixmap.Depth
	bits  int
	// decoder is the most bytes that decoding holds, including the decoded
	// picture in the form that the decoder gives.
	decoder int64
	// shared says that the decoder's pixels become the map's own.
	shared bool
	// least is the size of the smallest file that can hold the picture, or a
	// lower bound of it. It is about valid files: none is ever smaller.
	least       int64
	orientation int // 0 is 1
	gamma       int
	profile     string
	notes       []string
	frames      int
}

func (h header) pixels() int64 { return int64(h.w) * int64(h.h) }

// mapBytes returns what the pixmap.Map of the picture takes.
func (h header) mapBytes() int64 {
	return 4 * h.pixels() * map[pixmap.Depth]int64{pixmap.Bits8: 1, pixmap.Bits16: 2, pixmap.Float: 4}[h.depth]
}

func (h header) info(f format) Info {
	const fixed = 1 << 20 // tables and buffers
	peak := h.decoder
	if !h.shared {
		peak += h.mapBytes()
	}
	i := Info{Format: f.name, W: h.w, H: h.h, Depth: h.depth, Bits: h.bits,
		Orientation: max(1, h.orientation), Gamma: h.gamma, Profile: h.profile, Notes: h.notes}
	if h.frames > 1 {
		i.Frames = h.frames
	}
	if i.Orientation > 1 {
		peak = max(peak, 2*h.mapBytes())
	}
	if i.Orientation >= transposed {
		i.W, i.H = h.h, h.w
	}
	i.Memory = fixed + peak
	return i
}

// inspect reads the header at the start of data and judges it. The file is
// size bytes long; only if data is less than that can the error be
// fileformat.ErrShortHead.
func (f format) inspect(data []byte, size int64, maxSide int) (header, error) {
	h, err := f.probe(data, size)
	if errors.Is(err, fileformat.ErrShortHead) && int64(len(data)) >= size {
		err = truncated(f.name, io.ErrUnexpectedEOF)
	}
	if err != nil {
		return header{}, err
	}
	switch {
	case h.w < 1 || h.h < 1:
		return header{}, fmt.Errorf("image is %d x %d pixels: there is nothing in it", h.w, h.h)
	case h.w > maxSide || h.h > maxSide:
		return header{}, fmt.Errorf("image is %d x %d pixels; the limit is %d a side (max_size)", h.w, h.h, maxSide)
	case h.least > size:
		return header{}, fmt.Errorf("%s %w: %d bytes cannot hold %d x %d pixels, it takes at least %d",
			f.name, ErrTruncated, size, h.w, h.h, h.least)
	}
	return h, nil
}

// truncated says that a file of the named format ends before its picture does.
func truncated(name string, cause error) error {
	return fmt.Errorf("%s %w: %w", name, ErrTruncated, cause)
}

// shortHead turns a header's end in the middle into fileformat.ErrShortHead.
func shortHead(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return fileformat.ErrShortHead
	}
	return err
}
