package counters

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestFirstValueSeedsEMA(t *testing.T) {
	e := EMA{Factor: 0.25}
	for i, c := range []struct{ add, want float64 }{{8, 8}, {0, 6}, {2, 5}, {-3, 3}} {
		if i == 0 && e.value != 0 {
			t.Error("a value before the first")
		}
		if got := e.Add(c.add); got != c.want || e.value != c.want {
			t.Errorf("after value %d: %v, want %v", i, got, c.want)
		}
	}
}

func TestHalfLife(t *testing.T) {
	for _, n := range []int{1, 2, 10, 600} {
		e := EMA{Factor: halfLife(float64(n))}
		e.Add(0)
		for range n {
			e.Add(1)
		}
		if math.Abs(e.value-0.5) > 1e-12 {
			t.Errorf("half-life %d: %v after it", n, e.value)
		}
	}
	if halfLife(0) != 1 || halfLife(-1) != 1 {
		t.Error("no half-life does not forget at once")
	}
}

// TestAveragesLaws expects that both averages stay between the extremes of the values, and that
// movingMean is the mean of the last values.
func TestAveragesLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.IntRange(-1000, 1000), 1, 30).Draw(t, "values")
		window := rapid.IntRange(1, 10).Draw(t, "window")
		e, s := EMA{Factor: rapid.Float64Range(0, 1).Draw(t, "factor")}, newMovingMean(window)
		low, high := math.Inf(1), math.Inf(-1)
		for i, v := range values {
			e.Add(float64(v))
			s.push(float64(v))
			low, high = min(low, float64(v)), max(high, float64(v))
			if e.value < low-1e-9 || e.value > high+1e-9 {
				t.Fatalf("EMA %v of %v", e.value, values[:i+1])
			}
			sum, from := 0, max(0, i+1-window)
			for _, v := range values[from : i+1] {
				sum += v
			}
			if want := float64(sum) / float64(i+1-from); s.mean() != want {
				t.Fatalf("SMA %v of %v, want %v", s.mean(), values[from:i+1], want)
			}
		}
	})
}

func TestMovingMeanForgets(t *testing.T) {
	s := newMovingMean(2)
	if s.mean() != 0 {
		t.Error("a mean of nothing")
	}
	for _, v := range []float64{math.Inf(1), 1e300, 1, 2} {
		s.push(v)
	}
	if s.mean() != 1.5 {
		t.Errorf("%v after the large value left the window, want 1.5", s.mean())
	}
}

func TestHighWater(t *testing.T) {
	var h highWater
	for i, c := range []struct {
		add    float64
		higher bool
		want   float64
	}{{math.NaN(), false, 0}, {-5, true, -5}, {-5, false, -5}, {-7, false, -5}, {math.NaN(), false, -5}, {2, true, 2}, {1, false, 2}} {
		if got := h.raise(c.add); got != c.higher || h.mark != c.want {
			t.Errorf("after value %d: %v, %v, want %v, %v", i, got, h.mark, c.higher, c.want)
		}
	}
}

func TestSpikes(t *testing.T) {
	s := spikeRuns{over: 16}
	for i, c := range []struct {
		add          float64
		run, longest int
	}{{16, 0, 0}, {17, 1, 1}, {20, 2, 2}, {3, 0, 2}, {99, 1, 2}, {math.NaN(), 0, 2}, {17, 1, 2}, {17, 2, 2}, {17, 3, 3}} {
		if got := s.addValue(c.add); got != c.run || s.longest != c.longest {
			t.Errorf("after value %d: run %d, longest %d, want %d, %d", i, got, s.longest, c.run, c.longest)
		}
	}
}
