package image

import (
	"context"
	"fmt"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/role"
	"github.com/assetcook/assetcook/internal/image/texture"
)

// isFlatPreset reports whether a preset is for a 2D game.
func isFlatPreset(preset string) bool { return preset == "2d" || preset == "pixel" }

// smallerLevels reports whether images of the given role get smaller mipmap levels.
func (o *Image) smallerLevels(r role.Role) bool {
	switch {
	case o.makesSheet(): // smaller levels would mix frames
		return false
	case o.Mips != "auto":
		return o.Mips == "true"
	case o.Coverage > 0: // the levels preserve the coverage of the alpha test
		return true
	case isFlatPreset(o.Preset):
		return false
	}
	return r.Treatment().Mips
}

// keepsExact chooses a lossless format for images that need one, and reports whether it did. fine
// reports whether the values need more than 8 bits.
func (s *subject) keepsExact(fine bool) bool {
	first := s.pictures[0]
	pixels, depth := first.W*first.H, first.Depth()
	switch {
	case s.role == role.LUT && depth == pixmap.Float:
		s.choice = texture.Choice{Format: texture.RGBA16F, Reason: "rgba16f: the table has floats"}
	case s.role == role.LUT && fine:
		f := s.o.gpu().Instead(texture.RGBA16, false)
		s.choice = texture.Choice{Format: f, Reason: f.String() + ": the table has more than 8 bits"}
	case depth == pixmap.Float:
		return false
	case s.o.Cube != "none" && s.o.GPU == "web": // KTX2Loader can read faces only as UASTC
		return false
	case s.role == role.LUT:
		s.choice = texture.Choice{Format: texture.RGBA8, Reason: "rgba8: tables are stored unchanged"}
	case s.o.Preset == "pixel":
		s.choice = texture.Choice{Format: texture.RGBA8, Reason: `rgba8: preset = "pixel"`}
	case s.bySize() && pixels <= s.largestExact():
		s.choice = texture.Choice{Format: texture.RGBA8, Reason: fmt.Sprintf("rgba8: an image of %d x %d pixels is stored uncompressed", first.W, first.H)}
	default:
		return false
	}
	s.addReason("format %s", s.choice.Reason)
	return true
}

// bySize reports whether the format of color images depends on their size alone. If so, all frames
// of an animation with equal sizes get the same format.
func (s *subject) bySize() bool { return s.kind == "color" && s.largestExact() > 0 }

// largestPlain is the largest number of pixels that texture.Choose stores as RGBA8.
const largestPlain = 512 * 512

// largestFrame is the largest number of pixels of a numbered image that is stored without loss:
// 64 KiB of RGBA8.
const largestFrame = 128 * 128

// largestExact returns the largest number of pixels that the subject may store without loss. It
// returns 0 if its role always allows lossy compression.
func (s *subject) largestExact() int {
	switch {
	case s.role.Treatment().Exact || s.o.Preset == "2d":
		return largestPlain
	case s.role == role.Color && s.o.Kind == "auto" && s.o.Preset == "auto" && s.o.pathName() == role.Numbered:
		return largestFrame
	}
	return 0
}

// A decision is the role of a subject and its storage.
type decision struct {
	role role.Role
	told string // the evidence for the role
	// kind is how values are treated: "color", "normal", "mask" (one channel) or "data".
	kind string
	// srgb is true if the colors are sRGB-encoded. It is false for other kinds.
	srgb   bool
	choice texture.Choice
	opaque bool // whether the images are opaque; set only for UASTC
}

// judgeRole determines the role of the images, and warns if the evidence contradicts itself.
func (s *subject) judgeRole(ctx context.Context, job *recipe.Job) error {
	e, err := s.evidence(ctx)
	if err != nil {
		return err
	}
	v := e.verdictOf()
	s.role, s.told = v.role, v.reason
	s.addReason("role %v: %s", v.role, v.reason)
	if v.conflict != "" {
		job.Warn("%s", v.conflict)
	}
	if s.used.strange != "" {
		s.addReason("%s, a material slot that cook does not know", s.used.strange)
		if e.needsContent() {
			job.Warn("%s, a material slot that cook does not know; treated as %s, because %s; set kind in a rule", s.used.strange, v.role, v.reason)
		}
	}
	return nil
}

// decideRole determines the role of the images. It also determines how their values are treated.
func (s *subject) decideRole(ctx context.Context, job *recipe.Job) error {
	if err := s.judgeRole(ctx, job); err != nil {
		return err
	}
	if err := s.applyTreatment(ctx); err != nil {
		return err
	}
	if option := s.o.lighting(); option != "" && s.kind != "color" {
		return fmt.Errorf(`%s, but the role is %v: %s; if the image holds light, set kind = "environment"`, option, s.role, s.told)
	}
	s.srgb = s.o.SRGB && s.kind == "color"
	if s.kind == "color" && s.alphaIsNumber() {
		s.explainNumber()
	}
	if f, err := texture.ParseFormat(s.o.Format); err == nil && s.srgb && !f.HasSRGB() && !f.Float() {
		s.srgb = false
		s.addReason("values are stored unchanged, because %v has no sRGB form", f)
	}
	return nil
}

// explainNumber adds the reason why alpha is not treated as transparency, so that mipmaps do not
// weight colors by it.
func (s *subject) explainNumber() {
	why := s.used.numberBy
	switch {
	case s.o.Alpha == "data":
		why = `alpha = "data"`
	case why == "":
		why = "materials use alpha as data"
	}
	s.addReason("alpha is not transparency, so it does not weight colors: %s", why)
}

// evidence collects the evidence about the images' role.
func (s *subject) evidence(ctx context.Context) (evidence, error) {
	e := evidence{
		rule: s.o.Kind, used: s.used, name: s.o.pathName(), preset: s.o.Preset, float: s.pictures[0].Depth() == pixmap.Float,
		transparency: s.o.transparent(), beside: s.beside,
	}
	if e.used.role != role.Unknown {
		e.rule = "auto" // the option kind comes from materials, not from a rule
	}
	if !e.needsContent() {
		return e, nil
	}
	c, err := s.analyzePictures(ctx)
	e.content = c
	return e, err
}

// applyTreatment sets how values of the role are treated, and converts them accordingly.
func (s *subject) applyTreatment(ctx context.Context) error {
	switch t := s.role.Treatment(); {
	case t.Colors:
		s.kind = "color"
	case s.role == role.Normal:
		s.kind = "normal"
		return s.flipGreen(ctx)
	case t.Single:
		return s.singleChannel(ctx)
	default:
		s.kind = "data"
	}
	return nil
}

// flipGreen flips the green channel of a normal map if its file name states another direction than
// the options.
func (s *subject) flipGreen(ctx context.Context) error {
	points := map[role.Name]string{role.OpenGL: "opengl", role.DirectX: "directx"}[s.o.pathName()]
	switch {
	case points == "" || points == s.o.Normals:
		return nil
	case s.o.Normals == "keep":
		if points == "directx" {
			s.addReason(`green points down, as the file name says (normals = "opengl" makes it point up)`)
		}
		return nil
	}
	s.addReason("green is inverted, because the file name says %s, but normals = %q", points, s.o.Normals)
	for _, m := range s.pictures {
		if err := pixmap.Invert(ctx, m, 'g'); err != nil {
			return err
		}
	}
	return nil
}

// aboutAll is the least share of gray pixels for storing luma as the only channel. mostlyRed is the
// least share of red pixels for storing red as the only channel. JPEG stores color coarsely, so
// gray pixels get a tint and red bleeds at edges.
const (
	aboutAll  = 0.98
	mostlyRed = 0.95
)

// singleChannel sets the kind of an image that should have one channel. It removes differences
// between channels that JPEG may have caused.
func (s *subject) singleChannel(ctx context.Context) error {
	s.kind = "mask"
	c, err := s.analyzePictures(ctx)
	if err != nil || c.One != "" {
		return err
	}
	flatten := pixmap.Gray
	switch {
	case c.Opaque && c.Gray >= aboutAll:
		s.addReason("only brightness is stored, because the channels differ only by JPEG noise")
	case c.Opaque && c.Red >= mostlyRed:
		s.addReason("only red is stored, because green and blue have only JPEG noise")
		flatten = func(ctx context.Context, m *pixmap.Map) error { return pixmap.Isolate(ctx, m, 'r') }
	default:
		s.kind = "data"
		return nil
	}
	for _, m := range s.pictures {
		if err := flatten(ctx, m); err != nil {
			return err
		}
	}
	s.looked = nil
	return nil
}

// analyzePictures analyzes all images once, and returns the facts that hold for all of them.
func (s *subject) analyzePictures(ctx context.Context) (pixmap.Content, error) {
	if s.looked != nil {
		return *s.looked, nil
	}
	var all pixmap.Content
	for i, m := range s.pictures {
		c, err := pixmap.Analyse(ctx, m, texture.MaxColors)
		if err != nil {
			return pixmap.Content{}, err
		}
		if i == 0 {
			all = c
			continue
		}
		if c.One != all.One {
			all.One = ""
		}
		all.Opaque, all.Blue = all.Opaque && c.Opaque, all.Blue && c.Blue
		all.Apart = all.Apart && c.Apart
		all.Colors = max(all.Colors, c.Colors)
		all.Gray, all.Red, all.Flat = min(all.Gray, c.Gray), min(all.Red, c.Red), min(all.Flat, c.Flat)
		all.Sphere = min(all.Sphere, c.Sphere)
		all.Unit, all.Near, all.Tilt = min(all.Unit, c.Unit), min(all.Near, c.Near), max(all.Tilt, c.Tilt)
	}
	s.looked = &all
	return all, nil
}
