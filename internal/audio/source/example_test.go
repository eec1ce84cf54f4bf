package source_test

import (
	"context"
	"fmt"
	"os"

	"github.com/assetcook/assetcook/internal/audio/source"
)

func ExampleDecode() {
	data, err := os.ReadFile("../vorbis/testdata/loop.ogg")
	if err != nil {
		fmt.Println(err)
		return
	}
	clip, info, err := source.Decode(context.Background(), data)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(info.Kind, info.Rate, "Hz,", clip.Frames(), "frames, loop", clip.Loops[0].Start, "to", clip.Loops[0].End)
	// Output: Ogg Vorbis 22050 Hz, 7000 frames, loop 1000 to 6000
}
