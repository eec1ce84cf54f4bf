package source

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	stdimage "image"
	"image/color"
	"io"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/image/tiff"

	"github.com/assetcook/assetcook/internal/fileformat"
	"github.com/assetcook/assetcook/internal/image/imagetest"
	"github.com/assetcook/assetcook/internal/image/pixmap"
)

// probeHead calls Probe as a recipe does: with only the head of the file.
func probeHead(data []byte, ext string, side int) (Info, error) {
	return Probe(data[:min(len(data), fileformat.HeadSize)], ext, int64(len(data)), side)
}

// allocated returns how many bytes f allocates in total.
func allocated(f func()) int64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
}

// TestTornFilesAreErrors checks that a truncated file is an error. Only TIFF files may lack bytes
// that no pixel needs.
func TestTornFilesAreErrors(t *testing.T) {
	for _, s := range samples(t) {
		t.Run(s.name, func(t *testing.T) {
			whole, _, err := Decode(t.Context(), s.data, s.ext, maxSide)
			if err != nil {
				t.Fatal(err)
			}
			for n := range s.data {
				got, _, err := Decode(t.Context(), s.data[:n], s.ext, maxSide)
				if err == nil && !(strings.HasPrefix(s.name, "tiff") && cmp.Equal(got, whole)) {
					t.Fatalf("first %d of %d bytes: no error", n, len(s.data))
				}
				if _, refused := probeHead(s.data[:n], s.ext, maxSide); refused != nil && err == nil {
					t.Fatalf("first %d of %d bytes: %v, but they are decoded", n, len(s.data), refused)
				}
			}
		})
	}
}

func TestBadFilesAreRefusedEarly(t *testing.T) {
	le := binary.LittleEndian
	const huge = 65535
	pngOf := func(w, h uint32) []byte {
		ihdr := append([]byte("IHDR"), 0, 0, 0, 0, 0, 0, 0, 0, 8, 6, 0, 0, 0)
		binary.BigEndian.PutUint32(ihdr[4:], w)
		binary.BigEndian.PutUint32(ihdr[8:], h)
		b := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0d"), ihdr...)
		b = binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(ihdr))
		return append(b, make([]byte, 68-len(b))...)
	}
	bmpOf := func(w, h int32, compression byte) []byte {
		b := append([]byte("BM"), make([]byte, 60)...)
		b[10], b[14], b[26], b[28], b[30] = 54, 40, 1, 24, compression
		if compression == 1 {
			b[10], b[28] = 62, 8 // an image of two colors
		}
		le.PutUint32(b[18:], uint32(w))
		le.PutUint32(b[22:], uint32(h))
		return b
	}
	tiffOf := func(w, h int) []byte {
		data := encodeTIFF(t, stdimage.NewGray(stdimage.Rect(0, 0, 2, 2)), nil)
		dir := data[le.Uint32(data[4:]):]
		le.PutUint32(dir[2+8:], uint32(w)) // the values of the first two entries are width and height
		le.PutUint32(dir[2+12+8:], uint32(h))
		return data
	}
	gifOf := func(w, h uint16) []byte {
		b := []byte("GIF89a____\x80\x00\x00\x00\x00\x00\xff\xff\xff,\x00\x00\x00\x00____\x00\x02\x00;")
		for _, at := range []int{6, 24} {
			le.PutUint16(b[at:], w)
			le.PutUint16(b[at+2:], h)
		}
		return b
	}
	scansOf := func(side, n int) []byte {
		one := progressiveJPEG(side, side)
		at := bytes.Index(one, []byte{0xff, 0xda})
		scan := one[at : len(one)-2]
		return append(append(bytes.Clone(one[:at]), bytes.Repeat(scan, n)...), 0xff, 0xd9)
	}
	vp8x := func(flags byte) []byte {
		return append([]byte("RIFF\x80\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00"), flags, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff)
	}
	hdrOf := func(lines, resolution string) []byte {
		return []byte("#?RADIANCE\n" + lines + "\n" + resolution + "\n____")
	}
	pointer := "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n"
	gif1 := encodeGIF(t, stdimage.NewPaletted(stdimage.Rect(0, 0, 1, 1), color.Palette{color.Black}))

	for _, tc := range []struct {
		name, ext string
		data      []byte
		side      int
		want      string
		later     bool // true if only Decode can detect the error
	}{
		{"empty", ".png", nil, maxSide, "file is empty", false},
		{"pointer", ".tga", []byte(pointer), maxSide, "git lfs pull", false},
		{"text", ".png", []byte("<!DOCTYPE html>\n<html>"), maxSide, `starts with "<!DOCTYPE html>"`, false},
		{"AVIF", ".png", []byte("\x00\x00\x00\x20ftypavif\x00\x00\x00\x00"), maxSide, "AVIF images are not supported; run avifdec", false},
		{"HEIC", "", []byte("\x00\x00\x00\x20ftypheic\x00\x00\x00\x00"), maxSide, "heif-convert", false},
		{"other media", "", []byte("\x00\x00\x00\x20ftypisom\x00\x00\x00\x00"), maxSide, "the file is not a PNG, JPEG, GIF, BMP, TIFF, WebP, TGA, QOI, HDR, EXR, PSD or Aseprite image", false},
		{"JPEG XL", "", []byte("\xff\x0a\x00"), maxSide, "djxl", false},
		{"JPEG XL in boxes", "", []byte("\x00\x00\x00\x0cJXL \r\n\x87\n"), maxSide, "djxl", false},
		{"SVG", "", []byte("<svg xmlns=''/>"), maxSide, "rsvg-convert", false},
		{"SVG of an editor", "", []byte("\ufeff<?xml version='1.0'?>\n<!-- -->\n<svg/>"), maxSide, "rsvg-convert", false},
		{"XML", "", []byte("<?xml version='1.0'?><map/>"), maxSide, "not a PNG", false},
		{"text as TGA", ".tga", []byte("<!DOCTYPE html>\n<html>"), maxSide, "tga: image type 68 is unknown; save the image again", false},
		{"TGA by another name", ".png", append([]byte{2: 3, 12: 1, 14: 1, 16: 8, 17: 0}, 5), maxSide, "not a PNG", false},

		{"PNG of 68 bytes", "", pngOf(16384, 16384), maxSide, "68 bytes cannot hold 16384 x 16384", false},
		{"PNG over the limit", "", pngOf(100000, 100000), maxSide, "the image has 100000 x 100000 pixels, more than 16384 per side; save it smaller, or raise max_size", false},
		{"PNG with a bad size", "", pngOf(1<<31, 1), maxSide, "2147483648 x 1 pixels", false},
		{"PNG of nothing", "", pngOf(0, 7), maxSide, "0 x 7 pixels", false},
		{"BMP over the limit", "", bmpOf(65535, -65535, 0), maxSide, "more than 16384 per side", false},
		{"BMP too short", "", bmpOf(65535, -65535, 0), huge, "cannot hold", false},
		{"BMP from right", "", bmpOf(-2, 2, 0), maxSide, "-2 x 2", false},
		{"packed BMP too short", "", bmpOf(2000, 2000, 1), huge, "62 bytes cannot hold", false},
		{"TIFF over the limit", "", tiffOf(65535, 65535), maxSide, "more than 16384 per side", false},
		{"TIFF too short", "", tiffOf(65535, 65535), huge, "cannot hold", false},
		{"GIF over the limit", "", gifOf(65535, 65535), maxSide, "more than 16384 per side", false},
		{"GIF too short", "", gifOf(65535, 65535), huge, "cannot hold", false},
		{"GIF without trailer", "", gif1[:len(gif1)-1], maxSide, "GIF file is truncated", true},
		{"TGA over the limit", ".tga", append([]byte{2: 10, 12: 255, 255, 255, 255, 32, 0}, 1), maxSide, "more than 16384 per side", false},
		{"TGA too short", ".tga", append([]byte{2: 10, 12: 255, 255, 255, 255, 32, 0}, 1), huge, "cannot hold", false},
		{"QOI over the limit", "", []byte("qoif\x00\x01\x00\x00\x00\x01\x00\x00\x03\x00"), maxSide, "more than 16384 per side", false},
		{"QOI too short", "", []byte("qoif\x00\x00\x40\x00\x00\x00\x40\x00\x03\x00"), maxSide, "14 bytes cannot hold 16384 x 16384 pixels, which take at least 4329627", false},
		{"HDR over the limit", "", hdrOf("", "-Y 20000 +X 1"), maxSide, "more than 16384 per side", false},
		{"HDR too short", "", hdrOf("", "-Y 16384 +X 16384"), maxSide, "cannot hold", false},
		{"EXR over the limit", "", encodeEXR(20000, 1, 0), maxSide, "more than 16384 per side", false},
		{"EXR too short", "", encodeEXR(16384, 16384, 3), maxSide, "cannot hold", false},
		{"EXR packed by an unknown method", "", encodeEXR(1, 1, 10), maxSide, "compression 10 is not supported; save", false},
		{"Aseprite over the limit", "", append([]byte{4: 0xe0, 5: 0xa5, 6: 1, 9: 0x50, 11: 0x50, 12: 32}, make([]byte, 130)...), maxSide, "more than 16384 per side", false},
		{"Aseprite has no frame", "", append([]byte{4: 0xe0, 5: 0xa5, 9: 1, 11: 1, 12: 32}, make([]byte, 130)...), maxSide, "has no frame", false},
		{"PSD over the limit", "", []byte("8BPS\x00\x01______\x00\x03\x00\x00\x50\x00\x00\x00\x50\x00\x00\x08\x00\x03\x00\x00\x00\x00"), maxSide, "more than 16384 per side", false},
		{"PSD too short", "", []byte("8BPS\x00\x01______\x00\x03\x00\x00\x40\x00\x00\x00\x40\x00\x00\x08\x00\x03\x00\x00\x00\x00"), maxSide, "cannot hold", false},
		{"HDR of XYZ", "", hdrOf("FORMAT=32-bit_rle_xyze\n", "-Y 1 +X 1"), maxSide, "ra_xyze", false},
		{"JPEG too short", "", progressiveJPEG(8, 8)[:20], maxSide, "truncated", false},
		{"JPEG bomb", "", bytes.Replace(progressiveJPEG(8, 8), []byte("\x00\x08\x00\x08"), []byte("\x40\x00\x40\x00"), 1), maxSide, "cannot hold 16384 x 16384", false},
		{"JPEG of many scans", "", scansOf(8, maxScans+1), maxSide, "more than 1000 scans", false},
		// The limit of scans is lower for large images.
		{"JPEG of many scans for its size", "", bytes.Replace(scansOf(8, 1000), []byte("\x00\x08\x00\x08"), []byte("\x20\x00\x20\x00"), 1), maxSide, "more than 64 scans", false},
		{"JPEG lossless", "", bytes.Replace(progressiveJPEG(8, 8), []byte{0xff, 0xc2}, []byte{0xff, 0xc3}, 1), maxSide, "SOF3", false},
		{"WebP over the limit", "", vp8x(0), maxSide, "16777216 x 16777216", false},
		{"WebP animated, over the limit", "", vp8x(2), maxSide, "16777216 x 16777216", false},
		{"WebP animated, without a frame", "", animatedWebP(t, 9, 9), maxSide, "has no frame", true},
		{"WebP animated, frame off the canvas", "", animatedWebP(t, 9, 9, 2), maxSide, "does not fit on the canvas of 9 x 9", true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var err error
			if got := allocated(func() { _, _, err = Decode(t.Context(), tc.data, tc.ext, tc.side) }); got > 1<<20 {
				t.Errorf("allocated %d bytes", got)
			}
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want %q", err, tc.want)
			}
			if _, early := probeHead(tc.data, tc.ext, tc.side); (early == nil) != tc.later || !tc.later && early.Error() != err.Error() {
				t.Errorf("Probe says %v, Decode says %v", early, err)
			}
			if strings.Contains(tc.want, "cannot hold") && !errors.Is(err, ErrTruncated) {
				t.Errorf("%v is not ErrTruncated", err)
			}
			if strings.Contains(tc.name, "text") && !errors.Is(err, ErrFormat) {
				t.Errorf("%v is not ErrFormat", err)
			}
		})
	}
	for _, side := range []int{8, 512} {
		if _, _, err := Decode(t.Context(), scansOf(side, freeScans), "", maxSide); err != nil {
			t.Errorf("%d scans of %d x %d pixels: %v", freeScans, side, side, err)
		}
	}
}

// TestDensestFilesAreDecoded decodes the smallest possible files of each format.
func TestDensestFilesAreDecoded(t *testing.T) {
	flat := stdimage.NewPaletted(stdimage.Rect(0, 0, 1024, 1024), color.Palette{color.White, color.Black})
	solid := "RIFF\x18\x00\x00\x00WEBPVP8L\x0c\x00\x00\x00\x2f\xff\xc3\xff\x00" // an image of 1024 x 1024 pixels
	for name, data := range map[string][]byte{
		"png":         encodePNG(t, stdimage.NewGray(flat.Rect)),
		"png mapped":  encodePNG(t, flat),
		"gif":         encodeGIF(t, flat),
		"tiff":        encodeTIFF(t, flat, &tiff.Options{Compression: tiff.Deflate}),
		"jpeg":        encodeJPEG(t, stdimage.NewGray(flat.Rect)),
		"progressive": progressiveJPEG(1024, 1024),
		// The trees for green, red, blue, alpha and distance each have a single code, whose length
		// is 0 bits.
		"webp": append([]byte(solid), "\x88\x88\x08\x00\x00\x00\x00"...),
		"qoi":  qoiRuns(1024),
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := probeHead(data, "", maxSide); err != nil {
				t.Errorf("%d bytes: Probe: %v", len(data), err)
			}
			if _, _, err := Decode(t.Context(), data, "", maxSide); err != nil {
				t.Errorf("%d bytes: %v", len(data), err)
			}
		})
	}
}

// qoiRuns returns a black image, packed as tightly as possible.
func qoiRuns(side int) []byte {
	b := binary.BigEndian.AppendUint32([]byte("qoif"), uint32(side))
	b = append(binary.BigEndian.AppendUint32(b, uint32(side)), 3, 0)
	for left := side * side; left > 0; left -= 62 {
		b = append(b, 0xc0|byte(min(left, 62)-1))
	}
	return append(b, 0, 0, 0, 0, 0, 0, 0, 1)
}

// TestMemoryIsAsPredicted checks that Info.Memory is at least what decoding allocates, and not much
// more.
func TestMemoryIsAsPredicted(t *testing.T) {
	r := stdimage.Rect(0, 0, 500, 400)
	nrgba, opaque, wide, gray := stdimage.NewNRGBA(r), stdimage.NewNRGBA(r), stdimage.NewNRGBA64(r), stdimage.NewGray(r)
	mapped := stdimage.NewPaletted(r, color.Palette{color.White, color.Black})
	noise(nrgba.Pix, false)
	noise(opaque.Pix, true)
	noise(wide.Pix, false)
	noise(gray.Pix, false)
	tga := append([]byte{2: 2, 12: 500 & 255, 500 >> 8, 400 & 255, 400 >> 8, 32, 0}, nrgba.Pix...)
	hdr := append([]byte("#?RADIANCE\n\n-Y 400 +X 500\n"), bytes.Repeat([]byte{9, 9, 9, 136}, 500*400)...)
	for name, data := range map[string][]byte{
		"png": encodePNG(t, nrgba), "png opaque": encodePNG(t, opaque), "png 16": encodePNG(t, wide),
		"png mapped": encodePNG(t, mapped), "png gray": encodePNG(t, gray),
		"gif": encodeGIF(t, mapped), "bmp": encodeBMP(t, nrgba), "tga": tga, "qoi": qoiRuns(500), "hdr": hdr,
		"jpeg": encodeJPEG(t, nrgba), "jpeg gray": encodeJPEG(t, gray), "jpeg progressive": progressiveJPEG(500, 400),
		"jpeg turned": withEXIF(encodeJPEG(t, gray), exifBlock('I', 6)),
		"tiff":        encodeTIFF(t, wide, nil), "tiff deflate": encodeTIFF(t, wide, &tiff.Options{Compression: tiff.Deflate}),
	} {
		t.Run(name, func(t *testing.T) {
			info, err := Probe(data, ".tga", int64(len(data)), maxSide)
			if err != nil {
				t.Fatal(err)
			}
			got := allocated(func() { _, _, err = Decode(t.Context(), data, ".tga", maxSide) })
			// allocated includes memory that was freed. A buffer that grows by doubling frees as
			// much memory as it holds, and rotation frees the original image. The final buffer may
			// also be twice as large as necessary.
			slack, least := int64(0), info.Memory/3
			if name == "tga" || name == "qoi" || name == "hdr" || name == "jpeg turned" {
				slack, least = info.Memory/2, info.Memory/6
			}
			if err != nil || got > info.Memory+slack || got < least {
				t.Errorf("allocated %d bytes, Info.Memory %d, error %v", got, info.Memory, err)
			}
		})
	}
}

// TestMemoryOfProgressiveJPEG uses 4:2:0 images. They have 1.5 samples per pixel, each of 4 bytes
// in progressive files.
func TestMemoryOfProgressiveJPEG(t *testing.T) {
	const side = 4096
	info, err := probeHead(progressiveJPEG(side, side), "", maxSide)
	if least := int64(side * side * 15 / 2); err != nil || info.Memory < least {
		t.Errorf("%d bytes, error %v; want at least %d", info.Memory, err, least)
	}
}

// TestHeaderBeyondTheHeadAsksForMore checks that Probe returns ErrShortHead if the header is longer
// than the head of the file.
func TestHeaderBeyondTheHeadAsksForMore(t *testing.T) {
	jpeg := progressiveJPEG(64, 64)
	segment := append([]byte{0xff, 0xe2, 0xff, 0xff}, make([]byte, 65533)...)
	late := append(append(bytes.Clone(jpeg[:2]), bytes.Repeat(segment, 2)...), jpeg[2:]...)
	wide := stdimage.NewNRGBA(stdimage.Rect(0, 0, 200, 200))
	noise(wide.Pix, false)
	for name, data := range map[string][]byte{"jpeg": late, "tiff": encodeTIFF(t, wide, nil)} {
		if _, err := probeHead(data, "", maxSide); !errors.Is(err, fileformat.ErrShortHead) {
			t.Errorf("%s: error %v from the head alone", name, err)
		}
		if _, err := Probe(data, "", int64(len(data)), maxSide); err != nil {
			t.Errorf("%s: error %v", name, err)
		}
		if _, _, err := Decode(t.Context(), data, "", maxSide); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, _, err := Decode(t.Context(), data, "", 60); err == nil || !strings.Contains(err.Error(), "more than 60 per side") {
			t.Errorf("%s: error %v, want the limit", name, err)
		}
	}
}

func TestDecodersAreNotTrusted(t *testing.T) {
	gives := func(m *pixmap.Map, err error) func(context.Context, []byte, *header) (*pixmap.Map, error) {
		return func(context.Context, []byte, *header) (*pixmap.Map, error) { return m, err }
	}
	for _, tc := range []struct {
		want   string
		decode func(context.Context, []byte, *header) (*pixmap.Map, error)
	}{
		{"its header says 2 x 2", gives(pixmap.New(2, 3, pixmap.Bits8), nil)},
		{"its header says 2 x 2", gives(pixmap.New(2, 2, pixmap.Float), nil)},
		{"the decoder panicked: index", func(context.Context, []byte, *header) (*pixmap.Map, error) { panic("index") }},
		{"ABC file is truncated", gives(nil, fmt.Errorf("x: %w", io.ErrUnexpectedEOF))},
		{"ABC file is truncated", gives(nil, errors.New("png: not enough image data"))},
		{"ABC file is truncated", gives(nil, io.EOF)},
		{"decode ABC: odd", gives(nil, errors.New("odd"))},
	} {
		f := format{name: "ABC", decode: tc.decode}
		if _, err := f.decodeUpright(t.Context(), nil, &header{w: 2, h: 2}); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("error %v, want %q", err, tc.want)
		}
	}
	config := func(w, h int, err error) func(io.Reader) (stdimage.Config, error) {
		return func(io.Reader) (stdimage.Config, error) { return stdimage.Config{Width: w, Height: h}, err }
	}
	image := func(w, h int) func(io.Reader) (stdimage.Image, error) {
		return func(io.Reader) (stdimage.Image, error) { return stdimage.NewGray(stdimage.Rect(0, 0, w, h)), nil }
	}
	for _, tc := range []struct {
		want string
		l    library
	}{
		{"the header is inconsistent:", library{config(9, 2, nil), image(2, 2)}},
		{"its header says 2 x 2", library{config(2, 2, nil), image(2, 3)}},
		{"odd", library{config(2, 2, errors.New("odd")), image(2, 2)}},
	} {
		if _, err := tc.l.decodeToMap(t.Context(), nil, &header{w: 2, h: 2}); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("error %v, want %q", err, tc.want)
		}
	}
}

// TestBombsAreRefusedOrCheap checks that files are refused before anything is allocated, or that
// decoding takes no more memory than Probe predicts.
func TestBombsAreRefusedOrCheap(t *testing.T) {
	for _, b := range imagetest.Bombs() {
		t.Run(b.Name, func(t *testing.T) {
			info, refused := probeHead(b.Data, b.Ext, maxSide)
			if errors.Is(refused, fileformat.ErrShortHead) {
				info, refused = Probe(b.Data, b.Ext, int64(len(b.Data)), maxSide)
			}
			limit := info.Memory + int64(len(b.Data))
			if refused != nil {
				limit = 1 << 20
			}
			var err error
			if got := allocated(func() { _, _, err = Decode(t.Context(), b.Data, b.Ext, maxSide) }); got > limit+bombSlack(b) {
				t.Errorf("%d bytes of file: allocated %d bytes, limit %d", len(b.Data), got, limit)
			}
			if (err == nil) != b.Fine {
				t.Errorf("error %v, want a decoded image: %v", err, b.Fine)
			}
			if (err == nil) != (refused == nil) {
				t.Errorf("Decode says %v, Probe says %v", err, refused)
			}
		})
	}
}

// bombSlack returns the size of short-lived allocations that Memory does not count: a buffer for
// each chunk or tile, and lists of lengths and codes for each tree.
func bombSlack(b imagetest.Bomb) int64 {
	switch {
	case strings.Contains(b.Name, "chunks"), strings.Contains(b.Name, "tiles"):
		return 1 << 30
	case strings.Contains(b.Name, "trees"):
		return 80 << 20
	}
	return 0
}

// FuzzDecode checks that decoding any input returns an error or a consistent image, and that Probe
// accepts every file that Decode accepts.
func FuzzDecode(f *testing.F) {
	for _, s := range samples(f) {
		f.Add(s.data, s.ext == ".tga")
	}
	f.Add(withChunk(encodePNG(f, stdimage.NewGray(stdimage.Rect(0, 0, 2, 1))), "gAMA", "\x00\x01\x86\xa0"), false)
	f.Add(withEXIF(encodeJPEG(f, stdimage.NewGray(stdimage.Rect(0, 0, 2, 1))), exifBlock('M', 6)), false)
	f.Fuzz(func(t *testing.T, data []byte, tga bool) {
		ext := ""
		if tga {
			ext = ".tga"
		}
		const side = 64
		probed, refused := probeHead(data, ext, side)
		m, info, err := Decode(t.Context(), data, ext, side)
		if err != nil {
			return
		}
		if refused != nil && !errors.Is(refused, fileformat.ErrShortHead) || refused == nil && probed.Memory != info.Memory && len(data) <= fileformat.HeadSize {
			t.Errorf("decoded as %+v, but Probe says %+v, %v", info, probed, refused)
		}
		if m.W != info.W || m.H != info.H || m.W < 1 || m.H < 1 || m.W > side || m.H > side || m.Depth() != info.Depth ||
			len(m.Pix8)+len(m.Pix16)+len(m.PixF) != 4*m.W*m.H {
			t.Errorf("%d x %d pixels, info %+v", m.W, m.H, info)
		}
		for _, v := range m.PixF {
			if !(v >= 0 && v <= math.MaxFloat32) {
				t.Fatalf("light of %g", v)
			}
		}
	})
}
