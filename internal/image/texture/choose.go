package texture

import (
	"fmt"
	"strings"
)

// Facts are what a picture is, as far as it decides how it should be stored.
type Facts struct {
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
	// One writes the picture with one of its channels, if that is all it takes:
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
	// KiB. Larger pictures of few colors are diagrams and flat fills.
	maxPalettePixels = 512 * 512
	// tinyPixels is what fits the smallest piece of memory that a driver hands
	// out for a texture, 4 KiB; compressed, it would take as much.
	tinyPixels = 4096 / 4
)

// A Choice is how a picture should be stored.
type Choice struct {
	Format Format
	// From is the channel of the picture that must be brought into red before it
	// is encoded: 'r', 'g', 'b', 'a', or 0 if channels stay where they are.
	From byte
	// Swizzle is for Texture.Swizzle.
	Swizzle string
	// Reason is one line for a person: "bc7: colors, opaque".
	Reason string
}

// Choose returns the format that suits a picture.
func Choose(f Facts) Choice {
	plain := func(format Format, reason string) Choice {
		return Choice{Format: format, Reason: format.String() + ": " + reason}
	}
	pixels := int64(f.W) * int64(f.H)
	switch {
	case f.Float && !f.Opaque:
		return plain(RGBA16F, "high dynamic range with alpha, which bc6h does not have")
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
		return plain(BC7, "gray, but on the sRGB curve, which bc4 does not have (srgb = false makes it bc4)")
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

// chooseOne stores the only channel that the picture one is written with.
func chooseOne(one string) Choice {
	i := strings.IndexAny(one, "rgba")
	if i < 0 { // constant: any channel does
		return Choice{Format: BC4, From: 'r', Swizzle: one, Reason: "bc4: the same value everywhere"}
	}
	from := one[i]
	c := Choice{
		Format: BC4, From: from,
		Swizzle: strings.ReplaceAll(one, string(rune(from)), "r"),
	}
	names := map[byte]string{'r': "red", 'g': "green", 'b': "blue", 'a': "alpha"}
	c.Reason = "bc4: only " + names[from] + " carries something"
	if strings.HasPrefix(one, "rrr") {
		c.Reason = "bc4: gray"
	}
	if c.Swizzle == "r001" { // what a shader reads anyway
		c.Swizzle = ""
	}
	return c
}
