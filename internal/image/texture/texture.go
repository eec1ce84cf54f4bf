// Package texture describes textures: texel blocks that a graphics processor reads
// directly. It knows the formats, the contents of a texture, and the format that suits a
// picture.
//
// Package texenc encodes pixels into these formats. Packages ktx2 and dds write and read a
// Texture as a file.
package texture

import (
	"errors"
	"fmt"
	"math/bits"
)

// A Texture is one picture, six that make a cube, or an array of either, each
// with its smaller copies; or the slices of a volume, without.
type Texture struct {
	Format Format
	// SRGB says that colors are stored on the sRGB curve. Only formats whose
	// HasSRGB is true may set it.
	SRGB bool
	// Premultiplied says that colors are multiplied by alpha already.
	Premultiplied bool
	// Opaque says that alpha is 1 everywhere, so that UASTC may be transcoded to
	// formats without it. Files of other formats do not say so.
	Opaque bool
	// Swizzle says where a shader should find red, green, blue and alpha: four of
	// "rgba01", such as "rrr1" for a gray stored as one channel. Empty is
	// "rgba". KTX2 carries it, DDS cannot.
	Swizzle string
	// W and H are the size of level 0 in pixels. The faces of a cube are square.
	W, H int
	// Layers is how many pictures, or cubes, an array has, which may be 1; it is
	// 0 for a texture that is no array.
	Layers int
	// Cube says that each layer has six faces, in the order +X -X +Y -Y +Z -Z.
	Cube bool
	// Depth is the number of slices of a volume, a 3D texture; 0 for others. Volumes have
	// plain texels and one level.
	Depth int
	// Levels holds the texel blocks in rows from the top, level 0 first. Level i is
	// of LevelSize(W, H, i) pixels, and holds the faces of layer 0, of layer 1
	// and so on, one after another without a gap.
	Levels [][]byte
}

// Faces returns 6 for a cube and else 1.
func (t *Texture) Faces() int {
	if t.Cube {
		return 6
	}
	return 1
}

// Pictures returns how many pictures a level holds: layers times faces, or slices.
func (t *Texture) Pictures() int { return max(1, t.Layers, t.Depth) * t.Faces() }

// MaxSide, MaxLayers and MaxDepth bound a texture. They are beyond the limits of graphics
// processors (32768 and 2048) and keep sums within 64 bits.
const (
	MaxSide   = 1 << 20
	MaxLayers = 1 << 16
	MaxDepth  = 1 << 14
)

// Check says what keeps t from being a texture that a file can hold.
func (t *Texture) Check() error {
	if !t.Format.known() {
		return fmt.Errorf("format %d is not known", t.Format)
	}
	if t.SRGB && !t.Format.HasSRGB() {
		return fmt.Errorf("%v has no sRGB form", t.Format)
	}
	if t.W < 1 || t.H < 1 || t.W > MaxSide || t.H > MaxSide {
		return fmt.Errorf("size %d x %d is not within 1 to %d", t.W, t.H, MaxSide)
	}
	if t.Layers < 0 || t.Layers > MaxLayers {
		return fmt.Errorf("%d layers are not within 0 to %d", t.Layers, MaxLayers)
	}
	if t.Cube && t.W != t.H {
		return fmt.Errorf("the faces of a cube must be square, not %d x %d", t.W, t.H)
	}
	if err := t.checkVolume(); err != nil {
		return err
	}
	if err := CheckSwizzle(t.Swizzle); err != nil {
		return err
	}
	if n := len(t.Levels); n < 1 || n > MaxLevels(t.W, t.H) {
		return fmt.Errorf("%d levels for %d x %d pixels", n, t.W, t.H)
	}
	for i, data := range t.Levels {
		w, h := LevelSize(t.W, t.H, i)
		want := int64(t.Pictures()) * t.Format.Bytes(w, h)
		if int64(len(data)) != want {
			return fmt.Errorf("level %d holds %d bytes, %d of %d x %d pixels need %d", i, len(data), t.Pictures(), w, h, want)
		}
	}
	return nil
}

// checkVolume returns an error if t is an invalid volume.
func (t *Texture) checkVolume() error {
	if t.Depth == 0 {
		return nil
	}
	side, _ := t.Format.Block()
	switch {
	case t.Depth < 0 || t.Depth > MaxDepth:
		return fmt.Errorf("%d slices are not within 0 to %d", t.Depth, MaxDepth)
	case t.Cube || t.Layers > 0:
		return errors.New("a volume is neither a cube nor an array")
	case side > 1:
		return fmt.Errorf("a volume of %v: it must be of plain texels", t.Format)
	case len(t.Levels) > 1:
		return fmt.Errorf("a volume with %d levels: it has one", len(t.Levels))
	}
	return nil
}

// CheckSwizzle says what keeps s from being a Texture's Swizzle.
func CheckSwizzle(s string) error {
	if s == "" {
		return nil
	}
	if len(s) != 4 {
		return errors.New(`a swizzle has four letters, such as "rrr1"`)
	}
	for _, c := range s {
		switch c {
		case 'r', 'g', 'b', 'a', '0', '1':
		default:
			return fmt.Errorf(`swizzle %q has %q, which is none of "rgba01"`, s, c)
		}
	}
	return nil
}

// LevelSize returns the size of a level in pixels.
func LevelSize(w, h, level int) (int, int) { return max(1, w>>level), max(1, h>>level) }

// MaxLevels returns how many levels a full chain down to 1x1 has.
func MaxLevels(w, h int) int { return bits.Len(uint(max(w, h))) }
