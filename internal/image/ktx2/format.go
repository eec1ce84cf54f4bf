package ktx2

import (
	"github.com/assetcook/assetcook/internal/image/texture"
)

// numberOf returns the VkFormat of t. UASTC, which no graphics processor reads, has 0; the
// descriptor names it.
func numberOf(t *texture.Texture) uint32 { return t.Format.Vulkan().Of(t.SRGB) }

// formatOf is the inverse of numberOf.
func formatOf(number uint32) (f texture.Format, srgb, ok bool) {
	if number == 0 {
		return texture.UASTC, false, true
	}
	return texture.Numbered(number, texture.Formats(), texture.Format.Vulkan)
}

// typeSize is how many bytes would be swapped together on a big-endian machine.
func typeSize(f texture.Format) int {
	switch f {
	case texture.RGB10A2:
		return 4
	case texture.RGBA16F:
		return 2
	}
	return 1
}

// alignment returns the alignment of unpacked level data: lcm(block bytes, 4), so that a
// loader can copy whole blocks and words.
func alignment(f texture.Format) int64 {
	_, bytes := f.Block()
	a, b := bytes, 4
	for b != 0 {
		a, b = b, a%b
	}
	return int64(bytes * 4 / a)
}
