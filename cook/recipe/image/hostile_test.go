package image

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	stdimage "image"
	"image/color"
	"image/gif"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/assetcook/assetcook/cook/recipe"
	"golang.org/x/image/tiff"
)

// load decodes data under the given name and writes nothing.
func load(t testing.TB, o *Image, name string, data []byte) (level, error) {
	t.Helper()
	job := recipe.NewJob(recipe.Env{Recipe: Recipe(), Path: name, Open: fstest.MapFS{name: {Data: data}}.Open}, int64(len(data)))
	return o.load(t.Context(), job)
}

func estimate(o *Image, data []byte) (int64, error) {
	return o.Estimate(data[:min(len(data), recipe.HeadSize)], int64(len(data)))
}

// allocated returns how many bytes f allocates, dead or alive.
func allocated(f func()) int64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
}

// A torn file is an error. Only a TIFF may miss bytes that no pixel needs.
func TestTornFiles(t *testing.T) {
	for _, s := range samples(t) {
		t.Run(s.name, func(t *testing.T) {
			whole, err := load(t, defaults(), s.file, s.data)
			if err != nil {
				t.Fatal(err)
			}
			for n := range s.data {
				got, err := load(t, defaults(), s.file, s.data[:n])
				if err == nil && !(strings.HasPrefix(s.name, "tiff") && bytes.Equal(got.pix, whole.pix)) {
					t.Fatalf("first %d of %d bytes: no error", n, len(s.data))
				}
				if _, refused := estimate(defaults(), s.data[:n]); refused != nil && err == nil {
					t.Fatalf("first %d of %d bytes: %v, but they are cooked", n, len(s.data), refused)
				}
			}
		})
	}
}

func TestRefusals(t *testing.T) {
	le := binary.LittleEndian
	huge := func(o *Image) { o.MaxSize = 65535 }
	pngOf := func(w, h uint32) []byte {
		ihdr := append([]byte("IHDR"), 0, 0, 0, 0, 0, 0, 0, 0, 8, 6, 0, 0, 0)
		binary.BigEndian.PutUint32(ihdr[4:], w)
		binary.BigEndian.PutUint32(ihdr[8:], h)
		b := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0d"), ihdr...)
		b = binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(ihdr))
		return append(b, make([]byte, 68-len(b))...)
	}
	bmpOf := func(w, h int32) []byte {
		b := append([]byte("BM"), make([]byte, 60)...)
		b[10], b[14], b[26], b[28] = 54, 40, 1, 24
		le.PutUint32(b[18:], uint32(w))
		le.PutUint32(b[22:], uint32(h))
		return b
	}
	tiffOf := func(w, h int) []byte {
		data := encodeTIFF(t, stdimage.NewGray(stdimage.Rect(0, 0, 2, 2)), nil)
		dir := data[le.Uint32(data[4:]):]
		le.PutUint32(dir[2+8:], uint32(w)) // the first two entries
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
	scans := func(n int) []byte { return scansOf(8, n) }
	vp8x := func(flags byte) []byte {
		return append([]byte("RIFF\x80\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00"), flags, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff)
	}
	pointer := "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n"
	gif1 := encodeGIF(t, stdimage.NewPaletted(stdimage.Rect(0, 0, 1, 1), color.Palette{color.Black}))

	for _, tc := range []struct {
		name, file string
		data       []byte
		set        func(*Image)
		want       string
		later      bool // only Cook can tell
	}{
		{"empty", "a.png", nil, nil, "file is empty", false},
		{"pointer", "a.tga", []byte(pointer), nil, "git lfs pull", false},
		{"text", "a.png", []byte("<!DOCTYPE html>\n<html>"), nil, `starts with "<!DOCTYPE html>"`, true},
		{"text as TGA", "a.tga", []byte("<!DOCTYPE html>\n<html>"), nil, "tga: unknown", true},
		{"TGA by another name", "a.png", append([]byte{2: 3, 12: 1, 14: 1, 16: 8, 17: 0}, 5), nil, "not a PNG", true},

		{"PNG of 68 bytes", "a", pngOf(16384, 16384), nil, "68 bytes cannot hold 16384 x 16384", false},
		{"PNG over the limit", "a", pngOf(100000, 100000), nil, "image is 100000 x 100000 pixels; the limit is 16384 a side (max_size)", false},
		{"PNG with a bad size", "a", pngOf(1<<31, 1), nil, "2147483648 x 1 pixels", false},
		{"PNG of nothing", "a", pngOf(0, 7), nil, "0 x 7 pixels", false},
		{"BMP over the limit", "a", bmpOf(65535, -65535), nil, "the limit is 16384", false},
		{"BMP too short", "a", bmpOf(65535, -65535), huge, "cannot hold", false},
		{"BMP from right", "a", bmpOf(-2, 2), nil, "-2 x 2", false},
		{"TIFF over the limit", "a", tiffOf(65535, 65535), nil, "the limit is 16384", false},
		{"TIFF too short", "a", tiffOf(65535, 65535), huge, "cannot hold", false},
		{"GIF over the limit", "a", gifOf(65535, 65535), nil, "the limit is 16384", false},
		{"GIF too short", "a", gifOf(65535, 65535), huge, "cannot hold", false},
		{"GIF without trailer", "a", gif1[:len(gif1)-1], nil, "GIF file is truncated", true},
		{"TGA over the limit", "a.tga", append([]byte{2: 10, 12: 255, 255, 255, 255, 32, 0}, 1), nil, "the limit is 16384", false},
		{"TGA too short", "a.tga", append([]byte{2: 10, 12: 255, 255, 255, 255, 32, 0}, 1), huge, "cannot hold", false},
		{"JPEG too short", "a", progressiveJPEG(8, 8)[:20], nil, "truncated", false},
		{"JPEG bomb", "a", bytes.Replace(progressiveJPEG(8, 8), []byte("\x00\x08\x00\x08"), []byte("\x40\x00\x40\x00"), 1), nil, "cannot hold 16384 x 16384", false},
		{"JPEG of many scans", "a", scans(maxScans + 1), nil, "more than 1000 scans", false},
		// A small picture may have more scans than a large one.
		{"JPEG of many scans for its size", "a", bytes.Replace(scans(1000), []byte("\x00\x08\x00\x08"), []byte("\x20\x00\x20\x00"), 1), nil, "more than 64 scans", false},
		{"JPEG lossless", "a", bytes.Replace(progressiveJPEG(8, 8), []byte{0xff, 0xc2}, []byte{0xff, 0xc3}, 1), nil, "SOF3", false},
		{"WebP over the limit", "a", vp8x(0), nil, "16777216 x 16777216", false},
		{"WebP animated", "a", vp8x(2), nil, "animated", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			o := defaults()
			if tc.set != nil {
				tc.set(o)
			}
			var err error
			if got := allocated(func() { _, err = load(t, o, tc.file, tc.data) }); got > 1<<20 {
				t.Errorf("allocated %d bytes", got)
			}
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want %q", err, tc.want)
			}
			if _, early := estimate(o, tc.data); (early == nil) != tc.later || !tc.later && early.Error() != err.Error() {
				t.Errorf("Estimate says %v, Cook says %v", early, err)
			}
		})
	}
	for _, side := range []int{8, 512} {
		if _, err := load(t, defaults(), "a", scansOf(side, freeScans)); err != nil {
			t.Errorf("%d scans of %d x %d pixels: %v", freeScans, side, side, err)
		}
	}
}

// What the smallest files of a format can hold is cooked.
func TestDensestFilesAreCooked(t *testing.T) {
	flat := stdimage.NewPaletted(stdimage.Rect(0, 0, 1024, 1024), color.Palette{color.White, color.Black})
	solid := "RIFF\x18\x00\x00\x00WEBPVP8L\x0c\x00\x00\x00\x2f\xff\xc3\xff\x00" // 1024 x 1024
	for name, data := range map[string][]byte{
		"png":         encodePNG(t, stdimage.NewGray(flat.Rect)),
		"png mapped":  encodePNG(t, flat),
		"gif":         encodeGIF(t, flat),
		"tiff":        encodeTIFF(t, flat, &tiff.Options{Compression: tiff.Deflate}),
		"jpeg":        encodeJPEG(t, stdimage.NewGray(flat.Rect)),
		"progressive": progressiveJPEG(1024, 1024),
		// One code of no bits for each of green, red, blue, alpha, distance.
		"webp": append([]byte(solid), "\x88\x88\x08\x00\x00\x00\x00"...),
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := estimate(defaults(), data); err != nil {
				t.Errorf("%d bytes: Estimate: %v", len(data), err)
			}
			if _, err := load(t, defaults(), "a", data); err != nil {
				t.Errorf("%d bytes: %v", len(data), err)
			}
		})
	}
}

// Decoding allocates no more in all than it is said to hold at its peak.
func TestDecodersStayWithinTheEstimate(t *testing.T) {
	r := stdimage.Rect(0, 0, 700, 500)
	nrgba, wide, grey := stdimage.NewNRGBA(r), stdimage.NewNRGBA64(r), stdimage.NewGray(r)
	mapped := stdimage.NewPaletted(r, color.Palette{color.White, color.Black})
	noise(nrgba.Pix, false)
	noise(wide.Pix, false)
	noise(grey.Pix, false)
	tga := append([]byte{2: 2, 12: 700 & 255, 700 >> 8, 500 & 255, 500 >> 8, 32, 0}, nrgba.Pix...)
	for name, data := range map[string][]byte{
		"png": encodePNG(t, nrgba), "png 16": encodePNG(t, wide), "png mapped": encodePNG(t, mapped),
		"gif": encodeGIF(t, mapped), "bmp": encodeBMP(t, nrgba), "tga": tga,
		"jpeg": encodeJPEG(t, nrgba), "jpeg grey": encodeJPEG(t, grey), "progressive": progressiveJPEG(700, 500),
		"tiff": encodeTIFF(t, wide, nil), "tiff deflate": encodeTIFF(t, wide, &tiff.Options{Compression: tiff.Deflate}),
	} {
		t.Run(name, func(t *testing.T) {
			f, err := identify(data, ".tga")
			if err != nil {
				t.Fatal(err)
			}
			p, err := f.inspect(data, int64(len(data)), 16384)
			if err != nil {
				t.Fatal(err)
			}
			got := allocated(func() { _, err = decode(t.Context(), f, data, p) })
			if limit := p.decoder + 3*int64(len(data)) + 1<<20; err != nil || got > limit {
				t.Errorf("allocated %d bytes, estimated %d, error %v", got, limit, err)
			}
		})
	}
}

func TestEstimate(t *testing.T) {
	small, err := estimate(defaults(), encodePNG(t, stdimage.NewNRGBA(stdimage.Rect(0, 0, 16, 16))))
	if err != nil || small > 32<<20 {
		t.Errorf("16 x 16 PNG: %d bytes, error %v", small, err)
	}
	// 4:2:0 has 1.5 samples a pixel, each of 4 bytes in progressive files.
	side := int64(4096)
	large, err := estimate(defaults(), progressiveJPEG(4096, 4096))
	if least := side * side * 15 / 2; err != nil || large < least {
		t.Errorf("progressive JPEG: %d bytes, error %v; want at least %d", large, err, least)
	}
	if got, err := estimate(defaults(), []byte("no picture")); err != nil || got < 1 {
		t.Errorf("no picture: %d bytes, error %v; want Cook to say it", got, err)
	}
}

// A header behind the head of the file: Estimate asks for more.
func TestHeaderBeyondTheHead(t *testing.T) {
	jpeg := progressiveJPEG(64, 64)
	profile := append([]byte{0xff, 0xe2, 0xff, 0xff}, make([]byte, 65533)...)
	late := append(append(bytes.Clone(jpeg[:2]), bytes.Repeat(profile, 2)...), jpeg[2:]...)
	wide := stdimage.NewNRGBA(stdimage.Rect(0, 0, 200, 200))
	noise(wide.Pix, false)
	for name, data := range map[string][]byte{"jpeg": late, "tiff": encodeTIFF(t, wide, nil)} {
		if _, err := estimate(defaults(), data); !errors.Is(err, recipe.ErrShortHead) {
			t.Errorf("%s: error %v from the head alone", name, err)
		}
		if got, err := defaults().Estimate(data, int64(len(data))); err != nil || got < int64(len(data)) {
			t.Errorf("%s: %d bytes, error %v", name, got, err)
		}
		if _, err := load(t, defaults(), "a", data); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		o := defaults()
		o.MaxSize = 60
		if _, err := load(t, o, "a", data); err == nil || !strings.Contains(err.Error(), "the limit is 60") {
			t.Errorf("%s: error %v, want the limit", name, err)
		}
	}
}

// The frame of a GIF may be smaller than its screen.
func TestGIFFrameOnScreen(t *testing.T) {
	m := stdimage.NewPaletted(stdimage.Rect(1, 1, 2, 2), color.Palette{color.NRGBA{R: 9, G: 8, B: 7, A: 255}})
	data := encoded(t, func(b *bytes.Buffer) error {
		return gif.EncodeAll(b, &gif.GIF{Image: []*stdimage.Paletted{m}, Delay: []int{0}, Config: stdimage.Config{Width: 2, Height: 2}})
	})
	got, err := load(t, defaults(), "a", data)
	want := append(make([]byte, 12), 9, 8, 7, 255)
	if err != nil || !bytes.Equal(got.pix, want) {
		t.Errorf("pixels %v, error %v; want %v", got.pix, err, want)
	}
}

func TestDecodersAreNotTrusted(t *testing.T) {
	config := func(w, h int) func(io.Reader) (stdimage.Config, error) {
		return func(io.Reader) (stdimage.Config, error) { return stdimage.Config{Width: w, Height: h}, nil }
	}
	gives := func(w, h int) func(io.Reader) (stdimage.Image, error) {
		return func(io.Reader) (stdimage.Image, error) { return stdimage.NewGray(stdimage.Rect(0, 0, w, h)), nil }
	}
	for _, tc := range []struct {
		want string
		f    fileFormat
	}{
		{"header is contradictory", fileFormat{config: config(9, 2), decode: gives(2, 2)}},
		{"its header says 2 x 2", fileFormat{config: config(2, 2), decode: gives(2, 3)}},
		{"confuses the decoder", fileFormat{config: config(2, 2), decode: func(io.Reader) (stdimage.Image, error) { panic("index") }}},
		{"truncated", fileFormat{config: config(2, 2), decode: func(io.Reader) (stdimage.Image, error) {
			return nil, fmt.Errorf("x: %w", io.ErrUnexpectedEOF)
		}}},
		{"truncated", fileFormat{config: func(io.Reader) (stdimage.Config, error) { return stdimage.Config{}, io.EOF }}},
		{"decode ABC: odd", fileFormat{name: "ABC", config: config(2, 2), decode: func(io.Reader) (stdimage.Image, error) { return nil, errors.New("odd") }}},
	} {
		if _, err := decode(t.Context(), tc.f, nil, picture{w: 2, h: 2}); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("error %v, want %q", err, tc.want)
		}
	}
}
