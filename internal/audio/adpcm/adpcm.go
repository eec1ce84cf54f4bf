// Package adpcm has the kernels of the two ADPCM codings of WAV files: IMA (encoding and decoding)
// and Microsoft (decoding). Four bits encode the difference of a sample from a prediction, in steps
// that grow and shrink with the sound.
//
// Both use blocks of a fixed size that can be decoded separately, to interleaved 16-bit samples.
// Package wav splits a file into blocks.
//
// Sources: "Recommended Practices for Enhancing Digital Audio Compatibility in Multimedia Systems",
// IMA 1992; "Multimedia Data Standards Update", Microsoft 1994. All arithmetic is on integers.
package adpcm

import (
	"fmt"
	"math"
)

func clamp16(x int32) int32 { return min(max(x, math.MinInt16), math.MaxInt16) }

// shortBlock is the error of both decoders for a block that ends in its header.
func shortBlock(have, want int) error {
	return fmt.Errorf("an ADPCM block of %d bytes, but its header takes %d; the file is cut short", have, want)
}
