package cook_test

import (
	"math/rand/v2"
	"testing"

	"github.com/assetcook/assetcook/cook/damagesweep"
)

// A sample of all that can be damaged of the files that cook keeps: no run
// panics, hangs or is wrong for it. A fault that lies in one bit only is for
// "go run ./bench/reliability damage" to find, which does them all.
func TestDamage(t *testing.T) {
	opt := damagesweep.Options{Stride: 1999, Offset: rand.IntN(1999)}
	kinds := 0
	err := damagesweep.Sweep(t.Context(), t.TempDir(), opt, func(tally damagesweep.Tally) {
		kinds++
		for _, f := range tally.Wrong {
			t.Error(f)
		}
		t.Logf("%s: %d files, %d harms, %d noted, %d refused", tally.Kind, tally.Files, tally.Harms, tally.Noted, tally.Refused)
	})
	if err != nil || kinds < 7 {
		t.Errorf("offset %d, %d kinds of files: %v", opt.Offset, kinds, err)
	}
}
