//go:build !amd64 && !arm64

package bc7

import (
	"testing"

	"github.com/assetcook/assetcook/internal/image/blocktest"
)

// read decodes blocks with DecodeBlock, because the independent reader needs a 64-bit machine.
func read(_ testing.TB, blocks []byte, w, h int) []byte {
	return blocktest.AssembleBlocks(blocks, w, h, 4, 4, 16, func(pixels, block []byte) {
		DecodeBlock((*[64]byte)(pixels), (*[16]byte)(block))
	})
}
