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

// smallerLevels reports whether the options want smaller levels for images of a role.
func (o *Image) smallerLevels(r role.Role) bool {
	switch {
	case o.Mips != "auto":
		return o.Mips == "true"
	case o.Coverage > 0: // levels keep the alpha test
		return true
	case isFlatPreset(o.Preset):
		return false
	}
	return r.Treatment().Mips
}

// keepsExact chooses a lossless format for images that need one, and reports whether it did.
func (s *subject) keepsExact() bool {
	first := s.pictures[0]
	pixels, depth := first.W*first.H, first.Depth()
	switch {
	case s.role == role.LUT && depth != pixmap.Bits8:
		s.choice = texture.Choice{Format: texture.RGBA16F, Reason: "rgba16f: a table of more than 8 bits"}
	case depth == pixmap.Float:
		return false
	case s.role == role.LUT:
		s.choice = texture.Choice{Format: texture.RGBA8, Reason: "rgba8: a table is stored as it is"}
	case s.o.Preset == "pixel":
		s.choice = texture.Choice{Format: texture.RGBA8, Reason: `rgba8: preset = "pixel"`}
	case s.bySize() && pixels <= s.largestExact():
		s.choice = texture.Choice{Format: texture.RGBA8, Reason: fmt.Sprintf("rgba8: %d x %d pixels are stored as they are", first.W, first.H)}
	default:
		return false
	}
	s.addReason("format %s", s.choice.Reason)
	return true
}

// bySize reports whether only the size decides on the format of colors. Then all frames of an
// animation with equal sizes have the same format.
func (s *subject) bySize() bool { return s.kind == "color" && s.largestExact() > 0 }

// largestPlain is the largest number of pixels for which texture.Choose takes rgba8.
const largestPlain = 512 * 512

// largestFrame is the largest number of pixels of a numbered image that is stored without loss:
// 64 KiB.
const largestFrame = 128 * 128

// largestExact returns the largest number of pixels of such an image that is stored without
// loss, 0 for other images.
func (s *subject) largestExact() int {
	switch {
	case s.role.Treatment().Exact || s.o.Preset == "2d":
		return largestPlain
	case s.role == role.Color && s.o.Kind == "auto" && s.o.Preset == "auto" && s.o.pathName() == role.Numbered:
		return largestFrame
	}
	return 0
}

// A decision is the role of a subject and the way it is stored.
type decision struct {
	role role.Role
	told string // the evidence that decided the role
	// kind is the treatment of numbers: "color", "normal", "mask" (one channel) or "data".
	kind string
	// srgb is true if colors are on the sRGB curve; false for other kinds.
	srgb   bool
	choice texture.Choice
	opaque bool // checked for UASTC only
}

// decideRole decides the role of the images.
func (s *subject) decideRole(ctx context.Context, job *recipe.Job) error {
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
		s.addReason("%s, which is no slot that cook knows", s.used.strange)
		if e.needsContent() {
			job.Warn("%s, which is no slot that cook knows: taken for %s, as %s; set kind in a rule", s.used.strange, v.role, v.reason)
		}
	}
	if err := s.applyTreatment(ctx); err != nil {
		return err
	}
	if option := s.o.lighting(); option != "" && s.kind != "color" {
		return fmt.Errorf(`%s, but the role is %v: %s; set kind = "environment" if it holds light`, option, v.role, v.reason)
	}
	s.srgb = s.o.SRGB && s.kind == "color"
	if s.kind == "color" && s.alphaIsNumber() {
		s.explainNumber()
	}
	if f, err := texture.ParseFormat(s.o.Format); err == nil && s.srgb && !f.HasSRGB() && !f.Float() {
		s.srgb = false
		s.addReason("numbers are stored as they are: %v has no sRGB form", f)
	}
	return nil
}

// explainNumber adds the reason why mipmaps of colors are not weighted by alpha.
func (s *subject) explainNumber() {
	why := s.used.numberBy
	switch {
	case s.o.Alpha == "data":
		why = `alpha = "data"`
	case why == "":
		why = "materials say so"
	}
	s.addReason("alpha is not transparency, so colors are not weighted by it: %s", why)
}

// evidence collects the facts about the images.
func (s *subject) evidence(ctx context.Context) (evidence, error) {
	e := evidence{
		rule: s.o.Kind, used: s.used, name: s.o.pathName(), preset: s.o.Preset, float: s.pictures[0].Depth() == pixmap.Float,
		transparency: s.o.transparent(),
	}
	if e.used.role != role.Unknown {
		e.rule = "auto" // the materials set this option
	}
	if !e.needsContent() {
		return e, nil
	}
	c, err := s.analyzePictures(ctx)
	e.content = c
	return e, err
}

// applyTreatment sets how numbers of the role are treated, and converts them accordingly.
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

// flipGreen flips green of a normal map to the direction of the options, if the name of the file tells
// that it is different.
func (s *subject) flipGreen(ctx context.Context) error {
	points := map[role.Name]string{role.OpenGL: "opengl", role.DirectX: "directx"}[s.o.pathName()]
	switch {
	case points == "" || points == s.o.Normals:
		return nil
	case s.o.Normals == "keep":
		if points == "directx" {
			s.addReason(`green points down, as its name says (normals = "opengl" turns it up)`)
		}
		return nil
	}
	s.addReason("green is inverted: its name says %s, normals = %q", points, s.o.Normals)
	for _, m := range s.pictures {
		if err := pixmap.Invert(ctx, m, 'g'); err != nil {
			return err
		}
	}
	return nil
}

// aboutAll is the share of gray pixels that makes a mask, and mostlyRed the share of red pixels.
// JPEG stores color coarsely, so gray has a tint and red bleeds at its edges.
const (
	aboutAll  = 0.98
	mostlyRed = 0.95
)

// singleChannel sets the kind of an image that should have one channel. It removes differences between
// channels that are within the noise of JPEG.
func (s *subject) singleChannel(ctx context.Context) error {
	s.kind = "mask"
	c, err := s.analyzePictures(ctx)
	if err != nil || c.One != "" {
		return err
	}
	flatten := pixmap.Gray
	switch {
	case c.Opaque && c.Gray >= aboutAll:
		s.addReason("luma is taken: channels differ by the noise of JPEG only")
	case c.Opaque && c.Red >= mostlyRed:
		s.addReason("red is taken: green and blue hold the noise of JPEG only")
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

// analyzePictures analyzes all images, once, and returns the facts that hold for each of them.
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
		all.Gray, all.Red = min(all.Gray, c.Gray), min(all.Red, c.Red)
		all.Unit, all.Near, all.Tilt = min(all.Unit, c.Unit), min(all.Near, c.Near), max(all.Tilt, c.Tilt)
	}
	s.looked = &all
	return all, nil
}
