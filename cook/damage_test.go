package cook_test

import (
	"math/rand/v2"
	"testing"

	"github.com/assetcook/assetcook/internal/proof/damage"
)

// No run panics, hangs or leaves wrong outputs because a file that cook keeps is damaged.
// This is a sample; "go run ./proof/reliability damage" tries every truncation and bit.
func TestDamage(t *testing.T) {
	opt := damage.Options{Stride: 3989, Offset: rand.IntN(3989)}
	kinds := 0
	err := damage.Sweep(t.Context(), t.TempDir(), opt, func(tally damage.Tally) {
		kinds++
		for _, f := range tally.Wrong {
			t.Error(f)
		}
		t.Logf("%s: %d files, %d faults, %d noted, %d refused", tally.Kind, tally.Files, tally.Faults, tally.Noted, tally.Refused)
	})
	if err != nil || kinds < 7 {
		t.Errorf("offset %d, %d kinds of files: %v", opt.Offset, kinds, err)
	}
}
