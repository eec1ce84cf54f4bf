package exr

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/assetcook/assetcook/internal/image/pixmap"
)

// drawn returns the expected value of a channel in the images in testdata, which OpenEXR 3.1.5
// wrote. Colors are multiples of 1/16.
func drawn(c, x, y int) float32 {
	if c == 3 {
		return float32((x+y)%4+1) / 4
	}
	v := float32(3*x+5*y+7*c) / 16
	if (x*y+c)%5 == 0 {
		v += 16
	}
	return v
}

func read(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name + ".exr")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestLibraryFilesAreDecoded(t *testing.T) {
	const w, h = 21, 37
	for _, tc := range []struct {
		name  string
		w, h  int
		alpha bool
		gray  bool
		scale float32
		layer string
		more  int // expected number of ignored channels
	}{
		{"half-none", w, h, false, false, 1, "", 0},
		{"half-rle", w, h, false, false, 1, "", 0},
		{"half-zips", w, h, false, false, 1, "", 0},
		{"half-zip", w, h, false, false, 1, "", 0},
		{"half-piz", w, h, false, false, 1, "", 0},
		{"half-pxr24", w, h, false, false, 1, "", 0},
		{"float-pxr24", w, h, true, false, 1, "", 0},
		{"float-zip", w, h, true, false, 1, "", 0},
		{"uint-pxr24", 7, 5, false, false, 16, "", 0},
		{"uint-piz", 7, 5, false, false, 16, "", 0},
		{"gray-zip", 7, 5, false, true, 1, "", 0},
		{"depth-zip", 7, 5, false, true, 1, "", 0},
		{"layers-piz", 7, 5, true, false, 1, "light", 3},
		{"unnamed-zip", 7, 5, false, false, 1, "", 3},
		{"parts-zip", 7, 5, true, false, 1, "", 0},
		{"down-zip", w, h, false, false, 1, "", 0},
		{"wide-zip", 7, 5, false, false, 1, "", 0},
		{"tiles-zip", w, h, true, false, 1, "", 0},
		{"tiles-mip-piz", w, h, false, false, 1, "", 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			data := read(t, tc.name)
			header, err := ReadHeader(data)
			if err != nil || header.Layer != tc.layer || header.Ignored != tc.more {
				t.Fatalf("layer %q, %d channels ignored, error %v", header.Layer, header.Ignored, err)
			}
			if header.LeastBytes() > int64(len(data)) {
				t.Errorf("%d bytes, but LeastBytes is %d", len(data), header.LeastBytes())
			}
			m, repairs, err := Decode(t.Context(), data)
			if err != nil || m.W != tc.w || m.H != tc.h || repairs != (pixmap.Repairs{}) {
				t.Fatalf("%+v, %+v, %v", m, repairs, err)
			}
			for i := range m.W * m.H {
				x, y := i%m.W, i/m.W
				want := []float32{0, 0, 0, 1}
				if tc.alpha {
					want[3] = drawn(3, x, y)
				}
				for c := range 3 {
					from := c
					if tc.gray {
						from = 0
					}
					want[c] = float32(tc.scale*drawn(from, x, y)) / want[3]
				}
				if d := cmp.Diff(want, m.PixF[4*i:4*i+4]); d != "" {
					t.Fatalf("pixel %d, %d: %s", x, y, d)
				}
			}
		})
	}
}

// TestLossyLibraryFilesAreDecoded decodes B44, which is lossy, and compares hashes of the pixels
// with those from OpenEXR 3.1.5.
func TestLossyLibraryFilesAreDecoded(t *testing.T) {
	for name, want := range map[string]string{
		"half-b44":  "b596fe02d4d3528c",
		"half-b44a": "b596fe02d4d3528c",
	} {
		m, _, err := Decode(t.Context(), read(t, name))
		if err != nil {
			t.Fatal(err)
		}
		var b []byte
		for _, v := range m.PixF {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
		}
		if sum := sha256.Sum256(b); hex.EncodeToString(sum[:8]) != want {
			t.Errorf("%s: pixels have the sum %x", name, sum[:8])
		}
	}
}

// TestDisplayWindowIsThePicture checks that the display window is decoded, and that it is black
// outside the data window.
func TestDisplayWindowIsThePicture(t *testing.T) {
	m, _, err := Decode(t.Context(), read(t, "window-zip")) // the corners of the data window are at -2, 1 and 4, 9
	if err != nil || m.W != 7 || m.H != 5 {
		t.Fatalf("%+v, error %v", m, err)
	}
	for i := range 7 * 5 {
		x, y := i%7, i/7
		want := make([]float32, 4)
		if x <= 4 && y >= 1 {
			a := drawn(3, x, y)
			want = []float32{drawn(0, x, y) / a, drawn(1, x, y) / a, drawn(2, x, y) / a, a}
		}
		if d := cmp.Diff(want, m.PixF[4*i:4*i+4]); d != "" {
			t.Errorf("pixel %d, %d: %s", x, y, d)
		}
	}
}

func TestPrimaries(t *testing.T) {
	h, err := ReadHeader(read(t, "wide-zip"))
	if want := "[0.708 0.292 0.17 0.797 0.131 0.046 0.3127 0.329]"; err != nil || h.Primaries != want {
		t.Errorf("primaries %q, error %v", h.Primaries, err)
	}
	if h, err = ReadHeader(read(t, "half-zip")); err != nil || h.Primaries != "" {
		t.Errorf("primaries %q, error %v", h.Primaries, err)
	}
}

// attr builds an attribute.
func attr(name, kind string, value []byte) []byte {
	b := append([]byte(name+"\x00"+kind+"\x00"), 0, 0, 0, 0)
	binary.LittleEndian.PutUint32(b[len(b)-4:], uint32(len(value)))
	return append(b, value...)
}

func words(values ...int32) (b []byte) {
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, uint32(v))
	}
	return b
}

func channelOf(name string, kind kind, step int32) []byte {
	return append([]byte(name+"\x00"), words(int32(kind), 0, step, step)...)
}

// file builds an image of w by h pixels in strips. Each letter of names is a channel.
func file(names string, k kind, compression byte, w, h int32, chunks ...[]byte) []byte {
	var channels []byte
	for _, name := range names {
		channels = append(channels, channelOf(string(name), k, 1)...)
	}
	return fileOf(0, bytes.Join([][]byte{
		attr("channels", "chlist", append(channels, 0)), attr("compression", "compression", []byte{compression}),
		attr("dataWindow", "box2i", words(0, 0, w-1, h-1)), attr("displayWindow", "box2i", words(0, 0, w-1, h-1)),
	}, nil), chunks...)
}

func fileOf(flags int32, attributes []byte, chunks ...[]byte) []byte {
	b := append(append(magic[:4:4], words(2|flags)...), append(attributes, 0)...)
	at := len(b) + 8*len(chunks)
	for _, c := range chunks {
		b = binary.LittleEndian.AppendUint64(b, uint64(at))
		at += len(c)
	}
	return append(b, bytes.Join(chunks, nil)...)
}

// strip builds a strip.
func strip(y int32, pixels ...byte) []byte { return append(words(y, int32(len(pixels))), pixels...) }

// TestInvalidLightIsReplaced checks that invalid light values are replaced and counted.
func TestInvalidLightIsReplaced(t *testing.T) {
	var pixels []byte
	for _, v := range []float64{math.Inf(1), math.Inf(-1), math.NaN(), -3, 2} {
		pixels = binary.LittleEndian.AppendUint32(pixels, math.Float32bits(float32(v)))
	}
	m, repairs, err := Decode(t.Context(), file("Y", float, plain, 5, 1, strip(0, pixels...)))
	if err != nil {
		t.Fatal(err)
	}
	var got []float32
	for i := 0; i < len(m.PixF); i += 4 {
		got = append(got, m.PixF[i])
	}
	if d := cmp.Diff([]float32{65504, 0, 0, 0, 2}, got); d != "" || repairs != (pixmap.Repairs{Negative: 2, Infinite: 1, NaN: 1}) {
		t.Errorf("%+v: %s", repairs, d)
	}
}

func TestBadEXRIsRefused(t *testing.T) {
	gray := func(more ...[]byte) []byte {
		whole := file("Y", half, plain, 1, 1)
		return fileOf(0, append(bytes.Join(more, nil), whole[8:len(whole)-1]...), strip(0, 1, 2))
	}
	parts := func(more ...[]byte) []byte {
		whole := file("Y", half, plain, 1, 1)
		return fileOf(flagMultipart, append(bytes.Join(more, nil), append(whole[8:], 0)...))
	}
	window := func(name string, v ...int32) []byte {
		b := gray()
		at := bytes.Index(b, []byte(name+"\x00box2i"))
		copy(b[at+len(name)+1+6+4:], words(v...))
		return b
	}
	flags := func(f byte) []byte { b := gray(); b[5] = f; return b }
	wide := file("Y", half, plain, 257, 257)
	piz1 := func(body ...byte) []byte { return file("Y", half, piz, 64, 1, strip(0, body...)) }
	for _, tc := range []struct {
		want string
		file []byte
	}{
		{"magic number", []byte("v/2\x01\x02\x00\x00\x00")},
		{"version 3", []byte("v/1\x01\x03\x00\x00\x00")},
		{"flags 0x2000", flags(0x20)},
		{"deep pixels are not supported", flags(8)},
		{"tiles have 0 x 0", flags(2)},
		{"66049 tiles, but the limit is", fileOf(flagTiled, append(attr("tiles", "tiledesc", append(words(1, 1), 0)), wide[8:len(wide)-1]...))},
		{"no part is a flat image; flatten the image and save it again", parts(attr("type", "string", []byte("deepscanline")), attr("chunkCount", "int", words(1)))},
		{"has no chunkCount", parts(attr("type", "string", []byte("deepscanline")))},
		{"0 parts", fileOf(flagMultipart, nil)},
		{"is missing", fileOf(0, nil)},
		{"is missing", fileOf(0, attr("dataWindow", "box2i", words(0, 0, 0, 0)))},
		{"dataWindow: the attribute has 4 bytes, want 16; save the image again", fileOf(0, attr("dataWindow", "box2i", words(0)))},
		{"name is longer", fileOf(0, attr(strings.Repeat("n", 300), "int", words(0)))},
		{"claims -1 bytes", fileOf(0, append([]byte("x\x00int\x00"), 255, 255, 255, 255))},
		{"channels is cut off", fileOf(0, attr("channels", "chlist", channelOf("R", half, 1)))},
		{"type 3", fileOf(0, attr("channels", "chlist", channelOf("R", 3, 1)))},
		{`"BY" is subsampled by 2 x 2`, fileOf(0, attr("channels", "chlist", channelOf("BY", half, 2)))},
		{"the file has G, Z", file("GZ", half, plain, 1, 1)},
		{"compression 10", file("Y", half, 10, 1, 1)},
		{"data window has 0 x 1", window("dataWindow", 1, 0, 0, 0)},
		{"display window has 4294967296 x 1", window("displayWindow", math.MinInt32, 0, math.MaxInt32, 0)},
		{"image is empty", window("dataWindow", 1, 0, 1, 0)},
		{"crop the image", window("displayWindow", 0, 0, 200, 0)},
		{"the unpacked pixels have 3 bytes, want 2; save the image again", file("Y", half, plain, 1, 1, strip(0, 1, 2, 3))},
		{"a strip or tile has number 1, want 0; save the image again", file("Y", half, plain, 1, 1, strip(1, 1, 2))},
		{"the compressed data has too many pixels; save the image again", file("Y", half, rle, 4, 1, strip(0, 9, 1))},
		{"the compressed data has too many pixels; save the image again", file("Y", half, rle, 4, 1, strip(0, 7, 1, 0, 1))},
		{"the PIZ table of pixel values is invalid; save the image again", piz1(0, 0x20, 0, 0)},
		{"the PIZ table of Huffman codes is invalid; save the image again", piz1(append([]byte{1, 0, 0, 0, 20, 0, 0, 0}, words(1<<17, 1<<17, 0, 0, 0)...)...)},
		{"codes is too long", piz1(append([]byte{1, 0, 0, 0, 22, 0, 0, 0}, append(words(0, 1, 0, 0, 0), 0xff, 0xff)...)...)},
		{"conflicting Huffman codes", piz1(append([]byte{1, 0, 0, 0, 24, 0, 0, 0}, append(words(0, 3, 0, 0, 0), 0x04, 0x10, 0x41, 0)...)...)},
		{"longer than the image data", piz1(append([]byte{1, 0, 0, 0, 24, 0, 0, 0}, append(words(0, 1, 0, 9, 0), 0x04, 0x10, 0xff, 0xff)...)...)},
	} {
		if _, _, err := Decode(t.Context(), tc.file); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("error %v, want %q", err, tc.want)
		}
	}
}

// TestOverlappingChunksAreRefused checks that overlapping strips are refused. Decoding them could
// take time quadratic in the file's size.
func TestOverlappingChunksAreRefused(t *testing.T) {
	runs := bytes.Repeat([]byte{127, 0}, 8)
	data := file("Y", half, rle, 512, 2, strip(0, runs...), strip(1, runs...))
	h, err := ReadHeader(data)
	if err != nil {
		t.Fatal(err)
	}
	d := decoder{unpacker: newUnpacker(&h), data: data, h: h, m: pixmap.New(512, 2, pixmap.Float), budget: int64(len(runs)) + 1}
	if err := d.placeChunk(0, 0, 0); err != nil {
		t.Fatal(err)
	}
	if err := d.placeChunk(1, 0, 1); err == nil || !strings.Contains(err.Error(), "share their bytes") {
		t.Errorf("error %v", err)
	}
}

func TestTornEXRIsAnError(t *testing.T) {
	files, err := filepath.Glob("testdata/*.exr")
	if err != nil || len(files) != 28 {
		t.Fatalf("%d files, error %v", len(files), err)
	}
	for _, name := range files {
		data := read(t, strings.TrimSuffix(filepath.Base(name), ".exr"))
		whole, _, err := Decode(t.Context(), data)
		if err != nil {
			t.Fatal(err)
		}
		for n := 0; n < len(data); n += 1 + n/64 {
			m, _, err := Decode(t.Context(), data[:n])
			if err == nil && !cmp.Equal(m, whole) || err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Fatalf("%s: first %d of %d bytes: error %v", name, n, len(data), err)
			}
			if _, err := ReadHeader(data[:n]); err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Fatalf("%s: first %d of %d bytes: header error %v", name, n, len(data), err)
			}
		}
	}
}

func TestWaveletsSurviveTheirInverse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, l := rapid.IntRange(1, 40).Draw(t, "w"), rapid.IntRange(1, 40).Draw(t, "l")
		greatest := rapid.SampledFrom([]int{1, 300, 1<<14 - 1, 1 << 14, 65535}).Draw(t, "greatest")
		pix, state := make([]uint16, w*l), rapid.Uint32().Draw(t, "seed")
		for i := range pix {
			state = state*1664525 + 1013904223
			pix[i] = uint16(int(state>>8) % (greatest + 1))
		}
		waves := slices.Clone(pix)
		wave(waves, w, l, greatest)
		plane{waves, 1, w}.unwave(w, l, greatest)
		if !slices.Equal(waves, pix) {
			t.Fatal("numbers differ")
		}
	})
}

// wave is the inverse of unwave. It transforms the finest scale first.
func wave(pix []uint16, w, l, greatest int) {
	split := func(a, b *uint16) {
		if greatest < 1<<14 {
			*a, *b = uint16((int(int16(*a))+int(int16(*b)))>>1), *a-*b
			return
		}
		shifted := *a + 1<<15
		mean, difference := (int(shifted)+int(*b))>>1, int(shifted)-int(*b)
		if difference < 0 {
			mean = (mean + 1<<15) & 65535
		}
		*a, *b = uint16(mean), uint16(difference)
	}
	for scale := 1; 2*scale <= min(w, l); scale *= 2 {
		for y := 0; y+scale < l || y < l; y += 2 * scale {
			for x := 0; x < w; x += 2 * scale {
				across, down := x+scale < w && x+2*scale <= w, y+scale < l && y+2*scale <= l
				at := func(i, j int) *uint16 { return &pix[(y+j*scale)*w+x+i*scale] }
				switch {
				case across && down:
					split(at(0, 0), at(1, 0))
					split(at(0, 1), at(1, 1))
					split(at(0, 0), at(0, 1))
					split(at(1, 0), at(1, 1))
				case down && w&scale != 0:
					split(at(0, 0), at(0, 1))
				case across && l&scale != 0:
					split(at(0, 0), at(1, 0))
				}
			}
		}
	}
}

// TestEXRMemoryIsClose checks that decoding allocates Header.Memory, and nothing if the file is too
// short for the image.
func TestEXRMemoryIsClose(t *testing.T) {
	measure := func(data []byte) (int64, error) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _, err := Decode(t.Context(), data)
		runtime.ReadMemStats(&after)
		return int64(after.TotalAlloc - before.TotalAlloc), err
	}
	chunks := make([][]byte, 600)
	for y := range chunks {
		chunks[y] = strip(int32(y), bytes.Repeat([]byte{127, 0}, 4*4*600/128)...)
	}
	data := file("ABGR", float, rle, 600, 600, chunks...)
	h, err := ReadHeader(data)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := measure(data); err != nil || got > h.Memory() || got < h.Memory()/2 {
		t.Errorf("allocated %d bytes, Header.Memory %d, error %v", got, h.Memory(), err)
	}
	if got, err := measure(file("ABGR", float, zip, 9000, 9000)); !errors.Is(err, io.ErrUnexpectedEOF) || got > 1<<20 {
		t.Errorf("allocated %d bytes, error %v", got, err)
	}
}

func TestEXRDecodingStopsWithContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := Decode(ctx, read(t, "half-zip")); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func FuzzEXR(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.exr")
	for _, name := range files {
		f.Add(read(f, strings.TrimSuffix(filepath.Base(name), ".exr")))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		h, err := ReadHeader(data)
		if err != nil || h.Width > 256 || h.Height > 256 || h.Memory() > 64<<20 {
			return
		}
		m, _, err := Decode(t.Context(), data)
		if err != nil {
			return
		}
		if m.W != h.Width || m.H != h.Height || h.LeastBytes() > int64(len(data)) {
			t.Errorf("image of %d x %d in %d bytes, header %+v", m.W, m.H, len(data), h)
		}
		for _, v := range m.PixF {
			if !(v >= 0 && v <= math.MaxFloat32) {
				t.Fatalf("light of %g", v)
			}
		}
	})
}

func ExampleDecode() {
	data, err := os.ReadFile("testdata/gray-zip.exr")
	if err != nil {
		fmt.Println(err)
		return
	}
	m, _, err := Decode(context.Background(), data)
	fmt.Println(m.W, m.H, m.PixF[4:8], err)
	// Output: 7 5 [16.1875 16.1875 16.1875 1] <nil>
}
