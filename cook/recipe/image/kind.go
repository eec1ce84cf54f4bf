package image

import (
	"bytes"
	"errors"
	"fmt"
	stdimage "image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"strconv"
	"strings"

	"github.com/assetcook/assetcook/cook/recipe/image/tga"
	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"
	"golang.org/x/image/webp"
)

// A fileFormat is one kind of source.
type fileFormat struct {
	name string
	// probe reads the header. It returns recipe.ErrShortHead if data does not reach far
	// enough, which means for a whole file that it is truncated.
	probe  func(data []byte) (picture, error)
	config func(io.Reader) (stdimage.Config, error)
	decode func(io.Reader) (stdimage.Image, error)
	// videoRange says that luma is stored as 16 to 235, as WebP has it.
	videoRange bool
}

// identify tells a file's format by its first bytes, and TGA by ext.
func identify(head []byte, ext string) (fileFormat, error) {
	if f, ok := byMagic(head); ok {
		return f, nil
	}
	if err := notPicture(head); err != nil {
		return fileFormat{}, err
	}
	switch ext {
	case ".tga", ".icb", ".vda", ".vst":
		return tgaFormat(), nil
	}
	return fileFormat{}, fmt.Errorf("not a PNG, JPEG, GIF, BMP, TIFF, WebP or TGA image (starts with %s)", opening(head))
}

func byMagic(head []byte) (fileFormat, bool) {
	starts := func(magic string) bool { return bytes.HasPrefix(head, []byte(magic)) }
	switch {
	case starts("\x89PNG\r\n\x1a\n"):
		return fileFormat{name: "PNG", probe: probePNG, config: png.DecodeConfig, decode: png.Decode}, true
	case starts("\xff\xd8\xff"):
		return fileFormat{name: "JPEG", probe: probeJPEG, config: jpeg.DecodeConfig, decode: jpeg.Decode}, true
	case starts("GIF87a"), starts("GIF89a"):
		return fileFormat{name: "GIF", probe: probeGIF, config: gif.DecodeConfig, decode: gif.Decode}, true
	case starts("BM"):
		return fileFormat{name: "BMP", probe: probeBMP, config: bmp.DecodeConfig, decode: bmp.Decode}, true
	case starts("II*\x00"), starts("MM\x00*"):
		return fileFormat{name: "TIFF", probe: probeTIFF, config: tiff.DecodeConfig, decode: tiff.Decode}, true
	case starts("RIFF") && len(head) >= 12 && string(head[8:12]) == "WEBP":
		return fileFormat{name: "WebP", probe: probeWebP, config: webp.DecodeConfig, decode: webp.Decode, videoRange: true}, true
	}
	return fileFormat{}, false
}

func tgaFormat() fileFormat {
	return fileFormat{name: "TGA", probe: probeTGA, config: tga.DecodeConfig, decode: tga.Decode}
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

// truncated says that a file ends before its picture does.
func truncated(name string, cause error) error {
	return fmt.Errorf("%s file is truncated; copy or export it again: %w", name, cause)
}
