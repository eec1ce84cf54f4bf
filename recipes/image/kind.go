package image

import (
	"context"
	"errors"
	"strings"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/image/dds"
	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/role"
	"github.com/assetcook/assetcook/internal/image/texture"
)

// A decision is what a subject turns out to be, and how it is stored.
type decision struct {
	role role.Role
	// kind is how numbers are treated: "color", "normal", "mask" (one channel) or "data".
	kind string
	// srgb says that colors are on the sRGB curve; false for other kinds.
	srgb   bool
	choice texture.Choice
}

// judge finds out what the pictures are.
func (s *subject) judge(ctx context.Context, job *recipe.Job) error {
	e := evidence{
		rule: s.o.Kind, name: s.o.name(), preset: s.o.Preset, float: s.pictures[0].Depth() == pixmap.Float,
		transparency: s.o.transparent(),
	}
	if e.looks() {
		c, err := s.content(ctx)
		if err != nil {
			return err
		}
		e.content = c
	}
	v := e.decide()
	s.role = v.role
	s.because("role %v: %s", v.role, v.reason)
	if v.conflict != "" {
		job.Warn("%s", v.conflict)
	}
	if err := s.treat(ctx); err != nil {
		return err
	}
	s.srgb = s.o.SRGB && s.kind == "color"
	if f, err := texture.ParseFormat(s.o.Format); err == nil && s.srgb && !f.HasSRGB() && !f.Float() {
		s.srgb = false
		s.because("numbers are stored as they are: %v has no sRGB form", f)
	}
	return nil
}

// content looks at all pictures, once: what is true of each of them.
func (s *subject) content(ctx context.Context) (pixmap.Content, error) {
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
		all.Colors = max(all.Colors, c.Colors)
		all.Gray, all.Red = min(all.Gray, c.Gray), min(all.Red, c.Red)
		all.Unit, all.Near, all.Tilt = min(all.Unit, c.Unit), min(all.Near, c.Near), max(all.Tilt, c.Tilt)
	}
	s.looked = &all
	return all, nil
}

// choose decides on the format, and on the header of a dds file.
func (s *subject) choose(ctx context.Context, _ *recipe.Job) error {
	if err := s.chooseFormat(ctx); err != nil || s.o.Container != "dds" {
		return err
	}
	if s.choice.Swizzle != "" {
		s.because("a dds file cannot say so: shaders find %q in red, green, blue and alpha", s.choice.Swizzle)
	}
	t := s.description()
	switch header, err := s.o.ddsHeader().Resolve(t); {
	case err != nil:
		return err
	case header == dds.Legacy && (t.SRGB || t.Premultiplied):
		s.because("legacy dds header, as the options say: the engine must know that colors are sRGB or premultiplied")
	case header == dds.Legacy:
		s.because("legacy dds header, which older engines read")
	case s.o.DDSHeader == "auto" && (t.SRGB || t.Premultiplied):
		s.because(`DX10 dds header: a legacy one cannot say that colors are sRGB or premultiplied (dds_header = "legacy" writes it all the same)`)
	default:
		s.because("DX10 dds header")
	}
	return nil
}

func (s *subject) chooseFormat(ctx context.Context) error {
	explicit, err := texture.ParseFormat(s.o.Format)
	if s.o.Kind == "mask" && s.kind != "mask" {
		return errors.New(`kind = "mask", but more than one channel carries something; say which one is the mask with r, and g = "0", b = "0", a = "1"`)
	}
	if err == nil && s.kind != "mask" {
		s.choice.Format = explicit
		s.because("format %v: as the options say", explicit)
		return nil
	}
	c, err := s.content(ctx)
	if err != nil {
		return err
	}
	if explicit == 0 && s.keepsExact() {
		return nil
	}
	first := s.pictures[0]
	facts := texture.Facts{
		W: first.W, H: first.H, Float: first.Depth() == pixmap.Float, SRGB: s.srgb,
		Opaque: c.Opaque, Normal: s.kind == "normal" && c.Opaque, One: c.One, Colors: c.Colors,
	}
	if s.kind == "data" || s.o.Premultiply {
		facts.One = "" // shaders look for data where it was; colors become another
	}
	if one := c.One; s.kind == "color" && len(one) == 4 && strings.ContainsAny(one[3:], "rgb") {
		facts.One = "" // levels weigh colors by alpha, which then differs from them
	}
	if s.bySize() {
		facts.One, facts.Colors = "", 0 // what differs between frames does not count
	}
	s.choice = texture.Choose(facts)
	if explicit != 0 {
		s.choice = oneChannel(c.One, explicit)
	}
	s.because("format %s", s.choice.Reason)
	if s.kind == "normal" && !c.Opaque {
		s.because("alpha carries something, which bc5 would drop")
	}
	return nil
}

// oneChannel stores a mask, written as pixmap.Content.One has it, in format f.
func oneChannel(one string, f texture.Format) texture.Choice {
	c := texture.Choice{Format: f, Reason: f.String() + ": as the options say"}
	i := strings.IndexAny(one, "rgba")
	if f.Channels() != "r" {
		return c
	}
	if i < 0 { // a single value throughout
		c.Swizzle = one
		return c
	}
	c.From, c.Swizzle = one[i], strings.ReplaceAll(one, one[i:i+1], "r")
	c.Reason += ", of the only channel that carries something"
	return c
}
