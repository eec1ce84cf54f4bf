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
	"github.com/assetcook/assetcook/internal/image/source"
	"github.com/assetcook/assetcook/internal/image/webp"
	"github.com/assetcook/assetcook/internal/pathname"
)

// Formats png and webp make ordinary image files, one per scale.

// writesPictures reports whether the options want images, not textures.
func (o *Image) writesPictures() bool {
	return o.Format == "png" || o.Format == "webp" || o.isPlain()
}

// pictureOutputs returns the names of the output images: the source's name, with the scale if
// there are several.
func (o *Image) pictureOutputs() []string {
	ext := "." + o.Format
	if o.isPlain() {
		ext = o.plainExtension()
	}
	if o.makesSheet() {
		return []string{"{stem}" + ext, "{stem}.json"}
	}
	if len(o.Scales) == 0 {
		return []string{"{stem}" + ext}
	}
	var names []string
	for _, scale := range o.Scales {
		names = append(names, "{base}"+scaleSuffix(scale)+ext)
	}
	return names
}

// scaleSuffix returns a scale as it appears in file names, such as "@2x", or "" for 1.
func scaleSuffix(scale float64) string {
	if scale == 1 {
		return ""
	}
	return "@" + strconv.FormatFloat(scale, 'f', -1, 64) + "x"
}

// usesPath reports whether Cook depends on the path. The source's name may contain its scale, and
// the names of a sheet's frames derive from it.
func (o *Image) usesPath() bool { return len(o.Scales) > 0 || o.makesSheet() }

// checkPicture refuses options that image formats do not support.
func (o *Image) checkPicture() error {
	if o.WebPQuality > 0 && o.Format != "webp" {
		return &recipe.OptionError{Key: "webp_quality", Got: strconv.Itoa(o.WebPQuality), Want: fmt.Sprintf(`0 with format = %q; write format = "webp" to make lossy WebP`, o.Format)}
	}
	if !o.writesPictures() {
		return o.checkNoPicture()
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
			return &recipe.OptionError{Key: "scales", Got: fmt.Sprint(o.Scales), Want: "each scale only once"}
		}
	}
	return nil
}

// checkNoPicture refuses options of image formats for textures.
func (o *Image) checkNoPicture() error {
	if len(o.Scales) > 0 {
		return &recipe.OptionError{Key: "scales", Want: fmt.Sprintf(`none with format = %q, because only "png" and "webp" have scales`, o.Format)}
	}
	return nil
}

// keepsWebP reports whether the output is an unchanged WebP source.
func (o *Image) keepsWebP(info source.Info) bool {
	return o.Format == "webp" && info.Format == "WebP" && info.Orientation <= 1 && o.changesNoPixels()
}

// A variant is one of the output images.
type variant struct {
	scale float64 // 0 if no scales are set
	w, h  int
}

// planSizes determines the size of each output image.
func (s *subject) planSizes(ctx context.Context, job *recipe.Job) error {
	if err := s.checkMask(); err != nil {
		return err
	}
	m := s.pictures[0]
	if kept, err := s.keepWebP(job); kept || err != nil {
		return err
	}
	if s.o.isPlain() && len(s.o.Scales) == 0 && !s.o.makesSheet() && isLight(job.Ext()) {
		return s.keepLight(job)
	}
	format, why := s.o.Format, "the options determine it"
	if s.o.isPlain() {
		format, why = "png", "options change its pixels"
	}
	if m.Depth() == pixmap.Float {
		return s.o.noFloats(format)
	}
	s.addReason("format %s: %s", format, why)
	if s.o.Format == "webp" && m.Depth() == pixmap.Bits16 {
		s.addReason("16 bits per channel are reduced to 8, the most that WebP has")
		if err := s.reportWebPLoss(ctx, job); err != nil {
			return err
		}
	}
	if err := s.decideLoss(ctx); err != nil {
		return err
	}
	w, h := s.o.targetSize(m.W, m.H)
	if w != m.W || h != m.H {
		s.addReason("size %d x %d: scaled from %d x %d (fit = %d, pot = %q)", w, h, m.W, m.H, s.o.Fit, s.o.POT)
	}
	if len(s.o.Scales) == 0 {
		s.variants = []variant{{w: w, h: h}}
		return nil
	}
	return s.planScales(job, w, h)
}

// planScales determines the size of each scale of an image of w by h pixels.
func (s *subject) planScales(job *recipe.Job, w, h int) error {
	name := path.Base(job.Path())
	_, own := pathname.SplitScale(strings.TrimSuffix(name, path.Ext(name)))
	reason := "the file name contains this scale"
	if own == 0 {
		own, reason = slices.Max(s.o.Scales), "the largest value of scales"
	}
	s.addReason("drawn at @%gx: %s", own, reason)
	for _, scale := range s.o.Scales {
		if scale > own {
			return fmt.Errorf("the file name says scale @%gx, which is too small for scale %g; draw the image larger, or remove that scale from scales", own, scale)
		}
		v := variant{scale: scale, w: scaledSide(w, scale, own), h: scaledSide(h, scale, own)}
		s.variants = append(s.variants, v)
		s.addReason("@%gx: %d x %d pixels", scale, v.w, v.h)
	}
	return nil
}

// scaledSide returns the length of a side at another scale, at least one pixel.
func scaledSide(side int, scale, own float64) int {
	return max(1, int(math.Round(float64(side)*scale/own)))
}

// writePictures makes and writes all output images.
func (s *subject) writePictures(ctx context.Context, job *recipe.Job) error {
	if s.kept != nil {
		defer job.Step("copy")()
		return job.Write(0, s.kept)
	}
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
	err = s.encodePicture(ctx, out, m)
	if info, e := out.Stat(); e == nil && !s.lossy {
		s.reportGrowth(job, "lossless images", info.Size())
	} else if e == nil && lossyFormats[s.file.Format] && info.Size() > job.Size() {
		job.Note(noteLarger, s.file.Format)
	}
	return errors.Join(err, out.Close())
}

func (s *subject) encodePicture(ctx context.Context, w io.Writer, m *pixmap.Map) error {
	if s.o.Format == "webp" {
		m, err := pixmap.Convert(ctx, m, pixmap.Bits8, s.colorMeaning())
		if err != nil {
			return err
		}
		if s.lossy {
			return webp.EncodeLossy(ctx, w, m, s.lossOptions())
		}
		return webp.Encode(ctx, w, m, s.o.Quality == "best")
	}
	_, err := png.Encode(ctx, w, m, png.EffortOf(s.o.Quality))
	return err
}

// picturePeak returns the maximum number of bytes for making an image, including the source. The
// size is w by h pixels before resizing, and tw by th after it at the largest scale.
func (o *Image) picturePeak(d pixmap.Depth, l layout) int64 {
	encoding := png.Memory(l.tw, l.th, d)
	if o.Format == "webp" {
		encoding = o.webpMemory(l.tw, l.th) + bytesOf(l.tw, l.th, pixmap.Bits8)
	}
	resizing := pixmap.ResizeMemory(l.w, l.h, l.tw, l.th, d, o.mipFilter())
	// The source's name, which may contain a scale, is unknown here. So assume any scale.
	for _, part := range []int{2, 4, 8, 16, 32} {
		if len(o.Scales) > 0 {
			resizing = max(resizing, pixmap.ResizeMemory(l.w, l.h, (l.tw+part-1)/part, (l.th+part-1)/part, d, o.mipFilter()))
		}
	}
	return bytesOf(l.w, l.h, d) + bytesOf(l.tw, l.th, d) + max(resizing, encoding)
}
