package source

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// bitmapFile builds a BMP file. The parameter between holds the masks or the palette, and body
// holds the pixels.
func bitmapFile(size uint32, w, h, depth, compression int, between []uint32, body ...byte) []byte {
	le := binary.LittleEndian
	b := append([]byte("BM"), make([]byte, 12+int(size))...)
	for i, v := range between {
		if at := 54 + 4*i; at < len(b) { // the offset is inside a longer header
			le.PutUint32(b[at:], v)
		} else {
			b = le.AppendUint32(b, v)
		}
	}
	le.PutUint32(b[10:], uint32(len(b)))
	le.PutUint32(b[14:], size)
	le.PutUint32(b[18:], uint32(w))
	le.PutUint32(b[22:], uint32(h))
	le.PutUint16(b[26:], 1)
	le.PutUint16(b[28:], uint16(depth))
	le.PutUint32(b[30:], uint32(compression))
	return append(b, body...)
}

// bitmapColors returns a palette of n colors. Color i has the channels i, 10+i and 20+i.
func bitmapColors(n int) (list []uint32) {
	for i := range uint32(n) {
		list = append(list, i<<16|(10+i)<<8|20+i)
	}
	return list
}

func TestBitmaps(t *testing.T) {
	const plain, rle8, masked, maskedAlpha = 0, 1, 3, 6
	colors := bitmapColors(256)
	rgb := func(indices ...byte) (want []byte) {
		for _, i := range indices {
			want = append(want, i, 10+i, 20+i, 255)
		}
		return want
	}
	gap := bitmapFile(40, 1, 1, 24, plain, nil, 9, 9, 3, 2, 1, 0)
	gap[10] += 2
	few := bitmapFile(40, 2, 1, 8, plain, bitmapColors(2), 0, 1, 0, 0)
	few[46] = 2
	fewer := bitmapFile(40, 2, 1, 8, plain, bitmapColors(2), 0, 1, 0, 0) // the header claims 256 colors, but the palette has two
	for _, tc := range []struct {
		name string
		file []byte
		want []byte
	}{
		{"rows from below", bitmapFile(40, 1, 2, 24, plain, nil, 3, 2, 1, 0, 6, 5, 4, 0), []byte{4, 5, 6, 255, 1, 2, 3, 255}},
		{"rows from the top", bitmapFile(40, 1, -2, 24, plain, nil, 3, 2, 1, 0, 6, 5, 4, 0), []byte{1, 2, 3, 255, 4, 5, 6, 255}},
		{"a gap before the pixels", gap, []byte{1, 2, 3, 255}},
		{"few colors", few, rgb(0, 1)},
		{"fewer colors than it says", fewer, rgb(0, 1)},
		{"four bits", bitmapFile(40, 3, 1, 4, plain, colors[:16], 0x12, 0x30, 0, 0), rgb(1, 2, 3)},
		{"two bits", bitmapFile(40, 3, 1, 2, plain, colors[:4], 0x6c, 0, 0, 0), rgb(1, 2, 3)},
		{"one bit", bitmapFile(40, 3, 1, 1, plain, colors[:2], 0x40, 0, 0, 0), rgb(0, 1, 0)},
		{"24 bits, version 4", bitmapFile(108, 1, 1, 24, plain, nil, 3, 2, 1, 0), []byte{1, 2, 3, 255}},
		{"32 bits", bitmapFile(40, 1, 1, 32, plain, nil, 3, 2, 1, 9), []byte{1, 2, 3, 255}},
		{"32 bits and a mask of alpha", bitmapFile(124, 1, 1, 32, plain, []uint32{0, 0, 0, 0xff000000}, 3, 2, 1, 7), []byte{1, 2, 3, 7}},
		{"32 bits, a mask of alpha and none", bitmapFile(124, 2, 1, 32, plain, []uint32{0, 0, 0, 0xff000000}, 3, 2, 1, 0, 6, 5, 4, 0), []byte{1, 2, 3, 255, 4, 5, 6, 255}},
		{"32 bits, a mask of alpha, one pixel seen", bitmapFile(124, 2, 1, 32, plain, []uint32{0, 0, 0, 0xff000000}, 3, 2, 1, 0, 6, 5, 4, 1), []byte{1, 2, 3, 0, 4, 5, 6, 1}},
		{"masks of version 4 and no alpha", bitmapFile(108, 1, 1, 32, masked, []uint32{0xff0000, 0xff00, 0xff, 0xff000000}, 3, 2, 1, 0), []byte{1, 2, 3, 0}},
		{"masks", bitmapFile(40, 1, 1, 32, masked, []uint32{0xff0000, 0xff00, 0xff}, 3, 2, 1, 0xff), []byte{1, 2, 3, 255}},
		{"masks of version 4", bitmapFile(108, 1, 1, 32, masked, []uint32{0xff0000, 0xff00, 0xff, 0xff000000}, 3, 2, 1, 9), []byte{1, 2, 3, 9}},
		{"masks of GIMP", bitmapFile(124, 1, 1, 32, masked, []uint32{0xff000000, 0xff0000, 0xff00, 0xff}, 4, 3, 2, 1), []byte{1, 2, 3, 4}},
		{"masks and alpha", bitmapFile(40, 1, 1, 32, maskedAlpha, []uint32{0xff, 0xff00, 0xff0000, 0xff000000}, 1, 2, 3, 4), []byte{1, 2, 3, 4}},
		{"runs", bitmapFile(40, 3, 2, 8, rle8, colors, 2, 1, 1, 2, 0, 0, 3, 1, 0, 1), rgb(1, 1, 1, 1, 1, 2)},
		{"pixels as they are", bitmapFile(40, 4, 1, 8, rle8, colors, 0, 3, 0, 1, 2, 9, 1, 1, 0, 1), rgb(0, 1, 2, 1)},
		{"a step", bitmapFile(40, 2, 2, 8, rle8, colors, 1, 1, 0, 2, 0, 1, 1, 2, 0, 1), rgb(0, 2, 1, 0)},
		{"an early end", bitmapFile(40, 2, 2, 8, rle8, colors, 1, 2, 0, 1), rgb(0, 0, 2, 0)},
		{"a run beyond the row", bitmapFile(40, 2, 2, 8, rle8, colors, 9, 2, 0, 0, 1, 1, 0, 1), rgb(1, 0, 2, 2)},
		{"no end mark", bitmapFile(40, 1, 1, 8, rle8, colors, 1, 2, 0, 0), rgb(2)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m, _, err := Decode(t.Context(), tc.file, ".bmp", maxSide)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tc.want, m.Pix8); d != "" {
				t.Error(d)
			}
			for n := range tc.file {
				if _, _, err := Decode(t.Context(), tc.file[:n], ".bmp", maxSide); err == nil && n < len(tc.file)-3 {
					t.Errorf("first %d of %d bytes: no error", n, len(tc.file))
				}
			}
		})
	}
}

func TestBadBitmapsAreRefused(t *testing.T) {
	colors := bitmapColors(256)
	within := bitmapFile(40, 1, 1, 24, 0, nil, 0, 0, 0, 0)
	within[10] = 53
	for _, tc := range []struct {
		want string
		file []byte
	}{
		{"a header of 12 bytes is not supported; save it as PNG", append([]byte("BM"), append(make([]byte, 12), append([]byte{12}, make([]byte, 40)...)...)...)},
		{"16 bits per pixel and compression 0 is not supported; save it as PNG", bitmapFile(40, 1, 1, 16, 0, nil, 0, 0, 0, 0)},
		{"4 bits per pixel and compression 2 is not supported", bitmapFile(40, 1, 1, 4, 2, nil, 0, 0, 0, 0)},
		{"24 bits per pixel and compression 4 is not supported", bitmapFile(40, 1, 1, 24, 4, nil, 0, 0, 0, 0)},
		{"channel masks that do not have 8 bits", bitmapFile(40, 1, 1, 32, 3, []uint32{0x3ff00000, 0xffc00, 0x3ff}, 0, 0, 0, 0)},
		{"0 x 1 pixels", bitmapFile(40, 0, 1, 24, 0, nil)},
		{"is inside its header or palette", within},
		{"the compressed data leads outside the image, to column 3 of row 0; save the image again", bitmapFile(40, 2, 1, 8, 1, colors, 0, 2, 3, 0)},
		{"truncated", bitmapFile(40, 9, 1, 8, 1, colors, 0, 9, 0)},
		{"color 2 is not in the palette; save the image again", bitmapFile(40, 1, 1, 8, 1, colors[:2], 1, 2, 0, 1)},
		{"palette", bitmapFile(40, 1, 1, 8, 0, colors[:2], 2, 0, 0, 0)},
	} {
		_, _, err := Decode(t.Context(), tc.file, ".bmp", maxSide)
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("error %v, want %q", err, tc.want)
		}
		if _, early := Probe(tc.file, ".bmp", int64(len(tc.file)), maxSide); early != nil && early.Error() != err.Error() {
			t.Errorf("Probe says %v, Decode says %v", early, err)
		}
	}
}

func FuzzBMP(f *testing.F) {
	f.Add(bitmapFile(40, 2, 2, 8, 1, bitmapColors(256), 1, 1, 0, 2, 0, 1, 1, 2, 0, 1))
	f.Add(bitmapFile(124, 1, 1, 32, 3, []uint32{0xff000000, 0xff0000, 0xff00, 0xff}, 4, 3, 2, 1))
	f.Add(bitmapFile(40, 3, 1, 4, 0, bitmapColors(16), 0x12, 0x30, 0, 0))
	f.Fuzz(func(t *testing.T, data []byte) {
		info, early := Probe(data, ".bmp", int64(len(data)), 256)
		m, _, err := Decode(t.Context(), data, ".bmp", 256)
		if err == nil && (early != nil || m.W != info.W || m.H != info.H) {
			t.Errorf("%d x %d pixels, Probe says %+v, error %v", m.W, m.H, info, early)
		}
	})
}
