package webp

import (
	"bytes"
	"context"
	"errors"
	"image"
	"io"
	"math/rand/v2"
	"runtime/debug"
	"testing"

	"golang.org/x/image/webp"
	"pgregory.net/rapid"

	"github.com/assetcook/assetcook/internal/image/blockfit"
	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/vp8"
)

// TestAlphaOfLossyFilesIsExact encodes images with smooth, flat and random alpha.
func TestAlphaOfLossyFilesIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(1, 60).Draw(t, "w"), rapid.IntRange(1, 60).Draw(t, "h")
		noise := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		slope, amount := rapid.IntRange(0, 5).Draw(t, "slope"), rapid.IntRange(1, 256).Draw(t, "amount")
		m := painted(w, h, func(x, y int) [4]uint8 {
			return [4]uint8{uint8(4 * x), uint8(4 * y), 90, uint8(slope*x + noise.IntN(amount))}
		})
		var file bytes.Buffer
		o := vp8.Options{Quality: rapid.IntRange(1, 100).Draw(t, "quality"), ByAlpha: rapid.Bool().Draw(t, "by alpha")}
		if err := EncodeLossy(context.Background(), &file, m, o); err != nil {
			t.Fatal(err)
		}
		back, err := webp.Decode(&file)
		if err != nil {
			t.Fatal(err)
		}
		got, hasAlpha := back.(*image.NYCbCrA)
		for i := range w * h {
			want := m.Pix8[4*i+3]
			if a := uint8(255); hasAlpha {
				if a = got.A[i/w*got.AStride+i%w]; a != want {
					t.Fatalf("pixel %d has alpha %d, want %d", i, a, want)
				}
			} else if want != a {
				t.Fatalf("pixel %d has alpha %d, but the file has none", i, want)
			}
		}
	})
}

func TestOpaqueLossyFilesHaveOneChunk(t *testing.T) {
	m := painted(40, 30, func(x, y int) [4]uint8 { return [4]uint8{uint8(x), uint8(y), 3, 255} })
	var file bytes.Buffer
	if err := EncodeLossy(t.Context(), &file, m, vp8.Options{Quality: 80}); err != nil {
		t.Fatal(err)
	}
	if head := file.Bytes()[8:16]; string(head) != "WEBPVP8 " {
		t.Errorf("the file begins with %q", head)
	}
}

func TestWrongAlphaIsAnError(t *testing.T) {
	m := painted(20, 20, func(x, y int) [4]uint8 { return [4]uint8{1, 2, 3, uint8(x)} })
	var file bytes.Buffer
	if err := EncodeLossy(t.Context(), &file, m, vp8.Options{Quality: 80}); err != nil {
		t.Fatal(err)
	}
	if err := verifyAlpha(file.Bytes(), m); err != nil {
		t.Error(err)
	}
	m.Pix8[4*7+3]++
	if err := verifyAlpha(file.Bytes(), m); err == nil {
		t.Error("other alpha: no error")
	}
	if err := verifyAlpha(nil, m); err == nil {
		t.Error("no file: no error")
	}
}

func TestUnfitLossyImagesAreErrors(t *testing.T) {
	if err := EncodeLossy(t.Context(), io.Discard, pixmap.New(MaxSide+1, 1, pixmap.Bits8), vp8.Options{Quality: 50}); err == nil {
		t.Error("too wide: no error")
	}
	if err := EncodeLossy(t.Context(), io.Discard, pixmap.New(1, 1, pixmap.Bits16), vp8.Options{Quality: 50}); err == nil {
		t.Error("16 bits: no error")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := EncodeLossy(ctx, io.Discard, pixmap.New(1, 1, pixmap.Bits8), vp8.Options{Quality: 50}); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

// The test samples the live heap while the collector runs often. LossyMemory must be an upper
// bound. For opaque images, vp8.Memory plus the pixels must be one.
func TestLossyMemoryIsAnUpperBound(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(10))
	noise := rand.New(rand.NewPCG(5, 6))
	for _, alpha := range []int{1, 256} {
		m := painted(512, 512, func(x, y int) [4]uint8 {
			return [4]uint8{uint8(noise.Int()), uint8(noise.Int()), uint8(noise.Int()), uint8(255 - noise.IntN(alpha))}
		})
		limit := LossyMemory(512, 512)
		if alpha == 1 {
			limit = vp8.Memory(512, 512) + 4*512*512
		}
		before := liveHeap()
		done := make(chan error)
		go func() {
			done <- EncodeLossy(context.Background(), io.Discard, m, vp8.Options{Quality: 100, Effort: blockfit.Fast})
		}()
		var most int64
		for err, running := error(nil), true; running; {
			select {
			case err = <-done:
				if running = false; err != nil {
					t.Fatal(err)
				}
			default:
				most = max(most, liveHeap()-before)
			}
		}
		if most > limit || most == 0 {
			t.Errorf("alpha of %d values: %d bytes live, want at most %d", alpha, most, limit)
		}
	}
}
