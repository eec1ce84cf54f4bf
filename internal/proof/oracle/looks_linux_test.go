package oracle

import "testing"

// The outputs of traced programs equal the outputs of a run from scratch, whatever the programs
// access and whatever is edited.
func TestTracedProgramsEqualCookFromScratch(t *testing.T) {
	sequences := uint64(12)
	if testing.Short() {
		sequences = 3
	}
	for seed := range sequences {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			counts, err := PlayLooks(t.Context(), t.TempDir(), seed, LooksOptions{Steps: 5, Racing: true})
			if err != nil {
				t.Error(err)
			}
			if counts.Runs == 0 {
				t.Error("nothing was cooked")
			}
		})
	}
}
