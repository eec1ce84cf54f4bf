package ogg_test

import (
	"fmt"
	"io"
	"os"

	"github.com/assetcook/assetcook/internal/audio/ogg"
)

func ExampleReader() {
	data, err := os.ReadFile("../vorbis/testdata/stereo.ogg")
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := ogg.NewReader(data, []byte("\x01vorbis"))
	if err != nil {
		fmt.Println(err)
		return
	}
	packets, position := 0, int64(0)
	for {
		p, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			fmt.Println(err)
			return
		}
		packets++
		position = max(position, p.Granule)
	}
	fmt.Println(packets, "packets, the last ends at frame", position)
	// Output: 28 packets, the last ends at frame 9000
}
