package image

import (
	"math"
	"math/rand/v2"
	"testing"
	"testing/fstest"

	"github.com/assetcook/assetcook/internal/image/cooked"
	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/role"
	"github.com/assetcook/assetcook/internal/jobs"
)

// An image that is declared a normal map, but is none, must become data: BC7 without sRGB, with all
// four channels. A real normal map must become BC5.
func TestEncodeChecksDeclaredNormalMaps(t *testing.T) {
	const n = 64
	for _, tc := range []struct {
		kind   string
		z      uint8
		format byte // DXGI_FORMAT; 0 for the older header of BC5
	}{{"color", 255, 99}, {"data", 255, 98}, {"normal", 252, 0}, {"normal", 0, 98}} {
		m := &pixmap.Map{W: n, H: n, Pix8: make([]uint8, 4*n*n)}
		for i := range n * n {
			copy(m.Pix8[4*i:], []uint8{uint8(96 + i%n), uint8(96 + i/n), tc.z, 255})
			if tc.z == 0 {
				copy(m.Pix8[4*i:], []uint8{uint8(i * 7), uint8(i / 5), uint8(i * i)})
			}
		}
		o := Recipe().New().(*Image)
		o.Quality, o.Container = "fast", "dds"
		job := jobs.New(Recipe(), jobs.Env{Path: "a.glb"}, 1)
		have, err := o.Encode(t.Context(), job, m, role.Slot{Role: role.Parse(tc.kind)})
		if err != nil {
			t.Fatal(err)
		}
		format := byte(0)
		if string(have[84:88]) == "DX10" {
			format = have[128]
		}
		if format != tc.format || have[28] != 7 {
			t.Errorf("%s with a z of %d: format %d (%q), want %d; %d levels", tc.kind, tc.z, format, have[84:88], tc.format, have[28])
		}
	}
}

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

// The test decodes the blocks. In each level, the share of pixels that pass the alpha test must
// equal the share in the image.
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

// Prepared must return exactly the pixels that Cook encodes, for any options that change sizes,
// channels and values. So a lossless format must show no error.
func TestPreparedIsWhatIsEncoded(t *testing.T) {
	files := fstest.MapFS{
		"a_albedo.png": {Data: encodePNG(t, scene(60, 44))}, "a_rough.png": {Data: encodePNG(t, gradient(64, 40))},
		"b.png": {Data: encodePNG(t, scene(60, 44))},
	}
	for name, change := range map[string]func(*Image){
		"as it is":    func(*Image) {},
		"scaled":      func(o *Image) { o.Fit = 31 },
		"power":       func(o *Image) { o.POT = "down" },
		"swapped":     func(o *Image) { o.R, o.B, o.A = "b", "1-r", "g" },
		"of another":  func(o *Image) { o.G = "b.png:r" },
		"mirrored":    func(o *Image) { o.Flip = "xy" },
		"premultiply": func(o *Image) { o.Premultiply = true },
		"mask":        func(o *Image) { o.Kind, o.Format = "mask", "r8" },
		"coverage":    func(o *Image) { o.Coverage = 0.5 },
	} {
		t.Run(name, func(t *testing.T) {
			source := "a_albedo.png"
			o := options(func(o *Image) { o.Format = "rgba8" }, change)
			if o.Format == "r8" {
				source = "a_rough.png"
			}
			tex, res := cookTree(t, o, files, source)
			if res.Err != nil {
				t.Fatal(res.Err)
			}
			job := jobs.New(Recipe(), jobs.OfTree(Recipe(), files, source), int64(len(files[source].Data)))
			p, err := o.Prepared(t.Context(), job)
			if err != nil {
				t.Fatal(err)
			}
			got, err := p.Measure(t.Context(), tex)
			if err != nil || !math.IsInf(got.PSNR, 1) {
				t.Errorf("%v dB, %v: the prepared pixels are not the encoded ones", got.PSNR, err)
			}
			if p.Role == role.Unknown || p.Why == "" || math.IsNaN(got.Coverage) != (o.Coverage == 0) {
				t.Errorf("%+v, %+v", p.Role, got)
			}
		})
	}
}
