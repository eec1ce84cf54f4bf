package counters

import "math"

// Gauge is a level: what is so now, such as a position or the bytes held. PushFrame leaves
// it alone, and its history has the level at the end of each frame. It is 0 until it is
// set. A nil *Gauge is always 0.
type Gauge cell

// Set sets the level, from any goroutine; the last one wins.
func (g *Gauge) Set(level float64) {
	if g != nil {
		g.shared.Store(int64(math.Float64bits(level)))
	}
}

// Add raises the level, from any goroutine.
func (g *Gauge) Add(by float64) {
	if g == nil {
		return
	}
	for {
		old := g.shared.Load()
		level := math.Float64frombits(uint64(old)) + by
		if g.shared.CompareAndSwap(old, int64(math.Float64bits(level))) {
			return
		}
	}
}

// Value returns the level that was set last. It does not poll the sources.
func (g *Gauge) Value() float64 {
	if g == nil {
		return 0
	}
	return math.Float64frombits(uint64(g.shared.Load()))
}
