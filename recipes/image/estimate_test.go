package image

import (
	"bytes"
	"errors"
	stdimage "image"
	"image/jpeg"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/cook/recipe/recipetest"
	"github.com/assetcook/assetcook/internal/image/imagetest"
	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/texture"
	"github.com/assetcook/assetcook/internal/jobs"
)

func estimate(o *Image, data []byte) (int64, error) {
	need, err := o.estimateMemory(data[:min(len(data), recipe.HeadSize)], int64(len(data)))
	if errors.Is(err, recipe.ErrShortHead) {
		return o.estimateMemory(data, int64(len(data)))
	}
	return need, err
}

// allocated returns the bytes that f allocates, including those freed later.
func allocated(f func()) int64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
}

// prepare decodes data and chooses a format without encoding.
func prepare(t testing.TB, o *Image, name string, data []byte) error {
	t.Helper()
	job := jobs.New(Recipe(), jobs.OfTree(Recipe(), fstest.MapFS{name: {Data: data}}, name), int64(len(data)))
	_, err := o.prepareSubject(t.Context(), job)
	return err
}

// A file that is not an image must be refused before memory is allocated for it. An image must not
// need more than the estimate.
func TestBombIsRefusedOrWithinEstimate(t *testing.T) {
	for _, b := range imagetest.Bombs() {
		t.Run(b.Name, func(t *testing.T) {
			o := options(plain)
			limit, refused := estimate(o, b.Data)
			if refused != nil {
				limit = 3*int64(len(b.Data)) + 1<<20
			}
			var err error
			if got := allocated(func() { err = prepare(t, o, "a"+b.Ext, b.Data) }); got > limit+slack(b) {
				t.Errorf("%d bytes of file: allocated %d bytes, estimated %d", len(b.Data), got, limit)
			}
			if (err == nil) != b.Fine {
				t.Errorf("error %v, fine: %v", err, b.Fine)
			}
			if !b.Fine && refused == nil {
				t.Errorf("Estimate accepts it, with %d bytes", limit)
			}
			if err == nil && refused != nil {
				t.Errorf("decoded, but Estimate returns %v", refused)
			}
		})
	}
}

// slack is the short-lived memory of decoders that the estimate omits. It is a buffer for each
// chunk or tile, and lists of lengths and codes for each tree.
func slack(b imagetest.Bomb) int64 {
	switch {
	case strings.Contains(b.Name, "chunks"), strings.Contains(b.Name, "tiles"):
		return 1 << 30
	case strings.Contains(b.Name, "trees"):
		return 80 << 20
	}
	return 0
}

// The sum of all allocations exceeds the peak. It may exceed the estimate by a quarter at most, so
// that the estimate stays near the peak.
func TestEstimateIsThePeak(t *testing.T) {
	m, wide := scene(520, 390), stdimage.NewNRGBA64(stdimage.Rect(0, 0, 520, 390))
	noise(wide.Pix)
	file, wideFile := encodePNG(t, m), encodePNG(t, wide)
	var photo bytes.Buffer
	if err := jpeg.Encode(&photo, m, nil); err != nil {
		t.Fatal(err)
	}
	fast := func(o *Image) { o.Quality, o.Zstd, o.Format = "fast", 0, "rgba8" }
	for _, tc := range []struct {
		name string
		data []byte
		set  func(*Image)
	}{
		{"auto", file, func(o *Image) { o.Format = "auto" }},
		{"plain", file, plain},
		{"photo", photo.Bytes(), func(*Image) {}},
		{"kaiser", file, func(o *Image) { o.Filter, o.Coverage = "kaiser", 0.5 }},
		{"wide", wideFile, func(*Image) {}},
		{"wide to rgba16f", wideFile, func(o *Image) { o.Format = "rgba16f" }},
		{"light", radiance(520, 390), func(o *Image) { o.Format = "rgba16f" }},
		{"fit", file, func(o *Image) { o.Fit, o.Filter = 260, "mitchell" }},
		{"up", file, func(o *Image) { o.POT = "up" }},
		{"cross", file, func(o *Image) { o.Cube = "cross" }},
		{"equirect", radiance(512, 256), func(o *Image) { o.Cube, o.Format = "equirect", "rgba16f" }},
		{"prefiltered", radiance(512, 256), func(o *Image) { o.Cube, o.Format, o.Prefilter = "equirect", "rgba16f", "ggx" }},
		{"swizzled", file, func(o *Image) { o.R, o.G = "g", "r" }},
		{"packed", file, func(o *Image) { o.R = "a.png:g" }},
		{"table", file, func(o *Image) { o.Format, o.Named = "auto", "lut" }},
		{"wide table", wideFile, func(o *Image) { o.Format, o.Named = "auto", "lut" }},
		{"pixel art", file, func(o *Image) { o.Format, o.Preset = "auto", "pixel" }},
		{"turned", file, func(o *Image) { o.Kind, o.Named, o.Normals = "normal", "normal-directx", "opengl" }},
		{"layers", file, func(o *Image) { o.Layers = []string{"a.png", "a.png", "a.png"} }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			o := options(fast, tc.set)
			need, err := estimate(o, tc.data)
			if err != nil {
				t.Fatal(err)
			}
			tree := fstest.MapFS{"a.png": {Data: tc.data}}
			written := 0
			run := func() {
				res := recipetest.Cook(t, Recipe(), o, tree, "", "a.png")
				if res.Err != nil {
					t.Fatal(res.Err)
				}
				written = len(res.Outputs[0])
			}
			run() // the first run also makes the tables
			// Faces are cut when the memory for decoding is free again.
			most := 1.25
			if o.cutsFaces() {
				most = 1.8
			}
			const tables = 2 << 20 // size of the tables that the first run makes
			// The file, and pixels in the HDR representation, are freed before levels are made. The
			// test itself reads the output.
			got := allocated(run) - int64(len(tc.data)) - int64(written)
			if tc.name == "light" {
				got -= 4 * 520 * 390
			}
			if ratio := float64(got) / float64(need-tables); ratio > most || ratio < 0.15 {
				t.Errorf("allocated %d bytes in all, estimated %d and tables", got, need-tables)
			}
		})
	}
}

// For every kind of PNG, the default estimate must be near the memory of the first level and the
// texture, within a third. That excludes a second copy of the pixels, and a level in floats.
func TestEstimateIsNearlyTheLevel(t *testing.T) {
	const side = 16384
	for _, tc := range []struct{ depth, color byte }{{8, 0}, {8, 2}, {8, 6}, {8, 3}, {16, 0}, {16, 2}, {16, 4}, {16, 6}} {
		data := imagetest.PNG(side, side, nil)[:33]
		data[24], data[25] = tc.depth, tc.color
		need, err := options().estimateMemory(data, 2<<20)
		level := bytesOf(side, side, pixmap.Bits8) * int64(tc.depth) / 8
		if most := (level + texture.BC7.Bytes(side, side)*4/3) * 13 / 10; err != nil || need < level || need > most {
			t.Errorf("%d bits, color type %d: %d bytes for a level of %d, want %d at most, error %v", tc.depth, tc.color, need, level, most, err)
		}
	}
}

func TestEstimateCoversEveryChoice(t *testing.T) {
	for colors := range texture.MaxColors + 2 {
		for _, one := range []string{"", "rrr1", "0001"} {
			c := texture.Choose(texture.Facts{W: 513, H: 512, SRGB: true, Opaque: true, One: one, Colors: colors})
			if c.Format == texture.RGBA8 {
				t.Errorf("%d pixels become rgba8: %s", 513*512, c.Reason)
			}
		}
	}
}

func TestEstimateLeavesOtherFilesToCook(t *testing.T) {
	small, err := estimate(options(), encodePNG(t, scene(16, 16)))
	if err != nil || small > 32<<20 {
		t.Errorf("16 x 16 PNG: %d bytes, error %v", small, err)
	}
	if got, err := options().estimateMemory([]byte("no picture"), 10); err != nil || got < 1 {
		t.Errorf("not a picture: %d bytes, error %v; want none, because Cook reports it", got, err)
	}
	for _, text := range []string{"", "version https://git-lfs.github.com/spec/v1\n"} {
		_, early := options().estimateMemory([]byte(text), int64(len(text)))
		late := prepare(t, options(), "a.png", []byte(text))
		if early == nil || late == nil || early.Error() != late.Error() {
			t.Errorf("%q: Estimate returns %v, Cook %v", text, early, late)
		}
	}
}

// If the header is after the head of the file, Estimate must ask for more.
func TestEstimateAsksForMoreOfTheFile(t *testing.T) {
	var b bytes.Buffer
	if err := jpeg.Encode(&b, scene(64, 64), nil); err != nil {
		t.Fatal(err)
	}
	profile := append([]byte{0xff, 0xe2, 0xff, 0xff}, make([]byte, 65533)...)
	late := append(append(bytes.Clone(b.Bytes()[:2]), bytes.Repeat(profile, 2)...), b.Bytes()[2:]...)
	if _, err := options().estimateMemory(late[:recipe.HeadSize], int64(len(late))); !errors.Is(err, recipe.ErrShortHead) {
		t.Errorf("error %v from the head alone", err)
	}
	if got, err := options().estimateMemory(late, int64(len(late))); err != nil || got < int64(len(late)) {
		t.Errorf("%d bytes, error %v", got, err)
	}
	if err := prepare(t, options(), "a.jpg", late); err != nil {
		t.Error(err)
	}
	limited := options(func(o *Image) { o.MaxSize = 60 })
	if err := prepare(t, limited, "a.jpg", late); err == nil || !strings.Contains(err.Error(), "more than 60 per side") {
		t.Errorf("error %v, want the limit", err)
	}
}

// For any bytes, Cook must return an error or a consistent texture. Estimate must not refuse a file
// that Cook accepts.
func FuzzCook(f *testing.F) {
	f.Add(encodePNG(f, scene(9, 7)))
	f.Add(encodePNG(f, bumps(16, 16, true)))
	f.Add(radiance(8, 2))
	f.Add(append([]byte{2: 2, 12: 2, 14: 1, 16: 32, 17: 0x28}, 3, 2, 1, 4, 7, 6, 5, 8))
	o := options(func(o *Image) { o.MaxSize, o.Zstd, o.Quality = 64, 0, "fast" })
	f.Fuzz(func(t *testing.T, data []byte) {
		_, refused := estimate(o, data)
		tex, res := cookTree(t, o, fstest.MapFS{"a.tga": {Data: data}}, "a.tga")
		if res.Err != nil {
			return
		}
		if refused != nil {
			t.Errorf("cooked, but Estimate returns %v", refused)
		}
		if err := tex.Check(); err != nil || tex.W > 64 || tex.H > 64 {
			t.Errorf("%d x %d pixels, error %v", tex.W, tex.H, err)
		}
	})
}

func TestBytesOfPixelsDoNotOverflow(t *testing.T) {
	for _, d := range []pixmap.Depth{pixmap.Bits8, pixmap.Bits16, pixmap.Float} {
		if got, want := bytesOf(7, 5, d), pixmap.New(7, 5, d).Bytes(); got != int64(want) {
			t.Errorf("depth %d: %d bytes, want %d", d, got, want)
		}
	}
}

// For each GPU, the chosen format must be one that the GPU reads. Options that the GPU cannot use
// must be refused.
func TestFormatFitsTheGPU(t *testing.T) {
	source := encodePNG(t, gradient(200, 120))
	for gpu, want := range map[string]texture.Format{"desktop": texture.BC7, "mobile": texture.ASTC6x6, "web": texture.UASTC} {
		o := options(func(o *Image) { o.GPU = gpu })
		if tex := cook(t, o, "a.png", source); tex.Format != want || !tex.SRGB {
			t.Errorf("%s: %v, sRGB %v", gpu, tex.Format, tex.SRGB)
		}
	}
	o := options(func(o *Image) { o.GPU, o.Container = "mobile", "dds" })
	if err := o.checkOptions(); err == nil {
		t.Errorf("gpu = %q with container = %q is accepted", o.GPU, o.Container)
	}
}
