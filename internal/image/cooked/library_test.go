//go:build amd64 || arm64

// Package bcn, which decodes the blocks in this file, does not build on 32-bit machines.

package cooked

import (
	"encoding/binary"
	"testing"

	"github.com/woozymasta/bcn"
	"pgregory.net/rapid"

	"github.com/assetcook/assetcook/internal/image/bc6h"
	"github.com/assetcook/assetcook/internal/image/texture"
)

// TestLibrary checks that every block decodes to the same pixels as with another library, except
// for rounding. An endpoint may differ by one. The mean of two endpoints may differ by two, because
// endpoints and means are rounded separately.
func TestLibrary(t *testing.T) {
	formats := map[texture.Format]bcn.Format{
		texture.BC1A: bcn.FormatBC1, texture.BC3: bcn.FormatBC3, texture.BC4: bcn.FormatBC4,
		texture.BC5: bcn.FormatBC5, texture.BC7: bcn.FormatBC7,
	}
	for f, theirs := range formats {
		t.Run(f.String(), func(t *testing.T) {
			_, _, size := f.Block()
			rapid.Check(t, func(t *rapid.T) {
				block := rapid.SliceOfN(rapid.Byte(), size, size).Draw(t, "block")
				if f == texture.BC3 && block[8] == block[10] && block[9] == block[11] {
					t.Skip("equal ends, which decoders read either way")
				}
				m, err := Level(t.Context(), &texture.Texture{Format: f, W: 4, H: 4, Levels: [][]byte{block}}, 0, 0)
				if err != nil {
					t.Fatal(err)
				}
				want, err := bcn.DecodeImage(block, 4, 4, theirs)
				if err != nil {
					t.Fatal(err)
				}
				apart := 1
				if f == texture.BC1A && binary.LittleEndian.Uint16(block) <= binary.LittleEndian.Uint16(block[2:]) {
					apart = 2
				}
				for i := range 64 {
					compared := i%4 < len(f.Channels())
					if d := int(m.Pix8[i]) - int(want.Pix[i]); compared && (d < -apart || d > apart) {
						t.Fatalf("pixel %d, channel %d: %d, library: %d", i/4, i%4, m.Pix8[i], want.Pix[i])
					}
				}
			})
		})
	}
}

// TestLibraryLight checks that BC6H blocks of all modes decode to the same half-precision floats as
// with another library. Blocks of reserved modes decode to black.
func TestLibraryLight(t *testing.T) {
	for _, number := range []byte{0, 1, 2, 3, 6, 7, 10, 11, 14, 15, 18, 19, 22, 23, 26, 27, 30, 31} {
		rapid.Check(t, func(t *rapid.T) {
			block := [16]byte(rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "block"))
			block[0] = block[0]&^31 | number
			var got [64]float32
			bc6h.DecodeBlock(&got, &block)
			want, err := bcn.DecodeBC6HFloat32(block[:], 4, 4, false)
			if err != nil {
				t.Fatal(err)
			}
			for i, v := range want {
				if got[i/3*4+i%3] != v {
					t.Fatalf("mode %d, pixel %d: %v, library: %v", number, i/3, got[i/3*4:i/3*4+3], want[i/3*3:i/3*3+3])
				}
			}
		})
	}
}
