package atlas

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/cook/recipe/recipetest"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/source"
	"github.com/assetcook/assetcook/internal/image/spritesheet"
)

func TestRecipeIsComplete(t *testing.T) {
	recipetest.Check(t, Recipe(), map[string]any{
		"artifacts": true, "trim": false, "trim_alpha": int64(7), "rotate": true, "padding": int64(7), "extrude": int64(7), "border": int64(7),
		"max_size": int64(77), "pot": true, "square": true, "pages": int64(7), "keep": []any{"x"}, "scales": []any{1.0, 0.5}, "data": "tpsheet", "name": "base",
		"container": "dds", "mips": int64(7), "format": "bc7", "quality": "best", "srgb": false, "premultiply": true, "rdo": 1.5, "zstd": int64(7),
	})
}

// options returns the default options with one change.
func options(change func(*atlasOptions)) *atlasOptions {
	o := Recipe().New().(*atlasOptions)
	change(o)
	return o
}

func cook(t *testing.T, o *atlasOptions, tree fstest.MapFS) recipetest.Result {
	t.Helper()
	return recipetest.Cook(t, Recipe(), o, tree, "", "d/ui.sprites")
}

// encoded returns the PNG file of an image.
func encoded(t testing.TB, m image.Image) *fstest.MapFile {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return &fstest.MapFile{Data: b.Bytes()}
}

func decoded(t testing.TB, data []byte) *image.NRGBA {
	t.Helper()
	m, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	n := image.NewNRGBA(m.Bounds())
	for y := range m.Bounds().Dy() {
		for x := range m.Bounds().Dx() {
			n.Set(x, y, m.At(x, y))
		}
	}
	return n
}

// plain returns an image of one color.
func plain(w, h int, c color.NRGBA) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, w, h))
	for i := range w * h {
		m.SetNRGBA(i%w, i/w, c)
	}
	return m
}

// noise returns an image of random pixels with an empty edge.
func noise(r *rand.Rand) *image.NRGBA {
	w, h := 1+r.IntN(30), 1+r.IntN(30)
	m := image.NewNRGBA(image.Rect(0, 0, w, h))
	left, top := r.IntN(w), r.IntN(h)
	for y := top; y < top+r.IntN(h-top)+1; y++ {
		for x := left; x < w-r.IntN(3); x++ {
			m.SetNRGBA(x, y, color.NRGBA{uint8(r.IntN(256)), uint8(r.IntN(256)), uint8(r.IntN(256)), uint8(r.IntN(4) * 85)})
		}
	}
	return m
}

// A found is the JSON's description of a sprite.
type found struct {
	page    int
	frame   image.Rectangle // rectangle on the page
	rotated bool
	at, of  image.Point // position in the original image, and the size of that image
}

// readJSON decodes the JSON of the given layout.
func readJSON(t testing.TB, shape string, files [][]byte) map[string]found {
	t.Helper()
	type box struct{ X, Y, W, H int }
	type frame struct {
		Filename         string
		Frame            box
		Rotated, Trimmed bool
		SpriteSourceSize box
		SourceSize       struct{ W, H int }
	}
	list := map[string]found{}
	add := func(name string, page int, f frame) {
		size := image.Pt(f.Frame.W, f.Frame.H)
		if f.Rotated {
			size = image.Pt(f.Frame.H, f.Frame.W)
		}
		corner := image.Pt(f.Frame.X, f.Frame.Y)
		of := image.Pt(f.SourceSize.W, f.SourceSize.H)
		if f.Trimmed != (of != image.Pt(f.Frame.W, f.Frame.H)) {
			t.Errorf("%s: trimmed %v, but %v of %v", name, f.Trimmed, f.Frame, of)
		}
		list[name] = found{page, image.Rectangle{corner, corner.Add(size)}, f.Rotated, image.Pt(f.SpriteSourceSize.X, f.SpriteSourceSize.Y), of}
	}
	for page, text := range files {
		var d struct {
			Frames   map[string]frame
			Textures []struct {
				Frames  []frame
				Sprites []struct {
					Filename       string
					Region, Margin box
				}
			}
		}
		if err := json.Unmarshal(text, &d); err != nil {
			t.Fatal(err)
		}
		for name, f := range d.Frames {
			add(name, page, f)
		}
		for page, x := range d.Textures {
			for _, f := range x.Frames {
				add(f.Filename, page, f)
			}
			for _, s := range x.Sprites {
				f := frame{Frame: s.Region, SpriteSourceSize: s.Margin}
				f.SourceSize.W, f.SourceSize.H = s.Region.W+s.Margin.W, s.Region.H+s.Margin.H
				f.Trimmed = s.Margin.W+s.Margin.H > 0
				add(s.Filename, page, f)
			}
		}
	}
	return list
}

// restoredImage restores the original image of a sprite.
func (f found) restoredImage(page *image.NRGBA) *image.NRGBA {
	m := image.NewNRGBA(image.Rectangle{Max: f.of})
	for y := f.frame.Min.Y; y < f.frame.Max.Y; y++ {
		for x := f.frame.Min.X; x < f.frame.Max.X; x++ {
			dx, dy := x-f.frame.Min.X, y-f.frame.Min.Y
			if f.rotated { // the sprite was rotated by 90 degrees counterclockwise
				dx, dy = dy, f.frame.Dx()-1-dx
			}
			m.SetNRGBA(f.at.X+dx, f.at.Y+dy, page.NRGBAAt(x, y))
		}
	}
	return m
}

// same reports whether the visible pixels of two images are the same.
func same(a, b *image.NRGBA) bool {
	if a.Rect != b.Rect {
		return false
	}
	for i := 0; i < len(a.Pix); i += 4 {
		if p, q := a.Pix[i:i+4], b.Pix[i:i+4]; p[3] != q[3] || p[3] > 0 && !bytes.Equal(p, q) {
			return false
		}
	}
	return true
}

// For random options, every image must be restorable pixel by pixel from the pages and the JSON.
// Each sprite must have the requested pixels around it.
func TestPicturesAreRestoredFromPages(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 60 {
		tree := fstest.MapFS{"d/ui.sprites": {Data: []byte("s/\n")}}
		pictures := map[string]*image.NRGBA{}
		for j := range 1 + r.IntN(30) {
			name := fmt.Sprintf("s/%d.png", j)
			pictures[name] = noise(r)
			if j > 0 && r.IntN(5) == 0 {
				pictures[name] = pictures["s/0.png"]
			}
			tree["d/"+name] = encoded(t, pictures[name])
		}
		o := options(func(o *atlasOptions) {
			o.Trim, o.Rotate, o.POT, o.Square = r.IntN(4) > 0, r.IntN(2) == 0, r.IntN(3) == 0, r.IntN(4) == 0
			o.Padding, o.Extrude, o.Border, o.Pages = r.IntN(4), r.IntN(3), r.IntN(3), 1+r.IntN(3)
			o.Data = []string{"hash", "multiatlas", "tpsheet"}[r.IntN(3)]
			o.Rotate = o.Rotate && o.Data == "hash"
			if o.Pages == 3 {
				o.MaxSize = 160
			}
		})
		res := cook(t, o, tree)
		if res.Err != nil {
			t.Fatalf("%d: %+v: %v", i, *o, res.Err)
		}
		var pages []*image.NRGBA
		for _, file := range res.Outputs[o.jsonFiles():] {
			pages = append(pages, decoded(t, file))
		}
		list := readJSON(t, o.Data, res.Outputs[:o.jsonFiles()])
		if len(list) != len(pictures) {
			t.Errorf("%d: %d sprites of %d", i, len(list), len(pictures))
		}
		for name, f := range list {
			if !same(pictures[name], f.restoredImage(pages[f.page])) {
				t.Errorf("%d: %s: the restored image differs: %+v, %+v", i, name, f, *o)
			}
		}
		checkAround(t, fmt.Sprint(i), o, pages, list)
	}
}

// checkAround checks the pixels around sprites. The extruded edges come first, then empty pixels up
// to the padding and border.
func checkAround(t *testing.T, name string, o *atlasOptions, pages []*image.NRGBA, list map[string]found) {
	t.Helper()
	taken := make([]map[image.Point]bool, len(pages))
	for i := range taken {
		taken[i] = map[image.Point]bool{}
	}
	done := map[string]bool{}
	for sprite, f := range list {
		key := fmt.Sprint(f.page, f.frame)
		if done[key] {
			continue // duplicates share the frame
		}
		done[key] = true
		page := pages[f.page]
		outer := f.frame.Inset(-o.Extrude)
		if !outer.In(page.Rect.Inset(o.Border)) {
			t.Errorf("%s: %s: %v reaches into the border of %v", name, sprite, outer, page.Rect)
		}
		for y := outer.Min.Y; y < outer.Max.Y; y++ {
			for x := outer.Min.X; x < outer.Max.X; x++ {
				near := image.Pt(min(max(x, f.frame.Min.X), f.frame.Max.X-1), min(max(y, f.frame.Min.Y), f.frame.Max.Y-1))
				if got, want := page.NRGBAAt(x, y), page.NRGBAAt(near.X, near.Y); got.A != want.A || got.A > 0 && got != want {
					t.Fatalf("%s: %s: pixel beyond its edge is %v, want %v", name, sprite, got, want)
				}
				taken[f.page][image.Pt(x, y)] = true
			}
		}
	}
	for sprite, f := range list {
		outer := f.frame.Inset(-o.Extrude)
		wide := outer.Inset(-o.Padding).Intersect(pages[f.page].Rect)
		for y := wide.Min.Y; y < wide.Max.Y; y++ {
			for x := wide.Min.X; x < wide.Max.X; x++ {
				if p := image.Pt(x, y); taken[f.page][p] && !p.In(outer) {
					t.Fatalf("%s: %s: another sprite is nearer than %d pixels", name, sprite, o.Padding)
				}
			}
		}
	}
	for i, page := range pages {
		for y := range page.Rect.Dy() {
			for x := range page.Rect.Dx() {
				if !taken[i][image.Pt(x, y)] && page.NRGBAAt(x, y).A > 0 {
					t.Fatalf("%s: page %d: a pixel outside of all sprites is visible", name, i)
				}
			}
		}
	}
}

func TestSpritesAreNamedByPath(t *testing.T) {
	dot := encoded(t, plain(1, 1, color.NRGBA{255, 0, 0, 255}))
	other := encoded(t, plain(2, 1, color.NRGBA{255, 0, 0, 255}))
	tree := fstest.MapFS{
		"d/ui.sprites": {Data: []byte("\ufeff# frames\n\nwalk/*.png\r\n/top/**/*.png\nwalk/none*.png\n!walk/*_old.png\n!/top/x/no.png\n")},
		"d/walk/1.png": dot, "d/walk/2.png": dot, "d/walk/10.png": other, "d/walk/3_old.png": dot,
		"top/run-1.png": dot, "top/x/run-1.png": dot, "top/x/no.png": dot, "top/x/box.9.png": encoded(t, patch(3, 3)),
	}
	for name, want := range map[string][]string{
		"path": {"top/run-1.png", "top/x/box.9.png", "top/x/run-1.png", "walk/1.png", "walk/10.png", "walk/2.png"},
		"stem": {"top/run-1", "top/x/box", "top/x/run-1", "walk/1", "walk/10", "walk/2"},
	} {
		res := cook(t, options(func(o *atlasOptions) { o.Name = name }), tree)
		var d spritesheet.Data
		if res.Err != nil || json.Unmarshal(res.Outputs[0], &d) != nil {
			t.Fatal(res.Err)
		}
		var got []string
		for name := range d.Frames {
			got = append(got, name)
		}
		if diff := cmp.Diff(want, got, cmp.Transformer("sort", sorted)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if diff := cmp.Diff([]string{"no image matches the pattern walk/none*.png"}, res.Warned); diff != "" {
			t.Error(diff)
		}
	}
	res := cook(t, options(func(o *atlasOptions) { o.Name = "base" }), tree)
	if want := "top/run-1.png and /top/x/run-1.png are both called run-1; rename one"; res.Err == nil || !strings.Contains(res.Err.Error(), want) {
		t.Errorf("%v, want %q", res.Err, want)
	}
}

// Pattern characters in the name of the source's directory must have no effect.
func TestDirectoryNameIsNotAPattern(t *testing.T) {
	dot := encoded(t, plain(1, 1, color.NRGBA{255, 0, 0, 255}))
	tree := fstest.MapFS{"d[1]/ui.sprites": {Data: []byte("*.png\n!b*.png\n")}, "d[1]/a.png": dot, "d[1]/b.png": dot}
	res := recipetest.Cook(t, Recipe(), options(func(*atlasOptions) {}), tree, "", "d[1]/ui.sprites")
	if res.Err != nil {
		t.Fatal(res.Err)
	}
	list := readJSON(t, "hash", res.Outputs[:1])
	if _, there := list["a.png"]; !there || len(list) != 1 {
		t.Errorf("sprites: %v", list)
	}
}

func sorted(list []string) map[string]bool {
	set := map[string]bool{}
	for _, s := range list {
		set[s] = true
	}
	return set
}

func TestNumberedSpritesAreAnimations(t *testing.T) {
	list := func(names ...string) (all []namedSprite) {
		for _, n := range names {
			all = append(all, namedSprite{name: n})
		}
		return all
	}
	all := list("a/1.png", "a/2.png", "hop10.png", "hop9.png", "walk_01", "walk_02", "x-1.png", "x.png", "y1.png", "y2.png", "007", "7z99999999999999999999", "7z1")
	want := map[string][]string{"hop": {"hop9.png", "hop10.png"}, "walk": {"walk_01", "walk_02"}}
	if d := cmp.Diff(want, groupAnimations(all, all[:8])); d != "" {
		t.Error(d)
	}
}

// patch returns a nine-patch of w by h pixels plus its marker border.
func patch(w, h int) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, w+2, h+2))
	for y := range h {
		for x := range w {
			m.SetNRGBA(1+x, 1+y, color.NRGBA{200, 100, 0, 255})
		}
	}
	black := color.NRGBA{A: 255}
	for x := 2; x < w; x++ {
		m.SetNRGBA(x, 0, black)
	}
	m.SetNRGBA(0, 2, black)
	return m
}

func TestNinePatchLosesItsBorder(t *testing.T) {
	tree := fstest.MapFS{"d/ui.sprites": {Data: []byte("*.png")}, "d/box.9.png": encoded(t, patch(10, 7))}
	res := cook(t, options(func(o *atlasOptions) {}), tree)
	var d spritesheet.Data
	if res.Err != nil || json.Unmarshal(res.Outputs[0], &d) != nil {
		t.Fatal(res.Err)
	}
	f := d.Frames["box.9.png"]
	want := &spritesheet.Frame{
		Frame: spritesheet.Rect{W: 10, H: 7}, Source: spritesheet.Rect{W: 10, H: 7}, Of: spritesheet.Size{W: 10, H: 7},
		Borders: &spritesheet.Borders{Left: 1, Right: 1, Top: 1, Bottom: 5}, Center: &spritesheet.Rect{X: 1, Y: 1, W: 8, H: 1},
	}
	if d := cmp.Diff(want, f); d != "" {
		t.Error(d)
	}
	if m := decoded(t, res.Outputs[1]); m.Rect.Dx() != 10 || m.NRGBAAt(0, 0) != (color.NRGBA{200, 100, 0, 255}) {
		t.Error("the border was not removed")
	}

	red := patch(10, 7)
	red.SetNRGBA(3, 0, color.NRGBA{255, 0, 0, 255})
	none := patch(10, 7)
	none.SetNRGBA(0, 2, color.NRGBA{})
	for want, m := range map[string]*image.NRGBA{
		"d/box.9.png: the top row of pixels has the color #ff0000ff; in a nine-patch": red,
		"d/box.9.png: the left column of pixels has no black pixel":                   none,
		"d/box.9.png: an image of 2 x 9 pixels is too small for the border":           plain(2, 9, color.NRGBA{}),
	} {
		tree["d/box.9.png"] = encoded(t, m)
		if res := cook(t, options(func(*atlasOptions) {}), tree); res.Err == nil || !strings.Contains("d/"+res.Err.Error(), want) {
			t.Errorf("%v, want %q", res.Err, want)
		}
	}
}

// Each scale must have its own pages and JSON. The JSON must have the places of the scaled sprites,
// and the scale, which PixiJS uses as the resolution.
func TestEachScaleHasItsOwnPages(t *testing.T) {
	whole := image.NewNRGBA(image.Rect(0, 0, 20, 12)) // the image consists of blocks of 4 x 4 pixels of one color
	for i := range 20 * 12 {
		x, y := i%20, i/20
		whole.SetNRGBA(x, y, color.NRGBA{uint8(x / 4 * 50), uint8(y / 4 * 80), 9, uint8(255 * ((x/4 + y/4) % 2))})
	}
	for _, container := range []string{"png", "webp"} {
		tree := fstest.MapFS{"d/ui.sprites": {Data: []byte("*.png")}, "d/a.png": encoded(t, whole), "d/b.9.png": encoded(t, patch(30, 22))}
		o := options(func(o *atlasOptions) { o.Container, o.Scales, o.Trim = container, []float64{0.5, 2, 1}, false })
		if got := strings.Join(o.Outputs(), " "); got != strings.ReplaceAll("{dir}/{stem}@0.5x.json {dir}/{stem}@0.5x.png {dir}/{stem}@2x.json {dir}/{stem}@2x.png {dir}/{stem}.json {dir}/{stem}.png", ".png", "."+container) {
			t.Errorf("outputs %s", got)
		}
		res := cook(t, o, tree)
		if res.Err != nil {
			t.Fatal(res.Err)
		}
		for i, scale := range o.Scales {
			var d spritesheet.Data
			if err := json.Unmarshal(res.Outputs[2*i], &d); err != nil {
				t.Fatal(err)
			}
			name := map[float64]string{0.5: "ui@0.5x.", 2: "ui@2x.", 1: "ui."}[scale] + container
			if d.Meta.Scale != fmt.Sprint(scale) || d.Meta.Image != name {
				t.Errorf("scale %v: %+v", scale, d.Meta)
			}
			part := int(2 / scale) // the images are drawn at scale 2
			stays := map[float64]spritesheet.Borders{0.5: {Bottom: 5}, 1: {Left: 1, Top: 1, Right: 1, Bottom: 10}, 2: {Left: 1, Top: 1, Right: 1, Bottom: 20}}[scale]
			if b := d.Frames["b.9.png"].Borders; *b != stays {
				t.Errorf("scale %v: borders %+v", scale, b)
			}
			m, _, err := source.Decode(t.Context(), res.Outputs[2*i+1], "."+container, 1024)
			if err != nil {
				t.Fatal(err)
			}
			m, err = pixmap.Convert(t.Context(), m, pixmap.Bits8, pixmap.SRGB)
			if err != nil {
				t.Fatal(err)
			}
			page := &image.NRGBA{Pix: m.Pix8, Stride: 4 * m.W, Rect: image.Rect(0, 0, m.W, m.H)}
			a := readJSON(t, "hash", res.Outputs[2*i:][:1])["a.png"].restoredImage(page)
			want := image.NewNRGBA(image.Rect(0, 0, 20/part, 12/part))
			for i := range want.Rect.Dx() * want.Rect.Dy() {
				x, y := i%want.Rect.Dx(), i/want.Rect.Dx()
				want.SetNRGBA(x, y, whole.NRGBAAt(x*part, y*part))
			}
			if !same(a, want) {
				t.Errorf("%s, scale %v: the sprite differs", container, scale)
			}
		}
	}
}

func TestErrorNamesTheFileOrLine(t *testing.T) {
	good := encoded(t, plain(5, 4, color.NRGBA{1, 2, 3, 255}))
	torn := &fstest.MapFile{Data: good.Data[:len(good.Data)-20]}
	for _, tc := range []struct {
		list, want string
		change     func(*atlasOptions)
	}{
		{"", "the source names no images", nil},
		{"# none\n\n", "the source names no images", nil},
		{"none/*.png", "the source names no images", nil},
		{"good.png\n!*.png", "the source names no images", nil},
		{"\xff", "not UTF-8", nil},
		{"good.png\n[", "line 2: pattern", nil},
		{"!", "line 1: ", nil},
		{"../../x/*.png", "line 1: ", nil},
		{"*.txt", "no.txt: the file is not a PNG", nil},
		{"torn.png", "torn.png: ", nil},
		{"good.png", "good.png: 5 x 4 pixels with border and extrude do not fit on a page of 4 x 4", func(o *atlasOptions) { o.MaxSize = 4 }},
		{"*ood*.png", "2 sprites do not fit on 1 page of at most 6 x 6 pixels", func(o *atlasOptions) { o.MaxSize = 6 }},
		{"good.png", "keep: none.json: ", func(o *atlasOptions) { o.Keep = []string{"none.json"} }},
		{"good.png", "keep: no.txt: ", func(o *atlasOptions) { o.Keep = []string{"no.txt"} }},
		{"good.png", "keep: empty.json: the file is not the JSON of an atlas", func(o *atlasOptions) { o.Keep = []string{"empty.json"} }},
		{"good.png", "keep: the earlier atlas has 2 pages", func(o *atlasOptions) { o.Keep = []string{"huge.json", "huge.json"} }},
		{"good.png", "container does not allow a page of 99999 x 4 pixels", func(o *atlasOptions) { o.Keep = []string{"huge.json"} }},
	} {
		tree := fstest.MapFS{
			"d/ui.sprites": {Data: []byte(tc.list)}, "d/good.png": good, "d/good2.png": encoded(t, plain(5, 4, color.NRGBA{A: 255})), "d/torn.png": torn,
			"d/no.txt": {Data: []byte("text")}, "d/empty.json": {Data: []byte("{}")},
			"d/huge.json": {Data: []byte(`{"frames": {}, "meta": {"size": {"w": 99999, "h": 4}}}`)},
		}
		o := options(func(o *atlasOptions) {
			if tc.change != nil {
				tc.change(o)
			}
		})
		if res := cook(t, o, tree); res.Err == nil || !strings.Contains(res.Err.Error(), tc.want) {
			t.Errorf("%q: %v, want %q", tc.list, res.Err, tc.want)
		}
	}
	for want, change := range map[string]func(*atlasOptions){
		"rotate":      func(o *atlasOptions) { o.Data, o.Rotate = "tpsheet", true },
		"mips":        func(o *atlasOptions) { o.Container, o.Mips = "webp", 1 },
		"keep":        func(o *atlasOptions) { o.Keep, o.Scales = []string{"a.json"}, []float64{1} },
		"scales":      func(o *atlasOptions) { o.Scales = []float64{1, 2, 1} },
		"premultiply": func(o *atlasOptions) { o.Premultiply = true },
		"max_size":    func(o *atlasOptions) { o.MaxSize, o.Border = 9, 5 },
		"rdo":         func(o *atlasOptions) { o.Container, o.Format, o.RDO = "ktx2", "bc1", 1 },
	} {
		var wrong *recipe.OptionError
		if err := options(change).checkOptions(); !asOption(err, &wrong) || wrong.Key != want {
			t.Errorf("%s: %v", want, err)
		}
	}
}

func asOption(err error, to **recipe.OptionError) bool {
	e, ok := err.(*recipe.OptionError)
	*to = e
	return ok
}

// Impossible numbers in the JSON of an earlier atlas must be ignored.
func FuzzKeep(f *testing.F) {
	f.Add([]byte(`{"frames": {"a.png": {"frame": {"x": 0, "y": 1, "w": 5, "h": 4}, "rotated": true}}, "meta": {"size": {"w": 64, "h": 64}}}`))
	f.Add([]byte(`{"textures": [{"size": {"w": 64, "h": 64}, "frames": [null, {"filename": "a.png", "frame": {"x": 9223372036854775807, "y": -9223372036854775808, "w": 5, "h": 4}}]}]}`))
	f.Add([]byte(`{"textures": [{"size": {"w": 9223372036854775807, "h": 64}, "sprites": [{"filename": "a.png", "region": {"x": 1, "y": 2, "w": 5, "h": 4}}]}]}`))
	a := encoded(f, plain(5, 4, color.NRGBA{1, 2, 3, 255}))
	f.Fuzz(func(t *testing.T, was []byte) {
		tree := fstest.MapFS{"d/ui.sprites": {Data: []byte("a.png")}, "d/a.png": a, "d/was.json": {Data: was}}
		res := cook(t, options(func(o *atlasOptions) { o.Keep, o.MaxSize = []string{"was.json"}, 256 }), tree)
		if res.Err != nil {
			return
		}
		if list := readJSON(t, "hash", res.Outputs[:1]); !same(decoded(t, a.Data), list["a.png"].restoredImage(decoded(t, res.Outputs[1]))) {
			t.Error("the image is not restored")
		}
	})
}

// If these hashes change, the recipe's version must be raised.
func TestAtlasHasGoldenBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	tree := fstest.MapFS{"d/ui.sprites": {Data: []byte("s/\n")}}
	for i := range 50 {
		tree[fmt.Sprintf("d/s/%d.png", i)] = encoded(t, noise(r))
	}
	for container, want := range map[string]string{"png": "d3d82554e5f1f458", "ktx2": "5866d0da789d3969", "dds": "15d6b1dd05653662"} {
		res := cook(t, options(func(o *atlasOptions) {
			o.Container, o.Rotate = container, true
			if container != "png" {
				o.Mips, o.Format = 2, "bc7"
			}
		}), tree)
		if res.Err != nil {
			t.Fatal(res.Err)
		}
		sum := hashing.DigestOf(bytes.Join(res.Outputs, nil))
		if got := hex.EncodeToString(sum[:8]); got != want {
			t.Errorf("%s: %s, want %s; raise Version", container, got, want)
		}
	}
}
