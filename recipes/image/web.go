package image

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/png"
	"github.com/assetcook/assetcook/internal/image/role"
	"github.com/assetcook/assetcook/internal/image/webp"
	"github.com/assetcook/assetcook/internal/pathname"
)

// Formats png and webp make images: ordinary files, one for each scale.

// writesPictures reports whether the options want images, not textures.
func (o *Image) writesPictures() bool { return o.Format == "png" || o.Format == "webp" }

// pictureOutputs returns the names of the images: the source's name, with the scale if there
// are several.
func (o *Image) pictureOutputs() []string {
	if len(o.Scales) == 0 {
		return []string{"{stem}." + o.Format}
	}
	var names []string
	for _, scale := range o.Scales {
		names = append(names, "{base}"+scaleSuffix(scale)+"."+o.Format)
	}
	return names
}

// scaleSuffix returns a scale as it appears in file names: "@2x", and "" for 1.
func scaleSuffix(scale float64) string {
	if scale == 1 {
		return ""
	}
	return "@" + strconv.FormatFloat(scale, 'f', -1, 64) + "x"
}

// usesPath reports whether Cook asks for the path: the name of a source may contain its scale, or a number
// that counts frames.
func (o *Image) usesPath() bool { return len(o.Scales) > 0 || o.pathName() == role.PerhapsNumbered }

// checkPicture checks the options that images do not support.
func (o *Image) checkPicture() error {
	if !o.writesPictures() {
		if len(o.Scales) > 0 {
			return &recipe.OptionError{Key: "scales", Want: fmt.Sprintf(`none with format = %q, only "png" and "webp" have them`, o.Format)}
		}
		return nil
	}
	refuse := func(key, got, want string) error {
		return &recipe.OptionError{Key: key, Got: got, Want: fmt.Sprintf("%s with format = %q", want, o.Format)}
	}
	switch {
	case o.Container != "ktx2":
		return refuse("container", strconv.Quote(o.Container), "the default")
	case o.Mips == "true":
		return refuse("mips", "true", `"auto" or false`)
	case o.Cube != "none":
		return refuse("cube", strconv.Quote(o.Cube), `"none"`)
	case len(o.Layers) > 0:
		return refuse("layers", "", "none")
	case o.Premultiply:
		return refuse("premultiply", "true", "false")
	case o.Coverage > 0:
		return refuse("coverage", fmt.Sprint(o.Coverage), "0")
	case o.WeighAlpha:
		return refuse("weigh_alpha", "true", "false")
	case o.RDO > 0:
		return refuse("rdo", fmt.Sprint(o.RDO), "0")
	}
	for i, scale := range o.Scales {
		if slices.Contains(o.Scales[:i], scale) {
			return &recipe.OptionError{Key: "scales", Got: fmt.Sprint(o.Scales), Want: "each scale once"}
		}
	}
	return nil
}

// A variant is one of the images to make.
type variant struct {
	scale float64 // 0 without scales
	w, h  int
}

// planSizes decides on the size of each image.
func (s *subject) planSizes(_ context.Context, job *recipe.Job) error {
	if err := s.checkMask(); err != nil {
		return err
	}
	m := s.pictures[0]
	if m.Depth() == pixmap.Float {
		return fmt.Errorf(`this is light without an upper end, which %s cannot hold; use format = "bc6h" or "rgba16f"`, s.o.Format)
	}
	s.addReason("format %s: as the options say", s.o.Format)
	if s.o.Format == "webp" && m.Depth() == pixmap.Bits16 {
		s.addReason("16 bits a channel become 8, which WebP has")
	}
	w, h := s.o.targetSize(m.W, m.H)
	if w != m.W || h != m.H {
		s.addReason("size %d x %d: scaled from %d x %d (fit = %d, pot = %q)", w, h, m.W, m.H, s.o.Fit, s.o.POT)
	}
	if len(s.o.Scales) == 0 {
		s.variants = []variant{{w: w, h: h}}
		return nil
	}
	name := path.Base(job.Path())
	_, own := pathname.SplitScale(strings.TrimSuffix(name, path.Ext(name)))
	reason := "its name says so"
	if own == 0 {
		own, reason = slices.Max(s.o.Scales), "the largest of scales"
	}
	s.addReason("drawn at @%gx: %s", own, reason)
	for _, scale := range s.o.Scales {
		if scale > own {
			return fmt.Errorf("drawn at @%gx, by its name, which is too small for scales of %g; draw it larger, or leave that out of scales", own, scale)
		}
		v := variant{scale: scale, w: scaledSide(w, scale, own), h: scaledSide(h, scale, own)}
		s.variants = append(s.variants, v)
		s.addReason("@%gx: %d x %d pixels", scale, v.w, v.h)
	}
	return nil
}

// scaledSide returns a side at another scale, at least one pixel.
func scaledSide(side int, scale, own float64) int {
	return max(1, int(math.Round(float64(side)*scale/own)))
}

// writePictures makes and writes each image of the source.
func (s *subject) writePictures(ctx context.Context, job *recipe.Job) error {
	for i, v := range s.variants {
		if err := s.writePicture(ctx, job, i, v); err != nil {
			return err
		}
	}
	return nil
}

func (s *subject) writePicture(ctx context.Context, job *recipe.Job, i int, v variant) error {
	resize := job.Step("resize")
	m, err := pixmap.Resize(ctx, s.pictures[0], v.w, v.h, s.sampling())
	resize()
	if err != nil {
		return err
	}
	if m != s.pictures[0] {
		job.Hold("pixels", m.Bytes())
	}
	defer job.Step("encode")()
	out, err := job.Create(i)
	if err != nil {
		return err
	}
	return errors.Join(s.encodePicture(ctx, out, m), out.Close())
}

func (s *subject) encodePicture(ctx context.Context, w io.Writer, m *pixmap.Map) error {
	if s.o.Format == "webp" {
		m, err := pixmap.Convert(ctx, m, pixmap.Bits8, s.colorMeaning())
		if err != nil {
			return err
		}
		return webp.Encode(ctx, w, m)
	}
	_, err := png.Encode(ctx, w, m, png.EffortOf(s.o.Quality))
	return err
}

// picturePeak returns the maximal number of bytes for making an image, including the source. The
// source has w by h pixels before resizing, and tw by th afterwards, at the largest scale.
func (o *Image) picturePeak(d pixmap.Depth, l layout) int64 {
	encoding := png.Memory(l.tw, l.th, d)
	if o.Format == "webp" {
		encoding = webp.Memory(l.tw, l.th) + bytesOf(l.tw, l.th, pixmap.Bits8)
	}
	resizing := pixmap.ResizeMemory(l.w, l.h, l.tw, l.th, d, o.mipFilter())
	// A name may contain any scale, which is unknown here.
	for _, part := range []int{2, 4, 8, 16, 32} {
		if len(o.Scales) > 0 {
			resizing = max(resizing, pixmap.ResizeMemory(l.w, l.h, (l.tw+part-1)/part, (l.th+part-1)/part, d, o.mipFilter()))
		}
	}
	return bytesOf(l.w, l.h, d) + bytesOf(l.tw, l.th, d) + max(resizing, encoding)
}
