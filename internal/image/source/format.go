package source

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	stdimage "image"
	"io"
	"strconv"
	"strings"

	"github.com/assetcook/assetcook/internal/fileformat"
	"github.com/assetcook/assetcook/internal/image/pixmap"
)

// A format describes one kind of image file.
type format struct {
	name string
	// TGA has no magic numbers.
	fileformat.Format
	short string // shorter magic number, for broken files that are meant to be images
	// probe reads the header of a file of size bytes. It returns fileformat.ErrShortHead if data is
	// too short. If data is the whole file, this means that the file is truncated.
	probe func(data []byte, size int64) (header, error)
	// decode decodes a whole file whose header is h, and may add notes to h. It may panic.
	decode func(ctx context.Context, data []byte, h *header) (*pixmap.Map, error)
}

// supportedFormats lists the supported formats. TGA is last, because it has no magic number.
func supportedFormats() []format {
	return []format{
		{"PNG", fileformat.Format{Name: "a PNG image", Extensions: []string{".png", ".apng"}, Magic: []string{"\x89PNG\r\n\x1a\n"}}, "", probePNG, decodePNG},
		{"JPEG", fileformat.Format{Name: "a JPEG image", Extensions: []string{".jpg", ".jpeg", ".jpe", ".jfif"}, Magic: []string{"\xff\xd8\xff"}}, "", probeJPEG, decodeJPEG},
		{"GIF", fileformat.Format{Name: "a GIF image", Extensions: []string{".gif"}, Magic: []string{"GIF87a", "GIF89a"}}, "", probeGIF, decodeGIF},
		{"BMP", fileformat.Format{Name: "a BMP image", Extensions: []string{".bmp", ".dib"}, Magic: []string{"BM....\x00\x00\x00\x00"}, Loose: true}, "BM", probeBMP, decodeBMP},
		{"TIFF", fileformat.Format{Name: "a TIFF image", Extensions: []string{".tif", ".tiff"}, Magic: []string{"II*\x00", "MM\x00*", "II+\x00", "MM\x00+"}}, "", probeTIFF, decodeTIFF},
		{"WebP", fileformat.Format{Name: "a WebP image", Extensions: []string{".webp"}, Magic: []string{"RIFF....WEBP"}}, "", probeWebP, decodeWebP},
		{"QOI", fileformat.Format{Name: "a QOI image", Extensions: []string{".qoi"}, Magic: []string{"qoif"}}, "", probeQOI, decodeQOI},
		{"HDR", fileformat.Format{Name: "a Radiance image", Extensions: []string{".hdr", ".pic", ".rgbe"}, Magic: []string{"#?RADIANCE", "#?RGBE"}, Loose: true}, "#?", probeHDR, decodeHDR},
		{"EXR", fileformat.Format{Name: "an OpenEXR image", Extensions: []string{".exr"}, Magic: []string{"\x76\x2f\x31\x01"}}, "", probeEXR, decodeEXR},
		{"PSD", fileformat.Format{Name: "a Photoshop image", Extensions: []string{".psd", ".psb"}, Magic: []string{"8BPS\x00\x01", "8BPS\x00\x02"}}, "", probePSD, decodePSD},
		{"Aseprite", fileformat.Format{Name: "an Aseprite image", Extensions: []string{".aseprite", ".ase"}, Magic: []string{"....\xe0\xa5......\x08\x00", "....\xe0\xa5......\x10\x00", "....\xe0\xa5......\x20\x00"}}, "", probeAseprite, decodeAseprite},
		{"TGA", fileformat.Format{Name: "a TGA image", Extensions: []string{".tga", ".icb", ".vda", ".vst"}, Loose: true}, "", probeTGA, decodeTGA},
	}
}

// Formats lists the formats that Decode reads.
func Formats() []fileformat.Format {
	var list []fileformat.Format
	for _, f := range supportedFormats() {
		list = append(list, f.Format)
	}
	return list
}

// isFormatOf reports whether a file that starts with head has format f.
func (f *format) isFormatOf(head []byte, ext string) bool {
	if len(f.Magic) == 0 {
		return f.Has(ext)
	}
	return f.Starts(head) > 0 || f.short != "" && bytes.HasPrefix(head, []byte(f.short))
}

// identifyFormat returns a file's format by its first bytes, or TGA by its extension.
func identifyFormat(head []byte, ext string) (format, error) {
	if err := recognizeForeign(head); err != nil {
		return format{}, err
	}
	for _, f := range supportedFormats() {
		if f.isFormatOf(head, ext) {
			return f, nil
		}
	}
	return format{}, fmt.Errorf("%w (starts with %s)", ErrFormat, quoteOpening(head))
}

// recognizeForeign returns an error for kinds of files that are often stored by mistake instead of
// an image.
func recognizeForeign(head []byte) error {
	switch {
	case len(head) == 0:
		return errors.New("the file is empty; export it again")
	case bytes.HasPrefix(head, []byte("version https://git-lfs")):
		return errors.New(`not an image (starts with "version https://git-lfs": a Git LFS pointer; run git lfs pull)`)
	}
	return foreignFormat(head)
}

// quoteOpening quotes the first line of a file, shortened if it is long.
func quoteOpening(head []byte) string {
	start := string(head[:min(len(head), 24)])
	if i := strings.IndexAny(start, "\r\n"); i > 0 {
		start = start[:i]
	}
	return strconv.Quote(start)
}

// foreignFormat recognizes images that another program must convert first. Its error explains how a
// rule can run this program.
func foreignFormat(head []byte) error {
	var name, program string
	switch {
	case isMedia(head, "avif", "avis"):
		name, program = "AVIF", "avifdec"
	case isMedia(head, "heic", "heix", "hevc", "heim", "heis"):
		name, program = "HEIC", "heif-convert"
	case bytes.HasPrefix(head, []byte("\xff\x0a")), bytes.HasPrefix(head, []byte("\x00\x00\x00\x0cJXL \r\n\x87\n")):
		name, program = "JPEG XL", "djxl"
	case isSVG(head):
		name, program = "SVG", "rsvg-convert"
	default:
		return nil
	}
	return fmt.Errorf(`%s images are not supported; run %s on it in a rule with outputs = ["{stem}.png"], and cook the result in a rule with from = "artifacts"`, name, program)
}

// isMedia recognizes files of the ISO base media format by their major brand (ISO/IEC 14496-12,
// section 4.3).
func isMedia(head []byte, brands ...string) bool {
	if len(head) < 12 || string(head[4:8]) != "ftyp" {
		return false
	}
	for _, b := range brands {
		if string(head[8:12]) == b {
			return true
		}
	}
	return false
}

// isSVG reports whether the file is an SVG. It looks for the root element after an XML declaration,
// comments or a doctype.
func isSVG(head []byte) bool {
	text := strings.TrimLeft(string(head[:min(len(head), 1024)]), "\ufeff \t\r\n")
	return strings.HasPrefix(text, "<svg") ||
		(strings.HasPrefix(text, "<?xml") || strings.HasPrefix(text, "<!--") || strings.HasPrefix(text, "<!DOCTYPE svg")) && strings.Contains(text, "<svg")
}

// decodeUpright decodes a whole file whose header is h, and applies its orientation.
func (f format) decodeUpright(ctx context.Context, data []byte, h *header) (m *pixmap.Map, err error) {
	// Decoders of other modules have panicked on hostile input in the past.
	defer func() {
		if r := recover(); r != nil {
			m, err = nil, fmt.Errorf("decode %s: the decoder panicked: %v", f.name, r)
		}
	}()
	if n := h.mapBytes() + h.decoder; n != int64(int(n)) {
		return nil, fmt.Errorf("decode %s: %d x %d pixels are too many for this machine", f.name, h.w, h.h)
	}
	m, err = f.decode(ctx, data, h)
	if err != nil {
		return nil, explainDecodeError(ctx, f.name, err)
	}
	if m.W != h.w || m.H != h.h || m.Depth() != h.depth {
		return nil, fmt.Errorf("decode %s: the image has %d x %d pixels of depth %d, but its header says %d x %d of depth %d; save it again",
			f.name, m.W, m.H, m.Depth(), h.w, h.h, h.depth)
	}
	return upright(ctx, m, h.orientation)
}

// A library holds the functions of a decoder package such as image/png.
type library struct {
	config func(io.Reader) (stdimage.Config, error)
	decode func(io.Reader) (stdimage.Image, error)
}

// decodeImage decodes data, whose header is h.
func (l library) decodeImage(ctx context.Context, data []byte, h *header) (stdimage.Image, error) {
	// The decoder allocates according to the header that it reads. So its header must agree with
	// the checked header.
	config, err := l.config(&reader{ctx, bytes.NewReader(data)})
	if err != nil {
		return nil, err
	}
	if config.Width != h.w || config.Height != h.h {
		return nil, fmt.Errorf("the header is inconsistent: %d x %d or %d x %d pixels; save the image again", h.w, h.h, config.Width, config.Height)
	}
	img, err := l.decode(&reader{ctx, bytes.NewReader(data)})
	if err != nil {
		return nil, err
	}
	if b := img.Bounds(); b.Dx() != h.w || b.Dy() != h.h {
		return nil, fmt.Errorf("the image has the size %v, but its header says %d x %d; save it again", b, h.w, h.h)
	}
	return img, nil
}

// decodeToMap decodes data, whose header is h, to a map.
func (l library) decodeToMap(ctx context.Context, data []byte, h *header) (*pixmap.Map, error) {
	img, err := l.decodeImage(ctx, data, h)
	if err != nil {
		return nil, err
	}
	return straight(ctx, img)
}

// explainDecodeError wraps a decoder's error in a clear message.
func explainDecodeError(ctx context.Context, name string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	// Some decoders keep only the text of the underlying error.
	if errors.Is(err, io.ErrUnexpectedEOF) || strings.HasSuffix(err.Error(), "unexpected EOF") ||
		strings.HasSuffix(err.Error(), "not enough image data") {
		return truncated(name, err)
	}
	if errors.Is(err, io.EOF) {
		return truncated(name, io.ErrUnexpectedEOF)
	}
	return fmt.Errorf("decode %s: %w", name, err)
}

// A reader reads a file in memory. It returns an error after the context is canceled, so that
// decoders stop.
type reader struct {
	ctx context.Context
	r   *bytes.Reader
}

func (s *reader) Read(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.r.Read(p)
}
