package share

import (
	"context"
	"io"
	"sync"
	"time"

	"github.com/assetcook/assetcook/cook/internal/remote"
)

const (
	// reportTime is the interval of traffic reports.
	reportTime = 250 * time.Millisecond
	// rateTicks is the number of intervals over which a rate is averaged.
	rateTicks = 8
	// mostReported limits the number of reported transfers.
	mostReported = 20_000
)

// A traffic reports the transfers of the run.
type traffic struct {
	publish func(remote.Traffic)

	mu     sync.Mutex
	now    amount
	active int
	begun  int // number of transfers so far, which become their IDs
}

// An amount is a number of transferred bytes.
type amount struct{ down, up int64 }

// A transfer is a group of blobs in one request.
type transfer struct {
	of *traffic
	remote.Transfer
}

// beginGroup reports the beginning of a transfer, and endTransferGroup the end.
func (t *traffic) beginGroup(up bool, blobs int, bytes int64) *transfer {
	t.mu.Lock()
	t.active++
	t.begun++
	is := &transfer{t, remote.Transfer{ID: t.begun, Up: up, Blobs: blobs, Bytes: bytes}}
	t.mu.Unlock()
	is.publishTransfer()
	return is
}

// endTransferGroup ends a transfer.
func (t *transfer) endTransferGroup() {
	t.of.mu.Lock()
	t.of.active--
	t.of.mu.Unlock()
	t.Ended = true
	t.publishTransfer()
}

// publishTransfer reports a transfer, unless too many were reported before.
func (t *transfer) publishTransfer() {
	if t.ID <= mostReported {
		snapshot := t.Transfer
		t.of.publish(remote.Traffic{Transfer: &snapshot})
	}
}

// countPassed counts transferred bytes.
func (t *transfer) countPassed(n int64) {
	t.of.mu.Lock()
	defer t.of.mu.Unlock()
	if t.Up {
		t.of.now.up += n
	} else {
		t.of.now.down += n
	}
}

// reader counts the bytes that are read from r.
func (t *transfer) reader(r io.ReadCloser) io.ReadCloser { return &counted{r, t} }

type counted struct {
	io.ReadCloser
	transfer *transfer
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	c.transfer.countPassed(int64(n))
	return n, err
}

// reportRates reports at each tick how many bytes were transferred, and their rate. After the last
// transfer has ended, it reports once more, and then nothing until the next transfer.
func (t *traffic) reportRates(ctx context.Context, ticks <-chan time.Time) {
	type sample struct {
		at time.Time
		amount
	}
	var lately []sample // samples at recent ticks; empty if no transfer is in flight
	var reported amount
	for {
		var at time.Time
		select {
		case at = <-ticks:
		case <-ctx.Done():
			return
		}
		t.mu.Lock()
		now := sample{at, t.now}
		active := t.active > 0
		t.mu.Unlock()
		if !active && now.amount == reported && lately == nil {
			continue
		}
		news := remote.Traffic{Down: now.down, Up: now.up, Active: active}
		lately = append(lately, now)
		lately = lately[max(0, len(lately)-rateTicks):]
		if first := lately[0]; at.After(first.at) {
			took := at.Sub(first.at).Seconds()
			news.DownRate = int64(float64(now.down-first.down) / took)
			news.UpRate = int64(float64(now.up-first.up) / took)
		}
		if !active {
			lately = nil
		}
		reported = now.amount
		t.publish(news)
	}
}
