package image

import (
	"context"
	"errors"
	"fmt"
	stdimage "image"
	"path"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/source"
	"github.com/assetcook/assetcook/internal/image/spritesheet"
	"github.com/assetcook/assetcook/internal/pathname"
)

// With frames = "sheet", the image is a grid with all frames of an animation. JSON beside it has
// the places and the durations of the frames.

// sheetGap is the number of empty pixels between frames, so that filters do not mix frames.
const sheetGap = 2

// A sheet is the grid of an animation's images.
type sheet struct {
	grid
	frames []source.Frame
	plays  int
}

// makesSheet reports whether the output has all frames of an animation.
func (o *Image) makesSheet() bool { return o.Frames == "sheet" }

// checkSheet refuses options that move or mix the frames of a sheet.
func (o *Image) checkSheet() error {
	if !o.makesSheet() {
		return nil
	}
	refuse := func(key, got, want string) error {
		return &recipe.OptionError{Key: key, Got: got, Want: want + ` with frames = "sheet"`}
	}
	switch {
	case o.Fit > 0:
		return refuse("fit", strconv.Itoa(o.Fit), "0")
	case o.POT != "keep":
		return refuse("pot", strconv.Quote(o.POT), `"keep"`)
	case len(o.Scales) > 0:
		return refuse("scales", fmt.Sprint(o.Scales), "none")
	case o.Flip != "none":
		return refuse("flip", strconv.Quote(o.Flip), `"none"`)
	case o.Mips == "true":
		return refuse("mips", "true", `"auto" or false`)
	case o.Coverage > 0:
		return refuse("coverage", fmt.Sprint(o.Coverage), "0")
	case o.Cube != "none":
		return refuse("cube", strconv.Quote(o.Cube), `"none"`)
	case len(o.Layers) > 0:
		return refuse("layers", strconv.Itoa(len(o.Layers)), "none")
	}
	for c := range 4 {
		if p, _ := o.channelSource(c); p.file != "" {
			return refuse(channelKeys[c], strconv.Quote(o.channelText(c)), "no other image")
		}
	}
	return nil
}

// A grid is the layout of a sheet: cells of one size.
type grid struct {
	w, h           int // size of a frame
	stepX, stepY   int // distance between the corners of neighboring frames
	columns        int
	sheetW, sheetH int
}

// sheetAlignment returns the alignment of frame positions, in pixels. Textures have blocks of 4 by
// 4 pixels, which should not mix two frames.
func (o *Image) sheetAlignment() int {
	if o.writesPictures() {
		return 1
	}
	return 4
}

// planGrid returns the grid for n frames of w by h pixels, with its longer side as short as
// possible. It reports whether the grid is within sheet_size.
func (o *Image) planGrid(n, w, h int) (grid, bool) {
	align := o.sheetAlignment()
	up := func(v int) int { return (v + align - 1) / align * align }
	best, found := grid{}, false
	for columns := 1; columns <= n; columns++ {
		g := grid{w: w, h: h, stepX: up(w + sheetGap), stepY: up(h + sheetGap), columns: columns}
		g.sheetW, g.sheetH = up((columns-1)*g.stepX+w), up(((n-1)/columns)*g.stepY+h)
		if g.sheetW > o.SheetSize {
			break
		}
		long, shortest := max(g.sheetW, g.sheetH), max(best.sheetW, best.sheetH)
		if g.sheetH <= o.SheetSize && (!found || long < shortest || long == shortest && g.sheetW*g.sheetH < best.sheetW*best.sheetH) {
			best, found = g, true
		}
	}
	return best, found
}

// mostFrames returns the number of different frames that a sheet can hold.
func (o *Image) mostFrames(w, h int) int {
	align := o.sheetAlignment()
	fitting := func(side int) int {
		step := (side + sheetGap + align - 1) / align * align
		n := 0
		if last := o.SheetSize/align*align - side; last >= 0 {
			n = last/step + 1
		}
		return n
	}
	return fitting(w) * fitting(h)
}

// place returns the rectangle of an image on the sheet.
func (g grid) place(i int) spritesheet.Rect {
	return spritesheet.Rect{X: i % g.columns * g.stepX, Y: i / g.columns * g.stepY, W: g.w, H: g.h}
}

// readSheet reads all frames of the source, and returns the sheet.
func (s *subject) readSheet(ctx context.Context, job *recipe.Job, f file, _ *pixmap.Map) (*pixmap.Map, source.Info, error) {
	if s.used.gltf != "" {
		return nil, source.Info{}, fmt.Errorf(`%s, which needs a single image; remove frames = "sheet" for this source`, s.used.gltf)
	}
	data, info, err := s.readChecked(f)
	if err != nil {
		return nil, info, err
	}
	most := s.o.mostFrames(info.W, info.H)
	if most == 0 {
		return nil, info, s.o.tooLargeForSheet("a frame", info)
	}
	a, decoded, err := source.DecodeAnimation(ctx, data, f.ext, s.o.MaxSize, most, s.o.mayBeSRGB())
	var many *source.ImagesError
	if errors.As(err, &many) {
		err = s.o.tooLargeForSheet(fmt.Sprintf("the sheet of %d frames", many.Frames), info)
	}
	if err != nil {
		return nil, info, err
	}
	info = decoded
	g, _ := s.o.planGrid(len(a.Images), info.W, info.H)
	s.sheet = &sheet{grid: g, frames: a.Frames, plays: a.Plays}
	m := pixmap.New(g.sheetW, g.sheetH, info.Depth)
	job.Hold("decoded images", m.Bytes()+len(a.Images)*a.Images[0].Bytes())
	for i, image := range a.Images {
		at := g.place(i)
		pixmap.CopyRect(m, at.X, at.Y, image, stdimage.Rect(0, 0, image.W, image.H))
		a.Images[i] = nil
	}
	s.addReason("sheet of %d frames, %d of them different: %d x %d pixels", len(a.Frames), len(a.Images), g.sheetW, g.sheetH)
	s.warnOfContent(job, info, len(a.Frames))
	return m, info, nil
}

// tooLargeForSheet returns the error for frames that exceed sheet_size.
func (o *Image) tooLargeForSheet(what string, info source.Info) error {
	return fmt.Errorf("%s of %d x %d pixels exceeds %d pixels per side (sheet_size); save fewer or smaller frames, or raise sheet_size if all target devices support such textures",
		what, info.W, info.H, o.SheetSize)
}

// writeSheetData writes the JSON of a sheet, if the subject is one.
func (s *subject) writeSheetData(job *recipe.Job) error {
	if s.sheet == nil {
		return nil
	}
	name := path.Base(job.Path())
	stem := strings.TrimSuffix(name, path.Ext(name))
	if !utf8.ValidString(stem) {
		return fmt.Errorf("%s: the name is not UTF-8, which JSON requires; rename the file", pathname.Show(name))
	}
	d := spritesheet.Data{Frames: map[string]*spritesheet.Frame{}, Animations: map[string][]string{}, Meta: spritesheet.NewMeta()}
	d.Meta.Image, d.Meta.Format, d.Meta.Scale = job.Link(1, 0), "RGBA8888", "1"
	d.Meta.Size = &spritesheet.Size{W: s.sheet.sheetW, H: s.sheet.sheetH}
	d.Meta.Plays = &s.sheet.plays
	digits := len(strconv.Itoa(len(s.sheet.frames) - 1))
	for i, f := range s.sheet.frames {
		frame := fmt.Sprintf("%s_%0*d", stem, digits, i)
		d.Frames[frame] = &spritesheet.Frame{
			Frame: s.sheet.place(f.Image), Source: spritesheet.Rect{W: s.sheet.w, H: s.sheet.h},
			Of: spritesheet.Size{W: s.sheet.w, H: s.sheet.h}, Duration: f.Milliseconds,
		}
		d.Animations[stem] = append(d.Animations[stem], frame)
	}
	text, err := spritesheet.Encode(d)
	if err != nil {
		return err
	}
	return job.Write(1, text)
}

// estimateSheet returns the memory for the sheet of a source. data is the whole source.
func (o *Image) estimateSheet(data []byte, info source.Info, l layout) int64 {
	n := source.CountFrames(data)
	most := o.mostFrames(info.W, info.H)
	g, ok := o.planGrid(max(1, min(n, most)), info.W, info.H)
	if !ok {
		return recipe.HeadSize // Cook returns this error
	}
	side := max(g.sheetW, g.sheetH) // merging equal frames may give another grid, but its longer side is not longer
	l.w, l.h, l.tw, l.th = side, side, side, side
	frames := int64(min(n, most)) * bytesOf(info.W, info.H, info.Depth)
	whole := bytesOf(side, side, info.Depth)
	rest := max(2*whole, o.picturePeak(info.Depth, l))
	if !o.writesPictures() {
		rest = 2*whole + max(o.makingMemory(info.Depth, l), o.packingMemory(info.Depth, l))
	}
	return 1<<20 + int64(len(data)) + max(source.AnimationMemory(info)+frames, frames+whole, rest)
}
