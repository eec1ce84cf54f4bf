package pcm_test

import (
	"context"
	"fmt"

	"github.com/assetcook/assetcook/internal/audio/pcm"
)

func ExampleClip_Mix() {
	c := &pcm.Clip{Rate: 44100, Channels: 2, Samples: []float32{0.5, 0.25, -1, 0}}
	if err := c.Mix(context.Background(), 1); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(c.Channels, c.Frames(), c.Samples)
	// Output: 1 2 [0.375 -0.5]
}
