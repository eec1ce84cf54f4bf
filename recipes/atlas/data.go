package atlas

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/assetcook/assetcook/cook/recipe"
)

// data is the JSON of all layouts, which TexturePacker defines, and PixiJS, Phaser and Godot's
// importer read.
type data struct {
	Frames     map[string]*frame   `json:"frames,omitempty"`
	Animations map[string][]string `json:"animations,omitempty"`
	Textures   []onePage           `json:"textures,omitempty"`
	Meta       meta                `json:"meta"`
}

type meta struct {
	App     string   `json:"app"`
	Version string   `json:"version"`
	Image   string   `json:"image,omitempty"`
	Format  string   `json:"format,omitempty"`
	Size    *size    `json:"size,omitempty"`
	Scale   string   `json:"scale,omitempty"`
	Related []string `json:"related_multi_packs,omitempty"`
}

type onePage struct {
	Image   string   `json:"image"`
	Format  string   `json:"format,omitempty"`
	Size    size     `json:"size"`
	Scale   float64  `json:"scale,omitempty"`
	Frames  []*frame `json:"frames,omitempty"`
	Sprites []region `json:"sprites,omitempty"`
}

// A part is a rectangle of a page or of an image.
type part struct {
	X int `json:"x"`
	Y int `json:"y"`
	W int `json:"w"`
	H int `json:"h"`
}

type frame struct {
	Filename string `json:"filename,omitempty"`
	// Frame is the sprite's rectangle on the page, with its size before rotation.
	Frame   part `json:"frame"`
	Rotated bool `json:"rotated"`
	Trimmed bool `json:"trimmed"`
	// Source is the sprite's rectangle in the image, whose size follows.
	Source part `json:"spriteSourceSize"`
	Of     size `json:"sourceSize"`
	// Borders and Center describe a nine-patch for PixiJS and Phaser.
	Borders *borders `json:"borders,omitempty"`
	Center  *part    `json:"scale9Borders,omitempty"`
}

// A region is a sprite in the layout of Godot's importer.
type region struct {
	Filename string `json:"filename"`
	Region   part   `json:"region"`
	// Margin is the sprite's position in the image, and the image's additional size.
	Margin part `json:"margin"`
}

// writeAtlasData writes the JSON.
func (o *Atlas) writeAtlasData(job *recipe.Job, a *atlas) error {
	if o.Data != "hash" {
		d := data{Meta: newMeta(), Textures: []onePage{}}
		for i := range max(len(a.layout.Pages), 1) {
			d.Textures = append(d.Textures, o.textureData(job, a, i))
		}
		return writeJSON(job, a.first+o.Pages, d)
	}
	for i := range o.Pages {
		if err := writeJSON(job, a.first+o.Pages+i, o.pageData(job, a, i)); err != nil {
			return err
		}
	}
	return nil
}

func writeJSON(job *recipe.Job, i int, d data) error {
	text, err := json.MarshalIndent(d, "", " ")
	if err != nil {
		return err
	}
	return job.Write(i, append(text, '\n'))
}

func newMeta() meta {
	return meta{App: "https://github.com/assetcook/assetcook", Version: "1.0"}
}

// pageData returns the JSON of a page in layout "hash".
func (o *Atlas) pageData(job *recipe.Job, a *atlas, page int) data {
	d := data{Frames: map[string]*frame{}, Meta: newMeta()}
	s := o.pageSize(a, page)
	file := a.first + o.Pages + page
	d.Meta.Image, d.Meta.Format, d.Meta.Size, d.Meta.Scale = job.Link(file, a.first+page), "RGBA8888", &s, formatScale(a.scale)
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

// textureData returns the JSON of a page in the other layouts.
func (o *Atlas) textureData(job *recipe.Job, a *atlas, page int) onePage {
	t := onePage{Image: job.Link(a.first+o.Pages, a.first+page), Size: o.pageSize(a, page)}
	for _, n := range a.ofPage(page) {
		f := o.frameOf(a, n)
		if o.Data == "tpsheet" {
			t.Sprites = append(t.Sprites, region{n.name, f.Frame, part{n.x, n.y, n.of.W - f.Frame.W, n.of.H - f.Frame.H}})
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

func (o *Atlas) frameOf(a *atlas, n namedSprite) *frame {
	s, at := a.sprites[n.sprite], a.layout.Places[n.sprite]
	x, y := o.spriteCorner(at)
	f := &frame{
		Frame: part{x, y, s.w, s.h}, Rotated: at.Turned, Trimmed: n.of != size{s.w, s.h},
		Source: part{n.x, n.y, s.w, s.h}, Of: n.of, Borders: n.borders,
	}
	if b := n.borders; b != nil {
		f.Center = &part{b.Left, b.Top, s.w - b.Left - b.Right, s.h - b.Top - b.Bottom}
	}
	return f
}

// pageSize returns the size of a page in pixels.
func (o *Atlas) pageSize(a *atlas, page int) size {
	if page >= len(a.layout.Pages) {
		return size{1, 1}
	}
	w, h := o.pixelsOfPage(a.layout.Pages[page])
	return size{w, h}
}

// groupAnimations groups sprites whose names differ only in a number at the end, before the
// extension. The key is the text before the number, and the sprites are sorted by number. Groups
// that are not complete on the page are left out.
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
	size   size
	frames map[string]place
}

// A place is the rectangle of a sprite on a page.
type place struct {
	part
	turned bool
}

// sheets returns the pages in the JSON of any layout.
func (d *data) sheets() (list []sheet) {
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
			s.frames[r.Filename] = place{part: r.Region}
		}
		list = append(list, s)
	}
	return list
}
