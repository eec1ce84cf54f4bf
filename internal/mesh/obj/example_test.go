package obj_test

import (
	"context"
	"fmt"
	"io/fs"

	"github.com/assetcook/assetcook/internal/mesh/obj"
)

func ExampleConvert() {
	model := "o flag\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"
	read := func(string) ([]byte, error) { return nil, fs.ErrNotExist }
	text, buffer, _, err := obj.Convert(context.Background(), []byte(model), read)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.60s...\n%d bytes\n", text, len(buffer))
	// Output:
	// {"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}...
	// 36 bytes
}
