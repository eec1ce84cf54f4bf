package inspect

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"net/http"
	"path"
	"slices"

	"github.com/assetcook/assetcook/cook/internal/execute"
	"github.com/assetcook/assetcook/cook/internal/likeness"
	"github.com/assetcook/assetcook/cook/internal/survey"
	"github.com/assetcook/assetcook/internal/confine"
	"github.com/assetcook/assetcook/internal/image/cooked"
	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/texture"
	"github.com/assetcook/assetcook/internal/mesh/drawn"
	"github.com/assetcook/assetcook/internal/webjson"
)

// A file is one of the files that the page shows for an asset: its source, a file that the source
// reads, an artifact, or a file of another asset.
type file struct {
	Asset  execute.Path `json:"asset"`
	Target string       `json:"target"`
	Side   string       `json:"side"` // "source" or "output"
	Path   execute.Path `json:"path"`

	// parameters of a request for an image
	Level   int `json:"level"`
	Picture int `json:"picture"`
	Width   int `json:"width"` // requested width of a source image; 0 for its original width
	Height  int `json:"height"`

	// parameters of a request for bytes
	From int64 `json:"from"`
	To   int64 `json:"to"`
}

var (
	errSide  = errors.New("unknown side; want source or output")
	errOther = fmt.Errorf("the file does not belong to this project: %w", fs.ErrNotExist)
)

// openFolderOf returns the root directory of a file. The file must be a source in the index, a file
// that the asset reads, or an artifact. done releases the directory.
func (p *project) openFolderOf(f *file) (dir *confine.Dir, a *survey.Asset, done func(), err error) {
	list, a, err := p.table.findAssetOf(string(f.Asset), f.Target)
	if err != nil {
		return nil, nil, nil, err
	}
	switch name := string(f.Path); f.Side {
	case "source":
		if _, ok := list.findSource(name); !ok && !slices.Contains(a.Dependencies, name) {
			return nil, nil, nil, errOther
		}
		return p.assets, a, func() {}, nil
	case "output":
		if !list.made()[name] {
			return nil, nil, nil, errOther
		}
		dir, err := confine.Open(p.out)
		return dir, a, func() { dir.Close() }, err
	}
	return nil, nil, nil, errSide
}

// readAssetFile reads a whole file.
func (p *project) readAssetFile(f *file) ([]byte, *survey.Asset, error) {
	dir, a, done, err := p.openFolderOf(f)
	if err != nil {
		return nil, nil, err
	}
	defer done()
	data, err := likeness.Read(dir, string(f.Path))
	return data, a, err
}

// mostBytes limits the number of bytes in one response.
const mostBytes = 4 << 20

func (p *project) answerBytes(w http.ResponseWriter, req *http.Request) {
	var f file
	if !webjson.Read(w, req, &f) {
		return
	}
	dir, _, done, err := p.openFolderOf(&f)
	if err != nil {
		answerError(w, err)
		return
	}
	defer done()
	from, err := dir.OpenFile(string(f.Path))
	if err != nil {
		answerError(w, err)
		return
	}
	defer from.Close()
	if f.From < 0 || f.To < f.From {
		answerError(w, errors.New("the end of the byte range is before its start"))
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	io.Copy(w, io.NewSectionReader(from, f.From, min(f.To-f.From, mostBytes))) // after an error, the client sees that the response is too short
}

// A textureInfo describes a cooked texture.
type textureInfo struct {
	Format   string      `json:"format"`
	SRGB     bool        `json:"srgb"`
	Float    bool        `json:"float"`
	Channels string      `json:"channels"`
	Swizzle  string      `json:"swizzle,omitempty"`
	Premult  bool        `json:"premultiplied,omitempty"`
	Pictures int         `json:"pictures"`
	Kind     string      `json:"kind,omitempty"` // "slices", "faces" or "layers" of several images
	Levels   []levelInfo `json:"levels"`
}

type levelInfo struct {
	Width  int `json:"width"`
	Height int `json:"height"`
	Bytes  int `json:"bytes"` // sum over all images
}

// nameOfPictures returns what the images of a texture are called, such as "layers", or "" for a
// single image.
func nameOfPictures(t *texture.Texture) string {
	switch {
	case t.Depth > 0:
		return "slices"
	case t.Cube:
		return "faces"
	case t.Layers > 0:
		return "layers"
	}
	return ""
}

func (p *project) answerTexture(_ context.Context, f *file) (any, [][]byte, error) {
	t, _, err := p.openTexture(f)
	if err != nil {
		return nil, nil, err
	}
	info := textureInfo{
		Format: t.Format.String(), SRGB: t.SRGB, Float: t.Format.Float(), Channels: t.Format.Channels(), Swizzle: t.Swizzle,
		Premult: t.Premultiplied, Pictures: t.Images(), Kind: nameOfPictures(t),
	}
	for i := range t.Levels {
		w, h := texture.LevelSize(t.W, t.H, i)
		info.Levels = append(info.Levels, levelInfo{w, h, len(t.Levels[i])})
	}
	return info, nil, nil
}

func (p *project) openTexture(f *file) (*texture.Texture, *survey.Asset, error) {
	data, a, err := p.readAssetFile(f)
	if err != nil {
		return nil, nil, err
	}
	t, err := cooked.Open(data, 8*likeness.LargestPicture)
	return t, a, err
}

// A likenessInfo is the similarity of a texture to its source.
type likenessInfo struct {
	PSNR     *float64 `json:"psnr"`               // nil if the pixels are equal, or if Note says why it is missing
	Angle    *float64 `json:"angle,omitempty"`    // mean angle between normals, in degrees
	Coverage *float64 `json:"coverage,omitempty"` // largest error, over all levels, in the share of visible pixels
	Role     string   `json:"role,omitempty"`
	Why      string   `json:"role_why,omitempty"` // why the texture has this role
	Note     string   `json:"note,omitempty"`
}

func (p *project) answerLikeness(ctx context.Context, f *file) (any, [][]byte, error) {
	t, a, err := p.openTexture(f)
	if err != nil {
		return nil, nil, err
	}
	found, err := p.judge.Look(ctx, a, t)
	note := ""
	if err != nil {
		note = err.Error()
	}
	return infoOf(found, note), nil, ctx.Err()
}

// infoOf returns the result of a comparison in the form for the page.
func infoOf(f likeness.Finding, note string) likenessInfo {
	known := func(x float64) *float64 {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return nil
		}
		return &x
	}
	return likenessInfo{PSNR: known(f.PSNR), Angle: known(f.Angle), Coverage: known(f.Coverage), Role: f.Role, Why: f.Why, Note: note}
}

// A pictureInfo describes the pixels that follow it: 8 bits each of red, green, blue and alpha, in
// rows from the top.
type pictureInfo struct {
	Width  int  `json:"width"`
	Height int  `json:"height"`
	Scaled bool `json:"scaled,omitempty"`
	Bits   int  `json:"bits"` // bits of a channel; 32 for floating point
	// OfWidth and OfHeight are the dimensions of the source.
	OfWidth  int `json:"of_width"`
	OfHeight int `json:"of_height"`
}

// mostPixels limits the number of pixels in one response.
const mostPixels = 16 << 20

var errPixels = errors.New("the image has more than 16 million pixels; choose a smaller level")

func (p *project) answerPicture(ctx context.Context, f *file) (any, [][]byte, error) {
	data, _, err := p.readAssetFile(f)
	if err != nil {
		return nil, nil, err
	}
	var m *pixmap.Map
	color := pixmap.Data
	if f.Side == "output" && likeness.IsTexture(string(f.Path)) {
		t, err := cooked.Open(data, 8*likeness.LargestPicture)
		if err != nil {
			return nil, nil, err
		}
		if w, h := texture.LevelSize(t.W, t.H, max(0, f.Level)); w*h > mostPixels {
			return nil, nil, errPixels
		}
		if m, err = cooked.Level(ctx, t, f.Level, f.Picture); err != nil {
			return nil, nil, err
		}
		if t.SRGB || t.Format.Float() {
			color = pixmap.SRGB
		}
	} else {
		color = pixmap.SRGB
		if m, err = likeness.Decode(ctx, data, string(f.Path), true); err != nil {
			return nil, nil, err
		}
	}
	info := pictureInfo{OfWidth: m.W, OfHeight: m.H, Bits: map[pixmap.Depth]int{pixmap.Bits8: 8, pixmap.Bits16: 16, pixmap.Float: 32}[m.Depth()]}
	w, h := m.W, m.H
	if f.Width > 0 && f.Height > 0 {
		w, h = min(f.Width, texture.MaxSide), min(f.Height, texture.MaxSide)
	}
	if w*h > mostPixels {
		w, h = pixmap.Fit(w, h, 4096)
	}
	if info.Scaled = w != m.W || h != m.H; info.Scaled {
		if m, err = pixmap.Resize(ctx, m, w, h, pixmap.Sampling{Color: color}); err != nil {
			return nil, nil, err
		}
	}
	if m, err = pixmap.Convert(ctx, m, pixmap.Bits8, color); err != nil {
		return nil, nil, err
	}
	info.Width, info.Height = m.W, m.H
	return info, [][]byte{m.Pix8}, nil
}

// A meshInfo describes the drawn parts of a model. Its bytes follow, little endian: for each level
// positions and normals (32-bit floats x, y, z of each vertex), then indices (32 bits, three for each
// triangle).
type meshInfo struct {
	Bytes  int64       `json:"bytes"` // sum over all files of the model
	Levels []meshLevel `json:"levels"`
}

type meshLevel struct {
	Vertices  int        `json:"vertices"`
	Triangles int        `json:"triangles"`
	Clipped   int64      `json:"clipped,omitempty"` // number of triangles that exceed the limit of the response
	Undrawn   int        `json:"undrawn,omitempty"` // number of primitives that consist of points or lines
	Low       [3]float32 `json:"low"`
	High      [3]float32 `json:"high"`
	Parts     []meshPart `json:"parts"`
}

type meshPart struct {
	Mesh      string     `json:"mesh,omitempty"`
	Material  string     `json:"material,omitempty"`
	Color     [4]float32 `json:"color"`          // linear red, green, blue and alpha
	Made      bool       `json:"made,omitempty"` // set if the normals were computed, because the file has none
	Vertices  int        `json:"vertices"`
	Triangles int        `json:"triangles"`
}

func (p *project) answerMesh(ctx context.Context, f *file) (any, [][]byte, error) {
	data, _, err := p.readAssetFile(f)
	if err != nil {
		return nil, nil, err
	}
	scene, err := drawn.Open(ctx, data, path.Ext(string(f.Path)), func(name string) ([]byte, error) {
		beside := *f
		beside.Path = execute.Path(path.Join(path.Dir(string(f.Path)), name))
		data, _, err := p.readAssetFile(&beside)
		return data, err
	})
	if err != nil {
		return nil, nil, err
	}
	return meshParts(ctx, scene)
}

// meshParts returns the parts of a model that a page draws.
func meshParts(ctx context.Context, s *drawn.Scene) (header any, parts [][]byte, err error) {
	info := meshInfo{Bytes: s.Bytes, Levels: make([]meshLevel, len(s.Levels))}
	for i := range s.Levels {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		l := &s.Levels[i]
		to := &info.Levels[i]
		*to = meshLevel{
			Vertices: l.Vertices(), Triangles: l.Triangles(), Clipped: l.Clipped, Undrawn: l.Undrawn,
			Low: l.Low, High: l.High, Parts: make([]meshPart, len(l.Parts)),
		}
		for k, p := range l.Parts {
			to.Parts[k] = meshPart{Mesh: p.Mesh, Material: p.Material, Color: p.Color, Made: p.MadeNormals, Vertices: p.Vertices, Triangles: p.Triangles}
		}
		parts = append(parts, littleEndian(l.Positions), littleEndian(l.Normals), littleEndian(l.Indices))
	}
	return info, parts, nil
}

// littleEndian returns 32-bit values as little-endian bytes.
func littleEndian[T float32 | uint32](numbers []T) []byte {
	b := make([]byte, 4*len(numbers))
	binary.Encode(b, binary.LittleEndian, numbers) // cannot fail, because the sizes are equal
	return b
}
