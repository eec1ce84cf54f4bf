package aseprite

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// A file is a test file, built from chunks.
type file struct {
	w, h, bits int
	flags      uint32
	chunks     [][]byte
}

var le = binary.LittleEndian

func (f file) bytes() []byte {
	head := make([]byte, headerSize)
	le.PutUint16(head[4:], 0xa5e0)
	le.PutUint16(head[6:], 1)
	le.PutUint16(head[8:], uint16(f.w))
	le.PutUint16(head[10:], uint16(f.h))
	le.PutUint16(head[12:], uint16(f.bits))
	le.PutUint32(head[14:], f.flags)
	body := bytes.Join(f.chunks, nil)
	frame := le.AppendUint32(nil, uint32(16+len(body)))
	frame = le.AppendUint16(frame, 0xf1fa)
	frame = append(le.AppendUint16(frame, uint16(len(f.chunks))), 100, 0, 0, 0) // newer files also have this count as a 32-bit number
	frame = le.AppendUint32(frame, uint32(len(f.chunks)))
	file := slices.Concat(head, frame, body)
	le.PutUint32(file, uint32(len(file)))
	return file
}

func chunk(kind uint16, body ...[]byte) []byte {
	b := bytes.Join(body, nil)
	c := le.AppendUint32(nil, uint32(6+len(b)))
	return append(le.AppendUint16(c, kind), b...)
}

func words(list ...int) (b []byte) {
	for _, v := range list {
		b = le.AppendUint16(b, uint16(v))
	}
	return b
}

func layerOf(flags, kind, level, mode int, opacity byte) []byte {
	return chunk(chunkLayer, words(flags, kind, level, 0, 0, mode), []byte{opacity, 0, 0, 0, 1, 0, 'L'})
}

func rawCel(layer, x, y int, opacity byte, z, w, h int, pix ...byte) []byte {
	return chunk(chunkCel, words(layer, x, y), []byte{opacity}, words(0, z), make([]byte, 5), words(w, h), pix)
}

func packedCel(layer, x, y, w, h int, pix []byte) []byte {
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	z.Write(pix)
	z.Close()
	return chunk(chunkCel, words(layer, x, y), []byte{255}, words(2, 0), make([]byte, 5), words(w, h), b.Bytes())
}

func decode(t testing.TB, f file) []byte {
	t.Helper()
	m, _, err := Decode(t.Context(), f.bytes())
	if err != nil {
		t.Fatal(err)
	}
	return m.Pix8
}

// TestBlendModesAgreeWithAseprite checks each blend mode for opaque and translucent pixels. The
// code that computed the expected colors agrees with 28 sprites exported by Aseprite.
func TestBlendModesAgreeWithAseprite(t *testing.T) {
	for mode, want := range []string{
		"[106 154 124 255] [86 178 127 177]",
		"[93 92 91 255] [77 132 102 177]",
		"[162 163 154 255] [128 185 148 177]",
		"[123 132 120 255] [98 161 124 177]",
		"[106 100 120 255] [86 138 123 177]",
		"[150 154 124 255] [119 178 127 177]",
		"[172 177 182 255] [136 195 169 177]",
		"[76 84 61 255] [64 126 80 177]",
		"[111 149 121 255] [90 174 124 177]",
		"[134 119 120 255] [107 152 123 177]",
		"[121 104 66 255] [97 142 84 177]",
		"[146 122 123 255] [115 155 126 177]",
		"[118 117 115 255] [95 151 119 177]",
		"[182 83 122 255] [142 126 125 177]",
		"[86 135 106 255] [72 164 113 177]",
		"[168 118 138 255] [133 152 137 177]",
		"[179 177 184 255] [141 195 171 177]",
		"[121 51 61 255] [97 102 80 177]",
		"[202 110 177 255] [157 146 165 177]",
	} {
		var got []string
		for _, below := range [][]byte{{150, 100, 120, 255}, {150, 100, 120, 100}} {
			f := file{w: 1, h: 1, bits: 32, flags: 1, chunks: [][]byte{
				layerOf(1, 0, 0, 0, 255), layerOf(1, 0, 0, mode, 180),
				rawCel(0, 0, 0, 255, 0, 1, 1, below...), rawCel(1, 0, 0, 200, 0, 1, 1, 60, 210, 130, 230),
			}}
			got = append(got, fmt.Sprint(decode(t, f)))
		}
		if have := strings.Join(got, " "); have != want {
			t.Errorf("mode %d: %q, want %q", mode, have, want)
		}
	}
}

func TestCelsAreClipped(t *testing.T) {
	pix := make([]byte, 0, 64)
	for i := range 16 {
		pix = append(pix, byte(i), 0, 0, 255)
	}
	for _, tc := range []struct {
		x, y int
		want []byte // expected red values of the pixels
	}{
		{0, 0, []byte{0, 1, 4, 5}}, {-1, -2, []byte{9, 10, 13, 14}}, {1, 1, []byte{0, 0, 0, 0}}, {-3, 0, []byte{3, 0, 7, 0}}, {5, 5, []byte{0, 0, 0, 0}}, {-9, -9, []byte{0, 0, 0, 0}},
	} {
		for _, cel := range [][]byte{rawCel(0, tc.x, tc.y, 255, 0, 4, 4, pix...), packedCel(0, tc.x, tc.y, 4, 4, pix)} {
			got := decode(t, file{w: 2, h: 2, bits: 32, chunks: [][]byte{layerOf(1, 0, 0, 0, 0), cel}})
			if reds := []byte{got[0], got[4], got[8], got[12]}; !bytes.Equal(reds, tc.want) {
				t.Errorf("at %d, %d: %d, want %d", tc.x, tc.y, reds, tc.want)
			}
		}
	}
}

// TestHiddenLayersAreNotDrawn checks that a layer is drawn if it and its groups are visible, and in
// the right order.
func TestHiddenLayersAreNotDrawn(t *testing.T) {
	red, green, blue := []byte{255, 0, 0, 255}, []byte{0, 255, 0, 255}, []byte{0, 0, 255, 255}
	for _, tc := range []struct {
		name   string
		chunks [][]byte
		want   []byte
	}{
		{"in order", [][]byte{layerOf(1, 0, 0, 0, 255), layerOf(1, 0, 0, 0, 255), rawCel(1, 0, 0, 255, 0, 1, 1, green...), rawCel(0, 0, 0, 255, 0, 1, 1, red...)}, green},
		{"hidden", [][]byte{layerOf(1, 0, 0, 0, 255), layerOf(0, 0, 0, 0, 255), rawCel(0, 0, 0, 255, 0, 1, 1, red...), rawCel(1, 0, 0, 255, 0, 1, 1, green...)}, red},
		{"reference", [][]byte{layerOf(1, 0, 0, 0, 255), layerOf(65, 0, 0, 0, 255), rawCel(0, 0, 0, 255, 0, 1, 1, red...), rawCel(1, 0, 0, 255, 0, 1, 1, green...)}, red},
		{"hidden group", [][]byte{layerOf(1, 0, 0, 0, 255), layerOf(0, 1, 0, 0, 255), layerOf(1, 1, 1, 0, 255), layerOf(1, 0, 2, 0, 255),
			rawCel(0, 0, 0, 255, 0, 1, 1, red...), rawCel(3, 0, 0, 255, 0, 1, 1, green...)}, red},
		{"after a hidden group", [][]byte{layerOf(0, 1, 0, 0, 255), layerOf(1, 0, 1, 0, 255), layerOf(1, 0, 0, 0, 255),
			rawCel(1, 0, 0, 255, 0, 1, 1, red...), rawCel(2, 0, 0, 255, 0, 1, 1, blue...)}, blue},
		{"moved up", [][]byte{layerOf(1, 0, 0, 0, 255), layerOf(1, 0, 0, 0, 255), rawCel(0, 0, 0, 255, 2, 1, 1, red...), rawCel(1, 0, 0, 255, 0, 1, 1, green...)}, red},
		{"nothing", nil, []byte{0, 0, 0, 0}},
	} {
		if got := decode(t, file{w: 1, h: 1, bits: 32, flags: 1, chunks: tc.chunks}); !bytes.Equal(got, tc.want) {
			t.Errorf("%s: %d, want %d", tc.name, got, tc.want)
		}
	}
}

func TestKindsOfPixels(t *testing.T) {
	gray := file{w: 2, h: 1, bits: 16, chunks: [][]byte{layerOf(1, 0, 0, 0, 0), rawCel(0, 0, 0, 255, 0, 2, 1, 7, 255, 9, 100)}}
	if got, want := decode(t, gray), []byte{7, 7, 7, 255, 9, 9, 9, 100}; !bytes.Equal(got, want) {
		t.Errorf("gray: %d, want %d", got, want)
	}
	older := chunk(chunkOlderPalette, words(1), []byte{1, 2, 63, 0, 32, 1, 2, 3})
	old := chunk(chunkOldPalette, words(1), []byte{0, 3, 9, 9, 9, 1, 2, 3, 4, 5, 6})
	newer := chunk(chunkPalette, words(3, 0, 1, 0, 2, 0, 0, 0, 0, 0), words(1), []byte{10, 20, 30, 40}, words(2), []byte("ab"), words(0), []byte{50, 60, 70, 255})
	for _, tc := range []struct {
		name     string
		flags    int
		palettes [][]byte
		want     []byte
	}{
		{"6 bits", 1, [][]byte{older}, []byte{0, 0, 0, 0, 255, 0, 130, 255, 4, 8, 12, 255}},
		{"8 bits", 1, [][]byte{old}, []byte{0, 0, 0, 0, 1, 2, 3, 255, 4, 5, 6, 255}},
		{"with alpha", 1, [][]byte{newer, old}, []byte{0, 0, 0, 0, 10, 20, 30, 40, 50, 60, 70, 255}},
		{"background", 9, [][]byte{old}, []byte{9, 9, 9, 255, 1, 2, 3, 255, 4, 5, 6, 255}},
	} {
		f := file{w: 3, h: 1, bits: 8, chunks: append(tc.palettes, layerOf(tc.flags, 0, 0, 0, 0), rawCel(0, 0, 0, 255, 0, 3, 1, 0, 1, 2))}
		if got := decode(t, f); !bytes.Equal(got, tc.want) {
			t.Errorf("%s: %d, want %d", tc.name, got, tc.want)
		}
	}
	icc := chunk(chunkProfile, words(2, 0), make([]byte, 12), words(3, 0), []byte("icc"))
	if _, got, err := Decode(t.Context(), file{w: 1, h: 1, bits: 32, chunks: [][]byte{icc}}.bytes()); err != nil || string(got) != "icc" {
		t.Errorf("profile %q, %v", got, err)
	}
}

func TestBadSpritesAreRefused(t *testing.T) {
	seen := layerOf(1, 0, 0, 0, 255)
	for want, chunks := range map[string][][]byte{
		"tilemap layers":           {layerOf(1, 2, 0, 0, 255), rawCel(0, 0, 0, 255, 0, 1, 1, 1, 2, 3, 4)},
		"a group of layers":        {layerOf(1, 1, 0, 0, 100)},
		"blend mode 19":            {layerOf(1, 0, 0, 19, 255)},
		"to layer 3":               {seen, rawCel(3, 0, 0, 255, 0, 1, 1, 1, 2, 3, 4)},
		"of another frame":         {seen, chunk(chunkCel, words(0, 0, 0), []byte{255}, words(1, 0), make([]byte, 5), words(1))},
		"unknown type 9":           {seen, chunk(chunkCel, words(0, 0, 0), []byte{255}, words(9, 0), make([]byte, 5), words(1))},
		"unexpected EOF":           {seen, rawCel(0, 0, 0, 255, 0, 1, 1, 1, 2, 3)},
		"zlib":                     {seen, chunk(chunkCel, words(0, 0, 0), []byte{255}, words(2, 0), make([]byte, 5), words(1, 1), []byte("nonsense"))},
		"chunk 0x2004: unexpected": {chunk(chunkLayer, words(1))},
		"a chunk claims 0 of the 8 bytes of its frame; save the file again": {make([]byte, 8)},
	} {
		_, _, err := Decode(t.Context(), file{w: 1, h: 1, bits: 32, flags: 3, chunks: chunks}.bytes())
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestHugeCelNeedsOneRow(t *testing.T) {
	rows := make([]byte, 4*60_000*20)
	f := file{w: 8, h: 8, bits: 32, chunks: [][]byte{layerOf(1, 0, 0, 0, 255), packedCel(0, 0, 0, 60_000, 20, rows)}}
	data := f.bytes()
	h, err := ReadHeader(data)
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, _, err := Decode(t.Context(), data); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if got := int64(after.TotalAlloc - before.TotalAlloc); got > h.Memory() {
		t.Errorf("%d bytes allocated, want at most %d", got, h.Memory())
	}
}

func TestSpriteDecodingStopsWithContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	f := file{w: 1, h: 1, bits: 32, chunks: [][]byte{layerOf(1, 0, 0, 0, 255), rawCel(0, 0, 0, 255, 0, 1, 1, 1, 2, 3, 4)}}
	if _, _, err := Decode(ctx, f.bytes()); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// FuzzDecode checks that Decode returns an error or an image of the size in the header.
func FuzzDecode(f *testing.F) {
	f.Add(file{w: 2, h: 2, bits: 32, flags: 1, chunks: [][]byte{layerOf(1, 0, 0, 5, 200), packedCel(0, -1, 0, 2, 2, make([]byte, 16))}}.bytes())
	f.Add(file{w: 2, h: 1, bits: 8, chunks: [][]byte{chunk(chunkOldPalette, words(1), []byte{0, 1, 9, 9, 9}), layerOf(9, 0, 0, 0, 0), rawCel(0, 0, 0, 255, 0, 2, 1, 0, 1)}}.bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		h, err := ReadHeader(data)
		if err != nil || h.Width < 1 || h.Height < 1 || h.Width*h.Height > 1<<16 {
			return
		}
		m, _, err := Decode(t.Context(), data)
		if err == nil && (m.W != h.Width || m.H != h.Height) {
			t.Errorf("%d x %d pixels, want %d x %d", m.W, m.H, h.Width, h.Height)
		}
		if errors.Is(err, io.EOF) {
			t.Errorf("error %v", err)
		}
	})
}
