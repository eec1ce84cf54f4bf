package image

import (
	"math"
	"testing"
)

// light is the curve of IEC 61966-2-1 in floating point, from and to 0 to 1.
func light(v float64) float64 {
	if v <= 0.04045 {
		return v / 12.92
	}
	return math.Pow((v+0.055)/1.055, 2.4)
}

func TestSRGBIsRoundedExactly(t *testing.T) {
	c := srgb()
	for i, got := range c.wide {
		if want := math.Round(65535 * light(float64(i)/255)); float64(got) != want {
			t.Errorf("byte %d is %d in light, want %v", i, got, want)
		}
	}
	for x, got := range c.narrow {
		// The byte whose surroundings of half a step hold x.
		low, high := 65535*light((float64(got)-0.5)/255), 65535*light((float64(got)+0.5)/255)
		if got > 0 && float64(x) < low || got < 255 && float64(x) >= high {
			t.Fatalf("light %d becomes byte %d, which stands for %v to %v", x, got, low, high)
		}
	}
}

func TestCurvesReturn(t *testing.T) {
	for name, c := range map[string]*curve{"linear": linear(), "srgb": srgb()} {
		for i, v := range c.wide {
			if got := c.narrow[v]; int(got) != i {
				t.Errorf("%s: byte %d comes back as %d", name, i, got)
			}
		}
	}
}

func TestRound16(t *testing.T) {
	for v := range uint32(65536) {
		if got, want := round16(v), math.Round(float64(v)/257); float64(got) != want {
			t.Fatalf("round16(%d) = %d, want %v", v, got, want)
		}
	}
}
