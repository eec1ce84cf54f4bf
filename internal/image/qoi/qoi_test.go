package qoi

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	stdimage "image"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// file builds a QOI file from its size and the bytes of its pixels.
func file(w, h uint32, body ...byte) []byte {
	b := binary.BigEndian.AppendUint32([]byte("qoif"), w)
	b = binary.BigEndian.AppendUint32(b, h)
	b = append(append(b, 4, 0), body...)
	return append(b, end...)
}

func decode(data []byte) (*stdimage.NRGBA, error) {
	return Decode(bytes.NewReader(data), int64(len(data)))
}

// TestOperationsDecodeByTheSpecification compares each operation with pixels computed by hand.
func TestOperationsDecodeByTheSpecification(t *testing.T) {
	for _, tc := range []struct {
		name string
		file []byte
		want []byte
	}{
		{"RGB keeps alpha", file(2, 1, 0xff, 1, 2, 3, 4, 0xfe, 5, 6, 7), []byte{1, 2, 3, 4, 5, 6, 7, 4}},
		{"run of the first pixel", file(2, 1, 0xc1), []byte{0, 0, 0, 255, 0, 0, 0, 255}},
		{"longest run", file(62, 1, 0xfd), bytes.Repeat([]byte{0, 0, 0, 255}, 62)},
		{"index", file(3, 1, 0xff, 1, 2, 3, 4, 0xfe, 9, 9, 9, (1*3+2*5+3*7+4*11)%64), []byte{1, 2, 3, 4, 9, 9, 9, 4, 1, 2, 3, 4}},
		{"index never seen", file(1, 1, 0x05), []byte{0, 0, 0, 0}},
		{"index of a run", file(3, 1, 0xc0, 0x05, 255*11%64), []byte{0, 0, 0, 255, 0, 0, 0, 0, 0, 0, 0, 255}},
		{"difference wraps", file(2, 1, 0x40|0<<4|1<<2|3, 0x40|3<<4|2<<2), []byte{254, 255, 1, 255, 255, 255, 255, 255}},
		{"luma", file(2, 1, 0xfe, 10, 20, 30, 0x80|0x3f, 0xf0), []byte{10, 20, 30, 255, 10 + 31 + 7, 20 + 31, 30 + 31 - 8, 255}},
		{"luma wraps", file(1, 1, 0x80, 0x00), []byte{256 - 40, 256 - 32, 256 - 40, 255}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			img, err := decode(tc.file)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tc.want, img.Pix); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestBadQOIIsRefused(t *testing.T) {
	set := func(at int, v byte) []byte {
		b := file(1, 1, 0xc0)
		b[at] = v
		return b
	}
	for _, tc := range []struct {
		want string
		file []byte
	}{
		{"does not start with \"qoif", set(0, 'Q')},
		{"0 x 1 pixels", file(0, 1)},
		{"4294967295 x 1 pixels", file(1<<32-1, 1)},
		{"5 channels", set(12, 5)},
		{"color space 2 is not supported", set(13, 2)},
		{"run has 3 pixels, but the image has only 2 more", file(2, 1, 0xc2)},
		{"data after its last pixel", file(1, 1, 0xc0, 0xc0)},
		{"header: unexpected EOF", []byte("qoif")},
	} {
		if _, err := decode(tc.file); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("error %v, want %q", err, tc.want)
		}
	}
}

// TestPicturesSurviveSimpleEncoding decodes images from a simple encoder. Truncated files must give
// errors.
func TestPicturesSurviveSimpleEncoding(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(1, 200).Draw(t, "w"), rapid.IntRange(1, 9).Draw(t, "h")
		step, state := rapid.IntRange(1, 80).Draw(t, "step"), rapid.Uint32().Draw(t, "seed")
		pix := make([]byte, 4*w*h)
		for i := 4; i < len(pix); i++ {
			state = state*1664525 + 1013904223
			pix[i] = pix[i-4]
			if state>>28 < 9 {
				pix[i] += byte(int(state>>16&0xff)%step) - byte(step/2)
			}
		}
		data := file(uint32(w), uint32(h), encode(pix)...)
		img, err := decode(data)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(pix, img.Pix) {
			t.Fatal("pixels differ")
		}
		header, err := ReadHeader(bytes.NewReader(data))
		if err != nil || header.LeastBytes() > int64(len(data)) {
			t.Fatalf("at least %d bytes for a file of %d, error %v", header.LeastBytes(), len(data), err)
		}
		n := rapid.IntRange(0, len(data)-1).Draw(t, "n")
		if _, err := decode(data[:n]); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Fatalf("first %d of %d bytes: error %v", n, len(data), err)
		}
	})
}

// encode is a simple encoder. For each pixel it uses the first suitable operation, in the order of
// the specification.
func encode(pix []byte) (out []byte) {
	last, seen := pixel{3: 255}, [64]pixel{}
	for run := 0; len(pix) > 0; {
		p := pixel(pix)
		pix = pix[4:]
		if p == last {
			if run++; run == maxRun || len(pix) == 0 {
				out, run = append(out, 0xc0|byte(run-1)), 0
			}
			seen[p.seenSlot()] = p
			continue
		}
		if run > 0 {
			out, run = append(out, 0xc0|byte(run-1)), 0
		}
		r, g, b := int(int8(p[0]-last[0])), int(int8(p[1]-last[1])), int(int8(p[2]-last[2]))
		small := func(v, half int) bool { return v >= -half && v < half }
		switch {
		case seen[p.seenSlot()] == p:
			out = append(out, p.seenSlot())
		case p[3] != last[3]:
			out = append(out, 0xff, p[0], p[1], p[2], p[3])
		case small(r, 2) && small(g, 2) && small(b, 2):
			out = append(out, 0x40|byte(r+2)<<4|byte(g+2)<<2|byte(b+2))
		case small(g, 32) && small(r-g, 8) && small(b-g, 8):
			out = append(out, 0x80|byte(g+32), byte(r-g+8)<<4|byte(b-g+8))
		default:
			out = append(out, 0xfe, p[0], p[1], p[2])
		}
		last, seen[p.seenSlot()] = p, p
	}
	return out
}

// TestLeastBytes decodes the smallest file that a header allows. An image with one pixel fewer must
// not need a larger file.
func TestLeastBytes(t *testing.T) {
	for _, pixels := range []uint32{1, 62, 63, 124, 125} {
		var body []byte
		for left := int(pixels); left > 0; left -= maxRun {
			body = append(body, 0xc0|byte(min(left, maxRun)-1))
		}
		data := file(pixels, 1, body...)
		h, err := ReadHeader(bytes.NewReader(data))
		if err != nil || h.LeastBytes() != int64(len(data)) {
			t.Errorf("%d pixels: at least %d bytes, made of %d, error %v", pixels, h.LeastBytes(), len(data), err)
		}
		if _, err := decode(data); err != nil {
			t.Errorf("%d pixels: %v", pixels, err)
		}
	}
}

func TestShortQOIAllocatesNothing(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := decode(file(65535, 4000, 0xfd, 0xfd))
	runtime.ReadMemStats(&after)
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("error %v, want unexpected end", err)
	}
	if got := after.TotalAlloc - before.TotalAlloc; got > 1<<16 {
		t.Errorf("allocated %d bytes", got)
	}
}

func FuzzQOI(f *testing.F) {
	f.Add(file(2, 1, 0xff, 1, 2, 3, 4, 0xfe, 5, 6, 7))
	f.Add(file(3, 1, 0x40, 0x80, 0x88, 0x05))
	f.Add(file(62, 1, 0xfd))
	f.Fuzz(func(t *testing.T, data []byte) {
		img, err := decode(data)
		if err != nil {
			return
		}
		h, err := ReadHeader(bytes.NewReader(data))
		if b := img.Bounds(); err != nil || b.Dx() != h.Width || b.Dy() != h.Height {
			t.Errorf("image %v, header %+v, error %v", b, h, err)
		}
	})
}

func ExampleDecode() {
	// The file has two white pixels: a whole pixel, and a run of one.
	data := "qoif\x00\x00\x00\x02\x00\x00\x00\x01\x03\x00\xfe\xff\xff\xff\xc0\x00\x00\x00\x00\x00\x00\x00\x01"
	img, err := Decode(strings.NewReader(data), int64(len(data)))
	fmt.Println(img.Bounds(), img.At(1, 0), err)
	// Output: (0,0)-(2,1) {255 255 255 255} <nil>
}
