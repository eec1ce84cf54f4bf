package texture

import (
	"fmt"
	"strings"
)

// A GPU is the target of textures, as far as it decides which formats it reads.
type GPU uint8

// The GPUs.
const (
	Desktop GPU = iota // reads BC1 to BC7
	Mobile             // reads ASTC, ETC2 and EAC
	Web                // reads what UASTC is transcoded to when it is loaded
)

// Instead returns the format that g reads instead of a desktop format. On phones, colors get 3.6
// bits a pixel, and data, which is invisible but used in computations, gets 8. No compressed format
// for high dynamic range is read by all phones, or by all browsers.
func (g GPU) Instead(f Format, srgb bool) Format {
	switch {
	case g == Desktop:
	case f == BC6H:
		return RGBA16F
	case g == Web && (f == BC4 || f == BC5 || f == BC7 || f == RGBA8):
		return UASTC // which alone models can name
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

// Facts are the properties of an image that decide how it is stored.
type Facts struct {
	// GPU is the target hardware.
	GPU GPU
	// W and H are its size in pixels, level 0.
	W, H int
	// Float is set if the image holds linear light without an upper bound.
	Float bool
	// SRGB is set if the image's colors are sRGB, not plain numbers.
	SRGB bool
	// Opaque is set if alpha is 1 everywhere.
	Opaque bool
	// Normal is set if the image is a normal map.
	Normal bool
	// One names the only channel with content: "rrr1" is an opaque gray, "r001" a mask in red,
	// "111a" an alpha over white. It is empty if several channels have content.
	One string
	// Colors is the number of different pixels, or any number above MaxColors if there are more; 0
	// if they were not counted.
	Colors int
}

// The bounds of what stays uncompressed.
const (
	// MaxColors is the limit to which different pixels are counted. The palettes of pixel artists
	// have up to 64 colors; a photograph reduced to a palette has 256, which hide the loss of
	// compression.
	MaxColors = 64
	// minColors is the number of colors from which compression is visible: two colors in a block
	// are the ends of its line, which are stored almost exactly.
	minColors = 3
	// maxPalettePixels limits the size of uncompressed pixel art: 1 MiB instead of 256 KiB. Larger
	// images of few colors are diagrams and flat fills.
	maxPalettePixels = 512 * 512
	// tinyPixels is what fits the smallest piece of memory that a driver hands
	// out for a texture, 4 KiB; compressed, it would take as much.
	tinyPixels = 4096 / 4
)

// A Choice is the format for an image, and the preparation of its channels.
type Choice struct {
	Format Format
	// From is the channel of the image that must be brought into red before it
	// is encoded: 'r', 'g', 'b', 'a', or 0 if channels stay where they are.
	From byte
	// XXXY is set if red must be brought into green and blue as well, and green into
	// alpha, before it is encoded.
	XXXY bool
	// Swizzle is for Texture.Swizzle.
	Swizzle string
	// Reason is a line for users: "bc7: colors, opaque".
	Reason string
}

// Choose returns the format that suits an image.
func Choose(f Facts) Choice {
	c := chooseBC(f)
	before := c.Format
	if c.Format = f.GPU.Instead(before, f.SRGB); c.Format == UASTC {
		c.From, c.Swizzle = 0, "" // it has room for all channels
		switch {
		case f.Normal:
			c.Reason = "normal map"
		case before == RGBA8:
			c.Reason = "few pixels or colors, but models can name nothing else"
		}
	}
	c.Reason = c.Format.String() + ": " + c.Reason
	return c
}

// chooseBC chooses among the desktop formats. Its reasons lack the name of the format.
func chooseBC(f Facts) Choice {
	plain := func(format Format, reason string) Choice {
		return Choice{Format: format, Reason: reason}
	}
	pixels := int64(f.W) * int64(f.H)
	switch {
	case f.Float && !f.Opaque:
		return plain(RGBA16F, "high dynamic range with alpha, which no compressed format has")
	case f.Float:
		return plain(BC6H, "high dynamic range")
	case pixels <= tinyPixels:
		return plain(RGBA8, fmt.Sprintf("tiny (%d x %d pixels fit 4 KiB as they are)", f.W, f.H))
	case f.Normal:
		return plain(BC5, "normal map: x and y are kept apart and sharp, a shader works out z")
	case f.Colors >= minColors && f.Colors <= MaxColors && pixels <= maxPalettePixels:
		return plain(RGBA8, fmt.Sprintf("pixel art of %d colors, which compression would blur", f.Colors))
	case f.One != "" && (!f.SRGB || plainAlpha(f.One)):
		return chooseOne(f.One)
	case f.One != "" && strings.HasPrefix(f.One, "rrr"):
		return plain(BC7, "gray, but on the sRGB curve, which formats of one channel do not have (srgb = false allows them)")
	case f.Opaque:
		return plain(BC7, "colors, opaque")
	}
	return plain(BC7, "colors with alpha")
}

// plainAlpha reports whether the only content is alpha over black or white, which no curve changes.
func plainAlpha(one string) bool {
	return strings.HasSuffix(one, "a") && !strings.ContainsAny(one, "rgb")
}

// chooseOne stores the only channel that the image one is written with.
func chooseOne(one string) Choice {
	i := strings.IndexAny(one, "rgba")
	if i < 0 { // constant: any channel does
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
	if c.Swizzle == "r001" { // the default of a shader
		c.Swizzle = ""
	}
	return c
}
