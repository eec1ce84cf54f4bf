package source

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/assetcook/assetcook/internal/fileformat"
	"github.com/assetcook/assetcook/internal/image/pixmap"
)

// A format is one kind of picture file.
type format struct {
	name string
	// Format has no magic numbers for TGA, which has no sign of its own.
	fileformat.Format
	short string // what is enough of a magic number if the file is to be a picture
	// probe reads the header of a file of size bytes. It returns
	// fileformat.ErrShortHead if data does not reach far enough, which means for a
	// whole file that it is truncated.
	probe func(data []byte, size int64) (header, error)
	// decode decodes a whole file whose header is h, to which it may add notes. It
	// may panic.
	decode func(ctx context.Context, data []byte, h *header) (*pixmap.Map, error)
}

// formats lists what there is, TGA last.
func formats() []format {
	return []format{
		{"PNG", fileformat.Format{Name: "a PNG picture", Extensions: []string{".png", ".apng"}, Magic: []string{"\x89PNG\r\n\x1a\n"}}, "", probePNG, decodePNG},
		{"JPEG", fileformat.Format{Name: "a JPEG picture", Extensions: []string{".jpg", ".jpeg", ".jpe", ".jfif"}, Magic: []string{"\xff\xd8\xff"}}, "", probeJPEG, decodeJPEG},
		{"GIF", fileformat.Format{Name: "a GIF picture", Extensions: []string{".gif"}, Magic: []string{"GIF87a", "GIF89a"}}, "", probeGIF, decodeGIF},
		{"BMP", fileformat.Format{Name: "a BMP picture", Extensions: []string{".bmp", ".dib"}, Magic: []string{"BM....\x00\x00\x00\x00"}, Loose: true}, "BM", probeBMP, decodeBMP},
		{"TIFF", fileformat.Format{Name: "a TIFF picture", Extensions: []string{".tif", ".tiff"}, Magic: []string{"II*\x00", "MM\x00*", "II+\x00", "MM\x00+"}}, "", probeTIFF, decodeTIFF},
		{"WebP", fileformat.Format{Name: "a WebP picture", Extensions: []string{".webp"}, Magic: []string{"RIFF....WEBP"}}, "", probeWebP, decodeWebP},
		{"QOI", fileformat.Format{Name: "a QOI picture", Extensions: []string{".qoi"}, Magic: []string{"qoif"}}, "", probeQOI, decodeQOI},
		{"HDR", fileformat.Format{Name: "a Radiance picture", Extensions: []string{".hdr", ".pic", ".rgbe"}, Magic: []string{"#?RADIANCE", "#?RGBE"}, Loose: true}, "#?", probeHDR, decodeHDR},
		{"EXR", fileformat.Format{Name: "an OpenEXR picture", Extensions: []string{".exr"}, Magic: []string{"\x76\x2f\x31\x01"}}, "", probeEXR, decodeEXR},
		{"PSD", fileformat.Format{Name: "a Photoshop picture", Extensions: []string{".psd", ".psb"}, Magic: []string{"8BPS\x00\x01", "8BPS\x00\x02"}}, "", probePSD, decodePSD},
		{"Aseprite", fileformat.Format{Name: "an Aseprite picture", Extensions: []string{".aseprite", ".ase"}, Magic: []string{"....\xe0\xa5......\x08\x00", "....\xe0\xa5......\x10\x00", "....\xe0\xa5......\x20\x00"}}, "", probeAseprite, decodeAseprite},
		{"TGA", fileformat.Format{Name: "a TGA picture", Extensions: []string{".tga", ".icb", ".vda", ".vst"}, Loose: true}, "", probeTGA, decodeTGA},
	}
}

// Formats lists the formats that Decode reads.
func Formats() []fileformat.Format {
	var list []fileformat.Format
	for _, f := range formats() {
		list = append(list, f.Format)
	}
	return list
}

// is reports whether a file that starts with head is of the format.
func (f *format) is(head []byte, ext string) bool {
	if len(f.Magic) == 0 {
		return f.Has(ext)
	}
	return f.Starts(head) > 0 || f.short != "" && bytes.HasPrefix(head, []byte(f.short))
}

// identify tells a file's format by its first bytes, and TGA by ext.
func identify(head []byte, ext string) (format, error) {
	if err := notPicture(head); err != nil {
		return format{}, err
	}
	for _, f := range formats() {
		if f.is(head, ext) {
			return f, nil
		}
	}
	return format{}, fmt.Errorf("%w (starts with %s)", ErrFormat, opening(head))
}

// notPicture recognises what often stands where a picture should be.
func notPicture(head []byte) error {
	switch {
	case len(head) == 0:
		return errors.New("file is empty")
	case bytes.HasPrefix(head, []byte("version https://git-lfs")):
		return errors.New(`not an image (starts with "version https://git-lfs": a Git LFS pointer; run git lfs pull)`)
	}
	return foreign(head)
}

// opening quotes how a file starts: its first line, as far as it is short.
func opening(head []byte) string {
	start := string(head[:min(len(head), 24)])
	if i := strings.IndexAny(start, "\r\n"); i > 0 {
		start = start[:i]
	}
	return strconv.Quote(start)
}
