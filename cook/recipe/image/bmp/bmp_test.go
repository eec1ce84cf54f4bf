package bmp

import (
	"bytes"
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
)

// The pictures in testdata were written by Pillow 9.4 (1, 24, grey8, map8),
// ffmpeg 5.1 (32, rgb444, rgb555, rgb565) and ppmtobmp 11.01 (map4, map4-os2).
// They are all drawn by these functions.
var drawn = map[string]func(x, y int) [4]int{
	"1":     func(x, y int) [4]int { v := map[bool]int{true: 255}[x*y%3 == 0]; return [4]int{v, v, v, 255} },
	"grey8": func(x, y int) [4]int { v := x*28 + y*5; return [4]int{v, v, v, 255} },
	"map8":  func(x, y int) [4]int { i := y*9 + x; return [4]int{i * 4, 255 - i*3, i, 255} },
	"map4":  func(x, y int) [4]int { i := (x/3 + y) % 16; return [4]int{i * 4, 255 - i*3, i, 255} },
	"24":    drawOpaque,
	// ffmpeg writes no mask for alpha.
	"32":     drawOpaque,
	"rgb444": drawOpaque, "rgb555": drawOpaque, "rgb565": drawOpaque,
}

func drawOpaque(x, y int) [4]int { return [4]int{x * 28, y * 40, 255 - x*20 - y*5, 255} }

func TestFilesOfOthers(t *testing.T) {
	files, err := filepath.Glob("testdata/*.bmp")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d files, error %v", len(files), err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".bmp")
		t.Run(name, func(t *testing.T) {
			kind, _, _ := strings.Cut(name, "-")
			// ffmpeg dithers, and is far off in the last column.
			near := map[string]int{"rgb444": 40, "rgb555": 24, "rgb565": 24}[name]
			p, pix := pixels(t, read(t, file))
			if p.Width != 9 || p.Height != 7 {
				t.Fatalf("%d x %d pixels", p.Width, p.Height)
			}
			for i, v := range pix {
				if near > 0 && i/4%9 == 8 {
					continue
				}
				want := drawn[kind](i/4%9, i/4/9)[i%4]
				if int(v) < want-near || int(v) > want+near {
					t.Fatalf("pixel %d: %v, want %v", i/4, pix[i/4*4:i/4*4+4], drawn[kind](i/4%9, i/4/9))
				}
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

func pixels(t testing.TB, data []byte) (*Picture, []byte) {
	t.Helper()
	p, err := Decode(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	pix := make([]byte, 4*p.Width*p.Height)
	for y := range p.Height {
		p.Row(pix[4*p.Width*y:4*p.Width*(y+1)], y)
	}
	return p, pix
}

// file puts a picture together: a header of the given size, what stands behind
// it (masks, palette) and the pixels.
func file(size uint32, w, h, depth, compression int, between, body []byte) []byte {
	le := binary.LittleEndian
	b := append([]byte("BM"), make([]byte, 12+int(size))...)
	le.PutUint32(b[10:], uint32(len(b)+len(between)))
	le.PutUint32(b[14:], size)
	le.PutUint32(b[18:], uint32(w))
	le.PutUint32(b[22:], uint32(h))
	le.PutUint16(b[26:], 1)
	le.PutUint16(b[28:], uint16(depth))
	le.PutUint32(b[30:], uint32(compression))
	if size > infoHeader { // what would be behind it is within it
		n := copy(b[54:], between)
		le.PutUint32(b[10:], uint32(len(b)))
		between = between[n:]
	}
	return append(append(b, between...), body...)
}

func masks(m ...uint32) (b []byte) {
	for _, v := range m {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return b
}

func TestKinds(t *testing.T) {
	colors := []byte{3, 2, 1, 0, 6, 5, 4, 0, 9, 8, 7, 0}
	rgb := func(v ...byte) (out []byte) { // the colours of these indices
		for _, i := range v {
			out = append(out, 3*i+1, 3*i+2, 3*i+3, 255)
		}
		return out
	}
	for _, tc := range []struct {
		name string
		file []byte
		want []byte
	}{
		{"rows from the top", file(40, 1, -2, 24, plain, nil, []byte{3, 2, 1, 0, 6, 5, 4, 0}), rgb(0, 1)},
		{"rows from the bottom", file(40, 1, 2, 24, plain, nil, []byte{3, 2, 1, 0, 6, 5, 4, 0}), rgb(1, 0)},
		{"two bits", file(40, 4, 1, 2, plain, colors, []byte{0x18, 0, 0, 0}), rgb(0, 1, 2, 0)},
		{"colour not in the palette", file(40, 1, 1, 8, plain, colors, []byte{200, 0, 0, 0}), []byte{0, 0, 0, 255}},
		{"five bits", file(40, 2, 1, 16, plain, nil, []byte{0x1f, 0x7c, 0x10, 0}), []byte{255, 0, 255, 255, 0, 0, 132, 255}},
		{"fields", file(40, 1, 1, 16, masked, masks(0xf800, 0x7e0, 0x1f), []byte{0x20, 0xf8, 0, 0}), []byte{255, 4, 0, 255}},
		{"fields with alpha", file(40, 1, 1, 16, maskedAlpha, masks(0xf, 0xf0, 0xf00, 0xf000), []byte{0x21, 0x83, 0, 0}), []byte{17, 34, 51, 136}},
		{"wide fields", file(40, 1, 1, 32, masked, masks(0x3ff, 0xffc00, 0x3ff00000), masks(512|1<<10|1023<<20)), []byte{128, 0, 255, 255}},
		{"alpha that is no alpha", file(40, 1, 1, 32, plain, nil, []byte{3, 2, 1, 9}), []byte{1, 2, 3, 255}},
		{"alpha of version 4", file(v4Header, 1, 1, 32, masked, masks(0xff0000, 0xff00, 0xff, 0xff000000), []byte{3, 2, 1, 9}), []byte{1, 2, 3, 9}},
		{"alpha 0", file(v5Header, 1, 1, 32, masked, masks(0xff0000, 0xff00, 0xff, 0xff000000), []byte{3, 2, 1, 0}), []byte{1, 2, 3, 0}},
		{"mask of alpha alone", file(v5Header, 1, 1, 32, plain, masks(0, 0, 0, 0xff000000), []byte{3, 2, 1, 7}), []byte{1, 2, 3, 7}},
		{"version 3 without alpha", file(maskHeader, 1, 1, 32, masked, masks(0xff, 0xff00, 0xff0000), []byte{3, 2, 1, 7}), []byte{3, 2, 1, 255}},

		{"runs of 8 bits", file(40, 3, 2, 8, rle8, colors, []byte{2, 1, 1, 2, 0, 0, 3, 1, 0, 1}), rgb(1, 1, 1, 1, 1, 2)},
		{"pixels as they are", file(40, 4, 1, 8, rle8, colors, []byte{0, 3, 0, 1, 2, 9, 1, 1, 0, 1}), rgb(0, 1, 2, 1)},
		{"a step", file(40, 2, 2, 8, rle8, colors, []byte{1, 1, 0, 2, 0, 1, 1, 2, 0, 1}), rgb(0, 2, 1, 0)},
		{"an early end", file(40, 2, 2, 8, rle8, colors, []byte{1, 2, 0, 1}), rgb(0, 0, 2, 0)},
		{"a run beyond the row", file(40, 2, 2, 8, rle8, colors, []byte{9, 2, 0, 0, 1, 1, 0, 1}), rgb(1, 0, 2, 2)},
		{"runs of 4 bits", file(40, 5, 1, 4, rle4, colors, []byte{5, 0x12, 0, 1}), rgb(1, 2, 1, 2, 1)},
		{"pixels of 4 bits as they are", file(40, 5, 1, 4, rle4, colors, []byte{0, 5, 0x12, 0x01, 0x20, 0, 0, 1}), rgb(1, 2, 0, 1, 2)},
		{"no end mark", file(40, 1, 1, 8, rle8, colors, []byte{1, 2, 0, 0}), rgb(2)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, pix := pixels(t, tc.file)
			if d := cmp.Diff(tc.want, pix); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestRefuses(t *testing.T) {
	within := file(40, 1, 1, 24, plain, nil, make([]byte, 4))
	within[10] = 53
	for _, tc := range []struct {
		want string
		file []byte
	}{
		{"does not start with BM", append([]byte("MB"), file(40, 1, 1, 24, plain, nil, make([]byte, 4))[2:]...)},
		{"unknown header of 64 bytes", file(64, 1, 1, 24, plain, nil, make([]byte, 4))},
		{"0 x 1 pixels", file(40, 0, 1, 24, plain, nil, nil)},
		{"-2 x 1 pixels", file(40, -2, 1, 24, plain, nil, nil)},
		{"3 bits a pixel", file(40, 1, 1, 3, plain, nil, nil)},
		{"24 bits a pixel with compression 1", file(40, 1, 1, 24, rle8, nil, nil)},
		{"with compression 4", file(40, 1, 1, 24, 4, nil, nil)},
		{"within the header", within},
		{"bit field 00000005 has gaps", file(40, 1, 1, 16, masked, masks(5, 8, 16), make([]byte, 4))},
		{"pixels: unexpected EOF", file(40, 1, 1, 24, plain, nil, make([]byte, 3))},
		{"a step leads out of the picture, to column 3 of row 0", file(40, 2, 1, 8, rle8, nil, []byte{0, 2, 3, 0})},
		{"row 1 of 2: unexpected EOF", file(40, 1, 2, 8, rle8, nil, []byte{1, 1, 0, 0})},
		{"row 0 of 1: unexpected EOF", file(40, 9, 1, 8, rle8, nil, []byte{0, 9, 0})},
	} {
		if _, err := Decode(t.Context(), tc.file); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("error %v, want %q", err, tc.want)
		}
	}
}

func TestTorn(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.bmp")
	for _, name := range files {
		data := read(t, name)
		for n := range data {
			if _, err := Decode(t.Context(), data[:n]); !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Fatalf("%s: first %d of %d bytes: error %v", name, n, len(data), err)
			}
		}
	}
}

func TestProfile(t *testing.T) {
	data := append(file(v5Header, 1, 1, 24, plain, nil, []byte{1, 2, 3, 0}), "profile"...)
	binary.LittleEndian.PutUint32(data[70:], 'M'<<24|'B'<<16|'E'<<8|'D')
	binary.LittleEndian.PutUint32(data[126:], v5Header+4)
	binary.LittleEndian.PutUint32(data[130:], 7)
	if h, err := ReadHeader(data); err != nil || string(h.ICC) != "profile" {
		t.Errorf("profile %q, error %v", h.ICC, err)
	}
	if h, err := ReadHeader(data[:len(data)-1]); err != nil || h.ICC != nil {
		t.Errorf("torn: profile %q, error %v", h.ICC, err)
	}
}

// Packed pixels take a byte each, others nothing; what the file does not back
// takes nothing either.
func TestMemory(t *testing.T) {
	const side = 2000
	for _, tc := range []struct {
		name string
		file []byte
		most uint64
	}{
		{"plain", file(40, side, side, 8, plain, make([]byte, 1024), make([]byte, side*side)), 1 << 16},
		{"packed", file(40, side, side, 8, rle8, nil, make([]byte, 2*side)), side*side + 1<<16},
		{"packed bomb", file(40, side, side, 8, rle8, nil, make([]byte, 2*side-1)), 1 << 16},
		{"bomb", file(40, 1<<24, 1<<24, 8, plain, make([]byte, 1024), nil), 1 << 16},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Decode(t.Context(), tc.file)
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc - before.TotalAlloc; got > tc.most || (err != nil) != strings.Contains(tc.name, "bomb") {
			t.Errorf("%s: allocated %d bytes, error %v", tc.name, got, err)
		}
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Decode(ctx, file(40, 1, 1, 8, rle8, nil, []byte{1, 2, 0, 1})); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func FuzzBMP(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.bmp")
	for _, name := range files {
		f.Add(read(f, name))
	}
	f.Add(file(40, 2, 2, 8, rle8, nil, []byte{1, 1, 0, 2, 0, 1, 1, 2, 0, 1}))
	f.Add(file(40, 5, 1, 4, rle4, nil, []byte{0, 5, 0x12, 0x01, 0x20, 0, 0, 1}))
	f.Add(file(v4Header, 1, 1, 32, masked, masks(0xff0000, 0xff00, 0xff, 0xff000000), []byte{3, 2, 1, 9}))
	f.Fuzz(func(t *testing.T, data []byte) {
		h, err := ReadHeader(data)
		if err != nil || h.Width > 256 || h.Height > 256 {
			return
		}
		p, err := Decode(t.Context(), data)
		if err != nil {
			return
		}
		if h.LeastBytes() > int64(len(data)) {
			t.Errorf("%d bytes decode, at least %d are said to be needed", len(data), h.LeastBytes())
		}
		row := make([]byte, 4*p.Width)
		for y := range p.Height {
			p.Row(row, y)
		}
	})
}

func ExampleDecode() {
	data, err := os.ReadFile("testdata/24.bmp")
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := Decode(context.Background(), bytes.Clone(data))
	row := make([]byte, 4*p.Width)
	p.Row(row, 0)
	fmt.Println(p.Width, p.Height, row[:8], err)
	// Output: 9 7 [0 0 255 255 28 0 235 255] <nil>
}
