package image

import (
	"testing"

	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/role"
	"github.com/assetcook/assetcook/internal/jobs"
)

// A picture that is declared a normal map, but is none, becomes data: BC7 without sRGB, all four
// channels. A real normal map becomes BC5.
func TestEncodeChecksDeclaredNormalMaps(t *testing.T) {
	const n = 64
	for _, tc := range []struct {
		kind   string
		z      uint8
		format byte // DXGI_FORMAT, 0 for the older header of BC5
	}{{"color", 255, 99}, {"data", 255, 98}, {"normal", 252, 0}, {"normal", 0, 98}} {
		m := &pixmap.Map{W: n, H: n, Pix8: make([]uint8, 4*n*n)}
		for i := range n * n {
			copy(m.Pix8[4*i:], []uint8{uint8(96 + i%n), uint8(96 + i/n), tc.z, 255})
			if tc.z == 0 {
				copy(m.Pix8[4*i:], []uint8{uint8(i * 7), uint8(i / 5), uint8(i * i)})
			}
		}
		o := Recipe().New().(*Image)
		o.Quality, o.Container = "fast", "dds"
		job := jobs.New(Recipe(), jobs.Env{Path: "a.glb"}, 1)
		have, err := o.Encode(t.Context(), job, m, role.Slot{Role: role.Parse(tc.kind)})
		if err != nil {
			t.Fatal(err)
		}
		format := byte(0)
		if string(have[84:88]) == "DX10" {
			format = have[128]
		}
		if format != tc.format || have[28] != 7 {
			t.Errorf("%s with a z of %d: format %d (%q), want %d; %d levels", tc.kind, tc.z, format, have[84:88], tc.format, have[28])
		}
	}
}
