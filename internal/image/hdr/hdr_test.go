package hdr

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// file builds an image from its resolution line and the bytes of its pixels.
func file(resolution string, body ...byte) []byte {
	return append([]byte("#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n"+resolution+"\n"), body...)
}

// floats decodes a whole image.
func floats(t testing.TB, data []byte) []float32 {
	t.Helper()
	p, err := decode(data)
	if err != nil {
		t.Fatal(err)
	}
	pix := make([]float32, 4*p.Width*p.Height)
	for y := range p.Height {
		p.Row(pix[4*p.Width*y:4*p.Width*(y+1)], y)
	}
	return pix
}

func TestMantissasShareTheExponent(t *testing.T) {
	for _, tc := range []struct {
		packed [4]byte
		want   []float32
	}{
		{[4]byte{128, 64, 0, 129}, []float32{1, 0.5, 0, 1}},
		{[4]byte{255, 255, 255, 0}, []float32{0, 0, 0, 1}},
		{[4]byte{200, 100, 50, 136}, []float32{200, 100, 50, 1}},
		{[4]byte{255, 1, 0, 255}, []float32{0x1.fep126, 0x1p119, 0, 1}},
		{[4]byte{255, 1, 0, 1}, []float32{0x1.fep-128, 0x1p-135, 0, 1}},
	} {
		if d := cmp.Diff(tc.want, floats(t, file("-Y 1 +X 1", tc.packed[:]...))); d != "" {
			t.Errorf("%v: %s", tc.packed, d)
		}
	}
}

// TestHeaderVariablesAreUndone checks that pixels are divided by the exposure and raised to the
// gamma in the header.
func TestHeaderVariablesAreUndone(t *testing.T) {
	for _, tc := range []struct {
		lines string
		want  []float32
	}{
		{"# a comment\npfilt -e 2\nSOFTWARE=x\n", []float32{1, 0.5, 0.25, 1}},
		{"EXPOSURE=2\nEXPOSURE= 4\n", []float32{0.125, 0.0625, 0.03125, 1}},
		{"COLORCORR= 2 1 0.5\n", []float32{0.5, 0.5, 0.5, 1}},
		{"GAMMA=2\n", []float32{1, 0.25, 0.0625, 1}},
		{"GAMMA=2\nEXPOSURE=0.5\n", []float32{2, 0.5, 0.125, 1}},
		{"EXPOSURE=1e-20\n", []float32{1e20, 0.5e20, 0.25e20, 1}},
	} {
		data := "#?RGBE\n" + tc.lines + "\n-Y 1 +X 1\n\x80\x40\x20\x81"
		if d := cmp.Diff(tc.want, floats(t, []byte(data))); d != "" {
			t.Errorf("%q: %s", tc.lines, d)
		}
	}
	for _, lines := range []string{"EXPOSURE=1e-20", "GAMMA=10", "GAMMA=10\nEXPOSURE=1e-20"} {
		got := floats(t, []byte("#?RGBE\n"+lines+"\n\n-Y 1 +X 1\n\xff\x00\x00\xff"))
		if d := cmp.Diff([]float32{math.MaxFloat32, 0, 0, 1}, got); d != "" {
			t.Errorf("%s, beyond float32: %s", lines, d)
		}
	}
	h, err := ReadHeader(strings.NewReader("#?RADIANCE\r\nPRIMARIES=1 0 0 1 0 0 .3 .3\r\n\r\n-Y 1 +X 1\r\n"))
	if err != nil || h.Primaries != "1 0 0 1 0 0 .3 .3" {
		t.Errorf("header %+v, error %v", h, err)
	}
}

// TestAxisOrdersGiveOnePicture checks that all eight axis orders give the same image of 3 x 2
// pixels.
func TestAxisOrdersGiveOnePicture(t *testing.T) {
	const want = "1 2 3 / 4 5 6"
	for resolution, order := range map[string]string{
		"-Y 2 +X 3": "123456", "-Y 2 -X 3": "321654", "+Y 2 +X 3": "456123", "+Y 2 -X 3": "654321",
		"+X 3 -Y 2": "142536", "+X 3 +Y 2": "415263", "-X 3 -Y 2": "362514", "-X 3 +Y 2": "635241",
	} {
		var body []byte
		for _, c := range []byte(order) {
			body = append(body, c-'0', 0, 0, 136)
		}
		p, err := decode(file(resolution, body...))
		if err != nil {
			t.Fatal(err)
		}
		var rows []string
		for y := range 2 {
			row := make([]float32, 12)
			p.Row(row, y)
			rows = append(rows, fmt.Sprint(row[0], row[4], row[8]))
		}
		if got := strings.Join(rows, " / "); got != want || p.Width != 3 || p.Height != 2 {
			t.Errorf("%s: %s, %d x %d; want %s", resolution, got, p.Width, p.Height, want)
		}
	}
}

func TestScanLines(t *testing.T) {
	ten := func(v ...byte) (out []byte) { // a row with the given packets of red; the other channels are constant
		out = append([]byte{2, 2, 0, 10}, v...)
		return append(out, 128+10, 0, 128+10, 0, 128+10, 136)
	}
	ramp := []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	for _, tc := range []struct {
		name string
		file []byte
		red  []float32
	}{
		{"by channel, plain", file("-Y 1 +X 10", ten(append([]byte{10}, ramp...)...)...), []float32{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}},
		{"by channel, packed", file("-Y 1 +X 10", ten(128+8, 5, 2, 6, 7)...), []float32{5, 5, 5, 5, 5, 5, 5, 5, 6, 7}},
		{"by pixel", file("-Y 1 +X 2", 5, 0, 0, 136, 6, 0, 0, 136), []float32{5, 6}},
		{"repeated", file("-Y 1 +X 4", 5, 0, 0, 136, 1, 1, 1, 2, 6, 0, 0, 136), []float32{5, 5, 5, 6}},
		{"long pixels that look like no channels", file("-Y 1 +X 8", 2, 2, 128, 136, 1, 1, 1, 7), []float32{2, 2, 2, 2, 2, 2, 2, 2}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var red []float32
			for i, v := range floats(t, tc.file) {
				if i%4 == 0 {
					red = append(red, v)
				}
			}
			if d := cmp.Diff(tc.red, red); d != "" {
				t.Error(d)
			}
		})
	}
	// The two repetitions cover 3 and 2*256 pixels.
	long := floats(t, file("-Y 1 +X 516", 9, 0, 0, 136, 1, 1, 1, 3, 1, 1, 1, 2))
	if long[0] != 9 || long[4*515] != 9 {
		t.Errorf("ends of a long repetition: %g, %g", long[0], long[4*515])
	}
}

func TestBadRadianceFilesAreRefused(t *testing.T) {
	with := func(line string) []byte { return []byte("#?RADIANCE\n" + line + "\n\n-Y 1 +X 1\n\x01\x02\x03\x04") }
	for _, tc := range []struct {
		want string
		file []byte
	}{
		{"does not start with \"#?", []byte("RADIANCE\n")},
		{"ra_xyze -r", with("FORMAT=32-bit_rle_xyze")},
		{`the format "16-bit" is not supported`, with("FORMAT=16-bit")},
		{"not a number above 0", with("EXPOSURE=-1")},
		{"not a number above 0", with("EXPOSURE=nan")},
		{"not a number above 0", with("COLORCORR=1 2 x")},
		{"does not have three numbers", with("COLORCORR=1 2")},
		{"is not between 0.1 and 10", with("GAMMA=11")},
		{"is out of range", with("EXPOSURE=1e20\nEXPOSURE=1e20")},
		{"header is longer than", with(strings.Repeat("x", maxHeader))},
		{"resolution line", file("-Y 1 +Y 1")},
		{"resolution line", file("-Y 1 +X")},
		{"resolution line", file("Y 1 +X 1")},
		{"0 x 1 pixels", file("-Y 1 +X 0")},
		{"-7 x 1 pixels", file("-Y 1 +X -7")},
		{"the scan line has 9 pixels, want 8; save the image again", file("-Y 1 +X 8", 2, 2, 0, 9)},
		{"run has 0 pixels", file("-Y 1 +X 8", 2, 2, 0, 8, 0)},
		{"run has 9 pixels, but the row has only 8 more", file("-Y 1 +X 8", 2, 2, 0, 8, 137, 1)},
		{"run has 3 pixels, but the row has only 1 more", file("-Y 1 +X 8", 2, 2, 0, 8, 135, 1, 3, 1, 1, 1)},
		{"starts with a repetition", file("-Y 1 +X 2", 1, 1, 1, 2)},
		{"repetition has 2 pixels, but the row has only 1 more", file("-Y 1 +X 2", 5, 5, 5, 5, 1, 1, 1, 2)},
		{"repetition has 1073741824 pixels", file("-Y 1 +X 2", 5, 5, 5, 5, 1, 1, 1, 0, 1, 1, 1, 0, 1, 1, 1, 0, 1, 1, 1, 64)},
		{"repetition is too long", file("-Y 1 +X 2", 5, 5, 5, 5, 1, 1, 1, 0, 1, 1, 1, 0, 1, 1, 1, 0, 1, 1, 1, 0, 1, 1, 1, 0)},
	} {
		if _, err := decode(tc.file); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("error %v, want %q", err, tc.want)
		}
	}
}

// TestPicturesSurviveAllEncodings encodes and decodes images in each encoding. Truncated files must
// give errors.
func TestPicturesSurviveAllEncodings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(1, 300).Draw(t, "w"), rapid.IntRange(1, 6).Draw(t, "h")
		colors, state := rapid.IntRange(1, 4).Draw(t, "colors"), rapid.Uint32().Draw(t, "seed")
		way := rapid.SampledFrom([]string{"flat", "repeated", "by channel"}).Draw(t, "way")
		pix := make([]byte, 0, 4*w*h)
		for range w * h {
			state = state*1664525 + 1013904223
			v := byte(int(state>>24) % colors)
			pix = append(pix, 130+v, 2*v, 3*v, 128+v)
		}
		data := file(fmt.Sprintf("-Y %d +X %d", h, w))
		for y := range h {
			data = append(data, encodeLine(pix[4*w*y:4*w*(y+1)], way)...)
		}
		p, err := decode(data)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(pix, p.packed) {
			t.Fatal("pixels differ")
		}
		if p.LeastBytes() > int64(len(data)) {
			t.Fatalf("LeastBytes is %d for a file of %d bytes", p.LeastBytes(), len(data))
		}
		n := rapid.IntRange(0, len(data)-1).Draw(t, "n")
		if _, err := decode(data[:n]); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Fatalf("first %d of %d bytes: error %v", n, len(data), err)
		}
	})
}

func encodeLine(line []byte, way string) (out []byte) {
	n := len(line) / 4
	switch {
	case way == "flat":
		return line
	case way == "by channel" && n >= leastByChannel:
		out = append(out, 2, 2, byte(n>>8), byte(n))
		for c := range 4 {
			for i := 0; i < n; {
				v, run := line[4*i+c], 1
				for i+run < n && run < 127 && line[4*(i+run)+c] == v {
					run++
				}
				if run == 1 {
					out = append(out, 1, v)
				} else {
					out = append(out, byte(128+run), v)
				}
				i += run
			}
		}
		return out
	}
	for i := 0; i < n; {
		p, run := line[4*i:4*i+4], 1
		for i+run < n && bytes.Equal(line[4*(i+run):4*(i+run)+4], p) {
			run++
		}
		i += run
		out = append(out, p...)
		for run--; run > 0; run >>= 8 {
			out = append(out, 1, 1, 1, byte(run))
		}
	}
	return out
}

func decode(data []byte) (*Image, error) {
	return Decode(bytes.NewReader(data), int64(len(data)))
}

func TestShortRadianceFileAllocatesNothing(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := decode(file("-Y 20000 +X 20000", 2, 2, 20000>>8, 20000&255, 1))
	runtime.ReadMemStats(&after)
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("error %v, want unexpected end", err)
	}
	if got := after.TotalAlloc - before.TotalAlloc; got > 1<<16 {
		t.Errorf("allocated %d bytes", got)
	}
}

func FuzzHDR(f *testing.F) {
	f.Add(file("-Y 1 +X 10", 2, 2, 0, 10, 138, 1, 138, 2, 138, 3, 10, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10))
	f.Add(file("+X 4 -Y 1", 5, 0, 0, 136, 1, 1, 1, 2, 6, 0, 0, 136))
	f.Add([]byte("#?RGBE\nGAMMA=2.2\nEXPOSURE=3\nCOLORCORR=1 2 3\n\n-Y 1 +X 1\n\x80\x40\x20\x81"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if h, err := ReadHeader(bufio.NewReader(bytes.NewReader(data))); err != nil || h.Width > 1<<12 || h.Height > 1<<12 {
			return
		}
		p, err := decode(data)
		if err != nil {
			return
		}
		h, err := ReadHeader(bufio.NewReader(bytes.NewReader(data)))
		if err != nil || h != p.Header || h.LeastBytes() > int64(len(data)) {
			t.Errorf("%d bytes, header %+v, error %v", len(data), h, err)
		}
		row := make([]float32, 4*p.Width)
		for y := range p.Height {
			p.Row(row, y)
			for _, v := range row {
				if !(v >= 0 && v <= math.MaxFloat32) {
					t.Fatalf("light of %g", v)
				}
			}
		}
	})
}

func ExampleDecode() {
	// The single pixel has mantissas of 128, 64 and 0 and the exponent 129.
	const data = "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 1 +X 1\n\x80\x40\x00\x81"
	p, err := Decode(strings.NewReader(data), int64(len(data)))
	row := make([]float32, 4)
	p.Row(row, 0)
	fmt.Println(p.Width, p.Height, row, err)
	// Output: 1 1 [1 0.5 0 1] <nil>
}
