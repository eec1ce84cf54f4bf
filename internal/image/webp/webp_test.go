package webp

import (
	"bytes"
	"context"
	"errors"
	"image"
	"io"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"

	"golang.org/x/image/webp"
	"pgregory.net/rapid"

	"github.com/assetcook/assetcook/internal/image/pixmap"
)

func painted(w, h int, at func(x, y int) [4]uint8) *pixmap.Map {
	m := pixmap.New(w, h, pixmap.Bits8)
	for i := range w * h {
		c := at(i%w, i/w)
		copy(m.Pix8[4*i:], c[:])
	}
	return m
}

// TestPixelsSurviveWebP checks that all pixels are restored, including hidden colors. Images with
// few colors must become small files, because they use a palette.
func TestPixelsSurviveWebP(t *testing.T) {
	noise := rand.New(rand.NewPCG(3, 4))
	for _, tc := range []struct {
		name string
		w, h int
		at   func(x, y int) [4]uint8
		most int // maximum size in bytes
	}{
		{"one pixel", 1, 1, func(x, y int) [4]uint8 { return [4]uint8{1, 2, 3, 4} }, 60},
		{"one color", 99, 77, func(x, y int) [4]uint8 { return [4]uint8{1, 2, 3, 255} }, 120},
		{"a column", 1, 400, func(x, y int) [4]uint8 { return [4]uint8{uint8(y), 2, 3, 255} }, 700},
		{"two colors", 64, 64, func(x, y int) [4]uint8 { return [4]uint8{uint8(noise.IntN(2)), 0, 0, 255} }, 800},
		{"16 colors", 64, 64, func(x, y int) [4]uint8 { return [4]uint8{uint8(noise.IntN(16)), 0, 0, 255} }, 2600},
		{"hidden colors", 64, 64, func(x, y int) [4]uint8 { return [4]uint8{uint8(4 * x), uint8(4 * y), 0, uint8(x % 2 * 255)} }, 9000},
		{"noise", 64, 64, func(x, y int) [4]uint8 {
			return [4]uint8{uint8(noise.Int()), uint8(noise.Int()), uint8(noise.Int()), uint8(noise.Int())}
		}, 17500},
	} {
		m := painted(tc.w, tc.h, tc.at)
		var file bytes.Buffer
		if err := Encode(t.Context(), &file, m, false); err != nil {
			t.Errorf("%s: %v", tc.name, err)
			continue
		}
		back, err := webp.Decode(bytes.NewReader(file.Bytes()))
		if err != nil || !bytes.Equal(back.(*image.NRGBA).Pix, m.Pix8) {
			t.Errorf("%s: other pixels, error %v", tc.name, err)
		}
		if file.Len() > tc.most {
			t.Errorf("%s: %d bytes, want at most %d", tc.name, file.Len(), tc.most)
		}
	}
}

// TestEveryImageIsEncoded encodes random images at both settings of best.
func TestEveryImageIsEncoded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(1, 40).Draw(t, "w"), rapid.IntRange(1, 40).Draw(t, "h")
		colors := rapid.SliceOfN(rapid.Uint32(), 1, 300).Draw(t, "colors")
		noise := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		runs := rapid.IntRange(1, 50).Draw(t, "runs")
		c := colors[0]
		m := painted(w, h, func(x, y int) [4]uint8 {
			if noise.IntN(runs) == 0 {
				c = colors[noise.IntN(len(colors))]
			}
			return [4]uint8{uint8(c), uint8(c >> 8), uint8(c >> 16), uint8(c >> 24)}
		})
		if err := Encode(context.Background(), io.Discard, m, rapid.Bool().Draw(t, "best")); err != nil {
			t.Fatal(err)
		}
	})
}

func TestColorsOfEveryAlphaSurvive(t *testing.T) {
	m := painted(256, 256, func(x, y int) [4]uint8 { return [4]uint8{uint8(x), uint8(255 - x), uint8(x * 7), uint8(y)} })
	if err := Encode(t.Context(), io.Discard, m, false); err != nil {
		t.Fatal(err)
	}
}

func TestWrongPixelsAreAnError(t *testing.T) {
	m := pixmap.New(4, 4, pixmap.Bits8)
	var file bytes.Buffer
	if err := Encode(t.Context(), &file, m, false); err != nil {
		t.Fatal(err)
	}
	if err := verify(file.Bytes(), m); err != nil {
		t.Error(err)
	}
	m.Pix8[8] = 1
	if err := verify(file.Bytes(), m); err == nil {
		t.Error("other pixels: no error")
	}
	if err := verify(nil, m); err == nil {
		t.Error("no file: no error")
	}
}

func TestUnfitPicturesAreErrors(t *testing.T) {
	if err := Encode(t.Context(), io.Discard, pixmap.New(MaxSide+1, 1, pixmap.Bits8), false); err == nil {
		t.Error("too wide: no error")
	}
	if err := Encode(t.Context(), io.Discard, pixmap.New(1, 1, pixmap.Bits16), false); err == nil {
		t.Error("16 bits: no error")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Encode(ctx, io.Discard, pixmap.New(1, 1, pixmap.Bits8), false); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

// TestWebPMemoryIsAnUpperBound compares Memory with the live heap, which it samples while the
// collector runs often.
func TestWebPMemoryIsAnUpperBound(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(10))
	noise := rand.New(rand.NewPCG(5, 6))
	for _, colors := range []int{1, 200, 1 << 30} {
		m := painted(512, 512, func(x, y int) [4]uint8 {
			c := noise.IntN(colors)
			return [4]uint8{uint8(c), uint8(c >> 8), uint8(c >> 16), 255}
		})
		runtime.GC() // otherwise garbage of earlier tests is freed meanwhile
		before := liveHeap()
		var most int64
		// The encoder writes while it still needs its memory, so there is at least one sample.
		out := writerFunc(func(p []byte) (int, error) {
			most = max(most, liveHeap()-before)
			return len(p), nil
		})
		done := make(chan error)
		go func() { done <- Encode(context.Background(), out, m, false) }()
		var during int64
		for err, running := error(nil), true; running; {
			select {
			case err = <-done:
				if running = false; err != nil {
					t.Fatal(err)
				}
			default:
				during = max(during, liveHeap()-before)
			}
		}
		most = max(most, during)
		if limit := Memory(512, 512); most > limit || most == 0 {
			t.Errorf("%d colors: %d bytes live, want at most %d", colors, most, limit)
		}
	}
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// liveHeap returns the size in bytes of all objects that have not been freed.
func liveHeap() int64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}

// TestMatchesAreAsLongAsPossible checks long runs, whose matches continue from pixel to pixel.
func TestMatchesAreAsLongAsPossible(t *testing.T) {
	pix := make([]uint32, 3*longestCopy)
	pix[2*longestCopy] = 1
	for i, m := range findMatches(pix, 64, 8) {
		if m.length == 0 {
			if i > 0 && i+1 < len(pix) && i != 2*longestCopy-1 && i != 2*longestCopy { // the only two beginnings of a new pair
				t.Fatalf("pixel %d has no match", i)
			}
			continue
		}
		if n := commonLength(pix, i-int(m.distance), i); int(m.length) != n {
			t.Fatalf("the match of pixel %d at distance %d has length %d, want %d", i, m.distance, m.length, n)
		}
	}
}
