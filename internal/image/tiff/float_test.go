package tiff

import (
	"encoding/binary"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assetcook/assetcook/internal/image/pixmap"
)

// drawFloat returns the expected values of the images in testdata whose names contain float or
// wide. These images were written by libtiff 4.5. The wide images hold integers, which are 2^26
// times the floats.
func drawFloat(c, x, y int) float32 {
	v := float32(3*x+5*y+7*c) / 16
	if (x*y+c)%5 == 0 {
		v += 16
	}
	return v
}

func TestLibtiffFloatsAreDecoded(t *testing.T) {
	files, err := filepath.Glob("testdata/float-*.tif")
	if err != nil || len(files) != 10 {
		t.Fatalf("%d files, error %v", len(files), err)
	}
	for _, file := range files {
		m, repairs, err := Decode(t.Context(), read(t, file))
		if err != nil || m.Depth() != pixmap.Float || m.W < 9 || m.H < 7 || repairs != (pixmap.Repairs{}) {
			t.Errorf("%s: %+v, %+v, error %v", file, m, repairs, err)
			continue
		}
		for i := range m.W * m.H {
			want := []float32{0, 0, 0, 1}
			for c := range 3 {
				from := c
				if strings.Contains(file, "gray") {
					from = 0
				}
				want[c] = drawFloat(from, i%m.W, i/m.W)
			}
			if d := cmp.Diff(want, m.PixF[4*i:4*i+4]); d != "" {
				t.Fatalf("%s: pixel %d: %s", file, i, d)
			}
		}
	}
}

func TestLibtiffWideNumbersAreDecoded(t *testing.T) {
	files, err := filepath.Glob("testdata/wide-*.tif")
	if err != nil || len(files) != 4 {
		t.Fatalf("%d files, error %v", len(files), err)
	}
	for _, file := range files {
		m, _, err := Decode(t.Context(), read(t, file))
		if err != nil || m.Depth() != pixmap.Bits16 || m.W < 9 || m.H < 7 {
			t.Errorf("%s: %+v, error %v", file, m, err)
			continue
		}
		for i := range m.W * m.H {
			want := []uint16{0, 0, 0, 65535}
			for c := range 3 {
				from := c
				if strings.Contains(file, "gray") {
					from = 0
				}
				want[c] = uint16(1024 * drawFloat(from, i%m.W, i/m.W))
			}
			if d := cmp.Diff(want, m.Pix16[4*i:4*i+4]); d != "" {
				t.Fatalf("%s: pixel %d: %s", file, i, d)
			}
		}
	}
}

// TestInvalidFloatsAreRepaired checks images of floats with alpha. Invalid light values must be
// replaced.
func TestInvalidFloatsAreRepaired(t *testing.T) {
	var pixels []byte
	for _, v := range []float64{0.5, 0.5, -1, 2, math.Inf(1), 0, math.NaN(), 1} { // pairs of gray and alpha
		pixels = binary.LittleEndian.AppendUint32(pixels, math.Float32bits(float32(v)))
	}
	float := tag{tagSampleFormat, []int{3}}
	m, repairs, err := Decode(t.Context(), file(pixels, picture(4, 1, 32, blackIsZero, 2, float, tag{tagExtraSamples, []int{1}})...))
	if err != nil {
		t.Fatal(err)
	}
	want := []float32{1, 1, 1, 0.5, 0, 0, 0, 1, 65504, 65504, 65504, 0, 0, 0, 0, 1}
	if d := cmp.Diff(want, m.PixF); d != "" || repairs != (pixmap.Repairs{Negative: 1, Infinite: 1, NaN: 1}) {
		t.Errorf("%+v: %s", repairs, d)
	}
}
