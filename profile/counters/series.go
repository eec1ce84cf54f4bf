package counters

import "math"

// EMA is an exponential moving average. Its first value seeds it, so that it does not climb from
// zero. Set Factor; with the zero value the average stays at the first value.
type EMA struct {
	Factor float64 // weight of a new value, 0 to 1; see HalfLife
	value  float64
	seeded bool
}

// HalfLife returns the factor that halves a value's weight after this many further values. 0 or
// less forgets at once.
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

// Value returns the average, 0 before the first value.
func (e *EMA) Value() float64 { return e.value }

// SMA is the mean of the last values. Use NewSMA.
type SMA struct {
	window []float64
	next   int
}

// NewSMA returns a mean of the last n values. It panics if n is less than 1.
func NewSMA(n int) *SMA {
	if n < 1 {
		panic("counters: a mean of no values")
	}
	return &SMA{window: make([]float64, 0, n)}
}

// Add takes a value.
func (s *SMA) Add(value float64) {
	if len(s.window) < cap(s.window) {
		s.window = append(s.window, value)
		return
	}
	s.window[s.next] = value
	s.next = (s.next + 1) % len(s.window)
}

// Value returns the mean of the values so far, 0 before the first. It sums them anew on each
// call: a running sum would drift, and an infinity would never leave it.
func (s *SMA) Value() float64 {
	if len(s.window) == 0 {
		return 0
	}
	sum := 0.0
	for _, v := range s.window {
		sum += v
	}
	return sum / float64(len(s.window))
}

// HighWater is the greatest value so far. The zero value has seen none.
type HighWater struct {
	mark float64
	seen bool
}

// Add takes a value and reports whether it exceeds all earlier values. NaN never does.
func (h *HighWater) Add(value float64) bool {
	if math.IsNaN(value) || h.seen && value <= h.mark {
		return false
	}
	h.mark, h.seen = value, true
	return true
}

// Value returns the greatest value, 0 before the first.
func (h *HighWater) Value() float64 { return h.mark }

// Spikes counts consecutive values above a threshold: one slow frame is noise, ten are a stutter.
type Spikes struct {
	Over    float64 // values greater than this are spikes
	run     int
	longest int
}

// Add takes a value and returns the length of the current run, 0 if the value is no spike.
func (s *Spikes) Add(value float64) int {
	if value > s.Over {
		s.run++
		s.longest = max(s.longest, s.run)
	} else {
		s.run = 0
	}
	return s.run
}

// Run returns the length of the current run.
func (s *Spikes) Run() int { return s.run }

// Longest returns the length of the longest run.
func (s *Spikes) Longest() int { return s.longest }
