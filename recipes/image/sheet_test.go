package image

import (
	"bytes"
	"encoding/json"
	stdimage "image"
	"image/color"
	"image/color/palette"
	"image/draw"
	"image/gif"
	"image/png"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/image/webp"

	"github.com/assetcook/assetcook/cook/recipe/recipetest"
	"github.com/assetcook/assetcook/internal/image/spritesheet"
)

// animatedGIF returns an animation of n frames at random places, with all disposal methods. Its
// last frame covers the screen with the colors of the first.
func animatedGIF(t testing.TB, n, w, h int) []byte {
	t.Helper()
	r := rand.New(rand.NewPCG(uint64(n), 1))
	g := gif.GIF{LoopCount: 0, Config: stdimage.Config{Width: w, Height: h}}
	colors := append(color.Palette{color.RGBA{}}, palette.WebSafe[:200]...)
	for i := range n {
		bounds := stdimage.Rect(0, 0, w, h)
		if i > 0 && i < n-1 {
			x, y := r.IntN(w), r.IntN(h)
			bounds = stdimage.Rect(x, y, x+1+r.IntN(w-x), y+1+r.IntN(h-y))
		}
		m := stdimage.NewPaletted(bounds, colors)
		for i := range m.Pix {
			m.Pix[i] = byte(r.IntN(len(colors)) * r.IntN(2))
		}
		if i == 0 || i == n-1 {
			for i := range m.Pix {
				m.Pix[i] = byte(1 + i%200)
			}
		}
		g.Image, g.Delay, g.Disposal = append(g.Image, m), append(g.Delay, 10*i), append(g.Disposal, byte(i%4))
	}
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, &g); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// shownFrames draws the frames of a GIF with package image/draw.
func shownFrames(t testing.TB, data []byte) (all []*stdimage.NRGBA) {
	t.Helper()
	g, err := gif.DecodeAll(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	canvas := stdimage.NewNRGBA(stdimage.Rect(0, 0, g.Config.Width, g.Config.Height))
	clone := func() *stdimage.NRGBA {
		return &stdimage.NRGBA{Pix: bytes.Clone(canvas.Pix), Stride: canvas.Stride, Rect: canvas.Rect}
	}
	for i, m := range g.Image {
		before := clone()
		draw.Draw(canvas, m.Rect, m, m.Rect.Min, draw.Over)
		all = append(all, clone())
		switch g.Disposal[i] {
		case gif.DisposalBackground:
			draw.Draw(canvas, m.Rect, stdimage.Transparent, stdimage.Point{}, draw.Src)
		case gif.DisposalPrevious:
			canvas = before
		}
	}
	return all
}

// cookSheet cooks a file. It returns the sheet and its JSON.
func cookSheet(t *testing.T, o *Image, name string, data []byte) (stdimage.Image, spritesheet.Data) {
	t.Helper()
	if err := o.checkOptions(); err != nil {
		t.Fatal(err)
	}
	res := recipetest.Cook(t, Recipe(), o, fstest.MapFS{name: {Data: data}}, "", name)
	if res.Err != nil || len(res.Warned) > 0 {
		t.Fatal(res.Err, res.Warned)
	}
	limit, err := estimate(o, data)
	if got := allocated(func() { err = prepare(t, o, name, data) }); err != nil || got > limit {
		t.Errorf("allocated %d bytes, estimated %d, error %v", got, limit, err)
	}
	var d spritesheet.Data
	if err := json.Unmarshal(res.Outputs[1], &d); err != nil {
		t.Fatal(err)
	}
	if !o.writesPictures() {
		tex, _ := cookTree(t, o, fstest.MapFS{name: {Data: data}}, name)
		if len(tex.Levels) != 1 || tex.W%4 != 0 || tex.H%4 != 0 {
			t.Errorf("%d levels of %d x %d pixels", len(tex.Levels), tex.W, tex.H)
		}
		return &stdimage.NRGBA{Pix: tex.Levels[0], Stride: 4 * tex.W, Rect: stdimage.Rect(0, 0, tex.W, tex.H)}, d
	}
	decode := png.Decode
	if o.Format == "webp" {
		decode = webp.Decode
	}
	m, err := decode(bytes.NewReader(res.Outputs[0]))
	if err != nil {
		t.Fatal(err)
	}
	return m, d
}

// Each rectangle of a sheet must be the frame that the animation shows. No two rectangles may
// overlap.
func TestSheetHoldsTheFramesOfAnimation(t *testing.T) {
	data := animatedGIF(t, 14, 19, 13)
	want := shownFrames(t, data)
	for name, change := range map[string]func(*Image){
		"png":   func(o *Image) { o.Format = "png" },
		"webp":  func(o *Image) { o.Format = "webp" },
		"plain": func(o *Image) { o.GPU = "none" },
		"rgba8": plain,
		"bc7":   func(o *Image) { o.Format = "bc7" },
		"web":   func(o *Image) { o.GPU = "web" },
	} {
		o := options(change, func(o *Image) { o.Frames, o.Kind = "sheet", "sprite" })
		if name == "bc7" || name == "web" { // only sizes and places are checked
			o.Format = map[string]string{"bc7": "bc7", "web": "auto"}[name]
			if err := prepare(t, o, "walk.gif", data); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		m, d := cookSheet(t, o, "anim/walk.gif", data)
		names := d.Animations["walk"]
		if len(names) != len(want) || len(d.Frames) != len(want) || d.Meta.Plays == nil || *d.Meta.Plays != 0 || !strings.HasPrefix(d.Meta.Image, "walk.") {
			t.Fatalf("%s: %d frames in %+v", name, len(names), d.Meta)
		}
		if *d.Meta.Size != (spritesheet.Size{W: m.Bounds().Dx(), H: m.Bounds().Dy()}) {
			t.Errorf("%s: size %+v, want %v", name, *d.Meta.Size, m.Bounds())
		}
		used := map[spritesheet.Rect]bool{}
		for i, name := range names {
			f := d.Frames[name]
			checkSheetFrame(t, m, f.Frame, want[i])
			if ms := max(100*i, 100); f.Duration != ms || f.Trimmed || f.Rotated || f.Of != (spritesheet.Size{W: 19, H: 13}) {
				t.Errorf("%s: %+v, want %d ms", name, f, ms)
			}
			for other := range used {
				a := stdimage.Rect(other.X, other.Y, other.X+other.W, other.Y+other.H)
				if b := stdimage.Rect(f.Frame.X, f.Frame.Y, f.Frame.X+f.Frame.W, f.Frame.Y+f.Frame.H); other != f.Frame && a.Inset(-1).Overlaps(b) {
					t.Errorf("%s: %v touches %v", name, b, a)
				}
			}
			used[f.Frame] = true
		}
		if first, last := d.Frames[names[0]].Frame, d.Frames[names[13]].Frame; first != last || len(used) >= 14 {
			t.Errorf("%s: equal frames are at %v and %v", name, first, last)
		}
	}
}

// checkSheetFrame compares a rectangle of a sheet with a frame. Invisible pixels may differ.
func checkSheetFrame(t *testing.T, m stdimage.Image, at spritesheet.Rect, want *stdimage.NRGBA) {
	t.Helper()
	if at.W != want.Rect.Dx() || at.H != want.Rect.Dy() {
		t.Fatalf("a frame of %d x %d pixels, want %v", at.W, at.H, want.Rect)
	}
	for y := range at.H {
		for x := range at.W {
			got := color.NRGBAModel.Convert(m.At(at.X+x, at.Y+y)).(color.NRGBA)
			if w := want.NRGBAAt(x, y); got != w && (got.A != 0 || w.A != 0) {
				t.Fatalf("%d, %d of the frame at %+v: %v, want %v", x, y, at, got, w)
			}
		}
	}
}

// A file without an animation must become a sheet of one frame, which needs no duration.
func TestStillImageIsSheetOfOneFrame(t *testing.T) {
	m, d := cookSheet(t, options(func(o *Image) { o.Format, o.Frames = "png", "sheet" }), "a.png", encodePNG(t, scene(20, 12)))
	if f := d.Frames["a_0"]; f == nil || f.Duration != 0 || m.Bounds() != stdimage.Rect(0, 0, 20, 12) || len(d.Frames) != 1 {
		t.Errorf("%+v on %v", d.Frames, m.Bounds())
	}
}

// Frames that do not fit on a sheet of the allowed size must be refused, with advice.
func TestSheetOverSheetSizeIsRefused(t *testing.T) {
	data := animatedGIF(t, 14, 19, 13)
	for _, tc := range []struct {
		size int
		want string // "" if the sheet fits
	}{
		{18, "a frame of 19 x 13 pixels exceeds 18 pixels per side"},
		{40, "the sheet of 14 frames of 19 x 13 pixels exceeds 40 pixels per side"},
		{82, ""}, // the sheet has 4 columns with gaps of 2
	} {
		o := options(func(o *Image) { o.Format, o.Frames, o.SheetSize = "png", "sheet", tc.size })
		res := recipetest.Cook(t, Recipe(), o, fstest.MapFS{"a.gif": {Data: data}}, "", "a.gif")
		switch {
		case tc.want == "" && res.Err != nil:
			t.Error(res.Err)
		case tc.want != "" && (res.Err == nil || !strings.Contains(res.Err.Error(), tc.want) || !strings.Contains(res.Err.Error(), "raise sheet_size")):
			t.Errorf("error %v, want %q", res.Err, tc.want)
		}
	}
}

// The grid of a sheet must have room for all frames, whenever the size allows it.
func TestGridHoldsAsManyFramesAsFit(t *testing.T) {
	for _, format := range []string{"png", "bc7"} {
		for side := 1; side < 70; side++ {
			o := options(func(o *Image) { o.Format, o.Frames, o.SheetSize = format, "sheet", side })
			most := o.mostFrames(9, 7)
			if _, ok := o.planGrid(most+1, 9, 7); ok {
				t.Errorf("%s, %d pixels: more than %d frames fit", format, side, most)
			}
			if g, ok := o.planGrid(most, 9, 7); most > 0 && (!ok || g.sheetW > side || g.sheetH > side) {
				t.Errorf("%s, %d pixels: %d frames do not fit in %d x %d", format, side, most, g.sheetW, g.sheetH)
			}
		}
	}
}

func TestOptionsThatMoveFramesAreRefused(t *testing.T) {
	for key, set := range map[string]func(*Image){
		"fit": func(o *Image) { o.Fit = 9 }, "pot": func(o *Image) { o.POT = "up" }, "scales": func(o *Image) { o.Format, o.Scales = "png", []float64{1, 0.5} },
		"flip": func(o *Image) { o.Flip = "x" }, "mips": func(o *Image) { o.Mips = "true" }, "coverage": func(o *Image) { o.Coverage = 0.5 },
		"cube": func(o *Image) { o.Cube = "cross" }, "layers": func(o *Image) { o.Layers = []string{"b.png"} }, "r": func(o *Image) { o.R = "b.png:r" },
	} {
		o := options(set, func(o *Image) { o.Frames = "sheet" })
		if err := o.checkOptions(); err == nil || !strings.Contains(err.Error(), key) || !strings.Contains(err.Error(), `frames = "sheet"`) {
			t.Errorf("%s: error %v", key, err)
		}
	}
}
