package source

import (
	stdimage "image"
	"image/color"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestChromaAgreesWithReferenceDecoders decodes images in testdata/reference, which were made by
// cjpeg 2.1.5 and cwebp 1.2.4. For each, a PNG file holds the result of djpeg or dwebp. The blocks
// of the JPEG files have only a DC coefficient, which all decoders decode equally. So only
// interpolated chroma at the edges of blocks can differ.
func TestChromaAgreesWithReferenceDecoders(t *testing.T) {
	files, err := filepath.Glob("testdata/reference/*.png")
	if err != nil || len(files) != 8 {
		t.Fatalf("%d files, want 8, error %v", len(files), err)
	}
	for _, file := range files {
		name := file[:len(file)-len(".png")]
		want, _, err := Decode(t.Context(), read(t, file), ".png", maxSide)
		if err != nil {
			t.Fatal(err)
		}
		got, _, err := Decode(t.Context(), read(t, name), filepath.Ext(name), maxSide)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", filepath.Base(name), d)
		}
	}
}

// TestUpsamplersWeighByDistance checks that the nearer sample has three times the weight of the
// farther sample in each direction. At the edges there is only one sample.
func TestUpsamplersWeighByDistance(t *testing.T) {
	// beside returns the sample that contains a pixel, and the nearest other sample.
	beside := func(x, n int) (near, far int) {
		near, far = x/2, x/2-1
		if x%2 == 1 {
			far = x/2 + 1
		}
		return near, max(0, min(n-1, far))
	}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(3, 9).Draw(t, "n")
		near := rapid.SliceOfN(rapid.Byte(), n, n).Draw(t, "near")
		far := rapid.SliceOfN(rapid.Byte(), n, n).Draw(t, "far")
		below := rapid.Bool().Draw(t, "below")
		across, down, both, webp := make([]byte, 2*n), make([]byte, n), make([]byte, 2*n), make([]byte, 2*n)
		jpegUpsampler(n, 2, 1)(across, near, far, below)
		jpegUpsampler(n, 1, 2)(down, near, far, below)
		jpegUpsampler(n, 2, 2)(both, near, far, below)
		webpUpsample(webp, near, far, below)
		for x := range 2 * n {
			i, j := beside(x, n)
			a, b, c, d := int(near[i]), int(near[j]), int(far[i]), int(far[j])
			if want := (3*a + b + 1 + x%2) / 4; int(across[x]) != want {
				t.Errorf("across: pixel %d is %d, want %d", x, across[x], want)
			}
			if want := (9*a + 3*b + 3*c + d + 8 - x%2) / 16; int(both[x]) != want {
				t.Errorf("both: pixel %d is %d, want %d", x, both[x], want)
			}
			// libwebp rounds an intermediate result down, which loses half a step.
			if want := ((a+3*b+3*c+d+8)/8 + a) / 2; int(webp[x]) != want {
				t.Errorf("webp: pixel %d is %d, want %d", x, webp[x], want)
			}
			if x < n {
				bias := 1
				if below {
					bias = 2
				}
				if want := (3*int(near[x]) + int(far[x]) + bias) / 4; int(down[x]) != want {
					t.Errorf("down: pixel %d is %d, want %d", x, down[x], want)
				}
			}
		}
	})
}

// TestCoarseChromaIsReplicated checks all cases in which libjpeg replicates chroma samples.
func TestCoarseChromaIsReplicated(t *testing.T) {
	for _, tc := range []struct{ n, across, down int }{{2, 2, 1}, {2, 2, 2}, {5, 4, 1}, {5, 4, 2}} {
		near, far, got := []byte{10, 50, 90, 20, 70}[:tc.n], make([]byte, tc.n), make([]byte, tc.n*tc.across)
		jpegUpsampler(tc.n, tc.across, tc.down)(got, near, far, true)
		for x, v := range got {
			if v != near[x/tc.across] {
				t.Errorf("%+v: pixel %d is %d, want %d", tc, x, v, near[x/tc.across])
			}
		}
	}
}

// TestYCbCrRowsFindTheirChroma checks that the upsamplers get the right rows of chroma for images
// of any height. A single row of chroma serves as both rows.
func TestYCbCrRowsFindTheirChroma(t *testing.T) {
	for _, ratio := range []stdimage.YCbCrSubsampleRatio{
		stdimage.YCbCrSubsampleRatio444, stdimage.YCbCrSubsampleRatio422, stdimage.YCbCrSubsampleRatio420,
		stdimage.YCbCrSubsampleRatio440, stdimage.YCbCrSubsampleRatio411, stdimage.YCbCrSubsampleRatio410,
	} {
		for w := 1; w < 12; w++ {
			for h := 1; h < 6; h++ {
				m := stdimage.NewYCbCr(stdimage.Rect(0, 0, w, h), ratio)
				noise(m.Y, false)
				for i := range m.Cb {
					m.Cb[i], m.Cr[i] = 90, 200
				}
				readers := map[string]row[uint8]{"jpeg": yCbCrRows(m, jpegUpsampler, jpegColors)}
				if ratio == stdimage.YCbCrSubsampleRatio420 {
					readers["webp"] = webpRows(m)
				}
				for name, rows := range readers {
					got, want := make([]byte, 4*w), make([]byte, 4*w)
					for y := range h {
						rows(got, y)
						for x := range w {
							colors := jpegColors
							if name == "webp" {
								colors = webpColors
							}
							colors(want[4*x:], m.Y[m.YOffset(x, y):][:1], []byte{90}, []byte{200})
						}
						if d := cmp.Diff(want, got); d != "" {
							t.Fatalf("%s %v, %d x %d, row %d: %s", name, ratio, w, h, y, d)
						}
					}
				}
			}
		}
	}
}

// TestJPEGColors checks that the conversion differs from color.YCbCrToRGB only by rounding.
func TestJPEGColors(t *testing.T) {
	got := make([]byte, 4)
	for y := 0; y < 256; y += 5 {
		for cb := 0; cb < 256; cb += 5 {
			for cr := 0; cr < 256; cr += 5 {
				jpegColors(got, []byte{byte(y)}, []byte{byte(cb)}, []byte{byte(cr)})
				r, g, b := color.YCbCrToRGB(byte(y), byte(cb), byte(cr))
				for i, want := range []byte{r, g, b} {
					if d := int(got[i]) - int(want); d < -1 || d > 1 {
						t.Fatalf("%d %d %d is %v, want %d %d %d", y, cb, cr, got, r, g, b)
					}
				}
			}
		}
	}
}

func TestWebPColors(t *testing.T) {
	for _, tc := range []struct{ y, cb, cr, r, g, b uint8 }{
		{16, 128, 128, 0, 0, 0}, {235, 128, 128, 255, 255, 255}, {0, 128, 128, 0, 0, 0}, {255, 128, 128, 255, 255, 255},
		{81, 90, 240, 254, 0, 0}, // the red bar of the BT.601 color bars, rounded as in BT.601
		{126, 128, 128, 128, 128, 128},
	} {
		got := make([]byte, 4)
		webpColors(got, []byte{tc.y}, []byte{tc.cb}, []byte{tc.cr})
		if want := []byte{tc.r, tc.g, tc.b, 255}; cmp.Diff(want, got) != "" {
			t.Errorf("%d %d %d is %v, want %v", tc.y, tc.cb, tc.cr, got, want)
		}
	}
}
