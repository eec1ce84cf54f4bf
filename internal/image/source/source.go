// Package source decodes images of many formats into a pixmap.Map.
//
// It reads PNG, JPEG, GIF, BMP, TIFF (the first page), WebP, TGA, QOI, Radiance HDR, OpenEXR, PSD
// and Aseprite, and the first frame of animations. It detects the format from the content of a
// file, not from its name. Only TGA, which has no magic number, needs its extension.
//
// # Pixels
//
// Eight-bit pixels keep every bit, even their color where alpha is 0. Sixteen-bit pixels keep every
// bit, too. Premultiplied pixels are divided by their alpha. Radiance, OpenEXR and float TIFF files
// become linear light. The EXIF or TIFF orientation is applied.
//
// # Colors
//
// Colors are assumed to be sRGB. A PNG is converted according to its gAMA chunk, unless it also has
// a chunk of higher precedence (cICP, iCCP, sRGB). Other color spaces are not converted;
// Info.Profile names them for messages.
//
// # Hostile files
//
// The header is checked before anything is decoded. An image is refused if a side is longer than
// the caller allows. It is also refused if the file is too short for its pixels even at the best
// compression of its format. Panics in decoders are returned as errors.
//
// # Damage
//
// Truncated or damaged files are refused, as far as the format reveals damage. JPEG files are
// checked for damage that package image/jpeg ignores. Info.Notes lists ambiguities of the file and
// damage that affects no pixels.
//
// Arithmetic uses integers, or floats that every compiler and processor rounds equally. So a file
// has the same pixels on all machines.
package source

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/assetcook/assetcook/internal/fileformat"
	"github.com/assetcook/assetcook/internal/image/pixmap"
)

// Info describes an image. Probe sets the fields that the head of the file determines; Decode sets
// all fields.
type Info struct {
	// Format is the name of the file's format: "PNG", "JPEG", "GIF", "BMP", "TIFF", "WebP", "TGA",
	// "QOI", "HDR", "EXR", "PSD" or "Aseprite".
	Format string
	// W and H are the size in pixels of the image that Decode returns, after Orientation is
	// applied.
	W, H int
	// Depth is the pixel format of the map that Decode returns.
	Depth pixmap.Depth
	// Memory is an upper bound on the bytes that Decode holds at once, including the result but
	// excluding the file.
	Memory int64

	// Bits is the number of bits that the file stores per channel or, with a palette, per pixel.
	Bits int
	// Orientation is the EXIF orientation of the stored image, from 1 (upright) to 8. Decode
	// applies it.
	Orientation int
	// Gamma is 100000 times the exponent of an applied gAMA chunk; 0 if no gAMA chunk was applied.
	Gamma int
	// Profile describes a color space other than sRGB that was not applied. It is empty for sRGB
	// and for files without a color space.
	Profile string
	// Frames is the number of images in the file if it is known to be more than one. Decode decodes
	// only the first. For some formats, Probe does not set Frames.
	Frames int
	// Notes explain how Decode resolved ambiguities of the file, one line each.
	Notes []string
	// Lost describes values of the image that Decode could not keep, with a line for each kind.
	Lost []string
}

// Probe and Decode wrap these errors.
var (
	// ErrFormat is the error for files that are not an image of a known format.
	ErrFormat = errors.New("the file is not a PNG, JPEG, GIF, BMP, TIFF, WebP, TGA, QOI, HDR, EXR, PSD or Aseprite image")
	// ErrTruncated is the error for files that are too short for their image.
	ErrTruncated = errors.New("file is truncated; copy or export it again")
)

// TextureExtensions lists the usual extensions of files that are cooked to textures by default, in
// order. Cooked models refer to these textures. The list omits Photoshop and Aseprite files, which
// are usually stored beside their exports.
func TextureExtensions() []string {
	return []string{".bmp", ".exr", ".gif", ".hdr", ".jpeg", ".jpg", ".png", ".qoi", ".tga", ".tif", ".tiff", ".webp"}
}

// OutputOptions lists those options of the recipe image that determine the names and formats of its
// outputs.
func OutputOptions() []string {
	return []string{
		"format", "gpu", "container", "dds_header", "scales", "mips", "cube", "layers", "prefilter", "irradiance", "normal_z",
		"frames", "premultiply", "coverage", "weigh_alpha", "rdo", "fit", "pot", "r", "g", "b", "a", "flip", "normals",
	}
}

// Fits reports whether files of the image's format may have the extension, given in lower case with
// its dot.
func (i Info) Fits(ext string) bool {
	for _, f := range supportedFormats() {
		if f.name == i.Format {
			return f.Has(ext)
		}
	}
	return false
}

// Probe reads the header of an image from head, the start of a file of size bytes. The extension is
// in lower case with its dot; only TGA needs it. Probe returns an error if a side is longer than
// maxSide pixels, and for every header that Decode would refuse. The error is
// fileformat.ErrShortHead if head is shorter than the file and Probe needs more of the file.
func Probe(head []byte, ext string, size int64, maxSide int) (Info, error) {
	f, err := identifyFormat(head, ext)
	if err != nil {
		return Info{}, err
	}
	h, err := f.inspectHeader(head, size, maxSide)
	if err != nil {
		return Info{}, err
	}
	return h.describeHeader(f), nil
}

// Decode decodes a whole file. It returns an error for every file that Probe refuses, and for
// damaged files. It stops when the context is canceled.
func Decode(ctx context.Context, data []byte, ext string, maxSide int) (*pixmap.Map, Info, error) {
	m, info, err := DecodeData(ctx, data, ext, maxSide)
	if err != nil || info.Gamma == 0 {
		return m, info, err
	}
	return m, info, convertToSRGB(ctx, m, info.Gamma)
}

// DecodeData is like Decode, but for images that are not colors, such as normal maps and masks. It
// ignores gamma and returns the values as stored.
func DecodeData(ctx context.Context, data []byte, ext string, maxSide int) (*pixmap.Map, Info, error) {
	return decodeWithHeader(ctx, data, ext, maxSide, true)
}

// DecodeStored is like DecodeData, but for glTF textures: it also ignores the orientation. glTF 2.0
// requires loaders to ignore gamma and color profiles, and most also ignore EXIF data.
func DecodeStored(ctx context.Context, data []byte, ext string, maxSide int) (*pixmap.Map, Info, error) {
	return decodeWithHeader(ctx, data, ext, maxSide, false)
}

func decodeWithHeader(ctx context.Context, data []byte, ext string, maxSide int, turns bool) (*pixmap.Map, Info, error) {
	f, err := identifyFormat(data, ext)
	if err != nil {
		return nil, Info{}, err
	}
	h, err := f.inspectHeader(data, int64(len(data)), maxSide)
	if err != nil {
		return nil, Info{}, err
	}
	orientation := max(1, h.orientation)
	if !turns {
		h.orientation = 1
	}
	m, err := f.decodeUpright(ctx, data, &h)
	if err != nil {
		return nil, Info{}, err
	}
	info := h.describeHeader(f)
	info.Orientation = orientation
	return m, info, nil
}

// A header holds the information from the first bytes of a file.
type header struct {
	w, h  int // size before the orientation is applied
	depth pixmap.Depth
	bits  int
	// decoder is the maximum number of bytes in use during decoding. It includes the decoded image
	// in the decoder's own format.
	decoder int64
	// shared is set if the map uses the decoder's pixels without a copy.
	shared bool
	// least is a lower bound for the size of a valid file that holds this image.
	least       int64
	orientation int // EXIF orientation; 0 is the same as 1
	gamma       int
	profile     string
	frames      int
	remarks
}

// Remarks are lines about the content of a file that become Info.Notes and Info.Lost.
type remarks struct{ notes, lost []string }

func (h header) pixelCountOf() int64 { return int64(h.w) * int64(h.h) }

// mapBytes returns the size of the image's pixmap.Map.
func (h header) mapBytes() int64 {
	return 4 * h.pixelCountOf() * map[pixmap.Depth]int64{pixmap.Bits8: 1, pixmap.Bits16: 2, pixmap.Float: 4}[h.depth]
}

func (h header) describeHeader(f format) Info {
	const fixed = 1 << 20 // memory for tables and buffers
	peak := h.decoder
	if !h.shared {
		peak += h.mapBytes()
	}
	i := Info{Format: f.name, W: h.w, H: h.h, Depth: h.depth, Bits: h.bits,
		Orientation: max(1, h.orientation), Gamma: h.gamma, Profile: h.profile, Notes: h.notes, Lost: h.lost}
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

// inspectHeader reads and checks the header at the start of data. The file has size bytes. The
// error can be fileformat.ErrShortHead only if data is shorter than the file.
func (f format) inspectHeader(data []byte, size int64, maxSide int) (header, error) {
	h, err := f.probe(data, size)
	if errors.Is(err, fileformat.ErrShortHead) && int64(len(data)) >= size {
		err = truncated(f.name, io.ErrUnexpectedEOF)
	}
	if err != nil {
		return header{}, err
	}
	switch {
	case h.w < 1 || h.h < 1:
		return header{}, fmt.Errorf("the image is empty: %d x %d pixels; export it again", h.w, h.h)
	case h.w > maxSide || h.h > maxSide:
		return header{}, fmt.Errorf("the image has %d x %d pixels, more than %d per side; save it smaller, or raise max_size", h.w, h.h, maxSide)
	case h.least > size:
		return header{}, fmt.Errorf("%s %w: %d bytes cannot hold %d x %d pixels, which take at least %d",
			f.name, ErrTruncated, size, h.w, h.h, h.least)
	}
	return h, nil
}

// truncated returns an error for a truncated file of the named format.
func truncated(name string, cause error) error {
	return fmt.Errorf("%s %w: %w", name, ErrTruncated, cause)
}

// shortHead replaces io.ErrUnexpectedEOF of a header by fileformat.ErrShortHead.
func shortHead(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return fileformat.ErrShortHead
	}
	return err
}
