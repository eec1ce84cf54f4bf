package pass

import (
	"testing"
	"time"

	"github.com/assetcook/assetcook/cook/internal/cookone"
	"github.com/assetcook/assetcook/cook/internal/execute"
	"github.com/assetcook/assetcook/cook/internal/index"
)

// TestForecastDividesByWorkers expects the sum of the times divided by the workers, but never less
// than the longest time.
func TestForecastDividesByWorkers(t *testing.T) {
	var f forecast
	var sum, longest time.Duration
	for i := range 9 {
		size := int64(1000 * (i + 1))
		f.cooked = append(f.cooked, execute.Event{Path: string(rune('a' + i)), Recipe: "copy", Outcome: execute.Cooked, In: size})
		sum, longest = sum+cookone.ExpectedOfSize(size), max(longest, cookone.ExpectedOfSize(size))
	}
	for workers := 1; workers <= 20; workers++ {
		want := max(longest, sum/time.Duration(workers))
		if got := f.expectedTime(index.Empty(), workers); got != want {
			t.Errorf("%d workers: %v, want %v", workers, got, want)
		}
	}
	if got := (&forecast{}).expectedTime(index.Empty(), 1); got != 0 {
		t.Errorf("without work: %v", got)
	}
}
