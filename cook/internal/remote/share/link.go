package share

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"
)

// These are the time limits of requests.
const (
	lookTime = time.Second
	openTime = 2 * time.Second        // limit for opening the server
	patience = 200 * time.Millisecond // limit for the time that a request waits until the server is open
	slowest  = 512 << 10              // transfer rate in bytes per second that the time limits assume
)

// A link is a connection to a server. After too many failures, it makes no more requests.
type link struct {
	ctx    context.Context // canceled when the server is given up
	giveUp context.CancelFunc
	note   func(string)
	begun  time.Time

	opened chan struct{} // closed when server or err is known
	server Server
	err    error

	mu       sync.Mutex // guards the fields below
	off      bool
	lately   lately
	requests int64
	waited   time.Duration // time until the server was open
}

// newLink opens a server in the background.
func newLink(ctx context.Context, open func(context.Context) (Server, error), note func(string)) *link {
	l := &link{note: note, begun: time.Now(), opened: make(chan struct{})}
	l.ctx, l.giveUp = context.WithCancel(ctx)
	go func() {
		opening, cancel := context.WithTimeout(l.ctx, openTime)
		defer cancel()
		l.server, l.err = open(opening)
		l.mu.Lock()
		l.waited = time.Since(l.begun)
		l.mu.Unlock()
		if l.err != nil {
			l.giveUpServer(l.err)
		}
		close(l.opened)
	}()
	return l
}

// awaitServer returns the server. It waits until the server is open or has failed. Unless patiently
// is set, it waits only for a short time.
func (l *link) awaitServer(ctx context.Context, patiently bool) (Server, error) {
	var out <-chan time.Time
	if !patiently {
		timer := time.NewTimer(time.Until(l.begun.Add(patience)))
		defer timer.Stop()
		out = timer.C
	}
	select {
	case <-l.opened:
	default:
		select {
		case <-l.opened:
		case <-out:
			return nil, ErrUnavailable
		case <-l.ctx.Done():
			return nil, errOff
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if l.err != nil {
		return nil, errOff
	}
	return l.server, nil
}

// callRetrying makes a request that transfers size bytes. If the server was unavailable, it tries
// once more.
func (l *link) callRetrying(ctx context.Context, size int64, request func(context.Context, Server) error) error {
	return l.callCounting(ctx, size, isUnavailable, request)
}

// uploadBlob is like callRetrying, for uploads of blobs. An internal error for one blob does not
// count as a failure of the server, because other blobs may succeed.
func (l *link) uploadBlob(ctx context.Context, size int64, request func(context.Context, Server) error) error {
	return l.callCounting(ctx, size, func(err error) bool { return isUnavailable(err) && !errors.Is(err, ErrInternal) }, request)
}

func isUnavailable(err error) bool { return errors.Is(err, ErrUnavailable) }

// callCounting is like callRetrying. counts reports whether an error is a failure of the server.
func (l *link) callCounting(ctx context.Context, size int64, counts func(error) bool, request func(context.Context, Server) error) error {
	server, err := l.awaitServer(ctx, true)
	if err != nil {
		return err
	}
	for try := 0; ; try++ {
		err := l.callOnce(ctx, server, lookTime+time.Duration(size)*time.Second/slowest, counts, request)
		if try > 0 || !errors.Is(err, ErrUnavailable) {
			return err
		}
		select {
		case <-time.After(time.Duration(rand.Int64N(int64(50 * time.Millisecond)))):
		case <-l.ctx.Done():
			return errOff
		}
	}
}

// callOnce makes a request once, with a time limit. counts reports whether an error is a failure of
// the server.
func (l *link) callOnce(ctx context.Context, server Server, limit time.Duration, counts func(error) bool, request func(context.Context, Server) error) error {
	if l.ctx.Err() != nil {
		return errOff
	}
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	stop := context.AfterFunc(l.ctx, cancel)
	defer stop()
	err := request(limited, server)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case l.ctx.Err() != nil:
		return errOff
	case limited.Err() != nil && err != nil:
		err = fmt.Errorf("%w: no answer in time", ErrUnavailable)
	}
	l.countRequest(err, counts(err))
	return err
}

// closeServer ends all requests, and closes the server.
func (l *link) closeServer() {
	l.giveUp()
	<-l.opened
	if l.server != nil {
		l.server.Close()
	}
}

// A server that reaches one of these limits is given up.
const (
	failsInRow  = 3
	failsWindow = time.Minute
	failsShare  = 10 // the limit is one failure per failsShare requests
	failsLeast  = 20 // failsShare applies after at least failsLeast requests
)

// errOff is the error of requests after the server was given up.
var errOff = errors.New("this run makes no more requests to the server")

// A lately records the requests of the last minute.
type lately struct {
	outcomes []outcome // sorted, the oldest first
	inRow    int       // number of successive failures
}

type outcome struct {
	at     time.Time
	failed bool
}

// countRequest records the outcome of a request, and gives up the server after too many failures.
func (l *link) countRequest(err error, failed bool) {
	now := time.Now()
	l.mu.Lock()
	l.requests++
	enough := l.lately.noteOutcome(now, failed)
	l.mu.Unlock()
	if enough {
		l.giveUpServer(err)
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

// giveUpServer cancels all requests to the server, and tells the user once.
func (l *link) giveUpServer(why error) {
	l.mu.Lock()
	again := l.off
	l.off = true
	l.mu.Unlock()
	if !again && l.ctx.Err() == nil {
		l.note(fmt.Sprintf("%v; this run makes no more requests to the server", why))
	}
	l.giveUp()
}
