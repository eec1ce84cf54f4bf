package shader

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// slack is how much more of the same is allocated under the race detector, whose sync.Pool drops
// values at random: regular expressions then begin anew.
var slack = 1

// What naga allocates for much WGSL stays below what the estimate has for it.
func TestEstimate(t *testing.T) {
	var b strings.Builder
	for i := 0; b.Len() < 100<<10; i++ {
		fmt.Fprintf(&b, "fn shade%d(a: vec4<f32>) -> f32 { var s = 0.0; for (var i = 0; i < 4; i++) { s += a[i] * %d.5 - s; } return s; }\n", i, i)
	}
	for _, format := range []string{"spirv", "hlsl"} {
		o := order{Source: b.String(), Format: format, SPIRVVersion: "1.3"}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := o.compile(); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		per := int(after.TotalAlloc-before.TotalAlloc) / b.Len()
		t.Logf("%s: %d bytes for each of source", format, per)
		if per > slack*nagaBytes {
			t.Errorf("%s: %d bytes for each of source, the estimate has %d", format, per, nagaBytes)
		}
	}
}
