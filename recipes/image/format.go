package image

import (
	"context"
	"errors"
	"strings"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/image/dds"
	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/texenc"
	"github.com/assetcook/assetcook/internal/image/texture"
)

// chooseStorage chooses the texture format. For a DDS file it also chooses the header.
func (s *subject) chooseStorage(ctx context.Context, job *recipe.Job) error {
	err := s.chooseFormat(ctx)
	if err == nil {
		err = s.reportLoss(ctx, job, s.choice.Format)
	}
	switch {
	case err != nil:
		return err
	case s.choice.Format == texture.UASTC:
		return s.describeUASTC(ctx)
	case s.o.Container != "dds":
		return nil
	}
	if s.choice.Swizzle != "" {
		s.addReason("a dds file cannot record the swizzle: shaders read %q from red, green, blue and alpha", s.choice.Swizzle)
	}
	t := s.describeTexture()
	switch header, err := s.o.ddsHeader().Resolve(t); {
	case err != nil:
		return err
	case header == dds.Legacy && (t.SRGB || t.Premultiplied):
		s.addReason("legacy dds header (dds_header): the engine must be told that colors are sRGB or premultiplied")
	case header == dds.Legacy:
		s.addReason("legacy dds header, which older engines read")
	case s.o.DDSHeader == "auto" && (t.SRGB || t.Premultiplied):
		s.addReason(`DX10 dds header, because a legacy header cannot record that colors are sRGB or premultiplied (dds_header = "legacy" writes one anyway)`)
	default:
		s.addReason("DX10 dds header")
	}
	return nil
}

// checkMask refuses images that are declared masks but have several channels in use.
func (s *subject) checkMask() error {
	if s.o.Kind == "mask" && s.kind != "mask" {
		return errors.New(`kind = "mask", but more than one channel is in use; choose the channel with r, and set g = "0", b = "0", a = "1"`)
	}
	return nil
}

func (s *subject) chooseFormat(ctx context.Context) error {
	explicit, err := texture.ParseFormat(s.o.Format)
	if err := s.checkMask(); err != nil {
		return err
	}
	if err == nil && s.kind != "mask" {
		s.choice.Format = explicit
		s.addReason("format %v: the options determine it", explicit)
		return s.spreadNormals(ctx)
	}
	c, err := s.analyzePictures(ctx)
	if err != nil {
		return err
	}
	if explicit == 0 && (s.keepsExact(c.Fine) || s.keepsNumbers(c)) {
		return nil
	}
	first := s.pictures[0]
	facts := texture.Facts{
		GPU: s.o.gpu(), W: first.W, H: first.H, Float: first.Depth() == pixmap.Float, SRGB: s.srgb,
		Opaque: c.Opaque, Normal: s.kind == "normal" && c.Opaque, One: c.One, Colors: c.Colors,
	}
	if s.kind == "data" || s.o.Premultiply {
		facts.One = "" // shaders read data from a fixed channel, so the data must not move to another channel
	}
	if one := c.One; s.kind == "color" && len(one) == 4 && strings.ContainsAny(one[3:], "rgb") {
		facts.One = "" // smaller levels weight colors by alpha, so their channels will differ
	}
	if s.bySize() {
		facts.One, facts.Colors = "", 0 // differences between frames must not change the format
	}
	s.choice = texture.Choose(facts)
	if explicit != 0 {
		s.choice = oneChannel(c.One, explicit)
	}
	s.addReason("format %s", s.choice.Reason)
	if s.kind == "normal" && !c.Opaque {
		s.addReason("alpha is in use, and formats with two channels would lose it")
	}
	return nil
}

// spreadNormals stores x and y of a normal map in ASTC as gray and alpha, like astcenc -normal. It
// does nothing if options or a used alpha channel forbid that.
func (s *subject) spreadNormals(ctx context.Context) error {
	if s.kind != "normal" || !s.choice.Format.IsASTC() || s.o.NormalZ {
		return nil
	}
	c, err := s.analyzePictures(ctx)
	if err != nil || !c.Opaque {
		return err
	}
	s.choice.XXXY, s.choice.Swizzle = true, "ra01"
	s.addReason("x is stored in red, green and blue, y in alpha, and a shader computes z (normal_z = true keeps all three)")
	return nil
}

// gpu returns the GPU that the options name.
func (o *Image) gpu() texture.GPU {
	switch o.GPU {
	case "mobile":
		return texture.Mobile
	case "web":
		return texture.Web
	}
	return texture.Desktop
}

// describeUASTC records whether the images are opaque, because UASTC files state it.
func (s *subject) describeUASTC(ctx context.Context) error {
	c, err := s.analyzePictures(ctx)
	if err != nil {
		return err
	}
	s.opaque = c.Opaque
	return nil
}

// oneChannel returns the storage of a mask in format f. The argument one has the form of
// pixmap.Content.One.
func oneChannel(one string, f texture.Format) texture.Choice {
	c := texture.Choice{Format: f, Reason: f.String() + ": the options determine it"}
	i := strings.IndexAny(one, "rgba")
	if f.Channels() != "r" {
		return c
	}
	if i < 0 { // all pixels have the same value
		c.Swizzle = one
		return c
	}
	c.From, c.Swizzle = one[i], strings.ReplaceAll(one, one[i:i+1], "r")
	c.Reason += ", stores the only channel in use"
	return c
}

// encoding returns the encoder options.
func (s *subject) encoding() texenc.Options {
	o := texenc.Options{Quality: s.o.quality(), SRGB: s.srgb, XXXY: s.choice.XXXY}
	if weighsAlpha(s.choice.Format) {
		o.WeighAlpha = s.o.WeighAlpha && s.kind == "color"
	}
	if texenc.HasRDO(s.choice.Format) {
		o.RDO = s.o.RDO
	}
	return o
}

func (o *Image) quality() texenc.Quality {
	switch o.Quality {
	case "fast":
		return texenc.Fast
	case "best":
		return texenc.Best
	}
	return texenc.Normal
}

// rowsAtOnce returns how many rows of the first level are encoded at once. If pixels must first be
// converted to bytes, the result is a band of rows, enough for several pieces. Otherwise it is all
// rows.
func (o *Image) rowsAtOnce(f texture.Format, w, h int, d pixmap.Depth) int {
	if !texenc.TakesBytes(f) || d == pixmap.Bits8 || o.wholeLevels() {
		return h
	}
	return min(h, 16*pixmap.BandRows(w, d, blockRows(f)))
}

// blockRows returns the height of a block in rows, at least 4. The height of a band is a
// multiple of it.
func blockRows(f texture.Format) int {
	_, high, _ := f.Block()
	return max(4, high)
}

// wholeLevels reports whether a level must be encoded as a whole, because rate-distortion
// optimization distributes the loss over the entire level.
func (o *Image) wholeLevels() bool { return o.RDO > 0 }
