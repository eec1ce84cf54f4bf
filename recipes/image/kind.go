package image

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/image/dds"
	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/texture"
)

// A decision is what a subject turns out to be, and how it is stored.
type decision struct {
	kind string // "color", "normal", "mask" or "data"
	// srgb says that colors are on the sRGB curve; false for other kinds.
	srgb   bool
	choice texture.Choice
}

// What makes a picture a normal map. The bounds lie between the 70 that a game of
// 2,750 pictures has and all that are none: flags and skies, which come nearest,
// reach 0.976 unit vectors but lean by more than 0.5; and of pictures that are
// called "_n", as things in the north are, those have at most 0.31 vectors that are
// nearly of length 1, while normal maps that were scaled, packed as JPEG or painted
// over still have 0.76, and lean by up to 0.25.
const (
	// surelyNormal is the share of unit vectors that makes one of a picture which
	// nobody has called so, if it leans by surelyTilt at most, its z is not always
	// the same, and it has more colors than normalColors: a plain light blue is
	// all unit vectors by chance.
	surelyNormal = 0.95
	surelyTilt   = 0.1
	normalColors = texture.MaxColors
	// maybeNormal is the share of pixels near unit vectors, and maybeTilt the tilt,
	// with which a picture may be what its name says.
	maybeNormal = 0.5
	maybeTilt   = 0.3
)

// judge finds out what the pictures are.
func (s *subject) judge(ctx context.Context, job *recipe.Job) error {
	s.kind = s.o.Kind
	if s.kind == "auto" || s.kind == "normal" {
		c, err := s.content(ctx)
		if err != nil {
			return err
		}
		if s.kind = s.kindOf(c); s.use != nil && s.o.Kind == "normal" {
			s.kind = s.normalByUse(job, c)
		}
	}
	s.srgb = s.o.SRGB && s.kind == "color"
	if f, err := texture.ParseFormat(s.o.Format); err == nil && s.srgb && !f.HasSRGB() && !f.Float() {
		s.srgb = false
		s.because("numbers are stored as they are: %v has no sRGB form", f)
	}
	return nil
}

// kindOf returns what a picture of some content is.
func (s *subject) kindOf(c pixmap.Content) string {
	share := fmt.Sprintf("%.4g %% of its pixels are unit vectors, %.4g %% nearly so, and it leans by %.2f", 100*c.Unit, 100*c.Near, c.Tilt)
	float := s.pictures[0].Depth() == pixmap.Float
	switch {
	case s.o.Kind == "auto" && (s.o.Premultiply || s.o.Coverage > 0 || s.o.WeighAlpha):
		return "color" // the options say that alpha is transparency
	case s.o.Kind == "auto" && !float && !c.Blue && c.Unit >= surelyNormal && c.Tilt <= surelyTilt && c.Colors > normalColors:
		s.because("kind normal: %s (kind = \"color\" makes it colors)", share)
		return "normal"
	case s.o.Kind == "auto":
		return "color"
	case c.Near >= maybeNormal && c.Tilt <= maybeTilt:
		s.because("kind normal: it is called one, and %s", share)
		return "normal"
	case c.Blue && c.One == "" && c.Tilt <= maybeTilt: // a flame leans: it is red
		s.because("kind normal: it is called one, and has two channels")
		return "normal"
	}
	s.because("kind color: it is called a normal map, but %s (kind = \"data\" stores numbers as they are)", share)
	return "color"
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
	if err == nil && s.kind != "mask" {
		s.choice.Format = explicit
		s.because("format %v: as the options say", explicit)
		return nil
	}
	c, err := s.content(ctx)
	if err != nil {
		return err
	}
	if s.kind == "mask" && c.One == "" {
		return errors.New(`kind = "mask", but more than one channel carries something; say which one is the mask with r, and g = "0", b = "0", a = "1"`)
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
