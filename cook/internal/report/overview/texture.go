package overview

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"math"
	"slices"

	"github.com/assetcook/assetcook/cook/internal/likeness"
	"github.com/assetcook/assetcook/cook/internal/survey"
	"github.com/assetcook/assetcook/internal/confine"
	"github.com/assetcook/assetcook/internal/image/cooked"
	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/texture"
	"github.com/assetcook/assetcook/internal/parallel"
)

// A Texture is a cooked texture, compared with its source.
type Texture struct {
	Path, Target, Output string
	Encoding             Encoding
	In, Out              int64            // sizes of source and artifact, in bytes
	Likeness             likeness.Finding // PSNR is +Inf if the pixels are equal; if it is NaN, Note has the reason
	Note                 string
	Thumb                []byte // thumbnail, as JPEG
}

// An Encoding has the format and the dimensions of a texture. It is zero for an unreadable file.
type Encoding struct {
	Format       string
	SRGB         bool
	W, H, Levels int
}

// formatName returns the name of the format with its color space.
func (e Encoding) formatName() string {
	if e.SRGB {
		return e.Format + " sRGB"
	}
	return e.Format
}

const thumbSide = 96

// A Candidate is an artifact that is a texture according to its name.
type Candidate struct {
	Asset *survey.Asset
	File  survey.Output
}

// Candidates returns the artifacts to compare with their sources, the largest first.
func Candidates(list []survey.Asset) (all []Candidate) {
	for i := range list {
		for _, o := range list[i].Outputs {
			if likeness.IsTexture(o.Path) {
				all = append(all, Candidate{&list[i], o})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Candidate) int { return cmp.Compare(b.File.Size, a.File.Size) })
	return all
}

// MeasureAll compares the first textures with their sources, and makes their thumbnails. The
// parameter most limits their number.
func MeasureAll(ctx context.Context, judge *likeness.Judge, out *confine.Dir, all []Candidate, most, workers int) (textures []Texture, err error) {
	textures = make([]Texture, min(most, len(all)))
	err = parallel.Each(ctx, workers, len(textures), func(_, i int) error {
		textures[i] = all[i].Measure(ctx, judge, out, thumbnail)
		return ctx.Err()
	})
	return textures, err
}

// Measure compares a texture with its source. If this fails, Note has the reason. The function draw
// makes the thumbnail; it may be nil.
func (c *Candidate) Measure(ctx context.Context, judge *likeness.Judge, out *confine.Dir, draw func(context.Context, *texture.Texture) ([]byte, error)) Texture {
	t := c.Unmeasured(nil)
	if err := t.measureFile(ctx, judge, out, c.Asset, draw); err != nil {
		t.Note = err.Error()
	}
	return t
}

// Unmeasured returns a texture that could not be compared because of an error.
func (c *Candidate) Unmeasured(err error) Texture {
	t := Texture{Path: c.Asset.Path, Target: c.Asset.Target, Output: c.File.Path, In: c.Asset.In, Out: c.File.Size}
	t.Likeness.Measure = cooked.Unmeasured()
	if err != nil {
		t.Note = err.Error()
	}
	return t
}

func (t *Texture) measureFile(ctx context.Context, judge *likeness.Judge, out *confine.Dir, a *survey.Asset, draw func(context.Context, *texture.Texture) ([]byte, error)) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("cannot be shown: %v", p)
		}
	}()
	if info, err := out.Stat(t.Output); err == nil && info.Size() != t.Out {
		return errors.New("the file was changed since it was cooked")
	}
	made, err := likeness.Open(out, t.Output)
	if err != nil {
		return err
	}
	t.Encoding = Encoding{made.Format.String(), made.SRGB, made.W, made.H, len(made.Levels)}
	if draw != nil && int64(made.W)*int64(made.H) <= likeness.LargestPicture {
		if t.Thumb, err = draw(ctx, made); err != nil {
			return err
		}
	}
	t.Likeness, err = judge.Look(ctx, a, made)
	return err
}

// noteText returns the Note, or a text for textures without loss.
func (t *Texture) noteText() string {
	if t.Note == "" && math.IsInf(t.Likeness.PSNR, 1) {
		return "lossless"
	}
	return t.Note
}

// thumbnail draws a texture on a gray background, using the smallest mipmap that is large enough.
func thumbnail(ctx context.Context, t *texture.Texture) ([]byte, error) {
	level := 0
	for level+1 < len(t.Levels) {
		if w, h := texture.LevelSize(t.W, t.H, level+1); max(w, h) < thumbSide {
			break
		}
		level++
	}
	m, err := cooked.Level(ctx, t, level, 0)
	if err != nil {
		return nil, err
	}
	w, h := pixmap.Fit(m.W, m.H, thumbSide)
	color := pixmap.Data
	if t.SRGB || t.Format.Float() {
		color = pixmap.SRGB
	}
	if m, err = pixmap.Resize(ctx, m, w, h, pixmap.Sampling{Color: color}); err != nil {
		return nil, err
	}
	if m, err = pixmap.Convert(ctx, m, pixmap.Bits8, color); err != nil {
		return nil, err
	}
	normal := (t.Format == texture.BC5 || t.Format == texture.EACRG11) && t.Swizzle == ""
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for i := 0; i < len(m.Pix8); i += 4 {
		p := m.Pix8[i : i+4]
		if normal {
			p[2] = upward(p[0], p[1])
		}
		for k := range 3 {
			img.Pix[i+k] = byte((int(p[k])*int(p[3]) + 128*(255-int(p[3])) + 127) / 255)
		}
		img.Pix[i+3] = 255
	}
	var b bytes.Buffer
	err = jpeg.Encode(&b, img, &jpeg.Options{Quality: 80})
	return b.Bytes(), err
}

// upward computes the third coordinate of a unit vector. The two stored coordinates are bytes.
func upward(x, y byte) byte {
	a, b := float64(x)/127.5-1, float64(y)/127.5-1
	return byte(127.5 * (1 + math.Sqrt(max(0, 1-a*a-b*b))))
}

// texturesTable lists textures, the greatest loss first.
func texturesTable(r *Report) *Table {
	t := &Table{Key: "textures", Title: "Textures, most loss first", Columns: []Column{
		{"path", "texture", Name, false}, {"target", "target", Name, false}, {"role", "role", Text, false}, {"role_why", "decided by", Text, false}, {"format", "format", Text, false}, {"width", "width", Number, false}, {"height", "height", Number, false},
		{"levels", "levels", Number, false}, {"bytes_in", "source", Bytes, true}, {"bytes_out", "cooked", Bytes, true}, {"psnr", "PSNR in dB", Decibel, false},
		{"angle", "angle in °", Degree, false}, {"coverage", "coverage off by", Percent, false}, {"note", "", Text, false},
	}, Note: "PSNR compares the first level with the source as it was prepared (scaled, channels moved), in the channels that are stored: a loss at 30 dB is visible, a loss above 45 dB is hardly visible. " +
		"For normal maps: the mean angle between normals. With option coverage: the largest difference in the share of drawn pixels between a level and the source."}
	list := slices.Clone(r.in.Textures)
	slices.SortStableFunc(list, func(a, b Texture) int { return compareLoss(a.Likeness.PSNR, b.Likeness.PSNR) })
	r.in.Textures = list
	for i := range list {
		x := &list[i]
		t.addTableRow(x.Path, x.Target, x.Likeness.Role, x.Likeness.Why, x.Encoding.formatName(), int64(x.Encoding.W), int64(x.Encoding.H), int64(x.Encoding.Levels), x.In, x.Out,
			finiteCell(x.Likeness.PSNR), finiteCell(x.Likeness.Angle), finiteCell(x.Likeness.Coverage), x.noteText())
	}
	if r.in.Unlooked > 0 {
		t.Note += fmt.Sprintf(" Of %s, the largest %d were compared.", countOf(len(list)+r.in.Unlooked, "texture"), len(list))
	}
	return t
}

// finiteCell returns the cell for a number, or nil if the number is not finite.
func finiteCell(x float64) any {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return x
}

// compareLoss orders textures by PSNR. Textures with unknown PSNR come last.
func compareLoss(a, b float64) int {
	switch {
	case math.IsNaN(a) && math.IsNaN(b), a == b:
		return 0
	case math.IsNaN(b) || a < b:
		return -1
	}
	return 1
}
