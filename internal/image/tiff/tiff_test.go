package tiff

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assetcook/assetcook/internal/countdown"
	"github.com/assetcook/assetcook/internal/image/pixmap"
)

// The images in testdata were written by libtiff 4.5 (through Pillow 9.4 and tiffcp) or, if their
// names contain gray4 or rgb16, by pamtotiff 11.01. The functions compute their expected pixels.
func drawRGBA(x, y int) [4]int { return [4]int{x * 28, y * 40, 255 - x*20 - y*5, 255 - x*y*4} }

func drawOpaque(x, y int) [4]int {
	p := drawRGBA(x, y)
	p[3] = 255
	return p
}

func drawGray(v int) [4]int { return [4]int{v, v, v, 255} }

var drawn = map[string]func(x, y int) [4]int{
	"rgb":   drawOpaque,
	"rgba":  drawRGBA,
	"gray":  func(x, y int) [4]int { return drawGray(x*28 + y*5) },
	"gray4": func(x, y int) [4]int { return drawGray((x + 2*y) % 16 * 17) },
	"bit":   func(x, y int) [4]int { return drawGray(map[bool]int{true: 255}[x*y%3 == 0]) },
	"map8":  func(x, y int) [4]int { i := y*9 + x; return [4]int{i * 4, 255 - i*3, i, 255} },
	"tiles": func(x, y int) [4]int { return drawOpaque(x%9, y%7) },
	"grayalpha": func(x, y int) [4]int {
		g := x*28 + y*5
		return [4]int{g, g, g, drawRGBA(x, y)[3]}
	},
	"rgb16": func(x, y int) [4]int {
		p := drawRGBA(x, y)
		for i := range p {
			p[i] = p[i]*256 + x*y + y
		}
		p[3] = 65535
		return p
	},
}

func TestLibtiffFilesAreDecoded(t *testing.T) {
	files, err := filepath.Glob("testdata/*.tif")
	if err != nil || len(files) != 26 {
		t.Fatalf("%d files, error %v", len(files), err)
	}
	for _, file := range files {
		if strings.Contains(file, "float-") || strings.Contains(file, "wide-") {
			continue
		}
		name := strings.TrimSuffix(filepath.Base(file), ".tif")
		t.Run(name, func(t *testing.T) {
			kind, _, _ := strings.Cut(name, "-")
			w, h := 9, 7
			if strings.Contains(name, "tiles") {
				kind, w, h = "tiles", 20, 17
			}
			var want []int
			for i := range w * h {
				p := drawn[kind](i%w, i/w)
				want = append(want, p[:]...)
			}
			data := read(t, file)
			got, m := numbers(t, data)
			if m.W != w || m.H != h {
				t.Fatalf("%d x %d pixels", m.W, m.H)
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func read(t testing.TB, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// numbers decodes an image and returns its values as ints.
func numbers(t *testing.T, data []byte) ([]int, *pixmap.Map) {
	t.Helper()
	m, _, err := Decode(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	var list []int
	for _, v := range m.Pix8 {
		list = append(list, int(v))
	}
	for _, v := range m.Pix16 {
		list = append(list, int(v))
	}
	return list, m
}

// A tag holds the number of a tag and its values, as 16-bit numbers.
type tag struct {
	number int
	values []int
}

// file builds a TIFF of one strip.
func file(pixels []byte, tags ...tag) []byte {
	le := binary.LittleEndian
	const body = 8
	b := append(make([]byte, body), pixels...)
	tags = append([]tag{{tagStripOffsets, []int{body}}}, tags...)
	if len(pixels) < 1<<16 {
		tags = append(tags, tag{tagStripSizes, []int{len(pixels)}})
	}
	dir := le.AppendUint16(nil, uint16(len(tags)))
	for _, g := range tags {
		dir = le.AppendUint16(dir, uint16(g.number))
		dir = le.AppendUint16(dir, 3)
		dir = le.AppendUint32(dir, uint32(len(g.values)))
		var v []byte
		for _, n := range g.values {
			v = le.AppendUint16(v, uint16(n))
		}
		if len(v) > 4 {
			at := len(b)
			b = append(b, v...)
			v = le.AppendUint32(nil, uint32(at))
		}
		dir = append(dir, append(v, make([]byte, 4-len(v))...)...)
	}
	copy(b, "II*\x00")
	le.PutUint32(b[4:], uint32(len(b)))
	return append(append(b, dir...), 0, 0, 0, 0)
}

func picture(w, h, bits, photometric, samples int, more ...tag) []tag {
	return append([]tag{{tagWidth, []int{w}}, {tagLength, []int{h}}, {tagBits, []int{bits}},
		{tagPhotometric, []int{photometric}}, {tagSamples, []int{samples}}}, more...)
}

// pack compresses data by Deflate.
func pack(data []byte) []byte {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	w.Write(data)
	w.Close()
	return b.Bytes()
}

func TestKinds(t *testing.T) {
	signed := tag{tagSampleFormat, []int{2}}
	for _, tc := range []struct {
		name string
		file []byte
		want []int
	}{
		{"white is zero", file([]byte{0, 200}, picture(2, 1, 8, whiteIsZero, 1)...), []int{255, 255, 255, 255, 55, 55, 55, 255}},
		{"two bits", file([]byte{0x1b}, picture(4, 1, 2, blackIsZero, 1)...),
			[]int{0, 0, 0, 255, 85, 85, 85, 255, 170, 170, 170, 255, 255, 255, 255, 255}},
		{"associated alpha", file([]byte{50, 100, 0, 100, 9, 8, 7, 0}, picture(2, 1, 8, rgb, 4, tag{tagExtraSamples, []int{1}})...),
			[]int{128, 255, 0, 100, 9, 8, 7, 0}},
		{"alpha of no kind", file([]byte{50, 100, 0, 100}, picture(1, 1, 8, rgb, 4)...), []int{50, 100, 0, 100}},
		{"more samples than colors and alpha", file([]byte{1, 2, 3, 4, 5, 6}, picture(1, 1, 8, rgb, 6)...), []int{1, 2, 3, 4}},
		{"palette of 8 bits", file([]byte{0x80}, picture(2, 1, 1, mapped, 1, tag{tagPalette, []int{1, 2, 3, 4, 5, 6}})...),
			[]int{2, 4, 6, 255, 1, 3, 5, 255}},
		{"palette times 256", file([]byte{0x80}, picture(1, 1, 1, mapped, 1, tag{tagPalette, []int{0, 255 << 8, 0, 1 << 8, 0, 0x1234}})...),
			[]int{255, 1, 0x12, 255}},
		{"signed 8 bits", file([]byte{0x80, 0xff, 0, 0x7f}, picture(4, 1, 8, blackIsZero, 1, signed)...),
			[]int{0, 0, 0, 255, 127, 127, 127, 255, 128, 128, 128, 255, 255, 255, 255, 255}},
		{"signed 16 bits", file([]byte{0, 0x80, 0, 0, 0xff, 0x7f}, picture(3, 1, 16, blackIsZero, 1, signed)...),
			[]int{0, 0, 0, 65535, 32768, 32768, 32768, 65535, 65535, 65535, 65535, 65535}},
		{"signed differences", file(pack([]byte{0x80, 0x7f, 0x81}), picture(3, 1, 8, blackIsZero, 1, signed, tag{tagCompression, []int{deflate}}, tag{tagPredictor, []int{2}})...),
			[]int{0, 0, 0, 255, 127, 127, 127, 255, 0, 0, 0, 255}},
		{"samples of no format", file([]byte{9}, picture(1, 1, 8, blackIsZero, 1, tag{tagSampleFormat, []int{4}})...), []int{9, 9, 9, 255}},
		{"associated alpha of 16 bits", file([]byte{0, 1, 0, 2, 0, 3, 0, 2}, picture(1, 1, 16, rgb, 4, tag{tagExtraSamples, []int{1}})...),
			[]int{32768, 65535, 65535, 512}},
		{"size of the strip not told", bytes.Replace(file([]byte{7}, picture(1, 1, 8, blackIsZero, 1)...),
			[]byte{tagStripSizes & 255, 1, 3, 0}, []byte{1, 0, 3, 0}, 1), []int{7, 7, 7, 255}},
		{"runs", file([]byte{0x80, 1, 5, 6, 0xfe, 7}, picture(5, 1, 8, blackIsZero, 1, tag{tagCompression, []int{packBits}})...),
			[]int{5, 5, 5, 255, 6, 6, 6, 255, 7, 7, 7, 255, 7, 7, 7, 255, 7, 7, 7, 255}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, _ := numbers(t, tc.file)
			if d := cmp.Diff(tc.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestBadTIFFIsRefused(t *testing.T) {
	gray := func(more ...tag) []byte { return file([]byte{1}, picture(1, 1, 8, blackIsZero, 1, more...)...) }
	for _, tc := range []struct {
		want string
		file []byte
	}{
		{"is not a TIFF image", []byte("IIII\x00\x00\x00\x00")},
		{"BigTIFF is not supported", []byte("II+\x00\x08\x00\x00\x00")},
		{"BigTIFF is not supported", []byte("MM\x00+\x00\x08\x00\x00")},
		{"CMYK is not supported; save the image as RGB", file(nil, picture(1, 1, 8, cmyk, 4)...)},
		{"separate planes are not supported", file(nil, picture(1, 1, 8, rgb, 3, tag{tagPlanar, []int{2}})...)},
		{"fax compression", file(nil, picture(1, 1, 1, blackIsZero, 1, tag{tagCompression, []int{group4}})...)},
		{"1 bits in format 2", file(nil, picture(1, 1, 1, blackIsZero, 1, tag{tagSampleFormat, []int{2}})...)},
		{"8 bits in format 5", file(nil, picture(1, 1, 8, blackIsZero, 1, tag{tagSampleFormat, []int{5}})...)},
		{"palette with signed", file(nil, picture(1, 1, 8, mapped, 1, tag{tagSampleFormat, []int{2}})...)},
		{"different formats", file(nil, picture(1, 1, 8, rgb, 3, tag{tagSampleFormat, []int{1, 2, 1}})...)},
		{"claims 0 x 1", file(nil, picture(0, 1, 8, blackIsZero, 1)...)},
		{"9 samples per pixel", file(nil, picture(1, 1, 8, rgb, 9)...)},
		{"but its colors need 3", file(nil, picture(1, 1, 8, rgb, 1)...)},
		{"samples of 12 bits", file(nil, picture(1, 1, 12, blackIsZero, 1)...)},
		{"different sizes", file(nil, append(picture(1, 1, 8, rgb, 3)[:2], tag{tagBits, []int{8, 8, 16}}, tag{tagSamples, []int{3}}, tag{tagPhotometric, []int{rgb}})...)},
		{"floats of 8 bits", gray(tag{tagSampleFormat, []int{3}})},
		{"floats of 24 bits", file(nil, picture(1, 1, 24, blackIsZero, 1, tag{tagSampleFormat, []int{3}})...)},
		{"samples of 64 bits", file(nil, picture(1, 1, 64, blackIsZero, 1)...)},
		{"floats with the photometric interpretation 0", file(nil, picture(1, 1, 32, whiteIsZero, 1, tag{tagSampleFormat, []int{3}})...)},
		{"predictor 3", file(nil, picture(1, 1, 16, blackIsZero, 1, tag{tagPredictor, []int{3}})...)},
		{"the photometric interpretation 6", file(nil, picture(1, 1, 8, 6, 3)...)},
		{"the photometric interpretation -1", file(nil, tag{tagWidth, []int{1}}, tag{tagLength, []int{1}})},
		{"palette of 16 bits", file(nil, picture(1, 1, 16, mapped, 1)...)},
		{"palette has 5 numbers, want 6", file(nil, picture(1, 1, 1, mapped, 1, tag{tagPalette, []int{1, 2, 3, 4, 5}})...)},
		{"compression 7", gray(tag{tagCompression, []int{7}})},
		{"predictor 3", gray(tag{tagPredictor, []int{3}})},
		{"tiles of 8 x 16", gray(tag{tagTileWidth, []int{8}}, tag{tagTileLength, []int{16}})},
		{"tiles of 16 x 2000", gray(tag{tagTileWidth, []int{16}}, tag{tagTileLength, []int{2000}})},
		{"tiles, but the limit is", file(nil, picture(6000, 6000, 1, blackIsZero, 1, tag{tagTileWidth, []int{16}}, tag{tagTileLength, []int{16}}, tag{tagCompression, []int{deflate}})...)},
		{"has no offset for this strip", gray(tag{tagTileWidth, []int{16}}, tag{tagTileLength, []int{16}}, tag{tagCompression, []int{deflate}})},
		{"row 0: unexpected EOF", file([]byte{1, 2}, picture(3, 1, 8, blackIsZero, 1, tag{tagCompression, []int{packBits}})...)},
	} {
		if _, _, err := Decode(t.Context(), tc.file); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("error %v, want %q", err, tc.want)
		}
	}
}

// TestTornTIFFIsAnError checks that a truncated file is an error, unless no pixel needs the missing
// bytes.
func TestTornTIFFIsAnError(t *testing.T) {
	for _, name := range []string{"gray-packbits", "rgb-tiles", "rgba-lzw", "grayalpha-deflate", "map8"} {
		data := read(t, "testdata/"+name+".tif")
		_, whole := numbers(t, data)
		for n := range data {
			m, _, err := Decode(t.Context(), data[:n])
			if err == nil && !cmp.Equal(m, whole) {
				t.Fatalf("%s: first %d of %d bytes: no error", name, n, len(data))
			}
			if _, headErr := ReadHeader(data[:n]); headErr != nil && !errors.Is(headErr, io.ErrUnexpectedEOF) {
				t.Fatalf("%s: first %d of %d bytes: header error %v", name, n, len(data), headErr)
			}
		}
	}
}

func TestOrientationAndProfile(t *testing.T) {
	h, err := ReadHeader(file([]byte{1}, picture(1, 1, 8, blackIsZero, 1, tag{tagOrientation, []int{6}})...))
	if err != nil || h.Orientation != 6 || h.ICC != nil {
		t.Errorf("orientation %d, profile %q, error %v", h.Orientation, h.ICC, err)
	}
	// The profile in the file is stored as a list of bytes.
	data := file([]byte{1}, picture(1, 1, 8, blackIsZero, 1, tag{tagICC, []int{'a' | 'b'<<8, 'c' | 'd'<<8}})...)
	at := bytes.LastIndex(data, []byte{tagICC & 255, tagICC >> 8})
	copy(data[at+2:], []byte{7, 0, 4, 0, 0, 0})
	if h, err = ReadHeader(data); err != nil || string(h.ICC) != "abcd" || h.Orientation != 0 {
		t.Errorf("orientation %d, profile %q, error %v", h.Orientation, h.ICC, err)
	}
}

// TestTIFFMemoryIsClose checks that decoding allocates nearly as much as Header.Memory predicts.
func TestTIFFMemoryIsClose(t *testing.T) {
	const side = 600
	noise := make([]byte, side*side*8)
	for i := range noise {
		noise[i] = byte(i * i >> 5)
	}
	for name, data := range map[string][]byte{
		"plain":    file(noise, picture(side, side, 16, rgb, 4)...),
		"gray":     file(noise, picture(side, side, 8, blackIsZero, 1)...),
		"packbits": file(bytes.Repeat([]byte{0x81, 7}, side*side/128+1), picture(side, side, 8, blackIsZero, 1, tag{tagCompression, []int{packBits}})...),
	} {
		h, err := ReadHeader(data)
		if err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _, err = Decode(t.Context(), data)
		runtime.ReadMemStats(&after)
		if got := int64(after.TotalAlloc - before.TotalAlloc); err != nil || got > h.Memory() || got < h.Memory()/2 {
			t.Errorf("%s: allocated %d bytes, Header.Memory %d, error %v", name, got, h.Memory(), err)
		}
	}
}

func TestShortTIFFAllocatesNothing(t *testing.T) {
	data := file([]byte{1}, picture(9000, 9000, 8, blackIsZero, 1)...)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, _, err := Decode(t.Context(), data)
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; !errors.Is(err, io.ErrUnexpectedEOF) || got > 1<<20 {
		t.Errorf("allocated %d bytes, error %v", got, err)
	}
}

// TestOverlappingStripsAreRefused decodes a file whose strips all refer to the same long run of
// PackBits data, which expands to nothing. Reading it for each strip would take time quadratic in
// the file's size.
func TestOverlappingStripsAreRefused(t *testing.T) {
	const strips = 64
	long := append(bytes.Repeat([]byte{0x80}, 60_000), 0, 77) // PackBits data that expands to one byte
	at, sizes := make([]int, strips), make([]int, strips)
	for i := range at {
		at[i], sizes[i] = 8, len(long)
	}
	tags := picture(1, strips, 8, blackIsZero, 1, tag{tagCompression, []int{packBits}}, tag{tagRowsPerStrip, []int{1}})
	data := file(long, tags...)
	if _, _, err := Decode(t.Context(), replaced(t, data, at, sizes)); err == nil || !strings.Contains(err.Error(), "share their bytes") {
		t.Errorf("error %v", err)
	}
}

// replaced returns a file of one strip, changed so that its pixels are read from the given strips
// in turn.
func replaced(t *testing.T, data []byte, at, sizes []int) []byte {
	t.Helper()
	le := binary.LittleEndian
	dir := int(le.Uint32(data[4:]))
	for i := range int(le.Uint16(data[dir:])) {
		entry := data[dir+2+12*i:]
		for number, list := range map[uint16][]int{tagStripOffsets: at, tagStripSizes: sizes} {
			if le.Uint16(entry) != number {
				continue
			}
			le.PutUint32(entry[4:], uint32(len(list)))
			le.PutUint32(entry[8:], uint32(len(data)))
			for _, n := range list {
				data = le.AppendUint16(data, uint16(n))
			}
			entry = nil
			break
		}
	}
	return data
}

// Decode must check the context for every row of a high image, and again when it converts samples
// to colors.
func TestTIFFDecodingStopsWithContext(t *testing.T) {
	const rows = 600
	data := file(bytes.Repeat([]byte{0x81, 7}, rows*256/128), picture(256, rows, 8, blackIsZero, 1, tag{tagCompression, []int{packBits}})...)
	ctx := countdown.New(t.Context(), 1<<20)
	if _, _, err := Decode(ctx, data); err != nil {
		t.Fatal(err)
	}
	if n := 1<<20 - ctx.Left; n < 2*rows {
		t.Errorf("the context is checked %d times", n)
	}
	for _, left := range []int{0, 1, rows / 2, rows + rows/2} {
		if _, _, err := Decode(countdown.New(t.Context(), left), data); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled after %d checks: error %v", left, err)
		}
	}
}

func FuzzTIFF(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.tif")
	for _, file := range files {
		f.Add(read(f, file))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		h, err := ReadHeader(data)
		if err != nil || h.Width > 256 || h.Height > 256 {
			return
		}
		m, _, err := Decode(t.Context(), data)
		if err != nil {
			return
		}
		if m.W != h.Width || m.H != h.Height || m.Depth() != h.Depth() {
			t.Errorf("image of %d x %d, header %+v", m.W, m.H, h)
		}
		if h.LeastBytes() > int64(len(data)) {
			t.Errorf("%d bytes decode, but LeastBytes is %d", len(data), h.LeastBytes())
		}
	})
}

func ExampleDecode() {
	data, err := os.ReadFile("testdata/map8.tif")
	if err != nil {
		fmt.Println(err)
		return
	}
	m, _, err := Decode(context.Background(), data)
	fmt.Println(m.W, m.H, m.Pix8[:4], err)
	// Output: 9 7 [0 255 0 255] <nil>
}
