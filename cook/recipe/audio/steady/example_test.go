package steady_test

import (
	"fmt"

	"github.com/assetcook/assetcook/cook/recipe/audio/steady"
)

func ExampleGain() {
	fmt.Printf("%.3f %.1f dB\n", steady.Gain(-6), steady.Decibels(0.5))
	// Output: 0.501 -6.0 dB
}
