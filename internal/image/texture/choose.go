package texture

import (
	"fmt"
	"strings"
)

// A GPU is what textures are for, as far as it decides which formats it reads.
type GPU uint8

// The GPUs.
const (
	Desktop GPU = iota // reads BC1 to BC7
	Mobile             // reads ASTC, ETC2 and EAC
	Web                // reads what UASTC is transcoded to when it is loaded
)

// Instead returns the format that g reads instead of one that desktops read. On phones 3.6
// bits a pixel do for colors; data, which is not seen but computed with, gets 8. Neither
// phones nor pages have a format for high dynamic range that they all read compressed.
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
	// Float says that it holds linear light without an upper end.
	Float bool
	// SRGB says that its colors are sRGB, not plain numbers.
	SRGB bool
	// Opaque says that alpha is 1 everywhere.
	Opaque bool
	// Normal says that it is a normal map.
	Normal bool
	// One writes the image with one of its channels, if that is all it takes:
	// "rrr1" is an opaque gray, "r001" a mask in red, "111a" an alpha over
	// white. It is empty if more than one channel carries something.
	One string
	// Colors is how many different pixels there are, or anything above
	// MaxColors for more than that, or for not having counted: 0.
	Colors int
}

// The bounds of what stays uncompressed.
const (
	// MaxColors is how far different pixels need to be counted. The palettes of
	// pixel artists end at 64 colors; a photograph that was reduced to a palette
	// has 256, and hides the loss of compression.
	MaxColors = 64
	// minColors is where compression begins to show: two colors in a block are
	// the ends of its line, which are stored nearly as they are.
	minColors = 3
	// maxPalettePixels bounds what sharp pixel art may cost: 1 MiB instead of 256
	// KiB. Larger images of few colors are diagrams and flat fills.
	maxPalettePixels = 512 * 512
	// tinyPixels is what fits the smallest piece of memory that a driver hands
	// out for a texture, 4 KiB; compressed, it would take as much.
	tinyPixels = 4096 / 4
)

// A Choice is how an image should be stored.
type Choice struct {
	Format Format
	// From is the channel of the image that must be brought into red before it
	// is encoded: 'r', 'g', 'b', 'a', or 0 if channels stay where they are.
	From byte
	// XXXY says that red must be brought into green and blue as well, and green into
	// alpha, before it is encoded.
	XXXY bool
	// Swizzle is for Texture.Swizzle.
	Swizzle string
	// Reason is one line for a person: "bc7: colors, opaque".
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

// chooseBC chooses among what desktops read. Its reasons lack the format.
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

// plainAlpha reports whether alpha over black or white, which no curve moves, is
// all there is.
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
