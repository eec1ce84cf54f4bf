package astc

import (
	"testing"

	"github.com/assetcook/assetcook/internal/image/blocktest"
)

func TestRDO(t *testing.T) {
	for _, size := range []Size{{4, 4}, {8, 6}} {
		blocktest.Shrinks(t, func(rdo float64) blocktest.Encoder { return with(size, Options{RDO: rdo}) })
	}
	with(Size{8, 8}, Options{RDO: 0.5, WeighAlpha: true}).Cancels(t)
}

// TestShrunkBlocksAreTheSameEverywhere checks that RDO writes the same bytes on every machine.
func TestShrunkBlocksAreTheSameEverywhere(t *testing.T) {
	for size, want := range map[Size]string{{4, 4}: "da1cd20ba95f8d17", {6, 6}: "6023625e3496a5f0"} {
		if got := with(size, Options{RDO: 0.5}).Sum(t, 1); got != want {
			t.Errorf("%v: %s, want %s", size, got, want)
		}
	}
}
