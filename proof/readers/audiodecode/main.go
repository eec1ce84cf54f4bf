// Command audiodecode decodes a sound with this module's decoders, so that their output can be
// compared with the output of others. See audio_recipe.sh beside it.
//
//	audiodecode FILE RAW
//
// It writes interleaved 16-bit little-endian samples to RAW, and prints the sample rate and the
// number of channels.
package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"os"

	"github.com/assetcook/assetcook/internal/audio/source"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: audiodecode FILE RAW")
		os.Exit(2)
	}
	if err := decodeToRaw(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintf(os.Stderr, "audiodecode: %s: %v\n", os.Args[1], err)
		os.Exit(1)
	}
}

func decodeToRaw(file, raw string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	clip, _, err := source.Decode(context.Background(), data)
	if err != nil {
		return err
	}
	out := make([]byte, 0, 2*len(clip.Samples))
	for _, v := range clip.Samples {
		s := math.RoundToEven(float64(v) * (1 << 15))
		out = binary.LittleEndian.AppendUint16(out, uint16(int16(min(max(s, -1<<15), 1<<15-1))))
	}
	fmt.Println(clip.Rate, clip.Channels)
	return os.WriteFile(raw, out, 0o666)
}
