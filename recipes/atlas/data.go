package atlas

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/image/spritesheet"
)

// writeAtlasData writes the JSON.
func (o *atlasOptions) writeAtlasData(job *recipe.Job, a *atlas) error {
	if o.Data != "hash" {
		d := spritesheet.Data{Meta: spritesheet.NewMeta(), Textures: []spritesheet.Page{}}
		for i := range max(len(a.layout.Pages), 1) {
			d.Textures = append(d.Textures, o.textureData(job, a, i))
		}
		return writeJSON(job, a.data, d)
	}
	for i := range o.Pages {
		if err := writeJSON(job, a.data+i, o.pageData(job, a, i)); err != nil {
			return err
		}
	}
	return nil
}

func writeJSON(job *recipe.Job, i int, d spritesheet.Data) error {
	text, err := spritesheet.Encode(d)
	if err != nil {
		return err
	}
	return job.Write(i, text)
}

// pageData returns the JSON of a page for layout "hash".
func (o *atlasOptions) pageData(job *recipe.Job, a *atlas, page int) spritesheet.Data {
	d := spritesheet.Data{Frames: map[string]*spritesheet.Frame{}, Meta: spritesheet.NewMeta()}
	s := o.pageSize(a, page)
	file := a.data + page
	d.Meta.Image, d.Meta.Format, d.Meta.Size, d.Meta.Scale = job.Link(file, a.pages+page), "RGBA8888", &s, formatScale(a.scale)
	if page == 0 {
		for i := 1; i < len(a.layout.Pages); i++ {
			d.Meta.Related = append(d.Meta.Related, job.Link(file, file+i))
		}
	}
	names := a.ofPage(page)
	for _, n := range names {
		d.Frames[n.name] = o.frameOf(a, n)
	}
	d.Animations = groupAnimations(a.names, names)
	return d
}

// textureData returns the JSON of a page for the other layouts.
func (o *atlasOptions) textureData(job *recipe.Job, a *atlas, page int) spritesheet.Page {
	t := spritesheet.Page{Image: job.Link(a.data, a.pages+page), Size: o.pageSize(a, page)}
	for _, n := range a.ofPage(page) {
		f := o.frameOf(a, n)
		if o.Data == "tpsheet" {
			t.Sprites = append(t.Sprites, spritesheet.Region{Filename: n.name, Region: f.Frame, Margin: spritesheet.Rect{X: n.x, Y: n.y, W: n.of.W - f.Frame.W, H: n.of.H - f.Frame.H}})
			continue
		}
		f.Filename = n.name
		t.Frames = append(t.Frames, f)
	}
	if o.Data != "tpsheet" {
		t.Format, t.Scale = "RGBA8888", a.scale
	}
	return t
}

func (o *atlasOptions) frameOf(a *atlas, n namedSprite) *spritesheet.Frame {
	s, at := a.sprites[n.sprite], a.layout.Places[n.sprite]
	x, y := o.spriteCorner(at)
	f := &spritesheet.Frame{
		Frame: spritesheet.Rect{X: x, Y: y, W: s.w, H: s.h}, Rotated: at.Turned, Trimmed: n.of != spritesheet.Size{W: s.w, H: s.h},
		Source: spritesheet.Rect{X: n.x, Y: n.y, W: s.w, H: s.h}, Of: n.of, Borders: n.borders,
	}
	if b := n.borders; b != nil {
		f.Center = &spritesheet.Rect{X: b.Left, Y: b.Top, W: s.w - b.Left - b.Right, H: s.h - b.Top - b.Bottom}
	}
	return f
}

// pageSize returns the size of a page in pixels.
func (o *atlasOptions) pageSize(a *atlas, page int) spritesheet.Size {
	if page >= len(a.layout.Pages) {
		return spritesheet.Size{W: 1, H: 1}
	}
	w, h := o.pixelsOfPage(a.layout.Pages[page])
	return spritesheet.Size{W: w, H: h}
}

// groupAnimations groups sprites whose names differ only in a number before the extension. The map
// key is the text before the number. The sprites are sorted by number. Groups with sprites on other
// pages are left out.
func groupAnimations(all, onPage []namedSprite) map[string][]string {
	type step struct {
		name   string
		number int
	}
	groups := map[string][]step{}
	for _, n := range all {
		stem := strings.TrimSuffix(n.name, n.name[len(n.name)-len(recipe.Ext(n.name)):])
		before := strings.TrimRight(stem, "0123456789")
		number, err := strconv.Atoi(stem[len(before):])
		before = strings.TrimRight(before, "_-. ")
		if err == nil && before != "" && !strings.HasSuffix(before, "/") {
			groups[before] = append(groups[before], step{n.name, number})
		}
	}
	here := map[string]bool{}
	for _, n := range onPage {
		here[n.name] = true
	}
	found := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		steps := groups[name]
		if len(steps) < 2 || slices.ContainsFunc(steps, func(s step) bool { return !here[s.name] }) {
			continue
		}
		slices.SortStableFunc(steps, func(a, b step) int { return a.number - b.number })
		for _, s := range steps {
			found[name] = append(found[name], s.name)
		}
	}
	return found
}

// A sheet is a page of an earlier atlas.
type sheet struct {
	size   spritesheet.Size
	frames map[string]place
}

// A place is a sprite's rectangle on a page.
type place struct {
	spritesheet.Rect
	turned bool
}

// sheetsOf returns the pages of an earlier atlas from its JSON, which may have any layout.
func sheetsOf(d *spritesheet.Data) (list []sheet) {
	if d.Frames != nil && d.Meta.Size != nil {
		s := sheet{*d.Meta.Size, map[string]place{}}
		for name, f := range d.Frames {
			if f != nil {
				s.frames[name] = place{f.Frame, f.Rotated}
			}
		}
		list = append(list, s)
	}
	for _, t := range d.Textures {
		s := sheet{t.Size, map[string]place{}}
		for _, f := range t.Frames {
			if f != nil {
				s.frames[f.Filename] = place{f.Frame, f.Rotated}
			}
		}
		for _, r := range t.Sprites {
			s.frames[r.Filename] = place{Rect: r.Region}
		}
		list = append(list, s)
	}
	return list
}
