package counters

import "math"

// EMA is an exponential moving average. Its first value seeds it, so that it does not climb from
// zero. Set Factor: with factor 0 the average stays at the first value.
type EMA struct {
	Factor float64 // weight of a new value, 0 to 1; see HalfLife
	value  float64
	seeded bool
}

// HalfLife returns the factor that halves a value's weight after the given number of further
// values. With 0 or less, only the latest value counts.
func HalfLife(values float64) float64 {
	if values <= 0 {
		return 1
	}
	return -math.Expm1(-math.Ln2 / values)
}

// Add takes a value and returns the average.
func (e *EMA) Add(value float64) float64 {
	if !e.seeded {
		e.value, e.seeded = value, true
		return value
	}
	e.value += e.Factor * (value - e.value)
	return e.value
}

// movingMean is the mean of the last values; see newMovingMean.
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

// push adds a value.
func (s *movingMean) push(value float64) {
	if len(s.window) < cap(s.window) {
		s.window = append(s.window, value)
		return
	}
	s.window[s.next] = value
	s.next = (s.next + 1) % len(s.window)
}

// mean returns the mean of the values so far, 0 before the first. It recomputes the sum on each
// call: a running sum would drift, and would stay infinite after an infinite value.
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

// highWater keeps the greatest value so far. Its zero value has seen no values.
type highWater struct {
	mark float64 // greatest value, 0 before the first
	seen bool
}

// raise adds a value and reports whether it exceeds all earlier values. NaN never does.
func (h *highWater) raise(value float64) bool {
	if math.IsNaN(value) || h.seen && value <= h.mark {
		return false
	}
	h.mark, h.seen = value, true
	return true
}

// spikeRuns counts consecutive values above a threshold: one slow frame is noise, but ten in a
// row are a stutter.
type spikeRuns struct {
	over    float64 // values greater than this are spikes
	run     int
	longest int
}

// addValue adds a value and returns the length of the current run, or 0 if the value is not a
// spike.
func (s *spikeRuns) addValue(value float64) int {
	if value > s.over {
		s.run++
		s.longest = max(s.longest, s.run)
	} else {
		s.run = 0
	}
	return s.run
}
