package qoa_test

import (
	"bytes"
	"context"
	"fmt"

	"github.com/assetcook/assetcook/internal/audio/pcm"
	"github.com/assetcook/assetcook/internal/audio/qoa"
)

func Example() {
	clip := &pcm.Clip{Rate: 44100, Channels: 2, Samples: make([]float32, 2*44100)}

	var file bytes.Buffer
	if err := qoa.Encode(context.Background(), &file, clip); err != nil {
		fmt.Println(err)
		return
	}
	back, err := qoa.Decode(context.Background(), file.Bytes())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(file.Len(), "bytes for", back.Frames(), "frames")
	// Output: 35648 bytes for 44100 frames
}
