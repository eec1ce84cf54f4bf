package image

import (
	"context"
	"fmt"

	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/role"
	"github.com/assetcook/assetcook/internal/image/texture"
)

// treat sets how numbers of the role are treated, and makes them what it says they are.
func (s *subject) treat(ctx context.Context) error {
	switch t := s.role.Treatment(); {
	case t.Colors:
		s.kind = "color"
	case s.role == role.Normal:
		s.kind = "normal"
		return s.turn(ctx)
	case t.Single:
		return s.single(ctx)
	default:
		s.kind = "data"
	}
	return nil
}

// turn makes green of a normal map point where the options want it, if its name says that
// it does not.
func (s *subject) turn(ctx context.Context) error {
	points := map[role.Name]string{role.OpenGL: "opengl", role.DirectX: "directx"}[s.o.name()]
	switch {
	case points == "" || points == s.o.Normals:
		return nil
	case s.o.Normals == "keep":
		if points == "directx" {
			s.because(`green points down, as its name says (normals = "opengl" turns it up)`)
		}
		return nil
	}
	s.because("green is inverted: its name says %s, normals = %q", points, s.o.Normals)
	for _, m := range s.pictures {
		if err := pixmap.Invert(ctx, m, 'g'); err != nil {
			return err
		}
	}
	return nil
}

// aboutAll is the share of pixels that must be gray, or red, in a mask. JPEG stores color
// coarsely, so that gray has a tint and red bleeds at its edges.
const (
	aboutAll  = 0.98
	mostlyRed = 0.95
)

// single sets the kind of a picture that ought to carry one channel. What differs between
// channels by no more than the noise of JPEG is made equal.
func (s *subject) single(ctx context.Context) error {
	s.kind = "mask"
	c, err := s.content(ctx)
	if err != nil || c.One != "" {
		return err
	}
	flatten := pixmap.Gray
	switch {
	case c.Opaque && c.Gray >= aboutAll:
		s.because("luma is taken: channels differ by the noise of JPEG only")
	case c.Opaque && c.Red >= mostlyRed:
		s.because("red is taken: green and blue hold the noise of JPEG only")
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

// largestFrame is how many pixels a picture with a number in its name has at most that is
// stored as it is: 64 KiB.
const largestFrame = 128 * 128

// keepsExact chooses a format without loss for what should have none, and reports whether
// it did.
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
	s.because("format %s", s.choice.Reason)
	return true
}

// bySize reports whether size alone decides on the format of colors, so that all frames of
// an animation that are as large as each other have the same.
func (s *subject) bySize() bool { return s.kind == "color" && s.largestExact() > 0 }

// largestExact is how many pixels such a picture has at most that is stored as it is, 0 for
// others.
func (s *subject) largestExact() int {
	switch {
	case s.role.Treatment().Exact || s.o.Preset == "2d":
		return largestPlain
	case s.role == role.Color && s.o.Kind == "auto" && s.o.Preset == "auto" && s.o.name() == role.Numbered:
		return largestFrame
	}
	return 0
}
