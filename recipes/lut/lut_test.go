package lut

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"strings"
	"testing"
	"testing/fstest"

	"pgregory.net/rapid"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/cook/recipe/recipetest"
	"github.com/assetcook/assetcook/internal/image/dds"
	"github.com/assetcook/assetcook/internal/image/ktx2"
	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/texture"
)

func TestRecipe(t *testing.T) {
	recipetest.Check(t, Recipe(), map[string]any{"format": "rgba8", "container": "dds", "picture": "hald", "zstd": int64(0)})
}

// cook returns the texture for a source, and the warnings.
func cook(t testing.TB, name string, source []byte, o lutOptions) (*texture.Texture, []string, error) {
	t.Helper()
	c := Recipe().New().(*lutOptions)
	c.Zstd = o.Zstd
	for to, v := range map[*string]string{&c.Format: o.Format, &c.Container: o.Container, &c.Picture: o.Picture} {
		if v != "" {
			*to = v
		}
	}
	res := recipetest.Cook(t, Recipe(), c, fstest.MapFS{name: &fstest.MapFile{Data: source}}, "", name)
	if res.Err != nil {
		return nil, res.Warned, res.Err
	}
	read := func(b []byte) (*texture.Texture, error) { return ktx2.Read(b, 1<<30) }
	if c.Container == "dds" {
		read = dds.Read
	}
	tex, err := read(res.Outputs[0])
	if err != nil {
		t.Fatal(err)
	}
	return tex, res.Warned, nil
}

// warm returns an entry of a table. Its three axes differ, so that a test detects mixed-up axes.
func warm(n int, r, g, b int) [3]byte {
	step := 255 / (n - 1)
	return [3]byte{byte(r * step), byte(g * step / 2), byte(b * step / 4)}
}

func asCube(n int) []byte {
	text := fmt.Appendf(nil, "\xef\xbb\xbf# a comment\r\nTITLE \"warm \xe9\"\nLUT_3D_SIZE %d\n\n", n)
	for i := range n * n * n {
		c := warm(n, i%n, i/n%n, i/n/n)
		text = fmt.Appendf(text, "%.7f %.7f\t%.7f\n", float64(c[0])/255, float64(c[1])/255, float64(c[2])/255)
	}
	return text
}

// asPicture writes a table as a PNG with the given width. The entries are in tiles, or one after
// another if hald is set.
func asPicture(t testing.TB, n, width int, hald bool) []byte {
	m := image.NewNRGBA(image.Rect(0, 0, width, n*n*n/width))
	for i := range n * n * n {
		x, y := i%width, i/width
		r, g, b := i%n, i/n%n, i/n/n
		if !hald {
			r, g, b = x%n, y%n, y/n*(width/n)+x/n
		}
		c := warm(n, r, g, b)
		m.SetNRGBA(x, y, color.NRGBA{c[0], c[1], c[2], 255})
	}
	var out bytes.Buffer
	if err := png.Encode(&out, m); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestTableIsTheSameTextureInEveryNotation(t *testing.T) {
	const n = 16
	for name, tc := range map[string]struct {
		file string
		data []byte
		o    lutOptions
	}{
		"cube":       {"a.cube", asCube(n), lutOptions{Format: "rgba8"}},
		"dds":        {"a.cube", asCube(n), lutOptions{Format: "rgba8", Container: "dds"}},
		"packed":     {"a.cube", asCube(n), lutOptions{Format: "rgba8", Zstd: 3}},
		"row":        {"a.png", asPicture(t, n, n*n, false), lutOptions{}},
		"column":     {"a.png", asPicture(t, n, n, false), lutOptions{}},
		"tiles":      {"a.png", asPicture(t, n, 4*n, false), lutOptions{}},
		"hald":       {"a.png", asPicture(t, n, 64, true), lutOptions{Picture: "hald"}},
		"other hald": {"a.png", asPicture(t, n, 128, true), lutOptions{Picture: "hald"}},
	} {
		tex, warned, err := cook(t, tc.file, tc.data, tc.o)
		if err != nil || len(warned) > 0 {
			t.Fatalf("%s: %v, warned %q", name, err, warned)
		}
		if tex.Format != texture.RGBA8 || tex.SRGB || tex.W != n || tex.H != n || tex.Depth != n || len(tex.Levels) != 1 {
			t.Fatalf("%s: %v, sRGB %v, %d x %d x %d, %d levels", name, tex.Format, tex.SRGB, tex.W, tex.H, tex.Depth, len(tex.Levels))
		}
		for i := range n * n * n {
			want := warm(n, i%n, i/n%n, i/n/n)
			if got := tex.Levels[0][4*i : 4*i+4]; !bytes.Equal(got[:3], want[:]) || got[3] != 255 {
				t.Fatalf("%s: entry %d is %v, want %v", name, i, got, want)
			}
		}
	}
}

func TestHalfFloatsKeepEntriesBeyondOne(t *testing.T) {
	text := "DOMAIN_MIN 0 0 0\nDOMAIN_MAX 4 4 4\nLUT_3D_SIZE 2\n-0.5 0 16\n" + strings.Repeat("0 1 2\n", 7)
	tex, warned, err := cook(t, "a.cube", []byte(text), lutOptions{})
	if err != nil || tex.Format != texture.RGBA16F || tex.Depth != 2 {
		t.Fatal(tex, err)
	}
	if len(warned) != 1 || !strings.Contains(warned[0], "cannot store the domain 0 to 4") {
		t.Errorf("warned %q", warned)
	}
	for i, want := range []float64{-0.5, 0, 16, 1, 0, 1, 2, 1} {
		h := uint16(tex.Levels[0][2*i]) | uint16(tex.Levels[0][2*i+1])<<8
		if got := float64(pixmap.HalfValue(h)); got != want {
			t.Errorf("number %d is %v, want %v", i, got, want)
		}
	}
	_, warned, err = cook(t, "a.cube", []byte(text), lutOptions{Format: "rgba8"})
	if err != nil || len(warned) != 2 || !strings.Contains(warned[1], "from -0.5 to 16") {
		t.Errorf("error %v, warned %q", err, warned)
	}
}

func TestCurvesAreARowOfTexels(t *testing.T) {
	tex, _, err := cook(t, "a.cube", []byte("LUT_1D_SIZE 3\nLUT_1D_INPUT_RANGE 0.0 1.0\n0 0 0\n.5 .25 1e-1\n1 1 1"), lutOptions{Format: "rgba8"})
	if err != nil {
		t.Fatal(err)
	}
	want := []byte{0, 0, 0, 255, 128, 64, 26, 255, 255, 255, 255, 255}
	if tex.W != 3 || tex.H != 1 || tex.Depth != 0 || !bytes.Equal(tex.Levels[0], want) {
		t.Errorf("%d x %d x %d: %v", tex.W, tex.H, tex.Depth, tex.Levels[0])
	}
}

func TestInvalidTableIsRefused(t *testing.T) {
	entries := strings.Repeat("0 0 0\n", 8)
	for text, want := range map[string]string{
		"":                              "1:1: the file has no entries, so it is not a .cube file or is cut short; export it again",
		"# nothing\n":                   "2:1: the file has no entries, so it is not a .cube file or is cut short; export it again",
		entries:                         "1:1: an entry comes before LUT_3D_SIZE or LUT_1D_SIZE; write the size first",
		"LUT_3D_SIZE 2\n" + entries[6:]: "2:1: the file is cut short: LUT_3D_SIZE 2 needs 8 entries; export it again",
		"LUT_3D_SIZE 2\n" + entries[6:] + "#     ":                          "9:7: the file has only 7 of 8 entries",
		"LUT_3D_SIZE 2\n" + entries + "1 1 1":                               "10:1: the file has more entries than the 8 that",
		"LUT_3D_SIZE 257\n":                                                 "1:1: LUT_3D_SIZE must be a number from 2 to 256",
		"LUT_3D_SIZE\n":                                                     "LUT_3D_SIZE must be a number",
		"LUT_1D_SIZE 65537\n":                                               "from 2 to 65536",
		"LUT_1D_SIZE 4\nLUT_3D_SIZE 2\n":                                    "2:1: the file has both LUT_3D_SIZE and LUT_1D_SIZE, but a texture holds only one kind of table; export one of them",
		"LUT_3D_SIZE 2\n0 0\n" + entries:                                    "2:1: the line must have 3 numbers",
		"LUT_3D_SIZE 2\n0 0 .x\n" + entries:                                 `2:1: ".x" is not a number`,
		"LUT_3D_SIZE 2\n0 0 -70000\n" + entries:                             `"-70000" is not a number from -65504`,
		"LUT_3D_SIZE 2\n0 0 0\nTITLE x\n" + entries:                         `3:1: the word "TITLE" is between the entries; move it before the first entry`,
		"LUT_3D_SIZE 2\nDOMAIN_MIN 1 0 0\n" + entries:                       "3:1: the domain, [1 0 0] to 1, is empty; its upper limits must be above its lower limits",
		"LUT_3D_INPUT_RANGE 0\n":                                            "the line must have 2 numbers",
		"LUT_3D_SIZE 2\n0 0 0" + strings.Repeat("0", 64) + ".x\n" + entries: `2:1: "000`,
		"LUT_3D_SIZE 2\n" + strings.Repeat("0 ", 9) + "\n" + entries:        "2:1: the line must have 3 numbers",
		"NaN NaN NaN\n":                                                     `unknown keyword "NaN"`,
		"Gaussian Cube\nfile\n":                                             `unknown keyword "Gaussian"; a rule with recipe = "copy"`,
	} {
		if _, _, err := cook(t, "a.cube", []byte(text), lutOptions{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
	for name, tc := range map[string]struct {
		data []byte
		want string
	}{
		"a.png": {asPicture(t, 16, 64, true)[:40], "truncated"},
		"b.png": {asPicture(t, 8, 32, false), ""},
		"c.png": {flat(t, 15, 15), "an image of 15 x 15 pixels is not a table; use N x N x N pixels, such as 256 x 16 or 512 x 512"},
		"d.png": {flat(t, 128, 4), `an image of 128 x 4 pixels cannot be cut into tiles of`},
		"e.png": {[]byte("LUT_3D_SIZE 2\n" + entries), "not a PNG"},
	} {
		_, _, err := cook(t, name, tc.data, lutOptions{})
		if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: error %v, want %q", name, err, tc.want)
		}
	}
}

func flat(t testing.TB, w, h int) []byte {
	var out bytes.Buffer
	if err := png.Encode(&out, image.NewNRGBA(image.Rect(0, 0, w, h))); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// The parser must accept any order of keywords, any size, comments and white space.
func TestAnyNotationOfATableIsRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 5).Draw(t, "size")
		head := rapid.Permutation([]string{
			fmt.Sprint("LUT_3D_SIZE ", n), "TITLE \"a\"", "DOMAIN_MIN -1 0 0", "DOMAIN_MAX 1 2 3", "# comment", "",
		}).Draw(t, "head")
		values := rapid.SliceOfN(rapid.Float32Range(-maxHalf, maxHalf), 3*n*n*n, 3*n*n*n).Draw(t, "values")
		end := rapid.SampledFrom([]string{"\n", "\r\n", " \n", "\n\n", "\n# x\n"}).Draw(t, "end")
		text := strings.Join(head, end) + end
		for i := 0; i < len(values); i += 3 {
			text += fmt.Sprintf("%v  %g\t%v%s", values[i], values[i+1], values[i+2], end)
		}
		got, d, err := parseCube(context.Background(), []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if got.size != n || got.single || d != (domain{[3]float32{-1, 0, 0}, [3]float32{1, 2, 3}}) {
			t.Fatalf("size %d, single %v, domain %v", got.size, got.single, d)
		}
		for i, v := range values {
			if got.PixF[i/3*4+i%3] != v || got.PixF[i/3*4+3] != 1 {
				t.Fatalf("number %d is %v, want %v", i, got.PixF[i/3*4+i%3], v)
			}
		}
	})
}

// The estimate must cover the memory that Cook allocates for text.
func TestEstimateCoversTheEntries(t *testing.T) {
	for _, n := range []int{2, 33} {
		text := []byte(fmt.Sprintf("LUT_3D_SIZE %d\n", n) + strings.Repeat("0 0 0\n", n*n*n))
		o := Recipe().New().(*lutOptions)
		got, err := o.estimateMemory(text[:min(len(text), recipe.HeadSize)], int64(len(text)))
		if want := int64(len(text) + n*n*n*(bytesOfFloats+bytesOfTexel)); err != nil || got < want {
			t.Errorf("%d: %d, %v; want %d at least", n, got, err, want)
		}
	}
	if _, err := Recipe().New().(*lutOptions).estimateMemory([]byte("\x89PNG\r\n\x1a\n"), 1000); !errors.Is(err, recipe.ErrShortHead) {
		t.Errorf("the start of a PNG: %v", err)
	}
}

func TestShortFileWithHugeSizeAllocatesNothing(t *testing.T) {
	text := []byte("LUT_3D_SIZE 256\n0 0 0\n")
	if n := testing.AllocsPerRun(1, func() { _, _, _ = parseCube(context.Background(), text) }); n > 100 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzCube(f *testing.F) {
	f.Add(asCube(2))
	f.Add([]byte("LUT_1D_SIZE 2\nDOMAIN_MAX 2 2 2\n0 0 0\n1 1 1"))
	f.Fuzz(func(t *testing.T, text []byte) {
		got, d, err := parseCube(context.Background(), text)
		if err != nil {
			return
		}
		if !isCube(text) {
			t.Fatal("a table of colors is not recognized")
		}
		if 6*got.W*got.H > len(text)+1 {
			t.Fatalf("%d entries from %d bytes", got.W*got.H, len(text))
		}
		for i, v := range got.PixF {
			if math.IsNaN(float64(v)) || v < -maxHalf || v > maxHalf || i%4 == 3 && v != 1 {
				t.Fatalf("number %d is %v", i, v)
			}
		}
		for i := range 3 {
			if d.min[i] >= d.max[i] {
				t.Fatalf("domain %v", d)
			}
		}
	})
}

// Only text with a keyword of color tables must be recognized, because chemistry programs also
// write .cube files.
func TestOnlyColorTablesAreRecognized(t *testing.T) {
	for text, want := range map[string]bool{
		"LUT_3D_SIZE 2\n": true, "# made by\n\nTITLE \"warm\"\n": true, "\ufeffDOMAIN_MIN 0 0 0\n": true, "\tLUT_1D_SIZE 4": true,
		" water\n density\n 3 -5.0 -5.0 -5.0\n": false, "": true, "\x00\x01": false,
	} {
		if got := Recipe().Recognizes([]byte(text)); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
