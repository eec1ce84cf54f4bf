package texture

import (
	"fmt"
	"strings"
)

// A GPU is a class of hardware that reads the same texture formats.
type GPU uint8

// These are the values of GPU.
const (
	Desktop GPU = iota // reads BC1 to BC7
	Mobile             // reads ASTC, ETC2 and EAC
	Web                // uses a loader that transcodes UASTC and UASTC HDR
)

// Instead returns the format that g reads instead of a desktop format. On phones, colors take 3.6
// bits per pixel. Data such as normals takes 8 bits per pixel, because shaders compute with it. No
// compressed format for high dynamic range is supported by all phones. The same is true of 16-bit
// integers, and of 32-bit floats with filtering, also in browsers. Half-precision floats replace all
// of these.
func (g GPU) Instead(f Format, srgb bool) Format {
	switch {
	case g == Desktop:
	case g == Web && f == BC6H:
		return UASTCHDR
	case f == BC6H || f == RGBA16 || f == RG16:
		return RGBA16F
	case f == R16 || f == R32F:
		return R16F
	case g == Web && (f == BC4 || f == BC5 || f == BC7 || f == RGBA8):
		return UASTC // models for the web can refer to no other format
	case f == BC4:
		return EACR11
	case f == BC5:
		return EACRG11
	case f == BC7 && srgb:
		return ASTC6x6
	case f == BC7:
		return ASTC4x4
	}
	return f
}

// Facts are the properties of an image that determine its format.
type Facts struct {
	// GPU is the target hardware.
	GPU GPU
	// W and H are the size of level 0 in pixels.
	W, H int
	// Float is set if the image holds linear light without an upper bound.
	Float bool
	// SRGB is set if the image holds sRGB colors, not data.
	SRGB bool
	// Opaque is set if alpha is 1 everywhere.
	Opaque bool
	// Normal is set if the image is a normal map.
	Normal bool
	// One names the only channel with content: "rrr1" is an opaque gray image, "r001" a mask in
	// red, "111a" an alpha over white. One is empty if several channels have content.
	One string
	// Colors is the number of distinct pixel values. It may be any number above MaxColors if there
	// are more, and is 0 if they were not counted.
	Colors int
}

// Limits of textures that stay uncompressed.
const (
	// MaxColors is the limit for counting distinct pixel values. The palettes of pixel artists have
	// up to 64 colors. A photograph reduced to a palette has 256 colors, enough to hide the loss of
	// compression.
	MaxColors = 64
	// minColors is the smallest number of colors that visibly suffer from compression. A block with
	// only two colors stores them almost exactly as its endpoints.
	minColors = 3
	// maxPalettePixels limits the size of uncompressed pixel art to 1 MiB, four times its
	// compressed size. Larger images of few colors are diagrams and flat fills.
	maxPalettePixels = 512 * 512
	// tinyPixels is the number of pixels in 4 KiB, the smallest allocation of drivers for a
	// texture. A compressed texture would also take 4 KiB.
	tinyPixels = 4096 / 4
)

// A Choice is the format for an image, and the channel rearrangement that the format needs.
type Choice struct {
	Format Format
	// From is the channel of the image that must be moved to red before encoding: 'r', 'g', 'b' or
	// 'a'. It is 0 if channels stay where they are.
	From byte
	// XXXY is set if, before encoding, red must be copied to green and blue, and green to alpha.
	XXXY bool
	// Swizzle is the value for Texture.Swizzle.
	Swizzle string
	// Reason is a line for users, such as "bc7: colors, opaque".
	Reason string
}

// Choose returns the format for an image.
func Choose(f Facts) Choice {
	c := chooseBC(f)
	before := c.Format
	if c.Format = f.GPU.Instead(before, f.SRGB); c.Format == UASTC {
		c.From, c.Swizzle = 0, "" // the format stores all channels
		switch {
		case f.Normal:
			c.Reason = "normal map"
		case before == RGBA8:
			c.Reason = "chosen although the image has few pixels or colors, because models can name only this format"
		}
	}
	c.Reason = c.Format.String() + ": " + c.Reason
	return c
}

// chooseBC chooses among the desktop formats. Its reasons do not include the name of the format.
func chooseBC(f Facts) Choice {
	plain := func(format Format, reason string) Choice {
		return Choice{Format: format, Reason: reason}
	}
	pixels := int64(f.W) * int64(f.H)
	switch {
	case f.Float && !f.Opaque:
		return plain(RGBA16F, "high dynamic range with alpha, which no compressed format can store")
	case f.Float:
		return plain(BC6H, "high dynamic range")
	case pixels <= tinyPixels:
		return plain(RGBA8, fmt.Sprintf("tiny (%d x %d uncompressed pixels fit in 4 KiB)", f.W, f.H))
	case f.Normal:
		return plain(BC5, "normal map: x and y have their own channels, and a shader computes z")
	case f.Colors >= minColors && f.Colors <= MaxColors && pixels <= maxPalettePixels:
		return plain(RGBA8, fmt.Sprintf("pixel art of %d colors, which compression would blur", f.Colors))
	case f.One != "" && (!f.SRGB || plainAlpha(f.One)):
		return chooseOne(f.One)
	case f.One != "" && strings.HasPrefix(f.One, "rrr"):
		return plain(BC7, "gray in sRGB, which formats of one channel cannot store (srgb = false allows them)")
	case f.Opaque:
		return plain(BC7, "colors, opaque")
	}
	return plain(BC7, "colors with alpha")
}

// plainAlpha reports whether the only content is alpha over black or white, which the sRGB curve
// does not change.
func plainAlpha(one string) bool {
	return strings.HasSuffix(one, "a") && !strings.ContainsAny(one, "rgb")
}

// chooseOne returns the choice for an image with only one channel of content. The parameter one has
// the form of Facts.One.
func chooseOne(one string) Choice {
	i := strings.IndexAny(one, "rgba")
	if i < 0 { // all channels are constant, so any channel is suitable
		return Choice{Format: BC4, From: 'r', Swizzle: one, Reason: "the same value everywhere"}
	}
	from := one[i]
	c := Choice{
		Format: BC4, From: from,
		Swizzle: strings.ReplaceAll(one, string(rune(from)), "r"),
	}
	names := map[byte]string{'r': "red", 'g': "green", 'b': "blue", 'a': "alpha"}
	c.Reason = "only " + names[from] + " carries something"
	if strings.HasPrefix(one, "rrr") {
		c.Reason = "gray"
	}
	if c.Swizzle == "r001" { // shaders read a format of one channel as "r001" by default
		c.Swizzle = ""
	}
	return c
}
