package etc2

import "github.com/assetcook/assetcook/internal/image/byalpha"

// encodeWeighed returns the best color block found where a pixel's color counts as much as
// its alpha, as package byalpha says how. The error of alpha, which another block stores, is
// the same for all.
func (e *encoder) encodeWeighed(pixels *[64]byte) uint64 {
	opaque := byte(255)
	for i := 3; i < 64; i += 4 {
		opaque &= pixels[i]
	}
	block := e.encode(pixels)
	if opaque == 255 {
		return block
	}
	var decoded, wanted [64]byte
	decode(&decoded, block)
	least := byalpha.Error(pixels[:], decoded[:])
	byalpha.Mean(decoded[:], pixels[:])
	for range e.effort.weighed {
		byalpha.Ask(wanted[:], pixels[:], decoded[:])
		other := e.encode(&wanted)
		decode(&decoded, other)
		sse := byalpha.Error(pixels[:], decoded[:])
		if sse >= least {
			break
		}
		block, least = other, sse
	}
	return block
}
