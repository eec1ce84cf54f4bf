package counters

import "math"

// EMA is an exponential moving average. The first value initializes it, so that it does not climb
// from zero. Set Factor before use: with factor 0 the average never changes.
type EMA struct {
	Factor float64 // weight of a new value, 0 to 1; with 1-math.Exp2(-1/n), n further values halve it
	value  float64
	seeded bool
}

// halfLife returns the factor that halves a value's weight after the given number of further
// values. With 0 or less, only the latest value counts.
func halfLife(values float64) float64 {
	if values <= 0 {
		return 1
	}
	return -math.Expm1(-math.Ln2 / values)
}

// Add adds a value and returns the new average.
func (e *EMA) Add(value float64) float64 {
	if !e.seeded {
		e.value, e.seeded = value, true
		return value
	}
	e.value += e.Factor * (value - e.value)
	return e.value
}

// movingMean is the mean of the last values. Use newMovingMean to make one.
type movingMean struct {
	window []float64
	next   int
}

// newMovingMean returns a mean of the last n values. It panics if n is less than 1.
func newMovingMean(n int) *movingMean {
	if n < 1 {
		panic("counters: the mean needs at least one value")
	}
	return &movingMean{window: make([]float64, 0, n)}
}

// push adds a value to the window.
func (s *movingMean) push(value float64) {
	if len(s.window) < cap(s.window) {
		s.window = append(s.window, value)
		return
	}
	s.window[s.next] = value
	s.next = (s.next + 1) % len(s.window)
}

// mean returns the mean of the last values, or 0 if there are none. It computes the sum anew in
// each call: a running sum would drift, and would stay infinite after an infinite value.
func (s *movingMean) mean() float64 {
	if len(s.window) == 0 {
		return 0
	}
	sum := 0.0
	for _, v := range s.window {
		sum += v
	}
	return sum / float64(len(s.window))
}

// highWater keeps the greatest value so far. The zero value has seen no values.
type highWater struct {
	mark float64 // greatest value, or 0 if there are none
	seen bool
}

// raise adds a value, and reports whether it is greater than all earlier values. It returns false
// for NaN.
func (h *highWater) raise(value float64) bool {
	if math.IsNaN(value) || h.seen && value <= h.mark {
		return false
	}
	h.mark, h.seen = value, true
	return true
}

// spikeRuns counts consecutive values above a threshold. One slow frame is noise, but ten slow
// frames in a row are a stutter.
type spikeRuns struct {
	over    float64 // Values greater than over are spikes
	run     int
	longest int
}

// addValue adds a value. It returns the length of the current run of spikes, or 0 if the value is
// no spike.
func (s *spikeRuns) addValue(value float64) int {
	if value > s.over {
		s.run++
		s.longest = max(s.longest, s.run)
	} else {
		s.run = 0
	}
	return s.run
}
