package detmath_test

import (
	"fmt"

	"github.com/assetcook/assetcook/internal/detmath"
)

func ExampleGain() {
	fmt.Printf("%.3f %.1f dB\n", detmath.Gain(-6), detmath.Decibels(0.5))
	// Output: 0.501 -6.0 dB
}
