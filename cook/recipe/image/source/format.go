package source

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/assetcook/assetcook/cook/recipe/image/pixmap"
)

// A format is one kind of picture file.
type format struct {
	name       string
	extensions []string
	// is says whether head starts as files of this format do. It is nil for TGA,
	// which has no sign of its own.
	is func(head []byte) bool
	// probe reads the header of a file of size bytes. It returns
	// recipe.ErrShortHead if data does not reach far enough, which means for a
	// whole file that it is truncated.
	probe func(data []byte, size int64) (header, error)
	// decode decodes a whole file whose header is h, to which it may add notes. It
	// may panic.
	decode func(ctx context.Context, data []byte, h *header) (*pixmap.Map, error)
}

// formats lists what there is, TGA last.
func formats() []format {
	return []format{
		{"PNG", []string{".png", ".apng"}, starts("\x89PNG\r\n\x1a\n"), probePNG, decodePNG},
		{"JPEG", []string{".jpg", ".jpeg", ".jpe", ".jfif"}, starts("\xff\xd8\xff"), probeJPEG, decodeJPEG},
		{"GIF", []string{".gif"}, starts("GIF87a", "GIF89a"), probeGIF, decodeGIF},
		{"BMP", []string{".bmp", ".dib"}, starts("BM"), probeBMP, decodeBMP},
		{"TIFF", []string{".tif", ".tiff"}, starts("II*\x00", "MM\x00*", "II+\x00", "MM\x00+"), probeTIFF, decodeTIFF},
		{"WebP", []string{".webp"}, isWebP, probeWebP, decodeWebP},
		{"QOI", []string{".qoi"}, starts("qoif"), probeQOI, decodeQOI},
		{"HDR", []string{".hdr", ".rgbe"}, starts("#?"), probeHDR, decodeHDR},
		{"TGA", []string{".tga", ".icb", ".vda", ".vst"}, nil, probeTGA, decodeTGA},
	}
}

// starts returns a test for files that start with one of the given signs.
func starts(signs ...string) func([]byte) bool {
	return func(head []byte) bool {
		for _, s := range signs {
			if bytes.HasPrefix(head, []byte(s)) {
				return true
			}
		}
		return false
	}
}

func isWebP(head []byte) bool {
	return len(head) >= 12 && string(head[:4]) == "RIFF" && string(head[8:12]) == "WEBP"
}

// identify tells a file's format by its first bytes, and TGA by ext.
func identify(head []byte, ext string) (format, error) {
	if err := notPicture(head); err != nil {
		return format{}, err
	}
	for _, f := range formats() {
		if f.is != nil && f.is(head) || f.is == nil && slices.Contains(f.extensions, ext) {
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
	return nil
}

// opening quotes how a file starts: its first line, as far as it is short.
func opening(head []byte) string {
	start := string(head[:min(len(head), 24)])
	if i := strings.IndexAny(start, "\r\n"); i > 0 {
		start = start[:i]
	}
	return strconv.Quote(start)
}
