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

// A Texture is a cooked texture with its comparison.
type Texture struct {
	Path, Target, Output string
	Format               string // "" if the file could not be read
	W, H, Levels         int
	In, Out              int64 // bytes of source and file
	likeness.Finding           // PSNR is +Inf for equal pixels; NaN needs a Note
	Note                 string
	Thumb                []byte // JPEG
}

const thumbSide = 96

// A candidate is an artifact with the name of a texture.
type candidate struct {
	asset *survey.Asset
	file  survey.Output
}

func candidates(list []survey.Asset) (all []candidate) {
	for i := range list {
		for _, o := range list[i].Outputs {
			if likeness.IsTexture(o.Path) {
				all = append(all, candidate{&list[i], o})
			}
		}
	}
	return all
}

// Textures counts the textures.
func Textures(list []survey.Asset) int { return len(candidates(list)) }

// Measure compares the largest textures, at most most of them, and returns the number of the
// others.
func Measure(ctx context.Context, judge *likeness.Judge, out *confine.Dir, list []survey.Asset, most, workers int) (found []Texture, more int, err error) {
	all := candidates(list)
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(b.file.Size, a.file.Size) })
	n := min(most, len(all))
	found = make([]Texture, n)
	err = parallel.Each(ctx, workers, n, func(_, i int) error {
		c := all[i]
		t := Texture{Path: c.asset.Path, Target: c.asset.Target, Output: c.file.Path, In: c.asset.In, Out: c.file.Size}
		t.Measure = cooked.Unmeasured()
		if err := t.look(ctx, judge, out, c.asset); err != nil {
			if ctx.Err() != nil {
				return err
			}
			t.Note = err.Error()
		}
		found[i] = t
		return nil
	})
	return found, len(all) - n, err
}

// look reads a texture, makes its thumbnail, and compares it with its source.
func (t *Texture) look(ctx context.Context, judge *likeness.Judge, out *confine.Dir, a *survey.Asset) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("cannot be shown: %v", p)
		}
	}()
	if info, err := out.Stat(t.Output); err == nil && info.Size() != t.Out {
		return errors.New("the file is not as it was cooked")
	}
	made, err := likeness.Open(out, t.Output)
	if err != nil {
		return err
	}
	t.Format, t.W, t.H, t.Levels = made.Format.String(), made.W, made.H, len(made.Levels)
	if made.SRGB {
		t.Format += " sRGB"
	}
	if int64(made.W)*int64(made.H) > likeness.LargestPicture {
		return errors.New("too large to compare")
	}
	if t.Thumb, err = thumbnail(ctx, made); err != nil {
		return err
	}
	if t.Finding, err = judge.Look(ctx, a, made); err == nil && math.IsInf(t.PSNR, 1) {
		t.Note = "lossless"
	}
	return err
}

// thumbnail draws a texture over gray, from the smallest level that is large enough.
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

// upward computes the third coordinate of a unit vector from the two that are stored, as bytes.
func upward(x, y byte) byte {
	a, b := float64(x)/127.5-1, float64(y)/127.5-1
	return byte(127.5 * (1 + math.Sqrt(max(0, 1-a*a-b*b))))
}

// texturesTable lists textures, the greatest loss first.
func texturesTable(r *Report) *Table {
	t := &Table{Key: "textures", Title: "Textures, most loss first", Columns: []Column{
		{"path", "texture", Name, false}, {"target", "target", Name, false}, {"role", "role", Text, false}, {"role_why", "decided by", Text, false}, {"format", "format", Text, false}, {"width", "width", Number, false}, {"height", "height", Number, false},
		{"levels", "levels", Number, false}, {"bytes_in", "source", Bytes, true}, {"bytes_out", "cooked", Bytes, true}, {"psnr", "PSNR in dB", Decibel, false},
		{"angle", "angle in °", Decibel, false}, {"coverage", "coverage off by", Percent, false}, {"note", "", Text, false},
	}, Note: "PSNR compares the first level with the source as it was prepared (scaled, channels moved), in the channels that are stored: 30 dB can be seen, beyond 45 dB hardly anything can. " +
		"Of normal maps, the mean angle between normals; with option coverage, the most that a level's share of drawn pixels differs from the source's."}
	list := slices.Clone(r.in.Textures)
	slices.SortStableFunc(list, func(a, b Texture) int { return compareLoss(a.PSNR, b.PSNR) })
	r.in.Textures = list
	for i := range list {
		x := &list[i]
		t.addRow(x.Path, x.Target, x.Role, x.Why, x.Format, int64(x.W), int64(x.H), int64(x.Levels), x.In, x.Out, known(x.PSNR), known(x.Angle), known(x.Coverage), x.Note)
	}
	if r.in.Unlooked > 0 {
		t.Note += fmt.Sprintf(" Of %s the largest %d were looked at.", count(len(list)+r.in.Unlooked, "texture"), len(list))
	}
	return t
}

// known returns the cell of a number, nil unless it is finite.
func known(x float64) any {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return x
}

// compareLoss orders by PSNR. Unknown values come last.
func compareLoss(a, b float64) int {
	switch {
	case math.IsNaN(a) && math.IsNaN(b), a == b:
		return 0
	case math.IsNaN(b) || a < b:
		return -1
	}
	return 1
}
