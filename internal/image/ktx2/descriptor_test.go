package ktx2

import (
	"encoding/hex"
	"testing"

	"github.com/assetcook/assetcook/internal/image/texture"
	"github.com/google/go-cmp/cmp"
)

// The expected words are from the Khronos Group's dfdutils (vk2dfd) for these VkFormat numbers.
// They are in file order.
func TestDescriptors(t *testing.T) {
	for _, tc := range []struct {
		number uint32
		format texture.Format
		srgb   bool
		want   string
	}{
		{131, texture.BC1, false, `
			2C000000 00000000 02002800 80010100 03030000 08000000 00000000
			00003F00 00000000 00000000 FFFFFFFF`},
		{132, texture.BC1, true, `
			2C000000 00000000 02002800 80010200 03030000 08000000 00000000
			00003F00 00000000 00000000 FFFFFFFF`},
		{133, texture.BC1A, false, `
			2C000000 00000000 02002800 80010100 03030000 08000000 00000000
			00003F01 00000000 00000000 FFFFFFFF`},
		{134, texture.BC1A, true, `
			2C000000 00000000 02002800 80010200 03030000 08000000 00000000
			00003F01 00000000 00000000 FFFFFFFF`},
		{137, texture.BC3, false, `
			3C000000 00000000 02003800 82010100 03030000 10000000 00000000
			00003F0F 00000000 00000000 FFFFFFFF
			40003F00 00000000 00000000 FFFFFFFF`},
		{138, texture.BC3, true, `
			3C000000 00000000 02003800 82010200 03030000 10000000 00000000
			00003F1F 00000000 00000000 FFFFFFFF
			40003F00 00000000 00000000 FFFFFFFF`},
		{139, texture.BC4, false, `
			2C000000 00000000 02002800 83010100 03030000 08000000 00000000
			00003F00 00000000 00000000 FFFFFFFF`},
		{141, texture.BC5, false, `
			3C000000 00000000 02003800 84010100 03030000 10000000 00000000
			00003F00 00000000 00000000 FFFFFFFF
			40003F01 00000000 00000000 FFFFFFFF`},
		{143, texture.BC6H, false, `
			2C000000 00000000 02002800 85010100 03030000 10000000 00000000
			00007F80 00000000 00000000 0000803F`},
		{145, texture.BC7, false, `
			2C000000 00000000 02002800 86010100 03030000 10000000 00000000
			00007F00 00000000 00000000 FFFFFFFF`},
		{146, texture.BC7, true, `
			2C000000 00000000 02002800 86010200 03030000 10000000 00000000
			00007F00 00000000 00000000 FFFFFFFF`},
		{9, texture.R8, false, `
			2C000000 00000000 02002800 01010100 00000000 01000000 00000000
			00000700 00000000 00000000 FF000000`},
		{16, texture.RG8, false, `
			3C000000 00000000 02003800 01010100 00000000 02000000 00000000
			00000700 00000000 00000000 FF000000
			08000701 00000000 00000000 FF000000`},
		{37, texture.RGBA8, false, `
			5C000000 00000000 02005800 01010100 00000000 04000000 00000000
			00000700 00000000 00000000 FF000000
			08000701 00000000 00000000 FF000000
			10000702 00000000 00000000 FF000000
			1800070F 00000000 00000000 FF000000`},
		{43, texture.RGBA8, true, `
			5C000000 00000000 02005800 01010200 00000000 04000000 00000000
			00000700 00000000 00000000 FF000000
			08000701 00000000 00000000 FF000000
			10000702 00000000 00000000 FF000000
			1800071F 00000000 00000000 FF000000`},
		{64, texture.RGB10A2, false, `
			5C000000 00000000 02005800 01010100 00000000 04000000 00000000
			00000900 00000000 00000000 FF030000
			0A000901 00000000 00000000 FF030000
			14000902 00000000 00000000 FF030000
			1E00010F 00000000 00000000 03000000`},
		{97, texture.RGBA16F, false, `
			5C000000 00000000 02005800 01010100 00000000 08000000 00000000
			00000FC0 00000000 000080BF 0000803F
			10000FC1 00000000 000080BF 0000803F
			20000FC2 00000000 000080BF 0000803F
			30000FCF 00000000 000080BF 0000803F`},
	} {
		tex := &texture.Texture{Format: tc.format, SRGB: tc.srgb}
		if d := cmp.Diff(hex.Dump(unhex(t, tc.want)), hex.Dump(descriptor(tex))); d != "" {
			t.Errorf("%v, sRGB %v:\n%s", tc.format, tc.srgb, d)
		}
		if got := vulkanNumber(tex); got != tc.number {
			t.Errorf("%v, sRGB %v: %v, want %v", tc.format, tc.srgb, got, tc.number)
		}
		if f, srgb, ok := formatOfVulkan(tc.number); f != tc.format || srgb != tc.srgb || !ok {
			t.Errorf("%v: %v, %v, %v", tc.number, f, srgb, ok)
		}
	}
}

// TestAlignment checks that levels are aligned to whole blocks and 32-bit words.
func TestAlignment(t *testing.T) {
	for f, want := range map[texture.Format]int64{
		texture.R8: 4, texture.RG8: 4, texture.RGBA8: 4, texture.BC1: 8, texture.RGBA16F: 8, texture.BC7: 16,
	} {
		if got := levelAlignment(f); got != want {
			t.Errorf("%v: %d, want %d", f, got, want)
		}
	}
}

// UASTC files have a VkFormat of 0. The expected bytes are from the Khronos Group's program ktx. As
// glTF requires, files without a transfer function have unspecified primaries.
func TestDescriptorsOfUASTC(t *testing.T) {
	for _, tc := range []struct {
		srgb, opaque bool
		want         string
	}{
		{true, true, "2C000000 00000000 02002800 A6010200 03030000 10000000 00000000 00007F00 00000000 00000000 FFFFFFFF"},
		{true, false, "2C000000 00000000 02002800 A6010200 03030000 10000000 00000000 00007F03 00000000 00000000 FFFFFFFF"},
		{false, true, "2C000000 00000000 02002800 A6000100 03030000 10000000 00000000 00007F00 00000000 00000000 FFFFFFFF"},
		{false, false, "2C000000 00000000 02002800 A6000100 03030000 10000000 00000000 00007F03 00000000 00000000 FFFFFFFF"},
	} {
		tex := &texture.Texture{Format: texture.UASTC, SRGB: tc.srgb, Opaque: tc.opaque, W: 4, H: 4, Levels: [][]byte{make([]byte, 16)}}
		if d := cmp.Diff(hex.Dump(unhex(t, tc.want)), hex.Dump(descriptor(tex))); d != "" || vulkanNumber(tex) != 0 {
			t.Errorf("sRGB %v, opaque %v, %v:\n%s", tc.srgb, tc.opaque, vulkanNumber(tex), d)
		}
		for _, s := range []Supercompression{{}, {Zstd, 3}} {
			got, err := Read(encode(t, tex, s), 1<<20)
			if err != nil || !cmp.Equal(got, tex) {
				t.Errorf("%+v: %+v, %v", s, got, err)
			}
		}
	}
}
