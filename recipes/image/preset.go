package image

import (
	"fmt"

	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/role"
	"github.com/assetcook/assetcook/internal/image/texture"
)

// flat reports whether a preset is for a 2D game.
func flat(preset string) bool { return preset == "2d" || preset == "pixel" }

// smallerLevels reports whether the options want smaller levels for pictures of a role.
func (o *Image) smallerLevels(r role.Role) bool {
	switch {
	case o.Mips != "auto":
		return o.Mips == "true"
	case o.Coverage > 0: // levels keep the alpha test
		return true
	case flat(o.Preset):
		return false
	}
	return r.Treatment().Mips
}

// keepsExact chooses a lossless format for pictures that need one, and reports whether it did.
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

// bySize reports whether only the size decides on the format of colors. Then all frames of an
// animation with equal sizes have the same format.
func (s *subject) bySize() bool { return s.kind == "color" && s.largestExact() > 0 }

// largestPlain is the largest number of pixels for which texture.Choose takes rgba8.
const largestPlain = 512 * 512

// largestFrame is the largest number of pixels of a numbered picture that is stored without loss:
// 64 KiB.
const largestFrame = 128 * 128

// largestExact returns the largest number of pixels of such a picture that is stored without
// loss, 0 for other pictures.
func (s *subject) largestExact() int {
	switch {
	case s.role.Treatment().Exact || s.o.Preset == "2d":
		return largestPlain
	case s.role == role.Color && s.o.Kind == "auto" && s.o.Preset == "auto" && s.o.name() == role.Numbered:
		return largestFrame
	}
	return 0
}
