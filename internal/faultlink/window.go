package faultlink

import "time"

const (
	firstWindow = 10 * 1460              // bytes, as in RFC 6928
	restartTime = 200 * time.Millisecond // idle time after which a sender starts slowly again
)

// A window limits the bytes in flight of one connection and direction, as TCP does without losses:
// each acknowledged byte allows one more. Use newWindow.
type window struct {
	size, inFlight int
	unacknowledged []acknowledgment
	last           time.Time // time of the last transmission
}

type acknowledgment struct {
	at    time.Time
	bytes int
}

func newWindow() window { return window{size: firstWindow} }

// advance handles the acknowledgments up to the given time. A sender that was idle starts again.
func (w *window) advance(now time.Time) {
	for len(w.unacknowledged) > 0 && !w.unacknowledged[0].at.After(now) {
		n := w.unacknowledged[0].bytes
		w.inFlight, w.size = w.inFlight-n, w.size+n
		w.unacknowledged = w.unacknowledged[1:]
	}
	if w.inFlight == 0 && now.Sub(w.last) > restartTime {
		w.size = firstWindow
	}
}

// allowed returns the number of bytes that may be sent at the given time. If it is 0, more bytes
// may be sent at the time next.
func (w *window) allowed(now time.Time) (bytes int, next time.Time) {
	w.advance(now)
	if w.inFlight < w.size {
		return w.size - w.inFlight, now
	}
	return 0, w.unacknowledged[0].at
}

// sent records bytes that are sent now, and that will be acknowledged at a later time.
func (w *window) sent(now, acknowledged time.Time, bytes int) {
	w.advance(now)
	w.inFlight, w.last = w.inFlight+bytes, now
	w.unacknowledged = append(w.unacknowledged, acknowledgment{acknowledged, bytes})
}
