package share

import (
	"errors"
	"fmt"
	"time"
)

// Limits after which a server is given up.
const (
	failsInRow  = 3
	failsWindow = time.Minute
	failsShare  = 10 // one in this number
	failsLeast  = 20 // with at least this many requests
)

// errOff says that the run makes no more requests to the server.
var errOff = errors.New("the server is not asked any more in this run")

// lately records the requests of the last minute.
type lately struct {
	outcomes []outcome // oldest first
	inRow    int       // failures
}

type outcome struct {
	at     time.Time
	failed bool
}

// count records the outcome of a request, and gives up the server after too many failures.
func (l *link) count(err error, failed bool) {
	now := time.Now()
	l.mu.Lock()
	l.requests++
	enough := l.lately.noteOutcome(now, failed)
	l.mu.Unlock()
	if enough {
		l.stop(err)
	}
}

// noteOutcome records an outcome, and reports whether there were too many failures.
func (l *lately) noteOutcome(now time.Time, failed bool) bool {
	for len(l.outcomes) > 0 && now.Sub(l.outcomes[0].at) > failsWindow {
		l.outcomes = l.outcomes[1:]
	}
	l.outcomes = append(l.outcomes, outcome{now, failed})
	if !failed {
		l.inRow = 0
		return false
	}
	l.inRow++
	failures := 0
	for _, o := range l.outcomes {
		if o.failed {
			failures++
		}
	}
	return l.inRow >= failsInRow || len(l.outcomes) >= failsLeast && failures*failsShare >= len(l.outcomes)
}

// stop gives up the server, with one note to the user.
func (l *link) stop(why error) {
	l.mu.Lock()
	again := l.off
	l.off = true
	l.mu.Unlock()
	if !again && l.ctx.Err() == nil {
		l.note(fmt.Sprintf("%v; the server is not asked any more in this run", why))
	}
	l.giveUp()
}
