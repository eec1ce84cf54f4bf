package font

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"image"
	"image/png"
	"math"
	"slices"
	"testing"
	"testing/fstest"

	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/sfnt"

	"github.com/assetcook/assetcook/cook/recipe/recipetest"
	"github.com/assetcook/assetcook/internal/image/ktx2"
	"github.com/assetcook/assetcook/internal/image/texture"
)

// All containers must store the same values in the channels that they have. Alpha must be the plain
// distance.
func TestFieldsAreTheSameInEachContainer(t *testing.T) {
	atlas := func(field, container string) image.Image {
		t.Helper()
		res := cookFile(t, options(func(o *fontOptions) { o.Field, o.Container, o.Size = field, container, 20 }), goregular.TTF)
		if res.Err != nil {
			t.Fatal(res.Err)
		}
		if container == "png" {
			p, err := png.Decode(bytes.NewReader(res.Outputs[atlasOutput]))
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
		x, err := ktx2.Read(res.Outputs[atlasOutput], 1<<24)
		if err != nil || x.Format != texture.RGBA8 || x.SRGB {
			t.Fatal(x.Format, x.SRGB, err)
		}
		return &image.NRGBA{Pix: x.Levels[0], Stride: 4 * x.W, Rect: image.Rect(0, 0, x.W, x.H)}
	}
	plain := atlas("sdf", "png").(*image.Gray)
	multi := atlas("mtsdf", "png").(*image.NRGBA)
	if !bytes.Equal(multi.Pix, atlas("mtsdf", "ktx2").(*image.NRGBA).Pix) {
		t.Error("mtsdf differs by container")
	}
	three, opaque := atlas("msdf", "png").(*image.RGBA), atlas("msdf", "ktx2").(*image.NRGBA)
	if !bytes.Equal(three.Pix, opaque.Pix) {
		t.Error("msdf differs by container")
	}
	if plain.Rect != multi.Rect || plain.Rect != three.Rect {
		t.Fatal(plain.Rect, multi.Rect, three.Rect)
	}
	colored := 0
	for i, v := range plain.Pix {
		m, o := multi.Pix[4*i:][:4], three.Pix[4*i:][:4]
		if m[3] != v || o[3] != 255 || !slices.Equal(m[:3], o[:3]) {
			t.Fatalf("texel %d: %v in mtsdf, %v in msdf, %d in sdf", i, m, o, v)
		}
		if m[0] != m[1] || m[0] != m[2] {
			colored++
		}
	}
	if 10*colored < len(plain.Pix) {
		t.Errorf("%d of %d texels have colors", colored, len(plain.Pix))
	}
}

// The test enlarges glyphs from few pixels. A three-channel field must give several times fewer
// wrong pixels than a one-channel field.
func TestMultiIsSharper(t *testing.T) {
	f, err := sfnt.Parse(goregular.TTF)
	if err != nil {
		t.Fatal(err)
	}
	wrong := map[string]int{}
	for _, field := range []string{"sdf", "mtsdf"} {
		res := cookFile(t, options(func(o *fontOptions) { o.Field, o.Container, o.Size, o.Range = field, "png", 28, 4 }), goregular.TTF)
		if res.Err != nil {
			t.Fatal(res.Err)
		}
		var m metrics
		if err := json.Unmarshal(res.Outputs[metricsOutput], &m); err != nil || m.Atlas.Type != field {
			t.Fatal(m.Atlas, err)
		}
		p, err := png.Decode(bytes.NewReader(res.Outputs[atlasOutput]))
		if err != nil {
			t.Fatal(err)
		}
		channel := func(c int) *image.Gray {
			g, ok := p.(*image.Gray)
			if !ok {
				pix := p.(*image.NRGBA)
				g = image.NewGray(pix.Rect)
				for i := range g.Pix {
					g.Pix[i] = pix.Pix[4*i+c]
				}
			}
			return g
		}
		r, g, b := channel(0), channel(1), channel(2)
		const zoom = 8
		for _, x := range m.Glyphs {
			if x.Atlas == nil {
				continue
			}
			scale := float64(zoom * m.Atlas.Size)
			filled := fill(t, f, x.Rune, scale, x.Plane[0]*scale, x.Plane[3]*scale, zoom*(x.Atlas[2]-x.Atlas[0]), zoom*(x.Atlas[1]-x.Atlas[3]))
			for py := range filled.Rect.Dy() {
				for px := range filled.Rect.Dx() {
					u, v := float64(x.Atlas[0])+(float64(px)+0.5)/zoom, float64(x.Atlas[3])+(float64(py)+0.5)/zoom
					c := []float64{between(r, u, v), between(g, u, v), between(b, u, v)}
					slices.Sort(c)
					// A half-covered pixel may count as inside or outside.
					if a := filled.AlphaAt(px, py).A; a < 50 && c[1] > 127.5 || a > 205 && c[1] < 127.5 {
						wrong[field]++
					}
				}
			}
		}
	}
	t.Log(wrong)
	if 5*wrong["mtsdf"] > wrong["sdf"] {
		t.Errorf("%v pixels are wrong", wrong)
	}
}

// A placed is the description of a glyph in a layout.
type placed struct {
	code                                   int
	advance, left, bottom, right, top      float64 // pixels of the atlas relative to the pen, y upward
	atlasLeft, atlasTop, atlasW, atlasH    float64
	kernedBy, lineHeight, ascender, spread float64
}

func TestLayoutsDescribeTheSameGlyphs(t *testing.T) {
	file := trueType([][]byte{{}, boxGlyph([4]int{100, -100, 300, 700})}, map[string][]byte{
		"kern": kernOf(1, 1, -50),
		"post": slices.Concat(long(0x20000), long(0), words(-75, 50), make([]byte, 16)),
	})
	cookAs := func(data string) []byte {
		t.Helper()
		o := options(func(o *fontOptions) {
			o.Charset, o.Size, o.Range, o.Data, o.Field, o.Container = []string{"U+41"}, 20, 4, data, "msdf", "png"
		})
		res := recipetest.Cook(t, Recipe(), o, fstest.MapFS{"f/<a>&.ttf": {Data: file}}, "", "f/<a>&.ttf")
		if res.Err != nil {
			t.Fatal(res.Err)
		}
		return res.Outputs[metricsOutput]
	}
	const size, base = 20, 16 // base is the font's ascender of 800 units
	// The glyph is a box from 2, -2 to 6, 14 pixels, with 2 pixels around it, at the corner of the
	// atlas.
	want := placed{'A', 10, 0, -4, 8, 16, 0, 0, 8, 20, -1, 21.8, 16, 4}

	var g struct {
		Atlas struct {
			Type, YOrigin               string
			DistanceRange, Size, Height float64
			DistanceRangeMiddle, Width  float64
		}
		Metrics struct {
			EmSize, LineHeight, Ascender, Descender float64
			UnderlineY, UnderlineThickness          float64
		}
		Glyphs []struct {
			Unicode                  int
			Advance                  float64
			PlaneBounds, AtlasBounds struct{ Left, Bottom, Right, Top float64 }
		}
		Kerning []struct {
			Unicode1, Unicode2 int
			Advance            float64
		}
	}
	text := cookAs("msdf-atlas-gen")
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&g); err != nil {
		t.Fatal(err, string(text))
	}
	x := g.Glyphs[0]
	got := placed{x.Unicode, size * x.Advance, size * x.PlaneBounds.Left, size * x.PlaneBounds.Bottom, size * x.PlaneBounds.Right, size * x.PlaneBounds.Top,
		x.AtlasBounds.Left, g.Atlas.Height - x.AtlasBounds.Top, x.AtlasBounds.Right - x.AtlasBounds.Left, x.AtlasBounds.Top - x.AtlasBounds.Bottom,
		size * g.Kerning[0].Advance, size * g.Metrics.LineHeight, size * g.Metrics.Ascender, g.Atlas.DistanceRange}
	near := func(name string, got placed) {
		t.Helper()
		if a, b := fmt.Sprintf("%.6v", got), fmt.Sprintf("%.6v", want); a != b {
			t.Errorf("%s: %s, want %s", name, a, b)
		}
	}
	near("msdf-atlas-gen", got)
	if g.Atlas.Type != "msdf" || g.Atlas.YOrigin != "bottom" || g.Metrics.EmSize != 1 || g.Metrics.UnderlineY != -0.075 || g.Metrics.UnderlineThickness != 0.05 || g.Atlas.Size != size {
		t.Errorf("%+v %+v", g.Atlas, g.Metrics)
	}

	type bm struct {
		Info struct {
			Face string  `xml:"face,attr"`
			Size float64 `xml:"size,attr"`
		} `xml:"info"`
		Common struct {
			LineHeight float64 `xml:"lineHeight,attr"`
			Base       float64 `xml:"base,attr"`
			Pages      int     `xml:"pages,attr"`
		} `xml:"common"`
		DistanceField struct {
			FieldType     string  `xml:"fieldType,attr"`
			DistanceRange float64 `xml:"distanceRange,attr"`
		} `xml:"distanceField"`
		Chars []struct {
			ID       int     `xml:"id,attr"`
			X        float64 `xml:"x,attr"`
			Y        float64 `xml:"y,attr"`
			Width    float64 `xml:"width,attr"`
			Height   float64 `xml:"height,attr"`
			XOffset  float64 `xml:"xoffset,attr"`
			YOffset  float64 `xml:"yoffset,attr"`
			XAdvance float64 `xml:"xadvance,attr"`
		} `xml:"chars>char"`
		Kernings []struct {
			First  int     `xml:"first,attr"`
			Amount float64 `xml:"amount,attr"`
		} `xml:"kernings>kerning"`
	}
	check := func(name string, b bm, page string) {
		t.Helper()
		c := b.Chars[0]
		got := placed{c.ID, c.XAdvance, c.XOffset, b.Common.Base - c.YOffset - c.Height, c.XOffset + c.Width, b.Common.Base - c.YOffset,
			c.X, c.Y, c.Width, c.Height, b.Kernings[0].Amount, 21.8, b.Common.Base, b.DistanceField.DistanceRange}
		near(name, got)
		if b.Info.Face != "<a>&" || b.Info.Size != size || b.Common.LineHeight != math.Ceil(21.8) || b.Common.Pages != 1 || b.DistanceField.FieldType != "msdf" || page != "<a>&.ttf.png" {
			t.Errorf("%s: %+v, %q", name, b, page)
		}
	}
	var inXML struct {
		bm
		Pages []struct {
			File string `xml:"file,attr"`
		} `xml:"pages>page"`
	}
	if err := xml.Unmarshal(cookAs("bmfont"), &inXML); err != nil {
		t.Fatal(err)
	}
	check("bmfont", inXML.bm, inXML.Pages[0].File)
	var inJSON struct {
		bm
		Pages []string
	}
	if err := json.Unmarshal(cookAs("bmfont-json"), &inJSON); err != nil {
		t.Fatal(err, string(cookAs("bmfont-json")))
	}
	check("bmfont-json", inJSON.bm, inJSON.Pages[0])
	if got := options(func(o *fontOptions) { o.Data = "bmfont" }).Outputs(); got[metricsOutput] != "{path}.fnt" {
		t.Error(got)
	}
}

func TestCharactersForbiddenInXMLAreReplaced(t *testing.T) {
	for in, want := range map[string]string{`a"<&>`: "a&quot;&lt;&amp;&gt;", "a\n\x01\xff": "a\ufffd\ufffd\ufffd", "é": "é"} {
		if got := escaped(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
