package share

import (
	"math"
	"sync"
	"time"
)

// These constants determine the number of bytes in flight. A look-up waits behind these bytes, so
// they must not take long. They must take at least a round trip, so that the link is never idle.
const (
	aheadTime   = 400 * time.Millisecond // the time that the bytes in flight may take, besides two round trips
	firstRoom   = 1 << 20                // number of bytes before the rate is known
	leastRoom   = 64 << 10
	mostRoom    = smallTransfers*smallBatch + mostFlying
	recentTime  = 2 * time.Second       // time constant of the recent rate
	measureTime = 20 * time.Millisecond // shortest time over which a rate is measured
)

// A pace measures the rate of the transfers in one direction, over the time with a transfer in
// flight.
type pace struct {
	mu    sync.Mutex
	bytes int64
	busy  time.Duration // time with a transfer in flight, until the last change of now
	since time.Time     // time of the last change of now
	now   int           // number of transfers in flight

	// The recent rate is recentBytes over recentBusy. Older parts of both sums decay.
	recentBytes, recentBusy float64
	measured                pointInTime // the end of the last part
}

// A pointInTime is a state of a pace.
type pointInTime struct {
	bytes int64
	busy  time.Duration
}

// beginTransfer counts a transfer until endTransfer.
func (p *pace) beginTransfer() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.now == 0 {
		p.since = time.Now()
	}
	p.now++
}

func (p *pace) endTransfer() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.now--; p.now == 0 {
		p.busy += time.Since(p.since)
	}
}

// busyTime returns the time with a transfer in flight. mu must be locked.
func (p *pace) busyTime() time.Duration {
	if p.now > 0 {
		return p.busy + time.Since(p.since)
	}
	return p.busy
}

// notePassed counts transferred bytes.
func (p *pace) notePassed(n int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.bytes += n
	at := pointInTime{p.bytes, p.busyTime()}
	took := at.busy - p.measured.busy
	if took < measureTime {
		return
	}
	decay := math.Exp(-float64(took) / float64(recentTime))
	p.recentBytes = float64(p.recentBytes*decay) + float64(at.bytes-p.measured.bytes)
	p.recentBusy = float64(p.recentBusy*decay) + float64(took)
	p.measured = at
}

// rate returns the recent rate in bytes per second, or 0 if it is unknown.
func (p *pace) rate() float64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.recentBusy == 0 {
		return 0
	}
	return p.recentBytes / p.recentBusy * float64(time.Second)
}

// room returns how many bytes may be in flight, given the time of a round trip.
func (p *pace) room(trip time.Duration) int64 {
	rate := p.rate()
	if rate == 0 {
		return firstRoom
	}
	return int64(min(max(rate*(aheadTime+2*trip).Seconds(), leastRoom), mostRoom))
}

// estimateDownload returns the expected time of a download of some bytes. It returns 0 until enough
// bytes have been measured.
func (p *pace) estimateDownload(bytes int64) time.Duration {
	const enough = 4 << 20
	const long = 3 * time.Second // a slow link needs this time to show its rate
	p.mu.Lock()
	defer p.mu.Unlock()
	busy := p.busyTime()
	if p.bytes < enough && busy < long || p.bytes == 0 || busy <= 0 {
		return 0
	}
	return time.Duration(float64(bytes) / (float64(p.bytes) / float64(busy)))
}
