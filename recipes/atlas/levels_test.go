package atlas

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/assetcook/assetcook/internal/image/ktx2"
	"github.com/assetcook/assetcook/internal/image/texture"
)

// The test compares each level of a page with separate textures of its sprites, including their
// extruded edges. Between sprites, and along the page's edges, there must be exactly the requested
// padding and border, with empty texels.
func TestLevelsAreExact(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for mips := range 5 {
		for i := range 8 {
			tree := fstest.MapFS{"d/ui.sprites": {Data: []byte("*.png")}}
			pictures := map[string]*image.NRGBA{}
			for j := range 12 {
				name := fmt.Sprintf("%02d.png", j)
				if pictures[name] = noise(r); j%3 == 0 { // plain, so opaque up to its edges
					pictures[name] = plain(1+r.IntN(70), 1+r.IntN(70), color.NRGBA{uint8(20 * j), uint8(255 - 20*j), uint8(j * j), 255})
				}
				tree["d/"+name] = encoded(t, pictures[name])
			}
			o := options(func(o *atlasOptions) {
				o.Container, o.Format, o.Mips, o.Rotate = "ktx2", "rgba8", mips, i%2 == 1
				o.Extrude, o.Padding, o.Border = i%3, i/2%4, i/4
			})
			name := fmt.Sprintf("mips %d, extrude %d, padding %d, border %d", mips, o.Extrude, o.Padding, o.Border)
			page, list := textureOf(t, o, tree)
			if len(page.Levels) != 1+mips {
				t.Fatalf("%s: %d levels", name, len(page.Levels))
			}
			var blocks []image.Rectangle
			for sprite, f := range list {
				block := o.blockOf(f)
				if !slices.Contains(blocks, block) { // equal images have the same block
					blocks = append(blocks, block)
				}
				checkTexels(t, name+", "+sprite, page, block, alone(t, o, pictures[sprite], f))
			}
			checkGaps(t, name, o, page, blocks)
			checkBetween(t, name, page, blocks)
		}
	}
}

// textureOf cooks an atlas of one page.
func textureOf(t *testing.T, o *atlasOptions, tree fstest.MapFS) (*texture.Texture, map[string]found) {
	t.Helper()
	res := cook(t, o, tree)
	if res.Err != nil {
		t.Fatal(res.Err)
	}
	tex, err := ktx2.Read(res.Outputs[1], 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	return tex, readJSON(t, "hash", res.Outputs[:1])
}

// blockOf returns the rectangle of a sprite with its extruded edges, in units of the page.
func (o *atlasOptions) blockOf(f found) image.Rectangle {
	u := o.unitPixels()
	b := f.frame
	b.Max = b.Min.Add(image.Pt((b.Dx()+u-1)/u*u, (b.Dy()+u-1)/u*u))
	return b.Inset(-o.Extrude * u)
}

// alone cooks the block of a sprite as an atlas of its own, without border and padding.
func alone(t *testing.T, o *atlasOptions, picture *image.NRGBA, f found) *texture.Texture {
	t.Helper()
	b := o.blockOf(f)
	m := image.NewNRGBA(image.Rectangle{Max: b.Size()})
	for y := range b.Dy() {
		for x := range b.Dx() {
			p := b.Min.Add(image.Pt(x, y))
			if o.Extrude == 0 && !p.In(f.frame) {
				continue
			}
			dx, dy := min(max(p.X-f.frame.Min.X, 0), f.frame.Dx()-1), min(max(p.Y-f.frame.Min.Y, 0), f.frame.Dy()-1)
			if f.rotated {
				dx, dy = dy, f.frame.Dx()-1-dx
			}
			m.SetNRGBA(x, y, picture.NRGBAAt(f.at.X+dx, f.at.Y+dy))
		}
	}
	only := options(func(only *atlasOptions) {
		only.Container, only.Format, only.Mips, only.Trim, only.Padding = "ktx2", "rgba8", o.Mips, false, 0
	})
	tex, _ := textureOf(t, only, fstest.MapFS{"d/ui.sprites": {Data: []byte("one.png")}, "d/one.png": encoded(t, m)})
	return tex
}

func texel(tex *texture.Texture, level, x, y int) color.NRGBA {
	w, _ := texture.LevelSize(tex.W, tex.H, level)
	p := tex.Levels[level][4*(y*w+x):][:4]
	return color.NRGBA{p[0], p[1], p[2], p[3]}
}

// down returns the block on a smaller level.
func down(b image.Rectangle, level int) image.Rectangle {
	return image.Rect(b.Min.X>>level, b.Min.Y>>level, b.Max.X>>level, b.Max.Y>>level)
}

// checkTexels compares a block of a page with the separate block.
func checkTexels(t *testing.T, name string, page *texture.Texture, block image.Rectangle, alone *texture.Texture) {
	t.Helper()
	for level := range page.Levels {
		b := down(block, level)
		for y := range b.Dy() {
			for x := range b.Dx() {
				got, want := texel(page, level, b.Min.X+x, b.Min.Y+y), texel(alone, level, x, y)
				if got.A != want.A || got.A > 0 && got != want {
					t.Fatalf("%s, level %d: %v at %d, %d of %v, want %v", name, level, got, x, y, b, want)
				}
			}
		}
	}
}

// checkGaps checks the gaps between blocks and along the page's edges, in units. A unit is one
// texel of the last level.
func checkGaps(t *testing.T, name string, o *atlasOptions, page *texture.Texture, blocks []image.Rectangle) {
	t.Helper()
	least, edge := math.MaxInt, math.MaxInt
	inner := image.Rect(0, 0, page.W>>o.Mips, page.H>>o.Mips).Inset(o.Border)
	for i, a := range blocks {
		if a = down(a, o.Mips); a.Min.Mul(o.unitPixels()) != blocks[i].Min || !a.In(inner) {
			t.Errorf("%s: %v is not on whole units, or in the border", name, blocks[i])
		}
		edge = min(edge, a.Min.X, a.Min.Y)
		for _, b := range blocks[:i] {
			b = down(b, o.Mips)
			least = min(least, max(b.Min.X-a.Max.X, a.Min.X-b.Max.X, b.Min.Y-a.Max.Y, a.Min.Y-b.Max.Y))
		}
	}
	if least != o.Padding || edge != o.Border {
		t.Errorf("%s: the padding is %d, and the border %d", name, least, edge)
	}
}

// checkBetween checks that texels outside of blocks are empty.
func checkBetween(t *testing.T, name string, page *texture.Texture, blocks []image.Rectangle) {
	t.Helper()
	for level := range page.Levels {
		w, h := texture.LevelSize(page.W, page.H, level)
		taken := make([]bool, w*h)
		for _, b := range blocks {
			b = down(b, level)
			for y := b.Min.Y; y < b.Max.Y; y++ {
				for x := b.Min.X; x < b.Max.X; x++ {
					taken[y*w+x] = true
				}
			}
		}
		for i, is := range taken {
			if got := texel(page, level, i%w, i/w); !is && got.A > 0 {
				t.Fatalf("%s, level %d: visible texel %v at %d, %d outside of all sprites", name, level, got, i%w, i/w)
			}
		}
	}
}
