//go:build !amd64 && !arm64

package bc7

import (
	"testing"

	"github.com/assetcook/assetcook/internal/image/blockfit"
)

// read decodes blocks with our own reader: the independent one needs 64 bits.
func read(_ testing.TB, blocks []byte, w, h int) []byte {
	pix := make([]byte, 4*w*h)
	p := blockfit.Grid{W: w, H: h, Side: 4}
	for at := range p.Blocks() {
		var decoded [64]byte
		DecodeBlock(&decoded, (*[16]byte)(blocks[16*at:]))
		x, y := at%(w/4)*4, at/(w/4)*4
		for row := range 4 {
			copy(pix[4*((y+row)*w+x):], decoded[16*row:16*row+16])
		}
	}
	return pix
}
