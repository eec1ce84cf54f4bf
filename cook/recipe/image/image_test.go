package image

import (
	"bytes"
	"context"
	"errors"
	stdimage "image"
	"image/color"
	"os"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/cook/recipe/image/ktx2"
	"github.com/assetcook/assetcook/cook/recipe/recipetest"
	"github.com/google/go-cmp/cmp"
)

func defaults() *Image { return Recipe().New().(*Image) }

// cook cooks data under the given name.
func cook(t testing.TB, o *Image, name string, data []byte) ([]byte, error) {
	t.Helper()
	res := recipetest.Cook(t, Recipe(), o, fstest.MapFS{name: {Data: data}}, "", name)
	return res.Outputs[0], res.Err
}

// texture cooks data and reads the result.
func texture(t testing.TB, o *Image, name string, data []byte) *ktx2.Texture {
	t.Helper()
	out, err := cook(t, o, name, data)
	if err != nil {
		t.Fatal(err)
	}
	tex, err := ktx2.Read(out, 1<<28)
	if err != nil {
		t.Fatal(err)
	}
	return tex
}

func TestRecipe(t *testing.T) {
	r := Recipe()
	if _, err := recipe.NewSet(r); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"{path}.ktx2"}, r.New().Outputs()); d != "" {
		t.Error(d)
	}
	// "format" has one word so far, so the test starts from none.
	plain := r.New
	r.New = func() recipe.Cooker {
		o := plain().(*Image)
		o.Format = ""
		return o
	}
	recipetest.CheckFingerprint(t, r, map[string]any{
		"format": "rgba8", "srgb": false, "mips": false, "zstd": int64(0), "max_size": int64(64),
	})
}

func TestCookFormats(t *testing.T) {
	for _, s := range samples(t) {
		t.Run(s.name, func(t *testing.T) {
			tex := texture(t, defaults(), s.file, s.data)
			if tex.Width != s.w || tex.Height != s.h || len(tex.Levels) != ktx2.MaxLevels(s.w, s.h) {
				t.Fatalf("%d x %d pixels, %d levels; want %d x %d and a full chain", tex.Width, tex.Height, len(tex.Levels), s.w, s.h)
			}
			for i, got := range tex.Levels[0] {
				if off := int(got) - int(s.pix[i]); off > s.slack || -off > s.slack {
					t.Fatalf("byte %d is %d, want %d within %d", i, got, s.pix[i], s.slack)
				}
			}
		})
	}
}

// Straight alpha is kept bit for bit, also the colour under an alpha of 0.
func TestCookKeepsPixels(t *testing.T) {
	m := stdimage.NewNRGBA(stdimage.Rect(0, 0, 61, 17))
	noise(m.Pix, false)
	for i := 3; i < len(m.Pix); i += 8 {
		m.Pix[i] = 0
	}
	if tex := texture(t, defaults(), "a.png", encodePNG(t, m)); !bytes.Equal(tex.Levels[0], m.Pix) {
		t.Error("level 0 differs from the picture")
	}
	palette := color.Palette{color.NRGBA{R: 200, G: 100, B: 50}, color.NRGBA{R: 1, G: 2, B: 3, A: 4}, color.RGBA{R: 5, G: 6, B: 7, A: 255}}
	p := stdimage.NewPaletted(stdimage.Rect(0, 0, 3, 1), palette)
	p.Pix = []byte{0, 1, 2}
	want := []byte{200, 100, 50, 0, 1, 2, 3, 4, 5, 6, 7, 255}
	if d := cmp.Diff(want, texture(t, defaults(), "a.png", encodePNG(t, p)).Levels[0]); d != "" {
		t.Error(d)
	}
}

func TestCookOptions(t *testing.T) {
	m := stdimage.NewNRGBA(stdimage.Rect(0, 0, 2, 1))
	copy(m.Pix, []byte{0, 0, 0, 255, 255, 255, 255, 255})
	data := encodePNG(t, m)
	for _, tc := range []struct {
		name   string
		set    func(*Image)
		format ktx2.Format
		levels [][]byte
	}{
		{"defaults", func(*Image) {}, ktx2.RGBA8SRGB, [][]byte{m.Pix, {188, 188, 188, 255}}},
		{"data", func(o *Image) { o.SRGB = false }, ktx2.RGBA8Unorm, [][]byte{m.Pix, {128, 128, 128, 255}}},
		{"one level", func(o *Image) { o.Mips = false }, ktx2.RGBA8SRGB, [][]byte{m.Pix}},
		{"not packed", func(o *Image) { o.Zstd = 0 }, ktx2.RGBA8SRGB, [][]byte{m.Pix, {188, 188, 188, 255}}},
		{"packed hard", func(o *Image) { o.Zstd = 19 }, ktx2.RGBA8SRGB, [][]byte{m.Pix, {188, 188, 188, 255}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			o := defaults()
			tc.set(o)
			tex := texture(t, o, "a.png", data)
			if tex.Format != tc.format {
				t.Errorf("format %v, want %v", tex.Format, tc.format)
			}
			if d := cmp.Diff(tc.levels, tex.Levels); d != "" {
				t.Error(d)
			}
		})
	}
	o := defaults()
	o.Format = "bc7"
	if _, err := cook(t, o, "a.png", data); err == nil {
		t.Error("format bc7: no error")
	}
}

// Content decides, and the same content gives the same bytes.
func TestCookIgnoresTheName(t *testing.T) {
	m := stdimage.NewNRGBA(stdimage.Rect(0, 0, 200, 100))
	noise(m.Pix, false)
	data := encodePNG(t, m)
	one, err := cook(t, defaults(), "a.png", data)
	two, err2 := cook(t, defaults(), "b/c.jpg", data)
	if err != nil || err2 != nil || !bytes.Equal(one, two) {
		t.Errorf("outputs of %d and %d bytes, errors %v, %v; want the same", len(one), len(two), err, err2)
	}
}

// countdown is cancelled once Err was called n times.
type countdown struct {
	context.Context
	left atomic.Int64
}

func (c *countdown) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// Wherever the work is stopped, Cook says so and nothing else.
func TestCookStopsAnywhere(t *testing.T) {
	m := stdimage.NewNRGBA64(stdimage.Rect(0, 0, 24, 16))
	noise(m.Pix, false)
	const enough = 1 << 30
	run := func(n int64) (used int64, err error) {
		ctx := &countdown{Context: context.Background()}
		ctx.left.Store(n)
		res := recipetest.CookContext(ctx, t, Recipe(), defaults(), fstest.MapFS{"a.png": {Data: encodePNG(t, m)}}, "", "a.png")
		return n - ctx.left.Load(), res.Err
	}
	looks, err := run(enough)
	if err != nil {
		t.Fatal(err)
	}
	if looks < 16+8+4 {
		t.Errorf("%d looks at the context, want one for each row", looks)
	}
	for n := range looks {
		if _, err := run(n); !errors.Is(err, context.Canceled) {
			t.Fatalf("cancelled at look %d of %d: error %v", n, looks, err)
		}
	}
}

func TestCookMissingSource(t *testing.T) {
	job := recipe.NewJob(recipe.Env{Recipe: Recipe(), Path: "a.png", Open: fstest.MapFS{}.Open}, 10)
	if err := defaults().Cook(t.Context(), job); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v, want not exist", err)
	}
}
