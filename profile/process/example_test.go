package process_test

import (
	"fmt"
	"time"

	"github.com/assetcook/assetcook/profile/counters"
	"github.com/assetcook/assetcook/profile/process"
)

func Example() {
	set := counters.New(counters.Options{})
	defer process.Publish(set)()
	set.Watch("process/heap_bytes")
	set.PushFrame(time.Now())
	fmt.Println(set.History("process/heap_bytes")[0] > 0)
	// Output: true
}
