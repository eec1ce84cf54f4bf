package image

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/assetcook/assetcook/internal/image/cooked"
	"github.com/assetcook/assetcook/internal/image/pixmap"
)

// leaves draws ellipses of all sizes with soft edges.
func leaves(side int) *pixmap.Map {
	m := pixmap.New(side, side, pixmap.Bits8)
	r := rand.New(rand.NewPCG(1, 2))
	for range side * side / 256 {
		cx, cy, wide, tall := r.IntN(side), r.IntN(side), 2+r.IntN(side/16), 2+r.IntN(side/32)
		color := []byte{byte(30 + r.IntN(90)), byte(90 + r.IntN(120)), 30}
		for y := max(0, cy-tall); y < min(side, cy+tall); y++ {
			for x := max(0, cx-wide); x < min(side, cx+wide); x++ {
				off := 255*(x-cx)*(x-cx)/(wide*wide) + 255*(y-cy)*(y-cy)/(tall*tall)
				if pix := m.Pix8[4*(side*y+x):][:4]; off < 255 && 255-off > int(pix[3]) {
					copy(pix, color)
					pix[3] = byte(255 - off)
				}
			}
		}
	}
	return m
}

// After decoding, an alpha test draws as many pixels of each level as of the picture.
func TestBlocksKeepCoverageOfThePicture(t *testing.T) {
	const side, test = 256, 0.5
	source := leaves(side)
	m := nrgba(side, side, source.Pix8...)
	for _, format := range []string{"bc1a", "bc3", "bc7", "astc4x4", "astc6x6", "astc8x8", "etc2rgba", "uastc"} {
		o := options(func(o *Image) { o.Format, o.Coverage, o.Quality = format, test, "fast" })
		tex := cook(t, o, "leaves.png", encodePNG(t, m))
		share, err := pixmap.NewCoverage(t.Context(), source, test)
		if err != nil {
			t.Fatal(err)
		}
		for i := range tex.Levels {
			level, err := cooked.Level(t.Context(), tex, i, 0)
			if err != nil {
				t.Fatal(err)
			}
			beyond, err := share.Beyond(t.Context(), level)
			if err != nil {
				t.Fatal(err)
			}
			pixels := float64(level.W * level.H)
			if off := math.Abs(beyond); i > 0 && off > max(2.5, 0.022*pixels) {
				t.Errorf("%s, level %d: an alpha test draws %.1f of %.0f pixels too many", format, i, beyond, pixels)
			}
		}
	}
}
