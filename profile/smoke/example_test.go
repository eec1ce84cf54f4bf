package smoke_test

import (
	"fmt"

	"github.com/assetcook/assetcook/profile/counters"
	"github.com/assetcook/assetcook/profile/smoke"
)

// These are the calls in a measurable program.
func ExampleStart() {
	set := counters.New(counters.Options{})
	drawn := set.Counter("scene/drawn")
	run := smoke.Start(set) // nil, because "cook smoke" has not started this process
	for range 600 {
		drawn.Add(12)
		run.Frame()
	}
	fmt.Println(run == nil, run.Finish())
	// Output: true <nil>
}
