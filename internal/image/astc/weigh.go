package astc

import "github.com/assetcook/assetcook/internal/image/byalpha"

// encodeWeighed returns the best block found where a pixel's color counts as much as
// its alpha, as package byalpha says how.
func (e *encoder) encodeWeighed(pixels *[256]byte) [16]byte {
	block := e.encode(pixels)
	if e.opaque {
		return block
	}
	n := 4 * e.format.pixels
	var decoded, wanted [256]byte
	DecodeBlock(&decoded, &block, e.side, true)
	least := byalpha.Error(pixels[:n], decoded[:n])
	byalpha.Mean(decoded[:n], pixels[:n])
	for range e.effort.weighings {
		byalpha.Ask(wanted[:n], pixels[:n], decoded[:n])
		other := e.encode(&wanted)
		DecodeBlock(&decoded, &other, e.side, true)
		sse := byalpha.Error(pixels[:n], decoded[:n])
		if sse >= least {
			break
		}
		block, least = other, sse
	}
	e.sse = least / 255
	return block
}
