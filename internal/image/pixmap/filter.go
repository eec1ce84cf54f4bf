package pixmap

import (
	"fmt"
	"math"
	"strings"
)

// A Filter says how much each pixel counts by its distance.
type Filter uint8

// The filters.
const (
	// Box averages the pixels that a pixel covers. It never rings, is exact for sizes that do not
	// divide each other, and is by far the fastest.
	Box Filter = iota
	// Kaiser is a sinc under a Kaiser window, three pixels to each side with alpha 4, as in the
	// NVIDIA Texture Tools. It is the sharpest, and rings a little.
	Kaiser
	// Mitchell is the cubic of Mitchell and Netravali ("Reconstruction Filters in Computer
	// Graphics", 1988), B = C = 1/3, two pixels to each side. Its sharpness is between the other
	// two.
	Mitchell
)

var filterNames = [...]string{Box: "box", Kaiser: "kaiser", Mitchell: "mitchell"}

// ParseFilter returns the filter of a name such as "kaiser".
func ParseFilter(name string) (Filter, error) {
	for f, n := range filterNames {
		if n == name {
			return Filter(f), nil
		}
	}
	return 0, fmt.Errorf("unknown filter %q; use one of %s", name, strings.Join(filterNames[:], ", "))
}

// String returns the name that ParseFilter takes.
func (f Filter) String() string {
	if int(f) < len(filterNames) {
		return filterNames[f]
	}
	return fmt.Sprintf("Filter(%d)", uint8(f))
}

// reach returns the distance from the center beyond which a filter is 0.
func (f Filter) reach() float64 {
	if f == Kaiser {
		return 3
	}
	return 2
}

// at returns the value of Kaiser or Mitchell x pixels from the center. Its result determines output
// bytes, so it must not depend on the processor: it uses only exact functions of package math, and
// no product that could be fused with a sum.
func (f Filter) at(x float64) float64 {
	x = math.Abs(x)
	if x >= f.reach() {
		return 0
	}
	if f == Kaiser {
		const alpha = 4
		t := x / 3
		return sinc(x) * bessel(alpha*math.Sqrt(1-float64(t*t))) / bessel(alpha)
	}
	if x < 1 { // (7x^3 - 12x^2 + 16/3) / 6
		return (float64(x*x*(float64(7*x)-12)) + 16.0/3) / 6
	}
	// (-7/3 x^3 + 12x^2 - 20x + 32/3) / 6
	return (float64(x*(float64(x*(12-float64(7*x)/3))-20)) + 32.0/3) / 6
}

// sinc returns sin(pi x) / (pi x).
func sinc(x float64) float64 {
	if x == 0 {
		return 1
	}
	whole := math.RoundToEven(x)
	r := float64(math.Pi * (x - whole))
	// The series of the sine, from -pi/2 to pi/2: the next term is below 1e-13.
	sum, square := 1.0, float64(r*r)
	for k := 16.0; k >= 2; k -= 2 {
		sum = 1 - float64(sum*square/(k*(k+1)))
	}
	if int(whole)%2 != 0 {
		sum = -sum
	}
	return r * sum / (math.Pi * x)
}

// bessel returns the modified Bessel function of order 0, for x up to 4.
func bessel(x float64) float64 {
	sum, term := 1.0, 1.0
	for k := 1.0; k <= 20; k++ {
		term = term * (x * x / 4) / (k * k)
		sum += term
	}
	return sum
}
