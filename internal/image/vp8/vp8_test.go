package vp8

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"image"
	"math"
	"math/rand/v2"
	"testing"

	"golang.org/x/image/vp8"
	"pgregory.net/rapid"

	"github.com/assetcook/assetcook/internal/image/blockfit"
)

// landscape returns an image with smooth, rough, sharp and flat parts. Alpha is 0 in its lower quarter.
func landscape(w, h int) []uint8 {
	noise := rand.New(rand.NewPCG(1, 2))
	pix := make([]uint8, 4*w*h)
	for i := range w * h {
		x, y := i%w, i/w
		r, g, b := 255*x/w, 255*y/h, 128
		switch {
		case x > w/2 && y < h/2:
			v := noise.IntN(80)
			r, g, b = r/2+v, g/2+v, v+40
		case x > w/2:
			r, g, b = 255*(x/8%2), 255*(y/8%2), 255*((x+y)/16%2)
		case y > h/2:
			r, g, b = 200, 60, 30
		}
		pix[4*i], pix[4*i+1], pix[4*i+2], pix[4*i+3] = uint8(r), uint8(g), uint8(b), 255
		if y >= h*3/4 {
			pix[4*i+3] = 0
		}
	}
	return pix
}

func decodeFrame(t *testing.T, frame []byte) *image.YCbCr {
	t.Helper()
	d := vp8.NewDecoder()
	d.Init(bytes.NewReader(frame), len(frame))
	if _, err := d.DecodeFrameHeader(); err != nil {
		t.Fatal(err)
	}
	m, err := d.DecodeFrame()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func encodeLandscape(t *testing.T, w, h int, o Options) []byte {
	t.Helper()
	frame, err := Encode(t.Context(), landscape(w, h), w, h, o)
	if err != nil {
		t.Fatal(err)
	}
	return frame
}

// TestDecoderSeesTheCountedError encodes without the loop filter. The error of the decoded frame
// must equal the encoder's sum, which shows that both predict and transform alike.
func TestDecoderSeesTheCountedError(t *testing.T) {
	for _, effort := range []blockfit.Quality{blockfit.Fast, blockfit.Normal, blockfit.Best} {
		for _, quality := range []int{1, 30, 75, 100} {
			for _, size := range [][2]int{{1, 1}, {16, 16}, {17, 33}, {150, 100}} {
				w, h := size[0], size[1]
				e := newEncoder(landscape(w, h), w, h, Options{Quality: quality, Effort: effort})
				e.filter = 0
				if err := e.encode(t.Context()); err != nil {
					t.Fatal(err)
				}
				frame, err := e.write(w, h, maxPartition)
				if err != nil {
					t.Fatal(err)
				}
				if lost := e.difference(decodeFrame(t, frame)); lost != e.lost {
					t.Errorf("effort %d, quality %d, %d x %d: the decoder's error is %d, the encoder's %d", effort, quality, w, h, lost, e.lost)
				}
			}
		}
	}
}

// noisyRuns returns random runs of equal pixels, whose mean length is about runs.
func noisyRuns(w, h int, seed uint64, runs int) []uint8 {
	noise := rand.New(rand.NewPCG(seed, 0))
	pix := make([]uint8, 4*w*h)
	for i := range pix {
		if i < 4 || noise.IntN(runs) == 0 {
			pix[i] = uint8(noise.Int())
		} else {
			pix[i] = pix[i-4]
		}
	}
	return pix
}

// The loop filter would blur this image, so Encode must write the frame without the filter.
func TestLoopFilterIsOmittedIfItBlurs(t *testing.T) {
	const w, h = 1, 17
	pix, o := noisyRuns(w, h, 0x32, 22), Options{Quality: 3}
	frame, err := Encode(t.Context(), pix, w, h, o)
	if err != nil {
		t.Fatal(err)
	}
	e := newEncoder(pix, w, h, o)
	if err := e.encode(t.Context()); err != nil {
		t.Fatal(err)
	}
	if lost := e.difference(decodeFrame(t, frame)); e.filter == 0 || lost != e.lost {
		t.Errorf("filter %d: the error is %d, want %d", e.filter, lost, e.lost)
	}
}

// TestEveryImageIsAFrame encodes random images with random options. Encode verifies each frame by
// decoding it.
func TestEveryImageIsAFrame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(1, 50).Draw(t, "w"), rapid.IntRange(1, 50).Draw(t, "h")
		pix := noisyRuns(w, h, rapid.Uint64().Draw(t, "seed"), rapid.IntRange(1, 100).Draw(t, "runs"))
		o := Options{Quality: rapid.IntRange(1, 100).Draw(t, "quality"), Effort: blockfit.Quality(rapid.IntRange(0, 2).Draw(t, "effort")), ByAlpha: rapid.Bool().Draw(t, "by alpha")}
		frame, err := Encode(context.Background(), pix, w, h, o)
		if err != nil {
			t.Fatal(err)
		}
		d := vp8.NewDecoder()
		d.Init(bytes.NewReader(frame), len(frame))
		if got, err := d.DecodeFrameHeader(); err != nil || got.Width != w || got.Height != h {
			t.Fatalf("the frame has %d x %d pixels, error %v", got.Width, got.Height, err)
		}
	})
}

// lumaPSNR returns the PSNR of the brightness of a decoded landscape.
func lumaPSNR(m *image.YCbCr, pix []uint8, w, h int) float64 {
	p := separate(pix, w, h, false)
	var sum float64
	for y := range h {
		for x := range w {
			d := float64(p.luma[y*16*p.w+x]) - float64(m.Y[y*m.YStride+x])
			sum += float64(d * d)
		}
	}
	return 10 * math.Log10(255*255*float64(w*h)/sum)
}

func TestQualityRaisesPSNRAndSize(t *testing.T) {
	const w, h = 200, 160
	for _, tc := range []struct {
		effort blockfit.Quality
		floors []float64 // minimum PSNR by quality
		most   []int     // maximum size in bytes by quality
	}{
		{blockfit.Fast, []float64{26.4, 37.1, 40.4, 46.7, 54.2}, []int{915, 4030, 5030, 7530, 11240}},
		{blockfit.Normal, []float64{26.2, 37.4, 40.7, 47.2, 54.8}, []int{770, 4000, 4920, 7470, 11020}},
		{blockfit.Best, []float64{26.2, 37.9, 41.2, 47.9, 55.9}, []int{770, 4040, 4920, 7320, 10900}},
	} {
		size, psnr := 0, 0.0
		for i, quality := range []int{1, 50, 75, 90, 100} {
			frame := encodeLandscape(t, w, h, Options{Quality: quality, Effort: tc.effort})
			db := lumaPSNR(decodeFrame(t, frame), landscape(w, h), w, h)
			if db < tc.floors[i] || len(frame) > tc.most[i] {
				t.Errorf("effort %d, quality %d: %d bytes, %.2f dB; want at most %d, at least %.1f", tc.effort, quality, len(frame), db, tc.most[i], tc.floors[i])
			}
			if len(frame) <= size || db <= psnr {
				t.Errorf("effort %d, quality %d: not larger and better than the quality before", tc.effort, quality)
			}
			size, psnr = len(frame), db
		}
	}
}

func TestHiddenPixelsTakeNoSpace(t *testing.T) {
	const w, h = 128, 128
	all := encodeLandscape(t, w, h, Options{Quality: 80})
	visible := encodeLandscape(t, w, h, Options{Quality: 80, ByAlpha: true})
	if len(visible) > len(all)*9/10 {
		t.Errorf("%d bytes, with hidden pixels %d", len(visible), len(all))
	}
}

// TestHiddenColorsAtEdgesTakeNoSpace makes every other column transparent and white. The frame must be
// nearly as small as without the white columns, although no macroblock is hidden.
func TestHiddenColorsAtEdgesTakeNoSpace(t *testing.T) {
	const w, h = 128, 128
	pix := make([]uint8, 4*w*h)
	for i := range w * h {
		copy(pix[4*i:], []uint8{90, 110, uint8(i / w), 255})
	}
	plain, err := Encode(t.Context(), pix, w, h, Options{Quality: 80, ByAlpha: true})
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < w*h; i += 2 {
		copy(pix[4*i:], []uint8{255, 255, 255, 0})
	}
	striped, err := Encode(t.Context(), pix, w, h, Options{Quality: 80, ByAlpha: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(striped) > 2*len(plain) {
		t.Errorf("%d bytes with hidden columns, %d without", len(striped), len(plain))
	}
}

// TestModesStayWithinTheirLimit sets a limit that is too low for the modes of 4 by 4 blocks. No
// macroblock may be split.
func TestModesStayWithinTheirLimit(t *testing.T) {
	const w, h = 96, 96
	splits := func(limit int64) (n int) {
		e := newEncoder(landscape(w, h), w, h, Options{Quality: 75})
		e.modeLimit = min(e.modeLimit, limit)
		if err := e.encode(t.Context()); err != nil {
			t.Fatal(err)
		}
		frame, err := e.write(w, h, maxPartition)
		if err != nil || e.verify(frame) != nil {
			t.Fatal(err, e.verify(frame))
		}
		for i := range e.code {
			if e.code[i].split {
				n++
			}
		}
		return n
	}
	if free, limited := splits(math.MaxInt64), splits(256*4); free == 0 || limited != 0 {
		t.Errorf("%d split macroblocks, %d with a limit; want some, and none", free, limited)
	}
}

// TestTokensAreDividedAmongPartitions lowers the maximum size of a partition, so that several are
// needed.
func TestTokensAreDividedAmongPartitions(t *testing.T) {
	const w, h = 256, 256
	e := newEncoder(landscape(w, h), w, h, Options{Quality: 90})
	if err := e.encode(t.Context()); err != nil {
		t.Fatal(err)
	}
	whole, err := e.write(w, h, maxPartition)
	if err != nil {
		t.Fatal(err)
	}
	want := decodeFrame(t, whole)
	for n := 2; n <= maxPartitions; n *= 2 {
		frame, err := e.write(w, h, len(whole)*13/10/n)
		if err != nil {
			t.Fatal(err)
		}
		if got := decodeFrame(t, frame); !bytes.Equal(got.Y, want.Y) || bytes.Equal(frame, whole) {
			t.Errorf("%d partitions: other pixels, or one partition", n)
		}
	}
	if _, err := e.write(w, h, len(whole)/20); err == nil {
		t.Error("20 partitions: no error")
	}
}

func TestUnfitImagesAreErrors(t *testing.T) {
	for _, size := range [][2]int{{0, 1}, {1, 0}, {MaxSide + 1, 1}, {1, MaxSide + 1}} {
		if _, err := Encode(t.Context(), make([]uint8, 4*(MaxSide+1)), size[0], size[1], Options{Quality: 50}); err == nil {
			t.Errorf("%d x %d pixels: no error", size[0], size[1])
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Encode(ctx, landscape(8, 8), 8, 8, Options{Quality: 50}); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

// verify must return an error for the frame of another image.
func TestWrongFrameIsAnError(t *testing.T) {
	const w, h = 64, 64
	e := newEncoder(landscape(w, h), w, h, Options{Quality: 90})
	if err := e.encode(t.Context()); err != nil {
		t.Fatal(err)
	}
	frame, err := e.write(w, h, maxPartition)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.verify(frame); err != nil {
		t.Error(err)
	}
	fill(e.luma, 0)
	if err := e.verify(frame); err == nil {
		t.Error("another image: no error")
	}
	if err := e.verify(frame[:20]); err == nil {
		t.Error("a truncated frame: no error")
	}
}

// TestFramesAreTheSameEverywhere compares a checksum over many frames with the checksum measured on
// amd64.
func TestFramesAreTheSameEverywhere(t *testing.T) {
	sum := sha256.New()
	for _, effort := range []blockfit.Quality{blockfit.Fast, blockfit.Normal, blockfit.Best} {
		for quality := 1; quality <= 100; quality += 9 {
			for _, byAlpha := range []bool{false, true} {
				sum.Write(encodeLandscape(t, 90, 70, Options{Quality: quality, Effort: effort, ByAlpha: byAlpha}))
			}
		}
	}
	const want = "4df9c8e06e5963a9bc7e049d2749b572e47a95cacbf132d21e988aad929367b5"
	if got := hex.EncodeToString(sum.Sum(nil)); got != want {
		t.Errorf("the frames have the checksum %s, want %s; if they change on purpose, raise the versions of the recipes that write WebP", got, want)
	}
}
