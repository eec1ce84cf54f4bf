package ktx2

import (
	"fmt"

	"github.com/assetcook/assetcook/internal/image/texture"
)

// A vkFormat is a number of Vulkan's enumeration VkFormat.
type vkFormat uint32

func (v vkFormat) String() string { return fmt.Sprintf("VkFormat %d", uint32(v)) }

// vulkan returns Vulkan's number of a format without and with the sRGB curve;
// srgb is 0 where there is none. UASTC, which no graphics processor reads, has neither:
// its file says 0, and the descriptor what it is.
func vulkan(f texture.Format) (plain, srgb vkFormat) {
	switch f {
	case texture.BC1:
		return 131, 132 // VK_FORMAT_BC1_RGB_*_BLOCK
	case texture.BC1A:
		return 133, 134 // VK_FORMAT_BC1_RGBA_*_BLOCK
	case texture.BC3:
		return 137, 138
	case texture.BC4:
		return 139, 0
	case texture.BC5:
		return 141, 0
	case texture.BC6H:
		return 143, 0 // VK_FORMAT_BC6H_UFLOAT_BLOCK
	case texture.BC7:
		return 145, 146
	case texture.R8:
		return 9, 0
	case texture.RG8:
		return 16, 0
	case texture.RGBA8:
		return 37, 43
	case texture.RGB10A2:
		return 64, 0 // VK_FORMAT_A2B10G10R10_UNORM_PACK32
	case texture.RGBA16F:
		return 97, 0 // VK_FORMAT_R16G16B16A16_SFLOAT
	case texture.ASTC4x4:
		return 157, 158
	case texture.ASTC5x5:
		return 161, 162
	case texture.ASTC6x6:
		return 165, 166
	case texture.ASTC8x8:
		return 171, 172
	case texture.ETC2RGB:
		return 147, 148
	case texture.ETC2RGBA:
		return 151, 152
	case texture.EACR11:
		return 153, 0 // VK_FORMAT_EAC_R11_UNORM_BLOCK
	case texture.EACRG11:
		return 155, 0
	}
	return 0, 0
}

// numberOf returns Vulkan's number for what t holds.
func numberOf(t *texture.Texture) vkFormat {
	plain, srgb := vulkan(t.Format)
	if t.SRGB {
		return srgb
	}
	return plain
}

// formatOf is the inverse of numberOf.
func formatOf(v vkFormat) (f texture.Format, srgb, ok bool) {
	if v == 0 {
		return texture.UASTC, false, true
	}
	for _, f := range texture.Formats() {
		switch plain, srgb := vulkan(f); v {
		case 0:
		case plain:
			return f, false, true
		case srgb:
			return f, true, true
		}
	}
	return 0, false, false
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

// alignment is what the offset of unpacked level data must be a multiple of:
// lcm(block bytes, 4), so that a loader can copy whole blocks and words.
func alignment(f texture.Format) int64 {
	_, bytes := f.Block()
	a, b := bytes, 4
	for b != 0 {
		a, b = b, a%b
	}
	return int64(bytes * 4 / a)
}
