// Package adpcm holds the kernels of the two ADPCM codings that WAV files have:
// IMA (both ways) and Microsoft (reading). Four bits say how a sample differs from
// a prediction, in steps that grow and shrink with the sound.
//
// Both come in blocks of a fixed size that can be read on their own. A block is
// decoded to interleaved 16-bit samples; package wav cuts a file into blocks.
//
// Sources: "Recommended Practices for Enhancing Digital Audio Compatibility in
// Multimedia Systems", IMA 1992; "Multimedia Data Standards Update", Microsoft
// 1994. All of it is integer arithmetic.
package adpcm

import (
	"fmt"
	"math"
)

func clamp16(x int32) int32 { return min(max(x, math.MinInt16), math.MaxInt16) }

// shortBlock is what both decoders say of a block that ends in its header.
func shortBlock(have, want int) error {
	return fmt.Errorf("an ADPCM block of %d bytes, its header alone takes %d; the file is cut short", have, want)
}
