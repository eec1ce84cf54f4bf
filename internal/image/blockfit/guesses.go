package blockfit

import "math"

// A Guess is a way to code a block, and its expected error.
type Guess struct {
	Mode uint8
	Sub  uint8 // the variant of the mode: a partition, a pattern, a plane
	SSE  float64
}

// Guesses are the most promising guesses, the best first.
type Guesses struct {
	best [maxGuesses]Guess
	keep int
}

const maxGuesses = 8

// Reset forgets all guesses. From then on, the best keep guesses are kept, 1 to 8.
func (g *Guesses) Reset(keep int) {
	g.keep = keep
	for i := range g.best[:keep] {
		g.best[i].SSE = math.MaxFloat64
	}
}

// Add enters a guess if it is among the best.
func (g *Guesses) Add(mode, sub uint8, sse float64) {
	if sse >= g.best[(g.keep-1)&7].SSE {
		return
	}
	i := g.keep - 1
	for ; i > 0 && sse < g.best[(i-1)&7].SSE; i-- {
		g.best[i&7] = g.best[(i-1)&7]
	}
	g.best[i&7] = Guess{mode, sub, sse}
}

// Best returns the kept guesses. Guesses with an SSE of math.MaxFloat64 were never added.
func (g *Guesses) Best() []Guess { return g.best[:g.keep] }
