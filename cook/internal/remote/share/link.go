package share

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"
)

// Deadlines.
const (
	lookTime = time.Second
	openTime = 2 * time.Second        // before the server is given up
	patience = 200 * time.Millisecond // before questions stop waiting for the server
	slowest  = 512 << 10              // assumed bytes per second, for time limits
)

// A link is a connection to a server that may fail and is then given up.
type link struct {
	ctx    context.Context // of all requests; ends when the server is given up
	giveUp context.CancelFunc
	note   func(string)
	begun  time.Time

	opened chan struct{} // closed when server or err is known
	server Server
	err    error

	mu       sync.Mutex // guards what follows
	off      bool
	lately   lately
	requests int64
	waited   time.Duration // until the server opened
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
			l.stop(l.err)
		}
		close(l.opened)
	}()
	return l
}

// ready returns the server if it is open or opens soon.
func (l *link) ready(ctx context.Context, patiently bool) (Server, error) {
	var out <-chan time.Time
	if !patiently {
		timer := time.NewTimer(time.Until(l.begun.Add(patience)))
		defer timer.Stop()
		out = timer.C
	}
	select {
	case <-l.opened:
		if l.err != nil {
			return nil, errOff
		}
		return l.server, nil
	default:
	}
	select {
	case <-l.opened:
		if l.err != nil {
			return nil, errOff
		}
		return l.server, nil
	case <-out:
		return nil, ErrUnavailable
	case <-l.ctx.Done():
		return nil, errOff
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// do makes a request that moves size bytes, and retries it once if the server was unavailable.
func (l *link) do(ctx context.Context, size int64, request func(context.Context, Server) error) error {
	return l.try(ctx, size, isUnavailable, request)
}

// uploadBlob is do for uploads of blobs. A server that fails for one blob may accept others.
func (l *link) uploadBlob(ctx context.Context, size int64, request func(context.Context, Server) error) error {
	return l.try(ctx, size, func(err error) bool { return isUnavailable(err) && !errors.Is(err, ErrInternal) }, request)
}

func isUnavailable(err error) bool { return errors.Is(err, ErrUnavailable) }

// try is do with a function counts that says which errors are failures of the server.
func (l *link) try(ctx context.Context, size int64, counts func(error) bool, request func(context.Context, Server) error) error {
	server, err := l.ready(ctx, true)
	if err != nil {
		return err
	}
	for try := 0; ; try++ {
		err := l.once(ctx, server, lookTime+time.Duration(size)*time.Second/slowest, counts, request)
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

// once makes one request with a time limit. counts says which errors are failures of the server.
func (l *link) once(ctx context.Context, server Server, limit time.Duration, counts func(error) bool, request func(context.Context, Server) error) error {
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
	l.count(err, counts(err))
	return err
}

func (l *link) close() {
	l.giveUp()
	<-l.opened
	if l.server != nil {
		l.server.Close()
	}
}
