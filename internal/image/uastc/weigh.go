package uastc

import "github.com/assetcook/assetcook/internal/image/byalpha"

// encodeWeighed returns the best block found where a pixel's color counts as much as
// its alpha, as package byalpha says how.
func (e *encoder) encodeWeighed(pixels *[64]byte) [16]byte {
	block := e.encode(pixels)
	if !e.alpha {
		return block
	}
	var decoded, wanted [64]byte
	DecodeBlock(&decoded, &block)
	least := byalpha.Error(pixels[:], decoded[:])
	byalpha.Mean(decoded[:], pixels[:])
	for range e.effort.rounds {
		byalpha.Ask(wanted[:], pixels[:], decoded[:])
		other := e.encode(&wanted)
		DecodeBlock(&decoded, &other)
		sse := byalpha.Error(pixels[:], decoded[:])
		if sse >= least {
			break
		}
		block, least = other, sse
	}
	e.sse = least / 255
	return block
}
