package wav_test

import (
	"bytes"
	"context"
	"fmt"

	"github.com/assetcook/assetcook/internal/audio/pcm"
	"github.com/assetcook/assetcook/internal/audio/wav"
)

func Example() {
	clip := &pcm.Clip{
		Rate: 22050, Channels: 1, Samples: make([]float32, 22050),
		Loops: []pcm.Loop{{Start: 1000, End: 22050}},
	}

	var file bytes.Buffer
	if err := wav.Encode(context.Background(), &file, clip, wav.Options{Coding: wav.IMA}); err != nil {
		fmt.Println(err)
		return
	}
	back, info, err := wav.Decode(context.Background(), file.Bytes())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(info.Coding, info.Frames, back.Loops)
	// Output: IMA ADPCM 22050 [{1000 22050 0 false}]
}
