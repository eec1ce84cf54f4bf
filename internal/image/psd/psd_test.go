package psd

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assetcook/assetcook/internal/image/pixmap"
)

func read(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// The images in testdata were written by ImageMagick 6.9.11. They have 3 x 2 pixels.
func TestImageMagickFilesAreDecoded(t *testing.T) {
	colors := []int{255, 0, 10, 1, 2, 3, 200, 100, 50, 9, 9, 9, 9, 9, 9, 7, 8, 6}
	for name, scale := range map[string]int{"rgb.psd": 1, "rle8.psd": 1, "rle.psb": 1, "rgb-zip.psd": 1, "rgb16.psd": 257, "rle16.psd": 257} {
		m, _, err := Decode(t.Context(), read(t, name))
		if err != nil || m.W != 3 || m.H != 2 {
			t.Errorf("%s: %+v, error %v", name, m, err)
			continue
		}
		var want []int
		for i, v := range colors {
			if want = append(want, scale*v); i%3 == 2 {
				want = append(want, scale*255)
			}
		}
		if d := cmp.Diff(want, numbers(m)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	m, _, err := Decode(t.Context(), read(t, "grayrle.psd"))
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range []int{55, 2, 118, 9, 9, 8} {
		if d := cmp.Diff([]int{v, v, v, 255}, numbers(m)[4*i:4*i+4]); d != "" {
			t.Errorf("gray pixel %d: %s", i, d)
		}
	}
}

func numbers(m *pixmap.Map) (list []int) {
	for _, v := range m.Pix8 {
		list = append(list, int(v))
	}
	for _, v := range m.Pix16 {
		list = append(list, int(v))
	}
	return list
}

// A document describes a PSD file that tests build.
type document struct {
	w, h, channels, bits, mode int
	palette                    []byte
	resources                  []byte
	layers                     []byte
	packing                    byte
}

func (d document) file(pixels ...byte) []byte {
	be := binary.BigEndian
	b := append([]byte("8BPS\x00\x01"), make([]byte, 6)...)
	b = be.AppendUint16(b, uint16(d.channels))
	b = be.AppendUint32(be.AppendUint32(b, uint32(d.h)), uint32(d.w))
	b = be.AppendUint16(be.AppendUint16(b, uint16(d.bits)), uint16(d.mode))
	for _, section := range [][]byte{d.palette, d.resources, d.layers} {
		b = append(be.AppendUint32(b, uint32(len(section))), section...)
	}
	return append(append(b, 0, d.packing), pixels...)
}

// resource returns an image resource without a name.
func resource(id int, value ...byte) []byte {
	b := append([]byte("8BIM"), byte(id>>8), byte(id), 0, 0)
	b = append(binary.BigEndian.AppendUint32(b, uint32(len(value))), value...)
	return append(b, make([]byte, len(value)%2)...)
}

// layerInfo returns a section with a count of n layers. If key is not empty, the count is in a
// block with this key.
func layerInfo(key string, n int16) []byte {
	be, count := binary.BigEndian, binary.BigEndian.AppendUint16(nil, uint16(n))
	if key == "" {
		return append(be.AppendUint32(nil, 2), count...)
	}
	return append(be.AppendUint32(append(make([]byte, 8), "8BIM"+key...), 2), append(count, 0, 0)...)
}

func pack(data ...byte) []byte {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	w.Write(data)
	w.Close()
	return b.Bytes()
}

func TestKinds(t *testing.T) {
	palette := make([]byte, 768)
	palette[1], palette[257], palette[513] = 10, 20, 30
	for _, tc := range []struct {
		name string
		doc  document
		data []byte
		want []int
	}{
		{"alpha of a channel", document{w: 1, h: 1, channels: 4, bits: 8, mode: rgb}, []byte{1, 2, 3, 128}, []int{1, 2, 3, 128}},
		{"more channels", document{w: 1, h: 1, channels: 6, bits: 8, mode: rgb}, []byte{1, 2, 3, 4, 5, 6}, []int{1, 2, 3, 4}},
		{"alpha of layers", document{w: 2, h: 1, channels: 4, bits: 8, mode: rgb, layers: layerInfo("", -1)},
			[]byte{227, 9, 127, 9, 255, 9, 128, 0}, []int{199, 0, 255, 128, 9, 9, 9, 0}},
		{"alpha of layers of 16 bits", document{w: 1, h: 1, channels: 2, bits: 16, mode: gray, layers: layerInfo("Lr16", -2)},
			[]byte{0xc0, 0, 0x80, 0}, []int{32769, 32769, 32769, 32768}},
		{"merged transparency", document{w: 1, h: 1, channels: 2, bits: 8, mode: gray, layers: layerInfo("Mtrn", 0)},
			[]byte{255, 128}, []int{255, 255, 255, 128}},
		{"layers without transparency", document{w: 1, h: 1, channels: 2, bits: 8, mode: gray, layers: layerInfo("", 1)},
			[]byte{255, 128}, []int{255, 255, 255, 128}},
		{"indexed", document{w: 3, h: 1, channels: 1, bits: 8, mode: indexed, palette: palette, resources: resource(1047, 0, 2)},
			[]byte{0, 1, 2}, []int{0, 0, 0, 255, 10, 20, 30, 255, 0, 0, 0, 0}},
		{"zip", document{w: 2, h: 2, channels: 1, bits: 8, mode: gray, packing: zip}, pack(1, 2, 3, 4),
			[]int{1, 1, 1, 255, 2, 2, 2, 255, 3, 3, 3, 255, 4, 4, 4, 255}},
		{"zip, predicted", document{w: 2, h: 2, channels: 1, bits: 8, mode: gray, packing: zipPredicted}, pack(1, 1, 3, 255),
			[]int{1, 1, 1, 255, 2, 2, 2, 255, 3, 3, 3, 255, 2, 2, 2, 255}},
		{"zip, predicted, 16 bits", document{w: 2, h: 1, channels: 1, bits: 16, mode: gray, packing: zipPredicted}, pack(1, 255, 0, 1),
			[]int{511, 511, 511, 65535, 512, 512, 512, 65535}},
		{"runs", document{w: 5, h: 1, channels: 1, bits: 8, mode: gray, packing: packBits}, []byte{0, 6, 0x80, 1, 5, 6, 0xfe, 7},
			[]int{5, 5, 5, 255, 6, 6, 6, 255, 7, 7, 7, 255, 7, 7, 7, 255, 7, 7, 7, 255}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			data := tc.doc.file(tc.data...)
			m, _, err := Decode(t.Context(), data)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tc.want, numbers(m)); d != "" {
				t.Error(d)
			}
			for n := range data {
				if _, _, err := Decode(t.Context(), data[:n]); !errors.Is(err, io.ErrUnexpectedEOF) && tc.doc.packing < zip && tc.doc.channels < 5 {
					t.Fatalf("first %d of %d bytes: error %v", n, len(data), err)
				}
			}
		})
	}
}

// TestFloatsAreLight checks that floats are decoded as linear light, with and without prediction.
func TestFloatsAreLight(t *testing.T) {
	var plainFloats, split []byte
	values := []float32{1, 2, 0.5, float32(math.Inf(1))}
	for _, v := range values {
		plainFloats = binary.BigEndian.AppendUint32(plainFloats, math.Float32bits(v))
	}
	for b := range 4 {
		for i := range values {
			split = append(split, plainFloats[4*i+b])
		}
	}
	for i := len(split) - 1; i > 0; i-- {
		split[i] -= split[i-1]
	}
	doc := document{w: 4, h: 1, channels: 1, bits: 32, mode: gray}
	predicted := doc
	predicted.packing = zipPredicted
	for _, data := range [][]byte{doc.file(plainFloats...), predicted.file(pack(split...)...)} {
		m, repairs, err := Decode(t.Context(), data)
		want := []float32{1, 1, 1, 1, 2, 2, 2, 1, 0.5, 0.5, 0.5, 1, 65504, 65504, 65504, 1}
		if err != nil || !cmp.Equal(m.PixF, want) || repairs.Infinite != 1 {
			t.Errorf("%v, %+v, error %v", m, repairs, err)
		}
	}
}

func TestProfile(t *testing.T) {
	doc := document{w: 1, h: 1, channels: 1, bits: 8, mode: gray, resources: append(resource(1, 9), resource(1039, 'a', 'b', 'c')...)}
	data := doc.file(1)
	if h, err := ReadHeader(data); err != nil || string(h.ICC) != "abc" {
		t.Errorf("profile %q, error %v", h.ICC, err)
	}
	// The first bytes of a larger file are enough to check its header.
	if h, err := ReadHeader(data[:40]); err != nil || h.Width != 1 || h.ICC != nil {
		t.Errorf("%+v, error %v", h, err)
	}
}

func TestBadPSDIsRefused(t *testing.T) {
	whole := resource(1057, 0, 0, 0, 1, 0)
	for _, tc := range []struct {
		want string
		file []byte
	}{
		{"CMYK is not supported; save the image as RGB", read(t, "cmyk.psd")},
		{"does not start", make([]byte, 26)},
		{"claims 0 x 1", document{w: 0, h: 1, channels: 1, bits: 8, mode: gray}.file()},
		{"claims 300001 x 1", document{w: 300001, h: 1, channels: 1, bits: 8, mode: gray}.file()},
		{"bitmaps are not supported", document{w: 1, h: 1, channels: 1, bits: 1, mode: bitmap}.file()},
		{"Lab is not supported", document{w: 1, h: 1, channels: 3, bits: 8, mode: 9}.file()},
		{"color mode 8", document{w: 1, h: 1, channels: 1, bits: 8, mode: 8}.file()},
		{"channels of 24 bits", document{w: 1, h: 1, channels: 1, bits: 24, mode: gray}.file()},
		{"2 channels, but its color mode needs 3", document{w: 1, h: 1, channels: 2, bits: 8, mode: rgb}.file()},
		{"palette has 3 bytes", document{w: 1, h: 1, channels: 1, bits: 8, mode: indexed, palette: []byte{1, 2, 3}}.file()},
		{`save it with "Maximize Compatibility"`, document{w: 1, h: 1, channels: 1, bits: 8, mode: gray, resources: whole, layers: layerInfo("", 2)}.file(1)},
		{"compression 4", document{w: 1, h: 1, channels: 1, bits: 8, mode: gray, packing: 4}.file(1)},
		{"the compressed data has too many pixels; save the image again", document{w: 1, h: 1, channels: 1, bits: 8, mode: gray, packing: packBits}.file(0, 3, 1, 5, 6)},
		{"the compressed data has too many pixels; save the image again", document{w: 1, h: 1, channels: 1, bits: 8, mode: gray, packing: packBits}.file(0, 2, 0xff, 5)},
	} {
		if _, _, err := Decode(t.Context(), tc.file); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("error %v, want %q", err, tc.want)
		}
	}
	// A file without layers has a merged image, too.
	if _, _, err := Decode(t.Context(), document{w: 1, h: 1, channels: 1, bits: 8, mode: gray, resources: whole}.file(1)); err != nil {
		t.Error(err)
	}
}

// TestPSDMemoryIsClose checks that decoding allocates Header.Memory, and nothing if the file is too
// short for the image.
func TestPSDMemoryIsClose(t *testing.T) {
	measure := func(data []byte) (int64, error) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _, err := Decode(t.Context(), data)
		runtime.ReadMemStats(&after)
		return int64(after.TotalAlloc - before.TotalAlloc), err
	}
	doc := document{w: 600, h: 600, channels: 3, bits: 16, mode: rgb}
	data := doc.file(make([]byte, 6*600*600)...)
	h, err := ReadHeader(data)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := measure(data); err != nil || got > h.Memory() || got < h.Memory()/2 {
		t.Errorf("allocated %d bytes, Header.Memory %d, error %v", got, h.Memory(), err)
	}
	doc.w, doc.h = 30000, 30000
	if got, err := measure(doc.file()); !errors.Is(err, io.ErrUnexpectedEOF) || got > 1<<20 {
		t.Errorf("allocated %d bytes, error %v", got, err)
	}
}

func TestPSDDecodingStopsWithContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := Decode(ctx, read(t, "rgb.psd")); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func FuzzPSD(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.ps*")
	for _, name := range files {
		f.Add(read(f, filepath.Base(name)))
	}
	f.Add(document{w: 2, h: 1, channels: 1, bits: 16, mode: gray, layers: layerInfo("Lr16", -2), packing: zipPredicted}.file(pack(1, 255, 0, 1)...))
	f.Add(document{w: 1, h: 1, channels: 2, bits: 32, mode: gray, layers: layerInfo("Mt32", 0), resources: resource(1057, 0, 0, 0, 1, 1)}.file(make([]byte, 8)...))
	f.Fuzz(func(t *testing.T, data []byte) {
		h, err := ReadHeader(data)
		if err != nil || h.Width > 256 || h.Height > 256 {
			return
		}
		m, _, err := Decode(t.Context(), data)
		if err != nil {
			return
		}
		if m.W != h.Width || m.H != h.Height || m.Depth() != h.Depth() || h.LeastBytes() > int64(len(data)) {
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
	data, err := os.ReadFile("testdata/rgb.psd")
	if err != nil {
		fmt.Println(err)
		return
	}
	m, _, err := Decode(context.Background(), data)
	fmt.Println(m.W, m.H, m.Pix8[:4], err)
	// Output: 3 2 [255 0 10 255] <nil>
}
