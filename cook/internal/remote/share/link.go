package share

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/assetcook/assetcook/cook/internal/remote"
)

// These are the time limits of requests. While bytes pass, a request may take long: it may wait
// behind the other transfers of the run.
const (
	openTime     = 2 * time.Second        // limit for opening the server
	patience     = 200 * time.Millisecond // limit for the time that a request waits until the server is open
	silenceTime  = 5 * time.Second        // default of Options.Silence
	slowest      = 64 << 10               // transfer rate in bytes per second that the limits assume
	buffered     = 8 << 20                // number of bytes that the buffers of this machine and the network may hold
	mostAttempts = 4                      // number of attempts for a request while the server answers
)

// A link is a connection to a server. It makes no requests during an outage. After the server has
// refused the credentials, it makes no more requests at all.
type link struct {
	opening opening
	ctx     context.Context // canceled when the server is given up
	giveUp  context.CancelFunc
	noteEnd func(why error)
	silence time.Duration
	meter   Meter
	outages outages
	uplink  uplink

	mu       sync.Mutex // guards the fields below
	off      bool
	requests int64
	waited   time.Duration // time until the server was open
}

// An opening is the state of opening a server.
type opening struct {
	begun  time.Time
	opened chan struct{} // closed when server is known
	tried  chan struct{} // closed after the first attempt
	ended  chan struct{} // closed when the server is open or was given up
	server Server
}

// An uplink has the uploads in flight.
type uplink struct {
	bytes atomic.Int64
	rate  func() float64 // returns the measured bytes per second, or 0; may be nil
}

// A linkOptions opens a link.
type linkOptions struct {
	open    func(context.Context, *Meter) (Server, error)
	silence time.Duration // 0 means silenceTime
	once    bool          // set if a server that cannot be opened is given up
	// noteOutage is called once, with the reason for the first outage that lasts longer than a
	// moment. noteEnd is called once if the server is given up.
	noteOutage, noteEnd func(why error)
	changed             func(remote.LinkState) // may be nil
}

// newLink opens a server in the background.
func newLink(ctx context.Context, opt linkOptions) *link {
	l := &link{
		noteEnd: opt.noteEnd, silence: cmp.Or(opt.silence, silenceTime),
		opening: opening{begun: time.Now(), opened: make(chan struct{}), tried: make(chan struct{}), ended: make(chan struct{})},
	}
	l.ctx, l.giveUp = context.WithCancel(ctx)
	l.outages.changed = opt.changed
	if opt.changed == nil {
		l.outages.changed = func(remote.LinkState) {}
	}
	l.outages.note = opt.noteOutage
	go l.openRepeatedly(opt.open, opt.once)
	return l
}

// openRepeatedly opens the server. While the server does not answer, it tries again, unless once is
// set.
func (l *link) openRepeatedly(open func(context.Context, *Meter) (Server, error), once bool) {
	defer close(l.opening.ended)
	for first := true; ; first = false {
		opening, cancel := context.WithTimeout(l.ctx, openTime)
		server, err := open(opening, &l.meter)
		if err != nil && opening.Err() != nil {
			err = fmt.Errorf("%w: no answer in %v", ErrUnavailable, openTime)
		}
		cancel()
		l.mu.Lock()
		l.opening.server, l.waited = server, time.Since(l.opening.begun)
		l.mu.Unlock()
		var again time.Duration
		switch {
		case err == nil:
			l.outages.succeedOpening()
			close(l.opening.opened)
		case l.ctx.Err() != nil:
		case isUnavailable(err) && !once:
			again = l.outages.failOpening(err)
		default:
			l.giveUpServer(err)
		}
		if first {
			close(l.opening.tried)
		}
		if again == 0 {
			return
		}
		select {
		case <-time.After(again):
		case <-l.ctx.Done():
			return
		}
	}
}

// An endurance says how long a request waits for a server that does not answer.
type endurance uint8

const (
	briefly  endurance = iota // time that opening a server usually takes
	firstTry                  // time until the first attempt to open the server has ended
	wholeRun                  // time until the run ends
)

// awaitServer returns the server when it is open.
func (l *link) awaitServer(ctx context.Context, how endurance) (Server, error) {
	select {
	case <-l.opening.opened:
		return l.opening.server, nil
	default:
	}
	var out <-chan time.Time
	var tried <-chan struct{}
	switch how {
	case briefly:
		timer := time.NewTimer(time.Until(l.opening.begun.Add(patience)))
		defer timer.Stop()
		out, tried = timer.C, l.opening.tried
	case firstTry:
		tried = l.opening.tried
	case wholeRun:
	}
	select {
	case <-l.opening.opened:
		return l.opening.server, nil
	case <-tried:
		select {
		case <-l.opening.opened:
			return l.opening.server, nil
		default:
		}
	case <-out:
	case <-l.ctx.Done():
		return nil, errOff
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if l.ctx.Err() != nil {
		return nil, errOff
	}
	return nil, ErrUnavailable
}

// A call is a request to a server.
type call struct {
	size int64     // number of bytes that it transfers
	how  endurance // wholeRun for a call that waits through outages
	up   bool      // set for an upload of blobs
	// unwanted reports whether nothing needs the answer any more. It may be nil.
	unwanted func() bool
	do       func(context.Context, Server) error
}

// callRetrying makes a request. If the server was not available, it tries again.
func (l *link) callRetrying(ctx context.Context, c call) error {
	server, err := l.awaitServer(ctx, wholeRun)
	if err != nil {
		return err
	}
	if c.up {
		l.uplink.bytes.Add(c.size)
		defer l.uplink.bytes.Add(-c.size)
	}
	for tries := 1; ; {
		a, down := l.outages.enter(ctx, l.ctx, c.how == wholeRun)
		switch {
		case l.ctx.Err() != nil:
			return errOff
		case down != nil:
			return cmp.Or(err, down)
		case c.unwanted != nil && c.unwanted():
			l.outages.leave(a, nil, true)
			return errForgotten
		}
		err = l.callOnce(ctx, server, c)
		l.outages.leave(a, l.failureOf(err, c.up), ctx.Err() != nil || l.ctx.Err() != nil)
		switch {
		case !errors.Is(err, ErrUnavailable), errors.Is(err, errHung):
			return err
		case a.trial && c.how == wholeRun && !errors.Is(err, ErrInternal):
			continue // the outage lasts
		case tries == mostAttempts, tries == 2 && (c.how != wholeRun || errors.Is(err, ErrInternal)):
			return err
		}
		tries++
		if errors.Is(err, ErrInternal) {
			select {
			case <-time.After(rand.N(50 * time.Millisecond)):
			case <-ctx.Done():
			}
		}
	}
}

func isUnavailable(err error) bool { return errors.Is(err, ErrUnavailable) }

// failureOf returns an error if it shows that the server does not work. An internal error for an
// uploaded blob does not, because other blobs may succeed.
func (l *link) failureOf(err error, up bool) error {
	if !isUnavailable(err) || up && errors.Is(err, ErrInternal) {
		return nil
	}
	return err
}

// errSilent is the error of a request if no bytes pass in any connection to the server.
var errSilent = fmt.Errorf("%w: no answer in time", ErrUnavailable)

// errHung is the error of a request that the server does not answer, although it answers others.
var errHung = fmt.Errorf("%w: no answer in time, unlike for other requests", ErrInternal)

// callOnce makes a request once. The request fails if no bytes pass for too long.
func (l *link) callOnce(ctx context.Context, server Server, c call) error {
	limited, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	w := &silenceWatch{link: l, cancel: cancel, begun: time.Now()}
	w.limit = 2*l.silence + time.Duration(c.size)*time.Second/slowest
	defer w.start().stopWatch()
	err := l.callDirectly(limited, server, c.do)
	if cause := context.Cause(limited); err != nil && (cause == errSilent || cause == errHung) && ctx.Err() == nil {
		if err = cause; cause == errSilent {
			l.meter.closeConnections() // the next request may need another route to the server
		}
	}
	return err
}

// callDirectly makes a request once, without a time limit of its own, and counts it.
func (l *link) callDirectly(ctx context.Context, server Server, do func(context.Context, Server) error) error {
	if l.ctx.Err() != nil {
		return errOff
	}
	limited, cancel := context.WithCancel(ctx)
	defer cancel()
	stop := context.AfterFunc(l.ctx, cancel)
	defer stop()
	err := do(limited, server)
	switch {
	case l.ctx.Err() != nil:
		return errOff
	case ctx.Err() != nil && err != nil:
		return context.Cause(ctx)
	}
	l.mu.Lock()
	l.requests++
	l.mu.Unlock()
	return err
}

// A silenceWatch cancels a request if no bytes pass in any connection to the server.
type silenceWatch struct {
	link   *link
	cancel context.CancelCauseFunc
	begun  time.Time
	limit  time.Duration // limit of the request, even if other requests progress

	mu    sync.Mutex
	timer *time.Timer
}

func (w *silenceWatch) start() *silenceWatch {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer = time.AfterFunc(w.link.silence, w.check)
	return w
}

func (w *silenceWatch) stopWatch() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer.Stop()
}

// check cancels the request, or checks again later.
func (w *silenceWatch) check() {
	w.mu.Lock()
	defer w.mu.Unlock()
	age, quiet := time.Since(w.begun), time.Since(w.link.meter.lastByte())
	quiet = min(quiet, age)
	allowed := w.link.silence + w.link.drainTime()
	switch {
	case quiet >= allowed:
		w.cancel(errSilent)
	case age >= w.limit+allowed:
		w.cancel(errHung)
	default:
		w.timer.Reset(min(allowed-quiet, w.limit+allowed-age))
	}
}

// drainTime returns how long the uploaded bytes may be on their way that a buffer has accepted.
func (l *link) drainTime() time.Duration {
	rate := 0.0
	if l.uplink.rate != nil {
		rate = l.uplink.rate()
	}
	return time.Duration(float64(min(l.uplink.bytes.Load(), buffered)) / max(rate, slowest) * float64(time.Second))
}

// closeServer ends all requests, and closes the server.
func (l *link) closeServer() {
	l.giveUp()
	<-l.opening.ended
	if l.opening.server != nil {
		l.opening.server.Close()
	}
}

// errOff is the error of requests after the server was given up.
var errOff = errors.New("this run makes no more requests to the server")

// giveUpServer cancels all requests to the server, and tells the user once.
func (l *link) giveUpServer(why error) {
	l.mu.Lock()
	again := l.off
	l.off = true
	l.mu.Unlock()
	if !again && l.ctx.Err() == nil {
		l.noteEnd(why)
	}
	l.giveUp()
}
