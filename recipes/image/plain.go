package image

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/source"
)

// With gpu = "none", format auto makes a plain image instead of a texture, for programs that do not
// load textures. If the source is already a plain image, its bytes are kept.

// isPlain reports whether the options want a plain image.
func (o *Image) isPlain() bool { return o.Format == "auto" && o.GPU == "none" && !o.needsTexture() }

// needsTexture reports whether options are set that only textures have.
func (o *Image) needsTexture() bool {
	return o.Container != "ktx2" || o.DDSHeader != "auto" || o.Mips == "true" || o.Cube != "none" || len(o.Layers) > 0 ||
		o.Prefilter != "none" || o.Irradiance != "none" || o.NormalZ || o.Premultiply || o.Coverage > 0 || o.WeighAlpha || o.RDO > 0
}

// keepsPixels reports whether the output is a plain image with the pixels of the source. If so, the
// role only affects the manifest.
func (o *Image) keepsPixels() bool {
	return o.isPlain() && o.changesNoPixels()
}

// changesNoPixels reports whether no option changes the pixels of an image.
func (o *Image) changesNoPixels() bool {
	return !o.makesSheet() && o.Fit == 0 && (o.POT == "keep" || o.POT == "require") && len(o.Scales) == 0 &&
		o.R+o.G+o.B+o.A == "" && o.Flip == "none" && o.Normals == "keep"
}

// Extensions of files whose bytes are kept. PNG is first, because other files become PNG.
const (
	keptExtensions  = "png,jpg,jpeg," + lightExtensions
	lightExtensions = "hdr,exr" // files with these extensions hold light without an upper limit, which PNG cannot hold
)

// plainExtension returns the extension template of a plain image. JPEG files whose pixels change
// become PNG, because encoding them as JPEG again would lose more.
func (o *Image) plainExtension() string {
	switch {
	case o.keepsPixels():
		return "{ext:" + keptExtensions + "}"
	case len(o.Scales) > 0, o.makesSheet():
		return ".png"
	}
	return "{ext:png," + lightExtensions + "}"
}

// isLight reports whether files with an extension hold light without an upper limit (HDR).
func isLight(ext string) bool {
	return ext != "" && slices.Contains(strings.Split(lightExtensions, ","), ext[1:])
}

// noFloats returns the error for an image of floats in a format that holds integers.
func (o *Image) noFloats(format string) error {
	light := ""
	if o.isPlain() {
		light = " or as .hdr or .exr, which are kept unchanged"
	}
	return fmt.Errorf(`the image has floats, which %s cannot store; save it with 16 bits per channel%s, or write format = "rgba16f" in a rule to make a texture`, format, light)
}

// isKept reports whether the bytes of a file with an extension are kept if its pixels do not
// change.
func isKept(info source.Info, ext string) bool {
	switch info.Format {
	case "PNG", "JPEG": // programs look at the first bytes, because names often have the wrong extension
		return ext == ".png" || ext == ".jpg" || ext == ".jpeg"
	}
	return isLight(ext) && info.Fits(ext)
}

// loadPlain decodes a source whose pixels do not change. That also detects damage. It decides
// whether to keep the source's bytes.
func (s *subject) loadPlain(ctx context.Context, job *recipe.Job) error {
	var data []byte
	read := func() (_ []byte, err error) {
		data, err = job.Source()
		return data, err
	}
	m, info, err := s.readPicture(ctx, job, file{ext: job.Ext(), open: job.Open, read: read}, nil)
	if err != nil {
		return err
	}
	if _, err := s.o.layoutFor(m.W, m.H); err != nil {
		return err
	}
	s.pictures, s.variants = []*pixmap.Map{m}, []variant{{w: m.W, h: m.H}}
	if isKept(info, job.Ext()) {
		s.kept = data
		s.addReason("format %s: the source is copied unchanged", info.Format)
		if info.Orientation > 1 {
			job.Warn("the image has orientation %d in its Exif data, and only browsers rotate it; save the image rotated", info.Orientation)
		}
		return nil
	}
	for _, note := range info.Notes {
		s.addReason("%s", note)
	}
	switch ext := strings.TrimPrefix(job.Ext(), "."); {
	case ext != "png" && slices.Contains(strings.Split(keptExtensions, ","), ext):
		return fmt.Errorf("the file has format %s, but the extension %s; rename the file to the extension of its format", info.Format, job.Ext())
	case m.Depth() == pixmap.Float:
		return s.o.noFloats("png")
	}
	s.addReason("format png: %s becomes PNG", info.Format)
	return nil
}

// keepLight keeps the bytes of a source that PNG cannot hold, and warns that options have no
// effect.
func (s *subject) keepLight(job *recipe.Job) (err error) {
	s.addReason("the source is copied unchanged")
	job.Warn(`the source is copied, so options that change its pixels have no effect; set format = "rgba16f" in a rule to make a texture with high dynamic range`)
	s.kept, err = job.Source()
	return err
}
