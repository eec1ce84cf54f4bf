//go:build !amd64 && !arm64

package bc7

import "testing"

// read decodes blocks with our own reader: the independent one needs 64 bits.
func read(_ testing.TB, blocks []byte, w, h int) []byte {
	pix := make([]byte, 4*w*h)
	p := picture{pix, w, h}
	for at := range p.blocks() {
		var decoded [64]byte
		DecodeBlock(&decoded, (*[16]byte)(blocks[16*at:]))
		x, y := at%(w/4)*4, at/(w/4)*4
		for row := range 4 {
			copy(pix[4*((y+row)*w+x):], decoded[16*row:16*row+16])
		}
	}
	return pix
}
