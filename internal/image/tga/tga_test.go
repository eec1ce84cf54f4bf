package tga

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// file builds a TGA file. body holds the bytes of the color map and of the pixels.
func file(kind, mapDepth byte, mapSize, w, h int, depth, descriptor byte, body ...byte) []byte {
	mapped := byte(0)
	if mapSize > 0 {
		mapped = 1
	}
	return append([]byte{
		0, mapped, kind, 0, 0, byte(mapSize), byte(mapSize >> 8), mapDepth, 0, 0, 0, 0,
		byte(w), byte(w >> 8), byte(h), byte(h >> 8), depth, descriptor,
	}, body...)
}

func pixels(t *testing.T, data []byte) []byte {
	t.Helper()
	p, err := Decode(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	return p.Pix
}

const top = 0x20 // descriptor bit for rows from the top

func TestDecodeTypes(t *testing.T) {
	for _, tc := range []struct {
		name string
		file []byte
		want []byte
	}{
		{"true color 24", file(2, 0, 0, 2, 1, 24, top, 3, 2, 1, 6, 5, 4), []byte{1, 2, 3, 255, 4, 5, 6, 255}},
		{"true color 32", file(2, 0, 0, 1, 1, 32, top|8, 3, 2, 1, 0), []byte{1, 2, 3, 0}},
		{"true color 32 without alpha", file(2, 0, 0, 2, 1, 32, top, 3, 2, 1, 0, 6, 5, 4, 0), []byte{1, 2, 3, 255, 4, 5, 6, 255}},
		{"true color 32 with alpha that the header leaves out", file(2, 0, 0, 2, 1, 32, top, 3, 2, 1, 0, 6, 5, 4, 9), []byte{1, 2, 3, 0, 4, 5, 6, 9}},
		{"packed, with alpha that the header leaves out", file(10, 0, 0, 2, 1, 32, top, 0, 3, 2, 1, 0, 0x80, 6, 5, 4, 9), []byte{1, 2, 3, 0, 4, 5, 6, 9}},
		{"mapped 32 with alpha that the header leaves out", file(1, 32, 2, 2, 1, 8, top, 3, 2, 1, 9, 6, 5, 4, 0, 0, 1), []byte{1, 2, 3, 9, 4, 5, 6, 0}},
		{"gray 16 without alpha", file(3, 0, 0, 1, 1, 16, top, 7, 0), []byte{7, 7, 7, 255}},
		{"true color 16", file(2, 0, 0, 2, 1, 16, top|1, 0x1f, 0xfc, 0xe0, 0x03), []byte{255, 0, 255, 255, 0, 255, 0, 0}},
		{"true color 16 without alpha", file(2, 0, 0, 1, 1, 16, top, 0x01, 0x40), []byte{132, 0, 8, 255}},
		{"true color 15", file(2, 0, 0, 1, 1, 15, top|1, 0x00, 0x7c), []byte{255, 0, 0, 255}},
		{"true color with a map not used", file(2, 24, 1, 1, 1, 24, top, 9, 9, 9, 3, 2, 1), []byte{1, 2, 3, 255}},
		{"mapped 24", file(1, 24, 2, 2, 1, 8, top, 3, 2, 1, 6, 5, 4, 1, 0), []byte{4, 5, 6, 255, 1, 2, 3, 255}},
		{"mapped 32", file(1, 32, 1, 1, 1, 8, top|8, 3, 2, 1, 9, 0), []byte{1, 2, 3, 9}},
		{"mapped 15 by 16", file(1, 15, 1, 1, 1, 16, top, 0x00, 0x7c, 0, 0), []byte{255, 0, 0, 255}},
		{"gray 8", file(3, 0, 0, 2, 1, 8, top, 7, 8), []byte{7, 7, 7, 255, 8, 8, 8, 255}},
		{"gray 16", file(3, 0, 0, 1, 1, 16, top|8, 7, 80), []byte{7, 7, 7, 80}},
		{"packed mapped", file(9, 24, 1, 2, 1, 8, top, 3, 2, 1, 0x81, 0), []byte{1, 2, 3, 255, 1, 2, 3, 255}},
		{"packed true color", file(10, 0, 0, 3, 1, 24, top, 0x81, 3, 2, 1, 0x00, 6, 5, 4), []byte{1, 2, 3, 255, 1, 2, 3, 255, 4, 5, 6, 255}},
		{"packed gray", file(11, 0, 0, 3, 1, 8, top, 0x01, 7, 8, 0x80, 9), []byte{7, 7, 7, 255, 8, 8, 8, 255, 9, 9, 9, 255}},
		{"packet over two rows", file(11, 0, 0, 1, 3, 8, top, 0x82, 7), []byte{7, 7, 7, 255, 7, 7, 7, 255, 7, 7, 7, 255}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if d := cmp.Diff(tc.want, pixels(t, tc.file)); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestBits(t *testing.T) {
	for _, tc := range []struct {
		file []byte
		want int
	}{
		{file(1, 24, 2, 1, 1, 8, top), 8}, {file(1, 24, 2, 1, 1, 16, top), 16},
		{file(2, 0, 0, 1, 1, 15, top), 5}, {file(2, 0, 0, 1, 1, 16, top), 5}, {file(2, 0, 0, 1, 1, 32, top), 8},
		{file(3, 0, 0, 1, 1, 16, top), 8},
	} {
		if h, err := ReadHeader(tc.file); err != nil || h.Bits() != tc.want {
			t.Errorf("type %d of %d bits: %d, want %d, error %v", tc.file[2], h.Depth, h.Bits(), tc.want, err)
		}
	}
}

func TestOriginsAreTurnedUpright(t *testing.T) {
	for descriptor, want := range map[byte]string{
		0x20: "1 2 3 4 5 6", // first pixel at the top left
		0x00: "5 6 3 4 1 2", // first pixel at the bottom left
		0x30: "2 1 4 3 6 5", // first pixel at the top right
		0x10: "6 5 4 3 2 1", // first pixel at the bottom right
	} {
		var got []string
		for i, v := range pixels(t, file(3, 0, 0, 2, 3, 8, descriptor, 1, 2, 3, 4, 5, 6)) {
			if i%4 == 0 {
				got = append(got, fmt.Sprint(v))
			}
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("origin %#x: %s, want %s", descriptor, s, want)
		}
	}
}

func TestImageIDAndFirstColorIndex(t *testing.T) {
	data := file(1, 24, 1, 1, 1, 8, top, 'i', 'd', 3, 2, 1, 5)
	data[0], data[3] = 2, 5 // the file has two bytes of ID, and its map starts at color 5
	if d := cmp.Diff([]byte{1, 2, 3, 255}, pixels(t, data)); d != "" {
		t.Error(d)
	}
}

func TestBadTGAIsRefused(t *testing.T) {
	for _, tc := range []struct {
		want string
		file []byte
	}{
		{"file has no image", file(0, 0, 0, 1, 1, 8, 0)},
		{"image type 7 is unknown", file(7, 0, 0, 1, 1, 8, 0)},
		{"image type 32 is unknown", file(32, 0, 0, 1, 1, 8, 0)},
		{"0 x 1 pixels", file(2, 0, 0, 0, 1, 24, 0)},
		{"24 bits per pixel is not supported", file(3, 0, 0, 1, 1, 24, 0)},
		{"has no color map", file(1, 0, 0, 1, 1, 8, 0)},
		{"color map of 8 bits", file(1, 8, 1, 1, 1, 8, 0)},
		{"9 bits of alpha", file(2, 0, 0, 1, 1, 32, 9)},
		{"interleaved", file(2, 0, 0, 1, 1, 32, 0x40)},
		{"color 1 is not in", file(1, 24, 1, 1, 1, 8, 0, 1, 2, 3, 1)},
		{"packet has 3 pixels, but the image has only 2 more", file(11, 0, 0, 2, 1, 8, 0, 0x82, 1)},
	} {
		if _, err := Decode(t.Context(), tc.file); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("error %v, want %q", err, tc.want)
		}
	}
}

// TestPicturesSurvivePlainAndPacked encodes and decodes images with and without run-length
// encoding. Truncated files must give errors.
func TestPicturesSurvivePlainAndPacked(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(1, 300).Draw(t, "w"), rapid.IntRange(1, 9).Draw(t, "h")
		colors := rapid.IntRange(1, 4).Draw(t, "colors")
		pix, state := make([]byte, 0, 4*w*h), rapid.Uint32().Draw(t, "seed")
		for range w * h {
			state = state*1664525 + 1013904223
			v := byte(int(state>>24) % colors)
			pix = append(pix, v, 2*v, 3*v, 4*v)
		}
		kind, body := byte(2), swapped(pix)
		if rapid.Bool().Draw(t, "packed") {
			kind, body = 10, pack(body)
		}
		data := file(kind, 0, 0, w, h, 32, top|8, body...)
		p, err := Decode(t.Context(), data)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(pix, p.Pix) {
			t.Fatal("pixels differ")
		}
		header, err := ReadHeader(data)
		if err != nil || header.LeastBytes() > int64(len(data)) {
			t.Fatalf("at least %d bytes for a file of %d, error %v", header.LeastBytes(), len(data), err)
		}
		n := rapid.IntRange(0, len(data)-1).Draw(t, "n")
		if _, err := Decode(t.Context(), data[:n]); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Fatalf("first %d of %d bytes: error %v", n, len(data), err)
		}
	})
}

func swapped(pix []byte) []byte {
	out := bytes.Clone(pix)
	for i := 0; i < len(out); i += 4 {
		out[i], out[i+2] = out[i+2], out[i]
	}
	return out
}

// pack encodes runs of pixels of four bytes.
func pack(pix []byte) []byte {
	var out []byte
	for len(pix) > 0 {
		n := 4
		for n < len(pix) && n < 4*maxRun && bytes.Equal(pix[n:n+4], pix[:4]) {
			n += 4
		}
		out = append(out, 0x80|byte(n/4-1))
		out = append(out, pix[:4]...)
		pix = pix[n:]
	}
	return out
}

func TestShortTGAAllocatesNothing(t *testing.T) {
	for _, kind := range []byte{2, 10} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Decode(t.Context(), file(kind, 0, 0, 20000, 20000, 32, 0, 1, 2, 3))
		runtime.ReadMemStats(&after)
		if !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("type %d: error %v, want unexpected end", kind, err)
		}
		if got := after.TotalAlloc - before.TotalAlloc; got > 1<<16 {
			t.Errorf("type %d: allocated %d bytes", kind, got)
		}
	}
}

func FuzzTGA(f *testing.F) {
	f.Add(file(2, 0, 0, 2, 1, 24, top, 3, 2, 1, 6, 5, 4))
	f.Add(file(1, 24, 2, 2, 1, 8, top, 3, 2, 1, 6, 5, 4, 1, 0))
	f.Add(file(10, 0, 0, 3, 1, 24, 0x10, 0x81, 3, 2, 1, 0x00, 6, 5, 4))
	f.Add(file(11, 0, 0, 3, 1, 8, 0, 0x01, 7, 8, 0x80, 9))
	f.Add(file(3, 0, 0, 1, 1, 16, top|8, 7, 80))
	f.Fuzz(func(t *testing.T, data []byte) {
		if h, err := ReadHeader(data); err != nil || h.Width > 1024 || h.Height > 1024 {
			return
		}
		p, err := Decode(t.Context(), data)
		if err != nil {
			return
		}
		if len(p.Pix) != 4*p.Width*p.Height {
			t.Errorf("%d bytes for %d x %d pixels", len(p.Pix), p.Width, p.Height)
		}
		if h, _ := ReadHeader(data); h.LeastBytes() > int64(len(data)) {
			t.Errorf("%d bytes decode, but LeastBytes is %d", len(data), h.LeastBytes())
		}
	})
}
