package opus_test

import (
	"bytes"
	"context"
	"fmt"

	"github.com/assetcook/assetcook/internal/audio/opus"
	"github.com/assetcook/assetcook/internal/audio/pcm"
)

func Example() {
	clip := &pcm.Clip{
		Rate: opus.Rate, Channels: 2, Samples: make([]float32, 2*opus.Rate),
		Loops: []pcm.Loop{{Start: 12000, End: 48000}},
	}

	var file bytes.Buffer
	err := opus.Encode(context.Background(), &file, clip, opus.Options{Bitrate: 96_000})
	fmt.Println(err, bytes.Contains(file.Bytes(), []byte("LOOPSTART=12000")))
	// Output: <nil> true
}
