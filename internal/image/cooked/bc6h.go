package cooked

import "github.com/assetcook/assetcook/internal/image/bc6h"

// light decodes an unsigned BC6H block. One of the reserved modes is black.
func light(block *[16]byte) (pix [64]float32) {
	b, ok := bc6h.Unpack(block)
	for i := range 16 {
		pix[4*i+3] = 1
	}
	if !ok {
		return pix
	}
	for i, p := range b.Halves() {
		for c, h := range p {
			pix[4*i+c] = halfValue(h)
		}
	}
	return pix
}
