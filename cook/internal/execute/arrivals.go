package execute

import (
	"math"
	"time"
)

// Arrivals tell how far away the next answer of a server is, by those that have come.
type arrivals struct {
	asked time.Time
	last  time.Time // answer; asked if there is none yet
	n     int
}

const (
	firstGap = 25 * time.Millisecond // until the first answer, before anything is known
	silences = 8                     // gaps after which a server is taken for silent
	never    = time.Duration(math.MaxInt64)
)

// asking notes that the first question is asked.
func (a *arrivals) asking(now time.Time) {
	if a.asked.IsZero() {
		a.asked, a.last = now, now
	}
}

// noteAnswer notes an answer.
func (a *arrivals) noteAnswer(now time.Time) {
	a.last = now
	a.n++
}

// gap is how far answers are apart.
func (a *arrivals) gap() time.Duration {
	if a.n == 0 {
		return firstGap
	}
	return a.last.Sub(a.asked) / time.Duration(a.n)
}

// nextArrival is how long the answer after so many others takes: as long as they are apart, or as
// long as the last one is ago if that is longer. It is never for a server that is silent.
func (a *arrivals) nextArrival(now time.Time, others int) time.Duration {
	silence, gap := now.Sub(a.last), a.gap()
	if silence >= silences*max(gap, firstGap) {
		return never
	}
	return max(gap*time.Duration(others+1), silence)
}
