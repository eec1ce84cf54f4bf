package font

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/image/font/gofont/gobolditalic"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/cook/recipe/recipetest"
	"github.com/assetcook/assetcook/internal/image/ktx2"
	"github.com/assetcook/assetcook/internal/image/texture"
)

func options(set ...func(*fontOptions)) *fontOptions {
	o := Recipe().New().(*fontOptions)
	for _, f := range set {
		f(o)
	}
	return o
}

func cookFile(t testing.TB, o *fontOptions, file []byte) recipetest.Result {
	t.Helper()
	return recipetest.Cook(t, Recipe(), o, fstest.MapFS{"a.ttf": {Data: file}}, "", "a.ttf")
}

// metrics has the fields of the JSON that a game reads.
type metrics struct {
	Atlas struct {
		Type                       string
		Width, Height, Size, Range int
	}
	Metrics struct {
		UnitsPerEm int `json:"units_per_em"`
		Ascender   float64
		Descender  float64
		LineGap    float64 `json:"line_gap"`
	}
	Glyphs []struct {
		Rune    rune
		Advance float64
		Plane   []float64
		Atlas   []int
	}
	Kerning [][3]float64
}

// cooked returns the outputs for a font, decoded as a game would decode them.
func cooked(t testing.TB, o *fontOptions, file []byte) (metrics, *image.Gray) {
	t.Helper()
	res := cookFile(t, o, file)
	if res.Err != nil {
		t.Fatal(res.Err)
	}
	var m metrics
	d := json.NewDecoder(bytes.NewReader(res.Outputs[metricsOutput]))
	d.DisallowUnknownFields()
	if err := d.Decode(&m); err != nil {
		t.Fatal(err)
	}
	if o.Container == "png" {
		p, err := png.Decode(bytes.NewReader(res.Outputs[atlasOutput]))
		if err != nil {
			t.Fatal(err)
		}
		return m, p.(*image.Gray)
	}
	x, err := ktx2.Read(res.Outputs[atlasOutput], 1<<24)
	if err != nil {
		t.Fatal(err)
	}
	if x.Format != texture.R8 || len(x.Levels) != 1 {
		t.Fatal("not one level of r8")
	}
	return m, &image.Gray{Pix: x.Levels[0], Stride: x.W, Rect: image.Rect(0, 0, x.W, x.H)}
}

// The test draws text from the atlas at four times the size, with a threshold of 0.5 as in a
// shader. It must cover nearly the same pixels as the text of another rasterizer.
func TestTextFromAtlasCoversTheOutlines(t *testing.T) {
	for name, file := range map[string][]byte{"regular": goregular.TTF, "bold italic": gobolditalic.TTF} {
		m, atlas := cooked(t, options(func(o *fontOptions) { o.Charset = []string{"U+20-7E", "U+C0-FF"} }), file)
		f, err := sfnt.Parse(file)
		if err != nil {
			t.Fatal(err)
		}
		const zoom = 4
		both, either := 0, 0
		for _, g := range m.Glyphs {
			if g.Atlas == nil {
				continue
			}
			scale := float64(zoom * m.Atlas.Size)
			filled := fill(t, f, g.Rune, scale, g.Plane[0]*scale, g.Plane[3]*scale, zoom*(g.Atlas[2]-g.Atlas[0]), zoom*(g.Atlas[1]-g.Atlas[3]))
			for y := range filled.Rect.Dy() {
				for x := range filled.Rect.Dx() {
					a := between(atlas, float64(g.Atlas[0])+(float64(x)+0.5)/zoom, float64(g.Atlas[3])+(float64(y)+0.5)/zoom) > 127.5
					b := filled.AlphaAt(x, y).A > 127
					if a && b {
						both++
					}
					if a || b {
						either++
					}
				}
			}
		}
		share := float64(both) / float64(either)
		t.Logf("%s: intersection over union of the pixels is %.4f", name, share)
		if share < 0.98 {
			t.Errorf("%s: %v", name, share)
		}
	}
}

// between returns a value of the atlas at any position, with linear filtering.
func between(atlas *image.Gray, x, y float64) float64 {
	x, y = x-0.5, y-0.5
	left, top := int(math.Floor(x)), int(math.Floor(y))
	u, v := x-math.Floor(x), y-math.Floor(y)
	at := func(x, y int) float64 { return float64(atlas.GrayAt(x, y).Y) } // texels outside of the atlas are 0
	return (at(left, top)*(1-u)+at(left+1, top)*u)*(1-v) + (at(left, top+1)*(1-u)+at(left+1, top+1)*u)*v
}

// fill draws a glyph with golang.org/x/image/vector. left and top are in pixels relative to the
// pen, and y grows upward.
func fill(t *testing.T, f *sfnt.Font, r rune, size, left, top float64, w, h int) *image.Alpha {
	t.Helper()
	var b sfnt.Buffer
	i, err := f.GlyphIndex(&b, r)
	if err != nil || i == 0 {
		t.Fatalf("%c: %d, %v", r, i, err)
	}
	segments, err := f.LoadGlyph(&b, i, fixed.Int26_6(f.UnitsPerEm()), nil)
	if err != nil {
		t.Fatal(err)
	}
	scale := size / float64(f.UnitsPerEm())
	at := func(p fixed.Point26_6) (x, y float32) {
		return float32(float64(p.X)*scale - left), float32(float64(p.Y)*scale + top)
	}
	z := vector.NewRasterizer(w, h)
	for _, s := range segments {
		ax, ay := at(s.Args[0])
		bx, by := at(s.Args[1])
		switch s.Op {
		case sfnt.SegmentOpMoveTo:
			z.ClosePath()
			z.MoveTo(ax, ay)
		case sfnt.SegmentOpLineTo:
			z.LineTo(ax, ay)
		case sfnt.SegmentOpQuadTo:
			z.QuadTo(ax, ay, bx, by)
		}
	}
	z.ClosePath()
	dst := image.NewAlpha(image.Rect(0, 0, w, h))
	z.Draw(dst, dst.Rect, image.Opaque, image.Point{})
	return dst
}

// The font has one glyph, a disc of cubic PostScript curves. So its distances are known.
func TestPostScriptOutlinesHaveRightDistances(t *testing.T) {
	file := postScript([][]byte{{endOfGlyph}, roundGlyph(250, 300, 200)}, nil)
	m, atlas := cooked(t, options(func(o *fontOptions) { o.Charset, o.Size, o.Range = []string{"U+41"}, 100, 12 }), file)
	g := m.Glyphs[0]
	for y := g.Atlas[3]; y < g.Atlas[1]; y++ {
		for x := g.Atlas[0]; x < g.Atlas[2]; x++ {
			px := g.Plane[0]*100 + float64(x-g.Atlas[0]) + 0.5
			py := g.Plane[3]*100 - float64(y-g.Atlas[3]) - 0.5
			want := min(6, max(-6, 20-math.Hypot(px-25, py-30)))
			got := (float64(atlas.GrayAt(x, y).Y)/255 - 0.5) * 12
			if math.Abs(got-want) > 0.06 { // half a step of an 8-bit value, plus the error of the curve
				t.Fatalf("at %v, %v: %v, want %v", px, py, got, want)
			}
		}
	}
}

// kernOf encodes pairs as a table kern, in Microsoft's format.
func kernOf(pairs ...int) []byte {
	return slices.Concat(words(0, 1, 0, 14+2*len(pairs), 1, len(pairs)/3, 0, 0, 0), words(pairs...))
}

func TestMetricsDescribeTheGlyphs(t *testing.T) {
	box, empty := boxGlyph([4]int{100, -100, 300, 700}), []byte{}
	file := trueType([][]byte{box, box, empty, compoundGlyph(1, 1), box}, map[string][]byte{"kern": kernOf(1, 3, -50, 3, 1, 25, 4, 4, 10)})
	m, _ := cooked(t, options(func(o *fontOptions) { o.Charset, o.Size, o.Range = []string{"U+41-44"}, 10, 2 }), file)
	if fmt.Sprint(m.Metrics) != "{1000 0.8 -0.2 0.09}" || m.Atlas.Size != 10 || m.Atlas.Range != 2 {
		t.Errorf("%+v", m)
	}
	var have []string
	for _, g := range m.Glyphs {
		size := ""
		if g.Atlas != nil {
			size = fmt.Sprint(g.Atlas[2]-g.Atlas[0], " x ", g.Atlas[1]-g.Atlas[3])
		}
		have = append(have, fmt.Sprintf("%c %v %v %s", g.Rune, g.Advance, g.Plane, size))
	}
	// A has a box from 1, -1 to 3, 7 pixels, plus a margin of one pixel. D has the same box, and
	// the box of C is moved by 1.
	want := []string{"A 0.5 [0 -0.2 0.4 0.8] 4 x 10", "B 0.5 [] ", "C 0.5 [0 -0.2 0.5 0.8] 5 x 10", "D 0.5 [0 -0.2 0.4 0.8] 4 x 10"}
	if !slices.Equal(have, want) {
		t.Errorf("%q\nwant %q", have, want)
	}
	if fmt.Sprint(m.Kerning) != "[[65 67 -0.05] [67 65 0.025] [68 68 0.01]]" {
		t.Error(m.Kerning)
	}
	m, _ = cooked(t, options(func(o *fontOptions) { o.Charset, o.Kerning = []string{"U+41-44"}, false }), file)
	if m.Kerning == nil || len(m.Kerning) != 0 {
		t.Errorf("without kerning: %v", m.Kerning)
	}
}

func TestRunesShareAGlyph(t *testing.T) {
	file := trueType([][]byte{{}, boxGlyph([4]int{0, 0, 500, 500})}, map[string][]byte{
		"kern": kernOf(1, 1, -7),
		"cmap": slices.Concat(words(0, 1, 3, 10), long(12), words(12, 0), long(40), long(0), long(2), long('A'), long('A'), long(1), long('C'), long('C'), long(1)),
	})
	m, _ := cooked(t, options(func(o *fontOptions) { o.Charset = []string{"U+41", "U+43"} }), file)
	if len(m.Glyphs) != 2 || !slices.Equal(m.Glyphs[0].Atlas, m.Glyphs[1].Atlas) || m.Glyphs[0].Atlas == nil {
		t.Errorf("%+v", m.Glyphs)
	}
	if fmt.Sprint(m.Kerning) != "[[65 65 -0.007] [65 67 -0.007] [67 65 -0.007] [67 67 -0.007]]" {
		t.Error(m.Kerning)
	}
}

// The boxes of glyphs must be inside the atlas, with at least the padding between them.
func TestPlacesDoNotTouch(t *testing.T) {
	for _, o := range []*fontOptions{
		options(), options(func(o *fontOptions) { o.Padding = 5 }), options(func(o *fontOptions) { o.PowerOfTwo = false }),
		options(func(o *fontOptions) { o.MaxSize, o.PowerOfTwo, o.Padding = 400, false, 0 }),
		options(func(o *fontOptions) { o.MaxSize = 512 }), options(func(o *fontOptions) { o.Charset = []string{"U+49"} }),
	} {
		m, atlas := cooked(t, o, goregular.TTF)
		if max(m.Atlas.Width, m.Atlas.Height) > o.MaxSize || m.Atlas.Width != atlas.Rect.Dx() || m.Atlas.Height != atlas.Rect.Dy() {
			t.Errorf("%d x %d", m.Atlas.Width, m.Atlas.Height)
		}
		for _, side := range []int{m.Atlas.Width, m.Atlas.Height} {
			if o.PowerOfTwo && side&(side-1) != 0 || side%4 != 0 {
				t.Errorf("a side of %d", side)
			}
		}
		var boxes []image.Rectangle
		used := 0
		for _, g := range m.Glyphs {
			if g.Atlas == nil {
				continue
			}
			b := image.Rect(g.Atlas[0], g.Atlas[3], g.Atlas[2], g.Atlas[1])
			if !b.In(atlas.Rect) || b.Empty() {
				t.Errorf("%c: %v", g.Rune, b)
			}
			used += b.Dx() * b.Dy()
			b.Max = b.Max.Add(image.Pt(o.Padding, o.Padding))
			for _, other := range boxes {
				if other.Overlaps(b) {
					t.Errorf("%c: %v touches %v", g.Rune, b, other)
				}
			}
			boxes = append(boxes, b)
		}
		if filled := 100 * used / (m.Atlas.Width * m.Atlas.Height); !o.PowerOfTwo && o.Padding < 2 && filled < 75 {
			t.Errorf("%d %% filled", filled)
		}
	}
}

func TestContainersHaveTheSamePixels(t *testing.T) {
	_, want := cooked(t, options(), goregular.TTF)
	for _, o := range []*fontOptions{options(func(o *fontOptions) { o.Container = "png" }), options(func(o *fontOptions) { o.Zstd = 0 })} {
		if _, got := cooked(t, o, goregular.TTF); !bytes.Equal(got.Pix, want.Pix) {
			t.Errorf("%s: different pixels", o.Container)
		}
	}
	if got := options(func(o *fontOptions) { o.Container = "png" }).Outputs(); !slices.Equal(got, []string{"{path}.json", "{path}.png"}) {
		t.Error(got)
	}
}

func TestFaceOfCollectionIsSelected(t *testing.T) {
	file := collection(trueType([][]byte{{}, boxGlyph([4]int{0, 0, 100, 100})}, nil), trueType([][]byte{{}, boxGlyph([4]int{0, 0, 500, 100})}, nil))
	for face, want := range []float64{2, 6} {
		m, _ := cooked(t, options(func(o *fontOptions) { o.Charset, o.Face, o.Size, o.Range = []string{"U+41"}, face, 10, 2 }), file)
		if got := (m.Glyphs[0].Plane[2] - m.Glyphs[0].Plane[0]) * 10; math.Abs(got-want-1) > 1e-9 {
			t.Errorf("face %d: %v wide", face, got)
		}
	}
}

func TestCharsetSelectsRunes(t *testing.T) {
	tree := fstest.MapFS{
		"f/a.ttf":    {Data: goregular.TTF},
		"f/text.txt": {Data: []byte("\ufeffdéjà\r\n\tvu")},
		"bad.txt":    {Data: []byte("ab\xff")},
		"missing":    {Data: []byte("\U0001F600\U0001F601a")},
	}
	res := recipetest.Cook(t, Recipe(), options(func(o *fontOptions) { o.Charset, o.Text = nil, []string{"text.txt"} }), tree, "", "f/a.ttf")
	if res.Err != nil {
		t.Fatal(res.Err)
	}
	var m metrics
	if err := json.Unmarshal(res.Outputs[metricsOutput], &m); err != nil {
		t.Fatal(err)
	}
	var have []rune
	for _, g := range m.Glyphs {
		have = append(have, g.Rune)
	}
	if string(have) != "djuvàé" {
		t.Errorf("%q", string(have))
	}
	if len(res.Deps) != 1 || res.Deps[0].On.Path != "f/text.txt" || res.Deps[0].On.Function != "runes.1" || !res.Deps[0].Found {
		t.Error(res.Deps)
	}
	for _, tc := range []struct {
		set  func(*fontOptions)
		want string
	}{
		{func(o *fontOptions) { o.Text = []string{"none.txt"} }, "none.txt: there is no such file"},
		{func(o *fontOptions) { o.Text = []string{"/bad.txt"} }, "/bad.txt: 1:3: byte 0xff is not UTF-8"},
		{func(o *fontOptions) { o.Text = []string{"/missing"} }, `no glyphs for U+1F600 '😀', U+1F601 '😁'; remove these characters`},
		{func(o *fontOptions) { o.Charset = []string{"U+10000-1000F"} }, "and 11 more"},
		{func(o *fontOptions) { o.Charset = []string{"U+41", "U+10000-1000F"} }, "no glyphs for U+10000"},
		{func(o *fontOptions) { o.Charset, o.Missing = []string{"U+10000-1000F"}, "skip" }, "the font has glyphs for none of U+10000"},
		{func(o *fontOptions) { o.Charset = []string{"U+0-10FFFF"} }, "U+D800"},
		{func(o *fontOptions) { o.Charset = []string{"U+E000-10FFFF"} }, "but a font has at most"},
		{func(o *fontOptions) { o.MaxSize = 128 }, "do not fit into 128 x 128"},
		{func(o *fontOptions) { o.MaxSize = 16 }, "more than max_size, 16"},
		{func(o *fontOptions) { o.Face = 1 }, "the file has one font"},
	} {
		res := recipetest.Cook(t, Recipe(), options(tc.set), tree, "", "f/a.ttf")
		if res.Err == nil || !strings.Contains(res.Err.Error(), tc.want) {
			t.Errorf("%v, want %q", res.Err, tc.want)
		}
	}
	res = recipetest.Cook(t, Recipe(), options(func(o *fontOptions) { o.Text, o.Missing = []string{"/missing"}, "skip" }), tree, "", "f/a.ttf")
	if res.Err != nil || res.Warned != nil {
		t.Error(res.Err, res.Warned)
	}
	// An atlas without any outline is probably a mistake, so it must cause a warning.
	res = recipetest.Cook(t, Recipe(), options(func(o *fontOptions) { o.Charset = []string{"U+20"} }), tree, "", "f/a.ttf")
	if want := []string{"the atlas is empty, because no glyph has an outline; change charset or text"}; res.Err != nil || !slices.Equal(res.Warned, want) {
		t.Error(res.Err, res.Warned)
	}
}

func TestWrongOptionIsNamed(t *testing.T) {
	for _, tc := range []struct {
		set  func(*fontOptions)
		want string
	}{
		{func(*fontOptions) {}, ""},
		{func(o *fontOptions) { o.Charset = []string{"U+41", "u+42-43"} }, ""},
		{func(o *fontOptions) { o.Charset, o.Text = nil, []string{"a.txt"} }, ""},
		{func(o *fontOptions) { o.MaxSize, o.PowerOfTwo = 1000, false }, ""},
		{func(o *fontOptions) { o.MaxSize = 1000 }, "max_size: want a power of two"},
		{func(o *fontOptions) { o.Charset = nil }, "charset: want code points"},
		{func(o *fontOptions) { o.Charset = []string{"41"} }, `charset: want code points such as "U+41"`},
		{func(o *fontOptions) { o.Charset = []string{"U+43-41"} }, "charset: want a range with the smaller number first"},
		{func(o *fontOptions) { o.Charset = []string{"U+110000"} }, "charset: want code points"},
		{func(o *fontOptions) { o.Charset = []string{"U+41-"} }, "charset: want code points"},
		{func(o *fontOptions) { o.Charset = []string{"U+D800"} }, "charset: want no surrogates"},
	} {
		err := options(tc.set).checkOptions()
		var wrong *recipe.OptionError
		switch {
		case tc.want == "" && err != nil:
			t.Error(err)
		case tc.want != "" && (!errors.As(err, &wrong) || !strings.Contains(err.Error(), tc.want)):
			t.Errorf("%v, want %q", err, tc.want)
		}
	}
}

func TestExplainCountsTheGlyphs(t *testing.T) {
	tree := fstest.MapFS{"a.ttf": {Data: goregular.TTF}}
	o := options(func(o *fontOptions) { o.Charset, o.Missing = []string{"U+41-45", "U+10000"}, "skip" })
	lines, _ := recipetest.Explain(t, Recipe(), o, tree, "a.ttf")
	want := []string{"5 glyphs in 128 x 128 pixels, 49 % filled", `skipped, because the font has no glyphs: U+10000 '𐀀'`, "0 kerning pairs"}
	if !slices.Equal(lines, want) {
		t.Errorf("%q", lines)
	}
}

func TestFingerprint(t *testing.T) {
	recipetest.Check(t, Recipe(), map[string]any{
		"field": "msdf", "data": "bmfont", "size": int64(32), "range": int64(4), "charset": []any{"U+41"}, "text": []any{"a.txt"}, "missing": "skip", "kerning": false,
		"padding": int64(2), "max_size": int64(512), "power_of_two": false, "face": int64(1), "container": "png", "zstd": int64(0),
	})
}

// The bytes must be the same on every machine. If these hashes change, the recipe's version must be
// raised.
func TestAtlasHasGoldenBytes(t *testing.T) {
	file := trueType([][]byte{{}, boxGlyph([4]int{13, -101, 303, 697}, [4]int{101, 97, 507, 333}), compoundGlyph(1, 1)},
		map[string][]byte{"kern": kernOf(1, 2, -50)})
	for _, tc := range []struct {
		name, want string
		file       []byte
		set        func(*fontOptions)
	}{
		{"regular", "efaf8a96b5a8fb54", goregular.TTF, func(*fontOptions) {}},
		{"bold italic", "15e1728006e7833e", gobolditalic.TTF, func(o *fontOptions) { o.Size, o.Range, o.PowerOfTwo, o.Charset = 29, 5, false, []string{"U+C0-FF"} }},
		{"boxes", "37140d5ea027d632", file, func(o *fontOptions) { o.Charset = []string{"U+41-42"} }},
		{"msdf", "dcbbee19ac1e7a55", goregular.TTF, func(o *fontOptions) { o.Field, o.Size, o.Range = "msdf", 24, 4 }},
		{"mtsdf", "884e89461aa61c6c", gobolditalic.TTF, func(o *fontOptions) { o.Field, o.Size, o.Range, o.Data = "mtsdf", 20, 6, "bmfont" }},
		{"cubic", "6d00fb09f9b71e0a", postScript([][]byte{{endOfGlyph}, roundGlyph(251, 303, 207)}, nil), func(o *fontOptions) { o.Charset = []string{"U+41"} }},
	} {
		res := cookFile(t, options(func(o *fontOptions) { o.Zstd = 0 }, tc.set), tc.file)
		if res.Err != nil {
			t.Fatal(res.Err)
		}
		if got := fmt.Sprintf("%x", sha256.Sum256(slices.Concat(res.Outputs...)))[:16]; got != tc.want {
			t.Errorf("%s: %s, want %s", tc.name, got, tc.want)
		}
	}
}

// hasty is a context that reports its cancellation after a number of checks.
type hasty struct {
	context.Context
	looks, had int
}

func (h *hasty) Err() error {
	if h.had++; h.had > h.looks {
		return context.Canceled
	}
	return nil
}

func TestCanceledCookEnds(t *testing.T) {
	tree := fstest.MapFS{"a.ttf": {Data: goregular.TTF}}
	for container, set := range map[string]func(*fontOptions){
		"ktx2": func(*fontOptions) {}, "png": func(o *fontOptions) { o.Container = "png" },
		"bmfont":         func(o *fontOptions) { o.Field, o.Data, o.Size = "msdf", "bmfont", 12 },
		"msdf-atlas-gen": func(o *fontOptions) { o.Data, o.Size = "msdf-atlas-gen", 12 },
	} {
		o := options(set)
		all := &hasty{t.Context(), math.MaxInt, 0}
		if res := recipetest.CookContext(all, t, Recipe(), o, tree, "", "a.ttf"); res.Err != nil {
			t.Fatal(res.Err)
		}
		for i := range 12 {
			looks := all.had * i / 12
			h := &hasty{t.Context(), looks, 0}
			res := recipetest.CookContext(h, t, Recipe(), o, tree, "", "a.ttf")
			if !errors.Is(res.Err, context.Canceled) {
				t.Errorf("%s, %d looks: %v", container, looks, res.Err)
			}
			if h.had > looks+1 {
				t.Errorf("%s, ended after %d checks: %d more checks", container, looks, h.had-looks)
			}
		}
	}
}
