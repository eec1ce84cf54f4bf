package cooked

import (
	"math"
	"testing"

	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/role"
	"github.com/assetcook/assetcook/internal/image/texture"
)

// tilted returns an image of unit vectors that are all tilted to the right by the given angle.
func tilted(degrees float64) *pixmap.Map {
	m := pixmap.New(16, 16, pixmap.Bits8)
	x, z := math.Sincos(degrees * math.Pi / 180)
	for i := 0; i < len(m.Pix8); i += 4 {
		copy(m.Pix8[i:], []byte{uint8(127.5*x + 128), 128, uint8(127.5*z + 127.5), 255})
	}
	return m
}

// TestAngle checks the measured angle between two normal maps, whether z is stored or computed.
func TestAngle(t *testing.T) {
	for _, f := range []texture.Format{texture.RGBA8, texture.BC5, texture.BC7, texture.EACRG11} {
		tex := encode(t, f, tilted(20))
		p := &Prepared{Role: role.Normal, Images: []*pixmap.Map{tilted(33)}}
		if got, err := p.Measure(t.Context(), tex); err != nil || math.Abs(got.Angle-13) > 0.7 || !math.IsNaN(got.Coverage) {
			t.Errorf("%v: %+v, %v", f, got, err)
		}
		p.Role = role.Color
		if got, err := p.Measure(t.Context(), tex); err != nil || !math.IsNaN(got.Angle) {
			t.Errorf("%v: colors have an angle: %+v, %v", f, got, err)
		}
	}
	same := &Prepared{Role: role.Normal, Images: []*pixmap.Map{tilted(20)}}
	if got, err := same.Measure(t.Context(), encode(t, texture.RGBA8, tilted(20))); err != nil || got.Angle > 1e-3 || !math.IsInf(got.PSNR, 1) {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestCoverage checks that Measure reports the largest change among the levels, and that an alpha
// equal to the threshold passes the test.
func TestCoverage(t *testing.T) {
	half := func(w, drawn int) *pixmap.Map {
		m := pixmap.New(w, w, pixmap.Bits8)
		for i := range w * w {
			m.Pix8[4*i+3] = 50
			if i < drawn {
				m.Pix8[4*i+3] = 51
			}
		}
		return m
	}
	tex := encode(t, texture.RGBA8, half(32, 512))
	tex.Levels = append(tex.Levels, half(16, 64).Pix8, half(8, 0).Pix8)
	p := &Prepared{Role: role.Color, Images: []*pixmap.Map{half(32, 512)}, Test: 0.2}
	if got, err := p.Measure(t.Context(), tex); err != nil || got.Coverage != 0.25 {
		t.Errorf("%+v, %v: want 0.25 of the second level, the third being too small", got, err)
	}
	p.Test = 0
	if got, err := p.Measure(t.Context(), tex); err != nil || !math.IsNaN(got.Coverage) {
		t.Errorf("%+v, %v without a test", got, err)
	}
}
