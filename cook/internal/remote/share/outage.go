package share

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/assetcook/assetcook/cook/internal/remote"
)

// pauses are the times between the attempts to reach a server during an outage. The last one
// repeats.
var pauses = [...]time.Duration{
	50 * time.Millisecond, // a connection was cut, and the next one may work
	1 * time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, 16 * time.Second, 30 * time.Second,
}

// steady is how long a server must answer before its next outage counts as a new one. A shorter
// time continues the pauses of the previous outage.
const steady = time.Second

// failsInRow is the number of successive failures that count as an outage although the server
// answers.
const failsInRow = 3

// errDown is the error of a request that does not wait for the end of an outage.
var errDown = fmt.Errorf("%w at present", ErrUnavailable)

// An outages knows whether the server answers. During an outage, requests wait; one at a time tries
// whether the server answers again.
//
// All requests that were in flight when an outage began fail together. They count as one failure:
// the first of them begins the outage, and the other ones belong to an earlier epoch.
type outages struct {
	// changed is called when an outage begins or ends. mu is locked.
	changed func(remote.LinkState)
	// note is called once, with the reason for the first outage that lasts longer than a moment. mu
	// is locked.
	note func(why error)

	mu     sync.Mutex
	down   bool
	epoch  int // number of outages so far
	pause  pause
	trying bool          // a request is the attempt
	since  time.Time     // beginning of the outage, or end of the last one
	inRow  int           // number of successive failures
	wake   chan struct{} // closed at the next change
	why    error         // why the last attempt failed
	noted  bool          // the user knows that the server does not answer
}

// A pause is the time until the next attempt.
type pause struct {
	level int       // index in pauses
	end   time.Time // time of the next attempt
}

// An attempt is a permission to make one request.
type attempt struct {
	epoch int
	trial bool // the request finds out whether an outage has ended
}

// enter waits until a request may be made, or until ctx or all, the context of the link, is done.
// Unless patiently is set, it returns errDown for an outage that lasts longer than a moment.
func (o *outages) enter(ctx, all context.Context, patiently bool) (attempt, error) {
	for {
		o.mu.Lock()
		switch {
		case !o.down:
			defer o.mu.Unlock()
			return attempt{epoch: o.epoch}, nil
		case !patiently && o.pause.level > 0:
			defer o.mu.Unlock()
			return attempt{}, errDown
		case !o.trying && !time.Now().Before(o.pause.end):
			defer o.mu.Unlock()
			o.trying = true
			return attempt{o.epoch, true}, nil
		}
		wait := time.Until(o.pause.end)
		if o.trying {
			wait = pauses[len(pauses)-1]
		}
		changed := o.change()
		o.mu.Unlock()
		timer := time.NewTimer(wait)
		select {
		case <-changed:
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return attempt{}, ctx.Err()
		case <-all.Done():
			timer.Stop()
			return attempt{}, errOff
		}
		timer.Stop()
	}
}

// change returns a channel that is closed at the next change. mu must be locked.
func (o *outages) change() <-chan struct{} {
	if o.wake == nil {
		o.wake = make(chan struct{})
	}
	return o.wake
}

// broadcast wakes all waiting requests. mu must be locked.
func (o *outages) broadcast() {
	if o.wake != nil {
		close(o.wake)
		o.wake = nil
	}
}

// leave records the result of a request. err is nil unless it shows that the server does not work.
// ended is set if the run ended the request.
func (o *outages) leave(a attempt, err error, ended bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case a.trial:
		o.trying = false
		switch {
		case ended: // another request is the attempt
		case err == nil:
			o.endOutage()
		default:
			o.prolong(err)
		}
		o.broadcast()
	case ended || o.down || a.epoch != o.epoch:
	case err == nil:
		o.inRow = 0
	default:
		if o.inRow++; !errors.Is(err, ErrInternal) || o.inRow >= failsInRow {
			o.beginOutage(err)
		}
	}
}

// beginOutage begins an outage. mu must be locked.
func (o *outages) beginOutage(why error) {
	if time.Since(o.since) >= steady {
		o.pause.level = -1
	}
	o.down, o.since = true, time.Now()
	o.epoch++
	o.prolong(why)
	o.changed(remote.LinkDown)
	o.broadcast()
}

// prolong makes the outage last for the next pause. mu must be locked.
func (o *outages) prolong(why error) {
	o.why = why
	o.pause.level = min(o.pause.level+1, len(pauses)-1)
	took := pauses[o.pause.level]
	o.pause.end = time.Now().Add(took*3/4 + rand.N(took/2)) // so that many machines do not return at the same time
	if o.pause.level > 0 {
		o.noteOutageOnce()
	}
}

// noteOutageOnce tells the user about the outage, unless the user knows. mu must be locked.
func (o *outages) noteOutageOnce() {
	if !o.noted {
		o.noted = true
		o.note(o.why)
	}
}

// endOutage ends an outage. mu must be locked.
func (o *outages) endOutage() {
	if o.down {
		o.down, o.since, o.inRow = false, time.Now(), 0
		o.changed(remote.LinkUp)
	}
	o.broadcast()
}

// failOpening records that the server could not be opened, and returns the time until the next
// attempt.
func (o *outages) failOpening(err error) time.Duration {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.down {
		o.prolong(err)
		o.broadcast()
	} else {
		o.beginOutage(err)
	}
	return time.Until(o.pause.end)
}

// succeedOpening records that the server is open.
func (o *outages) succeedOpening() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.endOutage()
}

// waitUnlessDown waits until done is closed. It returns false if ctx ends earlier or, unless patiently is
// set, if there is an outage that lasts longer than a moment.
func (o *outages) waitUnlessDown(ctx context.Context, done <-chan struct{}, patiently bool) bool {
	for {
		select {
		case <-done:
			return true
		default:
		}
		o.mu.Lock()
		changed, lasting := o.change(), o.down && o.pause.level > 0
		o.mu.Unlock()
		if lasting && !patiently {
			return false
		}
		select {
		case <-done:
		case <-changed:
		case <-ctx.Done():
			return false
		}
	}
}

// isLasting reports whether the server has not answered for longer than a moment.
func (o *outages) isLasting() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.down && o.pause.level > 0
}

// lasts returns how long the server has not answered, and why. It returns 0 if the server answers.
func (o *outages) lasts() (time.Duration, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.down {
		return 0, nil
	}
	return time.Since(o.since), o.why
}

// endRun tells the user if the run ends during an outage.
func (o *outages) endRun() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.down {
		o.noteOutageOnce()
	}
}
