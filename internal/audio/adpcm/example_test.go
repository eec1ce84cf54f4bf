package adpcm_test

import (
	"fmt"

	"github.com/assetcook/assetcook/internal/audio/adpcm"
)

func Example() {
	samples := []int16{0, 10, 20, 30, 40, 50, 60, 70, 80}

	block := adpcm.NewIMAEncoder(8, 1).Append(nil, samples)
	back := make([]int16, adpcm.IMAFrames(len(block), 1))
	if err := adpcm.DecodeIMA(back, block, 1); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(block), "bytes:", back)
	// Output: 8 bytes: [0 11 21 29 40 50 58 69 79]
}
